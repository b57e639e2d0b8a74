//! Codex.

use crate::prelude::*;

const TITLE: &str = "Codex";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue::both(".codex"),
    agents: Some(TypeSupport {
        location: own_directory("agents"),
        format: AGENTS,
        source: source("Codex, Subagents: custom agent file schema", "2026-11-15"),
    }),
    skills: Some(TypeSupport {
        location: shared(COMMON_SKILLS),
        format: SkillFormat {
            also_reads: ScopedValue {
                project: &[".codex/skills"],
                user: &[],
            },
            // All of 181 skills were in its prompt, 304 of 402, and 357 of 873.
            most_listed: Some(250),
            metadata: SkillMetadata::Object,
            strings: &[],
        },
        source: source("Codex, Agent Skills; Codex 0.166", "2026-11-16"),
    }),
    hooks: Some(TypeSupport {
        location: ScopedValue::both(Some(HookLocation::Entries(".codex/hooks.json"))),
        format: HOOKS,
        source: source("Codex, Hooks: config shape", "2026-11-15"),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue::both(Some(".codex/config.toml")),
        format: SERVERS,
        source: source(
            "Codex, Configuration Reference: `mcp_servers`",
            "2026-11-15",
        ),
    }),
    instructions: Some(TypeSupport {
        location: blocks(&[COMMON_INSTRUCTIONS], Some(&[".codex/AGENTS.md"])),
        format: InstructionFormat {
            largest_file: Some(32 * 1024),
            ..InstructionFormat::BLOCKS
        },
        source: source(
            "Codex, Custom instructions with AGENTS.md: `project_doc_max_bytes`",
            "2026-11-16",
        ),
    }),
    layer_files: SourcedList::new(
        &["AGENTS.override.md", ".codex/**"],
        source("Codex, Custom instructions with AGENTS.md", "2026-11-15"),
    ),
    credentials: SourcedList::new(
        &[&[".codex", "auth.json"]],
        source("Codex, Authentication: credential storage", "2026-11-16"),
    ),
    // 2 % of the context window, and this many characters where the window is unknown.
    listing: Some(Listing {
        entry: ListingEntry::Path,
        longest_description: 1024,
        limit: 8000,
        source: source(
            "Codex, Agent Skills; `codex-rs/ext/skills/src/render.rs` of rust-v0.153.4",
            "2026-11-19",
        ),
    }),
    plugin_manifest: Some(PluginManifestPath {
        path: ".codex-plugin/plugin.json",
        source: source(
            "openai/codex, core-plugins/src/manifest.rs; obra/superpowers#1879",
            "2026-11-18",
        ),
    }),
    plugin_variables: SourcedList::new(
        &["CODEX_PLUGIN_ROOT"],
        source("plugins for Codex that read it", "2026-11-16"),
    ),
    executable: Some(Executable {
        name: "codex",
        version: "0.166.0",
        source: source("npm, @openai/codex 0.166.0", "2026-11-16"),
    }),
    config: CONFIG,
    users_files: UsersFiles {
        directories: &[("skills", ".codex/skills")],
        instructions: &["AGENTS.override.md"],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["codex", "codexcli"],
    ..ToolDefinition::new("codex", TITLE)
};

const AGENTS: AgentFormat = AgentFormat {
    extension: Some("toml"),
    same_name: "loads the first and ignores the rest",
    ..AgentFormat::new(AgentForm::Fields(AgentFields {
        container: AgentContainer::Toml("developer_instructions"),
        passes: &[
            "sandbox_mode",
            "model_reasoning_effort",
            "nickname_candidates",
            "mcp_servers",
            "web_search",
        ],
        renames: &[("effort", "model_reasoning_effort")],
        unknown: UnknownKeys::Refused,
        ..AgentFields::new(
            ModelNames {
                vendor: Some(Vendor::OpenAi),
                inherited: InheritedModel::Implied,
                form: ModelForm::Identifier,
            },
            AgentLimit::ReadOnly("sandbox_mode", Some("read-only")),
        )
    }))
};

