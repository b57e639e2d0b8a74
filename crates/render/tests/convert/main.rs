//! Conversions of the same files for each tool, and their laws.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod files;
mod foreign;
mod hooks;
mod servers;

use std::collections::BTreeSet;
use std::fmt::Write as _;

use agpm_diag::SourceMap;
use agpm_model::NodeLocation;
use agpm_render::{
    ConvertedEntries, FieldOutcome, FieldOutcomeKind, convert_file, hook_entries, server_entries,
};
use agpm_text::{Format, Limits, Value, parse, print, to_value};
use agpm_tools::{
    AgentForm, CommandFormat, FileFormat, HookFormat, HookLocation, ServerFormat, TOOLS,
    ToolDefinition, find, hook_formats, server_formats,
};
use agpm_trust::{CapabilityReading, read_hooks, read_servers};
use proptest::prelude::*;

use files::FILES;
use hooks::HOOKS;
use servers::SERVERS;

/// A form, its subject, the original, and the expected result with the outcome of each field.
type Case<F> = (F, &'static str, &'static str, &'static str);

/// A converted file of a tool.
#[derive(Clone, Copy, Debug)]
enum Form {
    Unchanged,
    Agent(&'static str),
    Command(&'static str),
    Hooks(&'static str),
}

impl Form {
    fn format(self) -> FileFormat {
        match self {
            Form::Unchanged => FileFormat::Unchanged,
            Form::Agent(tool) => {
                FileFormat::Agent(&definition(tool).agents.as_ref().unwrap().format)
            }
            Form::Command(tool) => {
                FileFormat::Command(&definition(tool).commands.as_ref().unwrap().format)
            }
            Form::Hooks(tool) => FileFormat::Hooks(hooks(tool)),
        }
    }

    /// All forms of all tools.
    fn all() -> Vec<Form> {
        let mut all = vec![Form::Unchanged];
        for tool in TOOLS {
            all.extend(tool.agents.as_ref().map(|_| Form::Agent(tool.name)));
            all.extend(tool.commands.as_ref().map(|_| Form::Command(tool.name)));
            all.extend(tool.hooks.as_ref().map(|_| Form::Hooks(tool.name)));
        }
        all
    }

    /// Whether the form writes every field of a file again.
    fn is_by_field(&self) -> bool {
        match self.format() {
            FileFormat::Agent(format) => matches!(format.form, AgentForm::Fields(_)),
            FileFormat::Command(format) => {
                matches!(format, CommandFormat::Markdown(_) | CommandFormat::Toml(_))
            }
            FileFormat::Unchanged | FileFormat::Hooks(_) | FileFormat::Instruction(_) => false,
        }
    }
}

fn definition(tool: &str) -> &'static ToolDefinition {
    find(tool).unwrap_or_else(|| panic!("no tool is called {tool}"))
}

fn hooks(tool: &str) -> &'static HookFormat {
    &definition(tool).hooks.as_ref().unwrap().format
}

fn servers(tool: &str) -> &'static ServerFormat {
    &definition(tool).servers.as_ref().unwrap().format
}

fn shown_outcomes(outcomes: &[FieldOutcome]) -> String {
    let mut out = String::new();
    for FieldOutcome { field, kind, note } in outcomes {
        let colon = if note.is_empty() { "" } else { ": " };
        writeln!(out, "{kind:?} {field}{colon}{note}").unwrap();
    }
    out
}

fn shown_hooks(found: &ConvertedEntries) -> String {
    shown(found, read_hooks)
}

fn shown_servers(found: &ConvertedEntries) -> String {
    shown(found, |server| read_servers("sample", server))
}

fn shown(found: &ConvertedEntries, read: impl Fn(&Value) -> CapabilityReading) -> String {
    let mut out = String::new();
    for node in &found.nodes {
        let place = match &node.location {
            NodeLocation::Key(at) => format!("{at}"),
            NodeLocation::Item(at) => format!("{at}/-"),
            NodeLocation::Default(at) => format!("{at}?"),
            NodeLocation::Keyed { list, key, id } => format!("{list}[{key}={id}]"),
        };
        let value = if place.starts_with("/mcp_servers/") {
            print(&node.value, Format::Toml).unwrap()
        } else {
            line(&node.value) + "\n"
        };
        write!(out, "{place} {value}").unwrap();
    }
    let runs = found.nodes.iter().flat_map(|node| read(&node.value).runs());
    let mut seen = BTreeSet::new();
    let runs: Vec<String> = runs.filter(|run| seen.insert(run.clone())).collect();
    writeln!(out, "runs {runs:?}").unwrap();
    out + &shown_outcomes(&found.outcomes)
}

/// JSON on one line.
fn line(value: &Value) -> String {
    let lines = value.to_json();
    let lines: Vec<&str> = lines.lines().map(str::trim_start).collect();
    lines
        .join(" ")
        .replace("[ ", "[")
        .replace(" ]", "]")
        .replace("{ ", "{")
        .replace(" }", "}")
}

fn value(text: &str, format: Format) -> Option<Value> {
    let mut sources = SourceMap::default();
    let parsed = parse(sources.add("x", text), text, format, Limits::default());
    assert_eq!(parsed.diagnostics, [], "{text}");
    parsed.document.root().map(to_value)
}

fn json(text: &str) -> Value {
    value(text, Format::Json).unwrap()
}

#[test]
fn files_come_out_as_each_tool_reads_them() {
    for (form, about, text, expected) in FILES {
        let found = convert_file(form.format(), "sample", text).unwrap();
        let found = format!(
            "{}== outcomes\n{}",
            found.text,
            shown_outcomes(&found.outcomes)
        );
        assert_eq!(found, *expected, "{form:?}: {about}");
    }
}

#[test]
fn hooks_come_out_as_each_tool_reads_them() {
    for (form, about, text, expected) in HOOKS {
        let found = hook_entries(hooks(form), "sample", &json(text)).unwrap();
        assert_eq!(shown_hooks(&found), *expected, "{form:?}: {about}");
    }
}

#[test]
fn servers_come_out_as_each_tool_reads_them() {
    for (form, about, text, expected) in SERVERS {
        let found = server_entries(servers(form), "sample", &json(text), &[]).unwrap();
        assert_eq!(shown_servers(&found), *expected, "{form:?}: {about}");
    }
}

#[test]
fn every_format_of_a_tool_has_a_case() {
    for tool in TOOLS {
        let has_hooks = HOOKS.iter().any(|(name, ..)| *name == tool.name);
        let has_servers = SERVERS.iter().any(|(name, ..)| *name == tool.name);
        let in_files = |hooks: &agpm_tools::TypeSupport<HookLocation, HookFormat>| {
            matches!(hooks.location.project, Some(HookLocation::Files(_)))
        };
        let has_entries = tool.hooks.as_ref().is_some_and(|hooks| !in_files(hooks));
        assert_eq!(has_hooks, has_entries, "hooks of {}", tool.name);
        assert_eq!(
            has_servers,
            tool.servers.is_some(),
            "servers of {}",
            tool.name
        );
    }
    let by_field = Form::all().into_iter().filter(Form::is_by_field);
    // Agents of the reference tool are converted only from those of other tools.
    for form in by_field.filter(|form| !matches!(form, Form::Agent("claude-code"))) {
        // Two tools may share a format.
        let is_this = |(known, ..): &&Case<Form>| known.format() == form.format();
        assert!(FILES.iter().any(|case| is_this(&case)), "{form:?}");
    }
}

#[test]
fn wrong_hooks_are_reported_with_the_way_to_write_them() {
    for (text, expected) in [
        ("[]", "the hook `sample` is not an object"),
        ("{}", "the hook `sample` has no `events`"),
        (
            r#"{"events": "Stop"}"#,
            "the hook `sample` has `events` that are not a list of names",
        ),
        (
            r#"{"events": [1]}"#,
            "the hook `sample` has `events` that are not a list of names",
        ),
        (
            r#"{"events": []}"#,
            "the hook `sample` has no event in `events`",
        ),
        (
            r#"{"events": ["Stop"]}"#,
            "the hook `sample` has no `command`",
        ),
        (
            r#"{"events": ["Stop"], "command": ["x"]}"#,
            "the hook `sample` has no `command`",
        ),
        (
            r#"{"events": ["Stop"], "type": 1}"#,
            "the hook `sample` has a `type` that is not a string",
        ),
        (
            r#"{"events": ["Stop"], "command": "x", "matcher": []}"#,
            "the hook `sample` has a `matcher` that is not a string",
        ),
        (
            r#"{"events": ["Stop"], "command": "x", "enabled": "no"}"#,
            "the hook `sample` has an `enabled` that is neither true nor false",
        ),
        (
            r#"{"events": ["Stop"], "hooks": {}}"#,
            "the hook `sample` has both `events` and `hooks`",
        ),
        (
            r#"{"hooks": []}"#,
            "the hook `sample`: `hooks` is not an object of events",
        ),
        (
            r#"{"hooks": {"Stop": {}}}"#,
            "the hook `sample`: `Stop` is not a list",
        ),
        (
            r#"{"hooks": {"Stop": [1]}}"#,
            "the hook `sample`: an item of `Stop` is not an object",
        ),
    ] {
        for form in [hooks("claude-code"), hooks("gemini")] {
            assert_eq!(
                hook_entries(form, "sample", &json(text))
                    .unwrap_err()
                    .message,
                expected,
                "{text}"
            );
        }
    }
    let mixed = json(r#"{"hooks": {"Stop": [{"command": "x"}, {"hooks": []}]}}"#);
    for form in [hooks("claude-code"), hooks("codex")] {
        let error = hook_entries(form, "sample", &mixed).unwrap_err();
        assert_eq!(error.message, "a group of `Stop` has no list `hooks`");
    }
}

#[test]
fn wrong_servers_are_reported_with_the_way_to_write_them() {
    for (text, expected) in [
        ("1", "the server `sample` is not an object"),
        ("{}", "the server `sample` has no `command` and no `url`"),
        (
            r#"{"command": 1}"#,
            "the server `sample` has a `command` that is neither a string nor a list of strings",
        ),
        (
            r#"{"command": []}"#,
            "the server `sample` has a `command` that is neither a string nor a list of strings",
        ),
        (
            r#"{"command": "x", "args": "y"}"#,
            "the server `sample` has `args` that are not a list of strings",
        ),
        (
            r#"{"command": "x", "env": []}"#,
            "the server `sample` has `env` that is not an object of strings",
        ),
        (
            r#"{"mcpServers": []}"#,
            "`mcpServers` of `sample` is not an object",
        ),
        (
            r#"{"mcpServers": {"a": {"args": []}}}"#,
            "the server `a` has no `command` and no `url`",
        ),
    ] {
        for form in [
            servers("claude-code"),
            servers("opencode"),
            servers("codex"),
        ] {
            assert_eq!(
                server_entries(form, "sample", &json(text), &[])
                    .unwrap_err()
                    .message,
                expected,
                "{text}"
            );
        }
    }
}

#[test]
fn syntax_errors_have_a_location() {
    let error = convert_file(
        Form::Agent("codex").format(),
        "sample",
        "---\nname: [\n---\n",
    )
    .unwrap_err();
    assert!(error.at.is_some(), "{error}");
    assert!(
        convert_file(Form::Hooks("copilot").format(), "sample", "{")
            .unwrap_err()
            .at
            .is_some()
    );
    assert!(convert_file(Form::Hooks("copilot").format(), "sample", "").is_err());
}

/// The format of a form's files.
fn format_of(form: Form) -> Format {
    match form.format().extension() {
        Some("toml") => Format::Toml,
        Some("json") => Format::Json,
        _ => Format::Markdown,
    }
}

fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => "[a-zA-Z ,]{0,12}",
        1 => prop::sample::select(vec![
            "Read", "Read, Grep", "Edit", "Bash(git *), Write", "*", "plan", "sonnet", "inherit", "gpt-5", "high",
            "mcp__db__query", "$ARGUMENTS $1", "!`ls {x}`", "@a/b.md", "!{x}", "'''", "\"\"\"", "\\", "---", "é😀",
        ])
        .prop_map(str::to_owned),
        1 => "[a-c:#\"'\\\\{}$@!`\u{85}\u{7f}-]{0,8}",
    ]
}

