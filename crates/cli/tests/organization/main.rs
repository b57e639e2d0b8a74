//! Rules of an organization: bases, policies at URLs, release ages, and policies without gaps.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod addresses;
mod bases;
mod governance;
mod rule_matrix;

mod release_age;

use agpm_testkit::{CommandOutput, Repository, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const AGENT: &str = "---\nname: reviewer\ndescription: Reviews.\n---\nText.\n";

fn sandbox() -> Sandbox {
    Sandbox::new(PROGRAM)
}

/// A repository with a base and the agent that it names, at one tag.
fn base_repository<'s>(sandbox: &'s Sandbox, manifest: &str, tag: &str) -> Repository<'s> {
    let mut repository = Repository::init(sandbox, "base");
    repository.commit(&[("agpm.toml", manifest), ("agents/reviewer.md", AGENT)]);
    repository.tag(tag);
    repository
}

fn extending(repository: &Repository<'_>, requirement: &str, rest: &str) -> String {
    format!(
        "extends = \"git+{}@{requirement}\"\n{rest}",
        repository.url()
    )
}

fn assert_code(output: &CommandOutput, code: i32) {
    assert_eq!(output.code, Some(code), "{output}");
}

/// The rules that were violated, in the order of the report.
fn rules(output: &CommandOutput) -> Vec<String> {
    let rule = |line: &str| {
        let rest = line.strip_prefix("error[policy/violation]: policy `")?;
        Some(rest.split_once('`')?.0.to_owned())
    };
    output.stderr.lines().filter_map(rule).collect()
}

fn read(sandbox: &Sandbox, path: &str) -> String {
    std::fs::read_to_string(sandbox.work().join(path)).unwrap()
}

fn exists(sandbox: &Sandbox, path: &str) -> bool {
    sandbox.work().join(path).exists()
}

fn install_with_variable(sandbox: &Sandbox, policy: &str) -> CommandOutput {
    let mut command = sandbox.command(PROGRAM);
    command.arg("install").env("AGPM_POLICY", policy);
    sandbox.output(command)
}

/// The user's own policy, which applies without being named.
fn write_user_policy(sandbox: &Sandbox, text: &str) {
    let directory = sandbox.home().join("../config/agpm");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("policy.toml"), text).unwrap();
}
