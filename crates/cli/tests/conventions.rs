//! Conventions of every command: streams, exit codes, JSON, colors, and no writes while reading.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::collections::BTreeMap;
use std::io::Read;
use std::process::Stdio;

use agpm_testkit::{CommandOutput, Sandbox, parse_json};
use agpm_text::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const ESCAPE: char = '\u{1b}';

/// Three files that merge, one of them with a warning, and one that does not parse.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write(
        "org.json",
        "{\"model\": \"sonnet\", \"allow\": [\"Read\"]}\n",
    );
    sandbox.write("team.json", "{\"model\": \"opus\"}\n");
    sandbox.write("list.json", "{\"model\": [\"opus\"]}\n");
    sandbox.write("broken.json", "{\"model\": }\n");
    sandbox
}

fn assert_failure(output: &CommandOutput, code: &str) {
    let value = parse_json(&output.stdout);
    assert_eq!(value.get("ok"), Some(&Value::Bool(false)), "{output}");
    let Some(Value::List(diagnostics)) = value.get("diagnostics") else {
        panic!("{output}")
    };
    assert_eq!(
        diagnostics[0].get("code").and_then(Value::as_str),
        Some(code),
        "{output}"
    );
    assert!(diagnostics[0].get("help").is_some(), "{output}");
}

#[test]
fn exit_codes_are_as_documented() {
    for (line, expected) in [
        ("agpm merge org.json team.json", 0),
        ("agpm merge org.json list.json", 0),
        ("agpm --help", 0),
        ("agpm merge --help", 0),
        ("agpm --version", 0),
        ("agpm explain json/syntax", 0),
        ("agpm doctor", 0),
        ("agpm schema", 0),
        ("agpm merge broken.json", 1),
        ("agpm merge missing.json", 1),
        ("agpm merge org.json team.json --rule /model=forbid", 1),
        ("agpm", 2),
        ("agpm merge", 2),
        ("agpm merge --no-such-flag", 2),
        ("agpm no-such-command", 2),
        ("agpm merge org.json --layer-names a,b", 2),
        ("agpm merge org.json --rule /model=no-such-operation", 2),
        ("agpm explain file:org.json no-pointer", 2),
        ("agpm merge org.json --strategy no-such-strategy", 3),
        ("agpm explain no/such-code", 3),
        ("agpm explain file:missing.json", 3),
        ("agpm explain file:org.json /missing", 3),
        ("agpm strategies no-such-strategy", 3),
        ("agpm bottle list", 0),
        ("agpm bottle show no-such-bottle", 3),
        ("agpm explain bottle:no-such-bottle", 3),
        ("agpm demo .", 6),
    ] {
        let output = sandbox().run_line(line);
        assert_eq!(output.code, Some(expected), "{line}\n{output}");
        assert_eq!(
            output.stderr.is_empty(),
            expected == 0 && !line.contains("list"),
            "{line}\n{output}"
        );
    }
}

#[test]
fn a_file_outside_of_the_project_is_refused() {
    let sandbox = sandbox();
    sandbox.write(
        "project/agpm.toml",
        "[[layers]]\nname = \"org\"\npath = \"org\"\n",
    );
    let output =
        sandbox.run_line("agpm --manifest-path project/agpm.toml explain file:project/../org.json");
    assert_eq!(output.code, Some(6), "{output}");
}

#[test]
fn json_is_one_document_also_on_failure_and_on_wrong_usage() {
    let sandbox = sandbox();
    for (line, code) in [
        ("agpm --json merge broken.json", "json/syntax"),
        (
            "agpm merge broken.json team.json --format json",
            "json/syntax",
        ),
        ("agpm merge missing.json --json", "io/not-found"),
        ("agpm --json explain no/such-code", "name/unknown"),
        ("agpm --json demo .", "io/exists"),
        ("agpm --json bottle show x", "name/unknown"),
        ("agpm bottle agent x --format json", "name/unknown"),
        ("agpm --json list", "manifest/missing"),
        ("agpm list --format json", "manifest/missing"),
        ("agpm --json tree", "manifest/missing"),
        ("agpm --json why x", "manifest/missing"),
        ("agpm --json verify", "manifest/missing"),
        ("agpm --json verify", "manifest/missing"),
        ("agpm --json config remove-source x", "name/unknown"),
        ("agpm --json", "usage"),
        ("agpm --json merge", "usage"),
        ("agpm --json merge --no-such-flag", "usage"),
        ("agpm merge --format json", "usage"),
        ("agpm merge --format=json --no-such-flag", "usage"),
        ("agpm --json no-such-command", "usage"),
        ("agpm --json merge org.json --rule nothing", "usage"),
        ("agpm --json merge org.json --layer-names a,b", "usage"),
        ("agpm --json merge org.json --format yaml", "usage"),
    ] {
        let output = sandbox.run_line(line);
        assert_failure(&output, code);
        assert_eq!(output.stderr, "", "{line}");
        assert_ne!(output.code, Some(0), "{line}");
    }
}

