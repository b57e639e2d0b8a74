//! Commands that check a project.

use agpm_model::{SchemaField, ValueForm};

use super::schema::OutputSchema;
use super::shared::{ID, READS, document, list, object, optional, required};

const FINDINGS: ValueForm = list![object![
    required("code", ValueForm::Text, "The stable code"),
    required("path", ValueForm::Text, "The installed file"),
    ID,
    required("resource", ValueForm::Text, "The same as `id`"),
    required("message", ValueForm::Text, "How it differs"),
    optional(
        "status",
        ValueForm::OneOf(&["modified", "conflict"]),
        "Of an edited file: whether the locked version could not be merged into it",
    ),
    optional(
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
            ValueForm::OneOf(&["manifest", "lock", "approval", "policy", "audit", "files"]),
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
        optional(
            "cause",
            ValueForm::OneOf(&["lock", "unreachable", "refused", "content"]),
            "Why it failed, which decides the exit code",
        ),
    ]],
    "The checks",
);
const COMPARED: SchemaField =
    required("compared", ValueForm::Count, "How many files were compared");

/// Who can do something.
const CAN: ValueForm = document![
    required("capability", ValueForm::Text, "The question, in words"),
    required(
        "checked",
        ValueForm::Count,
        "How many projects were looked at"
    ),
    required(
        "projects",
        list![object![
            required("project", ValueForm::Text, "The directory"),
            required(
                "abilities",
                list![object![
                    required("path", ValueForm::Text, "The file that is the reason"),
                    optional("line", ValueForm::Count, "The line in the file, from 1"),
                    required(
                        "way",
                        ValueForm::OneOf(&[
                            "automatic",
                            "without-asking",
                            "after-asking",
                            "in-program"
                        ]),
                        "How it is done",
                    ),
                    required(
                        "value",
                        ValueForm::Text,
                        "The command, host, rule, variable or line"
                    ),
                    optional(
                        "id",
                        ValueForm::Text,
                        "The resource or layer; missing for files that agpm did not write",
                    ),
                    required("tools", ValueForm::TEXTS, "The clients that read the file"),
                    optional("source", ValueForm::Text, "The source of the resource"),
                    optional("version", ValueForm::Text, "Its version"),
                    optional("commit", ValueForm::Text, "Its commit"),
                ]],
                "The reasons, by file and line",
            ),
        ]],
        "The projects in which somebody can",
    ),
];

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
        command: "audit",
        about: "Findings in installed content",
        forms: &[document![
            required("checked", ValueForm::Count, "How many files were audited"),
            required(
                "level",
                ValueForm::OneOf(&["note", "warning", "error"]),
                "The severity from which findings make the command fail",
            ),
            required(
                "ignored",
                ValueForm::Count,
                "How many findings the manifest excuses"
            ),
            required(
                "findings",
                list![object![
                    required("rule", ValueForm::Text, "The rule, as its scanner calls it"),
                    required(
                        "severity",
                        ValueForm::OneOf(&["note", "warning", "error"]),
                        "How serious it is",
                    ),
                    optional(
                        "id",
                        ValueForm::Text,
                        "The resource as `TYPE/NAME`, or the layer"
                    ),
                    required("path", ValueForm::Text, "The file"),
                    optional("line", ValueForm::Count, "The line in the file, from 1"),
                    required("message", ValueForm::Text, "What is wrong"),
                    optional(
                        "excerpt",
                        ValueForm::Text,
                        "What was found, without secrets"
                    ),
                    optional(
                        "more",
                        ValueForm::Count,
                        "How many more of the same the file has"
                    ),
                    optional("tool", ValueForm::Text, "The other scanner that found it"),
                ]],
                "The findings, by file and line",
            ),
        ]],
    },
    OutputSchema {
        command: "can connect",
        about: "Who can connect to a host",
        forms: &[CAN],
    },
    OutputSchema {
        command: "can instruct",
        about: "Who can instruct an agent",
        forms: &[CAN],
    },
    OutputSchema {
        command: "can read-env",
        about: "Who can read a variable",
        forms: &[CAN],
    },
    OutputSchema {
        command: "can run",
        about: "Who can run a program",
        forms: &[CAN],
    },
    OutputSchema {
        command: "can use",
        about: "Who can use a tool",
        forms: &[CAN],
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
