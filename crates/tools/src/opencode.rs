//! OpenCode. One field of the wrong type makes it refuse its whole configuration (tried with the program).

use crate::prelude::*;

const TITLE: &str = "OpenCode";

pub(crate) static TOOL: ToolDefinition = ToolDefinition {
    directory: ScopedValue {
        project: ".opencode",
        user: ".config/opencode",
    },
    agents: Some(TypeSupport {
        location: own_directory("agent"),
        format: AGENTS,
        source: source("OpenCode, schema of agents", "2026-11-16"),
    }),
    commands: Some(TypeSupport {
        location: own_directory("command"),
        format: CommandFormat::Checked(COMMANDS),
        source: source("OpenCode, schema of commands", "2026-11-16"),
    }),
    skills: Some(TypeSupport {
        location: own_directory("skills"),
        format: SkillFormat::also_reading(ScopedValue::both(&[".claude/skills", COMMON_SKILLS])),
        source: source("OpenCode, Agent Skills", "2026-11-15"),
    }),
    servers: Some(TypeSupport {
        location: ScopedValue {
            project: Some(".opencode/opencode.json"),
            user: Some(".config/opencode/opencode.json"),
        },
        format: SERVERS,
        source: source("OpenCode, MCP servers", "2026-11-15"),
    }),
    instructions: Some(TypeSupport {
        location: blocks(
            &[COMMON_INSTRUCTIONS],
            Some(&[".config/opencode/AGENTS.md"]),
        ),
        format: InstructionFormat::BLOCKS,
        source: source("OpenCode, Rules", "2026-11-16"),
    }),
    layer_files: SourcedList::new(
        &[
            ".config/opencode/**",
            ".opencode/**",
            "opencode.json",
            "opencode.jsonc",
        ],
        source("OpenCode, Config", "2026-11-15"),
    ),
    credentials: SourcedList::new(
        &[&[".local", "share", "opencode", "auth.json"]],
        source("OpenCode, Providers: credentials", "2026-11-16"),
    ),
    loaded_code: SourcedList::new(
        &[
            ".opencode/plugin/",
            ".opencode/plugins/",
            ".opencode/tool/",
            ".opencode/tools/",
        ],
        source("OpenCode, Plugins and Custom Tools", "2026-11-18"),
    ),
    executable: Some(Executable {
        name: "opencode",
        version: "1.18.33",
        source: source("npm, opencode-ai 1.18.33", "2026-11-16"),
    }),
    former_directories: SourcedList::new(
        &[".opencode/agent", ".opencode/command", ".opencode/snippet"],
        source("agpm-cli 0.4.14, `src/cli/migrate.rs`", "2026-11-18"),
    ),
    config: CONFIG,
    further_directories: SourcedList::new(
        &[
            ("agents", ".opencode/agents"),
            ("agents", ".opencode/mode"),
            ("agents", ".opencode/modes"),
            ("commands", ".opencode/commands"),
            ("skills", ".opencode/skill"),
        ],
        source(
            "OpenCode, Agents; Commands; Skills: both spellings",
            "2026-11-19",
        ),
    ),
    users_files: UsersFiles {
        directories: &[
            ("agents", ".opencode/agents"),
            ("commands", ".opencode/commands"),
        ],
        servers: &[
            "opencode.json",
            "opencode.jsonc",
            ".opencode/opencode.jsonc",
        ],
        ..UsersFiles::NONE
    },
    names_elsewhere: &["opencode"],
    ..ToolDefinition::new("opencode", TITLE)
};

const MODELS: ModelNames = ModelNames {
    vendor: None,
    inherited: InheritedModel::Implied,
    form: ModelForm::WithProvider(TITLE),
};

