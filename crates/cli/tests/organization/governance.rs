//! Gaps that other policy engines for agent packages document, one test each: every command that installs enforces the
//! policy for everything that would be installed, and it cannot be disabled.

use agpm_testkit::{Repository, Sandbox};

use crate::{
    AGENT, assert_code, exists, install_with_variable, read, rules, sandbox, write_user_policy,
};

/// An agent that needs an MCP server of the same repository.
fn transitive_server(sandbox: &Sandbox) -> Repository<'_> {
    let mut team = Repository::init(sandbox, "team");
    team.commit(&[
        (
            "agents/a.md",
            "---\nname: a\ndependencies:\n  mcp-servers:\n    - path: ../servers/s.json\n---\nText.\n",
        ),
        (
            "servers/s.json",
            "{\"command\": \"npx\", \"args\": [\"evil\"]}\n",
        ),
    ]);
    team.tag("v1.0.0");
    sandbox.write(
        "agpm.toml",
        format!(
            "[sources]\nteam = \"{}\"\n\n[agents]\na = {{ source = \"team\", path = \"agents/a.md\", version = \"^1\" }}\n",
            team.url()
        ),
    );
    team
}

fn local_agent(sandbox: &Sandbox) {
    sandbox.write("a.md", AGENT);
    sandbox.write("agpm.toml", "[agents]\na = \"a.md\"\n");
}

#[test]
fn transitive_servers_are_governed_by_the_policy_and_not_by_a_flag() {
    let sandbox = sandbox();
    let _team = transitive_server(&sandbox);
    sandbox.write("policy.toml", "[mcp]\nallow-commands = [\"npx @corp/*\"]\n");
    for flags in ["", "--allow-executables", "--approve all"] {
        let output = sandbox.run_line(&format!("agpm install --policy policy.toml {flags}"));
        assert_code(&output, 6);
        if !flags.is_empty() {
            assert_eq!(rules(&output), ["mcp.allow-commands"], "{output}");
            assert!(output.stderr.contains("required by agents/a"), "{output}");
        }
    }
    assert!(!exists(&sandbox, ".mcp.json"));
}

#[test]
fn types_of_content_are_enforced_for_packages_and_layers() {
    let sandbox = sandbox();
    local_agent(&sandbox);
    sandbox.write("policy.toml", "[types]\nallow = [\"skills\"]\n");
    let output = sandbox.run_line("agpm install --policy policy.toml");
    assert_eq!(rules(&output), ["types.allow"], "{output}");
    sandbox.write("org/.claude/agents/x.md", AGENT);
    sandbox.write("agpm.toml", "[[layers]]\nname = \"org\"\npath = \"org\"\n");
    let output = sandbox.run_line("agpm install --policy policy.toml");
    assert_eq!(rules(&output), ["types.allow"], "{output}");
    assert!(!exists(&sandbox, ".claude/agents/x.md"));
}

#[test]
fn every_rule_is_enforced_at_install_and_not_only_by_an_audit() {
    for (policy, rule) in [
        ("[types]\ndeny = [\"agents\"]\n", "types.deny"),
        ("[tools]\nallow = [\"codex\"]\n", "tools.allow"),
        ("[permissions]\ndeny = [\"*\"]\n", "permissions.deny"),
        ("[require]\n\"skills/x\" = \"*\"\n", "require"),
    ] {
        let sandbox = sandbox();
        local_agent(&sandbox);
        sandbox.write("policy.toml", policy);
        let output = sandbox.run_line("agpm install --policy policy.toml");
        assert_code(&output, 6);
        assert_eq!(rules(&output), [rule], "{output}");
        assert!(!exists(&sandbox, ".claude"), "{rule}");
    }
}

#[test]
fn every_command_that_writes_is_judged() {
    let sandbox = sandbox();
    local_agent(&sandbox);
    assert_code(&sandbox.run_line("agpm install"), 0);
    write_user_policy(&sandbox, "[types]\ndeny = [\"agents\"]\n");
    sandbox.write("b.md", AGENT);
    for command in [
        "agpm install",
        "agpm install --frozen",
        "agpm install --locked",
        "agpm install --no-lock",
        "agpm install --force",
        "agpm update",
        "agpm add dep agent b.md",
        "agpm policy check",
        "agpm ci",
        "agpm diff",
    ] {
        let output = sandbox.run_line(command);
        assert_code(&output, 6);
    }
    assert!(!exists(&sandbox, ".claude/agents/b.md"));
}

#[test]
fn a_violation_is_never_reported_as_success() {
    let sandbox = sandbox();
    local_agent(&sandbox);
    // There is no mode in which a policy only warns.
    for text in [
        "mode = \"warn\"\n",
        "enforcement = \"warn\"\n",
        "enforcement = \"off\"\n",
    ] {
        sandbox.write(
            "policy.toml",
            format!("{text}[types]\ndeny = [\"agents\"]\n"),
        );
        let output = sandbox.run_line("agpm policy check --policy policy.toml");
        assert_code(&output, 1);
        assert!(output.stderr.contains("policy/unknown-key"), "{output}");
    }
    sandbox.write("policy.toml", "[types]\ndeny = [\"agents\"]\n");
    let output = sandbox.run_line("agpm policy check --policy policy.toml --json");
    assert_code(&output, 6);
    assert!(output.stdout.contains("\"ok\": false"), "{output}");
}

