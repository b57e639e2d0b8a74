//! The keys of `agpm.toml`, as data.

use agpm_text::Value;
use agpm_tools::TOOLS;

use crate::json_schema::FileSchema;
use crate::policy_tables::{AUDIT_LEVEL_NAMES, POLICY};
use crate::resource::{RESOURCE_TYPES, ResourceType};
use crate::schema::{
    Definition, KeyCondition, KeyNames, KeyOwner, Passthrough, SchemaField, SchemaTable, ValueForm,
};
use crate::strategy::{BUILT_IN, BodySeparator, EmptyRule, ItemRule, MergeOperation, OPERATIONS};

/// A manifest.
pub static MANIFEST_SCHEMA: FileSchema = FileSchema {
    title: "agpm.toml",
    about: "The resources of a project or a user, and their sources.",
    form: ValueForm::Table(&MANIFEST_SECTIONS),
    definitions: &[
        &FILE_DEPENDENCY,
        &SERVER_DEPENDENCY,
        &INSTRUCTION_DEPENDENCY,
        &PLUGIN_DEPENDENCY,
        &SOURCE_DEFINITION,
        &LAYER_DEFINITION,
        &TOOL_DEFINITION,
        &TOOL_NAME,
        &TOOL_PLACE,
        &VERSION,
        &MERGE_DEFINITION,
        &STRATEGY_DEFINITION,
        &RULE_DEFINITION,
        &OPERATION,
        &LIST_OPERATION,
    ],
};

/// A private manifest.
pub static PRIVATE_SCHEMA: FileSchema = FileSchema {
    title: "agpm.private.toml",
    about: "The additions of one user to a project's manifest.",
    form: ValueForm::Table(&PRIVATE_SECTIONS),
    definitions: &[],
};

/// The user's configuration.
pub static CONFIG_SCHEMA: FileSchema = FileSchema {
    title: "config.toml",
    about: "The user's configuration; every manifest overrides it.",
    form: ValueForm::Table(&CONFIG_SECTIONS),
    definitions: &[],
};

/// The program whose manifests have keys that are accepted without effect.
pub(crate) const OLDER_AGPM: &str = "agpm 0.4";

const fn of_older_agpm(keys: &'static [&'static str]) -> Passthrough {
    Passthrough {
        name: OLDER_AGPM,
        keys,
        owner: KeyOwner::OlderVersion,
    }
}

/// Sections that a manifest may have.
pub(crate) const MANIFEST_SECTIONS: SchemaTable = SchemaTable::strict(
    "a manifest",
    &[
        SchemaField::optional(
            "extends",
            ValueForm::Either(&[ValueForm::WORD, ValueForm::List(&ValueForm::WORD)]),
            "Manifests that this one builds on, lowest first: URLs of repositories, or directories.",
        ),
        SOURCES,
        SchemaField::optional(
            "project",
            ValueForm::AnyMap,
            "Free variables for templates, which know them as `agpm.project`; `tools` lists the tools of the project, and `allow-widening` those in which any resource may do more than its author allows.",
        ),
        SchemaField::optional(
            "default-tools",
            ValueForm::Map(
                TYPES,
                &ValueForm::Either(&[ValueForm::Defined(&TOOL_NAME), TOOL_NAMES]),
            ),
            "The tool or tools of each type of resource, unless its entry names others.",
        ),
        SchemaField::optional(
            "tools",
            ValueForm::by_name(&ValueForm::Defined(&TOOL_DEFINITION)),
            "Changes to the built-in tools, and custom tools.",
        ),
        AGENTS,
        SNIPPETS,
        COMMANDS,
        SCRIPTS,
        HOOKS,
        MCP_SERVERS,
        SKILLS,
        INSTRUCTIONS,
        PLUGINS,
        PATCH,
        LAYERS,
        SchemaField::optional(
            "merge",
            ValueForm::Map(
                KeyNames::Any,
                &ValueForm::Either(&[STRATEGY_NAME, ValueForm::Defined(&MERGE_DEFINITION)]),
            ),
            "How files of several layers merge, by file name, path or pattern.",
        ),
        STRATEGIES,
        CATALOG_SECTION,
        SchemaField::optional(
            "lineage",
            ValueForm::Table(&LINEAGE),
            "Settings of personas.",
        ),
        SchemaField::optional("audit", ValueForm::Table(&AUDIT), "Settings of the audit."),
        SchemaField::optional(
            "policy",
            ValueForm::Table(&POLICY),
            "Rules that everything in the manifest must follow.",
        ),
        SchemaField::optional(
            "budget",
            ValueForm::by_name(&ValueForm::Count),
            "The characters that each tool may spend on the names and descriptions of resources.",
        ),
        SchemaField::optional(
            "allow-executables",
            ValueForm::TEXTS,
            "Approved transitive executables: patterns over `TYPE/NAME`, or `source:NAME`.",
        ),
        SchemaField::optional(
            "allow-sources",
            ValueForm::TEXTS,
            "Repositories that resources may require, such as `github:corp/*`.",
        ),
    ],
)
.beside(&of_older_agpm(&["gitignore", "target"]));

