//! Bottles on the command line: exit codes, secrets, streams, and that nothing is written.
#![allow(clippy::unwrap_used, clippy::panic)]

use agpm_testkit::{CommandOutput, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const SECRET: &str = "hunter2-hunter2";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    let base = format!(
        "---\nimage: debian:13\nenv:\n  API_TOKEN: {SECRET}\n  REMOTE: https://me:{SECRET}@example.com/x\n---\n"
    );
    sandbox.write("~/.bot-bottle/bottles/base.md", base);
    sandbox.write("~/.bot-bottle/bottles/dev.md", "---\nextends: base\nworkdir: /work\n---\n");
    sandbox.write("~/.bot-bottle/agents/me.md", "---\nbottle: dev\n---\nDo it.\n");
    sandbox
}

#[test]
fn exit_codes_are_as_documented() {
    let good = sandbox();
    let bad = sandbox();
    bad.write("~/.bot-bottle/bottles/bad.md", "---\nextends: bad\n---\n");
    bad.write("~/.bot-bottle/agents/lost.md", "---\nbottle: deb\n---\n");
    for (line, when_good, when_bad) in [
        ("agpm bottle list", 0, 1),
        ("agpm bottle show dev", 0, 1),
        ("agpm bottle show dev --raw", 0, 1),
        ("agpm bottle agent me", 0, 1),
        ("agpm bottle check", 0, 1),
        ("agpm explain bottle:dev", 0, 1),
        ("agpm explain bottle:dev /image", 0, 1),
        ("agpm bottle show dve", 3, 1),
        ("agpm bottle agent dev", 3, 1),
        ("agpm explain bottle:me", 3, 1),
        ("agpm explain bottle:dev /nothing", 3, 1),
        ("agpm explain bottle:dev image", 2, 2),
        ("agpm bottle", 2, 2),
        ("agpm bottle show", 2, 2),
        ("agpm bottle show dev --format toml", 2, 2),
        ("agpm bottle show dev --json --format yaml", 2, 2),
        ("agpm explain file:x --json-file y.json", 2, 2),
        ("agpm explain json/syntax --show-secrets", 2, 2),
        ("agpm bottle list --json-file none.json", 1, 1),
    ] {
        for (sandbox, expected) in [(&good, when_good), (&bad, when_bad)] {
            let before = sandbox.listing();
            let output = sandbox.run_line(line);
            assert_eq!(output.code, Some(expected), "{line}\n{output}");
            assert_eq!(sandbox.listing(), before, "{line} writes");
        }
    }
}

#[test]
fn every_command_tells_every_mistake() {
    let sandbox = sandbox();
    sandbox.write("~/.bot-bottle/bottles/bad.md", "---\nextends: bad\nimgae: x\n---\n");
    sandbox.write("~/.bot-bottle/bottles/torn.md", "---\nimage: x\n");
    sandbox.write(".bot-bottle/agents/lost.md", "---\nbottle: deb\n---\n");
    let codes = ["bottle/extends", "bottle/unknown-key", "markdown/fence", "bottle/unknown-bottle"];
    let lines = ["list", "show dev", "agent me", "check"].map(|what| format!("agpm bottle {what}"));
    for line in lines.into_iter().chain(["agpm explain bottle:dev".to_owned()]) {
        let output = sandbox.run_line(&line);
        let told = if line.ends_with("check") { &output.stdout } else { &output.stderr };
        assert!(codes.iter().all(|code| told.contains(&format!("error[{code}]"))), "{line}\n{output}");
        assert_eq!(told.matches("error[").count(), codes.len(), "{line}\n{output}");
        let json = sandbox.run_line(&format!("{line} --json"));
        assert!(codes.iter().all(|code| json.stdout.contains(code)), "{line}\n{json}");
        assert!(json.stdout.starts_with("{\n  \"ok\": false,") && json.stderr.is_empty(), "{line}\n{json}");
    }
}

fn shows(output: &CommandOutput) -> bool {
    format!("{output}").contains(SECRET)
}

