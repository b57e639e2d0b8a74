//! Policies of bases and at URLs: their order, and unreachable ones.

use agpm_testkit::{Repository, Sandbox};

use crate::{AGENT, assert_code, exists, install_with_variable, rules, sandbox, write_user_policy};

const DENY_AGENTS: &str = "[types]\ndeny = [\"agents\"]\n";
const DENY_HOOKS: &str = "[types]\ndeny = [\"hooks\"]\n";

fn project(sandbox: &Sandbox) {
    sandbox.write("a.md", AGENT);
    sandbox.write("agpm.toml", "[agents]\na = \"a.md\"\n");
}

fn policies<'s>(sandbox: &'s Sandbox, text: &str) -> Repository<'s> {
    let mut repository = Repository::init(sandbox, "policies");
    repository.commit(&[("policy.toml", text), ("strict/web.toml", DENY_AGENTS)]);
    repository.tag("v1.0.0");
    repository
}

#[test]
fn policies_apply_from_near_to_far_and_each_is_shown_with_its_file_and_line() {
    let sandbox = sandbox();
    project(&sandbox);
    write_user_policy(&sandbox, "[tools]\ndeny = [\"cursor\"]\n");
    sandbox.write("base/agpm.toml", "[policy.types]\ndeny = [\"hooks\"]\n");
    sandbox.write(
        "agpm.toml",
        "extends = \"./base\"\n[policy.types]\ndeny = [\"scripts\"]\n",
    );
    sandbox.write("policy.toml", "[types]\ndeny = [\"plugins\"]\n");
    let output = sandbox.run_line("agpm policy show --policy policy.toml --json");
    assert_code(&output, 0);
    let positions: Vec<usize> = ["cursor", "hooks", "scripts", "plugins"]
        .iter()
        .map(|value| {
            output
                .stdout
                .find(&format!("\"value\": \"{value}\""))
                .unwrap()
        })
        .collect();
    assert!(positions.is_sorted(), "{output}");
    assert!(
        output.stdout.contains("\"file\": \"base/agpm.toml\""),
        "{output}"
    );
    assert!(output.stdout.contains("\"line\": 2"), "{output}");
}

#[test]
fn the_policy_of_a_base_holds_whatever_the_project_says() {
    let sandbox = sandbox();
    project(&sandbox);
    sandbox.write("base/agpm.toml", "[policy.types]\ndeny = [\"agents\"]\n");
    for own in ["", "[policy.types]\nallow = [\"agents\"]\ndeny = []\n"] {
        sandbox.write(
            "agpm.toml",
            format!("extends = \"./base\"\n[agents]\na = \"a.md\"\n{own}"),
        );
        let output = sandbox.run_line("agpm install");
        assert_code(&output, 6);
        assert_eq!(rules(&output), ["types.deny"], "{output}");
        assert!(output.stderr.contains("base/agpm.toml:2"), "{output}");
    }
    // Neither can a base loosen what is nearer.
    sandbox.write("base/agpm.toml", "[policy.types]\nallow = [\"agents\"]\n");
    sandbox.write(
        "agpm.toml",
        "extends = \"./base\"\n[agents]\na = \"a.md\"\n",
    );
    write_user_policy(&sandbox, DENY_AGENTS);
    assert_code(&sandbox.run_line("agpm install"), 6);
}

#[test]
fn a_policy_has_a_file_or_an_url() {
    let sandbox = sandbox();
    project(&sandbox);
    let policies = policies(&sandbox, DENY_HOOKS);
    let url = policies.url();
    for (address, code) in [
        (format!("git+{url}"), 0),
        (format!("{url}@v1.0.0"), 0),
        (format!("{url}//strict/web.toml@v1.0.0"), 6),
        (format!("{url}//policy.toml"), 0),
        (
            format!("file://{}", policies.path().join("policy.toml").display()),
            0,
        ),
        ("policies/policy.toml".to_owned(), 0),
        (format!("{url}//nothing.toml"), 4),
        (format!("{url}@^9"), 4),
        ("https://u:secret@//".to_owned(), 2),
    ] {
        let output = sandbox.run_line(&format!("agpm policy check --policy {address}"));
        assert_code(&output, code);
        assert!(!output.stderr.contains("secret"), "{output}");
    }
    let output = sandbox.run_line(&format!("agpm policy show --policy {url}"));
    assert!(output.stdout.contains("//policy.toml@main:2"), "{output}");
}

#[test]
fn the_variable_takes_an_url_too() {
    let sandbox = sandbox();
    project(&sandbox);
    let policies = policies(&sandbox, DENY_AGENTS);
    let output = install_with_variable(&sandbox, &policies.url());
    assert_code(&output, 6);
    assert!(!exists(&sandbox, ".claude"));
}

