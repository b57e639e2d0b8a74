//! Hooks converted for each tool.

use crate::Case;

pub(crate) const HOOKS: &[Case<&'static str>] = &[
    (
        "claude-code",
        "the simple form",
        r#"{"events": ["PreToolUse", "Stop", "SubagentStop"], "matcher": "Edit|Write", "command": "./check.sh", "timeout": 10, "statusMessage": "…", "dependencies": {}}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10, "statusMessage": "…"}]}
/hooks/Stop/- {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10, "statusMessage": "…"}]}
/hooks/SubagentStop/- {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10, "statusMessage": "…"}]}
runs ["./check.sh"]
"#,
    ),
    (
        "claude-code",
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}, {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}, {"matcher": "Read|X", "hooks": [{"command": "c"}]}], "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}], "Setup": [{"hooks": [{"type": "command", "command": "e"}]}], "UserPromptSubmit": [{"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}]}, "model": "x"}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}
/hooks/PreToolUse/- {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}
/hooks/PreToolUse/- {"matcher": "Read|X", "hooks": [{"command": "c"}]}
/hooks/SessionStart/- {"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}
/hooks/Setup/- {"hooks": [{"type": "command", "command": "e"}]}
/hooks/UserPromptSubmit/- {"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}
runs ["a", "b", "c", "d", "e", "f"]
Dropped model: only `hooks` of a settings file are used
"#,
    ),
    (
        "codex",
        "the simple form",
        r#"{"events": ["PreToolUse", "Stop", "SubagentStop"], "matcher": "Edit|Write", "command": "./check.sh", "timeout": 10, "statusMessage": "…", "dependencies": {}}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10, "statusMessage": "…"}]}
/hooks/Stop/- {"hooks": [{"type": "command", "command": "./check.sh", "timeout": 10, "statusMessage": "…"}]}
/hooks/SubagentStop/- {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10, "statusMessage": "…"}]}
runs ["./check.sh"]
Exact PreToolUse
Exact PreToolUse.command
Exact PreToolUse.matcher
Exact PreToolUse.statusMessage
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact Stop
Exact Stop.command
Exact Stop.matcher
Exact Stop.statusMessage
Exact Stop.timeout
Exact Stop.type
Exact SubagentStop
Exact SubagentStop.command
Approximated SubagentStop.matcher: versions that ignore it run the hook each time
Exact SubagentStop.statusMessage
Exact SubagentStop.timeout
Exact SubagentStop.type
"#,
    ),
    (
        "codex",
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}, {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}, {"matcher": "Read|X", "hooks": [{"command": "c"}]}], "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}], "Setup": [{"hooks": [{"type": "command", "command": "e"}]}], "UserPromptSubmit": [{"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}]}, "model": "x"}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5}]}
/hooks/PreToolUse/- {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}
/hooks/SessionStart/- {"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}
runs ["a", "b", "d"]
Exact PreToolUse
Widened PreToolUse: the tool cannot express it: the hook does not run
Exact PreToolUse.command
Exact PreToolUse.matcher
Dropped PreToolUse.matcher: the tool has no `Read`, `X`
Approximated PreToolUse.once: the hook runs each time, and not only once
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact SessionStart
Exact SessionStart.command
Exact SessionStart.matcher
Exact SessionStart.type
Dropped Setup: the tool has no such event: the hook does not run
Widened UserPromptSubmit: the tool cannot express it: the hook does not run
Dropped UserPromptSubmit.if: the tool does not support it, and without it the hook would run too often
Exact UserPromptSubmit.matcher
Dropped model: only `hooks` of a settings file are used
"#,
    ),
    (
        "cursor",
        "the simple form",
        r#"{"events": ["PreToolUse", "Stop", "SubagentStop"], "matcher": "Edit|Write", "command": "./check.sh", "timeout": 10, "statusMessage": "…", "dependencies": {}}"#,
        r#"/version? 1
/hooks/preToolUse/- {"command": "./check.sh", "matcher": "Write", "timeout": 10}
/hooks/stop/- {"command": "./check.sh", "timeout": 10}
/hooks/subagentStop/- {"command": "./check.sh", "matcher": "Edit|Write", "timeout": 10}
runs ["./check.sh"]
Exact PreToolUse: `preToolUse` there
Exact PreToolUse.command
Exact PreToolUse.matcher
Dropped PreToolUse.statusMessage: the tool does not support it
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact Stop: `stop` there
Exact Stop.command
Exact Stop.matcher
Dropped Stop.statusMessage: the tool does not support it
Exact Stop.timeout
Exact Stop.type
Exact SubagentStop: `subagentStop` there
Exact SubagentStop.command
Approximated SubagentStop.matcher: versions that ignore it run the hook each time
Dropped SubagentStop.statusMessage: the tool does not support it
Exact SubagentStop.timeout
Exact SubagentStop.type
"#,
    ),
    (
        "cursor",
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}, {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}, {"matcher": "Read|X", "hooks": [{"command": "c"}]}], "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}], "Setup": [{"hooks": [{"type": "command", "command": "e"}]}], "UserPromptSubmit": [{"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}]}, "model": "x"}"#,
        r#"/version? 1