#[test]
fn secrets_are_shown_to_programs_and_to_those_who_ask() {
    let sandbox = sandbox();
    for line in ["bottle show base", "bottle show dev", "bottle show base --raw", "bottle agent me"] {
        for (flags, expected) in [
            ("", false),
            ("--format yaml", false),
            ("--json", true),
            ("--format json", true),
            ("--show-secrets", true),
            ("--format yaml --show-secrets", true),
        ] {
            let output = sandbox.run_line(&format!("agpm {line} {flags}"));
            assert_eq!((output.code, shows(&output)), (Some(0), expected), "{line} {flags}\n{output}");
        }
    }
    for line in ["explain bottle:dev", "explain bottle:dev /env/API_TOKEN", "explain bottle:dev --json"] {
        for (flags, expected) in [("", false), ("--show-secrets", true)] {
            let output = sandbox.run_line(&format!("agpm {line} {flags}"));
            assert_eq!((output.code, shows(&output)), (Some(0), expected), "{line} {flags}\n{output}");
        }
    }
    for line in ["bottle list", "bottle list --json", "bottle check", "bottle check --json"] {
        assert!(!shows(&sandbox.run_line(&format!("agpm {line}"))), "{line}");
    }
}

#[test]
fn secrets_are_masked_where_mistakes_are_drawn() {
    let sandbox = sandbox();
    sandbox.write("~/.bot-bottle/bottles/base.md", format!("---\nenv: {{API_TOKEN: [{SECRET}]}}\n---\n"));
    for line in
        ["bottle check", "bottle check --json", "bottle list", "explain bottle:dev", "bottle show dev --json"]
    {
        let output = sandbox.run_line(&format!("agpm {line}"));
        assert_eq!((output.code, shows(&output)), (Some(1), false), "{line}\n{output}");
    }
    assert!(shows(&sandbox.run_line("agpm bottle check --show-secrets")));
}

#[test]
fn known_keys_of_hosts_are_no_secrets() {
    let sandbox = sandbox();
    let bottle =
        "---\ngit:\n  remotes:\n    h:\n      url: u\n      known_host_key: ssh-ed25519 AAAAC3\n---\n";
    sandbox.write("~/.bot-bottle/bottles/base.md", bottle);
    for line in ["agpm bottle show base", "agpm explain bottle:base"] {
        let output = sandbox.run_line(line);
        assert!(output.stdout.contains("AAAAC3"), "{output}");
    }
}

#[test]
fn without_a_home_there_must_be_a_file() {
    let sandbox = sandbox();
    sandbox.write("m.json", r#"{"bottles": {"one": {"image": "i"}}}"#);
    let run = |words: &[&str]| {
        let mut command = sandbox.command(PROGRAM);
        command.env_remove("HOME").env_remove("USERPROFILE").args(words);
        sandbox.output(command)
    };
    let output = run(&["bottle", "list"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(output.stderr.contains("it is not known where your home is"), "{output}");
    assert!(output.stderr.contains("--json-file"), "{output}");
    let output = run(&["bottle", "show", "one", "--json-file", "m.json"]);
    assert_eq!((output.code, output.stdout.as_str()), (Some(0), "image: i\n"), "{output}");
}

#[test]
fn a_file_is_read_instead_of_all_folders() {
    let sandbox = sandbox();
    sandbox.write("~/bot-bottle.json", "{}");
    sandbox.write(".bot-bottle/bottles/x.md", "");
    sandbox.write("other/m.json", r#"{"bottles": {"one": {"image": "i"}}}"#);
    let output = sandbox.run_line("agpm bottle list --json-file other/m.json");
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output}");
    assert!(output.stdout.contains("one") && !output.stdout.contains("dev"), "{output}");
    sandbox.write("latin.json", b"{\"bottles\": \"\xe9\"}");
    let output = sandbox.run_line("agpm bottle check --json-file latin.json");
    assert!(output.code == Some(1) && output.stderr.contains("text/encoding"), "{output}");
}

#[test]
fn a_note_does_not_get_in_the_way_of_a_value() {
    let sandbox = sandbox();
    sandbox.write(".bot-bottle/bottles/dev.md", "---\nimage: evil\n---\n");
    let output = sandbox.run_line("agpm bottle show dev --json");
    assert!(output.stdout.starts_with("{\n  \"image\": \"debian:13\","), "{output}");
    assert!(output.stderr.contains("note[bottle/ignored-folder]"), "{output}");
    assert_eq!(sandbox.run_line("agpm bottle show dev --json -q").stderr, "");
}

#[test]
fn what_is_told_to_an_agent_is_shown_as_it_is() {
    let sandbox = sandbox();
    let prompt = "Never print API_TOKEN=abc, and no \u{1b}[31m either.";
    sandbox.write("~/.bot-bottle/agents/me.md", format!("---\nbottle: dev\n---\n{prompt}\n"));
    let output = sandbox.run_line("agpm bottle agent me");
    assert!(output.stdout.contains("API_TOKEN=abc"), "{output}");
    assert!(!output.stdout.contains('\u{1b}'), "{output}");
}
