//! The keys of `agpm.lock`, as data. Unknown keys are accepted, as when it is read.

use crate::json_schema::FileSchema;
use crate::lock::VERSION;
use crate::schema::{Definition, KeyCondition, SchemaField, SchemaTable, ValueForm};

const COMMIT: ValueForm = ValueForm::matching("^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$");

/// A lockfile.
pub static LOCK_SCHEMA: FileSchema = FileSchema {
    title: "agpm.lock",
    about: "The resolved versions, for reproducible installs.",
    form: ValueForm::Table(&LOCK),
    definitions: &[&SOURCE, &BASE, &LAYER, &REMOTE, &ENTRY, &FILE],
};

const LOCK: SchemaTable = SchemaTable::open(
    "a lockfile",
    &[
        SchemaField::required(
            "version",
            ValueForm::Number(VERSION),
            "The version of the format.",
        ),
        SchemaField::optional(
            "capabilities",
            ValueForm::TEXTS,
            "Empty if no resource and no layer has capabilities.",
        ),
        SchemaField::optional(
            "sources",
            ValueForm::List(&ValueForm::Defined(&SOURCE)),
            "The sources in use, by name.",
        ),
        SchemaField::optional(
            "base",
            ValueForm::List(&ValueForm::Defined(&BASE)),
            "The bases of the manifest, lowest first.",
        ),
        SchemaField::optional(
            "layers",
            ValueForm::List(&ValueForm::Defined(&LAYER)),
            "The layers, lowest first.",
        ),
        SchemaField::optional(
            "catalog",
            ValueForm::List(&ValueForm::Defined(&REMOTE)),
            "The remotes of the catalog, highest first.",
        ),
        SchemaField::optional("agents", FILES, "Agents, by name."),
        SchemaField::optional("snippets", FILES, "Snippets, by name."),
        SchemaField::optional("commands", FILES, "Slash commands, by name."),
        SchemaField::optional("scripts", FILES, "Scripts, by name."),
        SchemaField::optional("hooks", FILES, "Hooks, by name."),
        SchemaField::optional(
            "mcp-servers",
            ValueForm::List(&ValueForm::Defined(&ENTRY)),
            "MCP servers, by name.",
        ),
        SchemaField::optional("skills", FILES, "Skills, by name."),
        SchemaField::optional("instructions", FILES, "Instructions, by name."),
        SchemaField::optional("plugins", FILES, "Plugins, by name."),
    ],
);

const FILES: ValueForm = ValueForm::List(&ValueForm::Defined(&FILE));

const SOURCE: Definition = Definition {
    name: "source",
    form: ValueForm::Table(&SchemaTable::open(
        "a locked source",
        &[
            SchemaField::required("name", ValueForm::Text, "Its name in the manifest."),
            SchemaField::optional("url", ValueForm::Text, "Its URL, without secrets."),
        ],
    )),
};

const BASE: Definition = Definition {
    name: "base",
    form: ValueForm::With(
        &ValueForm::Table(&SchemaTable::open(
            "a locked base",
            &[
                SchemaField::optional(
                    "source",
                    ValueForm::Text,
                    "The URL of its repository, without secrets.",
                ),
                SchemaField::optional(
                    "path",
                    ValueForm::Text,
                    "Its directory, in the repository or on this machine.",
                ),
                SchemaField::optional("requirement", ValueForm::Text, "The required version."),
                SchemaField::optional(
                    "version",
                    ValueForm::Text,
                    "The tag or branch, or the commit as it was required.",
                ),
                SchemaField::optional("resolved_commit", COMMIT, "The commit."),
                SchemaField::required(
                    "checksum",
                    ValueForm::matching("^sha256:[0-9a-fA-F]{64}$"),
                    "The checksum of its `agpm.toml`.",
                ),
            ],
        )),
        &[KeyCondition::Together(&[(
            "source",
            &["version", "resolved_commit"],
        )])],
    ),
};

const DIGEST: ValueForm = ValueForm::matching("^sha256:[0-9a-fA-F]{64}$");
const LOCKED_CAPABILITIES: &str =
    "What it lets a tool do, one string for each; in lockfiles of older versions a digest of that.";
const CAPABILITIES: ValueForm =
    ValueForm::Either(&[ValueForm::FilledList(&ValueForm::Filled), DIGEST]);

