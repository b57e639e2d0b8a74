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
    sandbox.write(
        "~/.bot-bottle/bottles/dev.md",
        "---\nextends: base\nworkdir: /work\n---\n",
    );
    sandbox.write(
        "~/.bot-bottle/agents/me.md",
        "---\nbottle: dev\n---\nDo it.\n",
    );
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
fn every_command_reports_every_mistake() {
    let sandbox = sandbox();
    sandbox.write(
        "~/.bot-bottle/bottles/bad.md",
        "---\nextends: bad\nimgae: x\n---\n",
    );
    sandbox.write("~/.bot-bottle/bottles/torn.md", "---\nimage: x\n");
    sandbox.write(".bot-bottle/agents/lost.md", "---\nbottle: deb\n---\n");
    let codes = [
        "bottle/extends",
        "bottle/unknown-key",
        "markdown/fence",
        "bottle/unknown-bottle",
    ];
    let lines = ["list", "show dev", "agent me", "check"].map(|what| format!("agpm bottle {what}"));
    for line in lines
        .into_iter()
        .chain(["agpm explain bottle:dev".to_owned()])
    {
        let output = sandbox.run_line(&line);
        let stderr = if line.ends_with("check") {
            &output.stdout
        } else {
            &output.stderr
        };
        assert!(
            codes
                .iter()
                .all(|code| stderr.contains(&format!("error[{code}]"))),
            "{line}\n{output}"
        );
        assert_eq!(
            stderr.matches("error[").count(),
            codes.len(),
            "{line}\n{output}"
        );
        let json = sandbox.run_line(&format!("{line} --json"));
        assert!(
            codes.iter().all(|code| json.stdout.contains(code)),
            "{line}\n{json}"
        );
        assert!(
            json.stdout.starts_with("{\n  \"ok\": false,") && json.stderr.is_empty(),
            "{line}\n{json}"
        );
    }
}

fn shows(output: &CommandOutput) -> bool {
    format!("{output}").contains(SECRET)
}

#[test]
fn secrets_are_shown_to_programs_and_to_those_who_ask() {
    let sandbox = sandbox();
    for line in [
        "bottle show base",
        "bottle show dev",
        "bottle show base --raw",
        "bottle agent me",
    ] {
        for (flags, expected) in [
            ("", false),
            ("--format yaml", false),
            ("--json", true),
            ("--format json", true),
            ("--show-secrets", true),
            ("--format yaml --show-secrets", true),
        ] {
            let output = sandbox.run_line(&format!("agpm {line} {flags}"));
            assert_eq!(
                (output.code, shows(&output)),
                (Some(0), expected),
                "{line} {flags}\n{output}"
            );
        }
    }
    for line in [
        "explain bottle:dev",
        "explain bottle:dev /env/API_TOKEN",
        "explain bottle:dev --json",
    ] {
        for (flags, expected) in [("", false), ("--show-secrets", true)] {
            let output = sandbox.run_line(&format!("agpm {line} {flags}"));
            assert_eq!(
                (output.code, shows(&output)),
                (Some(0), expected),
                "{line} {flags}\n{output}"
            );
        }
    }
    for line in [
        "bottle list",
        "bottle list --json",
        "bottle check",
        "bottle check --json",
    ] {
        assert!(!shows(&sandbox.run_line(&format!("agpm {line}"))), "{line}");
    }
}

