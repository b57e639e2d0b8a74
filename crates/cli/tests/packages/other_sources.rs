//! Resources that require resources of other sources.

use crate::support::{Project, entry};

/// An agent that needs something of another source.
fn needing(lines: &str) -> String {
    format!("---\nname: boss\ndescription: d\ndependencies:\n  snippets:\n{lines}---\nBoss.\n")
}

fn need(path: &str, more: &str) -> String {
    format!("    - path: {path}\n{more}")
}

/// A project whose agent needs this, beside a source `style` with two versions, of which the manifest knows nothing.
fn project(need: &str, more: &str) -> Project {
    let project = Project::new();
    let boss = needing(need);
    project.release(&[("agents/boss.md", boss.as_str())]);
    project.named_source(
        "style",
        &[
            ("v1.0.0", &[("snippets/style.md", "one\n")]),
            ("v1.1.0", &[("snippets/style.md", "two\n")]),
        ],
    );
    let line = entry("boss", "agents/boss.md", "");
    let sources = format!("community = \"{}\"\n", url(&project, "community"));
    let (top, tables) = more.split_once('|').unwrap_or(("", more));
    project.write(
        "agpm.toml",
        &format!("{top}[sources]\n{sources}{tables}[agents]\n{line}"),
    );
    project
}

fn url(project: &Project, source: &str) -> String {
    format!("file://{}/{source}", project.sandbox.work().display())
}

/// A project whose agent needs a file of `style` by its URL.
fn by_url(version: &str, more: impl Fn(&str) -> String) -> Project {
    let project = project("", "");
    let style = url(&project, "style");
    let need = need(
        "snippets/style.md",
        &format!("      source: {style}\n{version}"),
    );
    let boss = needing(&need);
    let mut repository = agpm_testkit::Repository::init(&project.sandbox, "asking");
    repository.commit(&[("agents/boss.md", boss.as_str())]);
    repository.tag("v1.0.0");
    let line = entry("boss", "agents/boss.md", "").replace("community", "asking");
    let asking = url(&project, "asking");
    let more = more(&style);
    let (top, tables) = more.split_once('|').unwrap_or(("", &more));
    project.write(
        "agpm.toml",
        &format!("{top}[sources]\nasking = \"{asking}\"\n{tables}[agents]\n{line}"),
    );
    project
}

#[test]
fn a_source_of_the_manifest_is_named_or_meant_by_its_url() {
    for key in ["source", "url"] {
        let need = need("snippets/style.md", &format!("      {key}: house\n"));
        let project = project(&need, "house = \"../style\"\n");
        project.good("install");
        assert_eq!(project.read(".claude/snippets/style.md"), "two\n", "{key}");
        project.good("install --frozen");
    }
    let project = by_url("", |url| {
        format!("house = \"{url}.git/\"\n").replace(".git/", "/")
    });
    project.good("install");
    let locked = project.locked("style");
    assert!(locked.contains("source = \"house\""), "{locked}");
}

#[test]
fn without_a_version_the_newest_stable_tag_is_taken_and_stays() {
    let project = by_url("", |url| format!("house = \"{url}\"\n"));
    project.good("install");
    let locked = project.locked("style");
    assert!(locked.contains("requirement = \"latest\""), "{locked}");
    assert!(locked.contains("version = \"v1.1.0\""), "{locked}");
    let lock = project.read("agpm.lock");
    let mut style = agpm_testkit::Repository::open(&project.sandbox, "style");
    style.commit(&[("snippets/style.md", "three\n")]);
    style.tag("v2.0.0");
    project.good("install");
    project.good("install --locked");
    assert_eq!(project.read("agpm.lock"), lock);
    project.good("update");
    assert_eq!(project.read(".claude/snippets/style.md"), "three\n");
}

#[test]
fn a_version_of_the_dependency_applies_in_the_other_source() {
    let project = by_url("      version: v1.0.0\n", |url| {
        format!("house = \"{url}\"\n")
    });
    project.good("install");
    assert_eq!(project.read(".claude/snippets/style.md"), "one\n");
}

#[test]
fn requirements_of_all_sources_meet_in_one_solver() {
    let project = by_url("      version: ^1.1\n", |url| {
        format!(
            "house = \"{url}\"\n[snippets]\nstyle = {{ source = \"house\", path = \"snippets/style.md\", version = \"v1.0.0\" }}\n"
        )
    });
    project.refused("install", 1, &["package/conflict", "^1.1", "v1.0.0"]);
}

#[test]
fn a_repository_that_is_not_allowed_is_refused_with_chain_and_line() {
    let project = by_url("", |_| String::new());
    project.refused(
        "install",
        6,
        &[
            "source/not-allowed",
            "agents/boss.md",
            "allow-sources = [\"file://[SANDBOX]/work/style\"]",
            "required by `asking:agents/boss.md`",
        ],
    );
}