fn any_scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        4 => any_line().prop_map(Value::from),
    ]
}

fn any_field() -> impl Strategy<Value = Value> {
    any_scalar().prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..3).prop_map(Value::map),
        ]
    })
}

fn any_key() -> impl Strategy<Value = String> {
    let keys = vec![
        "name",
        "description",
        "tools",
        "disallowedTools",
        "model",
        "permissionMode",
        "allowed-tools",
        "argument-hint",
        "color",
        "maxTurns",
        "max_turns",
        "effort",
        "hooks",
        "background",
        "readonly",
        "sandbox_mode",
        "dependencies",
        "agpm",
        "mcp-servers",
        "temperature",
        "disallowed-tools",
    ];
    prop_oneof![5 => prop::sample::select(keys).prop_map(str::to_owned), 1 => "[a-z]{1,6}"]
}

fn any_body() -> impl Strategy<Value = String> {
    prop::collection::vec(
        (
            any_line(),
            prop::sample::select(vec!["\n", "\r\n", "\n\n", ""]),
        ),
        0..5,
    )
    .prop_map(|lines| {
        lines
            .into_iter()
            .flat_map(|(line, end)| [line, end.to_owned()])
            .collect()
    })
}

fn agent(fields: &Value, body: &str) -> String {
    format!("---\n{}---\n{body}", print(fields, Format::Yaml).unwrap())
}