/// Sections that a private manifest may have.
pub(crate) const PRIVATE_SECTIONS: SchemaTable = SchemaTable::strict(
    "a private manifest",
    &[
        SOURCES,
        AGENTS,
        SNIPPETS,
        COMMANDS,
        SCRIPTS,
        HOOKS,
        MCP_SERVERS,
        SKILLS,
        INSTRUCTIONS,
        PLUGINS,
        PATCH,
        LAYERS,
        CATALOG_SECTION,
    ],
);

/// Sections that the user's configuration may have.
pub(crate) const CONFIG_SECTIONS: SchemaTable = SchemaTable::strict(
    "a configuration",
    &[SOURCES, DEFAULT_HOST, STRATEGIES, CATALOG_SECTION],
);

const LAYERS: SchemaField = SchemaField::optional(
    "layers",
    ValueForm::List(&ValueForm::Defined(&LAYER_DEFINITION)),
    "Directories and repositories that contribute files, lowest rank first; the highest rank wins.",
);
const SOURCES: SchemaField = SchemaField::optional(
    "sources",
    ValueForm::by_name(&ValueForm::Either(&[
        ValueForm::WORD,
        ValueForm::Defined(&SOURCE_DEFINITION),
    ])),
    "Sources of resources, by name: a URL, or a directory.",
);
const DEFAULT_HOST: SchemaField = SchemaField::optional(
    "default-host",
    ValueForm::WORD,
    "The host of `OWNER/REPO`: a name such as `git.example.com`, or the beginning of a URL.",
);
const AGENTS: SchemaField =
    SchemaField::optional("agents", FILES, "Agents: Markdown files that describe one.");
const SNIPPETS: SchemaField = SchemaField::optional(
    "snippets",
    FILES,
    "Snippets: Markdown that other resources include.",
);
const COMMANDS: SchemaField = SchemaField::optional("commands", FILES, "Slash commands.");
const SCRIPTS: SchemaField =
    SchemaField::optional("scripts", FILES, "Scripts, such as those that hooks run.");
const HOOKS: SchemaField = SchemaField::optional(
    "hooks",
    FILES,
    "Hooks, merged into the files of their tool.",
);
const MCP_SERVERS: SchemaField = SchemaField::optional(
    "mcp-servers",
    ValueForm::by_name(&ValueForm::Either(&[
        DROPPED,
        PATH,
        ValueForm::Defined(&SERVER_DEPENDENCY),
    ])),
    "MCP servers, merged into the files of their tool.",
);
const SKILLS: SchemaField =
    SchemaField::optional("skills", FILES, "Skills: directories with a `SKILL.md`.");
const INSTRUCTIONS: SchemaField = SchemaField::optional(
    "instructions",
    ValueForm::by_name(&ValueForm::Either(&[
        PATH,
        ValueForm::Defined(&INSTRUCTION_DEPENDENCY),
    ])),
    "Instructions: Markdown that a tool reads with every request, or with those about some files.",
);
const PLUGINS: SchemaField = SchemaField::optional(
    "plugins",
    ValueForm::by_name(&ValueForm::Either(&[
        DROPPED,
        PATH,
        ValueForm::Defined(&PLUGIN_DEPENDENCY),
    ])),
    "Plugins: directories with agents, commands, skills, hooks and MCP servers.",
);
const PATCH: SchemaField = SchemaField::optional(
    "patch",
    ValueForm::Map(TYPES, &ValueForm::by_name(&ValueForm::Table(&PATCH_TABLE))),
    "Fields to set in resources, by type and name.",
);
/// The key of a patch that names a diff.
pub const PATCH_FILE: &str = "patch-file";
/// All other keys are fields of the resource.
const PATCH_TABLE: SchemaTable = SchemaTable::open(
    "a patch",
    &[SchemaField::optional(
        PATCH_FILE,
        RELATIVE_PATH,
        "A unified diff of the rendered text, written by `agpm patch save`.",
    )],
);
const STRATEGIES: SchemaField = SchemaField::optional(
    "strategies",
    ValueForm::Map(
        KeyNames::Except(built_in),
        &ValueForm::Defined(&STRATEGY_DEFINITION),
    ),
    "Custom merge strategies, by name.",
);
const CATALOG_SECTION: SchemaField = SchemaField::optional(
    "catalog",
    ValueForm::Table(&CATALOG),
    "The sources of the catalog.",
);

