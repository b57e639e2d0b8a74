//! Commands that change a project.

use agpm_model::{KeyNames, SchemaField, ValueForm};

use super::schema::OutputSchema;
use super::shared::{
    CAPABILITIES, CHANGES, CONVERSIONS, DISABLED, DONE, DRY_RUN, ID, KIND, LOCK, MOVED, NAME,
    PRIVATE_LOCK, PROGRAMS, READS, SOURCE, TEXT_OR_NULL, UNCHANGED, document, list, maybe, object,
    optional, or_null, required,
};

const INSTALL: ValueForm = document![
    DRY_RUN,
    CHANGES,
    MOVED,
    CAPABILITIES,
    PROGRAMS,
    READS,
    CONVERSIONS,
    UNCHANGED,
    DISABLED,
    LOCK,
    PRIVATE_LOCK,
];

const CHANGED_ENTRIES: SchemaField = required(
    "changed",
    list![object![
        ID,
        required("changes", ValueForm::TEXTS, "The changes of the entry"),
    ]],
    "Dependencies that the manifest already had and that were changed",
);

const UPDATE: ValueForm = document![
    CHANGED_ENTRIES,
    required(
        "of_bases",
        list![object![
            ID,
            required("base", ValueForm::Text, "The base"),
            required("requirement", ValueForm::Text, "The requirement"),
            required("newest", ValueForm::Text, "The newest release"),
        ]],
        "Dependencies of bases that exclude the newest release, with `--latest`",
    ),
    DRY_RUN,
    CHANGES,
    MOVED,
    CAPABILITIES,
    PROGRAMS,
    READS,
    CONVERSIONS,
    UNCHANGED,
    DISABLED,
    LOCK,
    PRIVATE_LOCK,
];

/// An edit of the manifest, with the install that follows unless `--no-install` is given.
const MANIFEST_CHANGE: ValueForm = document![
    DONE,
    maybe(DRY_RUN),
    maybe(CHANGES),
    maybe(MOVED),
    maybe(CAPABILITIES),
    maybe(PROGRAMS),
    maybe(READS),
    maybe(CONVERSIONS),
    maybe(UNCHANGED),
    maybe(DISABLED),
    maybe(LOCK),
    PRIVATE_LOCK,
];

const ADD: ValueForm = document![
    required("created", TEXT_OR_NULL, "The manifest, if it is new"),
    required(
        "sources",
        list![object![NAME, required("url", ValueForm::Text, "The URL"),]],
        "Sources added to the manifest",
    ),
    required(
        "added",
        list![object![
            ID,
            KIND,
            NAME,
            SOURCE,
            required("url", TEXT_OR_NULL, "The URL of the source"),
            required("path", ValueForm::Text, "The path in the source"),
            required("version", TEXT_OR_NULL, "The requirement in the manifest"),
            required("commit", TEXT_OR_NULL, "The commit of a branch"),
        ]],
        "Dependencies added to the manifest",
    ),
    CHANGED_ENTRIES,
    required(
        "left_out",
        list![object![
            ID,
            required("part", TEXT_OR_NULL, "The part of it that is left out"),
            required(
                "tools",
                ValueForm::TEXTS,
                "The tools that it is left out of; empty for all"
            ),
            required("reason", ValueForm::Text, "The reason"),
        ]],
        "Resources that cannot be installed, where all were requested",
    ),
    optional("tools", ValueForm::TEXTS, "The tools of a new project"),
    optional(
        "tools_from",
        ValueForm::OneOf(&["option", "project", "home", "format", "question", "default"]),
        "Why it is for these tools",
    ),
    required(
        "present",
        ValueForm::TEXTS,
        "Ids that the manifest already had"
    ),
    required("undo", TEXT_OR_NULL, "The command that undoes it"),
    maybe(DRY_RUN),
    maybe(CHANGES),
    maybe(MOVED),
    maybe(CAPABILITIES),
    maybe(PROGRAMS),
    maybe(READS),
    maybe(CONVERSIONS),
    maybe(UNCHANGED),
    maybe(DISABLED),
    maybe(LOCK),
    PRIVATE_LOCK,
];

const FOUND_ENTRIES: ValueForm = list![object![
    required("path", ValueForm::Text, "The file"),
    required("tool", ValueForm::Text, "The tool that reads it"),
    required("names", ValueForm::TEXTS, "The entries"),
]];

