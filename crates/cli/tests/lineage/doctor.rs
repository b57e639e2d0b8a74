//! The checks of `doctor` for personas.

use crate::support::{Tree, under};

const ROOT: &str = ".clia/agents/root/root@x.agent.triad.json";
const INHERITS: &str = r#""inherits": [".clia/agents/root/root@x.agent.triad.json"]"#;

fn tree(ada: &str) -> Tree {
    let tree = Tree::of(&[("", &format!(r#"{{"schemaVersion": "0.4.0", {ada}}}"#))]);
    tree.write(
        &under("repo", ROOT),
        r#"{"schemaVersion": "0.4.0", "guardrails": ["Log it."], "status": "active"}"#,
    );
    tree
}

/// Returns the codes that the doctor reports, with repetitions.
fn found(tree: &Tree, line: &str) -> Vec<String> {
    let output = tree.run("repo", line);
    let coded = |line: &str| Some(line.split_once('[')?.1.split_once("]: ")?.0.to_owned());
    let lines = output
        .stdout
        .lines()
        .filter(|line| line.starts_with("warning[") || line.starts_with("error["));
    lines.filter_map(coded).collect()
}

#[test]
fn active_personas_inherit_root_directives() {
    for (ada, codes) in [
        (r#""status": "active""#.to_owned(), vec!["lineage/no-root"]),
        (
            r#""status": " Active ""#.to_owned(),
            vec!["lineage/no-root"],
        ),
        (r#""status": "retired""#.to_owned(), vec![]),
        (r#""title": "no status""#.to_owned(), vec![]),
        (format!(r#""status": "active", {INHERITS}"#), vec![]),
        (
            r#""status": "active", "inherits": ["middle.json"]"#.to_owned(),
            vec![],
        ),
    ] {
        let tree = tree(&ada);
        tree.write("repo/middle.json", format!("{{{INHERITS}}}"));
        assert_eq!(found(&tree, "doctor"), codes, "{ada}");
        let code = if codes.is_empty() { 0 } else { 1 };
        assert_eq!(
            tree.run("repo", "doctor --strict").code,
            Some(code),
            "{ada}"
        );
    }
}

#[test]
fn the_manifest_may_name_the_root_directives() {
    let tree = tree(r#""status": "active", "inherits": ["rules/all.json"]"#);
    tree.write("repo/rules/all.json", "{}");
    assert_eq!(found(&tree, "doctor"), ["lineage/no-root"]);
    tree.write("repo/agpm.toml", "[lineage]\nroot = \"rules/all.json\"\n");
    assert!(
        found(&tree, "doctor")
            .iter()
            .all(|code| !code.starts_with("lineage/")),
        "{:?}",
        found(&tree, "doctor")
    );
    tree.write("repo/agpm.toml", "[lineage]\nroot = \"rules/gone.json\"\n");
    let codes = found(&tree, "doctor");
    assert!(
        codes.contains(&"lineage/missing-parent".to_owned())
            && codes.contains(&"lineage/no-root".to_owned())
    );
    tree.write("repo/agpm.toml", "[lineage]\nroots = \"x\"\n");
    assert_eq!(tree.run("repo", "validate").code, Some(1));
}

#[test]
fn warnings_of_a_merge_are_findings() {
    let tree = tree(r#""inherits": ["gone.json", ".clia/agents/bad/bad@x.agent.triad.json"]"#);
    tree.write("repo/.clia/agents/bad/bad@x.agent.triad.json", "{");
    tree.write(
        "repo/.clia/agents/eve/eve@x.agency.triad.json",
        r#"{"schemaVersion": "9"}"#,
    );
    let codes = found(&tree, "doctor");
    for code in [
        "lineage/missing-parent",
        "lineage/unreadable",
        "lineage/version",
    ] {
        assert!(codes.iter().any(|found| found == code), "{code}: {codes:?}");
    }
    assert_eq!(tree.run("repo", "doctor").code, Some(0));
    assert_eq!(tree.run("repo", "doctor --strict").code, Some(1));
}

#[test]
fn guardrails_that_differ_in_case_or_spaces_are_near_duplicates() {
    let tree = tree(&format!(
        r#"{INHERITS}, "guardrails": ["log  it.", "LOG IT.", "Log it", "Log it."]"#
    ));
    assert_eq!(found(&tree, "doctor"), ["lineage/near-duplicate"; 2]);
}

#[test]
fn shared_documents_are_reported_of_once() {
    let tree = tree(r#""inherits": ["middle.json"]"#);
    tree.write("repo/middle.json", r#"{"inherits": ["gone.json"]}"#);
    for slug in ["bob", "eve", "joe"] {
        tree.persona("repo", slug, "agent", r#"{"inherits": ["middle.json"]}"#);
    }
    assert_eq!(found(&tree, "doctor"), ["lineage/missing-parent"]);
}

#[test]
fn documents_that_are_gone_are_archived() {
    let gone = ".clia/agents/bob/bob@x.agent.triad.json";
    let tree = tree(r#""title": "Ada""#);
    tree.write(&under("repo", gone), r#"{"title": "Bob"}"#);
    tree.commit("repo");
    tree.git("repo", &["tag", "base"]);
    assert_eq!(found(&tree, "doctor --since base"), [""; 0]);
    std::fs::remove_file(tree.path(&under("repo", gone))).unwrap();
    let findings = || found(&tree, "doctor --since base");
    assert_eq!(findings(), ["lineage/not-archived"]);
    tree.commit("repo");
    assert_eq!(findings(), ["lineage/not-archived"]);
    assert_eq!(
        tree.run("repo", "doctor --since base --strict").code,
        Some(1)
    );
    assert_eq!(found(&tree, "doctor"), [""; 0]);
    // Also from a subdirectory; the path is relative to it.
    tree.directory("repo/below");
    let output = tree.run("repo/below", "doctor --since base");
    assert!(
        output.stdout.contains(&format!("--> ../{gone}")),
        "{output}"
    );
    // Found by its name, by its content, or moved: nothing is lost.
    for (path, text) in [
        (
            ".clia/agents/ada/legacy-imports/bob@x.agent.triad.json",
            "{\n  \"archived\": true, \"title\": \"Bob\"\n}",
        ),
        (
            ".clia/agents/ada/legacy-imports/2026/old.json",
            r#"{"title": "Bob"}"#,
        ),
        (
            ".clia/agents/ada/legacy-imports/bob.json",
            "{\"title\":\n\"Bob\"}\n",
        ),
        (
            ".clia/agents/robert/bob@y.agent.triad.json",
            r#"{"title": "Bob"}"#,
        ),
    ] {
        tree.write(&under("repo", path), text);
        assert_eq!(findings(), [""; 0], "{path}");
        std::fs::remove_file(tree.path(&under("repo", path))).unwrap();
    }
    // A name alone keeps nothing.
    for text in ["", "{}", r#"{"title": "Robert"}"#, "{"] {
        tree.write(
            "repo/.clia/agents/ada/legacy-imports/bob@x.agent.triad.json",
            text,
        );
        assert_eq!(findings(), ["lineage/not-archived"], "{text}");
    }
}

#[test]
fn a_namesake_or_twin_that_was_there_before_keeps_nothing() {
    let tree = tree(r#""title": "Ada""#);
    for slug in ["bob", "eve"] {
        tree.write(
            &format!("repo/.clia/agents/{slug}/{slug}@x.agent.triad.json"),
            r#"{"title": "Twin"}"#,
        );
    }
    tree.commit("repo");
    tree.git("repo", &["tag", "base"]);
    std::fs::remove_file(tree.path("repo/.clia/agents/bob/bob@x.agent.triad.json")).unwrap();
    assert_eq!(
        found(&tree, "doctor --since base"),
        ["lineage/not-archived"]
    );
}

#[test]
fn a_later_version_of_a_document_that_is_gone_will_do() {
    let gone = "repo/.clia/agents/bob/bob@x.agent.triad.json";
    let tree = tree(r#""title": "Ada""#);
    tree.write(gone, r#"{"title": "Bob"}"#);
    tree.commit("repo");
    tree.git("repo", &["tag", "base"]);
    tree.write(gone, r#"{"title": "Robert"}"#);
    tree.commit("repo");
    std::fs::remove_file(tree.path(gone)).unwrap();
    tree.write(
        "repo/.clia/agents/ada/legacy-imports/robert.json",
        r#"{"title": "Robert"}"#,
    );
    tree.commit("repo");
    assert_eq!(found(&tree, "doctor --since base"), [""; 0]);
}

#[test]
fn a_revision_that_is_missing_is_an_error() {
    let tree = tree(r#""title": "Ada""#);
    tree.commit("repo");
    for revision in ["nowhere", "--all", "HEAD:x"] {
        let output = tree.run("repo", &format!("doctor --since={revision}"));
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stdout.contains("unknown revision"), "{output}");
    }
    let outside = Tree::new();
    let output = outside.run("", "doctor --since HEAD");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stdout.contains("no git repository here"), "{output}");
}