/// The types of resources as keys.
const TYPES: KeyNames = KeyNames::Each(|| RESOURCE_TYPES.map(ResourceType::plural).into());
const FILES: ValueForm = ValueForm::by_name(&ValueForm::Either(&[
    DROPPED,
    PATH,
    ValueForm::Defined(&FILE_DEPENDENCY),
]));
const DROPPED: ValueForm = ValueForm::Described(
    "`false` drops a dependency that a base has.",
    &ValueForm::Computed(|| vec![("const", Value::from(false))]),
);
const PATH: ValueForm = ValueForm::Described(
    "The path of a local file or directory, or a pattern; or a URL such as `github:OWNER/REPO/PATH@VERSION`.",
    &ValueForm::WORD,
);
/// A path with `/` that stays under its directory.
const RELATIVE_PATH: ValueForm = ValueForm::Pattern {
    is: Some(r"^[^/\\]"),
    is_not: Some(r"(^|/)\.\.(/|$)"),
};

pub(crate) const CATALOG: SchemaTable = SchemaTable::strict(
    "a catalog",
    &[SchemaField::optional(
        "remotes",
        ValueForm::List(&ValueForm::WORD),
        "Repositories that contribute, highest rank first: `NAME|git+URL[#REF][:/FOLDER]`.",
    )],
);

pub(crate) const LINEAGE: SchemaTable = SchemaTable::strict(
    "a lineage",
    &[SchemaField::optional(
        "root",
        ValueForm::Text,
        "The document that active personas must inherit, relative to the manifest.",
    )],
);

/// The settings of the audit.
pub(crate) const AUDIT: SchemaTable = SchemaTable::strict(
    "`[audit]`",
    &[
        SchemaField::optional(
            "level",
            ValueForm::OneOf(&AUDIT_LEVEL_NAMES),
            "The severity from which findings are errors.",
        ),
        SchemaField::optional(
            "with",
            ValueForm::TEXTS,
            "SARIF reports of other scanners, relative to the manifest.",
        ),
        SchemaField::optional(
            "ignore",
            ValueForm::List(&ValueForm::Table(&AUDIT_IGNORE)),
            "Findings that somebody has looked at.",
        ),
    ],
);

pub(crate) const AUDIT_IGNORE: SchemaTable = SchemaTable::strict(
    "an ignored finding",
    &[
        SchemaField::required(
            "rule",
            ValueForm::WORD,
            "The id of the rule, such as `audit/secret`.",
        ),
        SchemaField::required(
            "resource",
            ValueForm::WORD,
            "The resource as `TYPE/NAME`, or a pattern such as `skills/*`.",
        ),
        SchemaField::required("reason", ValueForm::WORD, "Why the finding is fine."),
    ],
);

/// The keys of an MCP server in the manifest itself.
pub(crate) const SERVER_KEYS: [&str; 4] = ["command", "args", "env", "url"];

