//! What each tool gets of the same files, and the laws that hold for every one of them.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use agpm_diag::SourceMap;
use agpm_model::{EntryForm, FileForm, Place};
use agpm_render::{Entries, Fate, FateKind, convert_file, hook_entries, runs_of, server_entries};
use agpm_text::{Format, Limits, Value, parse, print, to_value};
use proptest::prelude::*;

/// A form, what it is about, what the author wrote, and what the tool gets with the fate of each field.
type Case<F> = (F, &'static str, &'static str, &'static str);

const FILES: &[Case<FileForm>] = &[
    (
        FileForm::CodexAgent,
        "a list that only looks",
        r#"---
# ours
name: reviewer
description: Reviews a change
tools: Read, Grep, Glob
model: sonnet
effort: high
color: blue
dependencies:
  snippets:
    - path: x.md
---
Say "what" is \ wrong.
'''
"#,
        r#"name = "reviewer"
description = "Reviews a change"
model_reasoning_effort = "high"
sandbox_mode = "read-only"
developer_instructions = """
Say "what" is \\ wrong.
'''
"""
== fates
Dropped color: it has no place there
Exact description
Exact effort: it is called `model_reasoning_effort` there
Dropped model: a name of Claude Code's
Exact name
Approximated tools: kept as read-only, not tool by tool
"#,
    ),
    (
        FileForm::CodexAgent,
        "a list that changes things",
        r#"---
description: Fixes
tools: [Read, Edit, "Bash(git *)"]
disallowedTools: WebFetch
model: gpt-5
---
Fix it.
"#,
        r#"name = "given"
description = "Fixes"
model = "gpt-5"
developer_instructions = """
Fix it.
"""
== fates
Exact description
Widened disallowedTools: there is no list of forbidden tools
Exact model
Widened tools: a list with tools that change things cannot be kept
"#,
    ),
    (
        FileForm::CodexAgent,
        "nothing but text",
        r"# The planner

Plan.
",
        r#"name = "given"
description = "The planner"
developer_instructions = """
# The planner

Plan.
"""
== fates
Approximated description: there is none; the first line of the text is taken
"#,
    ),
    (
        FileForm::CodexAgent,
        "planning, and hooks of its own",
        r"---
description: Plans
permissionMode: plan
tools: [Read, Write]
hooks: {Stop: []}
skills: [a]
sandbox_mode: workspace-write
---
Plan.
",
        r#"name = "given"
description = "Plans"
sandbox_mode = "read-only"
developer_instructions = """
Plan.
"""
== fates
Exact description
Widened hooks: it holds something back, and has no place there
Approximated permissionMode: kept as read-only
Approximated sandbox_mode: the list of tools asks for less
Dropped skills: it has no place there
Approximated tools: kept as read-only, not tool by tool
"#,
    ),
    (
        FileForm::CodexAgent,
        "its own form",
        r#"name = "x"
description = "d"
developer_instructions = "i" # kept
"#,
        r#"name = "x"
description = "d"
developer_instructions = "i" # kept
== fates
"#,
    ),
    (
        FileForm::CursorAgent,
        "a list that only looks",
        r"---
# ours
name: reviewer
description: Reviews a change
tools: [Read]
model: inherit # as it is
background: true
color: blue
dependencies: {}
---
Review.
",
        r"---
# ours
name: reviewer
description: Reviews a change
model: inherit # as it is
dependencies: {}
is_background: true
readonly: true
---
Review.
== fates
Exact background: it is called `is_background` there
Dropped color: it has no place there
Exact description
Exact model
Exact name
Approximated tools: kept as read-only, not tool by tool
",
    ),
    (
        FileForm::CursorAgent,
        "a forbidden tool",
        "---\r\ndescription: Fixes\r\ndisallowedTools: Bash\r\nisolation: worktree\r\n---\r\nFix it.\r\n",
        "---\r\ndescription: Fixes\r\nname: given\r\n---\r\nFix it.\r\n== fates\nExact description\nWidened disallowedTools: there is no list of forbidden tools\nWidened isolation: it holds something back, and has no place there\n",
    ),
    (
        FileForm::CursorAgent,
        "everything that changes is forbidden",
        r"---
description: Looks
disallowedTools: [Write, Edit, NotebookEdit, Bash]
readonly: false
---
Look.
",
        r"---
description: Looks
readonly: true
name: given
---
Look.
== fates
Exact description
Approximated disallowedTools: kept as read-only
Approximated readonly: the list of tools asks for less
",
    ),
    (
        FileForm::CopilotAgent,
        "names of tools",
        r"---
name: reviewer
description: Reviews a change
tools: Read, Grep, Glob, NotebookRead, mcp__db__query
model: opus
agpm: {templating: false}
---
Review.
",
        r"---
name: reviewer
description: Reviews a change
tools:
  - read
  - search
  - db/query
agpm: {templating: false}
---
Review.
== fates
Exact description
Dropped model: a name of Claude Code's
Exact name
Exact tools
",
    ),
    (
        FileForm::CopilotAgent,
        "names that are unknown, or mean more",
        r#"---
description: Fixes
tools: ["Bash(git:*)", Monitor]
permissionMode: plan
---
Fix it.
"#,
        r"---
description: Fixes
tools: []
name: given
---
Fix it.
== fates
Exact description
Widened permissionMode: there is no mode that forbids changes
Dropped tools: left out, because they have no name there: `Bash(git:*)`, `Monitor`
",
    ),
    (
        FileForm::CopilotAgent,
        "forbidden ones of a list",
        r"---
description: Fixes
tools: Edit, Write, Bash
disallowedTools: Write, Bash
---
Fix it.
",
        r"---
description: Fixes
tools:
  - edit
name: given
---
Fix it.
== fates
Exact description
Widened disallowedTools: there is no list of forbidden tools, and `Write` stays allowed
Approximated tools: the names there also mean `Write`, `NotebookEdit`
",
    ),
    (
        FileForm::CopilotAgent,
        "a map where a list belongs",
        r"---
description: Fixes
tools: {Write: false}
disallowedTools: {a: 1}
---
Fix it.
",
        r"---
description: Fixes
tools: []
name: given
---
Fix it.
== fates
Exact description
Widened disallowedTools: there is no list of forbidden tools, and `(no name)` stays allowed
Dropped tools: left out, because they have no name there: `(no name)`
",
    ),
    (
        FileForm::CursorAgent,
        "a map where a list belongs",
        r"---
description: Fixes
tools: {Write: false}
---
Fix it.
",
        r"---
description: Fixes
name: given
readonly: true
---
Fix it.
== fates
Exact description
Approximated tools: kept as read-only, not tool by tool
",
    ),
    (
        FileForm::CopilotAgent,
        "forbidden ones without a list",
        r#"---
description: Fixes
tools: "*"
disallowedTools: Write
permissionMode: bypassPermissions
---
Fix it.
"#,
        r#"---
description: Fixes
tools:
  - "*"
name: given
---
Fix it.
== fates
Exact description
Widened disallowedTools: there is no list of forbidden tools, and `Write` stays allowed
Dropped permissionMode: it would allow more than the tool's own default
Exact tools
"#,
    ),
    (
        FileForm::CopilotPrompt,
        "arguments",
        r#"---
description: Commits
argument-hint: "[message]"
allowed-tools: Bash(git *)
model: haiku
---
Commit $ARGUMENTS, $1 first.
!`git status`
See @docs/a.md and you@example.com
"#,
        r#"---
description: Commits
argument-hint: "[message]"
---
Commit ${input:arguments}, $1 first.
!`git status`
See @docs/a.md and you@example.com
== fates
Approximated (body): `@` files stay as text; command lines in the text are not run; single arguments such as `$1` stay as text
Dropped allowed-tools: it grants; without it the tool asks
Exact argument-hint
Exact description
Dropped model: a name of Claude Code's
"#,
    ),
    (
        FileForm::CopilotPrompt,
        "no field that stays",
        r"---
allowed-tools: Bash
---
Do it.
",
        r"Do it.
== fates
Dropped allowed-tools: it grants; without it the tool asks
",
    ),
    (
        FileForm::GeminiAgent,
        "names of tools",
        r"---
name: Code Reviewer
description: Reviews a change
tools: Read, Edit, MultiEdit, Bash, NotebookEdit
maxTurns: 5
model: inherit
color: blue
dependencies: {}
---
Review.
",
        r"---
name: code-reviewer
description: Reviews a change
tools:
  - read_file
  - replace
  - run_shell_command
model: inherit
max_turns: 5
---
Review.
== fates
Dropped color: it has no place there
Exact description
Exact maxTurns: it is called `max_turns` there
Exact model
Approximated name: `code-reviewer` there
Dropped tools: left out, because they have no name there: `NotebookEdit`
",
    ),
    (
        FileForm::GeminiAgent,
        "no names at all",
        r"---
name: reviewer
description: Reviews
tools: []
model: gemini-3-pro
memory:
---
Review.
",
        r"---
name: reviewer
description: Reviews
tools: []
model: gemini-3-pro
---
Review.
== fates
Exact description
Dropped memory: it is empty
Exact model
Exact name
Exact tools
",
    ),
    (
        FileForm::GeminiCommand,
        "what is replaced",
        r#"---
description: Commits
argument-hint: "[message]"
allowed-tools: Bash(git *)
---
Commit $ARGUMENTS.
!`git log $ARGUMENTS` @docs/a.md. me@x.de @alice
!`echo }` $2 and !{rm} """
"#,
        r#"description = "Commits"
prompt = """
Commit {{args}}.
!{git log {{args}}} @{docs/a.md}. me@x.de @alice
!`echo }` $2 and ! {rm} ""\"
"""
== fates
Approximated (body): a command line with odd braces is not run; a space is put into what would be run or read there; single arguments such as `$1` stay as text
Dropped allowed-tools: it grants; without it the tool asks
Dropped argument-hint: it has no place there
Exact description
"#,
    ),
    (
        FileForm::GeminiCommand,
        "its own form",
        r#"prompt = "Do {{args}}"
"#,
        r#"prompt = "Do {{args}}"
== fates
"#,
    ),
    (
        FileForm::CopilotHooks,
        "the simple form",
        r#"{"events": ["PreToolUse", "PostToolUse", "PostCompact"], "matcher": "Edit|Write", "command": "./check.sh", "timeout": 10}"#,
        r#"{
  "version": 1,
  "hooks": {
    "PreToolUse": [
      {
        "type": "command",
        "matcher": "Edit|Write",
        "bash": "./check.sh",
        "timeoutSec": 10
      }
    ],
    "PostToolUse": [
      {
        "type": "command",
        "matcher": "edit|str_replace_editor|apply_patch|create",
        "bash": "./check.sh",
        "timeoutSec": 10
      }
    ]
  }
}
== fates
Dropped PostCompact: there is no such event there: the hook does not run
Exact PostToolUse
Exact PostToolUse.command
Approximated PostToolUse.matcher: VS Code does not look at it, and runs the hook each time
Exact PostToolUse.timeout
Exact PostToolUse.type
Exact PreToolUse
Exact PreToolUse.command
Approximated PreToolUse.matcher: VS Code does not look at it, and runs the hook each time
Exact PreToolUse.timeout
Exact PreToolUse.type
"#,
    ),
    (
        FileForm::CopilotHooks,
        "settings of Claude Code's",
        r#"{"hooks": {"SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "a"}]}, {"hooks": [{"type": "command", "command": "$CLAUDE_PROJECT_DIR/b", "async": true}, {"type": "prompt", "prompt": "p"}]}], "Notification": [{"matcher": "permission_prompt|idle_prompt", "hooks": [{"type": "command", "command": "c"}]}]}, "permissions": {}}"#,
        r#"{
  "version": 1,
  "hooks": {
    "SessionStart": [
      {
        "type": "command",
        "bash": "$CLAUDE_PROJECT_DIR/b"
      }
    ],
    "notification": [
      {
        "type": "command",
        "matcher": "permission_prompt",
        "bash": "c"
      }
    ]
  }
}
== fates
Exact Notification: `notification` there
Exact Notification.command
Approximated Notification.matcher: it does not run for `idle_prompt`; VS Code does not look at it, and runs the hook each time
Exact Notification.type
Exact SessionStart
Dropped SessionStart: nothing of it can be said there: the hook does not run
Dropped SessionStart.async: the tool waits for the hook
Approximated SessionStart.command: Claude Code's variables are not set there
Dropped SessionStart.matcher: it cannot be said there, and without it the hook would run too often: the entry is left out
Exact SessionStart.type
Dropped SessionStart.type: hooks of the type `prompt` do not run there: it is left out
Dropped permissions: only `hooks` of a settings file are taken
"#,
    ),
    (
        FileForm::CopilotHooks,
        "its own form",
        r#"{"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "x"}]}}
"#,
        r#"{"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "x"}]}}
== fates
"#,
    ),
];