fn keys(value: &Value) -> BTreeSet<String> {
    match value {
        Value::Map(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
        _ => BTreeSet::new(),
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "hooks",
        "events",
        "matcher",
        "type",
        "command",
        "timeout",
        "enabled",
        "version",
        "if",
        "PreToolUse",
        "Stop",
        "SessionStart",
        "BeforeTool",
        "afterFileEdit",
        "mcpServers",
        "args",
        "env",
        "environment",
        "url",
        "httpUrl",
        "headers",
        "cwd",
        "disabled",
        "Authorization",
        "X",
        "enabled_tools",
        "includeTools",
        "tools",
    ]);
    let text = prop_oneof![
        any_line(),
        word.clone().prop_map(str::to_owned),
        Just("Bearer ${X}".to_owned()),
        Just("${X:-y}".to_owned()),
        Just("http".to_owned()),
        Just("local".to_owned()),
    ];
    let leaf = prop_oneof![1 => any_scalar(), 2 => text.prop_map(Value::from)];
    leaf.prop_recursive(6, 40, 4, move |inner| {
        let map = prop::collection::vec((word.clone(), inner.clone()), 0..5).prop_map(|pairs| {
            let mut seen = BTreeSet::new();
            Value::map(
                pairs
                    .into_iter()
                    .filter(|(key, _)| seen.insert(*key))
                    .collect::<Vec<_>>(),
            )
        });
        prop_oneof![2 => map, 1 => prop::collection::vec(inner, 0..3).prop_map(Value::List)]
    })
}