pub(crate) const DEPENDENCY: SchemaTable = SchemaTable::strict(
    "a dependency",
    &[
        SOURCE_KEY,
        PATH_KEY,
        VERSION_KEY,
        BRANCH_KEY,
        REV_KEY,
        TOOL_KEY,
        TOOLS_KEY,
        SchemaField::optional(
            "target",
            RELATIVE_PATH,
            "A subdirectory of the tool's directory for this type.",
        ),
        SchemaField::optional(
            "filename",
            ValueForm::matching(r"^[^/\\]+$"),
            "The name of the installed file.",
        ),
        SchemaField::optional(
            "flatten",
            ValueForm::Flag,
            "Whether to drop the directories of the source at the target.",
        ),
        SchemaField::optional(
            "exclude",
            ValueForm::TEXTS,
            "Names of matches of the pattern to leave out.",
        ),
        INSTALL_KEY,
        SchemaField::optional(
            "in-place",
            ValueForm::Flag,
            "Whether the tool already reads the file at `path`; agpm never writes or removes it.",
        ),
        TEMPLATE_KEY,
        RENAME_KEY,
        WIDENING_KEY,
        SchemaField::optional(
            "paths",
            ValueForm::Either(&[ValueForm::WORD, ValueForm::TEXTS]),
            "Patterns of the files that an instruction applies to; overrides its front matter.",
        ),
        SchemaField::optional(
            "block",
            ValueForm::Flag,
            "Whether to write an instruction as a block in a shared file for every tool.",
        ),
        SchemaField::optional("command", ValueForm::Text, "The executable of the server."),
        SchemaField::optional("args", ValueForm::TEXTS, "Its arguments."),
        SchemaField::optional(
            "env",
            ValueForm::by_name(&ValueForm::Text),
            "Its environment variables.",
        ),
        SchemaField::optional("url", ValueForm::Text, "The URL of a remote server."),
    ],
)
.beside(&of_older_agpm(&["repo", "dependencies"]));

/// A source with settings.
pub(crate) const SOURCE: SchemaTable = SchemaTable::strict(
    "a source",
    &[
        SchemaField::required("url", ValueForm::WORD, "The URL, or a directory."),
        SchemaField::optional(
            "insecure",
            ValueForm::Flag,
            "Whether its server may be contacted without encryption.",
        ),
    ],
);

/// A plugin has no target: its parts go where the tools read them.
pub(crate) const PLUGIN: SchemaTable = SchemaTable::strict(
    "a plugin",
    &[
        SOURCE_KEY,
        PATH_KEY,
        SchemaField::optional(
            "marketplace",
            ValueForm::WORD,
            "The source whose `marketplace.json` lists the plugin.",
        ),
        SchemaField::optional(
            "name",
            ValueForm::WORD,
            "The name of the plugin in the marketplace; the entry's key by default.",
        ),
        VERSION_KEY,
        BRANCH_KEY,
        REV_KEY,
        TOOL_KEY,
        TOOLS_KEY,
        SchemaField::optional(
            "only",
            ValueForm::TEXTS,
            "The parts to install, as `TYPE/NAME` or `TYPE`.",
        ),
        SchemaField::optional(
            "exclude",
            ValueForm::TEXTS,
            "The parts to leave out, as `TYPE/NAME` or `TYPE`.",
        ),
        SchemaField::optional(
            "prefix",
            ValueForm::Flag,
            "Whether to prefix the names of its parts with the plugin's name.",
        ),
        INSTALL_KEY,
        TEMPLATE_KEY,
        RENAME_KEY,
        WIDENING_KEY,
    ],
);

const SOURCE_KEY: SchemaField =
    SchemaField::optional("source", ValueForm::WORD, "The name of its source.");
const PATH_KEY: SchemaField = SchemaField::optional(
    "path",
    ValueForm::WORD,
    "The file or directory in the source, or on this machine without a source; may be a pattern.",
);
const TOOL_KEY: SchemaField =
    SchemaField::optional("tool", ValueForm::Defined(&TOOL_NAME), "Its tool.");
const TOOLS_KEY: SchemaField = SchemaField::optional("tools", TOOL_NAMES, "Its tools.");
const INSTALL_KEY: SchemaField = SchemaField::optional(
    "install",
    ValueForm::Flag,
    "Whether to write it; `false` only resolves and locks it.",
);
const TEMPLATE_KEY: SchemaField = SchemaField::optional(
    "template_vars",
    ValueForm::Computed(template_variables),
    "Template variables; they override those of the project.",
);
const RENAME_KEY: SchemaField = SchemaField::optional(
    "rename",
    ValueForm::by_name(&ValueForm::WORD),
    "New names of servers, by their names in the file.",
);
const WIDENING_KEY: SchemaField = SchemaField::optional(
    "allow-widening",
    ValueForm::List(&ValueForm::Defined(&TOOL_NAME)),
    "Tools in which it may do more than its author allows.",
);
const VERSION_KEY: SchemaField = SchemaField::optional(
    "version",
    ValueForm::Defined(&VERSION),
    "The version of its source.",
);
const BRANCH_KEY: SchemaField = SchemaField::optional(
    "branch",
    ValueForm::WORD,
    "A branch of the source, instead of a version.",
);
const REV_KEY: SchemaField = SchemaField::optional(
    "rev",
    ValueForm::matching("^[0-9a-fA-F]{4,64}$"),
    "A commit of the source, instead of a version or branch.",
);

