//! Layers in the lockfile, and the commands that update them.

use agpm_testkit::Repository;

use crate::support::{ACME, Project, SETTINGS, directory, of_source};

/// Two layers of one source: `org` a branch, `team` a range.
fn two(project: &Project) -> Repository<'_> {
    let mut source = Repository::init(&project.sandbox, "acme");
    source.commit(&[("CLAUDE.md", "1.0\n"), (SETTINGS, "{\"v\": 1}\n")]);
    source.tag("v1.0.0");
    project.plain_manifest(&format!(
        "{ACME}{}include = [\"CLAUDE.md\"]\n{}include = [\".claude/**\"]\n",
        of_source("org", "branch = \"main\""),
        of_source("team", "version = \"^1.0\"")
    ));
    source
}

fn move_on(source: &mut Repository<'_>) {
    source.commit(&[("CLAUDE.md", "1.1\n"), (SETTINGS, "{\"v\": 2}\n")]);
    source.tag("v1.1.0");
}

#[test]
fn pins_stay_when_the_source_moves() {
    let project = Project::new();
    let mut source = two(&project);
    project.good("install");
    let lock = project.read("agpm.lock");
    move_on(&mut source);
    for line in [
        "install",
        "install --locked",
        "install --frozen",
        "install --force",
    ] {
        project.good(line);
        assert_eq!(
            (
                project.read("CLAUDE.md").as_str(),
                project.read("agpm.lock")
            ),
            ("1.0\n", lock.clone()),
            "{line}"
        );
    }
    project.clone_of_lock();
    project.good("install");
    assert_eq!(
        (
            project.read("CLAUDE.md").as_str(),
            project.read("agpm.lock")
        ),
        ("1.0\n", lock)
    );
    project.says(SETTINGS, "{\"v\": 1}");
}

#[test]
fn update_moves_all_or_one() {
    for (line, body, number) in [
        ("update --approve all", "1.1\n", 2),
        ("update org --approve all", "1.1\n", 1),
        ("update layers/org --approve all", "1.1\n", 1),
        ("update team --approve all", "1.0\n", 2),
        ("update layers/team --approve all", "1.0\n", 2),
    ] {
        let project = Project::new();
        let mut source = two(&project);
        project.good("install --approve all");
        move_on(&mut source);
        assert_eq!(
            project.run(&format!("{line} --check")).code,
            Some(1),
            "{line}"
        );
        project.good(&format!("{line} --dry-run"));
        assert_eq!(project.read("CLAUDE.md"), "1.0\n");
        project.good(line);
        assert_eq!(project.read("CLAUDE.md"), body, "{line}");
        project.says(SETTINGS, &format!("{{\"v\": {number}}}"));
        project.good(&format!("{line} --check"));
        project.good("install --frozen");
        project.good("verify");
    }
    let project = Project::new();
    two(&project);
    project.good("install --approve all");
    project.refused(
        "update tam --approve all",
        3,
        &["did you mean `layers/team`"],
    );
    project.refused(
        "update layers/tam --approve all",
        3,
        &["layers/tam", "`layers/team`"],
    );
}

#[test]
fn an_unknown_layer_has_a_near_name() {
    let project = Project::new();
    two(&project);
    project.good("install");
    project.refused("update layers/tam", 3, &["did you mean", "team"]);
}

#[test]
fn outdated_reports_of_layers() {
    let project = Project::new();
    let mut source = two(&project);
    project.good("install");
    project.good("outdated --check");
    move_on(&mut source);
    source.commit(&[("CLAUDE.md", "2\n")]);
    source.tag("v2.0.0");
    let output = project.fails("outdated --check", 1, &["v1.0.0", "v1.1.0", "v2.0.0"]);
    let line = output
        .stdout
        .lines()
        .find(|line| line.contains("team"))
        .unwrap_or_else(|| panic!("{output}"));
    for word in ["layer", "v1.0.0", "v1.1.0", "v2.0.0"] {
        assert!(line.contains(word), "{output}");
    }
    assert!(output.stdout.contains("org"), "{output}");
    let output = project.good("outdated layers/team");
    assert!(
        output.stdout.contains("team") && !output.stdout.contains("org"),
        "{output}"
    );
    let json = project.good("outdated --json").stdout;
    assert!(
        json.contains("\"team\"") || json.contains("layers/team"),
        "{json}"
    );
}

