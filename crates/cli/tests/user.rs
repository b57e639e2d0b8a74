//! `cache` and `config`: data of the user, not of a project.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

use std::fs;
use std::path::PathBuf;

use agpm_testkit::{CommandOutput, Repository, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

fn run(sandbox: &Sandbox, line: &str, code: i32) -> CommandOutput {
    let output = sandbox.run_line(line);
    assert_eq!(output.code, Some(code), "{line}\n{output}");
    output
}

fn beside(sandbox: &Sandbox, path: &str) -> PathBuf {
    sandbox.work().parent().unwrap().join(path)
}

fn config_text(sandbox: &Sandbox) -> String {
    fs::read_to_string(beside(sandbox, "config/agpm/config.toml")).unwrap()
}

fn write_config(sandbox: &Sandbox, text: &str) {
    fs::create_dir_all(beside(sandbox, "config/agpm")).unwrap();
    fs::write(beside(sandbox, "config/agpm/config.toml"), text).unwrap();
}

/// Returns the directories of copies.
fn copies(sandbox: &Sandbox) -> Vec<String> {
    let entries = fs::read_dir(beside(sandbox, "cache/agpm/git"))
        .into_iter()
        .flatten();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Two sources in the cache, the second of which the manifest no longer has.
fn with_cache() -> (Sandbox, [String; 2]) {
    let sandbox = Sandbox::new(PROGRAM);
    let urls = ["one", "two"].map(|name| {
        let mut repository = Repository::init(&sandbox, name);
        repository.commit(&[("agents/a.md", name)]);
        repository.tag("v1.0.0");
        repository.url()
    });
    for (name, url) in ["one", "two"].iter().zip(&urls).rev() {
        let agent =
            format!("a = {{ source = \"{name}\", path = \"agents/a.md\", version = \"v1.0.0\" }}");
        sandbox.write(
            "agpm.toml",
            format!("[sources]\n{name} = \"{url}\"\n[agents]\n{agent}\n"),
        );
        run(&sandbox, "agpm install", 0);
    }
    assert_eq!(copies(&sandbox).len(), 2);
    (sandbox, urls)
}

#[test]
fn the_cache_is_reported_with_its_sources() {
    let (sandbox, _) = with_cache();
    let before = sandbox.listing();
    let text = run(&sandbox, "agpm cache info", 0).stdout;
    assert!(text.starts_with("[SANDBOX]/cache/agpm/git  "), "{text}");
    let mut lines: Vec<&str> = text
        .lines()
        .skip(1)
        .map(|line| line.rsplit_once("  ").unwrap().0)
        .collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["  file://[SANDBOX]/work/one", "  file://[SANDBOX]/work/two"]
    );
    let json = run(&sandbox, "agpm cache info --json", 0).stdout;
    assert!(
        json.contains("\"url\": \"file://[SANDBOX]/work/one\""),
        "{json}"
    );
    assert!(
        json.contains("\"path\": \"[SANDBOX]/cache/agpm/git\""),
        "{json}"
    );
    assert_eq!(sandbox.listing(), before);
    let empty = Sandbox::new(PROGRAM);
    let none = empty.listing();
    assert_eq!(
        run(&empty, "agpm cache info", 0).stdout,
        "[SANDBOX]/cache/agpm/git  0 B\n"
    );
    run(&empty, "agpm cache clean --all", 0);
    assert_eq!(empty.listing(), none);
}

/// Sets the last use of every copy to this many days ago.
fn age_copies(sandbox: &Sandbox, days: u64) {
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(days * 86_400);
    for copy in copies(sandbox) {
        let directory = fs::File::open(beside(sandbox, "cache/agpm/git").join(copy)).unwrap();
        directory.set_modified(time).unwrap();
    }
}

#[test]
fn cleaning_removes_what_nobody_used_for_long_and_the_rest_still_works() {
    let (sandbox, _) = with_cache();
    assert_eq!(
        run(&sandbox, "agpm cache clean", 0).stdout,
        "Nothing to remove\n"
    );
    age_copies(&sandbox, 29);
    assert_eq!(
        run(&sandbox, "agpm cache clean", 0).stdout,
        "Nothing to remove\n"
    );
    let output = run(&sandbox, "agpm cache clean --older-than 4w --dry-run", 0);
    assert!(
        output
            .stdout
            .starts_with("would remove file://[SANDBOX]/work/two  "),
        "{output}"
    );
    assert!(output.stdout.contains("\nWould free "), "{output}");
    assert_eq!(copies(&sandbox).len(), 2);
    age_copies(&sandbox, 31);
    let json = run(&sandbox, "agpm cache clean --dry-run --json", 0).stdout;
    assert!(
        json.contains("\"dry_run\": true") && json.matches("\"bytes\"").count() == 2,
        "{json}"
    );
    let output = run(&sandbox, "agpm cache clean", 0);
    assert!(
        output
            .stdout
            .starts_with("removed file://[SANDBOX]/work/two  "),
        "{output}"
    );
    assert!(!output.stdout.contains("work/one"), "{output}");
    assert!(output.stdout.contains("\nFreed "), "{output}");
    assert_eq!(copies(&sandbox).len(), 1);
    assert_eq!(
        run(&sandbox, "agpm cache clean", 0).stdout,
        "Nothing to remove\n"
    );
    fs::remove_file(sandbox.work().join(".claude/agents/a.md")).unwrap();
    fs::rename(sandbox.work().join("one"), sandbox.work().join("gone")).unwrap();
    run(&sandbox, "agpm install --frozen --offline", 0);
    assert_eq!(sandbox.read(".claude/agents/a.md"), "one");
    run(&sandbox, "agpm cache clean --older-than soon", 2);
}

#[test]
fn copies_for_another_project_are_kept_until_it_is_gone() {
    let (sandbox, [_, two]) = with_cache();
    let agent = "a = { source = \"two\", path = \"agents/a.md\", version = \"v1.0.0\" }";
    sandbox.write(
        "other/agpm.toml",
        format!("[sources]\ntwo = \"{two}\"\n[agents]\n{agent}\n"),
    );
    run(&sandbox, "agpm install --manifest-path other/agpm.toml", 0);
    age_copies(&sandbox, 400);
    assert_eq!(
        run(&sandbox, "agpm cache clean --older-than 0d", 0).stdout,
        "Nothing to remove\n"
    );
    // Its lockfile is enough.
    sandbox.write("other/agpm.toml", "no TOML");
    assert_eq!(
        run(&sandbox, "agpm cache clean --older-than 0d", 0).stdout,
        "Nothing to remove\n"
    );
    // Neither can be read: it may need anything.
    sandbox.write("other/agpm.lock", "no TOML");
    assert_eq!(
        run(&sandbox, "agpm cache clean --older-than 0d", 0).stdout,
        "Nothing to remove\n"
    );
    fs::remove_dir_all(sandbox.work().join("other")).unwrap();
    let output = run(&sandbox, "agpm cache clean --older-than 0d", 0);
    assert!(
        output
            .stdout
            .starts_with("removed file://[SANDBOX]/work/two  "),
        "{output}"
    );
    let records = fs::read_dir(sandbox.home().join(".local/state/agpm/projects")).unwrap();
    assert_eq!(records.count(), 1);
}

#[test]
fn copies_that_the_configuration_uses_are_kept() {
    let (sandbox, [_, two]) = with_cache();
    // The manifest has another source of that name, which hides this one here but not elsewhere.
    write_config(&sandbox, &format!("[sources]\none = \"{two}\"\n"));
    age_copies(&sandbox, 400);
    assert_eq!(
        run(&sandbox, "agpm cache clean", 0).stdout,
        "Nothing to remove\n"
    );
    assert_eq!(copies(&sandbox).len(), 2);
}

#[test]
fn unusable_and_abandoned_copies_are_removed_at_any_age() {
    let (sandbox, _) = with_cache();
    let git = beside(&sandbox, "cache/agpm/git");
    let first = git.join(&copies(&sandbox)[0]);
    let unfinished = git.join("ab".repeat(32));
    fs::create_dir_all(&unfinished).unwrap();
    fs::write(unfinished.join("refs.txt"), "12345").unwrap();
    fs::create_dir_all(first.join("trees/.new-killed/agents")).unwrap();
    fs::write(first.join("trees/.new-killed/agents/a.md"), "123").unwrap();
    fs::write(first.join("objects.git/objects/pack/tmp_pack_x"), "1234").unwrap();
    fs::create_dir_all(git.join(".old-killed/folder")).unwrap();
    let output = run(&sandbox, "agpm cache clean", 0);
    let expected =
        "removed (unfinished)  5 B\nremoved files of interrupted runs  7 B\nFreed 12 B\n";
    assert_eq!(output.stdout, expected);
    assert_eq!(copies(&sandbox).len(), 2);
    assert!(!first.join("trees/.new-killed").exists());
    fs::remove_file(first.join("objects.git/HEAD")).unwrap();
    let json = run(&sandbox, "agpm cache clean --json", 0).stdout;
    assert!(json.contains("\"condition\": \"broken\""), "{json}");
    assert_eq!(copies(&sandbox).len(), 1);
}

#[test]
fn an_install_cleans_once_a_week() {
    let (sandbox, _) = with_cache();
    age_copies(&sandbox, 400);
    let stamp = sandbox.home().join(".local/state/agpm/cache-cleaned");
    let install = || {
        fs::remove_file(sandbox.work().join(".claude/agents/a.md")).unwrap();
        run(&sandbox, "agpm install", 0)
    };
    install();
    assert_eq!(copies(&sandbox).len(), 2);
    let time = std::time::SystemTime::now() - std::time::Duration::from_secs(8 * 86_400);
    fs::File::open(&stamp).unwrap().set_modified(time).unwrap();
    age_copies(&sandbox, 400);
    let output = install();
    assert!(!output.to_string().contains("removed"), "{output}");
    assert_eq!(copies(&sandbox).len(), 1);
}

#[test]
fn all_removes_everything() {
    let (sandbox, _) = with_cache();
    fs::remove_file(sandbox.work().join("agpm.toml")).unwrap();
    fs::write(beside(&sandbox, "cache/agpm/git/leftover"), "x").unwrap();
    let json = run(&sandbox, "agpm cache clean --all --json", 0).stdout;
    assert_eq!(json.matches("\"url\"").count(), 2, "{json}");
    // Other files were not created by agpm.
    assert_eq!(copies(&sandbox), ["leftover"]);
}

#[cfg(unix)]
#[test]
fn nothing_outside_of_the_cache_is_removed() {
    use std::os::unix::fs::symlink;
    let (sandbox, _) = with_cache();
    sandbox.write("precious/file", "x");
    fs::write(beside(&sandbox, "cache/agpm/other"), "x").unwrap();
    let git = beside(&sandbox, "cache/agpm/git");
    let digits = "ab".repeat(32);
    symlink(sandbox.work().join("precious"), git.join(&digits)).unwrap();
    symlink(sandbox.work().join("precious"), git.join("link")).unwrap();
    let copy = copies(&sandbox)
        .into_iter()
        .find(|name| name.len() == 64 && *name != digits)
        .unwrap();
    symlink(sandbox.work().join("precious"), git.join(copy).join("link")).unwrap();
    run(&sandbox, "agpm cache clean --all", 0);
    assert_eq!(sandbox.read("precious/file"), "x");
    assert!(beside(&sandbox, "cache/agpm/other").is_file());
    let mut left = copies(&sandbox);
    left.sort();
    assert_eq!(left, [digits, "link".to_owned()]);
    // The directory of copies itself may be a symlink.
    fs::remove_dir_all(&git).unwrap();
    fs::create_dir_all(sandbox.work().join("precious").join("cd".repeat(32))).unwrap();
    symlink(sandbox.work().join("precious"), &git).unwrap();
    run(&sandbox, "agpm cache clean --all", 0);
    assert_eq!(sandbox.read("precious/file"), "x");
    assert!(
        sandbox
            .work()
            .join("precious")
            .join("cd".repeat(32))
            .is_dir()
    );
}

#[test]
fn sources_are_added_and_removed_with_comments_kept() {
    let sandbox = Sandbox::new(PROGRAM);
    assert_eq!(
        run(&sandbox, "agpm config path", 0).stdout,
        "[SANDBOX]/config/agpm/config.toml\n"
    );
    let first = run(
        &sandbox,
        "agpm config add-source team https://example.com/team.git",
        0,
    );
    assert_eq!(
        first.stdout,
        "added source `team`: https://example.com/team.git\n"
    );
    assert_eq!(
        config_text(&sandbox),
        "[sources]\nteam = \"https://example.com/team.git\"\n"
    );
    let text = "# mine\n[sources]\n# the team's\nteam = 'https://example.com/team.git' # here\nz = \"https://z.example\"\n\n[tools]\n";
    write_config(&sandbox, text);
    run(
        &sandbox,
        "agpm config add-source a git@example.com:a.git",
        0,
    );
    let expected = text.replace(
        "z.example\"\n",
        "z.example\"\na = \"git@example.com:a.git\"\n",
    );
    assert_eq!(config_text(&sandbox), expected);
    assert_eq!(
        run(&sandbox, "agpm -q config remove-source a", 0).stdout,
        ""
    );
    assert_eq!(config_text(&sandbox), text);
    assert_eq!(run(&sandbox, "agpm config show", 0).stdout, text);
}

#[test]
fn impossible_changes_are_refused_and_nothing_is_written() {
    let sandbox = Sandbox::new(PROGRAM);
    let missing = run(&sandbox, "agpm config remove-source x", 3);
    assert!(
        missing.stderr.contains("unknown source `x`") && missing.stderr.contains("add-source"),
        "{missing}"
    );
    write_config(
        &sandbox,
        "[sources]\nteam = \"https://example.com/team.git\"\n",
    );
    let before = config_text(&sandbox);
    for (line, code, words) in [
        (
            "agpm config add-source team https://other.example",
            6,
            "`[sources]` of the configuration already contains `team`",
        ),
        ("agpm config remove-source taem", 3, "did you mean `team`?"),
        (
            "agpm config add-source x gopher://example.com",
            2,
            "unknown URL scheme",
        ),
        ("agpm config add-source x ext::sh", 2, "transport helper"),
        (
            "agpm config add-source '' https://example.com",
            2,
            "a name is one line",
        ),
    ] {
        let output = run(&sandbox, line, code);
        assert!(
            output.stderr.contains(words) && output.stderr.contains("help:"),
            "{line}\n{output}"
        );
        let json = run(&sandbox, &format!("{line} --json"), code);
        assert!(
            json.stdout.contains("\"ok\": false") && json.stderr.is_empty(),
            "{json}"
        );
        assert_eq!(config_text(&sandbox), before, "{line}");
    }
    let forced = run(
        &sandbox,
        "agpm config add-source team https://other.example/x --force",
        0,
    );
    assert_eq!(
        forced.stdout,
        "replaced source `team`: https://other.example/x\n"
    );
    write_config(&sandbox, "sources = 3\n");
    run(
        &sandbox,
        "agpm config add-source team https://other.example",
        1,
    );
    write_config(&sandbox, "[sources\n");
    assert!(
        run(&sandbox, "agpm config add-source t https://a.example", 1)
            .stderr
            .contains("toml/syntax")
    );
    assert_eq!(config_text(&sandbox), "[sources\n");
}

#[test]
fn secrets_are_kept_and_never_shown() {
    let sandbox = Sandbox::new(PROGRAM);
    let secret = "hunter2hunter2";
    let added = run(
        &sandbox,
        &format!("agpm config add-source a https://me:{secret}@example.com/a.git"),
        0,
    );
    let mut printed = added.to_string();
    assert!(config_text(&sandbox).contains(secret));
    let bad = run(
        &sandbox,
        &format!("agpm config add-source b gopher://me:{secret}@example.com"),
        2,
    );
    printed.push_str(&bad.to_string());
    let more = format!(
        "# t\nb = 'https://{secret}@example.com/b?token={secret}'\n[other]\napi_key = \"{secret}\"\n"
    );
    let text = config_text(&sandbox);
    write_config(&sandbox, &format!("{text}{more}"));
    for line in [
        "agpm config show",
        "agpm config show --json",
        "agpm config remove-source a",
    ] {
        printed.push_str(&run(&sandbox, line, 0).to_string());
    }
    assert!(!printed.contains("hunter2"), "{printed}");
    assert!(
        printed.contains("example.com/a.git") && printed.contains("[other]"),
        "{printed}"
    );
    assert!(config_text(&sandbox).contains("[other]"));
}

#[cfg(unix)]
#[test]
fn a_configuration_behind_a_link_stays_there() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("dotfiles/agpm.toml", "# mine\n");
    fs::create_dir_all(beside(&sandbox, "config/agpm")).unwrap();
    let link = beside(&sandbox, "config/agpm/config.toml");
    std::os::unix::fs::symlink(sandbox.work().join("dotfiles/agpm.toml"), &link).unwrap();
    run(
        &sandbox,
        "agpm config add-source a https://example.com/a",
        0,
    );
    assert!(link.is_symlink());
    assert!(sandbox.read("dotfiles/agpm.toml").starts_with("# mine\n"));
    assert!(sandbox.read("dotfiles/agpm.toml").contains("example.com/a"));
}