/hooks/preToolUse/- {"command": "a", "matcher": "Shell", "timeout": 1.5}
/hooks/preToolUse/- {"command": "c", "matcher": "Read"}
runs ["a", "c"]
Exact PreToolUse: `preToolUse` there
Widened PreToolUse: the tool cannot express it: the hook does not run
Exact PreToolUse.command
Exact PreToolUse.matcher
Approximated PreToolUse.matcher: it does not run for `X`, which the tool does not know
Dropped PreToolUse.matcher: the tool does not support it, and without it the hook would run too often
Approximated PreToolUse.once: the hook runs each time, and not only once
Exact PreToolUse.timeout
Exact PreToolUse.type
Dropped SessionStart: the tool cannot express it: the hook does not run
Dropped SessionStart.matcher: the tool does not support it, and without it the hook would run too often
Dropped Setup: the tool has no such event: the hook does not run
Widened UserPromptSubmit: the tool cannot express it: the hook does not run
Dropped UserPromptSubmit.if: the tool does not support it, and without it the hook would run too often
Exact UserPromptSubmit.matcher
Dropped model: only `hooks` of a settings file are used
"#,
    ),
    (
        "gemini",
        "the simple form",
        r#"{"events": ["PreToolUse", "Stop", "SubagentStop"], "matcher": "Edit|Write", "command": "./check.sh", "timeout": 10, "statusMessage": "…", "dependencies": {}}"#,
        r#"/hooks/BeforeTool/- {"matcher": "^(replace|write_file)$", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10000}]}
/hooks/AfterAgent/- {"hooks": [{"type": "command", "command": "./check.sh", "timeout": 10000}]}
runs ["./check.sh"]
Exact PreToolUse: `BeforeTool` there
Exact PreToolUse.command
Exact PreToolUse.matcher
Dropped PreToolUse.statusMessage: the tool does not support it
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact Stop: `AfterAgent` there
Exact Stop.command
Exact Stop.matcher
Dropped Stop.statusMessage: the tool does not support it
Exact Stop.timeout
Exact Stop.type
Dropped SubagentStop: the tool has no such event: the hook does not run
"#,
    ),
    (
        "gemini",
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}, {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}, {"matcher": "Read|X", "hooks": [{"command": "c"}]}], "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}], "Setup": [{"hooks": [{"type": "command", "command": "e"}]}], "UserPromptSubmit": [{"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}]}, "model": "x"}"#,
        r#"/hooks/BeforeTool/- {"matcher": "^(run_shell_command)$", "hooks": [{"type": "command", "command": "a", "timeout": 1500}]}