const HOOKS: &[Case<EntryForm>] = &[
    (
        EntryForm::ClaudeHooks,
        "the simple form",
        r#"{"events": ["PreToolUse", "Stop", "SubagentStop"], "matcher": "Edit|Write", "command": "./check.sh", "timeout": 10, "statusMessage": "…", "dependencies": {}}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10, "statusMessage": "…"}]}
/hooks/Stop/- {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10, "statusMessage": "…"}]}
/hooks/SubagentStop/- {"matcher": "Edit|Write", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10, "statusMessage": "…"}]}
runs ["./check.sh"]
"#,
    ),
    (
        EntryForm::ClaudeHooks,
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}, {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}, {"matcher": "Read|X", "hooks": [{"command": "c"}]}], "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}], "Setup": [{"hooks": [{"type": "command", "command": "e"}]}], "UserPromptSubmit": [{"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}]}, "model": "x"}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}
/hooks/PreToolUse/- {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}
/hooks/PreToolUse/- {"matcher": "Read|X", "hooks": [{"command": "c"}]}
/hooks/SessionStart/- {"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}
/hooks/Setup/- {"hooks": [{"type": "command", "command": "e"}]}
/hooks/UserPromptSubmit/- {"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}
runs ["a", "b", "c", "d", "e", "f"]
Dropped model: only `hooks` of a settings file are taken
"#,
    ),
    (
        EntryForm::CodexHooks,
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
Approximated SubagentStop.matcher: versions that do not look at it run the hook each time
Exact SubagentStop.statusMessage
Exact SubagentStop.timeout
Exact SubagentStop.type
"#,
    ),
    (
        EntryForm::CodexHooks,
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}, {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}, {"matcher": "Read|X", "hooks": [{"command": "c"}]}], "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}], "Setup": [{"hooks": [{"type": "command", "command": "e"}]}], "UserPromptSubmit": [{"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}]}, "model": "x"}"#,
        r#"/hooks/PreToolUse/- {"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5}]}
