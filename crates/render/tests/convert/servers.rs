//! MCP servers converted for each tool.

use crate::Case;

pub(crate) const SERVERS: &[Case<&'static str>] = &[
    (
        "claude-code",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "alwaysLoad": true}
runs ["npx -y fs ${ROOT:-/tmp}"]
Exact sample.alwaysLoad
Exact sample.args
Exact sample.command
Exact sample.cwd
Exact sample.env
Widened sample.includeTools: it restricts something, and the tool does not support it
"#,
    ),
    (
        "claude-code",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/mcpServers/web {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}
/mcpServers/feed {"type": "sse", "url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Dropped inputs: only `mcpServers` of a file are used
"#,
    ),
    (
        "claude-code",
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${TOKEN}"}}
runs ["npx -y fs"]
Exact sample.command
Exact sample.enabled
Exact sample.environment
Dropped sample.timeout: the tool does not support it
Exact sample.type
"#,
    ),
    (
        "opencode",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcp/sample {"type": "local", "command": ["npx", "-y", "fs", "{env:ROOT}"], "environment": {"TOKEN": "{env:TOKEN}", "MODE": "a", "LEVEL": "{env:LOG}", "KEY": "k-{env:KEY}"}, "cwd": "sub"}
runs ["npx -y fs {env:ROOT}"]
Dropped sample.alwaysLoad: the tool does not support it
Approximated sample.args: the tool does not support defaults of variables
Exact sample.command
Exact sample.cwd
Approximated sample.env: the tool does not support defaults of variables
Widened sample.includeTools: it restricts something, and the tool does not support it
"#,
    ),
    (
        "opencode",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/mcp/web {"type": "remote", "url": "https://x/mcp", "headers": {"Authorization": "Bearer {env:TOKEN}", "X-Key": "{env:KEY}", "X-Plain": "p", "X-Odd": "a{env:B}"}}
/mcp/feed {"type": "remote", "url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Exact feed.type
Exact feed.url
Dropped inputs: only `mcpServers` of a file are used
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        "opencode",
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcp/sample {"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}
runs ["npx -y fs"]
"#,
    ),
    (
        "codex",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcp_servers/sample command = "npx"
args = ["-y", "fs", "/tmp"]
env_vars = ["TOKEN"]
cwd = "sub"
enabled_tools = ["read"]

[env]
MODE = "a"
LEVEL = "info"
runs ["npx -y fs /tmp"]
Dropped sample.alwaysLoad: the tool does not support it
Approximated sample.args: the tool does not replace variables
Exact sample.command
Exact sample.cwd
Approximated sample.env: `LEVEL` always has its default; `KEY` must be set where Codex runs
Exact sample.includeTools: the tool calls it `enabled_tools`
"#,
    ),
    (
        "codex",
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
Approximated feed.type: the tool uses SSE servers like HTTP servers
Exact feed.url
Dropped inputs: only `mcpServers` of a file are used
Exact web.headers
Dropped web.headers.X-Odd: the tool cannot combine a variable with other text
Exact web.type
Exact web.url
"#,
    ),
    (
        "codex",
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcp_servers/sample command = "npx"
args = ["-y", "fs"]
env_vars = ["TOKEN"]
runs ["npx -y fs"]
Exact sample.command
Exact sample.enabled
Exact sample.environment
Dropped sample.timeout: the tool does not support it
Exact sample.type
"#,
    ),
    (
        "cursor",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs", "${env:ROOT}"], "env": {"TOKEN": "${env:TOKEN}", "MODE": "a", "LEVEL": "${env:LOG}", "KEY": "k-${env:KEY}"}}
runs ["npx -y fs ${env:ROOT}"]
Dropped sample.alwaysLoad: the tool does not support it
Approximated sample.args: the tool does not support defaults of variables
Exact sample.command
Dropped sample.cwd: the tool does not support it
Approximated sample.env: the tool does not support defaults of variables
Widened sample.includeTools: it restricts something, and the tool does not support it
"#,
    ),
    (
        "cursor",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/mcpServers/web {"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}", "X-Key": "${env:KEY}", "X-Plain": "p", "X-Odd": "a${env:B}"}}
/mcpServers/feed {"url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Exact feed.type
Exact feed.url
Dropped inputs: only `mcpServers` of a file are used
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        "cursor",
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${env:TOKEN}"}}
runs ["npx -y fs"]
Exact sample.command
Exact sample.enabled
Exact sample.environment
Dropped sample.timeout: the tool does not support it
Exact sample.type
"#,
    ),
    (
        "gemini",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"]}
runs ["npx -y fs ${ROOT:-/tmp}"]
Dropped sample.alwaysLoad: the tool does not support it
Approximated sample.args: older versions do not support defaults of variables
Exact sample.command
Exact sample.cwd
Approximated sample.env: older versions do not support defaults of variables
Exact sample.includeTools
"#,
    ),
    (
        "gemini",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/mcpServers/web {"httpUrl": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}
/mcpServers/feed {"url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Exact feed.type
Exact feed.url
Dropped inputs: only `mcpServers` of a file are used
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        "gemini",
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${TOKEN}"}}
runs ["npx -y fs"]
Exact sample.command
Exact sample.enabled
Exact sample.environment
Dropped sample.timeout: the tool does not support it
Exact sample.type
"#,
    ),
    (
        "copilot",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "alwaysLoad": true, "dependencies": {}}"#,
        r#"/servers/sample {"type": "stdio", "command": "npx", "args": ["-y", "fs", "${env:ROOT}"], "env": {"TOKEN": "${env:TOKEN}", "MODE": "a", "LEVEL": "${env:LOG}", "KEY": "k-${env:KEY}"}, "cwd": "sub"}
runs ["npx -y fs ${env:ROOT}"]
Dropped sample.alwaysLoad: the tool does not support it
Approximated sample.args: the tool does not support defaults of variables
Exact sample.command
Exact sample.cwd
Approximated sample.env: the tool does not support defaults of variables
Widened sample.includeTools: it restricts something, and the tool does not support it
"#,
    ),
    (
        "copilot",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "${KEY}", "X-Plain": "p", "X-Odd": "a${B}"}}, "feed": {"type": "sse", "url": "https://x/sse"}}, "inputs": []}"#,
        r#"/servers/web {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}", "X-Key": "${env:KEY}", "X-Plain": "p", "X-Odd": "a${env:B}"}}
