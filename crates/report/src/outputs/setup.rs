//! Commands about agpm itself.

use agpm_model::{SchemaField, ValueForm};

use super::schema::OutputSchema;
use super::shared::{DONE, TEXT_OR_NULL, document, list, object, required};

const CONFIG_PATH: SchemaField = required(
    "path",
    ValueForm::Text,
    "The path of the configuration file",
);
const CACHE_PATH: SchemaField = required("path", ValueForm::Text, "The directory of the cache");
const CACHE_DIRECTORY: SchemaField = required("folder", ValueForm::Text, "The same as `path`");
const COPIES: ValueForm = list![object![
    required(
        "url",
        TEXT_OR_NULL,
        "The URL of the source; null if it was never fetched"
    ),
    required("address", TEXT_OR_NULL, "The same as `url`"),
    required("bytes", ValueForm::Count, "Its size"),
    required(
        "condition",
        ValueForm::OneOf(&["whole", "unfinished", "broken"]),
        "Whether it can be used",
    ),
]];
const PRINTED: ValueForm = document![required("text", ValueForm::Text, "The text")];
const CONFIG_CHANGE: ValueForm = document![CONFIG_PATH, DONE];

pub(super) const OUTPUTS: &[OutputSchema] = &[
    OutputSchema {
        command: "config show",
        about: "Your configuration, with secrets masked",
        forms: &[document![
            CONFIG_PATH,
            required("text", ValueForm::Text, "The configuration file"),
            required("sources", ValueForm::TEXT_MAP, "URLs of sources by name"),
        ]],
    },
    OutputSchema {
        command: "config path",
        about: "Where your configuration is",
        forms: &[document![CONFIG_PATH]],
    },
    OutputSchema {
        command: "config add-source",
        about: "What was done",
        forms: &[CONFIG_CHANGE],
    },
    OutputSchema {
        command: "config remove-source",
        about: "What was done",
        forms: &[CONFIG_CHANGE],
    },
    OutputSchema {
        command: "config default-host",
        about: "The host of `OWNER/REPO`, or what was done",
        forms: &[
            document![
                CONFIG_PATH,
                required("default_host", ValueForm::Text, "The host"),
            ],
            CONFIG_CHANGE,
        ],
    },
    OutputSchema {
        command: "cache info",
        about: "What the cache holds",
        forms: &[document![
            CACHE_PATH,
            CACHE_DIRECTORY,
            required("bytes", ValueForm::Count, "Its size"),
            required("sources", COPIES, "Copies of sources"),
        ]],
    },
    OutputSchema {
        command: "cache clean",
        about: "What was or would be removed",
        forms: &[document![
            CACHE_PATH,
            CACHE_DIRECTORY,
            required("bytes", ValueForm::Count, "How much is freed"),
            required("removed", COPIES, "Copies of sources"),
            required("leftovers", ValueForm::Count, "Bytes of interrupted runs"),
            required("dry_run", ValueForm::Flag, "Whether nothing was removed"),
        ]],
    },
    OutputSchema {
        command: "completions",
        about: "The completion script",
        forms: &[PRINTED],
    },
    OutputSchema {
        command: "man",
        about: "The manual page, or with `--dir` the files that were written",
        forms: &[
            PRINTED,
            document![
                required("path", ValueForm::Text, "The directory"),
                required("files", ValueForm::TEXTS, "The files in it"),
            ],
        ],
    },
    OutputSchema {
        command: "schema",
        about: "The JSON Schema itself, without `ok` and `diagnostics`",
        forms: &[ValueForm::AnyMap],
    },
];