#[test]
fn the_reason_of_an_invalid_value_is_below_a_short_message() {
    let sandbox = sandbox();
    for (rule, reason) in [
        (
            "/a=no-such",
            "unknown operation `no-such`; operations are: `deep`",
        ),
        (
            "/a=by-kee:id",
            "unknown operation `by-kee`; did you mean `by-key`?",
        ),
        ("a=deep", "a JSON Pointer starts with `/`"),
        ("nothing", "a rule is written like `/servers=by-key:id`"),
        (
            "/a=by-key",
            "`by-key` needs the key that identifies an item",
        ),
    ] {
        let line = format!("agpm merge org.json --rule {rule}");
        let output = sandbox.run_line(&line);
        let message = format!("invalid value '{rule}' for '--rule <POINTER=OP>'");
        let mut lines = output.stderr.lines();
        assert_eq!(
            lines.next(),
            Some(format!("error[usage]: {message}").as_str()),
            "{output}"
        );
        assert!(message.len() <= 80, "{message}");
        let second = lines.next().and_then(|line| line.strip_prefix("  "));
        assert!(
            second.is_some_and(|line| line.starts_with(reason)),
            "{rule}\n{output}"
        );
        let document = parse_json(&sandbox.run_line(&format!("{line} --json")).stdout);
        let finding = document.get("diagnostics").and_then(|all| all.child("0"));
        let finding = finding.unwrap();
        assert_eq!(finding.get("message"), Some(&Value::from(message)));
        let details = finding.get("details").unwrap().to_json();
        assert!(details.contains(reason), "{rule}\n{details}");
    }
}

#[test]
fn json_is_one_document_on_success() {
    let sandbox = sandbox();
    for line in [
        "agpm --json strategies",
        "agpm --json strategies deep",
        "agpm --json explain json/syntax",
        "agpm --json explain file:org.json",
        "agpm --json merge org.json list.json --explain",
        "agpm --json demo trial",
        "agpm --json cache info",
        "agpm --json cache clean",
        "agpm --json config show",
        "agpm --json config path",
        "agpm --json doctor",
    ] {
        let output = sandbox.run_line(line);
        assert_eq!(
            parse_json(&output.stdout).get("ok"),
            Some(&Value::Bool(true)),
            "{line}\n{output}"
        );
        assert_eq!(output.stderr, "", "{line}");
    }
    let bare = sandbox.run_line("agpm --json merge org.json team.json");
    assert_eq!(
        parse_json(&bare.stdout)
            .get("model")
            .and_then(Value::as_str),
        Some("opus")
    );
}

#[test]
fn warnings_go_to_standard_error_and_quiet_leaves_them_out() {
    let sandbox = sandbox();
    let loud = sandbox.run_line("agpm merge org.json list.json");
    assert!(
        loud.stderr.starts_with("warning[merge/type-change]"),
        "{loud}"
    );
    assert!(!loud.stdout.contains("warning"), "{loud}");
    let quiet = sandbox.run_line("agpm -q merge org.json list.json");
    assert_eq!(
        quiet,
        CommandOutput {
            stderr: String::new(),
            ..loud
        }
    );
    let failing = sandbox.run_line("agpm -q merge broken.json");
    assert!(
        failing.stderr.starts_with("error[json/syntax]"),
        "{failing}"
    );
}

#[test]
fn colours_are_used_only_where_wanted() {
    let sandbox = sandbox();
    let coloured = |line: &str, no_color: Option<&str>| {
        let mut command = sandbox.command(PROGRAM);
        command
            .args(line.split(' '))
            .envs(no_color.map(|value| ("NO_COLOR", value)));
        sandbox.output(command).stderr.contains(ESCAPE)
    };
    assert!(
        !coloured("merge broken.json", None),
        "no terminal, no colours"
    );
    assert!(coloured("merge broken.json --color always", None));
    assert!(
        coloured("merge broken.json --color always", Some("1")),
        "a flag beats the environment"
    );
    assert!(!coloured("merge broken.json --color never", None));
    assert!(!coloured("merge broken.json --color auto", Some("1")));
}

