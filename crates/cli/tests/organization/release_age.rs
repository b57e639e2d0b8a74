//! `min-release-age`: by tag date, else commit date; skipped and refused versions.

use agpm_testkit::{Repository, Sandbox};

use crate::{AGENT, assert_code, read, rules, sandbox};

const YEAR: u64 = 31_536_000;

fn now() -> u64 {
    let now = std::time::SystemTime::now();
    now.duration_since(std::time::UNIX_EPOCH).unwrap().as_secs()
}

fn team(sandbox: &Sandbox) -> Repository<'_> {
    let mut team = Repository::init(sandbox, "team");
    team.commit(&[("agents/r.md", AGENT)]);
    team.tag("v1.0.0");
    team
}

fn write_manifest(sandbox: &Sandbox, team: &Repository<'_>, version: &str) {
    let manifest = format!(
        "[sources]\nteam = \"{}\"\n\n[agents]\nr = {{ source = \"team\", path = \"agents/r.md\", {version} }}\n\n[policy.versions]\nmin-release-age = \"7d\"\n",
        team.url()
    );
    sandbox.write("agpm.toml", manifest);
}

#[test]
fn a_range_takes_the_newest_version_that_is_old_enough() {
    let sandbox = sandbox();
    let mut team = team(&sandbox);
    team.commit(&[("agents/r.md", "Second.\n")]);
    team.tag("v1.1.0");
    team.set_time(now() - 7_000);
    team.commit(&[("agents/r.md", "Third.\n")]);
    team.tag("v1.2.0");
    // The latest of those that are old enough.
    write_manifest(&sandbox, &team, "version = \"latest\"");
    assert_code(&sandbox.run_line("agpm install --dry-run"), 0);
    assert!(
        sandbox
            .run_line("agpm install --dry-run")
            .stderr
            .contains("v1.2.0 was released")
    );
    write_manifest(&sandbox, &team, "version = \"^1\"");
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 0);
    assert!(
        output.stderr.contains("note[policy/release-age]"),
        "{output}"
    );
    assert!(
        output.stderr.contains("v1.2.0 was released 1 hour ago"),
        "{output}"
    );
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v1.1.0\""));
    let output = sandbox.run_line("agpm update");
    assert_code(&output, 0);
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v1.1.0\""));
}

#[test]
fn exact_versions_branches_and_commits_that_are_too_young_are_refused() {
    let sandbox = sandbox();
    let mut team = team(&sandbox);
    team.set_time(now() - 3_600);
    let commit = team.commit(&[("agents/r.md", "Second.\n")]);
    team.tag("v1.1.0");
    let rev = format!("rev = \"{commit}\"");
    for version in ["version = \"v1.1.0\"", "branch = \"main\"", &rev] {
        write_manifest(&sandbox, &team, version);
        let output = sandbox.run_line("agpm install");
        assert_code(&output, 6);
        assert_eq!(
            rules(&output),
            ["versions.min-release-age"],
            "{version} {output}"
        );
    }
    // No version in the range is old enough, so nothing to fall back to.
    write_manifest(&sandbox, &team, "version = \">=1.1\"");
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 6);
    assert_eq!(rules(&output), ["versions.min-release-age"], "{output}");
}

#[test]
fn an_annotated_tag_is_as_old_as_itself() {
    let sandbox = sandbox();
    let mut team = team(&sandbox);
    // The commit is old, the tag is new.
    team.commit(&[("agents/r.md", "Second.\n")]);
    team.set_time(now() - 3_600);
    team.annotated_tag("v1.1.0");
    write_manifest(&sandbox, &team, "version = \"^1\"");
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v1.0.0\""));
    write_manifest(&sandbox, &team, "version = \"v1.1.0\"");
    assert_code(&sandbox.run_line("agpm install"), 6);
}

#[test]
fn a_date_in_the_future_is_not_an_age_at_all_and_is_shown() {
    let sandbox = sandbox();
    let mut team = team(&sandbox);
    team.set_time(now() + YEAR);
    team.commit(&[("agents/r.md", "Second.\n")]);
    team.tag("v1.1.0");
    write_manifest(&sandbox, &team, "version = \"^1\"");
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 0);
    assert!(output.stderr.contains("dated in the future"), "{output}");
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v1.0.0\""));
    write_manifest(&sandbox, &team, "version = \"v1.1.0\"");
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 6);
    assert!(output.stderr.contains("dated in the future"), "{output}");
}

