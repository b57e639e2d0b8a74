//! `doctor`: every check with and without findings; it writes nothing.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod assistant;

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use agpm_testkit::{CommandOutput, Repository, Sandbox};
use assistant::{PROGRAM, edit_lock, fails, good, sandbox};

/// Returns the output without the version of git.
fn neutral(text: &str) -> String {
    let line = |line: &str| match line.split_once("git        ") {
        Some((state, _)) => format!("{state}git        VERSION\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The state and the summary of one check.
fn check(output: &CommandOutput, name: &str) -> String {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = output.stdout.lines().map(words).collect();
    let of = |line: &&String| line.split(' ').nth(1) == Some(name);
    lines
        .iter()
        .find(of)
        .unwrap_or_else(|| panic!("no `{name}` in\n{output}"))
        .clone()
}

/// Lists every path in a directory with its size and modification time.
fn everything(directory: &Path) -> Vec<(String, u64, SystemTime)> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        let metadata = fs::metadata(&directory).unwrap();
        found.push((
            directory.display().to_string(),
            0,
            metadata.modified().unwrap(),
        ));
        for entry in fs::read_dir(&directory).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            match metadata.is_dir() {
                true => directories.push(entry.path()),
                false => {
                    found.push((
                        entry.path().display().to_string(),
                        metadata.len(),
                        metadata.modified().unwrap(),
                    ));
                }
            }
        }
    }
    found.sort();
    found
}

fn root(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.home().parent().unwrap().to_owned()
}

#[test]
fn a_good_project_is_in_order() {
    let sandbox = sandbox();
    let expected = "\
ok       git        VERSION
ok       config     no configuration
ok       manifest   1 dependency, 1 source, locked
ok       cache      SIZE
ok       layers     no layers
ok       ownership  4 files and entries as installed
skipped  lineage    no personas
skipped  catalog    no catalog

No problems found
";
    let output = neutral(&good(&sandbox, "agpm doctor --strict"));
    let size = output
        .lines()
        .find_map(|line| line.strip_prefix("ok       cache      "))
        .unwrap()
        .to_owned();
    assert!(size.starts_with("1 copy, "), "{size}");
    assert_eq!(output.replace(&size, "SIZE"), expected);
    assert_eq!(good(&sandbox, "agpm -q doctor"), "");
}

#[test]
fn without_a_manifest_the_rest_is_checked() {
    let sandbox = Sandbox::new(PROGRAM);
    let expected = "\
ok       git        VERSION
ok       config     no configuration
skipped  manifest   no manifest
ok       cache      nothing was fetched yet
skipped  layers     no manifest
skipped  ownership  no manifest
skipped  lineage    no personas
skipped  catalog    no catalog

No project found: no `agpm.toml` in this directory or its parents. Run `agpm init` to create one.
";
    assert_eq!(neutral(&good(&sandbox, "agpm doctor --strict")), expected);
    let of_user = expected.replace("no personas", "personas belong to projects");
    let of_user = of_user.replace("no catalog", "catalogs belong to projects");
    let project = "No project found: no `agpm.toml` in this directory or its parents. Run `agpm init` to create one.";
    let of_user = of_user.replace(
        project,
        "No user manifest found. Run `agpm init -g` to create one.",
    );
    assert_eq!(neutral(&good(&sandbox, "agpm doctor -g")), of_user);
    fails(
        &sandbox,
        "agpm doctor --manifest-path no.toml",
        1,
        &["error[io/not-found]", "error    manifest"],
    );
}

