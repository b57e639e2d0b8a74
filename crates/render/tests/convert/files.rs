//! Agents, commands and hook files converted for each tool.

use crate::{Case, Form};

pub(crate) const FILES: &[Case<Form>] = &[
    (
        Form::Agent("codex"),
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
== outcomes
Dropped color: the tool does not support it
Exact description
Exact effort: the tool calls it `model_reasoning_effort`
Dropped model: a Claude Code-specific name
Exact name
Approximated tools: kept as read-only, not tool by tool
"#,
    ),
    (
        Form::Agent("codex"),
        "a list that changes things",
        r#"---
description: Fixes
tools: [Read, Edit, "Bash(git *)"]
disallowedTools: WebFetch
model: gpt-5
---
Fix it.
"#,
        r#"name = "sample"
description = "Fixes"
model = "gpt-5"
developer_instructions = """
Fix it.
"""
== outcomes
Exact description
Widened disallowedTools: the tool cannot deny single tools
Exact model
Widened tools: the tool can restrict only read-only agents
"#,
    ),
    (
        Form::Agent("codex"),
        "nothing but text",
        r"# The planner

Plan.
",
        r#"name = "sample"
description = "The planner"
developer_instructions = """
# The planner

Plan.
"""
== outcomes
Approximated description: missing; the first line of the body is used
"#,
    ),
    (
        Form::Agent("codex"),
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
        r#"name = "sample"
description = "Plans"
sandbox_mode = "read-only"
developer_instructions = """
Plan.
"""
== outcomes
Exact description
Widened hooks: it restricts something, and the tool does not support it
Approximated permissionMode: kept as read-only
Approximated sandbox_mode: the list of tools is narrower
Dropped skills: the tool does not support it
Approximated tools: kept as read-only, not tool by tool
"#,
    ),
    (
        Form::Agent("codex"),
        "its own form",
        r#"name = "x"
description = "d"
developer_instructions = "i" # kept
"#,
        r#"name = "x"
description = "d"
developer_instructions = "i" # kept
== outcomes
"#,
    ),
    (
        Form::Agent("cursor"),
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
== outcomes
Exact background: the tool calls it `is_background`
Dropped color: the tool does not support it
Exact description
Exact model
Exact name
Approximated tools: kept as read-only, not tool by tool
",
    ),
    (
        Form::Agent("cursor"),
        "a forbidden tool",
        "---\r\ndescription: Fixes\r\ndisallowedTools: Bash\r\nisolation: worktree\r\n---\r\nFix it.\r\n",
        "---\r\ndescription: Fixes\r\nname: sample\r\n---\r\nFix it.\r\n== outcomes\nExact description\nWidened disallowedTools: the tool cannot deny single tools\nWidened isolation: it restricts something, and the tool does not support it\n",
    ),
    (
        Form::Agent("cursor"),
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
name: sample
---
Look.
== outcomes
Exact description
Approximated disallowedTools: kept as read-only
Approximated readonly: the list of tools is narrower
",
    ),
    (
        Form::Agent("copilot"),
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
== outcomes
Exact description
Dropped model: a Claude Code-specific name
Exact name
Exact tools
",
    ),
    (
        Form::Agent("copilot"),
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
name: sample
---
Fix it.
== outcomes
Exact description
Widened permissionMode: the tool has no read-only mode
Approximated tools: without `Bash(git:*)`, `Monitor`, which the tool does not have
",
    ),
    (
        Form::Agent("copilot"),
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
name: sample
---
Fix it.
== outcomes
Exact description
Widened disallowedTools: the tool has no deny list, so `Write` stays allowed
Approximated tools: the tool's names also include `Write`, `NotebookEdit`
",
    ),
    (
        Form::Agent("copilot"),
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
name: sample
---
Fix it.
== outcomes
Exact description
Widened disallowedTools: the tool has no deny list, so `(no name)` stays allowed
Approximated tools: without `(no name)`, which the tool does not have
",
    ),
    (
        Form::Agent("cursor"),
        "a map where a list belongs",
        r"---
description: Fixes
tools: {Write: false}
---
Fix it.
",
        r"---
description: Fixes
name: sample
---
Fix it.
== outcomes
Exact description
Widened tools: the tool cannot deny single tools
",
    ),
    (
        Form::Agent("copilot"),
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
name: sample
---
Fix it.
== outcomes
Exact description
Widened disallowedTools: the tool has no deny list, so `Write` stays allowed
Dropped permissionMode: it would allow more than the tool's own default
Exact tools
"#,
    ),
    (
        Form::Command("copilot"),
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
== outcomes
Approximated (body): `@` files are not replaced; command lines in the body are not run; single arguments such as `$1` are not replaced
Dropped allowed-tools: it grants permissions; without it the tool asks
Exact argument-hint
Exact description
Dropped model: a Claude Code-specific name
"#,
    ),
    (
        Form::Command("copilot"),
        "no field that stays",
        r"---
allowed-tools: Bash
---
Do it.
",
        r"Do it.
== outcomes
Dropped allowed-tools: it grants permissions; without it the tool asks
",
    ),
    (
        Form::Agent("gemini"),
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
== outcomes
Dropped color: the tool does not support it
Exact description
Exact maxTurns: the tool calls it `max_turns`
Exact model
Approximated name: `code-reviewer` there
Approximated tools: without `NotebookEdit`, which the tool does not have
",
    ),
    (
        Form::Agent("gemini"),
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
== outcomes
Exact description
Dropped memory: it is empty
Exact model
Exact name
Exact tools
",
    ),
    (
        Form::Command("gemini"),
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
== outcomes
Approximated (body): a command line with unbalanced braces is not run; a space is inserted so the tool does not run or read it; single arguments such as `$1` are not replaced
Dropped allowed-tools: it grants permissions; without it the tool asks
Dropped argument-hint: the tool does not support it
Exact description
"#,
    ),
    (
        Form::Command("gemini"),
        "its own form",
        r#"prompt = "Do {{args}}"
"#,
        r#"prompt = "Do {{args}}"
== outcomes
"#,
    ),
    (
        Form::Hooks("copilot"),
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
== outcomes
Dropped PostCompact: the tool has no such event: the hook does not run
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
        Form::Hooks("copilot-cli"),
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
== outcomes
Dropped PostCompact: the tool has no such event: the hook does not run
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
        Form::Hooks("copilot"),
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
== outcomes
Exact Notification: `notification` there
Exact Notification.command
Approximated Notification.matcher: it does not run for `idle_prompt`; VS Code does not look at it, and runs the hook each time
Exact Notification.type
Exact SessionStart
Dropped SessionStart: the tool cannot express it: the hook does not run
Dropped SessionStart.async: the tool waits for the hook
Approximated SessionStart.command: the tool does not set the variables of Claude Code
Dropped SessionStart.matcher: the tool does not support it, and without it the hook would run too often
Exact SessionStart.type
Dropped SessionStart.type: the tool does not run hooks of type `prompt`
Dropped permissions: only `hooks` of a settings file are used
"#,
    ),
    (
        Form::Hooks("copilot"),
        "its own form",
        r#"{"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "x"}]}}
"#,
        r#"{"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": "x"}]}}
== outcomes
"#,
    ),
    (
        Form::Agent("windsurf"),
        "all fields",
        r#"---
name: reviewer
description: Reviews changes.
tools: Read, Grep, Bash
model: opus
color: red
---
Review.
"#,
        r#"---
name: reviewer
description: Reviews changes.
allowed-tools:
  - read
  - grep
  - exec
---
Review.
== outcomes
Dropped color: the tool does not support it
Exact description
Dropped model: a Claude Code-specific name
Exact name
Exact tools
"#,
    ),
    (
        Form::Agent("windsurf"),
        "no tools",
        r#"---
name: helper
description: Helps.
---
Help.
"#,
        r#"---
name: helper
description: Helps.
---
Help.
== outcomes
Exact description
Exact name
"#,
    ),
    (
        Form::Agent("kiro"),
        "all fields",
        r#"---
name: reviewer
description: Reviews changes.
tools: Read, Grep, Bash
model: opus
color: red
---
Review.
"#,
        r#"---
name: reviewer
description: Reviews changes.
tools:
  - read
  - shell
---
Review.
== outcomes
Dropped color: the tool does not support it
Exact description
Dropped model: a Claude Code-specific name
Exact name
Approximated tools: the tool's names also include `NotebookRead`, `LS`, `Glob`
"#,
    ),
    (
        Form::Agent("kiro"),
        "no tools",
        r#"---
name: helper
description: Helps.
---
Help.
"#,
        r#"---
name: helper
description: Helps.
tools:
  - "*"
---
Help.
== outcomes
Exact description
Exact name
"#,
    ),
    (
        Form::Agent("goose"),
        "all fields",
        r#"---
name: reviewer
description: Reviews changes.
tools: Read, Grep, Bash
model: opus
color: red
---
Review.
"#,
        r#"---
name: reviewer
description: Reviews changes.
---
Review.
== outcomes
Dropped color: the tool does not support it
Exact description
Dropped model: a Claude Code-specific name
Exact name
Widened tools: the tool cannot restrict agents
"#,
    ),
    (
        Form::Agent("goose"),
        "no tools",
        r#"---
name: helper
description: Helps.
---
Help.
"#,
        r#"---
name: helper
description: Helps.
---
Help.
== outcomes
Exact description
Exact name
"#,
    ),
    (
        Form::Agent("claude-code"),
        "an agent of Devin Desktop",
        r#"---
name: scout
description: Looks.
allowed-tools: [read, exec]
max-nesting: 1
---
Look.
"#,
        r#"---
name: scout
description: Looks.
tools:
  - Read
  - NotebookRead
  - Bash
---
Look.
== outcomes
Exact allowed-tools
Exact description
Dropped max-nesting: the tool does not support it
Exact name
"#,
    ),
    (
        Form::Agent("codex"),
        "an agent of Devin Desktop",
        r#"---
name: scout
description: Looks.
allowed-tools: [read, exec]
max-nesting: 1
---
Look.
"#,
        r#"name = "scout"
description = "Looks."
developer_instructions = """
Look.
"""
== outcomes
Widened allowed-tools: the tool can restrict only read-only agents
Exact description
Dropped max-nesting: the tool does not support it
Exact name
"#,
    ),
    (
        Form::Agent("claude-code"),
        "an agent of Kiro",
        r#"---
name: builder
description: Builds.
tools: [read, write, shell]
permissions:
  - capability: shell
    effect: deny
---
Build.
"#,
        r#"---
name: builder
description: Builds.
tools: [Read, NotebookRead, Write, Bash]
---
Build.
== outcomes
Exact description
Exact name
Widened permissions: it restricts something, and the tool does not support it
Exact tools
"#,
    ),
    (
        Form::Agent("codex"),
        "permissions of OpenCode",
        r#"---
description: d
mode: subagent
permission:
  edit: deny
  bash: deny
---
x
"#,
        r#"name = "sample"
description = "d"
sandbox_mode = "read-only"
developer_instructions = """
x
"""
== outcomes
Exact description
Dropped mode: the tool does not support it
Approximated permission: kept as read-only
"#,
    ),
    (
        Form::Agent("claude-code"),
        "permissions of OpenCode",
        r#"---
description: d
mode: subagent
permission:
  edit: deny
  bash: deny
---
x
"#,
        r#"---
description: d
name: sample
disallowedTools:
  - Write
  - Edit
  - MultiEdit
  - NotebookEdit
  - Bash
---
x
== outcomes
Exact description
Dropped mode: the tool does not support it
Exact permission
"#,
    ),
    (
        Form::Agent("claude-code"),
        "only what OpenCode permits",
        r#"---
description: d
permission:
  "*": deny
  read: allow
  bash:
    "git *": allow
    "*": deny
---
x
"#,
        r#"---
description: d
name: sample
tools:
  - Read
  - NotebookRead
---
x
== outcomes
Exact description
Exact permission
"#,
    ),
    (
        Form::Agent("copilot"),
        "only what OpenCode permits",
        r#"---
description: d
permission:
  "*": deny
  read: allow
  bash:
    "git *": allow
    "*": deny
---
x
"#,
        r#"---
description: d
name: sample
tools:
  - read
---
x
== outcomes
Exact description
Exact permission
"#,
    ),
    (
        Form::Agent("claude-code"),
        "switches of OpenCode",
        r#"---
description: d
tools:
  write: false
  edit: false
---
x
"#,
        r#"---
description: d
name: sample
disallowedTools:
  - Write
  - Edit
  - MultiEdit
  - NotebookEdit
---
x
== outcomes
Exact description
Exact tools
"#,
    ),
    (
        Form::Agent("codex"),
        "a read-only agent of Cursor",
        r#"---
name: a
description: d
readonly: true
---
x
"#,
        r#"name = "a"
description = "d"
sandbox_mode = "read-only"
developer_instructions = """
x
"""
== outcomes
Exact description
Exact name
Approximated readonly: kept as read-only, not tool by tool
"#,
    ),
    (
        Form::Agent("claude-code"),
        "a read-only agent of Cursor",
        r#"---
name: a
description: d
readonly: true
---
x
"#,
        r#"---
name: a
description: d
tools:
  - Read
  - NotebookRead
  - LS
  - Grep
  - Glob
  - WebFetch
  - WebSearch
  - Task
  - TodoWrite
  - AskUserQuestion
  - Skill
---
x
== outcomes
Exact description
Exact name
Exact readonly
"#,
    ),
    (
        Form::Agent("cursor"),
        "a read-only agent of Cursor",
        r#"---
name: a
description: d
readonly: true
---
x
"#,
        r#"---
name: a
description: d
readonly: true
---
x
== outcomes
Exact description
Exact name
Exact readonly
"#,
    ),
    (
        Form::Agent("opencode"),
        "a read-only agent of Cursor",
        r#"---
name: a
description: d
readonly: true
---
x
"#,
        r#"---
name: a
description: d
permission:
  "*": deny
  read: allow
  list: allow
  grep: allow
  glob: allow
  webfetch: allow
  websearch: allow
  task: allow
  todowrite: allow
  skill: allow
---
x
== outcomes
Approximated readonly: as `permission`, without `AskUserQuestion`
"#,
    ),
    (
        Form::Agent("goose"),
        "a read-only agent of Cursor",
        r#"---
name: a
description: d
readonly: true
---
x
"#,
        r#"---
name: a
description: d
---
x
== outcomes
Exact description
Exact name
Widened readonly: the tool cannot restrict agents
"#,
    ),
    (
        Form::Agent("claude-code"),
        "tags of Kiro",
        r#"---
name: a
description: d
tools: [read, shell]
---
x
"#,
        r#"---
name: a
description: d
tools: [Read, NotebookRead, Bash]
---
x
== outcomes
Exact description
Exact name
Exact tools
"#,
    ),
    (
        Form::Agent("codex"),
        "two limits",
        r#"---
name: a
description: d
tools: Read
permission:
  "*": deny
---
x
"#,
        r#"name = "a"
description = "d"
sandbox_mode = "read-only"
developer_instructions = """
x
"""
== outcomes
Exact description
Exact name
Widened permission: it restricts something, and the tool does not support it
Approximated tools: kept as read-only, not tool by tool
"#,
    ),
];
