//! Documents that cannot be read, or only with a warning.

use crate::support::{Tree, codes, document, json, named, tags, title, under};

/// A good document at the top, and this one below it.
fn beside(content: impl AsRef<[u8]>) -> Tree {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.ada("repo/a", content);
    tree
}

/// The lower document is left out with this code; alone, or with `--strict`, it is an error.
fn left_out(tree: &Tree, code: &str) {
    let words = [
        &*format!("warning[{code}]"),
        "`a/.clia/agents/ada/ada@x.agent.triad.json` is ignored",
        "help:",
    ];
    assert_eq!(tags(&tree.warned("repo/a", "profile ada", &words)), ["top"]);
    tree.fails(
        "repo/a",
        "profile ada --strict",
        1,
        &[&format!("error[{code}]")],
    );
    let alone = tree.fails(
        "repo/a",
        "profile ada --ceiling .",
        1,
        &["no agent document of `ada` can be read"],
    );
    assert_eq!(alone.stdout, "");
    let all = tree.fails(
        "repo/a",
        "profile ada --ceiling . --kind all --json",
        1,
        &[],
    );
    assert!(codes(&all).contains(&code.to_owned()), "{all}");
}

#[test]
fn versions_that_are_read() {
    for version in [
        "\"0.4\"",
        "\"0.4.0\"",
        "\"0.4.7\"",
        "\"0.4.12\"",
        "\" 0.4.1 \"",
    ] {
        let tree = beside(format!(
            "{{\"schemaVersion\": {version}, \"tags\": [\"a\"]}}"
        ));
        assert_eq!(
            tree.tags("repo/a", "profile ada"),
            ["top", "a"],
            "{version}"
        );
    }
    // A number is read too; beside a text it has changed its type.
    let number = beside("{\"schemaVersion\": 0.4, \"tags\": [\"a\"]}");
    assert_eq!(
        tags(&number.warned("repo/a", "profile ada", &["warning[merge/type-change]"])),
        ["top", "a"]
    );
    assert_eq!(number.tags("repo/a", "profile ada --ceiling ."), ["a"]);
    assert_eq!(
        beside("{\"tags\": [\"a\"]}").tags("repo/a", "profile ada"),
        ["top", "a"]
    );
}

#[test]
fn versions_that_are_not_read() {
    let versions = [
        "\"0.40.0\"",
        "\"0.5.0\"",
        "\"0.3.9\"",
        "\"1.0.4\"",
        "\"0.04\"",
        "\"v0.4\"",
        "0.5",
        "4",
        "true",
    ];
    for version in versions {
        let tree = beside(format!(
            "{{\"schemaVersion\": {version}, \"tags\": [\"a\"]}}"
        ));
        left_out(&tree, "lineage/version");
        tree.warned("repo/a", "profile ada", &["ada@x.agent.triad.json:1:19"]);
    }
}

#[test]
fn versions_that_are_not_version() {
    for version in ["null", "\"\"", "[]", "{\"a\": 1}"] {
        left_out(
            &beside(format!("{{\"schemaVersion\": {version}}}")),
            "lineage/version",
        );
    }
}

#[test]
fn documents_of_mixed_versions_give_the_highest() {
    let tree = beside("{\"schemaVersion\": \"0.4.7\"}");
    let value = json(&tree.good("repo/a", "profile ada"));
    assert_eq!(
        value
            .get("schemaVersion")
            .and_then(|version| version.as_str()),
        Some("0.4.7")
    );
}

#[test]
fn documents_that_are_not_json_map_are_left_out() {
    for content in [
        &b""[..],
        b" \n",
        b"{",
        b"{\"tags\": [\"a\"]",
        b"{\"tags\": [\"a\"]} x",
        b"{\"tags\": [\"a\",]}",
        b"{\"tags\": [\"a\"]} // comment",
        b"{'tags': 1}",
        b"{\"a\": \"\\x\"}",
        b"{\"a\": \"\\ud800\"}",
        b"{\"a\": 01}",
        b"{\"a\": NaN}",
        b"[]",
        b"\"text\"",
        b"null",
        b"tags: [a]\n",
        b"{\"a\": \"\xff\"}",
        b"\xff\xfe{\x00}\x00",
        b"\x00\x01\x02",
    ] {
        left_out(&beside(content), "lineage/unreadable");
    }
}