const HOOKS: HookFormat = HookFormat {
    events: &[
        HookEvent::same("SessionStart", MatcherRule::Same),
        HookEvent::same("SessionEnd", MatcherRule::NewerVersions),
        HookEvent::same("UserPromptSubmit", MatcherRule::Ignored),
        HookEvent::same("PreToolUse", MatcherRule::Tools),
        HookEvent::same("PostToolUse", MatcherRule::Tools),
        HookEvent::same("PermissionRequest", MatcherRule::Tools),
        HookEvent::same("PreCompact", MatcherRule::NewerVersions),
        HookEvent::same("PostCompact", MatcherRule::NewerVersions),
        HookEvent::same("SubagentStart", MatcherRule::NewerVersions),
        HookEvent::same("SubagentStop", MatcherRule::NewerVersions),
        HookEvent::same("Stop", MatcherRule::Ignored),
    ],
    keys: &[
        HookKey::same("type"),
        HookKey::same("command"),
        HookKey::same("timeout"),
        HookKey::same("statusMessage"),
        HookKey::same("commandWindows"),
    ],
    matchers: MatcherSyntax::Reference,
    reference_variables: ReferenceVariables::Unset,
    ..HookFormat::new(TITLE, HookShape::Groups, &TOOL_NAMES)
};

static TOOL_NAMES: ToolNames = ToolNames {
    names: &[
        ("Write", &["apply_patch"]),
        ("Edit", &["apply_patch"]),
        ("Bash", &["Bash"]),
    ],
    servers: Some(ServerTools::REFERENCE),
    ..ToolNames::new(source("Codex, Hooks: matcher patterns", "2026-11-15"))
};

const SERVERS: ServerFormat = ServerFormat {
    syntax: FileSyntax::Toml,
    urls: ServerUrls {
        http: "url",
        sse: None,
    },
    switch: ServerSwitch::Enabled,
    passes: &[
        "enabled_tools",
        "disabled_tools",
        "startup_timeout_sec",
        "tool_timeout_sec",
        "required",
    ],
    renames: &[
        ("includeTools", "enabled_tools"),
        ("excludeTools", "disabled_tools"),
        ("tools", "enabled_tools"),
    ],
    limits: &["enabled_tools", "disabled_tools"],
    ..ServerFormat::new(
        "mcp_servers",
        Variables::Named(NamedVariables {
            title: TITLE,
            env_vars: Some("env_vars"),
            headers: "http_headers",
            env_headers: Some("env_http_headers"),
            bearer: Some("bearer_token_env_var"),
        }),
    )
};