#[test]
fn secrets_are_masked_where_mistakes_are_drawn() {
    let sandbox = sandbox();
    for front in [
        "env: {API_TOKEN: [SECRET]}",
        "env:\n  API_TOKEN:SECRET",
        "env: API_TOKEN:SECRET",
        "env: 'API_TOKEN=SECRET FOO=bar'",
        "env: [--api-key=SECRET]",
        "env: 'Authorization: Bearer SECRET'",
        "API_TOKEN=SECRET: x",
        "env: {DB_PASSWORD: 'it''s SECRET', A: 1}",
        "env: {HEADER: Bearer SECRET, A: 1}",
        "env: {DB_PASS: SECRET, A: 1}",
        "env: {SESSION_COOKIE: SECRET, A: 1}",
    ] {
        let front = front.replace("SECRET", SECRET);
        sandbox.write(
            "~/.bot-bottle/bottles/base.md",
            format!("---\n{front}\n---\n"),
        );
        for line in [
            "bottle check",
            "bottle check --json",
            "bottle list",
            "explain bottle:dev",
            "bottle show dev --json",
        ] {
            let output = sandbox.run_line(&format!("agpm {line}"));
            assert_eq!(
                (output.code, shows(&output)),
                (Some(1), false),
                "{front} {line}\n{output}"
            );
        }
    }
    sandbox.write(
        "m.json",
        format!(r#"{{"bottles": {{"b": {{"env": {{"API_TOKEN": {SECRET}}}}}}}}}"#),
    );
    for line in [
        "bottle check --json-file m.json",
        "bottle check --json --json-file m.json",
    ] {
        let output = sandbox.run_line(&format!("agpm {line}"));
        assert_eq!(
            (output.code, shows(&output)),
            (Some(1), false),
            "{line}\n{output}"
        );
    }
    assert!(shows(&sandbox.run_line("agpm bottle check --show-secrets")));
}

#[test]
fn a_variable_that_a_route_sends_is_a_secret_whatever_its_name() {
    let sandbox = sandbox();
    let base = format!("---\nenv:\n  WHO: {SECRET}-old\n  PLAIN: seen\n---\n");
    let routes = "egress:\n  routes:\n    - host: h\n      auth: {type: bearer, env: WHO}\n    - host: i\n      auth: {type: bearer, env: REF}\n";
    sandbox.write("~/.bot-bottle/bottles/base.md", base);
    let dev = format!("---\nextends: base\nenv:\n  WHO: {SECRET}\n  REF: $REF\n{routes}---\n");
    sandbox.write("~/.bot-bottle/bottles/dev.md", dev);
    sandbox.write(
        "~/.bot-bottle/bottles/other.md",
        format!("---\nextends: dev\nenv:\n  WHO: {SECRET}\n---\n"),
    );
    for (line, program) in [
        ("bottle show dev", true),
        ("bottle show dev --raw", true),
        ("bottle show other --raw", true),
        ("bottle agent me", true),
        ("explain bottle:dev", false),
        ("explain bottle:other /env/WHO", false),
    ] {
        for (flags, expected) in [("", false), ("--json", program), ("--show-secrets", true)] {
            let output = sandbox.run_line(&format!("agpm {line} {flags}"));
            assert_eq!(
                (output.code, shows(&output)),
                (Some(0), expected),
                "{line} {flags}\n{output}"
            );
        }
    }
    let output = sandbox.run_line("agpm bottle show dev");
    assert!(
        output.stdout.contains("PLAIN: seen") && output.stdout.contains("REF: $REF"),
        "{output}"
    );
}

#[cfg(unix)]
#[test]
fn an_agent_that_leads_out_of_the_project_is_refused() {
    let sandbox = sandbox();
    sandbox.write(".bot-bottle/agents/plain.md", "---\nbottle: dev\n---\n");
    sandbox.write("~/notes.md", "---\nbottle: dev\n---\nPrivate.\n");
    let link = sandbox.work().join(".bot-bottle/agents/out.md");
    std::os::unix::fs::symlink(sandbox.home().join("notes.md"), link).unwrap();
    for (line, code) in [
        ("bottle list", 6),
        ("bottle show dev", 6),
        ("bottle agent me", 6),
        ("explain bottle:dev", 6),
        ("bottle check", 1),
    ] {
        let output = sandbox.run_line(&format!("agpm {line}"));
        assert_eq!(output.code, Some(code), "{line}\n{output}");
        assert!(
            format!("{output}").contains("error[resource/escape]"),
            "{line}\n{output}"
        );
    }
}

#[cfg(unix)]
#[test]
fn names_of_files_cannot_move_the_cursor() {
    let sandbox = sandbox();
    sandbox.write(
        "~/.bot-bottle/bottles/a\u{1b}[2J\nb.md",
        "---\nimgae: x\n---\n",
    );
    sandbox.write("~/.bot-bottle/bottles/empty\u{1b}[2J.md", "");
    let output = sandbox.run_line("agpm bottle check");
    assert!(!output.stdout.contains('\u{1b}'), "{output}");
    assert!(
        output.stdout.contains(r"bottles/a\u{1b}[2J\nb.md"),
        "{output}"
    );
    assert!(
        output.stdout.contains(r"bottles/empty\u{1b}[2J.md"),
        "{output}"
    );
}

#[test]
fn names_of_another_command_are_sent_to_it() {
    let sandbox = sandbox();
    for (line, help) in [
        (
            "agpm bottle show me",
            "it is an agent: `agpm bottle agent me` shows it",
        ),
        (
            "agpm explain bottle:me",
            "it is an agent: `agpm bottle agent me` shows it",
        ),
        (
            "agpm bottle agent dev",
            "it is a bottle: `agpm bottle show dev` shows it",
        ),
    ] {
        let output = sandbox.run_line(line);
        assert_eq!(output.code, Some(3), "{output}");
        assert!(output.stderr.contains(help), "{output}");
    }
}

#[test]
fn a_list_of_nothing_says_so() {
    let sandbox = Sandbox::new(PROGRAM);
    let loud = sandbox.run_line("agpm bottle list");
    assert_eq!(loud.stdout, "");
    assert_eq!(
        loud.stderr,
        "No bottles or bottle agents in `~/.bot-bottle` and `.bot-bottle`.\n"
    );
    let quiet = sandbox.run_line("agpm bottle list -q");
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}

#[test]
fn known_keys_of_hosts_are_not_secrets() {
    let sandbox = sandbox();
    let bottle = "---\ngit:\n  remotes:\n    h:\n      url: u\n      known_host_key: ssh-ed25519 AAAAC3\n---\n";
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
        command
            .env_remove("HOME")
            .env_remove("USERPROFILE")
            .args(words);
        sandbox.output(command)
    };
    let output = run(&["bottle", "list"]);
    assert_eq!(output.code, Some(1), "{output}");
    assert!(
        output.stderr.contains("it is not known where your home is"),
        "{output}"
    );
    assert!(output.stderr.contains("--json-file"), "{output}");
    let output = run(&["bottle", "show", "one", "--json-file", "m.json"]);
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (Some(0), "image: i\n"),
        "{output}"
    );
}