/hooks/BeforeTool/- {"matcher": "^(read_file)$", "hooks": [{"type": "command", "command": "c"}]}
/hooks/SessionStart/- {"matcher": "startup", "hooks": [{"type": "command", "command": "d"}]}
runs ["a", "c", "d"]
Exact PreToolUse: `BeforeTool` there
Widened PreToolUse: the tool cannot express it: the hook does not run
Exact PreToolUse.command
Exact PreToolUse.matcher
Approximated PreToolUse.matcher: it does not run for `X`, which the tool does not know
Dropped PreToolUse.matcher: the tool does not support it, and without it the hook would run too often
Approximated PreToolUse.once: the hook runs each time, and not only once
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact SessionStart
Exact SessionStart.command
Approximated SessionStart.matcher: it does not run for `compact`
Exact SessionStart.type
Dropped Setup: the tool has no such event: the hook does not run
Widened UserPromptSubmit: the tool cannot express it: the hook does not run
Dropped UserPromptSubmit.if: the tool does not support it, and without it the hook would run too often
Exact UserPromptSubmit.matcher
Dropped model: only `hooks` of a settings file are used
"#,
    ),
    (
        "claude-code",
        "switched off",
        r#"{"events": ["Stop"], "command": "x", "enabled": false}"#,
        r"runs []
",
    ),
    (
        "claude-code",
        "switched on",
        r#"{"events": ["Stop", "Stop"], "command": "x", "enabled": true, "agpm": {}}"#,
        r#"/hooks/Stop/- {"hooks": [{"type": "command", "command": "x"}]}
runs ["x"]
"#,
    ),
    (
        "codex",
        "names with commas",
        r#"{"events": ["PostToolUse"], "matcher": "Edit, Bash", "command": "x"}"#,
        r#"/hooks/PostToolUse/- {"matcher": "Edit|Bash", "hooks": [{"type": "command", "command": "x"}]}
runs ["x"]
Exact PostToolUse
Exact PostToolUse.command
Approximated PostToolUse.matcher: it also runs for `Write`
Exact PostToolUse.type
"#,
    ),
    (
        "cursor",
        "its own form",
        r#"{"version": 1, "hooks": {"afterFileEdit": [{"command": "x"}], "stop": [{"command": "y"}]}}"#,
        r#"/version? 1
/hooks/afterFileEdit/- {"command": "x"}
/hooks/stop/- {"command": "y"}
runs ["x", "y"]
Exact afterFileEdit
Exact stop
"#,
    ),
    (
        "gemini",
        "its own form",
        r#"{"hooks": {"BeforeTool": [{"matcher": "glob", "hooks": [{"type": "command", "command": "x", "timeout": 5000}]}]}}"#,
        r#"/hooks/BeforeTool/- {"matcher": "glob", "hooks": [{"type": "command", "command": "x", "timeout": 5000}]}
runs ["x"]
Exact BeforeTool
"#,
    ),
    (
        "windsurf",
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Write|mcp__db__query", "hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/check.sh", "timeout": 10}]}], "PostCompact": [{"hooks": [{"type": "prompt", "prompt": "Sum up"}]}], "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "hello"}]}], "Notification": [{"hooks": [{"type": "command", "command": "beep"}]}]}}"#,
        r#"/hooks/PreToolUse/- {"matcher": "^(exec|write|mcp__db__query)$", "hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/check.sh", "timeout": 10}]}
