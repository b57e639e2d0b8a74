//! Files of other users have no effect. Only root can change owners, so for other users these tests do nothing.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::print_stderr
)]

use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};

use agpm_testkit::{CommandOutput, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const STRANGER: u32 = 4242;
const OTHER: u32 = 4343;

/// Changes the owner of a file or of a directory with its contents; `false` without permission.
fn give(path: &Path, user: u32) -> bool {
    let is_changed = chown(path, Some(user), None).is_ok();
    if path.is_dir() && !path.is_symlink() {
        for entry in std::fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
    is_changed
}

/// A sandbox, unless files cannot be given away.
fn world() -> Option<Sandbox> {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("probe", "");
    if !give(&sandbox.work().join("probe"), STRANGER) {
        eprintln!("skipped: only root can give files to other users");
        return None;
    }
    Some(sandbox)
}

fn run_in(sandbox: &Sandbox, directory: &str, line: &str) -> CommandOutput {
    let mut command = sandbox.command(PROGRAM);
    command
        .current_dir(sandbox.work().join(directory))
        .args(line.split_whitespace());
    sandbox.output(command)
}

fn at(sandbox: &Sandbox, path: &str) -> PathBuf {
    sandbox.work().join(path)
}

#[test]
fn a_manifest_of_a_stranger_above_is_not_used() {
    let Some(sandbox) = world() else { return };
    sandbox.write("shared/agpm.toml", "[agents]\na = \"a.md\"\n");
    sandbox.write("shared/a.md", "A.\n");
    std::fs::create_dir_all(at(&sandbox, "shared/mine")).unwrap();
    assert!(give(&at(&sandbox, "shared/agpm.toml"), STRANGER));
    let output = run_in(&sandbox, "shared/mine", "install");
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output
            .stderr
            .contains("belongs to another user and is ignored"),
        "{output}"
    );
    assert!(!at(&sandbox, "shared/.claude").exists() && !at(&sandbox, "shared/.agpm").exists());
    // Commands that work without a manifest report it too.
    sandbox.write("shared/mine/x.json", "{}");
    let output = run_in(&sandbox, "shared/mine", "merge x.json");
    assert!(output.stderr.contains("warning[trust/owner]"), "{output}");
    // A named manifest is trusted, and one in the working directory is used.
    let named = run_in(
        &sandbox,
        "shared/mine",
        "install --manifest-path ../agpm.toml",
    );
    assert_eq!(named.code, Some(0), "{named}");
    assert_eq!(run_in(&sandbox, "shared", "validate").code, Some(0));
}

#[test]
fn a_manifest_further_up_is_found_over_that_of_a_stranger() {
    let Some(sandbox) = world() else { return };
    sandbox.write("top/agpm.toml", "[agents]\na = \"a.md\"\n");
    sandbox.write("top/a.md", "A.\n");
    sandbox.write("top/middle/agpm.toml", "[agents]\nevil = \"evil.md\"\n");
    std::fs::create_dir_all(at(&sandbox, "top/middle/low")).unwrap();
    assert!(give(&at(&sandbox, "top/middle/agpm.toml"), STRANGER));
    let output = run_in(&sandbox, "top/middle/low", "install");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(output.stderr.contains("trust/owner"), "{output}");
    assert!(at(&sandbox, "top/.claude/agents/a.md").exists());
}

#[test]
fn root_works_on_the_files_of_another_user() {
    let Some(sandbox) = world() else { return };
    sandbox.write("project/agpm.toml", "[agents]\na = \"a.md\"\n");
    sandbox.write("project/a.md", "A.\n");
    std::fs::create_dir_all(at(&sandbox, "project/sub")).unwrap();
    assert!(give(&at(&sandbox, "project"), STRANGER));
    for line in ["install", "install", "verify", "install --check", "undo"] {
        let output = run_in(&sandbox, "project/sub", line);
        assert_eq!(output.code, Some(0), "{line}: {output}");
        assert!(
            !output.to_string().contains("trust/owner"),
            "{line}: {output}"
        );
    }
}

#[test]
fn state_of_a_stranger_is_ignored() {
    let Some(sandbox) = world() else { return };
    sandbox.write("project/agpm.toml", "[agents]\na = \"a.md\"\n");
    sandbox.write("project/a.md", "A.\n");
    assert!(give(&at(&sandbox, "project"), OTHER));
    assert_eq!(run_in(&sandbox, "project", "install").code, Some(0));
    // The ledger would declare a file of the user managed and no longer required.
    sandbox.write("project/src/auth.rs", "fn main() {}\n");
    let ledger = sandbox.read("project/.agpm/ledger.json");
    let ledger = ledger.replace(".claude/agents/a.md", "src/auth.rs");
    let own = at(&sandbox, "project/.claude/agents/a.md");
    let sum = |path: &Path| agpm_model::Checksum::of(&std::fs::read(path).unwrap()).to_string();
    let ledger = ledger.replace(&sum(&own), &sum(&at(&sandbox, "project/src/auth.rs")));
    sandbox.write("project/.agpm/ledger.json", &ledger);
    sandbox.write("project/agpm.toml", "[agents]\n");
    assert!(give(&at(&sandbox, "project/.agpm"), STRANGER));
    for line in ["install --dry-run", "install"] {
        let output = run_in(&sandbox, "project", line);
        assert_eq!(output.code, Some(0), "{line}: {output}");
        assert!(
            output.stderr.contains("`.agpm` belongs to another user"),
            "{line}: {output}"
        );
        assert!(
            at(&sandbox, "project/src/auth.rs").exists(),
            "{line}: {output}"
        );
    }
    let undone = run_in(&sandbox, "project", "undo");
    assert!(undone.to_string().contains("undo/nothing"), "{undone}");
    // The same ledger in a state that is trusted shows that it would have been followed.
    assert!(give(&at(&sandbox, "project/.agpm"), OTHER));
    sandbox.write("project/.agpm/ledger.json", &ledger);
    let followed = run_in(&sandbox, "project", "install --dry-run");
    assert!(followed.stdout.contains("src/auth.rs"), "{followed}");
}

#[test]
fn a_journal_of_a_stranger_is_not_carried_out() {
    let Some(sandbox) = world() else { return };
    sandbox.write("project/agpm.toml", "[agents]\na = \"a.md\"\n");
    sandbox.write("project/a.md", "A.\n");
    std::fs::create_dir_all(at(&sandbox, "project/.agpm/transaction/new")).unwrap();
    std::fs::create_dir_all(at(&sandbox, "project/.agpm/transaction/old")).unwrap();
    sandbox.write(
        "project/.agpm/transaction/journal.json",
        "{ this is not a journal",
    );
    let before = run_in(&sandbox, "project", "install");
    assert_ne!(
        before.code,
        Some(0),
        "a journal of one's own is read: {before}"
    );
    assert!(give(&at(&sandbox, "project/.agpm"), STRANGER));
    let output = run_in(&sandbox, "project", "install");
    assert_eq!(output.code, Some(0), "{output}");
    assert!(at(&sandbox, "project/.claude/agents/a.md").exists());
}

#[test]
fn personas_and_catalogs_of_a_stranger_above_are_not_used() {
    let Some(sandbox) = world() else { return };
    std::fs::create_dir_all(at(&sandbox, "shared/.git")).unwrap();
    std::fs::create_dir_all(at(&sandbox, "shared/mine")).unwrap();
    sandbox.write(
        "shared/.clia/agents/ada/ada@x.agent.triad.json",
        "{\"tags\": [\"evil\"]}",
    );
    sandbox.write(
        "shared/bmad/_cfg/agent-manifest.csv",
        "name,module,path\nevil,core,bmad/core/agents/evil.md\n",
    );
    sandbox.write("shared/bmad/core/agents/evil.md", "Evil.\n");
    for (user, is_used) in [(0, true), (STRANGER, false)] {
        assert!(
            give(&at(&sandbox, "shared/.clia"), user) && give(&at(&sandbox, "shared/bmad"), user)
        );
        let persona = run_in(&sandbox, "shared/mine", "profile ada");
        assert_eq!(persona.stdout.contains("evil"), is_used, "{persona}");
        assert_eq!(
            persona.stderr.contains("trust/owner"),
            !is_used,
            "{persona}"
        );
        let catalog = run_in(&sandbox, "shared/mine", "catalog agents");
        assert_eq!(catalog.stdout.contains("evil"), is_used, "{catalog}");
    }
}
