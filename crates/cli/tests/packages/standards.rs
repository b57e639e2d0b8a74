//! The suites of Agent Plugins and the reference validator of Agent Skills, if this machine has them. `CONTRIBUTING.md`
//! names the variables.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use agpm_text::Value;

use crate::support::{Project, json};

/// A path from the environment; without it, the test is skipped.
#[allow(clippy::print_stderr)]
fn path_in(variable: &str) -> Option<OsString> {
    let path = std::env::var_os(variable);
    if path.is_none() {
        eprintln!("skipped: {variable} is not set");
    }
    path
}

fn directories_in(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    paths.sort();
    paths
}

fn strings(value: Option<&Value>) -> BTreeSet<String> {
    let items = match value {
        Some(Value::List(items)) => items.as_slice(),
        _ => &[],
    };
    let texts = items.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// The names of entries of a type in the lockfile's list of parts.
fn parts_of(lock: &str, kind: &str) -> BTreeSet<String> {
    let line = lock.lines().find(|line| line.starts_with("parts = "));
    let texts = line.unwrap_or_default().split('"');
    let start = format!("{kind}/");
    texts
        .filter_map(|text| text.strip_prefix(&start))
        .map(str::to_owned)
        .collect()
}

/// Installs a plugin; gives its skills and servers, or `None` if it is rejected.
fn installed(plugin: &Path) -> Option<(BTreeSet<String>, BTreeSet<String>, String)> {
    let project = Project::new();
    let plugin = plugin.to_str().unwrap().replace('\\', "/");
    project.sandbox.write(
        "project/agpm.toml",
        format!("[plugins]\nkit = \"{plugin}\"\n"),
    );
    let output = project.run("install");
    let is_empty = output.stderr.contains("plugin/no-parts");
    if output.code != Some(0) && !is_empty {
        return None;
    }
    let lock = if is_empty {
        String::new()
    } else {
        project.read("agpm.lock")
    };
    let (skills, servers) = (parts_of(&lock, "skills"), parts_of(&lock, "mcp-servers"));
    Some((skills, servers, output.stderr))
}

/// Cases of the crate `agent-plugins`: a plugin next to an `expected.json`.
#[test]
fn the_cases_of_agent_plugins_have_the_expected_results() {
    let Some(directory) = path_in("AGPM_PLUGIN_CASES") else {
        return;
    };
    let mut count = 0;
    for case in directories_in(Path::new(&directory)) {
        let Ok(expected) = std::fs::read_to_string(case.join("expected.json")) else {
            continue;
        };
        count += 1;
        let expected = json(&expected);
        let found = installed(&case.join("plugin"));
        let name = case.display();
        if expected.get("outcome").and_then(Value::as_str) == Some("rejected") {
            assert!(found.is_none(), "{name} is installed");
            continue;
        }
        let (skills, servers, messages) = found.unwrap_or_else(|| panic!("{name} is rejected"));
        assert_eq!(skills, strings(expected.get("skills")), "{name}");
        assert_eq!(servers, strings(expected.get("servers")), "{name}");
        // Every problem is reported, each with its reason.
        let problems = match expected.get("diagnostics") {
            Some(Value::List(items)) => items.len(),
            _ => 0,
        };
        let reported = messages.matches("warning[plugin/").count();
        assert_eq!(reported, problems, "{name}\n{messages}");
    }
    assert!(count > 0, "no case in {}", directory.display());
}

/// Plugins of the repository `agentplugins/agent-plugins-conformance`, by the names of their directories.
#[test]
fn the_plugins_of_the_conformance_suite_are_read_as_it_says() {
    let Some(directory) = path_in("AGPM_PLUGIN_SUITE") else {
        return;
    };
    let core = [
        "command-token-posix",
        "command-token-windows",
        "data",
        "default",
        "http",
        "http-redirect",
        "relative",
        "root",
        "sse",
        "sse-endpoint-origin",
        "sse-header-precedence",
        "sse-redirect",
    ];
    let cases: [(&str, &[&str], &[&str]); 3] = [
        (
            "core",
            &["conformance-alpha", "conformance-beta", "conformance-guide"],
            &core,
        ),
        ("invalid-mcp", &["conformance-invalid-mcp-valid"], &[]),
        (
            "recovery",
            &["conformance-recovery-valid"],
            &["recovery-valid"],
        ),
    ];
    let names = |names: &[&str]| -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    };
    for (name, skills, servers) in cases {
        let plugin = format!("plugins/agent-plugins-conformance-{name}");
        let found = installed(&Path::new(&directory).join(plugin));
        let (own_skills, own_servers, _) = found.unwrap_or_else(|| panic!("{name} is rejected"));
        assert_eq!(own_skills, names(skills), "{name}");
        // A link that the suite creates before it runs decides about this server.
        let own_servers: BTreeSet<String> = own_servers
            .into_iter()
            .filter(|server| !server.ends_with("symlink-escape"))
            .collect();
        assert_eq!(own_servers, names(servers), "{name}");
    }
}

/// All skills under a directory, and whether the reference validator accepts them.
#[test]
fn skills_that_the_reference_validator_rejects_have_a_warning() {
    let Some((validator, directory)) = path_in("AGPM_SKILLS_REF").zip(path_in("AGPM_SKILLS"))
    else {
        return;
    };
    let mut open = vec![PathBuf::from(&directory)];
    let mut count = 0;
    while let Some(next) = open.pop() {
        open.extend(directories_in(&next));
        if !next.join("SKILL.md").is_file() {
            continue;
        }
        count += 1;
        let mut command = Command::new(&validator);
        let is_valid = command
            .arg("validate")
            .arg(&next)
            .output()
            .unwrap()
            .status
            .success();
        let project = Project::new();
        let path = next.to_str().unwrap().replace('\\', "/");
        let manifest = format!("[skills]\nskill = \"{path}\"\n");
        project.sandbox.write("project/agpm.toml", manifest);
        let output = project.run("validate --strict");
        assert_eq!(output.code == Some(0), is_valid, "{path}\n{output}");
    }
    assert!(count > 0, "no skill in {}", directory.display());
}
