//! Remotes of the catalog from end to end: declared, pinned, updated, checked, and every failure.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

#[path = "packages/support.rs"]
#[allow(
    dead_code,
    reason = "what packages need is more than what remotes need"
)]
mod project;

use agpm_testkit::{GitDaemon, Repository};
use project::Project;

const CSV: &str = "bmad/_cfg/agent-manifest.csv";

/// A project with a source `community` that has the tag `v1.0.0`, and these remotes.
fn with_remotes<'p>(project: &'p Project, remotes: &str) -> Repository<'p> {
    let source = project.release(&[
        (CSV, "name\none\n"),
        ("team/bmad/_cfg/agent-manifest.csv", "name\nteam\n"),
    ]);
    ask(project, remotes);
    source
}

fn ask(project: &Project, remotes: &str) {
    project.manifest(&format!("[catalog]\nremotes = [{remotes}]\n"));
}

fn head(source: &Repository<'_>) -> String {
    source.git(&["rev-parse", "HEAD"]).stdout.trim().to_owned()
}

fn fails(project: &Project, line: &str, code: i32, words: &[&str]) {
    let output = project.run(line);
    assert_eq!(output.code, Some(code), "{line}\n{output}");
    for word in words {
        assert!(
            output.to_string().contains(word),
            "{line}: no `{word}` in\n{output}"
        );
    }
}

#[test]
fn a_project_of_remotes_alone_is_locked() {
    let project = Project::new();
    let source = with_remotes(&project, "\"community:/team\", \"community#v1.0.0\"");
    let output = project.good("install");
    assert!(output.stdout.contains("agpm.lock written"), "{output}");
    let commit = head(&source);
    let expected = format!(
        "# Written by agpm. Commit it, and do not edit it by hand.\nversion = 1\n\n[[sources]]\nname = \"community\"\nurl = \"../community\"\n\n\
         [[catalog]]\nremote = \"community:/team\"\nversion = \"main\"\nresolved_commit = \"{commit}\"\n\n\
         [[catalog]]\nremote = \"community#v1.0.0\"\nversion = \"v1.0.0\"\nresolved_commit = \"{commit}\"\n"
    );
    assert_eq!(project.read("agpm.lock"), expected);
    assert_eq!(project.written(), Vec::<String>::new());
    for line in [
        "install",
        "install --locked",
        "install --frozen",
        "install --check",
        "validate --check-lock",
        "verify",
    ] {
        project.good(line);
        assert_eq!(project.read("agpm.lock"), expected, "{line}");
    }
}

#[test]
fn an_url_of_its_own_is_locked_and_requires_nothing_more() {
    let project = Project::new();
    let source = project.release(&[(CSV, "name\none\n")]);
    project.write(
        "agpm.toml",
        &format!("[catalog]\nremotes = [\"git+{}#main\"]\n", source.url()),
    );
    project.good("install");
    let lock = project.read("agpm.lock");
    assert!(
        lock.contains(&format!("remote = \"git+{}#main\"", source.url())),
        "{lock}"
    );
    assert!(!lock.contains("[[sources]]"), "{lock}");
    // Neither a settled project nor one that is not settled asks for what is pinned.
    std::fs::remove_dir_all(source.path()).unwrap();
    project.good("install");
    std::fs::remove_dir_all(project.path(".agpm")).unwrap();
    project.good("install --offline");
    project.good("install --frozen");
    assert_eq!(project.read("agpm.lock"), lock);
}

#[test]
fn a_lockfile_without_remotes_says_nothing_of_them() {
    let project = Project::with(
        &[("agents/a.md", "a\n")],
        &format!("[agents]\n{}", project::entry("a", "agents/a.md", "")),
    );
    project.good("install");
    let lock = project.read("agpm.lock");
    assert!(!lock.contains("catalog"), "{lock}");
    let manifest = project.read("agpm.toml");
    project.write(
        "agpm.toml",
        &format!("{manifest}[catalog]\nremotes = [\"community\"]\n"),
    );
    project.refused(
        "install --locked",
        5,
        &["lock/outdated", "catalog/community"],
    );
    project.good("install");
    project.write("agpm.toml", &manifest);
    project.refused(
        "install --frozen",
        5,
        &["catalog/community is no longer in the manifest"],
    );
    project.good("install");
    assert_eq!(project.read("agpm.lock"), lock);
}