#[test]
fn a_reader_that_has_seen_enough_ends_it_quietly() {
    let sandbox = sandbox();
    let items: Vec<String> = (0..20_000).map(|n| format!("\"item {n}\"")).collect();
    sandbox.write(
        "large.json",
        format!("{{\"items\": [{}]}}\n", items.join(",\n")),
    );
    for arguments in [
        ["merge", "large.json"],
        ["merge", "large.json --json"],
        ["explain", "file:large.json"],
    ] {
        let mut command = sandbox.command(PROGRAM);
        command.arg(arguments[0]).args(arguments[1].split(' '));
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut little = [0; 16];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut little).unwrap();
        drop(stdout);
        let rest = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&rest.stderr), "", "{arguments:?}");
        assert!(rest.status.success(), "{arguments:?}: {}", rest.status);
    }
}

#[test]
fn secrets_are_masked_in_source_lines() {
    let sandbox = sandbox();
    sandbox.write(
        "secret.json",
        "{\"api_token\": \"hunter2hunter2\" \"model\": 1}\n",
    );
    sandbox.write("secret.yaml", "password: hunter2hunter2: x\n");
    sandbox.write(
        "secret.toml",
        "url = \"https://me:hunter2hunter2@example.com\" x\n",
    );
    sandbox.write(
        "below.json",
        "{\"api_token\":\n  \"hunter2hunter2\" \"model\": 1}\n",
    );
    for file in ["secret.json", "secret.yaml", "secret.toml", "below.json"] {
        for flag in ["--color=never", "--json"] {
            let output = sandbox.run(["merge", file, flag]);
            assert_eq!(output.code, Some(1), "{output}");
            assert!(!output.to_string().contains("hunter2"), "{output}");
        }
    }
    sandbox.write("low.json", "{\"api_token\": \"hunter2hunter2\"}\n");
    sandbox.write("high.json", "{\"api_token\": [\"hunter2hunter2\"]}\n");
    for line in [
        "agpm explain file:low.json",
        "agpm explain file:x --from low.json high.json",
    ] {
        let output = sandbox.run_line(line);
        assert_eq!(output.code, Some(0), "{output}");
        assert!(!output.to_string().contains("hunter2"), "{output}");
    }
}

#[test]
fn commands_that_read_write_nothing() {
    let sandbox = sandbox();
    let before = sandbox.listing();
    for line in [
        "agpm merge org.json team.json",
        "agpm merge broken.json",
        "agpm merge org.json list.json --explain",
        "agpm explain file:org.json",
        "agpm explain json/syntax",
        "agpm strategies",
        "agpm completions bash",
        "agpm man",
        "agpm --help",
        "agpm demo .",
        "agpm list",
        "agpm verify",
        "agpm undo",
        "agpm cache info",
        "agpm cache clean",
        "agpm config show",
        "agpm config remove-source x",
    ] {
        sandbox.run_line(line);
        assert_eq!(sandbox.listing(), before, "{line}");
    }
}

#[test]
fn flags_have_twins_in_the_environment() {
    let sandbox = sandbox();
    let twins = BTreeMap::from([
        ("AGPM_CONFIG", "config.toml"),
        ("AGPM_CACHE_DIR", "cache"),
        ("AGPM_OFFLINE", "1"),
        ("AGPM_NO_PROGRESS", "yes"),
    ]);
    let mut command = sandbox.command(PROGRAM);
    command.args(["merge", "org.json"]).envs(&twins);
    assert_eq!(sandbox.output(command).code, Some(0));
    for value in ["", "0", "false"] {
        let mut command = sandbox.command(PROGRAM);
        command
            .args(["merge", "org.json"])
            .env("AGPM_OFFLINE", value)
            .env("AGPM_NO_PROGRESS", value);
        assert_eq!(sandbox.output(command).code, Some(0), "{value:?}");
    }
    let declared: Vec<String> = agpm_cli::declaration()
        .get_arguments()
        .filter_map(|argument| Some(argument.get_env()?.to_string_lossy().into_owned()))
        .collect();
    let mut expected: Vec<&str> = twins.into_keys().collect();
    expected.sort_by_key(|name| declared.iter().position(|declared| declared == name));
    assert_eq!(declared, expected);
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let output = sandbox().run(["completions", shell]);
        assert_eq!(output.code, Some(0), "{output}");
        let declaration = agpm_cli::declaration();
        let commands = declaration.get_subcommands();
        for command in commands.filter(|command| !command.is_hide_set()) {
            assert!(
                output.stdout.contains(command.get_name()),
                "{shell}: {}",
                command.get_name()
            );
        }
    }
}