/hooks/PreToolUse/- {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}
/hooks/SessionStart/- {"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}
runs ["a", "b", "d"]
Exact PreToolUse
Widened PreToolUse: nothing of it can be said there: the hook does not run
Exact PreToolUse.command
Exact PreToolUse.matcher
Dropped PreToolUse.matcher: no tool there is `Read`, `X`: the entry is left out
Approximated PreToolUse.once: the hook runs each time, and not only once
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact SessionStart
Exact SessionStart.command
Exact SessionStart.matcher
Exact SessionStart.type
Dropped Setup: there is no such event there: the hook does not run
Widened UserPromptSubmit: nothing of it can be said there: the hook does not run
Dropped UserPromptSubmit.if: it cannot be said there, and without it the hook would run too often: it is left out
Exact UserPromptSubmit.matcher
Dropped model: only `hooks` of a settings file are taken
"#,
    ),
    (
        EntryForm::CursorHooks,
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
Dropped PreToolUse.statusMessage: it has no place there
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact Stop: `stop` there
Exact Stop.command
Exact Stop.matcher
Dropped Stop.statusMessage: it has no place there
Exact Stop.timeout
Exact Stop.type
Exact SubagentStop: `subagentStop` there
Exact SubagentStop.command
Approximated SubagentStop.matcher: versions that do not look at it run the hook each time
Dropped SubagentStop.statusMessage: it has no place there
Exact SubagentStop.timeout
Exact SubagentStop.type
"#,
    ),
    (
        EntryForm::CursorHooks,
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}, {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}, {"matcher": "Read|X", "hooks": [{"command": "c"}]}], "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}], "Setup": [{"hooks": [{"type": "command", "command": "e"}]}], "UserPromptSubmit": [{"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}]}, "model": "x"}"#,
        r#"/version? 1