#[test]
fn locked_and_frozen_want_the_lockfile_as_the_manifest_is() {
    let project = Project::new();
    let mut source = two(&project);
    project.refused("install --locked", 5, &["lock/"]);
    project.refused("install --frozen", 5, &["lock/"]);
    project.good("install");
    move_on(&mut source);
    let manifest = project.read("agpm.toml");
    for (from, to) in [
        ("^1.0", "^1.1"),
        ("branch = \"main\"", "version = \"v1.0.0\""),
        ("name = \"team\"", "name = \"group\""),
    ] {
        project.plain_manifest(&manifest.replace(from, to));
        project.refused("install --locked", 5, &["lock/outdated"]);
        project.refused("install --frozen", 5, &["lock/outdated"]);
    }
    // One more, or one less.
    project.layer("me", "GEMINI.md", "x\n");
    project.plain_manifest(&format!("{manifest}{}", directory("me")));
    project.refused("install --locked", 5, &["lock/outdated"]);
    project.refused("install --frozen", 5, &["lock/outdated"]);
    project.plain_manifest(
        &manifest
            .split("[[layers]]")
            .take(2)
            .collect::<Vec<_>>()
            .join("[[layers]]"),
    );
    project.refused("install --locked", 5, &["lock/outdated"]);
    project.refused("install --frozen", 5, &["lock/outdated"]);
    project.plain_manifest(&manifest);
    project.good("install --locked");
    project.good("install --frozen");
}

#[test]
fn another_order_of_layers_is_another_lockfile() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}", "{\"a\": 2}"], "");
    project.good("install");
    project.stack(&["team", "org"], "");
    project.refused("install --locked", 5, &["lock/outdated"]);
    project.good("install");
    project.says(SETTINGS, "{\"a\": 1}");
    let lock = project.read("agpm.lock");
    assert!(lock.find("\"team\"") < lock.find("\"org\""), "{lock}");
    project.good("install --frozen");
}

#[test]
fn another_order_of_layers_is_refused_under_frozen() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}", "{\"a\": 2}"], "");
    project.good("install");
    project.stack(&["team", "org"], "");
    project.refused("install --frozen", 5, &["lock/outdated"]);
}

#[test]
fn a_directory_that_changed_is_not_what_is_locked() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}", "{\"a\": 2}"], "");
    project.good("install --approve all");
    project.layer("team", SETTINGS, "{\"a\": 3}");
    project.refused("install --locked", 5, &["lock/outdated"]);
    let output = project.run("install --frozen");
    assert!(
        output.stderr.contains("lock/checksum") && output.stderr.contains("team"),
        "{output}"
    );
    assert!(matches!(output.code, Some(1 | 5)), "{output}");
    project.says(SETTINGS, "{\"a\": 2}");
    project.good("install --approve all");
    project.good("install --frozen");
}

#[test]
fn a_lockfile_that_was_tampered_with_is_reported() {
    let project = Project::new();
    two(&project);
    project.good("install");
    let lock = project.read("agpm.lock");
    let at = lock.find("checksum = \"sha256:").unwrap() + "checksum = \"sha256:".len();
    let digit = if lock[at..].starts_with('0') {
        "1"
    } else {
        "0"
    };
    project.write(
        "agpm.lock",
        &format!("{}{digit}{}", &lock[..at], &lock[at + 1..]),
    );
    let output = project.run("install --frozen");
    assert!(output.stderr.contains("lock/checksum"), "{output}");
    assert!(matches!(output.code, Some(1 | 5)), "{output}");
}

#[test]
fn the_lockfile_has_the_same_bytes_everywhere() {
    let locks: Vec<String> = (0..2)
        .map(|_| {
            let project = Project::new();
            two(&project);
            project.layer("me", "GEMINI.md", "x\n");
            project.layer("me", ".gemini/settings.json", "{}\n");
            project.plain_manifest(&format!("{}{}", project.read("agpm.toml"), directory("me")));
            project.good("install");
            let first = project.read("agpm.lock");
            project.remove("agpm.lock");
            project.good("install");
            assert_eq!(project.read("agpm.lock"), first);
            first
        })
        .collect();
    assert_eq!(locks[0], locks[1]);
    let at = |name: &str| locks[0].find(&format!("name = \"{name}\"")).unwrap();
    assert!(
        at("org") < at("team") && at("team") < at("me"),
        "{}",
        locks[0]
    );
}

