//! Commands that check a project.

use agpm_model::{SchemaField, ValueForm};

use super::schema::OutputSchema;
use super::shared::{ID, READS, document, list, object, required};

const FINDINGS: ValueForm = list![object![
    required("code", ValueForm::Text, "The stable code"),
    required("path", ValueForm::Text, "The installed file"),
    ID,
    required("resource", ValueForm::Text, "The same as `id`"),
    required("message", ValueForm::Text, "How it differs"),
    super::shared::optional(
        "status",
        ValueForm::OneOf(&["modified", "conflict"]),
        "Of an edited file: whether the locked version could not be merged into it",
    ),
    super::shared::optional(
        "base",
        ValueForm::Text,
        "The version that the edited file is based on",
    ),
]];

pub(super) const DRIFT: ValueForm = object![
    required("checked", ValueForm::Count, "How many files were checked"),
    required("findings", FINDINGS, "Files that differ"),
];

/// The checks of `ci`.
const CHECKS: SchemaField = required(
    "checks",
    list![object![
        required(
            "name",
            ValueForm::OneOf(&["manifest", "lock", "approval", "policy", "files"]),
            "What was checked",
        ),
        required(
            "state",
            ValueForm::OneOf(&["passed", "failed", "skipped"]),
            "The result",
        ),
        required(
            "findings",
            ValueForm::Count,
            "How many diagnostics are about it"
        ),
        super::shared::optional(
            "cause",
            ValueForm::OneOf(&["lock", "unreachable", "refused", "content"]),
            "Why it failed, which decides the exit code",
        ),
    ]],
    "The checks",
);
const COMPARED: SchemaField =
    required("compared", ValueForm::Count, "How many files were compared");

pub(super) const OUTPUTS: &[OutputSchema] = &[
    OutputSchema {
        command: "validate",
        about: "How much was checked; findings are diagnostics",
        forms: &[document![
            required("dependencies", ValueForm::Count, "How many dependencies"),
            required("sources", ValueForm::Count, "How many sources"),
            READS,
        ]],
    },
    OutputSchema {
        command: "verify",
        about: "Installed files that differ from what was installed",
        forms: &[document![
            required("checked", ValueForm::Count, "How many files were checked"),
            required("findings", FINDINGS, "Files that differ"),
        ]],
    },
    OutputSchema {
        command: "doctor",
        about: "The state of everything that commands rely on",
        forms: &[document![required(
            "checks",
            list![object![
                required("name", ValueForm::Text, "What was checked"),
                required(
                    "state",
                    ValueForm::OneOf(&["ok", "skipped", "warning", "error"]),
                    "The result",
                ),
                required("summary", ValueForm::Text, "The result in a few words"),
            ]],
            "The checks",
        )]],
    },
    OutputSchema {
        command: "ci",
        about: "Whether a committed project is as its manifest and lockfile say",
        forms: &[
            document![CHECKS, COMPARED],
            document![required(
                "projects",
                list![object![
                    required("manifest", ValueForm::Text, "The path of the manifest"),
                    CHECKS,
                    COMPARED,
                ]],
                "With `--recursive`: the projects, by path",
            )],
        ],
    },
    OutputSchema {
        command: "policy show",
        about: "The rules that apply",
        forms: &[document![required(
            "rules",
            list![object![
                required("rule", ValueForm::Text, "The name of the rule"),
                required("value", ValueForm::Text, "Its value"),
                required("file", ValueForm::Text, "The policy file"),
                required("line", ValueForm::Count, "The line, from 1"),
            ]],
            "The rules",
        )]],
    },
    OutputSchema {
        command: "policy check",
        about: "How much was checked; violations are diagnostics",
        forms: &[document![
            required("policies", ValueForm::Count, "How many policies"),
            required("checked", ValueForm::Count, "How many resources"),
        ]],
    },
];