/hooks/preToolUse/- {"command": "a", "matcher": "Shell", "timeout": 1.5}
/hooks/preToolUse/- {"command": "c", "matcher": "Read"}
runs ["a", "c"]
Exact PreToolUse: `preToolUse` there
Widened PreToolUse: nothing of it can be said there: the hook does not run
Exact PreToolUse.command
Exact PreToolUse.matcher
Approximated PreToolUse.matcher: it does not run for `X`, unknown there
Dropped PreToolUse.matcher: it cannot be said there, and without it the hook would run too often: the entry is left out
Approximated PreToolUse.once: the hook runs each time, and not only once
Exact PreToolUse.timeout
Exact PreToolUse.type
Dropped SessionStart: nothing of it can be said there: the hook does not run
Dropped SessionStart.matcher: it cannot be said there, and without it the hook would run too often: the entry is left out
Dropped Setup: there is no such event there: the hook does not run
Widened UserPromptSubmit: nothing of it can be said there: the hook does not run
Dropped UserPromptSubmit.if: it cannot be said there, and without it the hook would run too often: it is left out
Exact UserPromptSubmit.matcher
Dropped model: only `hooks` of a settings file are taken
"#,
    ),
    (
        EntryForm::GeminiHooks,
        "the simple form",
        r#"{"events": ["PreToolUse", "Stop", "SubagentStop"], "matcher": "Edit|Write", "command": "./check.sh", "timeout": 10, "statusMessage": "…", "dependencies": {}}"#,
        r#"/hooks/BeforeTool/- {"matcher": "^(replace|write_file)$", "hooks": [{"type": "command", "command": "./check.sh", "timeout": 10000}]}
/hooks/AfterAgent/- {"hooks": [{"type": "command", "command": "./check.sh", "timeout": 10000}]}
runs ["./check.sh"]
Exact PreToolUse: `BeforeTool` there
Exact PreToolUse.command
Exact PreToolUse.matcher
Dropped PreToolUse.statusMessage: it has no place there
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact Stop: `AfterAgent` there
Exact Stop.command
Exact Stop.matcher
Dropped Stop.statusMessage: it has no place there
Exact Stop.timeout
Exact Stop.type
Dropped SubagentStop: there is no such event there: the hook does not run
"#,
    ),
    (
        EntryForm::GeminiHooks,
        "settings of Claude Code's",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 1.5, "once": true}]}, {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "b"}]}, {"matcher": "Read|X", "hooks": [{"command": "c"}]}], "SessionStart": [{"matcher": "startup|compact", "hooks": [{"type": "command", "command": "d"}]}], "Setup": [{"hooks": [{"type": "command", "command": "e"}]}], "UserPromptSubmit": [{"matcher": "x", "hooks": [{"type": "command", "command": "f", "if": "Bash(git *)"}]}]}, "model": "x"}"#,
        r#"/hooks/BeforeTool/- {"matcher": "^(run_shell_command)$", "hooks": [{"type": "command", "command": "a", "timeout": 1500}]}
/hooks/BeforeTool/- {"matcher": "^(read_file)$", "hooks": [{"type": "command", "command": "c"}]}
/hooks/SessionStart/- {"matcher": "startup", "hooks": [{"type": "command", "command": "d"}]}
runs ["a", "c", "d"]
Exact PreToolUse: `BeforeTool` there
Widened PreToolUse: nothing of it can be said there: the hook does not run
Exact PreToolUse.command
Exact PreToolUse.matcher
Approximated PreToolUse.matcher: it does not run for `X`, unknown there
Dropped PreToolUse.matcher: it cannot be said there, and without it the hook would run too often: the entry is left out
Approximated PreToolUse.once: the hook runs each time, and not only once
Exact PreToolUse.timeout
Exact PreToolUse.type
Exact SessionStart
Exact SessionStart.command
Approximated SessionStart.matcher: it does not run for `compact`
Exact SessionStart.type
Dropped Setup: there is no such event there: the hook does not run
Widened UserPromptSubmit: nothing of it can be said there: the hook does not run
Dropped UserPromptSubmit.if: it cannot be said there, and without it the hook would run too often: it is left out
Exact UserPromptSubmit.matcher
Dropped model: only `hooks` of a settings file are taken
"#,
    ),
    (
        EntryForm::ClaudeHooks,
        "switched off",
        r#"{"events": ["Stop"], "command": "x", "enabled": false}"#,
        r"runs []
",
    ),
    (
        EntryForm::ClaudeHooks,
        "switched on",
        r#"{"events": ["Stop", "Stop"], "command": "x", "enabled": true, "agpm": {}}"#,
        r#"/hooks/Stop/- {"hooks": [{"type": "command", "command": "x"}]}
runs ["x"]
"#,
    ),
    (
        EntryForm::CodexHooks,
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
        EntryForm::CursorHooks,
        "its own form",
        r#"{"version": 1, "hooks": {"afterFileEdit": [{"command": "x"}], "stop": [{"command": "y"}]}}"#,
        r#"/version? 1
/hooks/afterFileEdit/- {"command": "x"}
/hooks/stop/- {"command": "y"}
runs ["x", "y"]
Exact afterFileEdit
Exact stop
Dropped version: only `hooks` of a settings file are taken
"#,
    ),
    (
        EntryForm::GeminiHooks,
        "its own form",
        r#"{"hooks": {"BeforeTool": [{"matcher": "glob", "hooks": [{"type": "command", "command": "x", "timeout": 5000}]}]}}"#,
        r#"/hooks/BeforeTool/- {"matcher": "glob", "hooks": [{"type": "command", "command": "x", "timeout": 5000}]}
runs ["x"]
Exact BeforeTool
"#,
    ),
];