proptest! {
    #[test]
    fn every_field_has_one_outcome_and_the_result_reads(
        fields in prop::collection::btree_map(any_key(), any_field(), 1..7).prop_map(Value::map),
        body in any_body(),
    ) {
        let written = keys(&fields);
        for form in Form::all().into_iter().filter(Form::is_by_field) {
            let found = convert_file(form.format(), "sample", &agent(&fields, &body)).unwrap();
            prop_assert!(found.outcomes.is_sorted_by_key(|outcome| &outcome.field), "{:?}", found.outcomes);
            let fields: Vec<String> = found.outcomes.iter().map(|outcome| outcome.field.clone()).collect();
            let once: BTreeSet<String> = fields.iter().cloned().collect();
            prop_assert_eq!(fields.len(), once.len(), "{:?}", fields);
            let ours = |key: &String| key != "dependencies" && key != "agpm";
            let extra = |key: &String| key == "(body)" || key == "description" && !written.contains(key);
            let fields: BTreeSet<String> = once.into_iter().filter(|key| !extra(key)).collect();
            let expected: BTreeSet<String> = written.iter().filter(|key| ours(key)).cloned().collect();
            prop_assert_eq!(fields, expected, "{:?}", form);
            value(&found.text, format_of(form));
        }
    }

    #[test]
    fn a_body_comes_through_byte_by_byte(
        fields in prop::collection::btree_map(any_key(), any_field(), 1..4).prop_map(Value::map),
        body in any_body(),
    ) {
        let text = agent(&fields, &body);
        let codex = convert_file(Form::Agent("codex").format(), "sample", &text).unwrap().text;
        let codex = value(&codex, Format::Toml).unwrap();
        prop_assert_eq!(codex.get("developer_instructions").and_then(Value::as_str), Some(body.as_str()));
        for form in [Form::Agent("cursor"), Form::Agent("copilot"), Form::Agent("gemini")] {
            let found = convert_file(form.format(), "sample", &text).unwrap().text;
            let mut sources = SourceMap::default();
            let read = parse(sources.add("x", ""), found.as_str(), Format::Markdown, Limits::default()).document;
            prop_assert_eq!(&read.text()[read.body().range()], body.as_str(), "{:?}", form);
        }
    }

    #[test]
    fn a_limit_is_never_lost_in_silence(
        tools in prop::collection::vec(any_line(), 0..4),
        forbidden in prop::option::of(prop::collection::vec(any_line(), 1..3)),
    ) {
        let list = |names: Vec<String>| Value::list(names);
        let more = forbidden.map(|names| ("disallowedTools", list(names)));
        let fields = Value::map([("description", Value::from("d")), ("tools", list(tools))].into_iter().chain(more));
        for (form, limit) in [
            (Form::Agent("codex"), "sandbox_mode"),
            (Form::Agent("cursor"), "readonly"),
            (Form::Agent("copilot"), "tools"),
            (Form::Agent("gemini"), "tools"),
        ] {
            let found = convert_file(form.format(), "sample", &agent(&fields, "")).unwrap();
            let limited = value(&found.text, format_of(form)).unwrap().get(limit).is_some();
            let outcome = found.outcomes.iter().find(|outcome| outcome.field == "tools").unwrap();
            let free = outcome.kind == FieldOutcomeKind::Widened || line(&fields).contains("\"*\"");
            prop_assert!(limited || free, "{form:?}: {outcome:?}");
        }
    }

    #[test]
    fn nothing_makes_entries_fall(value in any_value()) {
        let hooks = hook_formats().chain([self::hooks("claude-code")]);
        let hooks = hooks.map(|format| hook_entries(format, "x", &value));
        let servers = server_formats().map(|format| server_entries(format, "x", &value, &[]));
        for found in hooks.chain(servers).flatten() {
            prop_assert!(found.outcomes.is_sorted());
            for node in &found.nodes {
                print(&node.value, Format::Json).unwrap();
            }
            drop((shown_hooks(&found), shown_servers(&found)));
        }
        let text = value.to_json();
        for form in Form::all() {
            drop(convert_file(form.format(), "x", &text));
        }
        drop(read_hooks(&value));
    }

    #[test]
    fn codex_servers_are_toml(value in any_value()) {
        if let Ok(found) = server_entries(servers("codex"), "x", &value, &[]) {
            for node in &found.nodes {
                prop_assert!(print(&node.value, Format::Toml).is_ok(), "{:?}", node.value);
            }
        }
    }
}