/servers/feed {"type": "sse", "url": "https://x/sse"}
runs ["https://x/mcp", "https://x/sse"]
Exact feed.type
Exact feed.url
Dropped inputs: only `mcpServers` of a file are used
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        "copilot",
        "OpenCode's form",
        r#"{"type": "local", "command": ["npx", "-y", "fs"], "environment": {"TOKEN": "{env:TOKEN}"}, "enabled": true, "timeout": 5000}"#,
        r#"/servers/sample {"type": "stdio", "command": "npx", "args": ["-y", "fs"], "env": {"TOKEN": "${env:TOKEN}"}}
runs ["npx -y fs"]
Exact sample.command
Exact sample.enabled
Exact sample.environment
Dropped sample.timeout: the tool does not support it
Exact sample.type
"#,
    ),
    (
        "claude-code",
        "switched off in OpenCode's form",
        r#"{"type": "remote", "url": "https://x", "enabled": false}"#,
        r"runs []
Dropped sample.enabled: the tool has no disabled servers, so it does not get this one
",
    ),
    (
        "opencode",
        "switched off",
        r#"{"url": "https://x", "disabled": true}"#,
        r#"/mcp/sample {"type": "remote", "url": "https://x", "enabled": false}
runs ["https://x"]
Exact sample.disabled
Exact sample.url
"#,
    ),
    (
        "codex",
        "switched off",
        r#"{"command": "x", "disabled": true}"#,
        r#"/mcp_servers/sample command = "x"
enabled = false
runs ["x"]
Exact sample.command
Exact sample.disabled
"#,
    ),
    (
        "cursor",
        "a socket",
        r#"{"type": "ws", "url": "wss://x"}"#,
        r"runs []
Dropped sample.type: the tool does not support sockets, so it does not get the server
",
    ),
    (
        "windsurf",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "timeout": 5, "dependencies": {}}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs", "/tmp"], "env": {"MODE": "a", "LEVEL": "info"}}