#[test]
fn an_unreachable_policy_is_taken_from_the_cache_or_stops_the_run() {
    let sandbox = sandbox();
    project(&sandbox);
    let policies = policies(&sandbox, DENY_AGENTS);
    let url = policies.url();
    let check = format!("agpm install --policy {url}");
    let away = sandbox.work().join("away");
    std::fs::rename(policies.path(), &away).unwrap();
    let output = sandbox.run_line(&check);
    assert_code(&output, 4);
    assert!(output.stderr.contains("policy/unreachable"), "{output}");
    assert!(!exists(&sandbox, ".claude"));
    std::fs::rename(&away, policies.path()).unwrap();
    assert_code(&sandbox.run_line(&check), 6);
    std::fs::rename(policies.path(), &away).unwrap();
    for command in [check.clone(), format!("{check} --offline")] {
        let output = sandbox.run_line(&command);
        assert_code(&output, 6);
        assert_eq!(rules(&output), ["types.deny"], "{output}");
        assert!(output.stderr.contains("warning[policy/stale]"), "{output}");
        assert!(output.stderr.contains(" ago"), "{output}");
    }
    // A nearer policy lets a run go on without one that was never fetched.
    let other = format!("agpm install --policy {url}//other.toml");
    assert_code(&sandbox.run_line(&other), 4);
    write_user_policy(&sandbox, "on-unreachable = \"warn\"\n");
    let output = sandbox.run_line(&other);
    assert_code(&output, 0);
    assert!(
        output.stderr.contains("warning[policy/unreachable]"),
        "{output}"
    );
}

#[test]
fn a_kept_policy_that_was_tampered_with_is_not_used() {
    let sandbox = sandbox();
    project(&sandbox);
    let policies = policies(&sandbox, DENY_AGENTS);
    let check = format!("agpm install --policy {}", policies.url());
    assert_code(&sandbox.run_line(&check), 6);
    std::fs::rename(policies.path(), sandbox.work().join("away")).unwrap();
    let cache = sandbox.home().join("../cache/agpm/policies");
    let file = std::fs::read_dir(cache)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("agents", "hooks")).unwrap();
    assert_code(&sandbox.run_line(&check), 4);
}

#[test]
fn a_changed_policy_is_noticed_although_nothing_else_changed() {
    let sandbox = sandbox();
    project(&sandbox);
    let mut policies = policies(&sandbox, DENY_HOOKS);
    let install = format!("agpm install --policy {}", policies.url());
    assert_code(&sandbox.run_line(&install), 0);
    assert_code(&sandbox.run_line(&install), 0);
    policies.commit(&[("policy.toml", DENY_AGENTS)]);
    assert_code(&sandbox.run_line(&install), 6);
}

#[test]
fn a_policy_at_an_url_with_a_mistake_stops_the_run() {
    let sandbox = sandbox();
    project(&sandbox);
    let policies = policies(&sandbox, "[typos]\n");
    let output = sandbox.run_line(&format!("agpm install --policy {}", policies.url()));
    assert_code(&output, 1);
    assert!(output.stderr.contains("policy/unknown-key"), "{output}");
    assert!(output.stderr.contains("policy.toml@main:1"), "{output}");
}

#[test]
fn a_policy_that_contradicts_itself_allows_nothing() {
    let sandbox = sandbox();
    project(&sandbox);
    sandbox.write(
        "policy.toml",
        "[types]\nallow = [\"agents\"]\ndeny = [\"agents\"]\n[require]\n\"agents/a\" = \"*\"\n",
    );
    let output = sandbox.run_line("agpm install --policy policy.toml");
    assert_code(&output, 6);
    assert!(
        rules(&output).contains(&"types.deny".to_owned()),
        "{output}"
    );
}

#[test]
fn a_base_from_a_denied_source_is_refused() {
    let sandbox = sandbox();
    let mut base = Repository::init(&sandbox, "base");
    base.commit(&[("agpm.toml", "[project]\n")]);
    base.tag("v1.0.0");
    sandbox.write("agpm.toml", format!("extends = \"{}@^1\"\n", base.url()));
    sandbox.write("policy.toml", "[sources]\nallow = [\"github:corp/*\"]\n");
    let output = sandbox.run_line("agpm install --policy policy.toml");
    assert_code(&output, 6);
    assert_eq!(rules(&output), ["sources.allow"], "{output}");
    assert!(output.stderr.contains("bases/"), "{output}");
}

#[test]
fn a_pipeline_and_a_preview_fetch_the_policy_too() {
    let sandbox = sandbox();
    project(&sandbox);
    assert_code(&sandbox.run_line("agpm install"), 0);
    let policies = policies(&sandbox, DENY_AGENTS);
    for command in ["agpm ci", "agpm diff"] {
        let output = sandbox.run_line(&format!("{command} --policy {}", policies.url()));
        assert_code(&output, 6);
        assert!(output.to_string().contains("`types.deny`"), "{output}");
    }
}
