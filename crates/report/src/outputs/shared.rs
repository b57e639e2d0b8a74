//! Fields and objects of several documents.

use agpm_model::{Definition, KeyPresence, RESOURCE_TYPES, SchemaField, SchemaTable, ValueForm};

/// A document with these fields between `ok` and `diagnostics`.
macro_rules! document {
    ($($field:expr),* $(,)?) => {
        $crate::outputs::shared::object![
            $crate::outputs::shared::OK,
            $($field,)*
            $crate::outputs::shared::DIAGNOSTICS,
        ]
    };
}

/// An object with these fields.
macro_rules! object {
    ($($field:expr),* $(,)?) => {
        ::agpm_model::ValueForm::Table(const {
            &::agpm_model::SchemaTable::strict("an object", const { &[$($field),*] })
        })
    };
}

/// A list of values of a form.
macro_rules! list {
    ($form:expr) => {
        ::agpm_model::ValueForm::List(const { &$form })
    };
}

/// A value of a form, or `null`.
macro_rules! or_null {
    ($form:expr) => {
        ::agpm_model::ValueForm::OrNull(const { &$form })
    };
}

pub(super) use {document, list, object, or_null};

pub(super) const fn required(
    name: &'static str,
    form: ValueForm,
    about: &'static str,
) -> SchemaField {
    SchemaField::required(name, form, about)
}

pub(super) const fn optional(
    name: &'static str,
    form: ValueForm,
    about: &'static str,
) -> SchemaField {
    SchemaField::optional(name, form, about)
}

/// The same field where it may be missing.
pub(super) const fn maybe(field: SchemaField) -> SchemaField {
    SchemaField {
        presence: KeyPresence::Optional,
        ..field
    }
}

pub(super) const TEXT_OR_NULL: ValueForm = or_null![ValueForm::Text];

pub(super) const OK: SchemaField = required("ok", ValueForm::Flag, "Whether the command succeeded");
pub(super) const DIAGNOSTICS: SchemaField = required(
    "diagnostics",
    list![ValueForm::Defined(&DIAGNOSTIC)],
    "Errors, warnings and notes",
);

/// The document of a command that fails before it has a report.
pub const FAILURE: SchemaTable = SchemaTable::strict("a failure", &[OK, DIAGNOSTICS]);

pub(super) static DIAGNOSTIC: Definition = Definition {
    name: "diagnostic",
    form: object![
        required(
            "code",
            ValueForm::Text,
            "The stable code, which `agpm explain` describes"
        ),
        required(
            "severity",
            ValueForm::OneOf(&["note", "warning", "error"]),
            "How serious it is",
        ),
        required("message", ValueForm::Text, "The problem"),
        optional("details", ValueForm::TEXTS, "More about it, line by line"),
        optional("file", ValueForm::Text, "The file that it is about"),
        optional("line", ValueForm::Count, "The line in the file, from 1"),
        optional("column", ValueForm::Count, "The column in the line, from 1"),
        optional(
            "unit",
            ValueForm::Text,
            "The resource, bottle or persona that it is about"
        ),
        optional("layer", ValueForm::Text, "The layer that it is about"),
        optional("help", ValueForm::Text, "What to do"),
    ],
};

fn types() -> Vec<&'static str> {
    let types = RESOURCE_TYPES.iter();
    types.map(|kind| kind.singular()).chain(["layer"]).collect()
}

pub(super) const TYPE: ValueForm = ValueForm::Words(types);

pub(super) const ID: SchemaField = required("id", ValueForm::Text, "`TYPE/NAME`");
pub(super) const KIND: SchemaField = required("type", TYPE, "The type, in the singular");
pub(super) const NAME: SchemaField = required("name", ValueForm::Text, "The name");
pub(super) const VERSION: SchemaField = required("version", TEXT_OR_NULL, "The locked version");
pub(super) const SOURCE: SchemaField = required("source", TEXT_OR_NULL, "The name of the source");
pub(super) const REQUIREMENT: SchemaField =
    required("requirement", TEXT_OR_NULL, "The version that is required");
pub(super) const COMMIT: SchemaField =
    required("commit", TEXT_OR_NULL, "The commit that it is taken from");
pub(super) const RESOLVED_COMMIT: SchemaField =
    required("resolved_commit", TEXT_OR_NULL, "The same as `commit`");
pub(super) const CHECKSUM: SchemaField =
    required("checksum", TEXT_OR_NULL, "The checksum of its content");