#[test]
fn the_place_of_a_mistake_is_reported() {
    let tree = beside("{\n  \"tags\": [\"a\"],\n  \"title\" \"x\"\n}\n");
    tree.warned(
        "repo/a",
        "profile ada",
        &["--> .clia/agents/ada/ada@x.agent.triad.json:3:"],
    );
    tree.warned(
        "repo",
        "profile ada --path a",
        &["--> a/.clia/agents/ada/ada@x.agent.triad.json:3:"],
    );
}

#[test]
fn a_byte_order_mark_and_other_line_ends_are_read() {
    let text = "{\r\n  \"title\": \"marked\",\r\n  \"tags\": [\r\n    \"a\"\r\n  ]\r\n}\r\n";
    let plain = beside(text.replace('\r', "")).good("repo/a", "profile ada --with-sources");
    for marked in [
        text.to_owned(),
        format!("\u{feff}{text}"),
        format!("\u{feff}{}", text.replace('\r', "")),
    ] {
        let tree = beside(&marked);
        assert_eq!(
            tree.good("repo/a", "profile ada --with-sources"),
            plain,
            "{marked:?}"
        );
        assert_eq!(title(&tree.good("repo/a", "profile ada")), "marked");
    }
}

#[test]
fn a_duplicate_key_is_reported() {
    let tree = beside("{\n  \"title\": \"one\",\n  \"tags\": [\"a\"],\n  \"title\": \"two\"\n}\n");
    let output = tree.run("repo/a", "profile ada");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output.stderr.contains("ada@x.agent.triad.json:4:"),
        "{output}"
    );
    assert!(output.stderr.contains("title"), "{output}");
}

#[test]
fn nesting_without_end_is_reported() {
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    left_out(&beside(deep), "lineage/unreadable");
    let deep = format!("{}1{}", "{\"a\": ".repeat(10_000), "}".repeat(10_000));
    left_out(&beside(deep), "lineage/unreadable");
    let open = "{\"a\": ".repeat(10_000);
    left_out(&beside(open), "lineage/unreadable");
}

#[test]
fn nesting_that_is_deep_and_allowed_merges() {
    let deep = |value: &str| format!("{}\"{value}\"{}", "{\"a\": ".repeat(100), "}".repeat(100));
    let tree = beside(deep("high"));
    tree.ada("repo", deep("low"));
    let text = tree.good("repo/a", "profile ada --with-sources");
    assert!(
        text.contains("\"high\"") && !text.contains("\"low\""),
        "{text}"
    );
}

#[test]
fn an_empty_map_is_a_document() {
    assert_eq!(beside("{}").tags("repo/a", "profile ada"), ["top"]);
    let tree = Tree::of(&[("", "{}")]);
    assert_eq!(tree.good("repo", "profile ada").trim(), "{}");
}

#[test]
fn one_bad_kind_does_not_take_the_others_with_it() {
    let tree = Tree::of(&[("", "{")]);
    tree.persona("repo", "ada", "agenda", named("agenda", &[]));
    let value = json(&tree.warned("repo", "profile ada --kind all", &["lineage/unreadable"]));
    assert_eq!(value.get("agent"), Some(&agpm_text::Value::Null));
    assert!(
        value
            .get("agenda")
            .and_then(|agenda| agenda.get("title"))
            .is_some()
    );
    assert_eq!(tree.tags("repo", "profile ada --kind agenda"), ["agenda"]);
    tree.fails(
        "repo",
        "profile ada --kind agency",
        3,
        &["has no agency document"],
    );
}

