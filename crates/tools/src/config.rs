//! The meaning of the keys in a tool's own configuration.

use crate::source::FactSource;

/// A configuration file of a tool.
#[derive(Debug)]
pub struct ConfigFile {
    /// Its paths in a project and in home; `*` is any part of a name, `**` any directories.
    pub paths: &'static [&'static str],
    /// The meaning of its keys. A key without a row may do anything, so it needs approval.
    pub keys: &'static [ConfigKey],
    /// The evidence for the rows.
    pub source: FactSource,
}

impl ConfigFile {
    /// A file whose keys have these rows.
    pub(crate) const fn new(
        paths: &'static [&'static str],
        keys: &'static [ConfigKey],
        source: FactSource,
    ) -> Self {
        ConfigFile {
            paths,
            keys,
            source,
        }
    }

    /// A file without known keys: whatever is in it needs approval.
    pub(crate) const fn unknown(paths: &'static [&'static str], source: FactSource) -> Self {
        ConfigFile::new(paths, &[], source)
    }
}

/// One key of a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfigKey {
    /// The keys from the top of the file, with `/` in between; `*` is any key or item.
    pub path: &'static str,
    /// The effect of its value.
    pub effect: KeyEffect,
}

/// The effect of a key: the capability that its value gives a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEffect {
    /// Nothing that needs approval, whatever the value.
    Harmless,
    /// A command line, a list of a program and its arguments, or an object with one of the keys for them.
    Runs,
    /// A program, or a command line; the arguments are under `args` next to it.
    Program,
    /// Hooks by event, or one hook.
    Hooks,
    /// MCP servers by name.
    Servers,
    /// Packages that are loaded as code, as a list.
    Packages,
    /// A URL that is connected to.
    Connects,
    /// Tools that may be used without asking: a list, or an object by tool.
    Allows,
    /// The only tools that an agent may use: a list, or an object by tool with whether it may.
    Limits,
    /// Whether only tools that change nothing may be used.
    ReadOnly,
    /// Tools that may not be used: a list.
    Denies,
    /// Tools whose use a person confirms: a list.
    Asks,
    /// A protection, whatever its value; nothing protects without it.
    Protects,
    /// Tools of the server that may be used without asking: a list, or whether all may.
    AllowsOfServer,
    /// The only tools of the server that may be used: a list.
    LimitsOfServer,
    /// Tools of the server that may not be used: a list.
    DeniesOfServer,
    /// By tool, by tool and pattern, or as a list of rules, whether its use is allowed, confirmed or denied.
    Permissions,
    /// A mode; the values here ask as much as the tool does by default, or more.
    Mode(&'static [&'static str]),
    /// A switch that with this value removes a protection; with the other value it is one.
    Unprotects(bool),
    /// Variables of the tool itself and of everything that it starts, by name, with their values.
    Environment,
    /// Variables that a server or a hook receives: by name, or a list of names.
    Variables,
    /// The names of such variables: one, a list, or the values of an object.
    VariableNames,
    /// Headers of requests, by name; their values may be variables.
    Headers,
    /// Text that is always read, or files of such text.
    Instructs,
    /// Agents by name, with the fields of their front matter.
    Agents,
    /// Commands by name, with a `template` or `prompt`.
    Commands,
}

/// One row.
pub(crate) const fn key(path: &'static str, effect: KeyEffect) -> ConfigKey {
    ConfigKey { path, effect }
}

/// A row of a key that does nothing.
pub(crate) const fn harmless(path: &'static str) -> ConfigKey {
    key(path, KeyEffect::Harmless)
}

/// The meaning of every key of a file with MCP servers under `mcpServers` and nothing else.
pub(crate) const SERVER_FILE: &[ConfigKey] =
    &[key("mcpServers", KeyEffect::Servers), harmless("$schema")];

/// The meaning of every key of a file with hooks and nothing else.
pub(crate) const HOOK_FILE: &[ConfigKey] = &[
    key("hooks", KeyEffect::Hooks),
    harmless("version"),
    harmless("description"),
    harmless("$schema"),
];