/// An entry with a path has versions only with a source.
const FROM_PATH: &[KeyCondition] = &[
    KeyCondition::Required(&["path"]),
    KeyCondition::Together(&[
        ("version", &["source"]),
        ("branch", &["source"]),
        ("rev", &["source"]),
    ]),
    TOOL_OR_TOOLS,
];

/// `tool` and `tools` exclude each other.
const TOOL_OR_TOOLS: KeyCondition = KeyCondition::AnyOf(&[
    &[KeyCondition::Without(&["tool"])],
    &[KeyCondition::Without(&["tools"])],
]);

const ONLY_OF_SERVERS: &[&str] = &["command", "args", "env", "url", "rename"];
const ONLY_OF_INSTRUCTIONS: &[&str] = &["paths", "block"];
const NOT_OF_FILES: &[&str] = &["command", "args", "env", "url", "rename", "paths", "block"];

const FILE_DEPENDENCY: Definition = Definition {
    name: "dependency",
    form: ValueForm::With(&ValueForm::Part(&DEPENDENCY, NOT_OF_FILES), FROM_PATH),
};

const INSTRUCTION_DEPENDENCY: Definition = Definition {
    name: "instruction",
    form: ValueForm::With(&ValueForm::Part(&DEPENDENCY, ONLY_OF_SERVERS), FROM_PATH),
};

const PLUGIN_DEPENDENCY: Definition = Definition {
    name: "plugin",
    form: ValueForm::With(
        &ValueForm::Table(&PLUGIN),
        &[KeyCondition::AnyOf(&[
            FROM_PATH,
            &[
                KeyCondition::Required(&["marketplace"]),
                KeyCondition::Without(&["source", "path"]),
            ],
        ])],
    ),
};

const SOURCE_DEFINITION: Definition = Definition {
    name: "source",
    form: ValueForm::Table(&SOURCE),
};

const SERVER_DEPENDENCY: Definition = Definition {
    name: "mcp-server",
    form: ValueForm::With(
        &ValueForm::Part(&DEPENDENCY, ONLY_OF_INSTRUCTIONS),
        &[KeyCondition::AnyOf(&[
            FROM_PATH,
            &[
                KeyCondition::Required(&["command"]),
                KeyCondition::Without(&["source"]),
                TOOL_OR_TOOLS,
            ],
            &[
                KeyCondition::Required(&["url"]),
                KeyCondition::Without(&["source"]),
                TOOL_OR_TOOLS,
            ],
        ])],
    ),
};

fn template_variables() -> Vec<(&'static str, Value)> {
    let object = || Value::map([("type", Value::from("object"))]);
    let properties = Value::map([("agpm", false.into()), ("project", object())]);
    vec![("type", "object".into()), ("properties", properties)]
}

const VERSION: Definition = Definition {
    name: "version",
    form: ValueForm::Described(
        "A tag such as `v1.2.0`, a range such as `^1.2` or `>=1.0, <2`, `latest`, or a branch.",
        &ValueForm::WORD,
    ),
};

pub(crate) const LAYER: SchemaTable = SchemaTable::strict(
    "a layer",
    &[
        SchemaField::optional("name", ValueForm::WORD, "Its name; unique among layers."),
        SchemaField::optional("source", ValueForm::WORD, "The source of its files."),
        VERSION_KEY,
        BRANCH_KEY,
        REV_KEY,
        SchemaField::optional(
            "path",
            ValueForm::WORD,
            "The directory of its files, relative to the manifest.",
        ),
        SchemaField::optional("root", RELATIVE_PATH, "The subdirectory to use."),
        SchemaField::optional(
            "include",
            ValueForm::List(&ValueForm::Pattern {
                is: None,
                is_not: Some(r"^/|(^|/)\.\.(/|$)"),
            }),
            "The files to include, relative to `root`, as paths and patterns.",
        ),
    ],
);

