//! Layers of the user manifest, which are installed into home.

use agpm_testkit::{CommandOutput, Sandbox};

use crate::project::PROGRAM;
use crate::support::json;

/// The layers `org` and `me` in a manifest of the user's own.
fn user() -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("org/.claude/settings.json", "{\"a\": 1}\n");
    sandbox.write("org/.claude/CLAUDE.md", "org\n");
    sandbox.write("me/.claude/settings.json", "{\"b\": 2}\n");
    let work = sandbox.work().display().to_string();
    let layer = |name: &str| format!("[[layers]]\nname = \"{name}\"\npath = \"{work}/{name}\"\n");
    sandbox.write(
        "../config/agpm/agpm.toml",
        format!("{}{}", layer("org"), layer("me")),
    );
    sandbox
}

fn run(sandbox: &Sandbox, line: &str, code: i32) -> CommandOutput {
    let output = sandbox.run_line(&format!("agpm {line}"));
    assert_eq!(output.code, Some(code), "{line}\n{output}");
    output
}

fn settings(sandbox: &Sandbox) -> String {
    json(&std::fs::read_to_string(sandbox.home().join(".claude/settings.json")).unwrap()).to_json()
}

#[test]
fn layers_of_the_users_own_manifest_land_in_home() {
    let sandbox = user();
    sandbox.write("../home/.claude/settings.json", "{\"mine\": 0}\n");
    let before = sandbox.work();
    run(&sandbox, "install -g", 0);
    assert_eq!(
        settings(&sandbox),
        json("{\"mine\": 0, \"a\": 1, \"b\": 2}").to_json()
    );
    assert_eq!(
        std::fs::read_to_string(sandbox.home().join(".claude/CLAUDE.md")).unwrap(),
        "org\n"
    );
    assert!(!before.join(".claude").exists() && !before.join("agpm.lock").exists());
    run(&sandbox, "install -g --check", 0);
    run(&sandbox, "verify -g", 0);
    let output = run(&sandbox, "layers -g", 0);
    assert!(
        output.stdout.contains("org") && output.stdout.contains("me"),
        "{output}"
    );
    let output = run(&sandbox, "explain -g file:.claude/settings.json /b", 0);
    assert!(output.stdout.contains("from me ("), "{output}");
    run(&sandbox, "undo -g", 0);
    assert_eq!(settings(&sandbox), json("{\"mine\": 0}").to_json());
}

#[test]
fn a_clash_in_home_is_refused() {
    let sandbox = user();
    sandbox.write("../home/.claude/settings.json", "{\"a\": 7}\n");
    let output = run(&sandbox, "install -g", 6);
    assert!(
        output.stderr.contains("install/unmanaged") && output.stderr.contains("/a"),
        "{output}"
    );
    assert!(!sandbox.home().join(".claude/CLAUDE.md").exists());
    assert_eq!(settings(&sandbox), json("{\"a\": 7}").to_json());
}