runs ["npx -y fs /tmp"]
Approximated sample.args: the tool does not replace variables
Exact sample.command
Dropped sample.cwd: the tool does not support it
Approximated sample.env: `TOKEN` must be set where Devin Desktop runs; `LEVEL` always has its default; `KEY` must be set where Devin Desktop runs
Widened sample.includeTools: it restricts something, and the tool does not support it
Dropped sample.timeout: the tool does not support it
"#,
    ),
    (
        "windsurf",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}, "feed": {"type": "sse", "url": "https://x/sse"}, "bare": {"command": "fs"}, "off": {"command": "fs", "disabled": true, "disabledTools": ["write"]}}}"#,
        r#"/mcpServers/web {"url": "https://x/mcp", "headers": {"X-Plain": "p"}}
/mcpServers/feed {"url": "https://x/sse"}
/mcpServers/bare {"command": "fs"}
/mcpServers/off {"command": "fs", "disabled": true, "disabledTools": ["write"]}
runs ["https://x/mcp", "https://x/sse", "fs"]
Exact bare.command
Exact feed.type
Exact feed.url
Exact off.command
Exact off.disabled
Exact off.disabledTools
Exact web.headers
Dropped web.headers.Authorization: the tool cannot combine a variable with other text
Exact web.type
Exact web.url
"#,
    ),
    (
        "zed",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "timeout": 5, "dependencies": {}}"#,
        r#"/context_servers/sample {"command": "npx", "args": ["-y", "fs", "/tmp"], "env": {"MODE": "a", "LEVEL": "info"}}
runs ["npx -y fs /tmp"]
Approximated sample.args: the tool does not replace variables
Exact sample.command
Dropped sample.cwd: the tool does not support it
Approximated sample.env: `TOKEN` must be set where Zed runs; `LEVEL` always has its default; `KEY` must be set where Zed runs
Widened sample.includeTools: it restricts something, and the tool does not support it
Dropped sample.timeout: the tool does not support it
"#,
    ),
    (
        "zed",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}, "feed": {"type": "sse", "url": "https://x/sse"}, "bare": {"command": "fs"}, "off": {"command": "fs", "disabled": true, "disabledTools": ["write"]}}}"#,
        r#"/context_servers/web {"url": "https://x/mcp", "headers": {"X-Plain": "p"}}
/context_servers/feed {"url": "https://x/sse"}
/context_servers/bare {"command": "fs", "args": []}
/context_servers/off {"command": "fs", "args": [], "enabled": false}
runs ["https://x/mcp", "https://x/sse", "fs"]
Exact bare.command
Approximated feed.type: the tool uses SSE servers like HTTP servers
Exact feed.url
Exact off.command
Exact off.disabled
Widened off.disabledTools: it restricts something, and the tool does not support it
Exact web.headers
Dropped web.headers.Authorization: the tool cannot combine a variable with other text
Exact web.type
Exact web.url
"#,
    ),
    (
        "amp",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "timeout": 5, "dependencies": {}}"#,
        r#"/amp.mcpServers/sample {"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "includeTools": ["read"]}
runs ["npx -y fs ${ROOT:-/tmp}"]
Exact sample.args
Exact sample.command
Dropped sample.cwd: the tool does not support it
Exact sample.env
Exact sample.includeTools
Dropped sample.timeout: the tool does not support it
"#,
    ),
    (
        "amp",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}, "feed": {"type": "sse", "url": "https://x/sse"}, "bare": {"command": "fs"}, "off": {"command": "fs", "disabled": true, "disabledTools": ["write"]}}}"#,
        r#"/amp.mcpServers/web {"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}