/// The keys of `config.toml`, which agents may have too.
const CONFIG_KEYS: &[ConfigKey] = &[
    key("mcp_servers", KeyEffect::Servers),
    key("hooks", KeyEffect::Hooks),
    key("notify", KeyEffect::Runs),
    key(
        "approval_policy",
        KeyEffect::Mode(&["untrusted", "on-request", "on-failure"]),
    ),
    key(
        "sandbox_mode",
        KeyEffect::Mode(&["read-only", "workspace-write"]),
    ),
    key(
        "sandbox_workspace_write/network_access",
        KeyEffect::Unprotects(true),
    ),
    key("model_providers/*/base_url", KeyEffect::Connects),
    key(
        "profiles/*/approval_policy",
        KeyEffect::Mode(&["untrusted", "on-request", "on-failure"]),
    ),
    key(
        "profiles/*/sandbox_mode",
        KeyEffect::Mode(&["read-only", "workspace-write"]),
    ),
    key("developer_instructions", KeyEffect::Instructs),
    key("instructions", KeyEffect::Instructs),
    key("model_instructions_file", KeyEffect::Instructs),
    key("experimental_instructions_file", KeyEffect::Instructs),
    harmless("agents/max_depth"),
    harmless("agents/max_threads"),
    harmless("allow_login_shell"),
    harmless("check_for_update_on_startup"),
    harmless("commit_attribution"),
    harmless("disable_paste_burst"),
    harmless("disable_response_storage"),
    harmless("file_opener"),
    harmless("hide_agent_reasoning"),
    harmless("history"),
    harmless("model"),
    harmless("model_auto_compact_token_limit"),
    harmless("model_context_window"),
    harmless("model_max_output_tokens"),
    harmless("model_provider"),
    harmless("model_providers/*/env_key"),
    harmless("model_providers/*/name"),
    harmless("model_providers/*/wire_api"),
    harmless("model_reasoning_effort"),
    harmless("model_reasoning_summary"),
    harmless("model_verbosity"),
    harmless("personality"),
    harmless("profile"),
    harmless("profiles/*/model"),
    harmless("profiles/*/model_provider"),
    harmless("profiles/*/model_reasoning_effort"),
    harmless("profiles/*/model_reasoning_summary"),
    harmless("profiles/*/model_verbosity"),
    harmless("project_doc_fallback_filenames"),
    harmless("project_doc_max_bytes"),
    harmless("project_root_markers"),
    harmless("review_model"),
    harmless("service_tier"),
    harmless("show_raw_agent_reasoning"),
    harmless("suppress_unstable_features_warning"),
    harmless("tool_output_token_limit"),
    harmless("tui"),
    harmless("web_search"),
];

const CONFIG: &[ConfigFile] = &[
    ConfigFile::new(
        &[".codex/config.toml"],
        CONFIG_KEYS,
        source("Codex, Configuration Reference", "2026-11-19"),
    ),
    ConfigFile::new(
        &[".codex/hooks.json"],
        HOOK_FILE,
        source("Codex, Hooks: config shape", "2026-11-19"),
    ),
    ConfigFile::unknown(
        &[".codex/rules/**"],
        source("Codex, Rules: `prefix_rule`", "2026-11-19"),
    ),
    ConfigFile::new(
        &[
            ".agents/skills/*/agents/openai.yaml",
            ".codex/skills/*/agents/openai.yaml",
        ],
        &[
            key("dependencies/tools/*/command", KeyEffect::Runs),
            key("dependencies/tools/*/url", KeyEffect::Connects),
            harmless("dependencies/tools/*/description"),
            harmless("dependencies/tools/*/transport"),
            harmless("dependencies/tools/*/type"),
            harmless("dependencies/tools/*/value"),
            harmless("interface"),
            harmless("policy"),
        ],
        source("Codex, Agent Skills: agents/openai.yaml", "2026-11-19"),
    ),
    // An agent may set every key of the configuration for itself.
    ConfigFile::new(
        &[".codex/agents/**"],
        AGENT_KEYS,
        source("Codex, Subagents: custom agent file schema", "2026-11-19"),
    ),
];

/// The keys that an agent has besides those of the configuration, which follow.
const AGENT_KEYS: &[ConfigKey] = &[
    harmless("name"),
    harmless("description"),
    harmless("developer_instructions"),
    harmless("nickname_candidates"),
    key("mcp_servers", KeyEffect::Servers),
    key("hooks", KeyEffect::Hooks),
    key("notify", KeyEffect::Runs),
    key(
        "approval_policy",
        KeyEffect::Mode(&["untrusted", "on-request", "on-failure"]),
    ),
    key(
        "sandbox_mode",
        KeyEffect::Mode(&["read-only", "workspace-write"]),
    ),
    key(
        "sandbox_workspace_write/network_access",
        KeyEffect::Unprotects(true),
    ),
    harmless("model"),
    harmless("model_provider"),
    harmless("model_reasoning_effort"),
    harmless("model_reasoning_summary"),
    harmless("model_verbosity"),
    harmless("personality"),
    harmless("skills"),
    harmless("web_search"),
];