#[test]
fn a_file_is_read_instead_of_all_directories() {
    let sandbox = sandbox();
    sandbox.write("~/bot-bottle.json", "{}");
    sandbox.write(".bot-bottle/bottles/x.md", "");
    sandbox.write("other/m.json", r#"{"bottles": {"one": {"image": "i"}}}"#);
    let output = sandbox.run_line("agpm bottle list --json-file other/m.json");
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (Some(0), ""),
        "{output}"
    );
    assert!(
        output.stdout.contains("one") && !output.stdout.contains("dev"),
        "{output}"
    );
    sandbox.write("latin.json", b"{\"bottles\": \"\xe9\"}");
    let output = sandbox.run_line("agpm bottle check --json-file latin.json");
    assert!(
        output.code == Some(1) && output.stderr.contains("text/encoding"),
        "{output}"
    );
}

#[test]
fn a_note_does_not_get_in_the_way_of_a_value() {
    let sandbox = sandbox();
    sandbox.write(".bot-bottle/bottles/dev.md", "---\nimage: evil\n---\n");
    let output = sandbox.run_line("agpm bottle show dev --json");
    assert!(
        output.stdout.starts_with("{\n  \"image\": \"debian:13\","),
        "{output}"
    );
    assert!(
        output.stderr.contains("note[bottle/ignored-folder]"),
        "{output}"
    );
    assert_eq!(
        sandbox.run_line("agpm bottle show dev --json -q").stderr,
        ""
    );
}

#[test]
fn messages_for_an_agent_are_shown_unchanged() {
    let sandbox = sandbox();
    let prompt = "Never print API_TOKEN=abc, and no \u{1b}[31m either.";
    sandbox.write(
        "~/.bot-bottle/agents/me.md",
        format!("---\nbottle: dev\n---\n{prompt}\n"),
    );
    let output = sandbox.run_line("agpm bottle agent me");
    assert!(output.stdout.contains("API_TOKEN=abc"), "{output}");
    assert!(!output.stdout.contains('\u{1b}'), "{output}");
}

#[test]
fn findings_in_a_file_of_many_name_the_bottle() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write(
        "b.json",
        r#"{"bottles": {"dev": {"imag": "x"}, "prod": {"extends": "nope"}}, "agents": {"a": {"bottle": "devv"}}}"#,
    );
    let output = sandbox.run_line("agpm bottle check --json-file b.json");
    for unit in ["in `bottles/dev`", "in `bottles/prod`", "in `agents/a`"] {
        assert_eq!(output.stdout.matches(unit).count(), 1, "{unit}\n{output}");
    }
    let json = sandbox.run_line("agpm --json bottle check --json-file b.json");
    assert!(json.stdout.contains("\"unit\": \"bottles/dev\""), "{json}");
}
