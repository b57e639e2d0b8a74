//! Commands that show what a project has.

use agpm_model::{Definition, KeyNames, RESOURCE_TYPES, SchemaField, SchemaTable, ValueForm};

use super::checks::DRIFT;
use super::schema::OutputSchema;
use super::shared::{
    BODY, CAPABILITIES, CAPABILITY_SET, CHAINS, CHECKSUM, COMMIT, DELETIONS, FIELD, ID, INSTALLED,
    INSTALLED_AT, KIND, LEAVES, LOCK, MORE, MOVED, NAME, NOTE, OUTCOME, PARTS, PATCHES, PROGRAMS,
    REQUIREMENT, RESOLVED_COMMIT, SOURCE, TEXT_OR_NULL, TOOL, TOOLS, VERSION, document, list,
    object, optional, or_null, required,
};

fn plurals() -> Vec<&'static str> {
    RESOURCE_TYPES.iter().map(|kind| kind.plural()).collect()
}

const LISTED: ValueForm = object![
    ID,
    KIND,
    NAME,
    VERSION,
    SOURCE,
    required("path", ValueForm::Text, "The path in the source"),
    REQUIREMENT,
    COMMIT,
    RESOLVED_COMMIT,
    CHECKSUM,
    INSTALLED_AT,
    TOOL,
    TOOLS,
    INSTALLED,
    required(
        "dependencies",
        ValueForm::TEXTS,
        "What it requires, as `TYPE/NAME@VERSION`"
    ),
    PARTS,
    PATCHES,
    optional(
        "status",
        ValueForm::OneOf(&["missing", "modified", "conflict", "disabled"]),
        "How the installed files differ, or that a patch disables a hook",
    ),
    optional(
        "base",
        ValueForm::Text,
        "The version that the edited files are based on",
    ),
    optional(
        "patched",
        list![object![
            FIELD,
            required("old", ValueForm::Any, "The value in the source, or null"),
            required("new", ValueForm::Any, "The value of the patch"),
            required("from", ValueForm::Text, "The file with the patch"),
        ]],
        "Patched fields, with `--detailed`",
    ),
];

// A branch contains branches, and only statics may refer to each other in a cycle.
static BRANCH: Definition = Definition {
    name: "branch",
    form: ValueForm::Table(&BRANCH_TABLE),
};
static BRANCH_FORM: ValueForm = ValueForm::Defined(&BRANCH);
static BRANCH_TABLE: SchemaTable = SchemaTable::strict("a branch", &BRANCH_FIELDS);
static BRANCH_FIELDS: [SchemaField; 11] = [
    ID,
    KIND,
    NAME,
    VERSION,
    SOURCE,
    required(
        "transitive",
        ValueForm::Flag,
        "Whether only other resources require it",
    ),
    optional("part", ValueForm::Flag, "Whether it is a part of a plugin"),
    optional(
        "dependencies",
        ValueForm::List(&BRANCH_FORM),
        "What it requires",
    ),
    optional(
        "dependents",
        ValueForm::List(&BRANCH_FORM),
        "What requires it, with `--invert`",
    ),
    optional(
        "repeated",
        ValueForm::Flag,
        "Whether it is shown in full elsewhere",
    ),
    optional(
        "truncated",
        ValueForm::Flag,
        "Whether `--depth` leaves out the rest",
    ),
];

static OUTDATED: Definition = Definition {
    name: "outdated",
    form: object![
        ID,
        required(
            "type",
            ValueForm::Words(pinned_types),
            "The type, in the singular",
        ),
        NAME,
        required("source", ValueForm::Text, "The name of the source"),
        required("current", ValueForm::Text, "The locked version"),
        required(
            "allowed",
            ValueForm::Text,
            "The newest version that the requirement allows"
        ),
        required("newest", ValueForm::Text, "The newest version"),
    ],
};

fn pinned_types() -> Vec<&'static str> {
    let types = RESOURCE_TYPES.iter().map(|kind| kind.singular());
    types.chain(["layer", "catalog", "base"]).collect()
}

const CHECKED: SchemaField = required("checked", ValueForm::Count, "How many were checked");
const OUTDATED_ROWS: SchemaField = required(
    "outdated",
    list![ValueForm::Defined(&OUTDATED)],
    "What could be newer; everything with `--all`",
);
const MOVED_BRANCHES: SchemaField = required(
    "moved",
    list![object![
        required("source", ValueForm::Text, "The source"),
        required(
            "current",
            ValueForm::Text,
            "The branch with the locked commit"
        ),
        required("now", ValueForm::Text, "The branch with its commit now"),
        required(
            "unchanged",
            ValueForm::Count,
            "How many resources are the same at both"
        ),
    ]],
    "Branches that moved without changing these resources",
);