#[test]
fn pins_stay_until_they_are_moved() {
    for (line, moved) in [
        ("update", [true, true]),
        ("update catalog/community", [true, false]),
        ("update community", [true, false]),
        ("update catalog/community#main:/team", [false, true]),
        ("update community#main:/team", [false, true]),
    ] {
        let project = Project::new();
        let mut source = with_remotes(&project, "\"community\", \"community#main:/team\"");
        project.good("install");
        let (lock, first) = (project.read("agpm.lock"), head(&source));
        let second = source.commit(&[(CSV, "name\ntwo\n")]);
        project.good("install");
        project.good("install --locked");
        assert_eq!(project.read("agpm.lock"), lock);
        fails(
            &project,
            &format!("{line} --check"),
            1,
            &["catalog/community"],
        );
        let output = project.good(&format!("{line} --dry-run"));
        assert!(
            output.stdout.contains(&format!("main ({})", &first[..8])),
            "{output}"
        );
        assert_eq!(project.read("agpm.lock"), lock);
        project.good(line);
        let now = project.read("agpm.lock");
        let commits: Vec<bool> = now
            .lines()
            .filter_map(|line| line.strip_prefix("resolved_commit = "))
            .map(|commit| commit.contains(&second))
            .collect();
        assert_eq!(commits, moved, "{line}\n{now}");
        project.good(&format!("{line} --check"));
        project.good("install --frozen");
    }
    let project = Project::new();
    with_remotes(&project, "\"community#v1.0.0\"");
    project.refused(
        "update comunity#v1.0.0",
        3,
        &["did you mean `catalog/community#v1.0.0`"],
    );
    project.refused(
        "update catalog/comunity#v1.0.0",
        3,
        &["did you mean `catalog/community#v1.0.0`"],
    );
}

#[test]
fn another_reference_is_another_pin() {
    let project = Project::new();
    let mut source = with_remotes(&project, "\"community#v1.0.0\"");
    project.good("install");
    let second = source.commit(&[(CSV, "name\ntwo\n")]);
    source.switch("feature/x");
    let third = source.commit(&[(CSV, "name\nthree\n")]);
    for (remotes, version, commit) in [
        ("\"community#main\"", "main", &second),
        ("\"community#feature/x\"", "feature/x", &third),
        (&*format!("\"community#{second}\""), &second, &second),
        (
            &*format!("\"community#{}\"", &second[..8]),
            &second[..8],
            &second,
        ),
    ] {
        ask(&project, remotes);
        project.refused("install --locked", 5, &["lock/outdated"]);
        project.refused("install --frozen", 5, &["lock/outdated"]);
        fails(&project, "validate --check-lock", 1, &["lock/outdated"]);
        project.good("install");
        let lock = project.read("agpm.lock");
        assert!(
            lock.contains(&format!(
                "version = \"{version}\"\nresolved_commit = \"{commit}\""
            )),
            "{lock}"
        );
    }
}

#[test]
fn another_order_is_another_lockfile() {
    let project = Project::new();
    with_remotes(&project, "\"community\", \"community#v1.0.0\"");
    project.good("install");
    ask(&project, "\"community#v1.0.0\", \"community\"");
    project.refused("install --locked", 5, &["order"]);
    project.refused("install --frozen", 5, &["order"]);
    project.good("install");
    let lock = project.read("agpm.lock");
    assert!(
        lock.find("#v1.0.0\"") < lock.find("\"community\"\nversion"),
        "{lock}"
    );
}