#[test]
fn a_locked_version_that_is_too_young_is_refused_until_it_is_updated() {
    let sandbox = sandbox();
    let mut team = team(&sandbox);
    team.set_time(now() - 3_600);
    team.commit(&[("agents/r.md", "Second.\n")]);
    team.tag("v1.1.0");
    write_manifest(&sandbox, &team, "version = \"^1\"");
    let manifest = read(&sandbox, "agpm.toml");
    sandbox.write("agpm.toml", manifest.replace("\"7d\"", "\"1m\""));
    assert_code(&sandbox.run_line("agpm install"), 0);
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v1.1.0\""));
    sandbox.write("agpm.toml", &manifest);
    for command in ["agpm install", "agpm install --frozen", "agpm policy check"] {
        let output = sandbox.run_line(command);
        assert_code(&output, 6);
        assert_eq!(rules(&output), ["versions.min-release-age"], "{output}");
    }
    assert_code(&sandbox.run_line("agpm update"), 0);
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v1.0.0\""));
}

#[test]
fn a_base_is_the_newest_version_that_is_old_enough_too() {
    let sandbox = sandbox();
    let mut base = Repository::init(&sandbox, "base");
    base.commit(&[("agpm.toml", "[agents]\nr = \"r.md\"\n"), ("r.md", AGENT)]);
    base.tag("v1.0.0");
    base.set_time(now() - 3_600);
    base.commit(&[("r.md", "Second.\n")]);
    base.tag("v1.1.0");
    let manifest = format!(
        "extends = \"{}@^1\"\n[policy.versions]\nmin-release-age = \"7d\"\n",
        base.url()
    );
    sandbox.write("agpm.toml", manifest);
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 0);
    assert!(output.stderr.contains("v1.1.0 is too young"), "{output}");
    assert!(read(&sandbox, "agpm.lock").contains("version = \"v1.0.0\""));
    assert_eq!(
        sandbox.run_line("agpm install").stdout,
        "Everything is up to date (1 resource)\n"
    );
}

#[test]
fn a_layer_is_the_newest_version_that_is_old_enough_too() {
    let sandbox = sandbox();
    let mut org = Repository::init(&sandbox, "org");
    org.commit(&[(".claude/settings.json", "{\"model\": \"first\"}\n")]);
    org.tag("v1.0.0");
    org.set_time(now() - 3_600);
    org.commit(&[(".claude/settings.json", "{\"model\": \"second\"}\n")]);
    org.tag("v1.1.0");
    let manifest = |version: &str| {
        format!(
            "[sources]\norg = \"{}\"\n[[layers]]\nname = \"org\"\nsource = \"org\"\nversion = \"{version}\"\n[policy.versions]\nmin-release-age = \"7d\"\n",
            org.url()
        )
    };
    sandbox.write("agpm.toml", manifest("^1"));
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 0);
    assert!(output.stderr.contains("v1.1.0 is too young"), "{output}");
    assert!(read(&sandbox, ".claude/settings.json").contains("first"));
    // `outdated` uses the same limit: the newest allowed version is the locked one.
    let output = sandbox.run_line("agpm outdated --json");
    assert!(
        output.stdout.contains("\"allowed\": \"v1.0.0\""),
        "{output}"
    );
    assert!(output.stdout.contains("\"newest\": \"v1.1.0\""), "{output}");
    assert_code(&sandbox.run_line("agpm update"), 0);
    assert!(read(&sandbox, ".claude/settings.json").contains("first"));
    // An exact version leaves no choice.
    sandbox.write("agpm.toml", manifest("v1.1.0"));
    let output = sandbox.run_line("agpm install");
    assert_code(&output, 6);
    assert_eq!(rules(&output), ["versions.min-release-age"], "{output}");
}

#[test]
fn the_age_of_bases_is_judged_by_every_policy_but_their_own() {
    let sandbox = sandbox();
    let mut base = Repository::init(&sandbox, "base");
    base.set_time(now() - 3_600);
    base.commit(&[("agpm.toml", "[policy.versions]\nmin-release-age = \"7d\"\n")]);
    base.tag("v1.0.0");
    let url = base.url();
    let extends = |version: &str| format!("extends = \"{url}@{version}\"\n");
    // Its own minimum age is for what it requires.
    sandbox.write("agpm.toml", extends("v1.0.0"));
    assert_code(&sandbox.run_line("agpm install"), 0);
    for (rule, key) in [
        ("min-release-age = \"7d\"", "versions.min-release-age"),
        ("pinned-only = true", "versions.pinned-only"),
    ] {
        let policy = format!("[policy.versions]\n{rule}\n");
        sandbox.write("agpm.toml", format!("{}{policy}", extends("main")));
        let output = sandbox.run_line("agpm install");
        assert_code(&output, 6);
        assert_eq!(rules(&output), [key], "{output}");
        assert!(output.stderr.contains("base"), "{output}");
    }
    // That there are no branches is for the base too.
    base.commit(&[("agpm.toml", "[policy.versions]\npinned-only = true\n")]);
    base.tag("v1.1.0");
    for (version, code) in [("v1.1.0", 0), ("main", 6)] {
        sandbox.write("agpm.toml", extends(version));
        assert_code(&sandbox.run_line("agpm update --approve base"), code);
    }
}