#[test]
fn an_unknown_name_is_refused() {
    let need = need("snippets/style.md", "      source: nowhere\n");
    project(&need, "").refused("install", 6, &["source/not-allowed", "`nowhere`"]);
}

#[test]
fn allow_sources_allows_a_repository_and_a_pattern_of_one_level() {
    let exact = by_url("", |url| format!("allow-sources = [\"{url}\"]\n|"));
    exact.good("install");
    assert_eq!(exact.read(".claude/snippets/style.md"), "two\n");
    let lock = exact.read("agpm.lock");
    assert!(
        lock.contains(&format!("url = \"{}\"", url(&exact, "style"))),
        "{lock}"
    );
    for line in [
        "install",
        "install --locked",
        "install --frozen",
        "verify",
        "list",
        "outdated",
    ] {
        exact.good(line);
        assert_eq!(exact.read("agpm.lock"), lock, "{line}");
    }
    let project = by_url("", |url| {
        let (parent, _) = url.rsplit_once('/').unwrap();
        format!("allow-sources = [\"{parent}/*\"]\n|")
    });
    project.good("install");
    let above = by_url("", |url| {
        let (parent, _) = url.rsplit_once('/').unwrap();
        let (above, _) = parent.rsplit_once('/').unwrap();
        format!("allow-sources = [\"{above}/*\"]\n|")
    });
    above.refused("install", 6, &["source/not-allowed"]);
}

#[test]
fn a_locked_source_that_is_no_longer_allowed_is_refused() {
    let project = by_url("", |url| format!("allow-sources = [\"{url}\"]\n|"));
    project.good("install");
    let manifest = project.read("agpm.toml");
    let (_, without) = manifest.split_once('\n').unwrap();
    project.write("agpm.toml", without);
    project.refused("install --frozen", 6, &["source/not-allowed"]);
    project.refused("install", 6, &["source/not-allowed"]);
}

#[test]
fn wrong_patterns_are_errors() {
    let project = project("", "allow-sources = [\"corp\", 1]\n|");
    project.refused("install", 1, &["manifest/value", "github:"]);
}

#[test]
fn a_relative_path_in_another_source_is_an_error() {
    let need = need("./style.md", "      source: house\n");
    project(&need, "house = \"../style\"\n").refused(
        "install",
        1,
        &["resource/declaration", "relative"],
    );
}

#[test]
fn unknown_keys_are_warnings_in_a_source_and_errors_in_the_project() {
    let extra = need(
        "snippets/style.md",
        "      source: house\n      optional: true\n",
    );
    let from_source = project(&extra, "house = \"../style\"\n");
    from_source.warned("install", &["warning", "optional"]);
    let local = project("", "house = \"../style\"\n");
    local.write("boss.md", &needing(&extra));
    let sources = format!("house = \"{}\"\n", url(&local, "style"));
    local.write(
        "agpm.toml",
        &format!("[sources]\n{sources}[agents]\nboss = \"boss.md\"\n"),
    );
    local.refused("install", 1, &["resource/declaration", "optional"]);
    local.write(
        "boss.md",
        &needing(&need("snippets/style.md", "      source: house\n")),
    );
    local.good("install");
    assert_eq!(local.read(".claude/snippets/style.md"), "two\n");
}

const SKILL: &str = "---\nname: notes\ndescription: Takes notes.\n---\nTake notes.\n";

#[test]
fn a_dot_is_the_root_of_a_repository() {
    let project = Project::new();
    project.release(&[("SKILL.md", SKILL), ("more/words.md", "words\n")]);
    project.manifest(&format!("[skills]\n{}", entry("notes", ".", "")));
    project.good("install");
    assert_eq!(
        project.written(),
        [
            ".claude/skills/notes/SKILL.md",
            ".claude/skills/notes/more/words.md"
        ]
    );
    let locked = project.locked("notes");
    assert!(locked.contains("path = \".\""), "{locked}");
    for line in ["install", "install --locked", "install --frozen", "verify"] {
        project.good(line);
    }
    project.manifest("");
    project.good("install");
    assert!(project.written().is_empty());
}

#[test]
fn a_root_without_a_skill_is_not_found() {
    let project = Project::new();
    project.release(&[("README.md", "Nothing.\n")]);
    project.manifest(&format!("[skills]\n{}", entry("notes", ".", "")));
    project.refused("install", 1, &["package/not-found"]);
}

#[test]
fn a_resource_may_need_a_repository_that_is_a_skill() {
    let project = Project::new();
    let boss = "---\nname: boss\ndescription: d\ndependencies:\n  skills:\n    - path: .\n      source: notes\n---\nB.\n";
    project.release(&[("agents/boss.md", boss)]);
    project.named_source("notes", &[("v1.0.0", &[("SKILL.md", SKILL)])]);
    let line = entry("boss", "agents/boss.md", "");
    project.manifest(&format!("notes = \"../notes\"\n[agents]\n{line}"));
    project.good("install");
    assert!(project.exists(".claude/skills/notes/SKILL.md"));
    project.good("install --frozen");
}