const LAYER_DEFINITION: Definition = Definition {
    name: "layer",
    form: ValueForm::With(
        &ValueForm::Table(&LAYER),
        &[
            KeyCondition::Required(&["name"]),
            KeyCondition::AnyOf(&[
                &[
                    KeyCondition::Required(&["path"]),
                    KeyCondition::Without(&["source", "version", "branch", "rev"]),
                ],
                &[
                    KeyCondition::Required(&["source"]),
                    KeyCondition::Without(&["path"]),
                ],
            ]),
        ],
    ),
};

pub(crate) const TOOL: SchemaTable = SchemaTable::strict(
    "a tool",
    &[
        SchemaField::optional("path", RELATIVE_PATH, "Its directory in the project."),
        SchemaField::optional(
            "resources",
            ValueForm::Map(TYPES, &ValueForm::Defined(&TOOL_PLACE)),
            "The path of each resource type.",
        ),
        SchemaField::optional(
            "enabled",
            ValueForm::Flag,
            "Whether to install resources for it.",
        ),
    ],
);

const TOOL_DEFINITION: Definition = Definition {
    name: "tool",
    form: ValueForm::Table(&TOOL),
};

const TOOL_NAMES: ValueForm = ValueForm::FilledList(&ValueForm::Defined(&TOOL_NAME));

const TOOL_NAME: Definition = Definition {
    name: "tool-name",
    form: ValueForm::Either(&[ValueForm::Words(tool_names), ValueForm::WORD]),
};

fn tool_names() -> Vec<&'static str> {
    TOOLS.iter().map(|tool| tool.name).collect()
}

pub(crate) const RESOURCE: SchemaTable = SchemaTable::strict(
    "a tool's resource",
    &[
        SchemaField::optional(
            "path",
            RELATIVE_PATH,
            "The directory of its files, inside the tool's directory.",
        ),
        SchemaField::optional(
            "merge-target",
            RELATIVE_PATH,
            "The file that its entries are merged into.",
        ),
        SchemaField::optional(
            "flatten",
            ValueForm::Flag,
            "Whether to drop the directories of the source.",
        ),
    ],
);

const TOOL_PLACE: Definition = Definition {
    name: "tool-place",
    form: ValueForm::With(
        &ValueForm::Table(&RESOURCE),
        &[KeyCondition::AnyOf(&[
            &[KeyCondition::Required(&["path"])],
            &[KeyCondition::Required(&["merge-target"])],
        ])],
    ),
};

const BASE_STRATEGY: SchemaField = SchemaField::optional(
    "strategy",
    STRATEGY_NAME,
    "The strategy that this one extends.",
);
const LISTS: SchemaField = SchemaField::optional(
    "lists",
    ValueForm::Either(&[
        ValueForm::Defined(&LIST_OPERATION),
        ValueForm::With(
            &ValueForm::Table(&LIST_RULE),
            &[KeyCondition::AnyOf(&[
                &[KeyCondition::Required(&["op"])],
                &[KeyCondition::Required(&["by-key"])],
            ])],
        ),
    ]),
    "How to merge lists.",
);
const SEPARATOR: SchemaField = SchemaField::optional(
    "separator",
    ValueForm::Words(|| words(BodySeparator::ALL)),
    "The separator between the bodies of Markdown files.",
);
const RULES: SchemaField = SchemaField::optional(
    "rules",
    ValueForm::Map(
        KeyNames::Matching("^(/|$)"),
        &ValueForm::Either(&[
            ValueForm::Defined(&OPERATION),
            ValueForm::Defined(&RULE_DEFINITION),
        ]),
    ),
    "Operations by JSON Pointer; `*` matches one step, `**` many.",
);
const UNSET: SchemaField = SchemaField::optional(
    "unset",
    ValueForm::List(&ValueForm::matching("^/")),
    "JSON Pointers of values to delete from the result.",
);

pub(crate) const MERGE: SchemaTable = SchemaTable::strict(
    "a merge table",
    &[BASE_STRATEGY, LISTS, SEPARATOR, RULES, UNSET],
);

const MERGE_DEFINITION: Definition = Definition {
    name: "merge",
    form: ValueForm::Table(&MERGE),
};