/// The keys of one hook, in every tool. Of the keys in one that is read this way, lists and objects hold further hooks.
pub const HOOK_KEYS: &[ConfigKey] = &[
    key("command", KeyEffect::Program),
    key("bash", KeyEffect::Runs),
    key("powershell", KeyEffect::Runs),
    key("windows", KeyEffect::Runs),
    key("linux", KeyEffect::Runs),
    key("osx", KeyEffect::Runs),
    key("commandWindows", KeyEffect::Runs),
    key("command_windows", KeyEffect::Runs),
    key("exec", KeyEffect::Program),
    key("prompt", KeyEffect::Runs),
    key("tool", KeyEffect::Runs),
    key("url", KeyEffect::Connects),
    key("headers", KeyEffect::Headers),
    key("allowedEnvVars", KeyEffect::VariableNames),
    key("env", KeyEffect::Variables),
    harmless("$schema"),
    harmless("agpm"),
    harmless("args"),
    harmless("async"),
    harmless("asyncRewake"),
    harmless("cwd"),
    harmless("dependencies"),
    harmless("description"),
    harmless("enabled"),
    harmless("event"),
    harmless("events"),
    harmless("failClosed"),
    harmless("id"),
    harmless("if"),
    harmless("input"),
    harmless("loop_limit"),
    harmless("matcher"),
    harmless("model"),
    harmless("name"),
    harmless("once"),
    harmless("sequential"),
    harmless("server"),
    harmless("shell"),
    harmless("show_output"),
    harmless("statusMessage"),
    harmless("timeout"),
    harmless("timeoutMs"),
    harmless("timeoutSec"),
    harmless("type"),
    harmless("version"),
    harmless("working_directory"),
];

/// The keys of one MCP server, in every tool.
pub const SERVER_KEYS: &[ConfigKey] = &[
    key("command", KeyEffect::Program),
    key("cmd", KeyEffect::Program),
    key("headersHelper", KeyEffect::Runs),
    key("url", KeyEffect::Connects),
    key("httpUrl", KeyEffect::Connects),
    key("serverUrl", KeyEffect::Connects),
    key("uri", KeyEffect::Connects),
    key("oauth/authServerMetadataUrl", KeyEffect::Connects),
    key("oauth/authorizationUrl", KeyEffect::Connects),
    key("oauth/tokenUrl", KeyEffect::Connects),
    key("env", KeyEffect::Variables),
    key("environment", KeyEffect::Variables),
    key("envs", KeyEffect::Variables),
    key("env_keys", KeyEffect::VariableNames),
    key("env_vars", KeyEffect::VariableNames),
    key("env_http_headers", KeyEffect::VariableNames),
    key("bearer_token_env_var", KeyEffect::VariableNames),
    key("envFile", KeyEffect::VariableNames),
    key("headers", KeyEffect::Headers),
    key("http_headers", KeyEffect::Headers),
    key("trust", KeyEffect::AllowsOfServer),
    key("autoApprove", KeyEffect::AllowsOfServer),
    key("alwaysAllow", KeyEffect::AllowsOfServer),
    key("tools", KeyEffect::LimitsOfServer),
    key("includeTools", KeyEffect::LimitsOfServer),
    key("enabledTools", KeyEffect::LimitsOfServer),
    key("enabled_tools", KeyEffect::LimitsOfServer),
    key("allowedTools", KeyEffect::LimitsOfServer),
    key("available_tools", KeyEffect::LimitsOfServer),
    key("excludeTools", KeyEffect::DeniesOfServer),
    key("disabledTools", KeyEffect::DeniesOfServer),
    key("disabled_tools", KeyEffect::DeniesOfServer),
    harmless("$schema"),
    harmless("agpm"),
    harmless("alwaysLoad"),
    harmless("args"),
    harmless("auth"),
    harmless("authProviderType"),
    harmless("bundled"),
    harmless("cwd"),
    harmless("dependencies"),
    harmless("description"),
    harmless("dev"),
    harmless("disabled"),
    harmless("display_name"),
    harmless("enabled"),
    harmless("gallery"),
    harmless("name"),
    harmless("oauth"),
    harmless("oauth/*"),
    harmless("oauthClientId"),
    harmless("oauthPublicClient"),
    harmless("remote"),
    harmless("required"),
    harmless("source"),
    harmless("startup_timeout_ms"),
    harmless("startup_timeout_sec"),
    harmless("timeout"),
    harmless("title"),
    harmless("tool_timeout_sec"),
    harmless("transport"),
    harmless("type"),
    harmless("version"),
];

