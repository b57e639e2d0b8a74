//! An assistant with prompts and utils, and common below utils, installed from a git repository.
#![allow(dead_code, reason = "not every test file uses all of it")]

use agpm_testkit::{CommandOutput, Repository, Sandbox};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const ASSISTANT: &str = "---\ndependencies:\n  snippets:\n    - path: snippets/prompts.md\n    - path: snippets/utils.md\n---\nHelp.\n";
const UTILS: &str =
    "---\ndependencies:\n  snippets:\n    - path: snippets/common.md\n---\nUtils.\n";

/// A project with that assistant, installed.
pub(crate) fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "community");
    repository.commit(&[
        ("agents/assistant.md", ASSISTANT),
        ("snippets/prompts.md", "Prompts.\n"),
        ("snippets/utils.md", UTILS),
        ("snippets/common.md", "Common.\n"),
    ]);
    repository.tag("v2.0.0");
    let assistant =
        r#"assistant = { source = "community", path = "agents/assistant.md", version = "v2.0.0" }"#;
    let url = repository.url();
    sandbox.write(
        "agpm.toml",
        format!("[sources]\ncommunity = \"{url}\"\n\n[agents]\n{assistant}\n"),
    );
    let output = sandbox.run_line("agpm install");
    assert_eq!(output.code, Some(0), "{output}");
    sandbox
}

/// Runs a command that must succeed without warnings, and returns its output.
pub(crate) fn good(sandbox: &Sandbox, line: &str) -> String {
    let output = sandbox.run_line(line);
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{line}\n{output}"
    );
    output.stdout
}

/// Runs a command that must end with this code and print these words.
pub(crate) fn fails(sandbox: &Sandbox, line: &str, code: i32, words: &[&str]) -> CommandOutput {
    let output = sandbox.run_line(line);
    assert_eq!(output.code, Some(code), "{line}\n{output}");
    words.iter().for_each(|word| {
        assert!(
            output.to_string().contains(word),
            "{line}: {word}\n{output}"
        )
    });
    output
}

/// The lockfile, changed by hand.
pub(crate) fn edit_lock(sandbox: &Sandbox, from: &str, to: &str) {
    let lock = sandbox.read("agpm.lock");
    assert!(lock.contains(from), "{from}\n{lock}");
    sandbox.write("agpm.lock", lock.replacen(from, to, 1));
}