/hooks/PostCompaction/- {"hooks": [{"type": "prompt", "prompt": "Sum up"}]}
runs ["$CLAUDE_PROJECT_DIR/check.sh", "Sum up"]
Dropped Notification: the tool has no such event: the hook does not run
Exact PostCompact: `PostCompaction` there
Exact PostCompact.prompt
Exact PostCompact.type
Exact PreToolUse
Approximated PreToolUse.command: the tool does not set the variables of Claude Code
Exact PreToolUse.matcher
Exact PreToolUse.timeout
Exact PreToolUse.type
Dropped SessionStart: the tool cannot express it: the hook does not run
Dropped SessionStart.matcher: the tool does not support it, and without it the hook would run too often
"#,
    ),
    (
        "windsurf",
        "its own events",
        r#"{"hooks": {"PostCompaction": [{"hooks": [{"type": "command", "command": "sum"}]}], "PreToolUse": [{"matcher": "^(exec|edit)$", "hooks": [{"type": "command", "command": "check"}]}]}}"#,
        r#"/hooks/PostCompaction/- {"hooks": [{"type": "command", "command": "sum"}]}
/hooks/PreToolUse/- {"matcher": "^(exec|edit)$", "hooks": [{"type": "command", "command": "check"}]}
runs ["sum", "check"]
Exact PostCompaction
Exact PreToolUse
"#,
    ),
    (
        "claude-code",
        "hooks of Devin Desktop",
        r#"{"hooks": {"PostCompaction": [{"hooks": [{"type": "command", "command": "sum"}]}], "PreToolUse": [{"matcher": "^(exec|edit)$", "hooks": [{"type": "command", "command": "check"}]}]}}"#,
        r#"/hooks/PostCompact/- {"hooks": [{"type": "command", "command": "sum"}]}
/hooks/PreToolUse/- {"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "check"}]}
runs ["sum", "check"]
"#,
    ),
    (
        "goose",
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Write", "hooks": [{"type": "command", "command": "check.sh", "timeout": 10}]}], "Stop": [{"hooks": [{"type": "command", "command": "bell"}]}], "SessionStart": [{"hooks": [{"type": "command", "command": "hello"}]}]}}"#,
        r#"/hooks/PreToolUse/- {"matcher": "^(shell|developer__shell|write|developer__write|developer__text_editor)$", "hooks": [{"type": "command", "command": "check.sh", "timeout": 10}]}
/hooks/Stop/- {"hooks": [{"type": "command", "command": "bell"}]}
/hooks/SessionStart/- {"hooks": [{"type": "command", "command": "hello"}]}
runs ["check.sh", "bell", "hello"]
Exact PreToolUse
Exact PreToolUse.command
Approximated PreToolUse.matcher: it also runs for `Edit`
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact SessionStart
Exact SessionStart.command
Exact SessionStart.type
Exact Stop
Exact Stop.command
Exact Stop.type
"#,
    ),
    (
        "antigravity",
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Write", "hooks": [{"type": "command", "command": "check.sh", "timeout": 10}]}], "Stop": [{"hooks": [{"type": "command", "command": "bell"}]}], "SessionStart": [{"hooks": [{"type": "command", "command": "hello"}]}]}}"#,
        r#"/agpm/PreToolUse/- {"matcher": "^(run_command|write_to_file)$", "hooks": [{"type": "command", "command": "check.sh", "timeout": 10}]}
/agpm/Stop/- {"type": "command", "command": "bell"}
runs ["check.sh", "bell"]
Exact PreToolUse
Exact PreToolUse.command
Exact PreToolUse.matcher
Exact PreToolUse.timeout
Exact PreToolUse.type
Dropped SessionStart: the tool has no such event: the hook does not run
Exact Stop
Exact Stop.command
Exact Stop.type
"#,
    ),
    (
        "antigravity",
        "its own form",
        r#"{"gate": {"PreToolUse": [{"matcher": "^(run_command)$", "hooks": [{"type": "command", "command": "check"}]}], "PreInvocation": [{"type": "command", "command": "remind"}]}, "off": {"enabled": false, "Stop": [{"type": "command", "command": "no"}]}}"#,
        r#"/agpm/PreToolUse/- {"matcher": "^(run_command)$", "hooks": [{"type": "command", "command": "check"}]}
/agpm/PreInvocation/- {"type": "command", "command": "remind"}
runs ["check", "remind"]
Exact PreInvocation
Exact PreToolUse
"#,
    ),
    (
        "claude-code",
        "hooks of Antigravity",
        r#"{"gate": {"PreToolUse": [{"matcher": "run_command|view_file", "hooks": [{"type": "command", "command": "check"}]}], "Stop": [{"type": "command", "command": "bell"}]}, "off": {"enabled": false, "Stop": [{"type": "command", "command": "no"}]}}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Bash|Read", "hooks": [{"type": "command", "command": "check"}]}
/hooks/Stop/- {"hooks": [{"type": "command", "command": "bell"}]}
runs ["check", "bell"]
"#,
    ),
    (
        "claude-code",
        "hooks of Goose",
        r#"{"hooks": {"AfterFileEdit": [{"matcher": "\\.rs$", "hooks": [{"type": "command", "command": "fmt"}]}], "PreToolUse": [{"matcher": "developer__shell", "hooks": [{"type": "command", "command": "check"}]}]}}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]}
runs ["check"]
Dropped AfterFileEdit: an event of Goose without a counterpart: the hook does not run
"#,
    ),
    (
        "claude-code",
        "matchers of Goose",
        r#"{"hooks": {"PreToolUse": [{"matcher": "developer__shell", "hooks": [{"type": "command", "command": "check"}]}]}}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Bash", "hooks": [{"type": "command", "command": "check"}]}
runs ["check"]
"#,
    ),
];