#[test]
fn the_manual_page_names_every_command_and_every_global_flag() {
    let page = sandbox().run(["man"]).stdout.replace("\\-", "-");
    assert!(page.contains(".TH agpm"), "{page}");
    let declaration = agpm_cli::declaration();
    let commands = declaration.get_subcommands();
    for command in commands.filter(|command| !command.is_hide_set()) {
        assert!(
            page.contains(&format!("agpm-{}(1)", command.get_name())),
            "{}",
            command.get_name()
        );
    }
    for flag in declaration
        .get_arguments()
        .filter_map(|argument| argument.get_long())
    {
        assert!(page.contains(&format!("--{flag}")), "{flag}");
    }
}

#[test]
fn large_files_are_read_side_by_side_with_findings_in_order() {
    let sandbox = Sandbox::new(env!("CARGO_BIN_EXE_agpm"));
    let filler = format!("\"filler\": \"{}\"", "x".repeat(700_000));
    for (name, end) in [
        ("a.json", ", \"a\": }"),
        ("b.json", "}"),
        ("c.json", ", \"c\": ]"),
    ] {
        sandbox.write(name, format!("{{{filler}{end}"));
    }
    let good = sandbox.run(["merge", "b.json", "b.json", "--layer-names", "low,high"]);
    assert_eq!((good.code, good.stdout), (Some(0), format!("{{{filler}}}")));
    let bad = sandbox.run(["merge", "a.json", "b.json", "c.json"]);
    assert_eq!((bad.code, bad.stdout.as_str()), (Some(1), ""));
    let positions: Vec<usize> = ["a.json:1:", "c.json:1:"]
        .iter()
        .map(|location| bad.stderr.find(location).unwrap())
        .collect();
    assert!(positions.is_sorted(), "{}", bad.stderr);
}

/// A project with a skill of several files, agents that lose fields on their way, and nothing installed.
fn project() -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    for name in ["a", "b", "c", "d", "e"] {
        let agent =
            format!("---\nname: {name}\ndescription: d\ntools: Read, Edit\nmodel: opus\n---\nx\n");
        sandbox.write(&format!("src/agents/{name}.md"), agent);
        sandbox.write(&format!("src/skills/pdf/more/{name}.md"), "x\n");
    }
    sandbox.write(
        "src/skills/pdf/SKILL.md",
        "---\nname: pdf\ndescription: d\n---\nx\n",
    );
    sandbox.write(
        "agpm.toml",
        "[sources]\ns = \"src\"\n[agents]\nall = { source = \"s\", path = \"agents/*.md\", tool = \"codex\", allow-widening = [\"codex\"] }\n\
         [skills]\npdf = { source = \"s\", path = \"skills/pdf\" }\n",
    );
    sandbox
}

fn succeeds(sandbox: &Sandbox, line: &str) -> CommandOutput {
    let output = sandbox.run_line(line);
    assert_eq!(output.code, Some(0), "{line}\n{output}");
    output
}

#[test]
fn quiet_prints_nothing_when_something_was_done() {
    let sandbox = project();
    for line in [
        "agpm -q init other",
        "agpm -q install --dry-run",
        "agpm -q install",
        "agpm -q install",
        "agpm -q update",
        "agpm -q add source t src",
        "agpm -q remove source t",
        "agpm -q remove dep skill pdf",
        "agpm -q undo",
        "agpm -q cache clean",
        "agpm -q config add-source u src",
        "agpm -q config remove-source u",
        "agpm -q validate",
        "agpm -q verify",
        "agpm -q doctor",
        "agpm -q bottle check",
        "agpm -q bottle list",
        "agpm -q layers",
        "agpm -q profile --list",
        "agpm -q demo demo",
    ] {
        let output = succeeds(&sandbox, line);
        assert_eq!(
            (output.stdout.as_str(), output.stderr.as_str()),
            ("", ""),
            "{line}"
        );
    }
    // Requested output is printed.
    for line in [
        "agpm -q list",
        "agpm -q tree",
        "agpm -q config path",
        "agpm -q strategies deep",
    ] {
        assert_ne!(succeeds(&sandbox, line).stdout, "", "{line}");
    }
    let failing = sandbox.run_line("agpm -q remove dep skill nothing");
    assert!(
        failing.code == Some(3) && failing.stderr.contains("error["),
        "{failing}"
    );
}