#[test]
fn outdated_reports_of_remotes() {
    let project = Project::new();
    let mut source = with_remotes(&project, "\"community\", \"community#v1.0.0\"");
    project.good("install");
    project.good("outdated --check");
    source.commit(&[(CSV, "name\ntwo\n")]);
    source.tag("v1.1.0");
    let output = project.run("outdated --check");
    assert_eq!(output.code, Some(1), "{output}");
    let line = |name: &str| {
        let found = output.stdout.lines().find(|line| line.contains(name));
        found
            .unwrap_or_else(|| panic!("{name}: {output}"))
            .to_owned()
    };
    for word in ["community#v1.0.0", "v1.0.0", "v1.1.0"] {
        assert!(line("community#v1.0.0").contains(word), "{output}");
    }
    assert!(line("main (").contains("catalog"), "{output}");
    let stdout = project.good("outdated catalog/community --json").stdout;
    assert!(
        stdout.contains("\"catalog\"") && !stdout.contains("v1.1.0"),
        "{stdout}"
    );
    project.refused("outdated comunity", 3, &["did you mean"]);
}

#[test]
fn an_unreachable_source_matters_only_without_a_pin() {
    let project = Project::new();
    project.release(&[(CSV, "name\none\n")]);
    let daemon = GitDaemon::start(&project.sandbox);
    project.write(
        "agpm.toml",
        &format!(
            "[catalog]\nremotes = [\"git+{}\"]\n",
            daemon.url("community")
        ),
    );
    project.refused("install --offline", 4, &["source/offline", "agpm.toml:2"]);
    project.good("install");
    let lock = project.read("agpm.lock");
    drop(daemon);
    project.good("install --force");
    project.good("update --offline");
    assert_eq!(project.read("agpm.lock"), lock);
    project.refused("update", 4, &["source/unreachable", "remote `git+git://"]);
    fails(
        &project,
        "validate --sources",
        4,
        &["source/unreachable", "agpm.toml:2"],
    );
    std::fs::remove_file(project.path("agpm.lock")).unwrap();
    project.warned(
        "install",
        &[
            "warning[catalog/stale]",
            "using the cached copy of remote",
            "agpm.toml:2",
        ],
    );
    assert_eq!(project.read("agpm.lock"), lock);
    std::fs::remove_file(project.path("agpm.lock")).unwrap();
    project.good("cache clean --all");
    project.refused("install", 4, &["source/unreachable"]);
}

#[test]
fn another_url_is_another_pin() {
    let project = Project::new();
    let old = with_remotes(&project, "\"community\"");
    project.good("install");
    let mut other = Repository::init(&project.sandbox, "other");
    let commit = other.commit(&[(CSV, "name\nother\n")]);
    let manifest = project.read("agpm.toml");
    project.write("agpm.toml", &manifest.replace("../community", "../other"));
    project.refused("install --locked", 5, &["another URL"]);
    project.refused("install --frozen", 5, &["another URL"]);
    project.good("install");
    let lock = project.read("agpm.lock");
    assert!(
        lock.contains("url = \"../other\"") && lock.contains(&commit),
        "{lock}"
    );
    assert!(!lock.contains(&head(&old)), "{lock}");
    project.good("install --frozen");
}

#[test]
fn unknown_names_get_near_names() {
    let project = Project::new();
    with_remotes(&project, "\"community#v1.0.1\"");
    project.refused(
        "install",
        1,
        &[
            "package/version",
            "unknown branch, tag or commit `v1.0.1`",
            "did you mean `v1.0.0`",
            "agpm.toml:4",
        ],
    );
    let output = project.good("validate --sources").to_string();
    assert!(
        output.contains("warning[catalog/remote]") && output.contains("`v1.0.0`"),
        "{output}"
    );
    ask(&project, "\"community:/taem\"");
    fails(
        &project,
        "validate --sources",
        0,
        &[
            "warning[catalog/remote]",
            "did you mean `team`",
            "agpm.toml:4",
        ],
    );
    ask(&project, "\"community:/team\"");
    assert!(
        !project
            .good("validate --sources")
            .to_string()
            .contains("warning")
    );
    ask(&project, "\"community:/taem\"");
    project.warned(
        "install",
        &[
            "warning[catalog/remote]",
            "`taem`",
            "did you mean `team`",
            "agpm.toml:4",
        ],
    );
    assert!(project.read("agpm.lock").contains("community:/taem"));
}

