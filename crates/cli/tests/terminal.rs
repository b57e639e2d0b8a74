//! Nothing in a file can control a terminal or hide text there.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use agpm_testkit::{CommandOutput, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// Characters that must not reach a terminal as they are.
const ACTING: [char; 6] = ['\u{1b}', '\r', '\u{7}', '\u{9b}', '\u{202e}', '\u{200b}'];

fn clean(output: &CommandOutput, what: &str) {
    for c in ACTING {
        let found = output.stdout.contains(c) || output.stderr.contains(c);
        assert!(
            !found,
            "{what} prints {}:\n{:?}\n{:?}",
            c.escape_default(),
            output.stdout,
            output.stderr
        );
    }
}

#[test]
fn keys_are_shown_with_every_character() {
    let sandbox = Sandbox::new(PROGRAM);
    let text = r#"{"a\u001b[2K\r\nb\u009b\u202e\u001b]0;x\u0007": "v\u001b\u202e", "deep": {"\u200b": 1}}"#;
    sandbox.write("a.json", text);
    sandbox.write("b.json", text);
    let output = sandbox.run(["merge", "a.json", "b.json", "--explain"]);
    clean(&output, "merge --explain");
    assert!(
        output.stdout.contains(r"/a\u{1b}[2K\r\nb\u{9b}\u{202e}"),
        "{output}"
    );
    clean(
        &sandbox.run(["explain", "file:a.json", "--from", "a.json", "b.json"]),
        "explain",
    );
}

#[test]
fn quoted_lines_of_files_hold_nothing_that_acts() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write(
        "agpm.toml",
        "[agents]\na = \"a.md\" # \u{9b}31m \u{202e} \u{200b}\nnope\u{9b} x\n",
    );
    for line in [&["validate"][..], &["doctor"], &["install"]] {
        let output = sandbox.run(line);
        clean(&output, line[0]);
        assert!(output.to_string().contains("agpm.toml"), "{output}");
    }
    sandbox.write("a.json", "{\"a\": 1, \"b\": \"\u{9b}\u{202e}\", }}");
    clean(&sandbox.run(["merge", "a.json"]), "merge");
}

#[test]
fn personas_bottles_and_strategies_hold_nothing_that_acts() {
    let sandbox = Sandbox::new(PROGRAM);
    std::fs::create_dir(sandbox.work().join(".git")).unwrap();
    let persona = r#"{"title": "t\u202e\u009b\u200b", "tags": ["\u202ex"]}"#;
    sandbox.write(".clia/agents/ada/ada@x.agent.triad.json", persona);
    let page = sandbox.run(["profile", "ada", "--format", "md"]);
    assert_eq!(page.code, Some(0), "{page}");
    clean(&page, "profile --format md");
    let yaml = sandbox.run(["profile", "ada", "--format", "yaml"]);
    assert!(
        yaml.stdout.contains(r#""\u202ex""#) && !yaml.stdout.contains('\u{202e}'),
        "{yaml}"
    );
    sandbox.write(
        "agpm.toml",
        "[strategies.\"x\\u202e\"]\nunset = [\"/a\\u001b\\u202e\"]\n",
    );
    let strategies = sandbox.run(["strategies"]);
    assert_eq!(strategies.code, Some(0), "{strategies}");
    clean(&strategies, "strategies");
}

#[test]
fn yaml_with_escapes_says_the_same() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("a.json", r#"{"k\u202e": "v\u2066", "zwj": "👩‍💻"}"#);
    let yaml = sandbox.run(["merge", "a.json", "--format", "yaml"]);
    assert!(
        !yaml.stdout.contains('\u{202e}') && yaml.stdout.contains("👩‍💻"),
        "{yaml}"
    );
    sandbox.write("b.yaml", &yaml.stdout);
    let back = sandbox.run(["merge", "b.yaml", "--format", "json"]);
    let first = sandbox.run(["merge", "a.json", "--format", "json"]);
    assert_eq!(back.stdout, first.stdout);
}

#[test]
fn hidden_characters_in_names_of_files_are_refused() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("a.md", "A.\n");
    for (key, value) in [
        ("filename", "b\\u202e.md"),
        ("filename", "b\\u200b.md"),
        ("target", "x\\u2066"),
    ] {
        sandbox.write(
            "agpm.toml",
            format!("[agents]\na = {{ path = \"a.md\", {key} = \"{value}\" }}\n"),
        );
        let output = sandbox.run(["validate"]);
        assert_eq!(output.code, Some(1), "{key} {value}: {output}");
        assert!(
            output.to_string().contains("invisible character U+20"),
            "{key}: {output}"
        );
        clean(&output, "validate");
    }
}