/// The tag of a single layer, or of one of two, is moved before everything is fetched again.
fn moved_tag(project: &Project, source: &mut Repository<'_>) {
    project.good("install");
    source.commit(&[(SETTINGS, "{\"v\": 99}\n")]);
    source.git(&["tag", "-f", "v1.0.0"]);
    project.clone_of_lock();
    std::fs::remove_dir_all(project.work("../cache")).unwrap();
    let output = project.good("install");
    project.says(SETTINGS, "{\"v\": 1}");
    assert!(
        output.stderr.contains("lock/moved-tag") && output.stderr.contains("v1.0.0"),
        "{output}"
    );
}

#[test]
fn a_tag_that_moved_is_reported_and_the_pin_stays() {
    let project = Project::new();
    let mut source = two(&project);
    project.plain_manifest(&format!(
        "{ACME}{}",
        of_source("team", "version = \"^1.0\"")
    ));
    moved_tag(&project, &mut source);
}

#[test]
fn offline_the_cache_is_enough() {
    let project = Project::new();
    two(&project);
    let url = "http://127.0.0.1:9/acme.git";
    let manifest = project.read("agpm.toml");
    project.plain_manifest(&manifest.replace("../acme", url));
    project.refused("install --offline", 4, &["acme"]);
    project.plain_manifest(&manifest);
    project.good("install");
    project.clone_of_lock();
    project.good("install --offline");
    assert_eq!(project.read("CLAUDE.md"), "1.0\n");
    project.good("--offline layers");
    project.good("--offline explain file:CLAUDE.md");
}

#[test]
fn no_lock_writes_none() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}"], "");
    project.good("install --no-lock");
    assert!(!project.exists("agpm.lock"));
    project.says(SETTINGS, "{\"a\": 1}");
    project.good("install");
    assert!(project.read("agpm.lock").contains("[[layers]]"));
}

#[test]
fn a_change_right_after_an_install_is_seen() {
    let project = Project::stacked(SETTINGS, &["{\"a\": 1}"], "");
    project.layer("org", ".claude/a.md", "a\n");
    for number in 2..12 {
        project.good("install --approve all");
        project.layer("org", SETTINGS, format!("{{\"a\": {}}}", number % 10));
        project.layer("org", ".claude/a.md", format!("{}\n", number % 10));
        project.good("install --approve all");
        project.says(SETTINGS, &format!("{{\"a\": {}}}", number % 10));
        assert_eq!(project.read(".claude/a.md"), format!("{}\n", number % 10));
    }
}

#[test]
fn a_source_with_another_url_is_resolved_again_at_the_same_version() {
    let project = Project::new();
    let mut source = two(&project);
    project.good("install --approve all");
    move_on(&mut source);
    let mut fork = Repository::init(&project.sandbox, "fork");
    fork.commit(&[("CLAUDE.md", "fork\n"), (SETTINGS, "{\"v\": 10}\n")]);
    fork.tag("v1.0.0");
    fork.commit(&[("CLAUDE.md", "fork\n"), (SETTINGS, "{\"v\": 11}\n")]);
    fork.tag("v1.1.0");
    let manifest = project.read("agpm.toml");
    assert!(manifest.contains("../acme"), "{manifest}");
    project.plain_manifest(&manifest.replace("../acme", "../fork"));
    assert_eq!(project.run("install --locked").code, Some(5));
    let output = project.good("install --approve all");
    assert!(
        output.stderr.contains("the URL of source `acme` changed"),
        "{output}"
    );
    assert_eq!(project.read(SETTINGS), "{\"v\": 10}\n");
    assert!(
        project.read("agpm.lock").contains("version = \"v1.0.0\""),
        "{}",
        project.read("agpm.lock")
    );
    assert!(!project.good("install --approve all").stderr.contains("URL"));
}
