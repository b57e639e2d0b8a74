//! `verify`: every difference between a file and its installed content.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

mod assistant;

use assistant::{edit_lock, fails, good, sandbox};

#[test]
fn verify_finds_every_drift_and_writes_nothing() {
    let sandbox = sandbox();
    assert_eq!(good(&sandbox, "agpm verify"), "4 files verified\n");
    assert_eq!(good(&sandbox, "agpm -q verify"), "");
    let at = |path: &str| sandbox.work().join(".claude").join(path);
    sandbox.write(".claude/agents/assistant.md", "edited\n");
    std::fs::remove_file(at("snippets/common.md")).unwrap();
    std::fs::remove_file(at("snippets/utils.md")).unwrap();
    std::fs::create_dir(at("snippets/utils.md")).unwrap();
    let before = sandbox.listing();
    let expected = "\
error[verify/changed]: .claude/agents/assistant.md was modified since install (agents/assistant): modified (based on 2.0.0)
error[verify/missing]: .claude/snippets/common.md is missing (snippets/common)
error[verify/changed]: .claude/snippets/utils.md is a directory now (snippets/utils)
";
    let output = sandbox.run_line("agpm verify");
    assert_eq!(
        output.stdout,
        format!("{expected}3 of 4 files modified since install\n")
    );
    assert_eq!((output.code, output.stderr.as_str()), (Some(1), ""));
    assert_eq!(sandbox.run_line("agpm -q verify").stdout, expected);
    let json = fails(
        &sandbox,
        "agpm verify --json",
        1,
        &["\"checked\": 4", "\"code\": \"verify/missing\""],
    )
    .stdout;
    let squeezed = json.replace(['\n', ' '], "");
    assert!(squeezed.starts_with("{\"ok\":false,\"checked\":4,\"findings\":[{\"code\":\"verify/changed\",\"path\":\".claude/agents/assistant.md\",\"resource\":\"agents/assistant\",\"id\":\"agents/assistant\""), "{json}");
    assert_eq!(sandbox.listing(), before);
}

#[cfg(unix)]
#[test]
fn verify_sees_modes_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = sandbox();
    let at = |path: &str| sandbox.work().join(".claude").join(path);
    std::fs::set_permissions(
        at("agents/assistant.md"),
        std::fs::Permissions::from_mode(0o755),
    )
    .unwrap();
    std::fs::rename(at("snippets/utils.md"), at("snippets/same.md")).unwrap();
    symlink(at("snippets/same.md"), at("snippets/utils.md")).unwrap();
    let expected = "\
error[verify/changed]: .claude/agents/assistant.md has another file mode (agents/assistant)
error[verify/changed]: .claude/snippets/utils.md is a symlink now (snippets/utils)
2 of 4 files modified since install
";
    assert_eq!(fails(&sandbox, "agpm verify", 1, &[]).stdout, expected);
}

#[test]
fn verify_compares_lock_and_ledger_and_sees_a_run_that_was_stopped() {
    let sandbox = sandbox();
    edit_lock(
        &sandbox,
        ".claude/snippets/prompts.md",
        ".claude/snippets/new.md",
    );
    let expected = "\
error[verify/missing]: .claude/snippets/new.md is locked but was never installed (snippets/prompts)
error[verify/changed]: .claude/snippets/prompts.md is installed but not in `agpm.lock` (snippets/prompts)
2 of 5 files modified since install
";
    assert_eq!(fails(&sandbox, "agpm verify", 1, &[]).stdout, expected);
    sandbox.write(".claude/snippets/new.md", "Somebody's.\n");
    fails(
        &sandbox,
        "agpm verify",
        1,
        &["new.md differs from the lockfile"],
    );
    let note = "note[lock/outdated]: the manifest, `agpm.lock` or the configuration changed";
    fails(&sandbox, "agpm verify", 1, &[note, "agpm install --check"]);
    std::fs::create_dir(sandbox.work().join(".agpm/transaction")).unwrap();
    fails(
        &sandbox,
        "agpm verify",
        1,
        &[
            "error[install/recovered]: an earlier run was interrupted",
            "agpm install",
        ],
    );
}