const SERVERS: &[Case<EntryForm>] = &[
    (
        EntryForm::ClaudeServers,
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcpServers/given {"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true}
runs ["npx -y fs ${ROOT:-/tmp}"]
"#,
    ),
    (
        EntryForm::ClaudeServers,
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/mcpServers/web {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}
/mcpServers/feed {"type": "sse", "url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Dropped inputs: only `mcpServers` of a file are taken
"#,
    ),
    (
        EntryForm::ClaudeServers,
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcpServers/given {"command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${TOKEN}"}}
runs ["npx -y fs"]
Exact given.command
Exact given.enabled
Exact given.environment
Dropped given.timeout: it has no place there
Exact given.type
"#,
    ),
    (
        EntryForm::OpenCodeServers,
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcp/given {"type": "local", "command": ["npx", "-y", "fs", "{env:ROOT}"], "environment": {"TOKEN": "{env:TOKEN}", "MODE": "a", "LEVEL": "{env:LOG}", "KEY": "k-{env:KEY}"}, "cwd": "sub"}
runs ["npx -y fs {env:ROOT}"]
Dropped given.alwaysLoad: it has no place there
Approximated given.args: the default of a variable cannot be said there
Exact given.command
Exact given.cwd
Approximated given.env: the default of a variable cannot be said there
Widened given.includeTools: it holds something back, and has no place there
"#,
    ),
    (
        EntryForm::OpenCodeServers,
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/mcp/web {"type": "remote", "url": "https://x/mcp", "headers": {"Authorization": "Bearer {env:TOKEN}", "X-Key": "{env:KEY}", "X-Plain": "p", "X-Odd": "a{env:B}"}}
/mcp/feed {"type": "remote", "url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Exact feed.type
Exact feed.url
Dropped inputs: only `mcpServers` of a file are taken
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        EntryForm::OpenCodeServers,
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcp/given {"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}
runs ["npx -y fs"]
"#,
    ),
    (
        EntryForm::CodexServers,
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcp_servers/given command = "npx"
args = ["-y", "fs", "/tmp"]
env_vars = ["TOKEN"]
cwd = "sub"
enabled_tools = ["read"]

[env]
MODE = "a"
LEVEL = "info"
runs ["npx -y fs /tmp"]
Dropped given.alwaysLoad: it has no place there
Approximated given.args: variables are not replaced there
Exact given.command
Exact given.cwd
Approximated given.env: `LEVEL` is always its default; `KEY` has to be set where Codex is started
Exact given.includeTools: it is called `enabled_tools` there
"#,
    ),
    (
        EntryForm::CodexServers,
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/mcp_servers/web url = "https://x/mcp"
bearer_token_env_var = "TOKEN"

[http_headers]
X-Plain = "p"

[env_http_headers]
X-Key = "KEY"
/mcp_servers/feed url = "https://x/sse"
runs ["https://x/mcp", "https://x/sse"]
Approximated feed.type: a server that sends events is asked like any other
Exact feed.url
Dropped inputs: only `mcpServers` of a file are taken
Approximated web.headers: `X-Odd` cannot be put together there, and is not sent
Exact web.type
Exact web.url
"#,
    ),
    (
        EntryForm::CodexServers,
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcp_servers/given command = "npx"
args = ["-y", "fs"]
env_vars = ["TOKEN"]
runs ["npx -y fs"]
Exact given.command
Exact given.enabled
Exact given.environment
Dropped given.timeout: it has no place there
Exact given.type
"#,
    ),
    (
        EntryForm::CursorServers,
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcpServers/given {"command": "npx", "args": ["-y", "fs", "${env:ROOT}"], "env": {"TOKEN": "${env:TOKEN}", "MODE": "a", "LEVEL": "${env:LOG}", "KEY": "k-${env:KEY}"}}
runs ["npx -y fs ${env:ROOT}"]
Dropped given.alwaysLoad: it has no place there
Approximated given.args: the default of a variable cannot be said there
Exact given.command
Dropped given.cwd: it has no place there
Approximated given.env: the default of a variable cannot be said there
Widened given.includeTools: it holds something back, and has no place there
"#,
    ),
    (
        EntryForm::CursorServers,
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/mcpServers/web {"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}", "X-Key": "${env:KEY}", "X-Plain": "p", "X-Odd": "a${env:B}"}}
/mcpServers/feed {"url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Exact feed.type
Exact feed.url
Dropped inputs: only `mcpServers` of a file are taken
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        EntryForm::CursorServers,
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcpServers/given {"command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${env:TOKEN}"}}
runs ["npx -y fs"]
Exact given.command
Exact given.enabled
Exact given.environment
Dropped given.timeout: it has no place there
Exact given.type
"#,
    ),
    (
        EntryForm::GeminiServers,
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcpServers/given {"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"]}
runs ["npx -y fs ${ROOT:-/tmp}"]
Dropped given.alwaysLoad: it has no place there
Approximated given.args: older versions do not know defaults of variables
Exact given.command
Exact given.cwd
Approximated given.env: older versions do not know defaults of variables
Exact given.includeTools
"#,
    ),
    (
        EntryForm::GeminiServers,
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/mcpServers/web {"httpUrl": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}
/mcpServers/feed {"url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Exact feed.type
Exact feed.url
Dropped inputs: only `mcpServers` of a file are taken
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        EntryForm::GeminiServers,
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcpServers/given {"command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${TOKEN}"}}
runs ["npx -y fs"]
Exact given.command
Exact given.enabled
Exact given.environment
Dropped given.timeout: it has no place there
Exact given.type
"#,
    ),
    (
        EntryForm::VsCodeServers,
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/servers/given {"type": "stdio", "command": "npx", "args": ["-y", "fs", "${env:ROOT}"], "env": {"TOKEN": "${env:TOKEN}", "MODE": "a", "LEVEL": "${env:LOG}", "KEY": "k-${env:KEY}"}, "cwd": "sub"}
runs ["npx -y fs ${env:ROOT}"]
Dropped given.alwaysLoad: it has no place there
Approximated given.args: the default of a variable cannot be said there
Exact given.command
Exact given.cwd
Approximated given.env: the default of a variable cannot be said there
Widened given.includeTools: it holds something back, and has no place there
"#,
    ),
    (
        EntryForm::VsCodeServers,
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/servers/web {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}", "X-Key": "${env:KEY}", "X-Plain": "p", "X-Odd": "a${env:B}"}}
/servers/feed {"type": "sse", "url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Exact feed.type
Exact feed.url
Dropped inputs: only `mcpServers` of a file are taken
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        EntryForm::VsCodeServers,
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/servers/given {"type": "stdio", "command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${env:TOKEN}"}}
runs ["npx -y fs"]
Exact given.command
Exact given.enabled
Exact given.environment
Dropped given.timeout: it has no place there
Exact given.type
"#,
    ),
    (
        EntryForm::ClaudeServers,
        "switched off in OpenCode's form",
        r#"{"type": "remote", "url": "https://x", "enabled": false}"#,
        r"runs []
Dropped given.enabled: it is switched off, which cannot be said there: it is left out
",
    ),
    (
        EntryForm::OpenCodeServers,
        "switched off",
        r#"{"url": "https://x", "disabled": true}"#,
        r#"/mcp/given {"type": "remote", "url": "https://x", "enabled": false}
runs ["https://x"]
Exact given.disabled
Exact given.url
"#,
    ),
    (
        EntryForm::CodexServers,
        "switched off",
        r#"{"command": "x", "disabled": true}"#,
        r#"/mcp_servers/given command = "x"
enabled = false
runs ["x"]
Exact given.command
Exact given.disabled
"#,
    ),
    (
        EntryForm::CursorServers,
        "a socket",
        r#"{"type": "ws", "url": "wss://x"}"#,
        r"runs []
Dropped given.type: sockets are unknown there: the server is left out
",
    ),
];

const FILE_FORMS: [FileForm; 8] = [
    FileForm::Same,
    FileForm::CodexAgent,
    FileForm::CursorAgent,
    FileForm::CopilotAgent,
    FileForm::CopilotPrompt,
    FileForm::CopilotHooks,
    FileForm::GeminiAgent,
    FileForm::GeminiCommand,
];

const MARKDOWN: [FileForm; 6] = [
    FileForm::CodexAgent,
    FileForm::CursorAgent,
    FileForm::CopilotAgent,
    FileForm::CopilotPrompt,
    FileForm::GeminiAgent,
    FileForm::GeminiCommand,
];

const ENTRY_FORMS: [EntryForm; 10] = [
    EntryForm::ClaudeHooks,
    EntryForm::ClaudeServers,
    EntryForm::OpenCodeServers,
    EntryForm::CodexHooks,
    EntryForm::CodexServers,
    EntryForm::CursorHooks,
    EntryForm::CursorServers,
    EntryForm::GeminiHooks,
    EntryForm::GeminiServers,
    EntryForm::VsCodeServers,
];

fn told(fates: &[Fate]) -> String {
    let mut out = String::new();
    for Fate { field, kind, note } in fates {
        let colon = if note.is_empty() { "" } else { ": " };
        writeln!(out, "{kind:?} {field}{colon}{note}").unwrap();
    }
    out
}

fn shown(form: EntryForm, found: &Entries) -> String {
    let mut out = String::new();
    for node in &found.nodes {
        let place = match &node.place {
            Place::Key(at) => format!("{at}"),
            Place::Item(at) => format!("{at}/-"),
            Place::Default(at) => format!("{at}?"),
        };
        let value = match form {
            EntryForm::CodexServers => print(&node.value, Format::Toml).unwrap(),
            _ => line(&node.value) + "\n",
        };
        write!(out, "{place} {value}").unwrap();
    }
    writeln!(out, "runs {:?}", runs(found)).unwrap();
    out + &told(&found.fates)
}

/// JSON on one line.
fn runs(found: &Entries) -> Vec<String> {
    runs_of(&Value::List(found.nodes.iter().map(|node| node.value.clone()).collect()))
}

fn line(value: &Value) -> String {
    let lines = value.to_json();
    let lines: Vec<&str> = lines.lines().map(str::trim_start).collect();
    lines.join(" ").replace("[ ", "[").replace(" ]", "]").replace("{ ", "{").replace(" }", "}")
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
        let found = convert_file(*form, "given", text).unwrap();
        let found = format!("{}== fates\n{}", found.text, told(&found.fates));
        assert_eq!(found, *expected, "{form:?}: {about}");
    }
}