const INIT: ValueForm = document![
    required("files", ValueForm::TEXTS, "Files that were written"),
    required("tools", ValueForm::TEXTS, "Tools that the project is for"),
    optional(
        "tools_from",
        ValueForm::OneOf(&["project", "home"]),
        "Where the tools were detected",
    ),
    optional(
        "found",
        object![
            required(
                "resources",
                list![object![
                    KIND,
                    NAME,
                    required("path", ValueForm::Text, "The file or directory"),
                    required("tool", ValueForm::Text, "The tool that reads it"),
                ]],
                "Resources that can be adopted",
            ),
            required(
                "rules",
                list![object![
                    required("path", ValueForm::Text, "The file"),
                    required("tool", ValueForm::Text, "The tool that reads it"),
                ]],
                "Instruction files",
            ),
            required("hooks", FOUND_ENTRIES, "Hooks in configuration files"),
            required(
                "servers",
                FOUND_ENTRIES,
                "MCP servers in configuration files"
            ),
            required(
                "managers",
                list![object![
                    NAME,
                    required("path", ValueForm::Text, "Its file"),
                    optional("format", ValueForm::Text, "The format for `agpm import`"),
                ]],
                "Files of other managers",
            ),
            required(
                "skipped",
                list![object![
                    required("path", ValueForm::Text, "The file"),
                    required("reason", ValueForm::Text, "Why"),
                ]],
                "Files that cannot be adopted",
            ),
        ],
        "What the project has for tools already",
    ),
    optional(
        "adopted",
        list![object![
            ID,
            required("path", ValueForm::Text, "The file or directory"),
            optional("url", ValueForm::Text, "The source that it is from"),
            optional("version", ValueForm::Text, "The version that it is"),
            optional("note", ValueForm::Text, "What to know about it"),
        ]],
        "Resources described in the new manifest",
    ),
];

const IMPORT: ValueForm = document![
    required("format", ValueForm::Text, "The format"),
    optional("file", ValueForm::Text, "The file that was read"),
    required("manifest", ValueForm::Text, "The manifest"),
    required("written", ValueForm::Flag, "Whether the manifest changed"),
    required("created", ValueForm::Flag, "Whether the manifest is new"),
    required(
        "sources",
        ValueForm::Map(KeyNames::Any, &ValueForm::Any),
        "Sources by name",
    ),
    required("layers", list![ValueForm::AnyMap], "Tables of layers"),
    required(
        "merge",
        ValueForm::Map(KeyNames::Any, &ValueForm::Any),
        "Merge strategies by file pattern",
    ),
    required("tools", ValueForm::TEXTS, "Tools"),
    required(
        "dependencies",
        list![ValueForm::AnyMap],
        "Dependencies with `id`, `type`, `name` and the keys of their entry",
    ),
    required(
        "kept",
        ValueForm::TEXTS,
        "Ids that the manifest already had"
    ),
    required(
        "lost",
        ValueForm::TEXTS,
        "Settings that agpm cannot express"
    ),
    required(
        "changes",
        list![object![
            required("path", ValueForm::Text, "The file"),
            required("change", ValueForm::Text, "The difference"),
        ]],
        "What agpm does differently",
    ),
];

const PAST: ValueForm = object![
    required(
        "number",
        or_null![ValueForm::Count],
        "The number of the transaction",
    ),
    required(
        "time",
        TEXT_OR_NULL,
        "The time, as in `2026-11-20T08:30:00Z`; null if it was not recorded",
    ),
    required("command", ValueForm::Text, "The command"),
    required("title", ValueForm::Text, "The same as `command`"),
    required(
        "summary",
        ValueForm::Text,
        "The number of files by what happened to them"
    ),
    required(
        "files",
        list![object![
            required("path", ValueForm::Text, "The file"),
            required(
                "action",
                ValueForm::OneOf(&["created", "updated", "removed", "restored"]),
                "What happened to it",
            ),
        ]],
        "The files",
    ),
    optional("damaged", ValueForm::Text, "Why the record cannot be read"),
];
const UNDONE_TRANSACTIONS: SchemaField = required(
    "transactions",
    list![PAST],
    "The transactions, the newest first",
);
const KEPT: SchemaField = required(
    "kept",
    ValueForm::TEXTS,
    "Files that stay because they were edited",
);

