//! Commands about layers and merging.

use agpm_model::{KeyNames, ValueForm};

use super::schema::OutputSchema;
use super::shared::{
    BODY, DELETIONS, LEAVES, NAME, TEXT_OR_NULL, document, list, object, optional, required,
};

const EXAMPLE: ValueForm = object![
    required("lower", ValueForm::Text, "The lower file"),
    required("higher", ValueForm::Text, "The higher file"),
    required("result", ValueForm::Text, "The merged file"),
];

pub(super) const OUTPUTS: &[OutputSchema] = &[
    OutputSchema {
        command: "layers",
        about: "The layers, lowest first",
        forms: &[document![required(
            "layers",
            list![object![
                required("rank", ValueForm::Count, "The rank; the highest wins"),
                NAME,
                required(
                    "place",
                    ValueForm::Text,
                    "Its directory, or its source and version"
                ),
                required("present", ValueForm::Flag, "Whether it was found"),
                optional("source", ValueForm::Text, "The name of its source"),
                optional("requirement", TEXT_OR_NULL, "The version that is required"),
                optional("version", ValueForm::Text, "The locked version"),
                optional("commit", ValueForm::Text, "The locked commit"),
                optional("checksum", ValueForm::Text, "The checksum of its files"),
                optional("files", ValueForm::Count, "How many files apply"),
                optional(
                    "skipped",
                    list![object![
                        required("path", ValueForm::Text, "The path in the layer"),
                        required("reason", ValueForm::Text, "Why"),
                    ]],
                    "Files that do not apply",
                ),
            ]],
            "The layers",
        )]],
    },
    OutputSchema {
        command: "merge",
        about: "The merged value itself; with `--explain`, where it comes from",
        forms: &[document![LEAVES, DELETIONS, BODY], ValueForm::Any],
    },
    OutputSchema {
        command: "strategies",
        about: "The merge strategies",
        forms: &[document![
            required(
                "strategies",
                list![object![
                    NAME,
                    required(
                        "origin",
                        ValueForm::Text,
                        "`built-in`, or where it is defined"
                    ),
                    required("maps", ValueForm::Text, "How objects merge"),
                    required("lists", ValueForm::Text, "How lists merge"),
                    optional("values", ValueForm::Text, "How other values merge"),
                    optional("purpose", ValueForm::Text, "What it is for"),
                    optional(
                        "rules",
                        ValueForm::Map(KeyNames::Any, &TEXT_OR_NULL),
                        "Operations by JSON Pointer pattern",
                    ),
                    optional("unset", ValueForm::TEXTS, "JSON Pointers of removed values"),
                    optional("command", TEXT_OR_NULL, "The program that merges"),
                    required("example", EXAMPLE, "What it makes of two files"),
                ]],
                "The strategies",
            ),
            optional(
                "operations",
                list![object![
                    NAME,
                    required("does", ValueForm::Text, "What it does"),
                ]],
                "Operations for rules",
            ),
        ]],
    },
];