#[test]
fn hooks_come_out_as_each_tool_reads_them() {
    for (form, about, text, expected) in HOOKS {
        let found = hook_entries(*form, "given", &json(text)).unwrap();
        assert_eq!(shown(*form, &found), *expected, "{form:?}: {about}");
    }
}

#[test]
fn servers_come_out_as_each_tool_reads_them() {
    for (form, about, text, expected) in SERVERS {
        let found = server_entries(*form, "given", &json(text)).unwrap();
        assert_eq!(shown(*form, &found), *expected, "{form:?}: {about}");
    }
}

#[test]
fn wrong_hooks_are_told_with_the_way_to_write_them() {
    for (text, expected) in [
        ("[]", "the hook `given` is no map"),
        ("{}", "the hook `given` has no `events`"),
        (r#"{"events": "Stop"}"#, "the hook `given` has `events` that are no list of names"),
        (r#"{"events": [1]}"#, "the hook `given` has `events` that are no list of names"),
        (r#"{"events": []}"#, "the hook `given` has no event in `events`"),
        (r#"{"events": ["Stop"]}"#, "the hook `given` has no `command`"),
        (r#"{"events": ["Stop"], "command": ["x"]}"#, "the hook `given` has no `command`"),
        (r#"{"events": ["Stop"], "type": 1}"#, "the hook `given` has a `type` that is no text"),
        (
            r#"{"events": ["Stop"], "command": "x", "matcher": []}"#,
            "the hook `given` has a `matcher` that is no text",
        ),
        (
            r#"{"events": ["Stop"], "command": "x", "enabled": "no"}"#,
            "the hook `given` has an `enabled` that is neither true nor false",
        ),
        (r#"{"events": ["Stop"], "hooks": {}}"#, "the hook `given` has both `events` and `hooks`"),
        (r#"{"hooks": []}"#, "the hook `given`: `hooks` is no map of events"),
        (r#"{"hooks": {"Stop": {}}}"#, "the hook `given`: `Stop` is no list"),
        (r#"{"hooks": {"Stop": [1]}}"#, "the hook `given`: an item of `Stop` is no map"),
    ] {
        for form in [EntryForm::ClaudeHooks, EntryForm::GeminiHooks] {
            assert_eq!(hook_entries(form, "given", &json(text)).unwrap_err().message, expected, "{text}");
        }
    }
    let flat = json(r#"{"hooks": {"Stop": [{"command": "x"}]}}"#);
    assert!(hook_entries(EntryForm::ClaudeHooks, "given", &flat).is_ok());
    let error = hook_entries(EntryForm::CodexHooks, "given", &flat).unwrap_err();
    assert_eq!(error.message, "a group of `Stop` has no list `hooks`");
}

#[test]
fn wrong_servers_are_told_with_the_way_to_write_them() {
    for (text, expected) in [
        ("1", "the server `given` is no map"),
        ("{}", "the server `given` has no `command` and no `url`"),
        (r#"{"command": 1}"#, "the server `given` has a `command` that is neither a text nor a list of them"),
        (
            r#"{"command": []}"#,
            "the server `given` has a `command` that is neither a text nor a list of them",
        ),
        (r#"{"command": "x", "args": "y"}"#, "the server `given` has `args` that are no list of texts"),
        (r#"{"command": "x", "env": []}"#, "the server `given` has `env` that is no map of texts"),
        (r#"{"mcpServers": []}"#, "`mcpServers` of `given` is no map"),
        (r#"{"mcpServers": {"a": {"args": []}}}"#, "the server `a` has no `command` and no `url`"),
    ] {
        for form in [EntryForm::ClaudeServers, EntryForm::OpenCodeServers, EntryForm::CodexServers] {
            assert_eq!(server_entries(form, "given", &json(text)).unwrap_err().message, expected, "{text}");
        }
    }
}

#[test]
fn what_does_not_parse_is_told_with_its_place() {
    let error = convert_file(FileForm::CodexAgent, "given", "---\nname: [\n---\n").unwrap_err();
    assert!(error.at.is_some(), "{error}");
    assert!(convert_file(FileForm::CopilotHooks, "given", "{").unwrap_err().at.is_some());
    assert!(convert_file(FileForm::CopilotHooks, "given", "").is_err());
}

/// The format of a form's files.
fn format_of(form: FileForm) -> Format {
    match form.ending() {
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
    prop::collection::vec((any_line(), prop::sample::select(vec!["\n", "\r\n", "\n\n", ""])), 0..5)
        .prop_map(|lines| lines.into_iter().flat_map(|(line, end)| [line, end.to_owned()]).collect())
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
            Value::map(pairs.into_iter().filter(|(key, _)| seen.insert(*key)).collect::<Vec<_>>())
        });
        prop_oneof![2 => map, 1 => prop::collection::vec(inner, 0..3).prop_map(Value::List)]
    })
}

proptest! {
    #[test]
    fn every_field_has_one_fate_and_the_result_reads(
        fields in prop::collection::btree_map(any_key(), any_field(), 1..7).prop_map(Value::map),
        body in any_body(),
    ) {
        let written = keys(&fields);
        for form in MARKDOWN {
            let found = convert_file(form, "given", &agent(&fields, &body)).unwrap();
            prop_assert!(found.fates.is_sorted_by_key(|fate| &fate.field), "{:?}", found.fates);
            let told: Vec<String> = found.fates.iter().map(|fate| fate.field.clone()).collect();
            let once: BTreeSet<String> = told.iter().cloned().collect();
            prop_assert_eq!(told.len(), once.len(), "{:?}", told);
            let ours = |key: &String| key != "dependencies" && key != "agpm";
            let extra = |key: &String| key == "(body)" || key == "description" && !written.contains(key);
            let told: BTreeSet<String> = once.into_iter().filter(|key| !extra(key)).collect();
            let expected: BTreeSet<String> = written.iter().filter(|key| ours(key)).cloned().collect();
            prop_assert_eq!(told, expected, "{:?}", form);
            value(&found.text, format_of(form));
        }
    }

    #[test]
    fn a_body_comes_through_byte_by_byte(
        fields in prop::collection::btree_map(any_key(), any_field(), 1..4).prop_map(Value::map),
        body in any_body(),
    ) {
        let text = agent(&fields, &body);
        let codex = convert_file(FileForm::CodexAgent, "given", &text).unwrap().text;
        let codex = value(&codex, Format::Toml).unwrap();
        prop_assert_eq!(codex.get("developer_instructions").and_then(Value::as_str), Some(body.as_str()));
        for form in [FileForm::CursorAgent, FileForm::CopilotAgent, FileForm::GeminiAgent] {
            let found = convert_file(form, "given", &text).unwrap().text;
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
            (FileForm::CodexAgent, "sandbox_mode"),
            (FileForm::CursorAgent, "readonly"),
            (FileForm::CopilotAgent, "tools"),
            (FileForm::GeminiAgent, "tools"),
        ] {
            let found = convert_file(form, "given", &agent(&fields, "")).unwrap();
            let limited = value(&found.text, format_of(form)).unwrap().get(limit).is_some();
            let fate = found.fates.iter().find(|fate| fate.field == "tools").unwrap();
            let free = fate.kind == FateKind::Widened || line(&fields).contains("\"*\"");
            prop_assert!(limited || free, "{form:?}: {fate:?}");
        }
    }

    #[test]
    fn nothing_makes_entries_fall(value in any_value()) {
        for form in ENTRY_FORMS {
            for found in [hook_entries(form, "x", &value), server_entries(form, "x", &value)].into_iter().flatten() {
                prop_assert!(found.fates.is_sorted());
                for node in &found.nodes {
                    print(&node.value, Format::Json).unwrap();
                }
                let runs = runs(&found);
                let shown: BTreeSet<&String> = runs.iter().collect();
                prop_assert_eq!(shown.len(), runs.len());
            }
        }
        let text = value.to_json();
        for form in FILE_FORMS {
            drop(convert_file(form, "x", &text));
        }
        drop(runs_of(&value));
    }

    #[test]
    fn codex_servers_are_toml(value in any_value()) {
        if let Ok(found) = server_entries(EntryForm::CodexServers, "x", &value) {
            for node in &found.nodes {
                prop_assert!(print(&node.value, Format::Toml).is_ok(), "{:?}", node.value);
            }
        }
    }
}

#[test]
fn a_head_that_is_no_yaml_is_read_line_by_line() {
    let text =
        "---\nname: rev\ndescription: Use it when: a change is there. \"Now\"\ntools: Read\n---\nbody\n";
    let converted = convert_file(FileForm::CodexAgent, "rev", text).unwrap();
    assert_eq!(
        converted.text,
        "name = \"rev\"\ndescription = \"Use it when: a change is there. \\\"Now\\\"\"\nsandbox_mode = \"read-only\"\n\
         developer_instructions = \"\"\"\nbody\n\"\"\"\n"
    );
    let told = converted.fates.iter().find(|fate| fate.field == "(front matter)").unwrap();
    assert_eq!(told.kind, FateKind::Approximated);
    // What holds more than lines is not guessed at.
    for head in ["a: [", "a: b: c\n  - d", "a: b: c\na: d", "a: b: c\nb: |"] {
        let text = format!("---\n{head}\n---\nbody\n");
        assert!(convert_file(FileForm::CodexAgent, "x", &text).is_err(), "{head}");
    }
}