#[test]
fn a_plain_directory_is_not_pinned() {
    let project = Project::new();
    project
        .sandbox
        .write(&format!("plain/{CSV}"), "name\none\n");
    project.write(
        "agpm.toml",
        "[sources]\nplain = \"../plain\"\n[catalog]\nremotes = [\"plain\"]\n",
    );
    project.good("install");
    assert!(!project.read("agpm.lock").contains("plain"));
    project.good("install --frozen");
    project.good("outdated");
    project.good("validate --resolve --sources --check-lock");
    project.write(
        "agpm.toml",
        "[sources]\nplain = \"../plain\"\n[catalog]\nremotes = [\"plain:/bmd\"]\n",
    );
    fails(
        &project,
        "validate --sources",
        0,
        &[
            "warning[catalog/remote]",
            "did you mean `bmad`",
            "agpm.toml:4",
        ],
    );
}

#[test]
fn a_source_of_a_remote_is_in_use() {
    let project = Project::new();
    with_remotes(&project, "\"community#v1.0.0\"");
    project.good("install");
    project.refused(
        "remove source community",
        6,
        &["manifest/in-use", "catalog/community#v1.0.0"],
    );
    assert!(project.good("cache clean").stdout.contains("Nothing"));
    let manifest = project
        .read("agpm.toml")
        .replace("community = ", "hub = ")
        .replace("\"community#", "\"hub#");
    let lock = project.read("agpm.lock");
    project.write("agpm.toml", &manifest);
    project.good("install");
    assert_eq!(
        project.read("agpm.lock"),
        lock.replace("\"community", "\"hub")
    );
}

#[test]
fn the_copy_of_an_url_in_use_stays() {
    let project = Project::new();
    let source = project.release(&[(CSV, "name\none\n")]);
    project.write(
        "agpm.toml",
        &format!("[catalog]\nremotes = [\"git+{}\"]\n", source.url()),
    );
    project.good("install");
    let info = project.good("cache info").stdout;
    assert!(info.contains("community"), "{info}");
    project.good("cache clean");
    assert_eq!(project.good("cache info").stdout, info);
    project.good("cache clean --older-than 0d");
    assert_eq!(
        project.good("cache info").stdout,
        info,
        "the lockfile still needs it"
    );
    project.write("agpm.toml", "");
    project.good("install");
    project.good("cache clean --older-than 0d");
    assert!(!project.good("cache info").stdout.contains("community"));
}

#[test]
fn mistakes_in_the_manifest_have_their_place() {
    let project = Project::new();
    project.release(&[(CSV, "name\none\n")]);
    for (text, code, words) in [
        (
            "remotes = [\"comunity\"]",
            1,
            ["manifest/unknown-source", "did you mean `community`"],
        ),
        (
            "remotes = [\"https://h/o/r\"]",
            1,
            ["manifest/value", "write `git+` before the URL"],
        ),
        (
            "remotes = [\"community#-x\"]",
            1,
            ["manifest/value", "after `#`"],
        ),
        (
            "remotes = [\"community:/\"]",
            1,
            ["manifest/value", "the path is empty"],
        ),
        (
            "remotes = [\"community:/../x\"]",
            6,
            ["manifest/escape", "agpm.toml:4"],
        ),
        (
            "remotes = [\"community://etc\"]",
            6,
            ["manifest/escape", "agpm.toml:4"],
        ),
        (
            "remotes = \"community\"",
            1,
            ["manifest/value", "a list of strings"],
        ),
        ("remotes = [7]", 1, ["manifest/value", "a string"]),
        (
            "remote = [\"community\"]",
            1,
            ["manifest/unknown-key", "did you mean `remotes`"],
        ),
    ] {
        project.manifest(&format!("[catalog]\n{text}\n"));
        project.refused("install", code, &words);
    }
    project.manifest("[catalog]\nremotes = [\"community\", \"community#v1.0.0\", \"community\"]\n");
    project.warned(
        "install",
        &["warning[catalog/duplicate-remote]", "agpm.toml:4"],
    );
    assert_eq!(project.read("agpm.lock").matches("[[catalog]]").count(), 2);
}

