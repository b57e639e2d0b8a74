//! Every code has a page whose first example fails with that code alone, and whose second passes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agpm_diag::{CODES, Code, SERVER_CODES, SourceMap};
use agpm_testkit::{Sandbox, check_parts, run_script};
use agpm_text::{Format, Limits, parse};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// Codes whose first example is shown and not run, each with what it would take and where it is tested.
const SHOWN: &[(&str, &str)] = &[
    (
        "catalog/stale",
        "a server that stops answering: crates/ops/src/catalog/tests.rs",
    ),
    (
        "install/changed",
        "another program that writes in the middle of a run: crates/store/tests/project.rs",
    ),
    (
        "package/too-hard",
        "hundreds of files: crates/cli/tests/packages/resolve.rs",
    ),
    (
        "policy/stale",
        "a repository that goes away: crates/cli/tests/organization/addresses.rs",
    ),
    (
        "source/auth",
        "a server that refuses: crates/source/tests/git/secrets.rs",
    ),
    (
        "source/git",
        "an old git, or none: crates/source/tests/git/processes.rs",
    ),
    (
        "trust/owner",
        "files of two users: crates/cli/tests/file_owners.rs",
    ),
];

#[test]
fn every_page_is_what_its_commands_print() {
    report(
        CODES
            .iter()
            .filter_map(|code| check_parts(PROGRAM, &page_file(code), "## Passes\n").err()),
    );
}

#[test]
fn every_first_example_fails_with_its_code_and_every_second_passes() {
    report(CODES.iter().flat_map(|code| wrong_examples(code)));
}

/// Pages of the server have no commands; that they are true is tested with the server.
#[test]
fn explain_prints_the_pages_of_the_server() {
    let sandbox = Sandbox::new(PROGRAM);
    for code in SERVER_CODES {
        let printed = sandbox.run(["explain", code.name, "--full"]);
        assert_eq!(
            (printed.code, printed.stdout.as_str()),
            (Some(0), code.page),
            "{}",
            code.name
        );
    }
}

fn report(failures: impl Iterator<Item = String>) {
    let failures: Vec<String> = failures.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn page_file(code: &Code) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../diag/pages")
        .join(format!("{}.md", code.name))
}

fn wrong_examples(code: &Code) -> Vec<String> {
    let page = code.parsed();
    let (first, second) = code
        .page
        .split_once("\n## Passes\n")
        .expect("a page has two examples");
    let fails = first
        .split_once("\n## Fails\n")
        .expect("a page has two examples")
        .1;
    let own = BTreeSet::from([format!("{}[{}]", code.severity, code.name)]);
    let mut failures = Vec::new();
    for (title, text, example, expected) in [
        ("Fails", fails, &page.fails, own),
        ("Passes", second, &page.passes, BTreeSet::new()),
    ] {
        let (found, ended_well) = match example.command {
            _ if title == "Fails" && SHOWN.iter().any(|(listed, _)| *listed == code.name) => {
                (coded(text), false)
            }
            Some(_) => found_by_command(text),
            None if example.files.is_empty() => (BTreeSet::new(), false),
            None => (found_by_reading(code, &example.files), true),
        };
        if found != expected {
            failures.push(format!(
                "{} / {title}: expected {expected:?}, found {found:?}",
                code.name
            ));
        } else if title == "Passes" && !ended_well {
            failures.push(format!(
                "{} / {title}: nothing to run, or its exit code is not 0",
                code.name
            ));
        }
    }
    failures
}

/// Runs the commands of an example; returns the reported codes, and whether all commands succeeded.
fn found_by_command(text: &str) -> (BTreeSet<String>, bool) {
    let result = run_script(&Sandbox::new(PROGRAM), text);
    let ended_well = !result
        .lines()
        .any(|line| line.starts_with("[exit ") || line.starts_with("[ended by"));
    (coded(&result), ended_well)
}

/// The severities and codes in what was printed.
fn coded(text: &str) -> BTreeSet<String> {
    let coded = text.lines().filter_map(|line| {
        let (head, _) = line.split_once("]: ")?;
        let is_header = ["error[", "warning[", "note["]
            .iter()
            .any(|start| head.starts_with(start));
        is_header.then(|| format!("{head}]"))
    });
    coded.collect()
}

/// Returns the codes for files that no command reads yet.
fn found_by_reading(code: &Code, files: &[(&str, &str)]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, content) in files {
        let format = Format::of_file(name).expect("files of examples have a known format");
        let source = SourceMap::default().add(*name, *content);
        let parsed = parse(source, *content, format, limits(code));
        found.extend(
            parsed
                .diagnostics
                .iter()
                .map(|d| format!("{}[{}]", d.severity, d.code.name)),
        );
    }
    found
}

/// A page cannot hold a file of a gibibyte, so the page of that limit uses a smaller one.
fn limits(code: &Code) -> Limits {
    let bytes = if code.name == "text/too-large" {
        16
    } else {
        Limits::default().bytes
    };
    Limits {
        bytes,
        ..Limits::default()
    }
}