#[test]
fn an_install_takes_a_policy_as_a_file_without_any_network() {
    let sandbox = sandbox();
    local_agent(&sandbox);
    sandbox.write("policy.toml", "[types]\ndeny = [\"agents\"]\n");
    let output = sandbox.run_line("agpm install --offline --policy policy.toml");
    assert_code(&output, 6);
    let path = sandbox.work().join("policy.toml");
    let output = install_with_variable(&sandbox, &path.display().to_string());
    assert_code(&output, 6);
    // A file that is missing is not taken for a policy without rules.
    assert_code(&install_with_variable(&sandbox, "/missing/policy.toml"), 4);
}

#[test]
fn any_git_host_serves_a_policy() {
    let sandbox = sandbox();
    local_agent(&sandbox);
    let mut policies = Repository::init(&sandbox, "policies");
    policies.commit(&[("policy.toml", "[types]\ndeny = [\"agents\"]\n")]);
    let output = sandbox.run_line(&format!("agpm install --policy git+{}", policies.url()));
    assert_code(&output, 6);
    assert_eq!(rules(&output), ["types.deny"], "{output}");
}

#[test]
fn the_remote_of_a_project_does_not_decide_which_policy_applies() {
    let sandbox = sandbox();
    local_agent(&sandbox);
    write_user_policy(&sandbox, "[types]\ndeny = [\"agents\"]\n");
    let fork = Repository::init(&sandbox, ".");
    fork.git(&[
        "remote",
        "add",
        "origin",
        "https://github.com/somebody/fork",
    ]);
    assert_code(&sandbox.run_line("agpm install"), 6);
    fork.git(&["remote", "remove", "origin"]);
    assert_code(&sandbox.run_line("agpm install"), 6);
}

#[test]
fn a_dry_run_fails_where_the_run_would() {
    let sandbox = sandbox();
    let mut base = Repository::init(&sandbox, "base");
    base.commit(&[("agpm.toml", "[agents]\na = \"a.md\"\n"), ("a.md", AGENT)]);
    base.tag("v1.0.0");
    sandbox.write("agpm.toml", format!("extends = \"{}@^1\"\n", base.url()));
    assert_code(&sandbox.run_line("agpm install"), 0);
    sandbox.write("policy.toml", "[types]\ndeny = [\"agents\"]\n");
    assert_code(
        &sandbox.run_line("agpm install --dry-run --policy policy.toml"),
        6,
    );
    // A lockfile with another checksum than the base is refused in a dry run too.
    let lock = read(&sandbox, "agpm.lock");
    let at = lock.find("checksum = \"sha256:").unwrap() + "checksum = \"sha256:".len();
    let mut forged = lock.clone();
    forged.replace_range(at..at + 8, "00000000");
    sandbox.write("agpm.lock", &forged);
    for flags in [
        "--frozen --dry-run",
        "--frozen",
        "--locked --dry-run",
        "--locked",
    ] {
        let output = sandbox.run_line(&format!("agpm install {flags}"));
        assert_code(&output, 5);
    }
}

#[test]
fn no_flag_and_no_variable_switches_policies_off() {
    let sandbox = sandbox();
    local_agent(&sandbox);
    write_user_policy(&sandbox, "[types]\ndeny = [\"agents\"]\n");
    for flag in ["--no-policy", "--policy=", "--policy=off", "--policy=none"] {
        let output = sandbox.run_line(&format!("agpm install {flag}"));
        assert_ne!(output.code, Some(0), "{flag} {output}");
    }
    for value in ["", "0", "off", "/dev/null"] {
        assert_ne!(
            install_with_variable(&sandbox, value).code,
            Some(0),
            "{value}"
        );
    }
    assert!(!exists(&sandbox, ".claude"));
}

#[test]
fn a_violation_is_reported_once() {
    let sandbox = sandbox();
    let _team = transitive_server(&sandbox);
    sandbox.write("policy.toml", "[mcp]\nallow-commands = [\"uvx\"]\n");
    let output = sandbox.run_line("agpm install --allow-executables --policy policy.toml --json");
    assert_code(&output, 6);
    assert_eq!(
        output.stdout.matches("\"policy/violation\"").count(),
        1,
        "{output}"
    );
}

#[test]
fn a_check_says_how_much_it_judged_by_how_many_policies() {
    let sandbox = sandbox();
    local_agent(&sandbox);
    sandbox.write("policy.toml", "[types]\ndeny = [\"hooks\"]\n");
    let output = sandbox.run_line("agpm policy check --policy policy.toml --json");
    assert_code(&output, 0);
    assert!(output.stdout.contains("\"policies\": 1"), "{output}");
    assert!(output.stdout.contains("\"checked\": 1"), "{output}");
    let output = sandbox.run_line("agpm policy show --policy policy.toml --json");
    assert!(
        output.stdout.contains("\"file\": \"policy.toml\""),
        "{output}"
    );
}