/amp.mcpServers/feed {"url": "https://x/sse"}
/amp.mcpServers/bare {"command": "fs"}
runs ["https://x/mcp", "https://x/sse", "fs"]
Exact bare.command
Exact feed.type
Exact feed.url
Dropped off.disabled: the tool has no disabled servers, so it does not get this one
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        "kiro",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "timeout": 5, "dependencies": {}}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "timeout": 5}
runs ["npx -y fs ${ROOT:-/tmp}"]
Exact sample.args
Exact sample.command
Dropped sample.cwd: the tool does not support it
Exact sample.env
Widened sample.includeTools: it restricts something, and the tool does not support it
Exact sample.timeout
"#,
    ),
    (
        "kiro",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}, "feed": {"type": "sse", "url": "https://x/sse"}, "bare": {"command": "fs"}, "off": {"command": "fs", "disabled": true, "disabledTools": ["write"]}}}"#,
        r#"/mcpServers/web {"url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}
/mcpServers/feed {"url": "https://x/sse"}
/mcpServers/bare {"command": "fs"}
/mcpServers/off {"command": "fs", "disabled": true, "disabledTools": ["write"]}
runs ["https://x/mcp", "https://x/sse", "fs"]
Exact bare.command
Exact feed.type
Exact feed.url
Exact off.command
Exact off.disabled
Exact off.disabledTools
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        "antigravity",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "timeout": 5, "dependencies": {}}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs", "/tmp"], "env": {"MODE": "a", "LEVEL": "info"}}
runs ["npx -y fs /tmp"]
Approximated sample.args: the tool does not replace variables
Exact sample.command
Dropped sample.cwd: the tool does not support it
Approximated sample.env: `TOKEN` must be set where Antigravity runs; `LEVEL` always has its default; `KEY` must be set where Antigravity runs
Widened sample.includeTools: it restricts something, and the tool does not support it
Dropped sample.timeout: the tool does not support it
"#,
    ),
    (
        "antigravity",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}, "feed": {"type": "sse", "url": "https://x/sse"}, "bare": {"command": "fs"}, "off": {"command": "fs", "disabled": true, "disabledTools": ["write"]}}}"#,
        r#"/mcpServers/web {"serverUrl": "https://x/mcp", "headers": {"X-Plain": "p"}}
/mcpServers/feed {"serverUrl": "https://x/sse"}
/mcpServers/bare {"command": "fs"}
/mcpServers/off {"command": "fs", "disabled": true, "disabledTools": ["write"]}
runs ["https://x/mcp", "https://x/sse", "fs"]
Exact bare.command
Exact feed.type
Exact feed.url
Exact off.command
Exact off.disabled
Exact off.disabledTools
Exact web.headers
Dropped web.headers.Authorization: the tool cannot combine a variable with other text
Exact web.type
Exact web.url
"#,
    ),
    (
        "copilot-cli",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "timeout": 5, "dependencies": {}}"#,
        r#"/mcpServers/sample {"type": "local", "command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "timeout": 5}
runs ["npx -y fs ${ROOT:-/tmp}"]
Exact sample.args
Exact sample.command
Exact sample.cwd
Exact sample.env
Widened sample.includeTools: it restricts something, and the tool does not support it
Exact sample.timeout
"#,
    ),
    (
        "copilot-cli",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}, "feed": {"type": "sse", "url": "https://x/sse"}, "bare": {"command": "fs"}, "off": {"command": "fs", "disabled": true, "disabledTools": ["write"]}}}"#,
        r#"/mcpServers/web {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}
