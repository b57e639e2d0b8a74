//! Files that were written for another tool.

use agpm_render::{
    convert_file, foreign_format, hook_entries, is_native, server_entries, server_names,
};
use agpm_tools::ServerFormat;

use crate::{Form, hooks, json, line, servers, shown_hooks, shown_outcomes, shown_servers};

/// The converted value of one server, on one line.
fn server(form: &'static ServerFormat, text: &str) -> String {
    let found = server_entries(form, "sample", &json(text), &[]).unwrap();
    assert_eq!(found.nodes.len(), 1, "{text}");
    line(&found.nodes[0].value)
}

const COPILOT_SERVER: &str =
    r#"{"type": "local", "command": "gh", "args": ["aw", "mcp"], "tools": ["compile", "logs"]}"#;

#[test]
fn a_server_in_copilots_form_is_converted() {
    for (form, expected) in [
        (
            servers("opencode"),
            r#"{"type": "local", "command": ["gh", "aw", "mcp"]}"#,
        ),
        (
            servers("gemini"),
            r#"{"command": "gh", "args": ["aw", "mcp"], "includeTools": ["compile", "logs"]}"#,
        ),
        (
            servers("codex"),
            r#"{"command": "gh", "args": ["aw", "mcp"], "enabled_tools": ["compile", "logs"]}"#,
        ),
        (
            servers("claude-code"),
            r#"{"command": "gh", "args": ["aw", "mcp"]}"#,
        ),
        (
            servers("copilot"),
            r#"{"type": "stdio", "command": "gh", "args": ["aw", "mcp"]}"#,
        ),
    ] {
        assert_eq!(server(form, COPILOT_SERVER), expected, "{form:?}");
    }
    let all = json(r#"{"command": "gh", "tools": ["*"]}"#);
    for form in [
        servers("opencode"),
        servers("gemini"),
        servers("codex"),
        servers("claude-code"),
    ] {
        let found = server_entries(form, "sample", &all, &[]).unwrap();
        assert!(
            !shown_outcomes(&found.outcomes).contains("Widened"),
            "{form:?}: {}",
            shown_outcomes(&found.outcomes)
        );
        assert!(!line(&found.nodes[0].value).contains("ools"), "{form:?}");
    }
}

#[test]
fn claude_code_gets_the_type_of_a_server() {
    for (text, expected) in [
        (
            r#"{"url": "https://x.invalid"}"#,
            r#"{"type": "http", "url": "https://x.invalid"}"#,
        ),
        (
            r#"{"type": "sse", "url": "https://x.invalid"}"#,
            r#"{"type": "sse", "url": "https://x.invalid"}"#,
        ),
        (
            r#"{"httpUrl": "https://x.invalid"}"#,
            r#"{"type": "http", "url": "https://x.invalid"}"#,
        ),
        (
            r#"{"type": "remote", "url": "https://x.invalid"}"#,
            r#"{"type": "http", "url": "https://x.invalid"}"#,
        ),
        (
            r#"{"type": "local", "command": "x"}"#,
            r#"{"command": "x"}"#,
        ),
    ] {
        assert_eq!(server(servers("claude-code"), text), expected);
    }
}

#[test]
fn every_tool_reads_geminis_url() {
    let text = r#"{"httpUrl": "https://x.invalid"}"#;
    for (form, expected) in [
        (
            servers("opencode"),
            r#"{"type": "remote", "url": "https://x.invalid"}"#,
        ),
        (servers("codex"), r#"{"url": "https://x.invalid"}"#),
        (servers("cursor"), r#"{"url": "https://x.invalid"}"#),
        (
            servers("copilot"),
            r#"{"type": "http", "url": "https://x.invalid"}"#,
        ),
        (servers("gemini"), r#"{"httpUrl": "https://x.invalid"}"#),
    ] {
        assert_eq!(server(form, text), expected, "{form:?}");
    }
}

#[test]
fn files_of_servers_have_several_shapes() {
    let named =
        r#"{"github": {"type": "http", "url": "https://x.invalid"}, "fs": {"command": "fs"}}"#;
    let wrapped = ["mcpServers", "servers", "mcp", "context_servers"]
        .map(|key| format!(r#"{{"{key}": {named}}}"#));
    for text in wrapped.iter().map(String::as_str).chain([named]) {
        assert_eq!(
            server_names("sample", &json(text)),
            ["github", "fs"],
            "{text}"
        );
        let found = server_entries(servers("codex"), "sample", &json(text), &[]).unwrap();
        assert_eq!(found.nodes.len(), 2, "{text}");
    }
}

#[test]
fn servers_get_the_names_of_the_manifest() {
    let file = json(r#"{"mcpServers": {"sentry": {"command": "x"}, "fs": {"command": "y"}}}"#);
    let rename = |from: &str, to: &str| [(from.to_owned(), to.to_owned())];
    let found = server_entries(
        servers("claude-code"),
        "sample",
        &file,
        &rename("sentry", "sentry-dev"),
    )
    .unwrap();
    let shown = shown_servers(&found);
    assert!(
        shown.contains("/mcpServers/sentry-dev {") && shown.contains("/mcpServers/fs {"),
        "{shown}"
    );
    let error = server_entries(
        servers("claude-code"),
        "sample",
        &file,
        &rename("sentry", "fs"),
    )
    .unwrap_err();
    assert_eq!(error.message, "`rename` gives two servers the name `fs`");
}

#[test]
fn opencode_gets_no_server_that_it_would_refuse() {
    for (text, expected) in [
        (
            r#"{"type": "local", "command": ["x"], "timeout": 5000}"#,
            r#"{"type": "local", "command": ["x"], "timeout": 5000}"#,
        ),
        (
            r#"{"type": "local", "command": ["x"], "environment": {"A": 1}}"#,
            r#"{"type": "local", "command": ["x"], "environment": {"A": "1"}}"#,
        ),
        (
            r#"{"type": "remote", "url": "https://x.invalid", "timeout": "5s"}"#,
            r#"{"type": "remote", "url": "https://x.invalid"}"#,
        ),
    ] {
        assert_eq!(server(servers("opencode"), text), expected);
    }
}

const COPILOT_HOOKS: &str = r#"{"version": 1, "hooks": {
    "sessionStart": [{"type": "command", "bash": "start.sh", "timeoutSec": 5}],
    "preToolUse": [{"type": "command", "bash": "check.sh", "matcher": "bash|edit"}]
}}"#;
const CURSOR_HOOKS: &str = r#"{"version": 1, "hooks": {
    "sessionStart": [{"command": "start.sh"}],
    "preToolUse": [{"command": "check.sh", "matcher": "Shell|Write"}]
}}"#;
const GEMINI_HOOKS: &str = r#"{"hooks": {
    "SessionStart": [{"hooks": [{"type": "command", "command": "start.sh", "timeout": 5000}]}],
    "BeforeTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "check.sh"}]}]
}}"#;

#[test]
fn hooks_of_other_tools_become_claudes() {
    for (text, matcher, timeout) in [
        (COPILOT_HOOKS, "Bash|Edit", r#", "timeout": 5"#),
        (CURSOR_HOOKS, "Bash|Write|Edit", ""),
        (GEMINI_HOOKS, "Bash", r#", "timeout": 5"#),
    ] {
        let found = hook_entries(hooks("claude-code"), "sample", &json(text)).unwrap();
        let shown = shown_hooks(&found);
        let start = format!(
            r#"/hooks/SessionStart/- {{"hooks": [{{"type": "command", "command": "start.sh"{timeout}}}]}}"#
        );
        let check = format!(
            r#"/hooks/PreToolUse/- {{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "check.sh"}}]}}"#
        );
        assert!(shown.contains(&start) && shown.contains(&check), "{shown}");
    }
}

#[test]
fn hooks_go_from_one_tool_to_another() {
    let found = hook_entries(hooks("cursor"), "sample", &json(COPILOT_HOOKS)).unwrap();
    let cursor = shown_hooks(&found);
    assert!(
        cursor.contains(r#"/hooks/preToolUse/- {"command": "check.sh", "matcher": "Shell|Write"}"#),
        "{cursor}"
    );
    let copilot = convert_file(Form::Hooks("copilot").format(), "sample", CURSOR_HOOKS)
        .unwrap()
        .text;
    let hooks = json(&copilot);
    assert!(
        line(&hooks).contains(r#""PreToolUse": [{"type": "command", "matcher": "#),
        "{copilot}"
    );
    assert!(line(&hooks).contains(r#""bash": "check.sh""#), "{copilot}");
    // A server in the tool's own format stays.
    assert_eq!(
        convert_file(Form::Hooks("copilot").format(), "sample", COPILOT_HOOKS)
            .unwrap()
            .text,
        COPILOT_HOOKS
    );
    let own = hook_entries(crate::hooks("cursor"), "sample", &json(CURSOR_HOOKS)).unwrap();
    assert!(shown_hooks(&own).contains(r#"{"command": "check.sh", "matcher": "Shell|Write"}"#));
}

#[test]
fn a_hook_of_which_nothing_is_left_is_refused() {
    let matched = r#"{"hooks": {"SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "x"}]}]}}"#;
    let error = hook_entries(hooks("cursor"), "sample", &json(matched)).unwrap_err();
    assert!(
        error
            .message
            .starts_with("the tool cannot run the hook `sample`: `SessionStart"),
        "{error}"
    );
    assert!(convert_file(Form::Hooks("copilot").format(), "sample", matched).is_err());
    assert!(hook_entries(hooks("claude-code"), "sample", &json(r#"{"hooks": {}}"#)).is_err());
    let only_cursor = r#"{"version": 1, "hooks": {"afterFileEdit": [{"command": "x"}]}}"#;
    assert!(hook_entries(hooks("claude-code"), "sample", &json(only_cursor)).is_err());
    assert!(hook_entries(hooks("cursor"), "sample", &json(only_cursor)).is_ok());
    let off = r#"{"enabled": false, "hooks": {"Stop": []}}"#;
    assert_eq!(
        hook_entries(hooks("claude-code"), "sample", &json(off))
            .unwrap()
            .nodes,
        []
    );
}

#[test]
fn a_switch_that_is_off_is_not_a_loss() {
    let text = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "async": false}]}]}}"#;
    let found = hook_entries(hooks("cursor"), "sample", &json(text)).unwrap();
    assert!(
        shown_outcomes(&found.outcomes).contains("Exact Stop.async\n"),
        "{}",
        shown_outcomes(&found.outcomes)
    );
}

#[test]
fn parts_that_need_their_plugin_are_refused_for_every_tool() {
    let hook = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh"}]}]}}"#;
    for form in [
        hooks("claude-code"),
        hooks("codex"),
        hooks("cursor"),
        hooks("gemini"),
    ] {
        let error = hook_entries(form, "sample", &json(hook)).unwrap_err();
        assert_eq!(
            error.message,
            "the hook `sample` needs `${CLAUDE_PLUGIN_ROOT}`, which only plugins have"
        );
    }
    assert!(convert_file(Form::Hooks("copilot").format(), "sample", hook).is_err());
    let server =
        r#"{"mcpServers": {"db": {"command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/db.js"]}}}"#;
    for form in [
        servers("claude-code"),
        servers("opencode"),
        servers("codex"),
        servers("copilot"),
    ] {
        let error = server_entries(form, "sample", &json(server), &[]).unwrap_err();
        assert_eq!(
            error.message,
            "the server `db` needs `${CLAUDE_PLUGIN_ROOT}`, which only plugins have"
        );
    }
}

#[test]
fn copilots_own_files_are_recognized() {
    let claude = "---\nname: x\ntools: Read\n---\n";
    assert!(is_native(
        Form::Agent("copilot").format(),
        "x.agent.md",
        "---\ntools: ['codebase']\n---\n"
    ));
    assert!(is_native(
        Form::Agent("copilot").format(),
        "x.md",
        "---\nhandoffs: []\n---\n"
    ));
    assert!(is_native(
        Form::Command("copilot").format(),
        "x.prompt.md",
        ""
    ));
    assert!(!is_native(Form::Agent("copilot").format(), "x.md", claude));
    assert!(!is_native(
        Form::Agent("codex").format(),
        "x.agent.md",
        claude
    ));
    assert!(foreign_format(Form::Agent("gemini").format(), "x.toml").is_some());
    assert!(foreign_format(Form::Command("gemini").format(), "x.toml").is_none());
}

#[test]
fn geminis_own_agents_keep_their_tools() {
    let text = "---\nname: x\ndescription: d\nkind: local\ntools:\n  - read_file\n  - mcp_github_*\nmax_turns: 5\n---\nbody\n";
    let found = convert_file(Form::Agent("gemini").format(), "sample", text).unwrap();
    assert_eq!(found.text, text);
    assert!(
        !shown_outcomes(&found.outcomes).contains("Dropped"),
        "{}",
        shown_outcomes(&found.outcomes)
    );
}

#[test]
fn commands_with_hints_that_are_not_yaml_are_converted() {
    let text = "---\ndescription: Commit\nargument-hint: [message] | --no-verify\nallowed-tools: Bash(git:*)\n---\nDo it\n";
    let prompt = convert_file(Form::Command("copilot").format(), "sample", text).unwrap();
    assert_eq!(
        prompt.text,
        "---\ndescription: Commit\nargument-hint: \"[message] | --no-verify\"\n---\nDo it\n"
    );
    let toml = convert_file(Form::Command("gemini").format(), "sample", text).unwrap();
    assert_eq!(
        toml.text,
        "description = \"Commit\"\nprompt = \"\"\"\nDo it\n\"\"\"\n"
    );
}

#[test]
fn an_agent_of_copilots_becomes_each_tools_own() {
    let text = "---\ndescription: d\ntools: ['codebase', 'edit/editFiles', 'problems', 'fetch']\nmodel: GPT-5\n---\nbody\n";
    let claude = convert_file(Form::Agent("claude-code").format(), "sample", text)
        .unwrap()
        .text;
    assert_eq!(
        claude,
        "---\ndescription: d\ntools: [Grep, Glob, Edit, Write, WebFetch]\nname: sample\n---\nbody\n"
    );
    let gemini = convert_file(Form::Agent("gemini").format(), "sample", text)
        .unwrap()
        .text;
    assert!(
        gemini.contains("tools: [grep_search, glob, replace, write_file, web_fetch]"),
        "{gemini}"
    );
    let opencode = convert_file(Form::Agent("opencode").format(), "sample", text)
        .unwrap()
        .text;
    assert!(
        opencode.contains("grep: allow") && opencode.contains("edit: allow"),
        "{opencode}"
    );
    // An agent that may change files in Copilot's terms is not read-only in Codex.
    let codex = convert_file(Form::Agent("codex").format(), "sample", text).unwrap();
    assert!(
        shown_outcomes(&codex.outcomes).contains("Widened tools"),
        "{}",
        shown_outcomes(&codex.outcomes)
    );
    assert!(is_native(
        Form::Agent("claude-code").format(),
        "x.md",
        "---\nname: x\ntools: Read\nmodel: opus\n---\n"
    ));
    assert!(!is_native(
        Form::Agent("claude-code").format(),
        "x.agent.md",
        text
    ));
}

#[test]
fn an_agent_with_names_of_another_tool_is_not_the_references() {
    let claude = Form::Agent("claude-code").format();
    for (tools, native) in [
        ("[Read, Bash]", true),
        ("Read, mcp__db__query, Bash(git:*)", true),
        ("\"*\"", true),
        ("[Read, Unheard]", true),
        ("[read, write]", true),
        ("read, Bash(git:*)", true),
        ("['context7/*']", false),
        ("['codebase', 'editFiles']", false),
        ("[read, shell]", false),
        ("[run_shell_command]", false),
        ("{write: false}", false),
    ] {
        let text = format!("---\nname: a\ndescription: d\ntools: {tools}\n---\nx\n");
        assert_eq!(is_native(claude, "a.md", &text), native, "{tools}");
    }
}

#[test]
fn a_tool_that_runs_commands_refuses_a_file_of_urls() {
    let urls =
        json(r#"{"mcpServers": {"a": {"url": "https://x/mcp"}, "b": {"httpUrl": "https://y"}}}"#);
    let error = server_entries(servers("goose"), "sample", &urls, &[]).unwrap_err();
    assert_eq!(
        error.message,
        "the tool only runs commands, and `sample` has only URLs"
    );
    assert!(server_entries(servers("zed"), "sample", &urls, &[]).is_ok());
    let both = json(r#"{"mcpServers": {"a": {"url": "https://x/mcp"}, "b": {"command": "y"}}}"#);
    let found = server_entries(servers("goose"), "sample", &both, &[]).unwrap();
    assert_eq!(found.nodes.len(), 1);
}

#[test]
fn permissions_that_deny_nothing_restrict_nothing() {
    for (permission, widened) in [
        ("{edit: allow}", false),
        ("{bash: ask}", false),
        ("{edit: allow, bash: {'git *': ask, '*': allow}}", false),
        ("ask", false),
        ("{}", false),
        ("{bash: sometimes}", true),
        ("deny", true),
        ("[{capability: shell, effect: allow}]", false),
        ("[{capability: shell, effect: deny}]", true),
    ] {
        let text = format!("---\nname: a\ndescription: d\npermission: {permission}\n---\nx\n");
        for tool in ["claude-code", "codex", "cursor", "copilot", "gemini"] {
            let found = convert_file(Form::Agent(tool).format(), "a", &text).unwrap();
            let outcomes = shown_outcomes(&found.outcomes);
            assert!(outcomes.contains("permission"), "{tool}: {outcomes}");
            assert_eq!(outcomes.contains("Widened"), widened, "{tool}: {outcomes}");
        }
    }
}

#[test]
fn tools_of_servers_have_the_names_of_each_tool() {
    let copilot = "---\ndescription: d\ntools: [read, 'context7/*', github/create_issue, vscode/memory]\n---\nx\n";
    let claude = "---\nname: a\ndescription: d\ntools: Read, mcp__context7, mcp__github__create_issue\n---\nx\n";
    let gemini = "---\nname: a\ndescription: d\ntools: [read_file, mcp_context7_*, mcp_github_create_issue]\n---\nx\n";
    let kiro = "---\nname: a\ndescription: d\ntools: [read, '@context7', '@github/create_issue', '@builtin']\n---\nx\n";
    let opencode = "---\ndescription: d\npermission: {'*': deny, read: allow, 'context7_*': allow, github_create_issue: allow}\n---\nx\n";
    for (name, text) in [
        ("copilot", copilot),
        ("claude-code", claude),
        ("gemini", gemini),
        ("kiro", kiro),
        ("opencode", opencode),
    ] {
        for (tool, expected) in [
            ("claude-code", "mcp__context7 mcp__github__create_issue"),
            ("copilot", "context7/* github/create_issue"),
            ("gemini", "mcp_context7_* mcp_github_create_issue"),
            ("kiro", "@context7 @github/create_issue"),
            ("opencode", "context7_*: allow github_create_issue: allow"),
        ] {
            // OpenCode keeps its own agents.
            if (name, tool) == ("opencode", "opencode") {
                continue;
            }
            let found = convert_file(Form::Agent(tool).format(), "a", text).unwrap();
            let text = words(&found.text);
            assert!(text.contains(expected), "{name} for {tool}: {text}");
        }
    }
}

/// A text without the punctuation that lists may have or not.
fn words(text: &str) -> String {
    let text = text.replace(['\'', '"', ',', '[', ']'], " ");
    let words = text.split_whitespace().filter(|word| *word != "-");
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn denied_tools_of_servers_stay_denied() {
    let claude = Form::Agent("claude-code").format();
    for (denied, expected) in [
        ("'context7_*'", "disallowedTools: mcp__context7 ---"),
        ("github_issue", "disallowedTools: mcp__github__issue ---"),
        // It may be `create_issue` of `github`, or `issue` of `github_create`.
        (
            "github_create_issue",
            "disallowedTools: github_create_issue ---",
        ),
    ] {
        let text = format!("---\ndescription: d\npermission: {{{denied}: deny}}\n---\nx\n");
        let found = convert_file(claude, "a", &text).unwrap();
        let text = words(&found.text);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn the_environment_of_a_hook_is_in_its_command() {
    let hook = json(
        r#"{"version": 1, "hooks": {"preToolUse": [{"type": "command", "bash": "./a.sh", "powershell": "a.ps1", "cwd": "sub", "env": {"LEVEL": "strict"}, "timeoutSec": 5}]}}"#,
    );
    let claude = hook_entries(hooks("claude-code"), "h", &hook).unwrap();
    assert_eq!(
        line(&claude.nodes[0].value),
        r#"{"hooks": [{"type": "command", "command": "cd sub && LEVEL=strict ./a.sh", "timeout": 5}]}"#
    );
    assert_eq!(
        shown_outcomes(&claude.outcomes),
        "Exact PreToolUse.cwd: it is in the command\nExact PreToolUse.env: it is in the command\n\
         Dropped PreToolUse.powershell: the tool does not support it\n"
    );
    for tool in ["codex", "cursor", "gemini"] {
        let found = hook_entries(hooks(tool), "h", &hook).unwrap();
        let value = found.nodes.iter().map(|node| line(&node.value));
        let value = value.collect::<String>();
        assert!(value.contains("cd sub && LEVEL=strict ./a.sh"), "{value}");
        assert!(
            !value.contains("cwd") && !value.contains("powershell"),
            "{value}"
        );
    }
}