#[test]
fn a_secret_in_a_shared_file_is_reported_and_not_shown() {
    let project = Project::new();
    project.write(
        "agpm.toml",
        "[catalog]\nremotes = [\"git+https://me:tok3n@127.0.0.1:9/o/r#main\"]\n",
    );
    for line in [
        "install --offline",
        "install",
        "validate --sources",
        "install --json",
    ] {
        let output = project.run(line).to_string();
        assert!(
            output.contains("manifest/secret") && !output.contains("tok3n"),
            "{output}"
        );
        assert!(
            output.contains("git+https://127.0.0.1:9/o/r#main"),
            "{output}"
        );
    }
    project.write("agpm.toml", "");
    project.write(
        "agpm.private.toml",
        "[catalog]\nremotes = [\"git+https://me:tok3n@127.0.0.1:9/o/r\"]\n",
    );
    let output = project.run("validate --sources").to_string();
    assert!(
        !output.contains("manifest/secret") && !output.contains("tok3n"),
        "{output}"
    );
    project.good("install");
}

#[test]
fn personal_layers_are_not_locked() {
    let project = Project::new();
    with_remotes(&project, "\"community\"");
    project.good("install");
    let lock = project.read("agpm.lock");
    project.write(
        "agpm.private.toml",
        "[catalog]\nremotes = [\"community#v1.0.0\"]\n",
    );
    for line in [
        "install",
        "install --frozen",
        "install --locked",
        "validate --check-lock",
    ] {
        project.good(line);
        assert_eq!(project.read("agpm.lock"), lock, "{line}");
    }
    project.write("agpm.private.toml", "[catalog]\nremotes = [\"comunity\"]\n");
    project.refused(
        "install",
        1,
        &["manifest/unknown-source", "agpm.private.toml:2"],
    );
}

#[test]
fn a_remote_that_is_wrong_does_not_take_the_others_along() {
    let project = Project::new();
    with_remotes(&project, "\"typo\", \"community\", 3, \"gti+https://h/x\"");
    let output = project.run("catalog --format csv");
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "name\n\"one\"\n"),
        "{output}"
    );
    assert!(
        output.stderr.contains("warning[manifest/unknown-source]"),
        "{output}"
    );
    project.manifest("[agents]\nx = 3\n[catalog]\nremotes = [\"community\"]\n");
    for line in [
        "catalog --format csv",
        "catalog --format csv --remote community",
    ] {
        let output = project.run(line);
        assert_eq!(
            (output.code, output.stdout.as_str()),
            (Some(0), "name\n\"one\"\n"),
            "{line}\n{output}"
        );
        assert!(output.stderr.contains("warning[manifest/"), "{output}");
    }
}

#[test]
fn doctor_says_which_remotes_it_cannot_look_at() {
    let project = Project::new();
    with_remotes(&project, "\"community\"");
    let output = project.run("doctor --strict");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(
        output
            .stdout
            .contains("note[catalog/remote]: remote `community` is not in the cache"),
        "{output}"
    );
    project.good("catalog");
    assert!(!project.run("doctor").stdout.contains("catalog/remote"));
}

#[test]
fn rows_and_files_of_a_remote_say_so_alike() {
    let project = Project::new();
    project.release(&[(CSV, "name,path\none,one.md\n"), ("one.md", "One.\n")]);
    project.manifest("[catalog]\nremotes = [\"community#refs/heads/main\"]\n");
    for line in ["catalog --json", "catalog show one --json"] {
        let text = project.run(line).stdout;
        for word in [
            "\"layer\": \"git\"",
            "\"remote\": \"community#refs/heads/main\"",
        ] {
            assert!(text.contains(word), "{line}: {text}");
        }
    }
}