const STATUS: ValueForm = document![
    required("project", ValueForm::Flag, "Whether a manifest was found"),
    required("path", TEXT_OR_NULL, "The directory of the project"),
    required("root", TEXT_OR_NULL, "The same as `path`"),
    required("tools", ValueForm::TEXTS, "Tools that the project is for"),
    required(
        "installed",
        ValueForm::Map(KeyNames::Any, &ValueForm::Count),
        "How many resources are installed, by type",
    ),
    required(
        "outdated",
        or_null![object![CHECKED, OUTDATED_ROWS, MOVED_BRANCHES]],
        "What could be newer; null if that is not known without a network",
    ),
    required("drift", DRIFT, "Installed files that differ"),
    required(
        "next",
        or_null![object![
            required("changes", ValueForm::Count, "Changes"),
            required("approvals", ValueForm::Count, "Approvals that are needed"),
            required("violations", ValueForm::Count, "Policy violations"),
        ]],
        "What the next install would do; null if that is not known without a network",
    ),
];

const EXPLAINED_RESOURCE: ValueForm = object![
    ID,
    KIND,
    NAME,
    VERSION,
    SOURCE,
    required("url", TEXT_OR_NULL, "The URL of the source"),
    required("address", TEXT_OR_NULL, "The same as `url`"),
    required("path", ValueForm::Text, "The path in the source"),
    required("pattern", TEXT_OR_NULL, "The pattern that matched it"),
    REQUIREMENT,
    required(
        "asked_at",
        or_null![object![
            required("file", ValueForm::Text, "The manifest"),
            required("line", ValueForm::Count, "The line, from 1"),
        ]],
        "Where the manifest requires it",
    ),
    COMMIT,
    RESOLVED_COMMIT,
    CHECKSUM,
    INSTALLED_AT,
    TOOL,
    TOOLS,
    INSTALLED,
    PARTS,
    optional("part_of", ValueForm::Text, "The id of its plugin"),
    PATCHES,
    required(
        "conversions",
        list![object![
            required("tool", ValueForm::Text, "The tool"),
            FIELD,
            OUTCOME,
            NOTE,
        ]],
        "Fields that a tool's format changes",
    ),
    required(
        "capabilities",
        ValueForm::Defined(&CAPABILITY_SET),
        "What it lets a tool do"
    ),
    CHAINS,
    MORE,
];

const fn subject_name(word: &'static str) -> SchemaField {
    optional(
        word,
        ValueForm::Text,
        "The name of the subject, if it is of that type",
    )
}

const EXPLAINED: ValueForm = document![
    required(
        "subject",
        object![
            required(
                "type",
                ValueForm::Text,
                "`file`, `agent`, `bottle` and so on"
            ),
            required("id", ValueForm::Text, "Its id, path or name"),
        ],
        "What is explained",
    ),
    subject_name("file"),
    subject_name("manifest"),
    subject_name("catalog"),
    subject_name("profile"),
    subject_name("bottle"),
    subject_name("agent"),
    subject_name("snippet"),
    subject_name("command"),
    subject_name("script"),
    subject_name("hook"),
    subject_name("mcp-server"),
    subject_name("skill"),
    subject_name("instruction"),
    subject_name("plugin"),
    required(
        "pointer",
        ValueForm::Text,
        "The JSON Pointer of the request"
    ),
    optional("resource", EXPLAINED_RESOURCE, "The resource, if it is one"),
    LEAVES,
    DELETIONS,
    BODY,
];

const OFFERED_ID: SchemaField = required("id", ValueForm::Text, "`TYPE/NAME`, for `agpm add`");
const OFFERED_TYPE: SchemaField = required("type", ValueForm::Text, "The type, in the singular");
const OFFERED_VERSION: SchemaField = required("version", TEXT_OR_NULL, "The newest version");
const OFFERED_PATH: SchemaField = required("path", ValueForm::Text, "The path in the source");
const PLUGIN: SchemaField = required("plugin", TEXT_OR_NULL, "The plugin that it is a part of");
const DESCRIPTION: SchemaField =
    required("description", TEXT_OR_NULL, "What its author says of it");
const TOTAL: SchemaField = required(
    "total",
    ValueForm::Count,
    "How many there are, also those that `--limit` leaves out",
);