#[test]
fn similar_findings_are_shown_once_unless_verbose() {
    let sandbox = project();
    for name in ["a", "b", "c", "d", "e"] {
        let skill = "---\nname: another\ndescription: d\n---\nx\n";
        sandbox.write(&format!("src/misnamed/{name}/SKILL.md"), skill);
    }
    let misnamed = "misnamed = { source = \"s\", path = \"misnamed/*\" }\n";
    sandbox.write("agpm.toml", sandbox.read("agpm.toml") + misnamed);
    let plan = succeeds(&sandbox, "agpm install --dry-run");
    assert!(
        plan.stdout
            .contains("+ .claude/skills/pdf/  skills/pdf: new (6 files)\n"),
        "{plan}"
    );
    assert!(!plan.stdout.contains("pdf/SKILL.md"), "{plan}");
    assert!(
        plan.stdout
            .contains("converts  agents/a, agents/b and 3 more for codex: model dropped"),
        "{plan}"
    );
    assert_eq!(
        plan.stderr.matches("warning[skill/name]").count(),
        1,
        "{plan}"
    );
    assert!(
        plan.stderr.contains("and 2 more like this; `-v` shows all"),
        "{plan}"
    );
    assert!(
        plan.stdout
            .ends_with("Would install 11 resources (16 files); agpm.lock would be written\n"),
        "{plan}"
    );
    let all = succeeds(&sandbox, "agpm -v install --dry-run");
    assert_eq!(
        all.stdout.matches("+ .claude/skills/pdf/").count(),
        6,
        "{all}"
    );
    assert_eq!(
        all.stderr.matches("warning[skill/name]").count(),
        5,
        "{all}"
    );
    let json = succeeds(&sandbox, "agpm --json install --dry-run");
    assert_eq!(json.stdout.matches("\"skill/name\"").count(), 5, "{json}");
    assert_eq!(
        json.stdout.matches("\"action\": \"create\"").count(),
        16,
        "{json}"
    );
}

#[test]
fn conversions_are_shown_for_what_is_new_or_changed() {
    let sandbox = project();
    assert!(
        succeeds(&sandbox, "agpm install")
            .stdout
            .contains("converts  agents/a, agents/b")
    );
    let other = succeeds(&sandbox, "agpm remove dep skill pdf");
    assert!(!other.stdout.contains("converts"), "{other}");
    sandbox.write(
        "src/agents/a.md",
        "---\nname: a\ndescription: d\nmodel: opus\n---\nother\n",
    );
    let changed = succeeds(&sandbox, "agpm install");
    assert!(
        changed
            .stdout
            .contains("converts  agents/a for codex: model dropped"),
        "{changed}"
    );
    assert!(!changed.stdout.contains("agents/b"), "{changed}");
}

#[test]
fn other_words_for_commands_do_the_same() {
    let sandbox = project();
    for (alias, word) in [
        ("i", "install"),
        ("sync", "install"),
        ("ls", "list"),
        ("upgrade", "update"),
    ] {
        let (plain, aliased) = (
            sandbox.run_line(&format!("agpm {alias} --json")),
            sandbox.run_line(&format!("agpm {word} --json")),
        );
        assert_eq!(
            (plain.code, aliased.code),
            (Some(0), Some(0)),
            "{alias}\n{plain}\n{aliased}"
        );
    }
    for word in ["rm", "uninstall"] {
        let output = sandbox.run_line(&format!("agpm {word} dep skill nothing"));
        assert_eq!(output.code, Some(3), "{word}\n{output}");
    }
}