pub(super) const INSTALLED_AT: SchemaField = optional(
    "installed_at",
    TEXT_OR_NULL,
    "The installed path, if it is for one tool",
);
pub(super) const TOOL: SchemaField = optional("tool", TEXT_OR_NULL, "The tool, if it is for one");
pub(super) const TOOLS: SchemaField = required(
    "tools",
    ValueForm::TEXTS,
    "The tools that it is installed for",
);
pub(super) const INSTALLED: SchemaField = required(
    "installed",
    list![object![
        required("tool", ValueForm::Text, "The tool"),
        required("path", ValueForm::Text, "The installed path"),
        required("at", ValueForm::Text, "The same as `path`"),
    ]],
    "Where it is installed for each tool",
);
pub(super) const PARTS: SchemaField = optional(
    "parts",
    ValueForm::TEXTS,
    "What is installed of a plugin, as ids",
);
pub(super) const PATCHES: SchemaField = required(
    "patches",
    ValueForm::TEXTS,
    "The fields that patches change",
);
pub(super) const CHAINS: SchemaField = required(
    "chains",
    list![list![ValueForm::Defined(&LINK)]],
    "What requires it, each from the manifest down",
);
pub(super) const MORE: SchemaField =
    required("more", ValueForm::Flag, "Whether some chains are left out");

pub(super) static LINK: Definition = Definition {
    name: "link",
    form: object![ID, KIND, NAME, VERSION, SOURCE, REQUIREMENT],
};

pub(super) const DONE: SchemaField = required("done", ValueForm::Text, "What was done");

/// The fields of an install's changes.
pub(super) const DRY_RUN: SchemaField =
    required("dry_run", ValueForm::Flag, "Whether nothing was written");
pub(super) const CHANGES: SchemaField = required(
    "changes",
    list![ValueForm::Defined(&CHANGE)],
    "Files, keys and blocks that change",
);
pub(super) const MOVED: SchemaField = required(
    "moved",
    list![ValueForm::Defined(&MOVED_PIN)],
    "Locked versions that move",
);
pub(super) const CAPABILITIES: SchemaField = required(
    "capabilities",
    list![ValueForm::Defined(&CAPABILITY_CHANGE)],
    "Resources and layers whose capabilities change",
);
pub(super) const PROGRAMS: SchemaField = required(
    "programs",
    list![ValueForm::Defined(&PROGRAM)],
    "What new or changed content lets a tool run or connect to",
);
pub(super) const READS: SchemaField = required(
    "reads",
    ValueForm::TEXTS,
    "Paths outside the project that are read",
);
pub(super) const CONVERSIONS: SchemaField = required(
    "conversions",
    list![object![
        ID,
        required("resource", ValueForm::Text, "The same as `id`"),
        required("tool", ValueForm::Text, "The tool that it is converted for"),
        required(
            "fields",
            list![ValueForm::Defined(&FIELD_RESULT)],
            "The result for each field",
        ),
    ]],
    "Resources in another tool's format",
);
pub(super) const UNCHANGED: SchemaField = required(
    "unchanged",
    ValueForm::Count,
    "How many files and entries stay as they are",
);
pub(super) const DISABLED: SchemaField = required(
    "disabled",
    ValueForm::Count,
    "How many hooks are disabled, so nothing of them is written",
);
const LOCK_CHANGE: ValueForm = ValueForm::OneOf(&[
    "unchanged",
    "written",
    "would-be-written",
    "not-written",
    "removed",
    "would-be-removed",
]);
pub(super) const LOCK: SchemaField = required("lock", LOCK_CHANGE, "What happens to `agpm.lock`");
pub(super) const PRIVATE_LOCK: SchemaField = optional(
    "private_lock",
    LOCK_CHANGE,
    "What happens to `agpm.private.lock`, unless it stays as it is",
);

static CHANGE: Definition = Definition {
    name: "change",
    form: object![
        required(
            "action",
            ValueForm::OneOf(&[
                "create", "update", "remove", "merge", "keep", "adopt", "release",
            ]),
            "What happens; `merge` merges a new version into a modified file, `keep` leaves one, `release` stops managing one",
        ),
        required("path", ValueForm::Text, "The file"),
        ID,
        required("resource", ValueForm::Text, "The same as `id`"),
        required("reason", ValueForm::Text, "Why"),
        optional(
            "key",
            ValueForm::Text,
            "The JSON Pointer of an entry in the file"
        ),
        optional("block", ValueForm::Text, "The name of a block in the file"),
    ],
};

pub(super) static FIELD_RESULT: Definition = Definition {
    name: "field result",
    form: object![FIELD, OUTCOME, NOTE],
};
pub(super) const FIELD: SchemaField = required("field", ValueForm::Text, "The field");
pub(super) const OUTCOME: SchemaField = required(
    "fate",
    ValueForm::OneOf(&["exact", "approximated", "dropped", "widened"]),
    "How well the tool's format can express it",
);
pub(super) const NOTE: SchemaField = required("note", ValueForm::Text, "Details, or empty");

static MOVED_PIN: Definition = Definition {
    name: "moved version",
    form: object![
        ID,
        required("resource", ValueForm::Text, "The same as `id`"),
        required(
            "from",
            ValueForm::Text,
            "The version before, as it is shown"
        ),
        required("to", ValueForm::Text, "The version now, as it is shown"),
        SOURCE,
        required("url", TEXT_OR_NULL, "The URL of the source"),
        required("old", ValueForm::Defined(&PINNED), "The version before"),
        required("new", ValueForm::Defined(&PINNED), "The version now"),
        required(
            "changelog",
            ValueForm::TEXTS,
            "Lines of the source's changelog between the two",
        ),
    ],
};