/// Files before and after a change.
const FILE_DIFFERENCES: ValueForm = list![object![
    required("path", ValueForm::Text, "The file"),
    required("ids", ValueForm::TEXTS, "The resources and layers in it"),
    required(
        "action",
        ValueForm::OneOf(&["create", "update", "remove"]),
        "What would happen to it",
    ),
    required(
        "fields",
        list![object![
            FIELD,
            required("before", TEXT_OR_NULL, "The value before"),
            required("after", TEXT_OR_NULL, "The value after"),
        ]],
        "Fields of the front matter that change",
    ),
    required("added", ValueForm::Count, "Lines that are added"),
    required("removed", ValueForm::Count, "Lines that are removed"),
    required("diff", TEXT_OR_NULL, "The unified diff"),
    required("executable", ValueForm::Flag, "Whether it is executable"),
]];

const PINNED_IDS: ValueForm = list![object![
    ID,
    required("version", TEXT_OR_NULL, "The version"),
    required("commit", TEXT_OR_NULL, "The commit"),
    required("url", TEXT_OR_NULL, "The URL of the source"),
]];

const COMPARED_REF: SchemaField = optional(
    "from",
    object![
        required("ref", ValueForm::Text, "The ref, as it was named"),
        required("commit", ValueForm::Text, "Its commit"),
        required(
            "added",
            PINNED_IDS,
            "Resources, layers and bases that the ref does not have"
        ),
        required(
            "removed",
            PINNED_IDS,
            "Resources, layers and bases that only the ref has"
        ),
        required(
            "sources",
            list![object![
                NAME,
                required("before", TEXT_OR_NULL, "The URL at the ref"),
                required("after", TEXT_OR_NULL, "The URL now"),
            ]],
            "Sources whose URL changes",
        ),
    ],
    "The git ref that the project is compared with, with `--from`",
);

const COSTS: ValueForm = list![object![
    required("tool", ValueForm::Text, "The tool"),
    required(
        "characters",
        ValueForm::Count,
        "The characters of all its resources"
    ),
    required(
        "listed",
        ValueForm::Count,
        "The characters of its skills and commands"
    ),
    required(
        "limit",
        COUNT_OR_NULL,
        "The characters that the tool's list of skills and commands has by default",
    ),
    required(
        "budget",
        COUNT_OR_NULL,
        "The characters that the manifest allows"
    ),
    required(
        "resources",
        list![object![
            ID,
            required(
                "characters",
                ValueForm::Count,
                "The characters of its entry"
            ),
        ]],
        "Its resources, the most expensive first",
    ),
]];

const COUNT_OR_NULL: ValueForm = or_null![ValueForm::Count];

const FLAG_OR_NULL: ValueForm = or_null![ValueForm::Flag];

const FLEET: ValueForm = list![object![
    required(
        "project",
        ValueForm::Text,
        "The directory, or the URL of the repository"
    ),
    optional(
        "commit",
        ValueForm::Text,
        "The commit of the repository that was read"
    ),
    required(
        "rows",
        list![object![
            ID,
            required("version", TEXT_OR_NULL, "The locked version"),
            required("commit", TEXT_OR_NULL, "The locked commit"),
            required("url", TEXT_OR_NULL, "The URL of its source"),
            required(
                "modified",
                FLAG_OR_NULL,
                "Whether its files were edited; null where no files were looked at",
            ),
            required(
                "missing",
                FLAG_OR_NULL,
                "Whether its files are missing; null where no files were looked at",
            ),
            required(
                "outdated",
                FLAG_OR_NULL,
                "Whether a newer version exists; null where its source cannot be reached",
            ),
            required(
                "newest",
                TEXT_OR_NULL,
                "The newest version, if it is outdated"
            ),
            required("denied", ValueForm::Flag, "Whether a policy forbids it"),
            required("reasons", ValueForm::TEXTS, "The rules that forbid it"),
            required(
                "signer",
                TEXT_OR_NULL,
                "Who signed it, as the lockfile records"
            ),
        ]],
        "Its resources and layers",
    ),
    optional("error", ValueForm::Text, "Why it cannot be read"),
]];