#[test]
fn an_unknown_command_is_never_answered_with_its_opposite() {
    for (line, hint) in [
        ("agpm unistall x", "did you mean `uninstall`?"),
        ("agpm instal", "did you mean `install`?"),
        ("agpm log", "`agpm undo --list`"),
        ("agpm add sorce", "did you mean `source`?"),
        ("agpm cache cleen", "did you mean `clean`?"),
    ] {
        let output = sandbox().run_line(line);
        assert_eq!(output.code, Some(2), "{line}\n{output}");
        assert_eq!(output.stderr.matches(hint).count(), 1, "{line}\n{output}");
    }
    for line in ["agpm uninit", "agpm xyzzy", "agpm deadd"] {
        let output = sandbox().run_line(line);
        assert!(
            output.code == Some(2) && !output.stderr.contains("tip:"),
            "{line}\n{output}"
        );
    }
}

#[test]
fn help_has_help() {
    let sandbox = sandbox();
    let help = succeeds(&sandbox, "agpm --help").stdout;
    for line in ["agpm help", "agpm help --help", "agpm help -h"] {
        assert!(
            succeeds(&sandbox, line)
                .stdout
                .starts_with(help.lines().next().unwrap()),
            "{line}"
        );
    }
    let merge = succeeds(&sandbox, "agpm help merge").stdout;
    assert_eq!(succeeds(&sandbox, "agpm help merge --help").stdout, merge);
}

#[test]
fn a_command_can_start_in_another_directory() {
    let sandbox = project();
    sandbox.write("else/x", "");
    let mut command = sandbox.command(PROGRAM);
    command
        .current_dir(sandbox.work().join("else"))
        .args(["-C", "..", "validate"]);
    let output = sandbox.output(command);
    assert_eq!(output.code, Some(0), "{output}");
    let missing = sandbox.run_line("agpm -C nowhere validate");
    assert!(
        missing.code == Some(2) && missing.stderr.contains("`nowhere`"),
        "{missing}"
    );
}

#[test]
fn two_formats_are_refused() {
    let sandbox = project();
    for line in [
        "agpm list --json --format table",
        "agpm list --json --format yaml",
        "agpm tree --json --format text",
        "agpm tree --json --format dot",
        "agpm catalog --json --format csv",
    ] {
        let output = sandbox.run_line(line);
        assert_eq!(output.code, Some(2), "{line}\n{output}");
        assert!(
            output.stdout.contains("cannot be combined"),
            "{line}\n{output}"
        );
    }
    succeeds(&sandbox, "agpm list --json --format json");
}

#[test]
fn a_finding_without_a_line_has_no_empty_gutter() {
    for line in [
        "agpm explain no/such-code",
        "agpm --color always explain no/such-code",
    ] {
        let output = sandbox().run_line(line);
        assert_eq!(
            output
                .stderr
                .lines()
                .filter(|line| line.contains('|'))
                .count(),
            0,
            "{output}"
        );
        assert!(output.stderr.contains("help"), "{output}");
    }
}

#[test]
fn verbs_of_other_managers_name_the_command_that_does_it() {
    let sandbox = sandbox();
    for (line, tip) in [
        ("install acme/kit", "run `agpm add acme/kit`"),
        (
            "-C . i acme/kit pdf --frozen",
            "run `agpm -C . add acme/kit pdf`",
        ),
        ("install pdf", "`agpm search pdf` finds more"),
        ("rollback", "`agpm undo` reverts the last change"),
        ("log", "`agpm undo --list`"),
        ("tools", "`agpm doctor` shows the tools in use"),
        ("release", "`git tag v1.0.0`"),
        (
            "add source kit --dry-run",
            "unexpected argument '--dry-run'",
        ),
    ] {
        let output = sandbox.run_line(&format!("agpm {line}"));
        assert_eq!(output.code, Some(2), "{line}\n{output}");
        assert!(
            output.stderr.contains(tip),
            "{line}: no `{tip}` in\n{output}"
        );
        assert!(!output.stderr.contains("as a value"), "{line}\n{output}");
    }
}

#[test]
fn an_argument_that_is_no_address_is_quoted_without_secrets() {
    let sandbox = sandbox();
    for (words, quoted) in [
        (&["./x", "gitlab:acme/b c"][..], "`gitlab:acme/b c`: "),
        (&["https://me:secret@host/a b"], "`https://host/a b`: "),
        (&["https://"], "`https://`: "),
        (&["o/r#main"], "`o/r#main` has a `#`"),
    ] {
        let output = sandbox.run([&["add"], words].concat());
        assert_eq!(output.code, Some(2), "{output}");
        assert!(output.stderr.contains(quoted), "no `{quoted}` in\n{output}");
        assert!(!output.stderr.contains("secret"), "{output}");
    }
}
