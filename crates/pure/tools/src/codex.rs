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
    plugin_variables: SourcedList::new(
        &["CODEX_PLUGIN_ROOT"],
        source("plugins for Codex that read it", "2026-11-16"),
    ),
    executable: Some(Executable {
        name: "codex",
        version: "0.166.0",
        source: source("npm, @openai/codex 0.166.0", "2026-11-16"),
    }),
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