/mcpServers/feed {"type": "sse", "url": "https://x/sse"}
/mcpServers/bare {"type": "local", "command": "fs"}
runs ["https://x/mcp", "https://x/sse", "fs"]
Exact bare.command
Exact feed.type
Exact feed.url
Dropped off.disabled: the tool has no disabled servers, so it does not get this one
Exact web.headers
Exact web.type
Exact web.url
"#,
    ),
    (
        "cline",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "timeout": 5, "dependencies": {}}"#,
        r#"/mcpServers/sample {"type": "stdio", "command": "npx", "args": ["-y", "fs", "/tmp"], "env": {"MODE": "a", "LEVEL": "info"}, "cwd": "sub"}
runs ["npx -y fs /tmp"]
Approximated sample.args: the tool does not replace variables
Exact sample.command
Exact sample.cwd
Approximated sample.env: `TOKEN` must be set where Cline runs; `LEVEL` always has its default; `KEY` must be set where Cline runs
Widened sample.includeTools: it restricts something, and the tool does not support it
Dropped sample.timeout: the tool does not support it
"#,
    ),
    (
        "cline",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}, "feed": {"type": "sse", "url": "https://x/sse"}, "bare": {"command": "fs"}, "off": {"command": "fs", "disabled": true, "disabledTools": ["write"]}}}"#,
        r#"/mcpServers/web {"type": "streamableHttp", "url": "https://x/mcp", "headers": {"X-Plain": "p"}}
/mcpServers/feed {"type": "sse", "url": "https://x/sse"}
/mcpServers/bare {"type": "stdio", "command": "fs"}
/mcpServers/off {"type": "stdio", "command": "fs", "disabled": true}
runs ["https://x/mcp", "https://x/sse", "fs"]
Exact bare.command
Exact feed.type
Exact feed.url
Exact off.command
Exact off.disabled
Widened off.disabledTools: it restricts something, and the tool does not support it
Exact web.headers
Dropped web.headers.Authorization: the tool cannot combine a variable with other text
Exact web.type
Exact web.url
"#,
    ),
    (
        "goose",
        "a program",
        r#"{"command": "npx", "args": ["-y", "fs", "${ROOT:-/tmp}"], "env": {"TOKEN": "${TOKEN}", "MODE": "a", "LEVEL": "${LOG:-info}", "KEY": "k-${KEY}"}, "cwd": "sub", "includeTools": ["read"], "timeout": 5, "dependencies": {}}"#,
        r#"/mcpServers/sample {"command": "npx", "args": ["-y", "fs", "/tmp"], "env": {"MODE": "a", "LEVEL": "info"}, "cwd": "sub"}
runs ["npx -y fs /tmp"]
Approximated sample.args: the tool does not replace variables
Exact sample.command
Exact sample.cwd
Approximated sample.env: `TOKEN` must be set where Goose runs; `LEVEL` always has its default; `KEY` must be set where Goose runs
Widened sample.includeTools: it restricts something, and the tool does not support it
Dropped sample.timeout: the tool does not support it
"#,
    ),
    (
        "goose",
        "addresses",
        r#"{"mcpServers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${TOKEN}", "X-Plain": "p"}}, "feed": {"type": "sse", "url": "https://x/sse"}, "bare": {"command": "fs"}, "off": {"command": "fs", "disabled": true, "disabledTools": ["write"]}}}"#,
        r#"/mcpServers/bare {"command": "fs"}
runs ["fs"]
Exact bare.command
Dropped feed.url: the tool only runs commands, so it does not get the server
Dropped off.disabled: the tool has no disabled servers, so it does not get this one
Dropped web.url: the tool only runs commands, so it does not get the server
"#,
    ),
    (
        "codex",
        "a header that is lost",
        r#"{"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Token ${TOKEN}"}}"#,
        r#"/mcp_servers/sample url = "https://x/mcp"
runs ["https://x/mcp"]
Exact sample.headers
Dropped sample.headers.Authorization: the tool cannot combine a variable with other text
Exact sample.type
Exact sample.url
"#,
    ),
];