#[test]
fn the_report_is_one_document() {
    let sandbox = Sandbox::new(PROGRAM);
    let json = good(&sandbox, "agpm --json doctor").replace(['\n', ' '], "");
    assert!(
        json.starts_with(r#"{"ok":true,"checks":[{"name":"git","state":"ok","summary":"#),
        "{json}"
    );
    let skipped = r#"{"name":"layers","state":"skipped","summary":"nomanifest"}"#;
    assert!(
        json.contains(skipped) && json.ends_with(r#"],"diagnostics":[]}"#),
        "{json}"
    );
    sandbox.write("agpm.toml", "[agentz]\n");
    let output = fails(
        &sandbox,
        "agpm --json doctor",
        1,
        &["\"manifest/unknown-key\""],
    );
    let json = output.stdout.replace(['\n', ' '], "");
    assert!(json.starts_with(r#"{"ok":false,"checks":["#), "{json}");
    assert!(
        json.contains(r#"{"name":"manifest","state":"error","summary":"1error"}"#),
        "{json}"
    );
    assert!(json.contains(r#""file":"agpm.toml","line":1"#), "{json}");
    assert_eq!(output.stderr, "");
}

/// Runs the doctor with nothing else to be found on the search path.
#[cfg(unix)]
fn with_git(sandbox: &Sandbox, script: Option<&str>, arguments: &[&str]) -> CommandOutput {
    use std::os::unix::fs::PermissionsExt;
    let directory = root(sandbox).join("programs");
    fs::create_dir_all(&directory).unwrap();
    if let Some(script) = script {
        let git = directory.join("git");
        fs::write(&git, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut command = sandbox.command(PROGRAM);
    command
        .arg("doctor")
        .args(arguments)
        .env("PATH", &directory);
    sandbox.output(command)
}

#[cfg(unix)]
#[test]
fn git_is_an_error_only_where_it_is_needed() {
    let alone = Sandbox::new(PROGRAM);
    let output = with_git(&alone, None, &[]);
    assert_eq!(
        (output.code, check(&output, "git")),
        (Some(0), "warning git not there".to_owned())
    );
    assert!(
        output
            .stdout
            .contains("warning[source/git]: git could not be started"),
        "{output}"
    );
    assert!(output.stdout.ends_with("\n1 warning\n"), "{output}");
    let output = with_git(&alone, None, &["--strict"]);
    assert_eq!(
        (output.code, check(&output, "git")),
        (Some(1), "error git not there".to_owned())
    );
    assert!(
        output.stdout.contains("error[source/git]") && output.stdout.ends_with("\n1 error\n"),
        "{output}"
    );
    let output = with_git(&alone, Some("echo git version 2.30.1"), &[]);
    assert_eq!(
        (output.code, check(&output, "git")),
        (Some(0), "warning git 2.30.1 is too old".to_owned())
    );
    let output = with_git(&alone, Some("exit 1"), &[]);
    assert_eq!(
        (output.code, check(&output, "git")),
        (Some(0), "warning git not there".to_owned())
    );
    let needed = sandbox();
    let output = with_git(&needed, None, &[]);
    assert_eq!(
        (output.code, check(&output, "git")),
        (Some(1), "error git not there".to_owned())
    );
    assert!(
        output.stdout.contains("install git 2.34 or later"),
        "{output}"
    );
}

#[test]
fn configuration_and_own_manifest_are_read() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write(
        "~/.config/agpm/config.toml",
        "[sources]\nhub = \"https://example.com/hub.git\"\n",
    );
    sandbox.write("~/.config/agpm/agpm.toml", "[agents]\nown = \"own.md\"\n");
    let output = sandbox.run_line("agpm doctor");
    assert_eq!(
        check(&output, "config"),
        "ok config 1 source; your own manifest has 1 dependency",
        "{output}"
    );
    sandbox.write("~/.config/agpm/config.toml", "[sourcez]\n");
    sandbox.write("~/.config/agpm/agpm.toml", "[agentz]\n");
    let words = [
        "a configuration has no key `sourcez`",
        "a manifest has no key `agentz`",
    ];
    let output = fails(&sandbox, "agpm doctor", 1, &words);
    assert_eq!(check(&output, "config"), "error config 2 errors");
    sandbox.write("~/.config/agpm/config.toml", "[sources\n");
    fails(&sandbox, "agpm doctor", 1, &["error[toml/syntax]"]);
    // Every command reads the configuration, so its error is reported once.
    sandbox.write("agpm.toml", "");
    let output = fails(
        &sandbox,
        "agpm doctor",
        1,
        &["skipped  layers     the manifest has errors"],
    );
    assert_eq!(
        output.stdout.matches("error[toml/syntax]").count(),
        1,
        "{output}"
    );
    assert_eq!(check(&output, "manifest"), "error manifest 1 error");
}

#[test]
fn manifest_and_lockfile_are_compared() {
    let sandbox = sandbox();
    let manifest = sandbox.read("agpm.toml");
    sandbox.write("agpm.toml", manifest.replace("v2.0.0", "v3.0.0"));
    let output = sandbox.run_line("agpm doctor");
    assert_eq!(output.code, Some(0), "{output}");
    assert_eq!(
        check(&output, "manifest"),
        "warning manifest 1 dependency, 1 source, locked otherwise"
    );
    assert!(output.stdout.contains("warning[lock/outdated]"), "{output}");
    assert!(output.stdout.ends_with("\n1 warning\n"), "{output}");
    fails(
        &sandbox,
        "agpm doctor --strict",
        1,
        &["error[lock/outdated]"],
    );
    sandbox.write("agpm.toml", format!("[agentz]\n[nonsense]\n{manifest}"));
    let output = fails(&sandbox, "agpm doctor", 1, &["`agentz`", "`nonsense`"]);
    assert_eq!(check(&output, "manifest"), "error manifest 2 errors");
    sandbox.write("agpm.toml", manifest);
    edit_lock(&sandbox, "version = 1", "version = 7");
    let output = fails(&sandbox, "agpm doctor", 1, &["error[lock/broken]"]);
    assert_eq!(output.stdout.matches("lock/broken").count(), 1, "{output}");
    fs::remove_file(sandbox.work().join("agpm.lock")).unwrap();
    let output = sandbox.run_line("agpm doctor");
    assert_eq!(
        check(&output, "manifest"),
        "ok manifest 1 dependency, 1 source, not locked"
    );
    assert!(
        output
            .stdout
            .contains("note[lock/outdated]: no `agpm.lock`"),
        "{output}"
    );
}

#[test]
fn the_cache_is_measured() {
    let sandbox = sandbox();
    let cache = root(&sandbox).join("cache/agpm/git");
    fs::create_dir_all(cache.join("ab".repeat(32))).unwrap();
    fs::write(cache.join("stray"), "12345").unwrap();
    let output = good(&sandbox, "agpm doctor");
    assert!(
        output.contains("ok       cache      2 copies, "),
        "{output}"
    );
    assert!(
        !output.contains("the cache holds"),
        "a few bytes are no finding\n{output}"
    );
    fs::write(cache.join("stray"), vec![b'x'; 2 << 20]).unwrap();
    let output = good(&sandbox, "agpm doctor");
    assert!(
        output.contains("note[io/exists]: the cache holds 2.0 MiB that belong to no copy"),
        "{output}"
    );
    fs::remove_dir_all(&cache).unwrap();
    fs::write(&cache, "").unwrap();
    let output = fails(
        &sandbox,
        "agpm doctor",
        1,
        &["cache/agpm/git` is not a directory"],
    );
    assert_eq!(check(&output, "cache"), "error cache 1 error");
}

#[cfg(unix)]
#[test]
fn layers_are_looked_for_without_fetching() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "hub");
    repository.commit(&[(".claude/a.md", "A.\n")]);
    repository.tag("v1.0.0");
    let manifest = format!(
        "[sources]\nhub = \"{}\"\n\n[[layers]]\nname = \"hub\"\nsource = \"hub\"\nversion = \"v1.0.0\"\n\n[[layers]]\nname = \"org\"\npath = \"org\"\n",
        repository.url()
    );
    sandbox.write("agpm.toml", manifest);
    sandbox.write("org/.claude/b.md", "B.\n");
    let before = everything(&root(&sandbox));
    let output = good(&sandbox, "agpm doctor");
    assert!(
        output.contains("layers     1 of 2 layers, 1 file"),
        "{output}"
    );
    assert!(
        output.contains("note[source/offline]: the version of layer `hub` is not in the cache"),
        "{output}"
    );
    assert_eq!(everything(&root(&sandbox)), before);
    assert_eq!(sandbox.run_line("agpm install").code, Some(0));
    let before = everything(&root(&sandbox));
    let output = good(&sandbox, "agpm doctor --strict");
    assert_eq!(everything(&root(&sandbox)), before);
    assert!(output.contains("layers     2 layers, 1 file"), "{output}");
    std::os::unix::fs::symlink("/", sandbox.work().join("org/.claude/link.md")).unwrap();
    let output = sandbox.run_line("agpm doctor");
    assert_eq!(
        check(&output, "layers"),
        "warning layers 2 layers, 1 file, 1 skipped"
    );
    assert!(
        output.stdout.contains("warning[layers/skipped]"),
        "{output}"
    );
    fs::remove_dir_all(sandbox.work().join("org")).unwrap();
    let output = fails(
        &sandbox,
        "agpm doctor --strict",
        1,
        &["error[layers/missing]"],
    );
    assert_eq!(
        check(&output, "layers"),
        "error layers 1 of 2 layers, 0 files"
    );
}

#[test]
fn managed_entries_are_compared() {
    let sandbox = sandbox();
    sandbox.write(".claude/agents/assistant.md", "edited\n");
    fs::remove_file(sandbox.work().join(".claude/snippets/common.md")).unwrap();
    let words = [
        "error[verify/changed]: .claude/agents/assistant.md was modified since install (agents/assistant)",
        "error[verify/missing]: .claude/snippets/common.md is missing (snippets/common)",
        "agpm install --force",
    ];
    let output = fails(&sandbox, "agpm doctor", 1, &words);
    assert_eq!(
        check(&output, "ownership"),
        "error ownership 2 of 4 files and entries modified since install"
    );
    assert!(output.stdout.ends_with("\n2 errors\n"), "{output}");
    assert_eq!(sandbox.run_line("agpm install --force").code, Some(0));
    fs::create_dir(sandbox.work().join(".agpm/transaction")).unwrap();
    let output = sandbox.run_line("agpm doctor");
    assert_eq!(
        check(&output, "ownership"),
        "error ownership 4 files and entries as installed"
    );
    assert!(
        output
            .stdout
            .contains("error[install/recovered]: an earlier run was interrupted"),
        "{output}"
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_written_where_nothing_can_be() {
    use std::os::unix::fs::PermissionsExt;
    let sandboxes = [Sandbox::new(PROGRAM), sandbox()];
    for sandbox in &sandboxes {
        let directories =
            ["home", "config", "cache", "work", "tmp"].map(|name| root(sandbox).join(name));
        let allow = |mode| {
            directories.iter().for_each(|directory| {
                fs::set_permissions(directory, fs::Permissions::from_mode(mode)).unwrap();
            });
        };
        allow(0o555);
        let before = everything(&root(sandbox));
        for line in [
            "agpm doctor",
            "agpm doctor --strict",
            "agpm --json doctor",
            "agpm doctor -g",
        ] {
            good(sandbox, line);
        }
        assert_eq!(everything(&root(sandbox)), before);
        allow(0o755);
    }
}

#[cfg(unix)]
#[test]
fn no_connection_is_opened() {
    let sandbox = sandbox();
    let log = root(&sandbox).join("asked");
    let path = std::env::var_os("PATH").unwrap();
    let script = format!(
        "echo \"$@\" >> {}\nPATH={} exec git \"$@\"",
        log.display(),
        path.display()
    );
    let output = with_git(&sandbox, Some(&script), &["--strict"]);
    assert_eq!(output.code, Some(0), "{output}");
    let log_lines = fs::read_to_string(log).unwrap();
    let is_local = |line: &str| line == "version" || line.contains("cat-file");
    assert!(log_lines.lines().all(is_local), "{log_lines}");
}

/// Puts an executable into a package of that version, and asks the doctor with it on the path.
fn doctor_with(sandbox: &Sandbox, version: &str) -> CommandOutput {
    let package = "tools/lib/@anthropic-ai/claude-code";
    sandbox.write(
        &format!("{package}/package.json"),
        format!("{{\"version\": \"{version}\"}}"),
    );
    // It would leave a trace if it were run.
    sandbox.write(
        &format!("{package}/bin/claude"),
        "#!/bin/sh\ntouch \"$0.ran\"\n",
    );
    let link = sandbox.work().join("tools/bin/claude");
    if !link.exists() {
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(sandbox.work().join(format!("{package}/bin/claude")), &link)
            .unwrap();
    }
    let path = std::env::var("PATH").unwrap();
    let mut command = sandbox.command(PROGRAM);
    command
        .env(
            "PATH",
            format!("{}:{path}", link.parent().unwrap().display()),
        )
        .arg("doctor");
    let output = sandbox.output(command);
    assert!(
        !sandbox
            .work()
            .join(format!("{package}/bin/claude.ran"))
            .exists()
    );
    output
}

#[cfg(unix)]
#[test]
fn the_versions_of_tools_in_use_are_read_and_not_run() {
    let sandbox = sandbox();
    let old = doctor_with(&sandbox, "1.0.0");
    assert_eq!(check(&old, "tools"), "ok tools claude-code 1.0.0");
    let new = doctor_with(&sandbox, "99.1.0");
    assert!(
        check(&new, "tools").contains("claude-code 99.1.0 (newer than"),
        "{new}"
    );
    let odd = doctor_with(&sandbox, "1.0 \u{1b}[2J");
    assert!(!odd.stdout.contains("tools "), "{odd}");
}