/// The keys of front matter that give an agent, a skill or a command something, in every tool. All others are text for
/// a model or a person.
pub const FRONT_MATTER_KEYS: &[ConfigKey] = &[
    key("hooks", KeyEffect::Hooks),
    key("mcpServers", KeyEffect::Servers),
    key("mcp-servers", KeyEffect::Servers),
    key("mcp_servers", KeyEffect::Servers),
    key("tools", KeyEffect::Limits),
    key("allowed-tools", KeyEffect::Limits),
    key("allowedTools", KeyEffect::Limits),
    key("allowed_tools", KeyEffect::Limits),
    key("readonly", KeyEffect::ReadOnly),
    key("disallowedTools", KeyEffect::Denies),
    key("disallowed-tools", KeyEffect::Denies),
    key("disallowed_tools", KeyEffect::Denies),
    key("permission", KeyEffect::Permissions),
    key("permissions/allow", KeyEffect::Allows),
    key("permissions/deny", KeyEffect::Denies),
    key("permissions/*", KeyEffect::Harmless),
    key("permissionMode", KeyEffect::Mode(CAREFUL_MODES)),
    key("permission-mode", KeyEffect::Mode(CAREFUL_MODES)),
    key("permission_mode", KeyEffect::Mode(CAREFUL_MODES)),
    key("defaultMode", KeyEffect::Mode(CAREFUL_MODES)),
    key("approvalMode", KeyEffect::Mode(CAREFUL_MODES)),
    key("approval_policy", KeyEffect::Mode(CAREFUL_MODES)),
    key(
        "sandbox_mode",
        KeyEffect::Mode(&["read-only", "workspace-write"]),
    ),
    key("dangerously*", KeyEffect::Unprotects(true)),
];

/// The keys of configuration files in every tool, for files that have no rows.
pub const COMMON_KEYS: &[ConfigKey] = &[
    key("hooks", KeyEffect::Hooks),
    key("mcpServers", KeyEffect::Servers),
    key("mcp-servers", KeyEffect::Servers),
    key("mcp_servers", KeyEffect::Servers),
    key("amp.mcpServers", KeyEffect::Servers),
    key("context_servers", KeyEffect::Servers),
    key("servers", KeyEffect::Servers),
    key("mcp", KeyEffect::Servers),
    key("permissions/allow", KeyEffect::Allows),
    key("permissions/deny", KeyEffect::Denies),
    harmless("$schema"),
    harmless("model"),
    harmless("theme"),
    harmless("version"),
];

/// Modes in which a tool asks as much as it does by default, or more.
const CAREFUL_MODES: &[&str] = &[
    "default",
    "plan",
    "ask",
    "untrusted",
    "on-request",
    "on-failure",
];

/// Environment variables that only change what is printed, or how much. All others may change what runs, what is
/// trusted or where data goes.
pub const HARMLESS_VARIABLES: &[&str] = &[
    "CI",
    "CLICOLOR",
    "COLORTERM",
    "COLUMNS",
    "DEBUG",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LOGLEVEL",
    "LOG_LEVEL",
    "NO_COLOR",
    "NODE_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
    "BASH_DEFAULT_TIMEOUT_MS",
    "BASH_MAX_OUTPUT_LENGTH",
    "BASH_MAX_TIMEOUT_MS",
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
    "DISABLE_AUTOUPDATER",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_TELEMETRY",
    "MAX_MCP_OUTPUT_TOKENS",
    "MAX_THINKING_TOKENS",
    "MCP_TIMEOUT",
    "MCP_TOOL_TIMEOUT",
];

impl KeyEffect {
    /// Whether a value holds something back, so another layer can take that away with an empty one.
    pub fn holds_back(self) -> bool {
        matches!(
            self,
            KeyEffect::Denies
                | KeyEffect::Asks
                | KeyEffect::Protects
                | KeyEffect::DeniesOfServer
                | KeyEffect::LimitsOfServer
                | KeyEffect::Limits
                | KeyEffect::Unprotects(false)
        )
    }
}

/// Whether a path is one of a pattern. Clients on some systems ignore case, so it is ignored here.
pub(crate) fn matches_path(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    let Some((last, directories)) = pattern.split_last() else {
        return false;
    };
    let matches = |pattern: &[&str], path: &[&str]| {
        let mut pairs = pattern.iter().zip(path);
        pattern.len() == path.len() && pairs.all(|(pattern, name)| matches_name(pattern, name))
    };
    if *last == "**" {
        let depth = directories.len();
        return path.len() > depth && matches(directories, &path[..depth]);
    }
    matches(&pattern, &path)
}

fn matches_name(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern.eq_ignore_ascii_case(name),
        Some((start, end)) => {
            let name = name.to_ascii_lowercase();
            name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_patterns() {
        for (pattern, path, expected) in [
            (".mcp.json", ".mcp.json", true),
            (".mcp.json", ".MCP.json", true),
            (".mcp.json", "a/.mcp.json", false),
            (".codex/agents/**", ".codex/agents/a/b.toml", true),
            (".codex/agents/**", ".codex/agents", false),
            (".kiro/agents/*.json", ".kiro/agents/a.json", true),
            (".kiro/agents/*.json", ".kiro/agents/a.md", false),
            (
                ".agents/plugins/*/.mcp.json",
                ".agents/plugins/x/.mcp.json",
                true,
            ),
        ] {
            assert_eq!(matches_path(pattern, path), expected, "{pattern} {path}");
        }
    }
}