#[test]
fn a_head_that_is_not_a_yaml_is_read_line_by_line() {
    let text = "---\nname: rev\ndescription: Use it when: a change is there. \"Now\"\ntools: Read\n---\nbody\n";
    let converted = convert_file(Form::Agent("codex").format(), "rev", text).unwrap();
    assert_eq!(
        converted.text,
        "name = \"rev\"\ndescription = \"Use it when: a change is there. \\\"Now\\\"\"\nsandbox_mode = \"read-only\"\n\
         developer_instructions = \"\"\"\nbody\n\"\"\"\n"
    );
    let outcome = converted
        .outcomes
        .iter()
        .find(|outcome| outcome.field == "(front matter)")
        .unwrap();
    assert_eq!(outcome.kind, FieldOutcomeKind::Approximated);
    // A field without a clear value is dropped; if it restricts something, that is reported separately.
    for (head, field, kind) in [
        ("a: b: c\na: d", "a", FieldOutcomeKind::Dropped),
        (
            "a: b: c\nx:\n  y: [\n  z: 1",
            "x",
            FieldOutcomeKind::Dropped,
        ),
        ("a: b: c\ntools: [", "tools", FieldOutcomeKind::Widened),
    ] {
        let text = format!("---\ndescription: d\n{head}\n---\nbody\n");
        let found = convert_file(Form::Agent("gemini").format(), "x", &text).unwrap();
        let outcome = |outcome: &&FieldOutcome| {
            outcome.field == field && outcome.note == "its value is not valid YAML"
        };
        assert_eq!(
            found
                .outcomes
                .iter()
                .find(outcome)
                .map(|outcome| outcome.kind),
            Some(kind),
            "{head}: {:?}",
            found.outcomes
        );
    }
    assert!(convert_file(Form::Agent("codex").format(), "x", "---\na: [\n---\nbody\n").is_err());
}