#[test]
fn exit_codes_are_as_documented() {
    let tree = Tree::of(&[("", &named("top", &["no.json"]))]);
    tree.persona("repo", "broken", "agent", "{");
    tree.write("agpm.toml", "");
    for (line, code) in [
        ("profile ada", 0),
        ("profile --list", 0),
        ("profile ada --root-chain --with-sources --projections", 0),
        ("explain profile:ada /title", 0),
        ("profile ada --strict", 1),
        ("profile broken", 1),
        ("profile broken --kind all", 1),
        ("explain profile:broken", 1),
        ("profile ada --path nowhere", 1),
        ("profile", 2),
        ("profile ada --list", 2),
        ("profile --list --kind agenda", 2),
        ("profile --list --root-chain", 2),
        ("profile ada --kind persona", 2),
        ("profile ada --format toml", 2),
        ("profile ada --no-such-flag", 2),
        ("profile ada grace", 2),
        ("profile ada --json --format yaml", 2),
        ("profile ada --ceiling .clia", 2),
        ("explain profile:ada title", 2),
        ("profile grace", 3),
        ("profile ada --kind agency", 3),
        ("profile grace --kind all", 3),
        ("explain profile:grace", 3),
        ("explain profile:ada /nothing", 3),
        ("explain profile:ada/agency", 3),
    ] {
        let output = tree.run("repo", line);
        assert_eq!(output.code, Some(code), "{line}\n{output}");
        assert_eq!(
            output.stdout.is_empty(),
            code != 0 && !line.contains("--json"),
            "{line}\n{output}"
        );
    }
}

#[test]
fn failures_are_one_json_document() {
    let tree = Tree::of(&[("", &named("top", &["no.json"]))]);
    tree.persona("repo", "broken", "agent", "{");
    for (line, code) in [
        ("--json profile grace", "name/unknown"),
        ("profile grace --format json", "name/unknown"),
        ("--json profile ada --kind agency", "name/unknown"),
        ("--json profile ada --strict", "lineage/missing-parent"),
        ("--json profile broken", "lineage/unreadable"),
        ("--json profile ada --path nowhere", "io/not-found"),
        ("--json profile ada --ceiling .clia", "usage"),
        ("--json profile", "usage"),
        ("--json profile --list --path nowhere", "io/not-found"),
        ("--json explain profile:grace", "name/unknown"),
        ("--json explain profile:ada /nothing", "explain/not-found"),
    ] {
        let output = tree.run("repo", line);
        assert!(
            codes(&output).contains(&code.to_owned()),
            "{line}\n{output}"
        );
        assert_eq!(output.stderr, "", "{line}");
        assert_ne!(output.code, Some(0), "{line}");
    }
}

#[test]
fn success_with_json_is_the_bare_value_and_warnings_go_to_standard_error() {
    let tree = Tree::of(&[("", &named("top", &["no.json"]))]);
    for line in [
        "--json profile ada",
        "profile ada --format json",
        "profile ada",
    ] {
        let output = tree.run("repo", line);
        let value = json(&output.stdout);
        assert_eq!(
            (output.code, value.get("ok")),
            (Some(0), None),
            "{line}\n{output}"
        );
        assert_eq!(tags(&output.stdout), ["top"]);
    }
    let loud = tree.run("repo", "profile ada");
    let quiet = tree.run("repo", "-q profile ada");
    assert!(loud.stderr.contains("lineage/missing-parent"), "{loud}");
    assert_eq!((quiet.stderr.as_str(), quiet.stdout), ("", loud.stdout));
}

#[test]
fn warnings_of_a_json_run_are_not_lost() {
    let tree = Tree::of(&[("", &named("top", &["no.json"]))]);
    let output = tree.run("repo", "--json profile ada");
    assert!(
        output.to_string().contains("no.json` does not exist")
            || output.to_string().contains("lineage/missing-parent"),
        "{output}"
    );
}

