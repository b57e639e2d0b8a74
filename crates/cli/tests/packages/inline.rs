//! Dependencies that are URLs.

use crate::support::Project;

fn agent(text: &str) -> String {
    format!("---\nname: a\ndescription: d\n---\n{text}\n")
}

fn project(manifest: &str) -> Project {
    let project = Project::new();
    let (first, second) = (agent("one"), agent("two"));
    project.named_source(
        "lib",
        &[
            (
                "v1.0.0",
                &[("agents/a.md", &first), ("skills/s/SKILL.md", &first)],
            ),
            ("v1.1.0", &[("agents/a.md", &second)]),
            ("v2.0.0", &[("agents/a.md", &agent("three"))]),
        ],
    );
    let url = format!("file://{}", project.sandbox.work().join("lib").display());
    project
        .sandbox
        .write("project/agpm.toml", manifest.replace("URL", &url));
    project
}

#[test]
fn an_url_needs_no_source() {
    let project = project(
        "[agents]\na = \"URL//agents/a.md@^1\"\n[skills]\ns = \"git+URL.git//skills/s@v1.0.0\"\n",
    );
    project.good("install");
    assert!(project.read(".claude/agents/a.md").contains("two"));
    assert!(project.exists(".claude/skills/s/SKILL.md"));
    let lock = project.read("agpm.lock");
    assert_eq!(lock.matches("[[sources]]").count(), 1, "{lock}");
    assert!(lock.contains("/work/lib\"\nurl = \"file://"), "{lock}");
    assert!(lock.contains("requirement = \"^1\""), "{lock}");
    for line in [
        "install --locked",
        "install --frozen",
        "install --check",
        "verify",
        "list",
        "validate",
    ] {
        project.good(line);
    }
    let outdated = project.good("outdated");
    assert!(outdated.stdout.contains("v2.0.0"), "{outdated}");
}

#[test]
fn pins_stay_until_they_are_updated() {
    let project = project("[agents]\na = \"URL//agents/a.md@^1\"\n");
    project.good("install");
    let mut source = agpm_testkit::Repository::open(&project.sandbox, "lib");
    source.commit(&[("agents/a.md", &agent("four"))]);
    source.tag("v1.2.0");
    project.good("install");
    assert!(project.read(".claude/agents/a.md").contains("two"));
    project.good("update a");
    assert!(project.read(".claude/agents/a.md").contains("four"));
    project.good("remove a");
    assert!(!project.exists(".claude/agents/a.md"));
}

#[test]
fn a_string_without_a_scheme_is_a_local_path() {
    let project = project("[agents]\na = \"agents/a.md\"\n");
    project.sandbox.write("project/agents/a.md", agent("local"));
    project.good("install");
    assert!(project.read(".claude/agents/a.md").contains("local"));
}

#[test]
fn bad_urls_are_found_before_anything_is_fetched() {
    for (address, word) in [
        ("github:o", "does not name a repository"),
        ("github:o/r", "does not name a file"),
        (
            "https://github.com/o/r/tree/main/agents/a.md",
            "https://github.com/o/r//agents/a.md@main",
        ),
        ("URL//../x", "leaves its directory"),
        ("URL//a.md@^x", "invalid version range"),
        ("oci://h/r", "does not name a file"),
        ("oci://h/R//a.md", "is not lowercase letters"),
        ("oci://h/r:1.0//a.md", "a version follows after `@`"),
    ] {
        let project = project(&format!("[agents]\na = \"{address}\"\n"));
        let output = project.run("install");
        assert_eq!(output.code, Some(1), "{address}\n{output}");
        assert!(output.stderr.contains(word), "{address}\n{output}");
    }
    let project = project("[agents]\na = \"https://me:secret0123456789@h/o/r//a.md\"\n");
    let output = project.run("--offline install");
    assert!(output.stderr.contains("manifest/secret"), "{output}");
    assert!(!output.stderr.contains("secret0123456789"), "{output}");
    let added = project.run("--offline add https://me:secret0123456789@h/o/r a");
    assert_eq!(added.code, Some(6), "{added}");
    assert!(!added.stderr.contains("secret0123456789"), "{added}");
}

#[test]
fn an_existing_url_is_not_added_again() {
    let project = project("[agents]\na = \"URL//agents/a.md@^1\"\n");
    let url = format!("file://{}", project.sandbox.work().join("lib").display());
    let before = project.tree();
    let output = project.good(&format!("add {url}//agents/a.md"));
    assert!(output.stdout.contains("already"), "{output}");
    assert_eq!(project.tree(), before);
    project.good(&format!("add {url} s"));
    assert!(project.read("agpm.toml").contains("lib = \"file://"));
}
