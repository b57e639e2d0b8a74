//! Help, manual pages and completions, and their examples.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use std::process::Command;

use agpm_cli::EXAMPLES;
use agpm_testkit::{Repository, Sandbox, check_in_parallel};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// The project of `agpm demo`, with what the examples name besides.
fn demo() -> Sandbox {
    let sandbox = Sandbox::standing_in(PROGRAM, "project");
    let demo = sandbox.run_line("agpm demo .");
    assert_eq!(demo.code, Some(0), "{demo}");
    let mut skills = Repository::init(&sandbox, "../hosted/anthropics/skills");
    skills.commit(&[(
        "skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: Reads PDF files\n---\nRead it.\n",
    )]);
    let hosted = sandbox.work().join("../hosted");
    let host = format!("file://{}", hosted.canonicalize().unwrap().display());
    for arguments in [
        vec!["config", "default-host", &host],
        vec!["config", "add-source", "unused", "./library.git"],
        vec!["add", "source", "unused", "./library.git"],
    ] {
        let output = sandbox.run(&arguments);
        assert_eq!(output.code, Some(0), "{output}");
    }
    sandbox.write("skills-lock.json", r#"{"version": 1, "skills": {}}"#);
    for name in ["base.lock", "other.lock"] {
        sandbox.write(name, "version = 1\n");
    }
    sandbox
}

/// The same project with an edit that a new version does not merge with.
fn demo_in_conflict() -> Sandbox {
    let sandbox = demo();
    let reviewer = "---\nname: reviewer\n---\nMine.\n";
    sandbox.write(".claude/agents/reviewer.md", reviewer);
    let update = sandbox.run_line("agpm update --approve agents/reviewer");
    assert_eq!(update.code, Some(1), "{update}");
    sandbox
}

/// Commands whose examples change the project, so each needs a separate one.
const CHANGING: [&str; 15] = [
    "publish", "add", "remove", "install", "update", "resolve", "undo", "import", "config",
    "cache", "man", "init", "demo", "lock", "patch",
];

#[test]
fn every_example_runs() {
    check_in_parallel(EXAMPLES, |commands| {
        let shared = demo();
        for command in commands {
            let first_word = command.command.split(' ').next().unwrap();
            for line in command.lines {
                let own = CHANGING.contains(&first_word).then(|| match first_word {
                    "init" | "demo" => Sandbox::new(PROGRAM),
                    "resolve" => demo_in_conflict(),
                    _ => demo(),
                });
                let output = own.as_ref().unwrap_or(&shared).run_line(line);
                // That somebody can do something is an answer too.
                let is_answer = first_word == "can" && output.code == Some(1);
                assert!(output.code == Some(0) || is_answer, "{line}\n{output}");
            }
        }
    });
}

#[test]
fn help_of_a_command_is_the_same_by_all_three_ways() {
    let sandbox = Sandbox::new(PROGRAM);
    for command in ["add", "add source", "cache clean", "explain"] {
        let flag = sandbox.run_line(&format!("agpm {command} --help"));
        assert_eq!(flag.code, Some(0), "{flag}");
        assert_eq!(sandbox.run_line(&format!("agpm {command} -h")), flag);
        assert_eq!(sandbox.run_line(&format!("agpm help {command}")), flag);
        assert!(flag.stdout.contains("\nExamples:\n  agpm "), "{flag}");
    }
    let all = sandbox.run_line("agpm help --all");
    assert!(all.stdout.contains("--manifest-path"), "{all}");
}

#[test]
fn a_manual_page_has_its_sections() {
    let sandbox = Sandbox::new(PROGRAM);
    for (line, title) in [
        ("agpm man", ".TH agpm 1"),
        ("agpm man install", ".TH agpm-install 1"),
        ("agpm man cache clean", ".TH agpm-cache-clean 1"),
    ] {
        let page = sandbox.run_line(line);
        assert_eq!(page.code, Some(0), "{page}");
        assert!(page.stdout.contains(title), "{page}");
        for section in [
            "NAME",
            "SYNOPSIS",
            "\"EXIT STATUS\"",
            "FILES",
            "ENVIRONMENT",
        ] {
            let heading = format!(".SH {section}\n");
            assert!(page.stdout.contains(&heading), "{line}: {section}\n{page}");
        }
    }
    let page = sandbox.run_line("agpm man install").stdout;
    assert!(page.contains(".SH EXAMPLES\n.nf\nagpm install\n"), "{page}");
    let synopsis = ".SH SYNOPSIS\nagpm install [OPTIONS]\n";
    assert!(page.contains(synopsis), "{page}");
    let unknown = sandbox.run_line("agpm man instal");
    assert_eq!(unknown.code, Some(3), "{unknown}");
    assert!(
        unknown.stderr.contains("did you mean `install`?"),
        "{unknown}"
    );
}

#[test]
fn all_pages_are_written_into_a_directory() {
    let sandbox = Sandbox::new(PROGRAM);
    let written = sandbox.run_line("agpm man --dir pages");
    assert_eq!(written.code, Some(0), "{written}");
    for page in [
        "agpm.1",
        "agpm-add.1",
        "agpm-add-source.1",
        "agpm-serve-mcp.1",
    ] {
        assert!(
            sandbox.read(&format!("pages/{page}")).contains(".SH NAME"),
            "{page}"
        );
    }
}

fn completions(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    let output = sandbox.run(["complete", "--"].iter().chain(words));
    assert_eq!(output.code, Some(0), "{output}");
    let lines = output.stdout.lines();
    lines
        .map(|line| line.split('\t').next().unwrap().to_owned())
        .collect()
}

#[test]
fn names_of_the_project_are_completed() {
    let sandbox = demo();
    for (words, expected) in [
        (&["rem"][..], "remove"),
        (&["remove", ""], "agents/reviewer"),
        (&["remove", "skills/"], "skills/notes"),
        (&["remove", "source", ""], "library"),
        (&["list", "--source", "l"], "library"),
        (&["list", "--format", ""], "yaml"),
        (&["list", "--ty"], "--type"),
        (&["list", "--js"], "--json"),
        (&["why", "layers/"], "layers/org"),
        (&["explain", "manifest/unknown-k"], "manifest/unknown-key"),
        (&["explain", "--blame", "agents/r"], "agents/reviewer"),
        (&["cache", "cl"], "clean"),
        (&["schema", "output/li"], "output/list"),
        (&["add", "--tool", "cl"], "claude-code"),
    ] {
        let found = completions(&sandbox, words);
        assert!(
            found.iter().any(|word| word == expected),
            "{words:?}: {found:?}"
        );
    }
    assert_eq!(
        completions(&sandbox, &["remove", "zzz"]),
        Vec::<String>::new()
    );
    let nowhere = Sandbox::new(PROGRAM);
    assert_eq!(
        completions(&nowhere, &["remove", "a"]),
        Vec::<String>::new()
    );
}

#[test]
fn bash_completes_with_the_script() {
    let sandbox = demo();
    let bash = std::path::Path::new("/bin/bash");
    if !bash.exists() {
        eprintln!("skipped: there is no bash here");
        return;
    }
    sandbox.write(
        "agpm.bash",
        sandbox.run_line("agpm completions bash").stdout,
    );
    let bin = std::path::Path::new(PROGRAM).parent().unwrap();
    for (line, expected) in [
        ("agpm rem", "remove"),
        ("agpm remove agents/", "agents/reviewer"),
        ("agpm explain agent:", ""),
        ("agpm list --source li", "library"),
    ] {
        let script = format!(
            "source ./agpm.bash; COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; \
             read -r -a COMP_WORDS <<< \"$COMP_LINE\"; COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); \
             _agpm; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let mut command: Command = sandbox.command(bash);
        command.env("PATH", path).args(["-c", &script]);
        let output = sandbox.output(command);
        assert_eq!(output.code, Some(0), "{line}\n{output}");
        assert!(
            output.stdout.lines().any(|found| found == expected),
            "{line}\n{output}"
        );
    }
}