const LAYER: Definition = Definition {
    name: "layer",
    form: ValueForm::With(
        &ValueForm::Table(&SchemaTable::open(
            "a locked layer",
            &[
                SchemaField::required("name", ValueForm::Text, "Its name in the manifest."),
                SchemaField::optional("source", ValueForm::Text, "Its source."),
                SchemaField::optional("requirement", ValueForm::Text, "The requirement."),
                SchemaField::optional(
                    "version",
                    ValueForm::Text,
                    "The tag or branch, or the commit as it was required.",
                ),
                SchemaField::optional("resolved_commit", COMMIT, "The commit."),
                SchemaField::required(
                    "checksum",
                    DIGEST,
                    "The checksum of all its files that apply.",
                ),
                SchemaField::optional("capabilities", CAPABILITIES, LOCKED_CAPABILITIES),
            ],
        )),
        &[KeyCondition::Together(&[(
            "source",
            &["requirement", "version", "resolved_commit"],
        )])],
    ),
};

const REMOTE: Definition = Definition {
    name: "remote",
    form: ValueForm::Table(&SchemaTable::open(
        "a locked remote",
        &[
            SchemaField::required(
                "remote",
                ValueForm::WORD,
                "The required remote, without secrets.",
            ),
            SchemaField::required(
                "version",
                ValueForm::WORD,
                "The branch or tag, or the commit as it was required.",
            ),
            SchemaField::required("resolved_commit", COMMIT, "The commit."),
        ],
    )),
};

const PLACEMENT: SchemaTable = SchemaTable::open(
    "an installed resource",
    &[
        SchemaField::required("tool", ValueForm::Text, "The tool."),
        SchemaField::required(
            "at",
            ValueForm::Text,
            "The path where it is installed for that tool.",
        ),
    ],
);

const ENTRY: Definition = Definition {
    name: "entry",
    form: ValueForm::Table(&SchemaTable::open(
        "a locked resource",
        &[
            SchemaField::required(
                "name",
                ValueForm::Text,
                "The manifest's key, or the name that follows from the path.",
            ),
            SchemaField::optional(
                "manifest_alias",
                ValueForm::Text,
                "The manifest's key of the pattern that it matched.",
            ),
            SchemaField::optional("pattern", ValueForm::Text, "That pattern."),
            SchemaField::optional("source", ValueForm::Text, "Its source."),
            SchemaField::optional(
                "path",
                ValueForm::Text,
                "Its path in the source, or on this machine.",
            ),
            SchemaField::optional("requirement", ValueForm::Text, "The requirement."),
            SchemaField::optional(
                "version",
                ValueForm::Text,
                "The tag or branch, or the commit as it was required.",
            ),
            SchemaField::optional("resolved_commit", ValueForm::Text, "The commit."),
            SchemaField::optional(
                "checksum",
                ValueForm::Text,
                "The checksum of its content in the source.",
            ),
            SchemaField::optional("capabilities", CAPABILITIES, LOCKED_CAPABILITIES),
            SchemaField::optional(
                "widened",
                ValueForm::FilledList(&ValueForm::Filled),
                "Tools for which a conversion was approved that permits more than the author wrote.",
            ),
            SchemaField::optional(
                "installed_at",
                ValueForm::Text,
                "The path where it is installed.",
            ),
            SchemaField::optional("tool", ValueForm::Text, "Its tool."),
            SchemaField::optional(
                "tools",
                ValueForm::TEXTS,
                "Its tools, if there are several.",
            ),
            SchemaField::optional(
                "installed",
                ValueForm::List(&ValueForm::Table(&PLACEMENT)),
                "The paths where it is installed for several tools.",
            ),
            SchemaField::optional(
                "dependencies",
                ValueForm::TEXTS,
                "Its dependencies, as `TYPE/NAME@VERSION`.",
            ),
            SchemaField::optional(
                "parts",
                ValueForm::TEXTS,
                "The installed parts of a plugin, as `TYPE/NAME`.",
            ),
            SchemaField::optional(
                "marketplace",
                ValueForm::AnyMap,
                "The marketplace that lists the plugin.",
            ),
            SchemaField::optional("patches", ValueForm::TEXTS, "The fields that patches set."),
            SchemaField::optional(
                "private_patches",
                ValueForm::TEXTS,
                "The fields that are set for one user only.",
            ),
            SchemaField::optional(
                "dropped_patches",
                ValueForm::TEXTS,
                "The fields of patches that no tool of the resource has.",
            ),
            SchemaField::optional(
                "install",
                ValueForm::Flag,
                "`false` if it is resolved but not written.",
            ),
            SchemaField::optional(
                "in_place",
                ValueForm::Flag,
                "`true` if it is a file of the project that agpm never writes.",
            ),
        ],
    )),
};

const FILE: Definition = Definition {
    name: "file",
    form: ValueForm::With(
        &ValueForm::Defined(&ENTRY),
        &[KeyCondition::Required(&["path"])],
    ),
};
