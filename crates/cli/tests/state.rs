//! Projects whose `.agpm` an earlier version wrote: this version continues with them.
//!
//! Each folder in `state/` is a project after two installs: packages first, then layers too. It has files of its own, a
//! program, keys and an item of a list in files of the user's, a file that the user had before, and two transactions to
//! undo. `before` is from a version that did not adopt files.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use std::fs;
use std::path::Path;

use agpm_testkit::{CommandOutput, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const PROJECTS: [&str; 2] = ["before", "adopting"];

/// Files of the user's, as they are without anything installed.
const USERS_OWN: [(&str, &str); 3] = [
    (
        ".mcp.json",
        "{\n  // mine\n  \"mcpServers\": {\"own\": {\"command\": \"own-server\"}}\n}\n",
    ),
    (".claude/settings.json", "{\"env\": {\"MINE\": \"1\"}}\n"),
    (
        ".claude/settings.local.json",
        "{\n    /* mine */\n    \"hooks\": {\n        \"PreToolUse\": [\n            \
         {\"matcher\": \"Write\", \"hooks\": [{\"type\": \"command\", \"command\": \"mine\"}]}, // keep\n        \
         ]\n    }\n}\n",
    ),
];

const INSTALLED: [&str; 5] = [
    ".claude/agents/reviewer.md",
    ".claude/skills/pdf/SKILL.md",
    ".claude/skills/pdf/run.sh",
    "CLAUDE.md",
    "agpm.lock",
];

fn project(name: &str) -> Sandbox {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/state")
        .join(name);
    Sandbox::of_example(PROGRAM, &directory, "")
}

fn run(sandbox: &Sandbox, line: &str, code: i32) -> CommandOutput {
    let output = sandbox.run_line(line);
    assert_eq!(output.code, Some(code), "{line}\n{output}");
    output
}

/// Lists every file of the project except the lock of the state, which is created again.
fn files(sandbox: &Sandbox) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut directories = vec![sandbox.work()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if !path.ends_with(".agpm/lock") {
                let name = path.strip_prefix(sandbox.work()).unwrap();
                found.push((name.display().to_string(), fs::read(&path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

fn edit(sandbox: &Sandbox, path: &str, from: &str, to: &str) {
    let text = sandbox.read(path);
    assert!(text.contains(from), "{text}");
    sandbox.write(path, text.replacen(from, to, 1));
}

#[test]
fn an_install_of_an_earlier_version_needs_nothing() {
    for name in PROJECTS {
        let sandbox = project(name);
        let before = files(&sandbox);
        let locked = run(&sandbox, "agpm install --locked --check", 0);
        assert!(locked.stderr.contains("lock/capabilities"), "{locked}");
        let installed = run(&sandbox, "agpm install", 0).stdout;
        assert_eq!(
            installed,
            "Everything is up to date (5 resources and 2 layer files); agpm.lock written\n"
        );
        run(&sandbox, "agpm install --locked --check", 0);
        let verified = run(&sandbox, "agpm verify", 0).stdout;
        assert_eq!(verified, "9 files verified\n");
        // Ledger and lockfile note more than an earlier version did; all else stays to the byte.
        let others = |files: Vec<(String, Vec<u8>)>| -> Vec<(String, Vec<u8>)> {
            let is_other =
                |(path, _): &(String, Vec<u8>)| !path.starts_with(".agpm/") && path != "agpm.lock";
            files.into_iter().filter(is_other).collect()
        };
        assert_eq!(others(files(&sandbox)), others(before), "{name}");
    }
}

#[test]
fn transactions_of_an_earlier_version_are_undone() {
    for name in PROJECTS {
        let sandbox = project(name);
        let list = run(&sandbox, "agpm undo --list", 0).stdout;
        // Earlier versions recorded no time.
        assert!(list.starts_with("2  unknown time  "), "{list}");
        run(&sandbox, "agpm undo", 0);
        assert!(!sandbox.work().join("CLAUDE.md").exists(), "{name}");
        assert_eq!(sandbox.read(USERS_OWN[1].0), USERS_OWN[1].1, "{name}");
        assert!(sandbox.read(".mcp.json").contains("fs-server"), "{name}");
        run(&sandbox, "agpm undo", 0);
        for (path, text) in USERS_OWN {
            assert_eq!(sandbox.read(path), text, "{name} {path}");
        }
        for path in INSTALLED {
            assert!(!sandbox.work().join(path).exists(), "{name} {path}");
        }
        // The user had it before.
        assert!(sandbox.work().join(".claude/agents/planner.md").exists());
        // And forward again, to the same bytes.
        run(&sandbox, "agpm install --allow-executables", 0);
        let again = fs::read(sandbox.work().join(".mcp.json")).unwrap();
        assert_eq!(
            again,
            fs::read(project(name).work().join(".mcp.json")).unwrap()
        );
    }
}

#[test]
fn files_of_an_earlier_version_are_removed_without_a_trace() {
    for name in PROJECTS {
        let sandbox = project(name);
        sandbox.write("agpm.toml", "");
        run(&sandbox, "agpm install", 0);
        for (path, text) in USERS_OWN {
            assert_eq!(sandbox.read(path), text, "{name} {path}");
        }
        for path in &INSTALLED[..4] {
            assert!(!sandbox.work().join(path).exists(), "{name} {path}");
        }
        // A file that the user had before stays, where that is known.
        let planner = sandbox.work().join(".claude/agents/planner.md");
        assert_eq!(planner.exists(), name == "adopting", "{name}");
    }
}

#[test]
fn a_ledger_of_a_newer_version_is_neither_used_nor_lost() {
    let sandbox = project("adopting");
    edit(
        &sandbox,
        ".agpm/ledger.json",
        "\"version\": 2",
        "\"version\": 4",
    );
    let before = files(&sandbox);
    for line in ["agpm install", "agpm verify", "agpm undo"] {
        let output = run(&sandbox, line, 1);
        assert!(
            output
                .stderr
                .contains("the ledger of installed files is from a newer version of agpm"),
            "{line}\n{output}"
        );
        assert!(output.stderr.contains("help: update agpm"), "{output}");
    }
    assert!(files(&sandbox) == before);
}

#[test]
fn a_journal_of_a_newer_version_is_neither_used_nor_lost() {
    let sandbox = project("adopting");
    let journal = ".agpm/history/2/journal.json";
    edit(&sandbox, journal, "\"version\": 1", "\"version\": 2");
    let before = files(&sandbox);
    let list = run(&sandbox, "agpm undo --list", 0).stdout;
    let why = "2 (its record is invalid: it was written by a newer version of agpm)\n";
    assert!(list.starts_with(why), "{list}");
    let output = run(&sandbox, "agpm undo", 1);
    assert!(output.stderr.contains("newer version of agpm"), "{output}");
    assert!(files(&sandbox) == before);
}