pub(crate) const STRATEGY: SchemaTable = SchemaTable::strict(
    "a strategy",
    &[
        BASE_STRATEGY,
        LISTS,
        SEPARATOR,
        RULES,
        UNSET,
        SchemaField::optional(
            "command",
            ValueForm::FilledList(&ValueForm::Text),
            "An executable that merges two files: `%base` is the lower, `%new` the higher.",
        ),
    ],
);

const STRATEGY_DEFINITION: Definition = Definition {
    name: "strategy",
    form: ValueForm::Table(&STRATEGY),
};

/// The operation that takes an argument.
const BY_KEY: &str = "by-key";

pub(crate) const RULE: SchemaTable = SchemaTable::strict(
    "a rule",
    &[operation_key(&OPERATION), ITEM_KEY, SAME_ITEMS, EMPTY_OVER],
);

/// A rule for lists, which only some operations fit.
const LIST_RULE: SchemaTable = SchemaTable::strict(
    "a rule",
    &[
        operation_key(&LIST_OPERATION),
        ITEM_KEY,
        SAME_ITEMS,
        EMPTY_OVER,
    ],
);

const fn operation_key(operations: &'static Definition) -> SchemaField {
    SchemaField::optional("op", ValueForm::Defined(operations), "What happens.")
}

pub(crate) const EMPTY: &[(&str, EmptyRule)] = &[
    ("value", EmptyRule::Value),
    ("ignore", EmptyRule::Ignore),
    ("clear", EmptyRule::Clear),
];
pub(crate) const ITEMS: &[(&str, ItemRule)] =
    &[("replace", ItemRule::Replace), ("deep", ItemRule::Deep)];

const ITEM_KEY: SchemaField = SchemaField::optional(
    BY_KEY,
    ValueForm::Filled,
    "The key that identifies an item of a list.",
);
const SAME_ITEMS: SchemaField = SchemaField::optional(
    "items",
    ValueForm::Words(|| words(ITEMS)),
    "How to merge two items with the same key.",
);
const EMPTY_OVER: SchemaField = SchemaField::optional(
    "empty",
    ValueForm::Words(|| words(EMPTY)),
    "The effect of an empty object or list over a non-empty one.",
);

/// A table with an operation, or with only the effect of empty maps and lists.
const RULE_DEFINITION: Definition = Definition {
    name: "rule",
    form: ValueForm::With(
        &ValueForm::Table(&RULE),
        &[KeyCondition::AnyOf(&[
            &[KeyCondition::Required(&["op"])],
            &[KeyCondition::Required(&[BY_KEY])],
            &[KeyCondition::Required(&["empty"])],
        ])],
    ),
};

const OPERATION: Definition = Definition {
    name: "operation",
    form: ValueForm::Described(
        "How to merge a value that several layers set.",
        &ValueForm::Computed(|| operations(|_| true)),
    ),
};

const LIST_OPERATION: Definition = Definition {
    name: "list-operation",
    form: ValueForm::Described(
        "How to merge lists.",
        &ValueForm::Computed(|| operations(MergeOperation::is_for_lists)),
    ),
};

/// The operations that fit, each with its description.
fn operations(fits: fn(&MergeOperation) -> bool) -> Vec<(&'static str, Value)> {
    let describe = |word: &str| match word {
        BY_KEY => format!("{BY_KEY}:id").parse::<MergeOperation>().ok(),
        word => word.parse::<MergeOperation>().ok(),
    };
    let fitting = OPERATIONS
        .iter()
        .filter(|(word, _)| describe(word).is_some_and(|one| fits(&one)));
    let choices = fitting.map(|(word, does)| operation(word, does));
    vec![("anyOf", Value::list(choices))]
}

fn operation(word: &str, does: &str) -> Value {
    let description = ("description", Value::from(does));
    match word {
        BY_KEY => Value::map([
            description,
            ("type", "string".into()),
            ("pattern", "^by-key:[^:]+(:(replace|deep))?$".into()),
        ]),
        word => Value::map([description, ("const", word.into())]),
    }
}

const STRATEGY_NAME: ValueForm = ValueForm::Either(&[ValueForm::Words(built_in), ValueForm::WORD]);

fn built_in() -> Vec<&'static str> {
    BUILT_IN.iter().map(|built_in| built_in.name).collect()
}

fn words<T>(table: &'static [(&'static str, T)]) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).collect()
}