const AGENTS: AgentFormat = AgentFormat {
    marks: AgentMarks {
        extensions: &[],
        fields: &["permission"],
    },
    ..AgentFormat::new(AgentForm::Checked(CheckedAgent {
        title: TITLE,
        models: MODELS,
        fields: &[
            ("name", AcceptedValue::Text),
            ("model", AcceptedValue::Model),
            ("variant", AcceptedValue::Text),
            ("temperature", AcceptedValue::Number),
            ("top_p", AcceptedValue::Number),
            ("prompt", AcceptedValue::Text),
            ("tools", AcceptedValue::Flags),
            ("disable", AcceptedValue::Flag),
            ("description", AcceptedValue::Text),
            (
                "mode",
                AcceptedValue::OneOf(&["subagent", "primary", "all"]),
            ),
            ("hidden", AcceptedValue::Flag),
            ("options", AcceptedValue::Object),
            ("color", AcceptedValue::Color(COLORS)),
            ("steps", AcceptedValue::Count),
            ("maxSteps", AcceptedValue::Count),
            ("permission", AcceptedValue::Permission),
        ],
        permissions: &[
            (&["Read", "NotebookRead"], "read"),
            (&["Write", "Edit", "MultiEdit", "NotebookEdit"], "edit"),
            (&["Bash", "BashOutput", "KillShell"], "bash"),
            (&["Grep"], "grep"),
            (&["Glob"], "glob"),
            (&["LS"], "list"),
            (&["WebFetch"], "webfetch"),
            (&["WebSearch"], "websearch"),
            (&["TodoWrite", "TodoRead"], "todowrite"),
            (&["Task", "Agent"], "task"),
            (&["Skill"], "skill"),
        ],
        servers: ServerTools {
            prefix: "",
            separator: "_",
            all: &["_*"],
            every: None,
            reserved: &["external_directory", "doom_loop"],
            characters: Some("_-"),
            split: ServerSplit::Whole,
            look_alikes: LookAlikes::None,
            source: source(
                "OpenCode, MCP servers: manage, glob patterns; Permissions: available permissions; anomalyco/opencode, `packages/opencode/src/mcp`",
                "2026-11-18",
            ),
        },
        unread: &["mcpServers", "skills", "maxTurns", "memory", "effort"],
    }))
};

const COLORS: &[&str] = &[
    "primary",
    "secondary",
    "accent",
    "success",
    "warning",
    "error",
    "info",
];

const COMMANDS: CheckedCommand = CheckedCommand {
    title: TITLE,
    models: MODELS,
    fields: &[
        ("description", AcceptedValue::Text),
        ("agent", AcceptedValue::Text),
        ("model", AcceptedValue::Model),
        ("variant", AcceptedValue::Text),
        ("subtask", AcceptedValue::Flag),
    ],
};

const SERVERS: ServerFormat = ServerFormat {
    command: CommandLine::List,
    env: "environment",
    types: ServerTypes {
        local: Some("local"),
        http: Some("remote"),
        sse: Some("remote"),
    },
    switch: ServerSwitch::Enabled,
    copied: CopiedServers::Valid,
    ..ServerFormat::new("mcp", Variables::Replaced(VariableSyntax::Braces))
};

const CONFIG: &[ConfigFile] = &[ConfigFile::new(
    &[
        "opencode.json",
        "opencode.jsonc",
        ".opencode/opencode.json",
        ".opencode/opencode.jsonc",
        ".config/opencode/opencode.json",
        ".config/opencode/opencode.jsonc",
        ".config/opencode/config.json",
    ],
    &[
        key("mcp", KeyEffect::Servers),
        key("plugin", KeyEffect::Packages),
        key("permission", KeyEffect::Permissions),
        key("tools", KeyEffect::Permissions),
        key("agent", KeyEffect::Agents),
        key("mode", KeyEffect::Agents),
        key("command", KeyEffect::Commands),
        key("instructions", KeyEffect::Instructs),
        key("provider/*/npm", KeyEffect::Runs),
        key("provider/*/api", KeyEffect::Connects),
        key("provider/*/options/baseURL", KeyEffect::Connects),
        key("lsp/*/command", KeyEffect::Runs),
        key("lsp/*/env", KeyEffect::Environment),
        key("formatter/*/command", KeyEffect::Runs),
        key("formatter/*/environment", KeyEffect::Environment),
        harmless("$schema"),
        harmless("autoshare"),
        harmless("autoupdate"),
        harmless("compaction"),
        harmless("default_agent"),
        harmless("disabled_providers"),
        harmless("enabled_providers"),
        harmless("formatter/*/disabled"),
        harmless("formatter/*/extensions"),
        harmless("keybinds"),
        harmless("layout"),
        harmless("logLevel"),
        harmless("lsp/*/disabled"),
        harmless("lsp/*/extensions"),
        harmless("model"),
        harmless("provider/*/models"),
        harmless("provider/*/name"),
        harmless("provider/*/options/timeout"),
        harmless("share"),
        harmless("small_model"),
        harmless("snapshot"),
        harmless("theme"),
        harmless("tui"),
        harmless("username"),
        harmless("watcher"),
    ],
    source("OpenCode, Config: schema", "2026-11-19"),
)];