static PINNED: Definition = Definition {
    name: "pinned version",
    form: object![
        required("version", ValueForm::Text, "The version"),
        required("commit", ValueForm::Text, "The commit"),
    ],
};

static CAPABILITY_CHANGE: Definition = Definition {
    name: "capability change",
    form: object![
        ID,
        required(
            "before",
            or_null![ValueForm::Defined(&CAPABILITY_SET)],
            "The capabilities before; null for something new",
        ),
        required(
            "after",
            ValueForm::Defined(&CAPABILITY_SET),
            "The capabilities now"
        ),
        required(
            "increase",
            list![object![
                required(
                    "capability",
                    ValueForm::OneOf(&[
                        "runs",
                        "connects",
                        "tools",
                        "permission",
                        "env",
                        "instructs"
                    ]),
                    "Which capability grows",
                ),
                required("value", ValueForm::Text, "By what"),
            ]],
            "What it can do in addition",
        ),
    ],
};

const TOOL_ACCESS: ValueForm = ValueForm::Either(&[
    ValueForm::OneOf(&["all", "session"]),
    list![ValueForm::Text],
]);

pub(super) static CAPABILITY_SET: Definition = Definition {
    name: "capability set",
    form: object![
        optional(
            "runs",
            list![object![
                required("command", ValueForm::Text, "The command"),
                optional("event", ValueForm::Text, "The event that starts it"),
            ]],
            "Commands that a tool runs",
        ),
        optional("connects", ValueForm::TEXTS, "URLs that a tool connects to"),
        optional("tools", TOOL_ACCESS, "Tools of the client that it may use"),
        optional(
            "file_tools",
            ValueForm::Map(agpm_model::KeyNames::Any, &TOOL_ACCESS),
            "The same by file, where files differ",
        ),
        optional(
            "granted",
            ValueForm::TEXTS,
            "Rules that allow tools without a question"
        ),
        optional(
            "permission",
            ValueForm::TEXTS,
            "Other permissions that it sets"
        ),
        optional("denied", ValueForm::TEXTS, "Rules that forbid tools"),
        optional(
            "env",
            ValueForm::TEXTS,
            "Environment variables that it sets or reads"
        ),
        optional(
            "instructs",
            ValueForm::Map(agpm_model::KeyNames::Any, &ValueForm::Count),
            "Instruction files with their length",
        ),
    ],
};

static PROGRAM: Definition = Definition {
    name: "program",
    form: object![
        ID,
        required("resource", ValueForm::Text, "The same as `id`"),
        required("unit", ValueForm::Text, "The file that it comes from"),
        required("runs", ValueForm::TEXTS, "Commands and URLs"),
        required(
            "capabilities",
            list![object![
                required(
                    "kind",
                    ValueForm::OneOf(&["runs", "connects", "permission"]),
                    "What the tool does",
                ),
                required("value", ValueForm::Text, "The command, URL or permission"),
                required("event", TEXT_OR_NULL, "The event that starts it"),
            ]],
            "The same with details",
        ),
        required(
            "direct",
            ValueForm::Flag,
            "Whether the manifest itself requires it",
        ),
    ],
};

pub(super) const LEAVES: SchemaField = required(
    "leaves",
    list![object![
        required("pointer", ValueForm::Text, "The JSON Pointer of a value"),
        required("value", ValueForm::Any, "The value"),
        required(
            "layer",
            ValueForm::Text,
            "The layer or resource that it comes from"
        ),
        required("file", ValueForm::Text, "The file"),
        required("line", ValueForm::Count, "The line, from 1"),
        required("operation", ValueForm::Text, "How layers are merged there"),
        required(
            "shadows",
            list![ValueForm::Defined(&SHADOW)],
            "Values of lower layers that it overrides",
        ),
    ]],
    "Every value with its origin",
);
pub(super) const DELETIONS: SchemaField = optional(
    "deletions",
    list![object![
        required(
            "pointer",
            ValueForm::Text,
            "The JSON Pointer of what is unset"
        ),
        required(
            "shadows",
            list![ValueForm::Defined(&SHADOW)],
            "Values of lower layers that are removed",
        ),
    ]],
    "Values that a layer removes",
);
pub(super) const BODY: SchemaField = optional(
    "body",
    list![object![
        required("lines", LINE_RANGE, "First and last line of the result"),
        required(
            "layer",
            ValueForm::Text,
            "The layer or resource that they come from"
        ),
        required("file", ValueForm::Text, "The file"),
        required("from", LINE_RANGE, "First and last line in that file"),
    ]],
    "Stretches of text with their origin",
);
const LINE_RANGE: ValueForm = ValueForm::FilledList(&ValueForm::Count);

static SHADOW: Definition = Definition {
    name: "shadow",
    form: object![
        required("value", ValueForm::Any, "The value"),
        required("layer", ValueForm::Text, "The layer"),
        required("file", ValueForm::Text, "The file"),
        required("line", ValueForm::Count, "The line, from 1"),
        required(
            "duplicate",
            ValueForm::Flag,
            "Whether it is the same value, so nothing is lost",
        ),
    ],
};