#[test]
fn a_named_configuration_is_made_with_its_directory() {
    let sandbox = Sandbox::new(PROGRAM);
    run(
        &sandbox,
        "agpm --config new/folder/c.toml config add-source a https://example.com/a",
        0,
    );
    assert_eq!(
        sandbox.read("new/folder/c.toml"),
        "[sources]\na = \"https://example.com/a\"\n"
    );
    let path = run(&sandbox, "agpm --config c.toml config path --json", 0).stdout;
    assert!(
        path.contains("\"path\": \"[SANDBOX]/work/c.toml\""),
        "{path}"
    );
}

#[test]
fn a_relative_home_is_not_a_home() {
    let (sandbox, [url, _]) = with_cache();
    let agent = "a = { source = \"one\", path = \"agents/a.md\", version = \"v1.0.0\" }";
    sandbox.write(
        "other/agpm.toml",
        format!("[sources]\none = \"{url}\"\n[agents]\n{agent}\n"),
    );
    let mut command = sandbox.command(PROGRAM);
    command
        .current_dir(sandbox.work().join("other"))
        .env("HOME", "here")
        .env_remove("USERPROFILE");
    command
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("XDG_CACHE_HOME")
        .arg("install");
    assert_eq!(sandbox.output(command).code, Some(0));
    assert!(!sandbox.work().join("other/here").exists());
    let mut command = sandbox.command(PROGRAM);
    command
        .env("HOME", "here")
        .env_remove("USERPROFILE")
        .env_remove("XDG_CONFIG_HOME")
        .args(["install", "-g"]);
    let output = sandbox.output(command);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output
            .stderr
            .contains("set `HOME` to the absolute path of your home directory"),
        "{output}"
    );
}