#[test]
fn unknown_names_have_a_near_one() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.persona("repo/a", "grace-hopper", "agenda", "{}");
    for (directory, line, near) in [
        ("repo", "profile adda", "did you mean `ada`"),
        ("repo", "profile ad --kind all", "did you mean `ada`"),
        (
            "repo/a",
            "profile grace-hoper",
            "did you mean `grace-hopper`",
        ),
        ("repo", "explain profile:adaa /title", "did you mean `ada`"),
        ("repo", "profile zzzzzzzzzz", "ada"),
        ("repo/a", "profile grace-hopper", "it has `--kind agenda`"),
    ] {
        tree.fails(directory, line, 3, &[near, "help:"]);
    }
}

#[test]
fn a_kind_that_is_missing_is_not_a_persona_that_is_missing() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    let words = ["the persona `ada` has no agenda document", "`--kind agent`"];
    tree.fails("repo", "profile ada --kind agenda", 3, &words);
}

#[test]
fn explain_of_a_kind_that_is_missing_says_so() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    let output = tree.fails("repo", "explain profile:ada/agenda", 3, &["ada"]);
    assert!(!output.stderr.contains("unknown persona `ada`"), "{output}");
}

#[test]
fn without_any_persona_the_help_says_where_they_would_be() {
    let tree = Tree::of(&[]);
    tree.fails("repo", "profile ada", 3, &["`.clia/agents/`", "help:"]);
    let empty = tree.run("repo", "profile --list");
    assert_eq!((empty.code, empty.stdout.as_str()), (Some(0), ""));
    assert_eq!(
        empty.stderr,
        "No personas in `.clia/agents` of this directory and its parents.\n"
    );
    assert_eq!(tree.good("repo", "-q profile --list"), "");
    assert_eq!(tree.good("repo", "profile --list --json").trim(), "[]");
}

#[test]
fn slugs_that_lead_elsewhere_are_not_names() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    tree.write("repo/.clia/x/x.agent.triad.json", named("beside", &[]));
    tree.write(
        "repo/.clia/agents/ada.agent.triad.json",
        named("loose", &[]),
    );
    tree.persona("out", "x", "agent", "{}");
    let absolute = tree.absolute("repo/.clia/agents/ada");
    for slug in [
        "../x",
        "..",
        ".",
        "ada/",
        "./ada",
        "ada/.",
        "ada/../ada",
        "/",
        &absolute,
        "../../../out/.clia/agents/x",
        "..\\x",
    ] {
        let output = tree.fails("repo", &format!("profile {slug}"), 3, &["name/unknown"]);
        assert_eq!(output.stdout, "");
        tree.fails(
            "repo",
            &format!("explain profile:{slug}"),
            3,
            &["name/unknown"],
        );
    }
    for slug in ["", " ", "\t"] {
        let mut command = tree.command("repo", "profile");
        command.arg(slug);
        let output = tree.sandbox.output(command);
        assert!(matches!(output.code, Some(2 | 3)), "{slug:?}\n{output}");
    }
}

#[test]
fn a_document_that_is_too_large_is_reported() {
    let tree = Tree::of(&[("", &named("top", &[]))]);
    let path = tree.path(&under("repo/a", &document("ada", "agent")));
    tree.ada("repo/a", "");
    std::fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(1 << 34)
        .unwrap();
    let words = [
        "warning[lineage/unreadable]",
        "ada@x.agent.triad.json` is ignored",
    ];
    assert_eq!(tags(&tree.warned("repo/a", "profile ada", &words)), ["top"]);
}

#[test]
fn secrets_are_masked_in_source_lines() {
    let tree = beside("{\"api_token\": \"hunter2hunter2\" \"title\": 1}");
    let output = tree.run("repo/a", "profile ada");
    assert!(
        output.stderr.contains("api_token") && !output.stderr.contains("hunter2"),
        "{output}"
    );
    let tree = beside("{\"api_token\": \"hunter2hunter2\", \"inherits\": [\"no.json\"]}");
    let output = tree.run("repo/a", "profile ada");
    assert!(!output.stderr.contains("hunter2"), "{output}");
    let output = tree.run("repo/a", "explain profile:ada");
    assert!(!output.to_string().contains("hunter2"), "{output}");
}
