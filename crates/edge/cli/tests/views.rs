//! `list`, `tree`, `why` and `verify`: what they show of a project that was installed for real.
#![allow(clippy::unwrap_used, clippy::panic)]

use agpm_testkit::{CommandOutput, Repository, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const ASSISTANT: &str = "---\ndependencies:\n  snippets:\n    - path: snippets/prompts.md\n    - path: snippets/utils.md\n---\nHelp.\n";
const UTILS: &str = "---\ndependencies:\n  snippets:\n    - path: snippets/common.md\n---\nUtils.\n";

/// The seed's assistant with prompts and utils, and common below utils.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "community");
    repository.commit(&[
        ("agents/assistant.md", ASSISTANT),
        ("snippets/prompts.md", "Prompts.\n"),
        ("snippets/utils.md", UTILS),
        ("snippets/common.md", "Common.\n"),
    ]);
    repository.tag("v2.0.0");
    manifest(&sandbox, "");
    let url = repository.url();
    sandbox.write("agpm.toml", sandbox.read("agpm.toml").replace("URL", &url));
    let output = sandbox.run_line("agpm install");
    assert_eq!(output.code, Some(0), "{output}");
    sandbox
}

fn manifest(sandbox: &Sandbox, more: &str) {
    let text = "[sources]\ncommunity = \"URL\"\n\n[agents]\nassistant = { source = \"community\", path = \"agents/assistant.md\", version = \"v2.0.0\" }\n";
    sandbox.write("agpm.toml", format!("{text}{more}"));
}

fn good(sandbox: &Sandbox, line: &str) -> String {
    let output = sandbox.run_line(line);
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{line}\n{output}");
    output.stdout
}

fn fails(sandbox: &Sandbox, line: &str, code: i32, words: &[&str]) -> CommandOutput {
    let output = sandbox.run_line(line);
    assert_eq!(output.code, Some(code), "{line}\n{output}");
    words.iter().for_each(|word| assert!(output.to_string().contains(word), "{line}: {word}\n{output}"));
    output
}

#[test]
fn probe() {
    let sandbox = sandbox();
    for line in [
        "agpm list",
        "agpm list --json",
        "agpm list --format yaml --type agent",
        "agpm tree",
        "agpm tree --json",
        "agpm tree --invert",
        "agpm tree --format mermaid",
        "agpm tree --format dot --depth 1",
        "agpm why common",
        "agpm why .agpm/snippets/common.md",
        "agpm why common --json",
        "agpm verify",
        "agpm verify --json",
        "agpm undo --list",
        "agpm cache info",
        "agpm cache clean",
        "agpm config path",
        "agpm config show",
        "agpm list --type agnt",
        "agpm tree comon",
        "agpm list --source x",
    ] {
        println!("$ {line}\n{}", sandbox.run_line(line));
    }
    println!("{}", sandbox.read("agpm.lock"));
    panic!();
}
