//! Catalogs, personas and bottles. Their contracts fix the names of their fields.

use agpm_model::{SchemaTable, ValueForm};

use super::schema::OutputSchema;
use super::shared::{NAME, TEXT_OR_NULL, document, list, object, optional, required};

const LAYER: ValueForm = ValueForm::OneOf(&["project", "user", "git"]);

/// Manifests may have more columns, which are fields of the row.
const CATALOG_ROW: ValueForm = ValueForm::Table(&SchemaTable::open(
    "a row",
    &[
        required(
            "kind",
            ValueForm::Text,
            "agent, workflow, task, tool or skill",
        ),
        required("module", ValueForm::Text, "The module"),
        NAME,
        required("layer", LAYER, "Where it comes from"),
        optional(
            "remote",
            ValueForm::Text,
            "The git remote that it comes from",
        ),
        required("manifest", ValueForm::Text, "The catalog file"),
        required(
            "file",
            TEXT_OR_NULL,
            "The file of the entry; null if it is missing",
        ),
        optional(
            "shadowed",
            ValueForm::Flag,
            "With `--all`: whether another row wins",
        ),
        optional("shadowedBy", ValueForm::Text, "The layer of that row"),
    ],
));

pub(super) const OUTPUTS: &[OutputSchema] = &[
    OutputSchema {
        command: "catalog",
        about: "Entries of all catalogs",
        forms: &[document![required(
            "rows",
            list![CATALOG_ROW],
            "The entries, with all their columns",
        )]],
    },
    OutputSchema {
        command: "catalog show",
        about: "The file of a catalog entry",
        forms: &[document![
            required(
                "kind",
                ValueForm::Text,
                "agent, workflow, task, tool or skill"
            ),
            required("module", ValueForm::Text, "The module"),
            NAME,
            required("layer", LAYER, "Where it comes from"),
            optional(
                "remote",
                ValueForm::Text,
                "The git remote that it comes from"
            ),
            required("file", ValueForm::Text, "The path of the file"),
            required("content", ValueForm::Text, "The content of the file"),
        ]],
    },
    OutputSchema {
        command: "profile",
        about: "The persona itself, or with `--list` a list; without `ok` and `diagnostics`",
        forms: &[
            list![object![
                required("slug", ValueForm::Text, "The persona"),
                required("kinds", ValueForm::TEXTS, "The documents that it has"),
                required("levels", ValueForm::TEXTS, "The directories that have them"),
            ]],
            ValueForm::AnyMap,
        ],
    },
    OutputSchema {
        command: "bottle list",
        about: "All bottles and bottle agents",
        forms: &[document![
            required(
                "bottles",
                list![object![
                    NAME,
                    required("extends", TEXT_OR_NULL, "The bottle that it extends"),
                    required("file", ValueForm::Text, "The bottle file"),
                ]],
                "The bottles",
            ),
            required(
                "agents",
                list![object![
                    NAME,
                    required("bottle", ValueForm::Text, "The bottle that it runs in"),
                    required("skills", ValueForm::TEXTS, "Its skills"),
                    required("file", ValueForm::Text, "The file"),
                ]],
                "The bottle agents",
            ),
        ]],
    },
    OutputSchema {
        command: "bottle show",
        about: "The effective bottle itself, without `ok` and `diagnostics`",
        forms: &[ValueForm::AnyMap],
    },
    OutputSchema {
        command: "bottle agent",
        about: "The effective bottle agent itself, without `ok` and `diagnostics`",
        forms: &[ValueForm::AnyMap],
    },
    OutputSchema {
        command: "bottle check",
        about: "How much was checked; findings are diagnostics",
        forms: &[document![
            required("bottles", ValueForm::Count, "How many bottles"),
            required("agents", ValueForm::Count, "How many bottle agents"),
        ]],
    },
];