#[test]
fn the_default_host_is_printed_and_set() {
    let sandbox = Sandbox::new(PROGRAM);
    let host = |code: i32| run(&sandbox, "agpm config default-host", code);
    assert_eq!(host(0).stdout, "github.com\n");
    let text = "# mine\n[sources]\nteam = \"https://example.com/team.git\"\n";
    write_config(&sandbox, text);
    run(&sandbox, "agpm config default-host git.example.com", 0);
    assert_eq!(host(0).stdout, "git.example.com\n");
    let written = config_text(&sandbox);
    assert!(
        written.contains("default-host = \"git.example.com\"\n") && written.contains("# mine"),
        "{written}"
    );
    assert!(!written.contains("team.git\"\ndefault-host"), "{written}");
    let json = run(&sandbox, "agpm config default-host --json", 0).stdout;
    assert!(
        json.contains("\"default_host\": \"git.example.com\""),
        "{json}"
    );
    for bad in ["a@b", "x:", "gopher://h"] {
        run(&sandbox, &format!("agpm config default-host {bad}"), 2);
        assert_eq!(config_text(&sandbox), written);
    }
    write_config(&sandbox, "default-host = \"a b\"\n");
    assert!(
        host(1)
            .stderr
            .contains("agpm config default-host github.com")
    );
    run(&sandbox, "agpm config default-host github.com", 0);
    assert_eq!(host(0).stdout, "github.com\n");
}