pub(super) const OUTPUTS: &[OutputSchema] = &[
    OutputSchema {
        command: "status",
        about: "The state of the project",
        forms: &[STATUS],
    },
    OutputSchema {
        command: "list",
        about: "Installed resources by type, without `ok` and `diagnostics`",
        forms: &[
            ValueForm::Map(KeyNames::Each(plurals), &list![LISTED]),
            document![required(
                "tools",
                COSTS,
                "The tools that list something, with `--cost`"
            )],
        ],
    },
    OutputSchema {
        command: "tree",
        about: "The dependency tree",
        forms: &[document![required(
            "roots",
            list![ValueForm::Defined(&BRANCH)],
            "Resources that the manifest requires, or those that were named",
        )]],
    },
    OutputSchema {
        command: "why",
        about: "What requires a resource",
        forms: &[document![required(
            "resources",
            list![object![ID, KIND, NAME, VERSION, SOURCE, CHAINS, MORE]],
            "The resources of that name",
        )]],
    },
    OutputSchema {
        command: "outdated",
        about: "Newer versions",
        forms: &[document![CHECKED, OUTDATED_ROWS, MOVED_BRANCHES]],
    },
    OutputSchema {
        command: "report",
        about: "The resources of many projects",
        forms: &[document![required(
            "projects",
            FLEET,
            "The projects, by name"
        )]],
    },
    OutputSchema {
        command: "sbom",
        about: "A bill of materials, without `ok` and `diagnostics`: its format has a public schema",
        forms: &[ValueForm::AnyMap],
    },
    OutputSchema {
        command: "diff",
        about: "What an install or update would change, or what changed since a git ref",
        forms: &[document![
            COMPARED_REF,
            CAPABILITIES,
            MOVED,
            PROGRAMS,
            required(
                "edited",
                FILE_DIFFERENCES,
                "Files that were edited since they were installed",
            ),
            required("files", FILE_DIFFERENCES, "Files that would change",),
            LOCK,
        ]],
    },
    OutputSchema {
        command: "explain",
        about: "Where values come from, or what an error code means",
        forms: &[
            EXPLAINED,
            document![
                required("path", ValueForm::Text, "The file, with `--blame`"),
                required(
                    "lines",
                    list![object![
                        required("line", ValueForm::Count, "The line, from 1"),
                        required(
                            "layer",
                            TEXT_OR_NULL,
                            "The layer or resource; null for what you wrote",
                        ),
                        required("text", ValueForm::Text, "The line itself"),
                    ]],
                    "Its lines",
                ),
            ],
            document![
                required("code", ValueForm::Text, "The error code"),
                required(
                    "severity",
                    ValueForm::OneOf(&["note", "warning", "error"]),
                    "How serious it is by default",
                ),
                required("summary", ValueForm::Text, "What it means"),
                required("page", ValueForm::Text, "The whole page, in Markdown"),
            ],
        ],
    },
    OutputSchema {
        command: "browse",
        about: "The resources of a source",
        forms: &[document![
            required("source", ValueForm::Text, "The source, as it was named"),
            required("url", TEXT_OR_NULL, "The URL of the source"),
            OFFERED_VERSION,
            required(
                "resources",
                list![object![
                    OFFERED_ID,
                    OFFERED_TYPE,
                    NAME,
                    DESCRIPTION,
                    OFFERED_VERSION,
                    OFFERED_PATH,
                    PLUGIN,
                ]],
                "The resources",
            ),
            TOTAL,
            optional(
                "repositories",
                list![ValueForm::Text],
                "The URLs of the repositories, if the URL is a directory of them",
            ),
        ]],
    },
    OutputSchema {
        command: "publish",
        about: "What was published",
        forms: &[document![
            required(
                "target",
                ValueForm::Text,
                "The URL of the repository, or a path"
            ),
            required(
                "format",
                ValueForm::OneOf(&["library", "skill", "site"]),
                "The form",
            ),
            required("version", TEXT_OR_NULL, "The version; `null` for a site"),
            required(
                "digest",
                TEXT_OR_NULL,
                "The digest of the manifest; `null` for a site"
            ),
            required(
                "resources",
                list![object![
                    required("id", ValueForm::Text, "`TYPE/NAME`"),
                    required("path", ValueForm::Text, "The path in the library"),
                    required("files", ValueForm::Count, "The number of its files"),
                ]],
                "The resources",
            ),
            required("bytes", ValueForm::Count, "The size of everything"),
            required(
                "sent",
                ValueForm::Count,
                "Blobs or files that were sent or written"
            ),
            required("sent_bytes", ValueForm::Count, "The size of what was sent"),
            required(
                "present",
                ValueForm::Count,
                "Blobs or files that existed already"
            ),
            required(
                "unchanged",
                ValueForm::Flag,
                "Whether the version existed with the same content",
            ),
            required("dry_run", ValueForm::Flag, "Whether nothing was written"),
        ]],
    },
    OutputSchema {
        command: "search",
        about: "Resources of all sources that match, best first",
        forms: &[document![
            required(
                "resources",
                list![object![
                    OFFERED_ID,
                    OFFERED_TYPE,
                    NAME,
                    required("source", ValueForm::Text, "The name of the source"),
                    required("url", ValueForm::Text, "The URL of the source"),
                    OFFERED_PATH,
                    OFFERED_VERSION,
                    PLUGIN,
                    DESCRIPTION,
                ]],
                "The resources",
            ),
            TOTAL,
            required(
                "sources",
                ValueForm::Count,
                "How many sources were searched"
            ),
        ]],
    },
];