pub(super) const OUTPUTS: &[OutputSchema] = &[
    OutputSchema {
        command: "init",
        about: "The files that were written, and what the project has for tools",
        forms: &[INIT],
    },
    OutputSchema {
        command: "demo",
        about: "The project that was created",
        forms: &[document![
            required("path", ValueForm::Text, "Its directory"),
            required("folder", ValueForm::Text, "The same as `path`"),
            required("files", ValueForm::TEXTS, "Its files"),
        ]],
    },
    OutputSchema {
        command: "add",
        about: "What was added and installed; the document of `add source` and `add dep` has `done`",
        forms: &[ADD, MANIFEST_CHANGE],
    },
    OutputSchema {
        command: "remove",
        about: "What was removed, and what was installed again",
        forms: &[MANIFEST_CHANGE],
    },
    OutputSchema {
        command: "install",
        about: "What was or would be installed",
        forms: &[INSTALL],
    },
    OutputSchema {
        command: "update",
        about: "Versions that moved, and what was or would be installed",
        forms: &[UPDATE],
    },
    OutputSchema {
        command: "lock merge",
        about: "The versions that both branches changed",
        forms: &[document![
            required("file", ValueForm::Text, "The file with the result"),
            required(
                "joined",
                list![object![
                    ID,
                    required("ours", ValueForm::Text, "The version of the current branch"),
                    required("theirs", ValueForm::Text, "The version of the other branch"),
                    required(
                        "kept",
                        TEXT_OR_NULL,
                        "The version that stays; null if the next install resolves it again"
                    ),
                ]],
                "Versions that both branches changed",
            ),
        ]],
    },
    OutputSchema {
        command: "import",
        about: "What was taken over from another manager",
        forms: &[
            IMPORT,
            document![required(
                "found",
                list![object![
                    required("format", ValueForm::Text, "The format for `agpm import`"),
                    required("manager", ValueForm::Text, "The manager that writes it"),
                    required("path", ValueForm::Text, "The file"),
                    required("command", ValueForm::Text, "The command that imports it"),
                ]],
                "Files of other managers, without a format",
            )],
        ],
    },
    OutputSchema {
        command: "resolve",
        about: "The files whose conflicts were resolved",
        forms: &[document![
            required(
                "take",
                ValueForm::OneOf(&["mine", "new", "merged"]),
                "The side that was taken",
            ),
            required(
                "resolved",
                list![object![
                    required("path", ValueForm::Text, "The file"),
                    ID,
                    required("resource", ValueForm::Text, "The same as `id`"),
                ]],
                "The files",
            ),
        ]],
    },
    OutputSchema {
        command: "patch save",
        about: "The patch that local edits of a resource were saved as",
        forms: &[document![
            required("id", ValueForm::Text, "The resource, as `TYPE/NAME`"),
            required(
                "fields",
                ValueForm::TEXTS,
                "The fields that the patch sets now"
            ),
            required(
                "patch_file",
                TEXT_OR_NULL,
                "The diff with the rest of the edit; null if fields are enough",
            ),
            required(
                "files",
                ValueForm::TEXTS,
                "The edited files; none if nothing was edited"
            ),
            required("dry_run", ValueForm::Flag, "Whether nothing was written"),
        ]],
    },
    OutputSchema {
        command: "undo",
        about: "The transaction that was undone, would be undone, or all of them",
        forms: &[
            document![
                required(
                    "undone",
                    or_null![PAST],
                    "The oldest transaction, with the files of all; null if there is none",
                ),
                UNDONE_TRANSACTIONS,
                KEPT,
            ],
            document![
                required(
                    "would_undo",
                    or_null![PAST],
                    "The same with `--dry-run`; null if there is none",
                ),
                UNDONE_TRANSACTIONS,
                KEPT,
            ],
            document![required(
                "history",
                list![PAST],
                "Transactions with `--list`, the newest first",
            )],
        ],
    },
    OutputSchema {
        command: "approve",
        about: "The merge programs of the project",
        forms: &[document![
            required("project", ValueForm::Text, "The directory of the project"),
            required(
                "programs",
                list![object![
                    required("strategy", ValueForm::Text, "The strategy that runs it"),
                    required("command", ValueForm::TEXTS, "The command line"),
                ]],
                "The programs",
            ),
            required("approved", ValueForm::Flag, "Whether they may run"),
            required(
                "waiting",
                ValueForm::List(&ValueForm::Text),
                "What the next install holds back until it is approved",
            ),
        ]],
    },
];
