//! The keys of `policy.toml`, as data.

use crate::json_schema::FileSchema;
use crate::schema::{SchemaField, SchemaTable, ValueForm};

/// The schema of a policy.
pub static POLICY_SCHEMA: FileSchema = FileSchema {
    title: "policy.toml",
    about: "The rules of an organization.",
    form: ValueForm::Table(&POLICY),
    definitions: &[],
};

/// The names of the severities from which findings of an audit are errors.
pub(crate) const AUDIT_LEVEL_NAMES: [&str; 3] = ["error", "warning", "note"];

pub(crate) const POLICY: SchemaTable = SchemaTable::strict(
    "a policy",
    &[
        SchemaField::optional(
            "sources",
            ValueForm::Table(&SOURCES),
            "Repositories that content may come from.",
        ),
        SchemaField::optional(
            "types",
            ValueForm::Table(&TYPES),
            "Types of resources that may be installed.",
        ),
        SchemaField::optional(
            "resources",
            ValueForm::Table(&RESOURCES),
            "Resources that may not be installed.",
        ),
        SchemaField::optional(
            "tools",
            ValueForm::Table(&TOOLS),
            "Tools that may get resources.",
        ),
        SchemaField::optional("mcp", ValueForm::Table(&MCP), "MCP servers."),
        SchemaField::optional(
            "executables",
            ValueForm::Table(&EXECUTABLES),
            "Rules for executable content.",
        ),
        SchemaField::optional(
            "versions",
            ValueForm::Table(&VERSIONS),
            "Versions that may be installed.",
        ),
        SchemaField::optional(
            "permissions",
            ValueForm::Table(&PERMISSIONS),
            "Permissions that nothing may have.",
        ),
        SchemaField::optional(
            "require",
            ValueForm::by_name(&ValueForm::WORD),
            "Resources that must be installed, by id, with their version ranges.",
        ),
        SchemaField::optional(
            "signatures",
            ValueForm::Table(&SIGNATURES),
            "Repositories that must be signed.",
        ),
        SchemaField::optional("audit", ValueForm::Table(&AUDIT), "Findings of the audit."),
        SchemaField::optional(
            "on-unreachable",
            ValueForm::OneOf(&["stop", "warn"]),
            "The behavior when a policy cannot be reached; only in the policy of the machine, of `AGPM_POLICY` or of the user.",
        ),
    ],
);

const URLS: ValueForm = ValueForm::List(&ValueForm::WORD);
const NAMES: ValueForm = ValueForm::List(&ValueForm::WORD);

pub(crate) const SOURCES: SchemaTable = SchemaTable::strict(
    "`[sources]`",
    &[
        SchemaField::optional("allow", URLS, "URL patterns of repositories; no others."),
        SchemaField::optional("deny", URLS, "URL patterns of repositories."),
    ],
);

pub(crate) const TYPES: SchemaTable = SchemaTable::strict(
    "`[types]`",
    &[
        SchemaField::optional("allow", NAMES, "Types; no others."),
        SchemaField::optional("deny", NAMES, "Types."),
    ],
);

pub(crate) const RESOURCES: SchemaTable = SchemaTable::strict(
    "`[resources]`",
    &[SchemaField::optional(
        "deny",
        ValueForm::List(&ValueForm::Table(&RESOURCE_DENIAL)),
        "Resources by repository, path and version.",
    )],
);

pub(crate) const RESOURCE_DENIAL: SchemaTable = SchemaTable::strict(
    "a denied resource",
    &[
        SchemaField::required(
            "match",
            ValueForm::WORD,
            "The pattern `REPOSITORY[//PATH][@VERSION]`, such as `github:acme/agents//skills/deploy@<1.4`.",
        ),
        SchemaField::optional(
            "reason",
            ValueForm::Text,
            "Why it is denied; errors show it.",
        ),
    ],
);

pub(crate) const TOOLS: SchemaTable = SchemaTable::strict(
    "`[tools]`",
    &[
        SchemaField::optional("allow", NAMES, "Names of tools; no others."),
        SchemaField::optional("deny", NAMES, "Names of tools."),
    ],
);

pub(crate) const MCP: SchemaTable = SchemaTable::strict(
    "`[mcp]`",
    &[
        SchemaField::optional(
            "allow-hosts",
            NAMES,
            "Hosts that may be connected to, such as `*.corp`.",
        ),
        SchemaField::optional(
            "allow-commands",
            NAMES,
            "The first words of command lines that servers may have.",
        ),
    ],
);

pub(crate) const EXECUTABLES: SchemaTable = SchemaTable::strict(
    "`[executables]`",
    &[SchemaField::optional(
        "mode",
        ValueForm::OneOf(&["allow", "approve", "deny"]),
        "Whether executable content is allowed, needs approval or is denied.",
    )],
);

pub(crate) const VERSIONS: SchemaTable = SchemaTable::strict(
    "`[versions]`",
    &[
        SchemaField::optional(
            "pinned-only",
            ValueForm::Flag,
            "Whether branches are refused.",
        ),
        SchemaField::optional(
            "min-release-age",
            ValueForm::matching(r"^\s*[0-9]+\s*[smhdw]\s*$"),
            "How old a version must be, such as `7d`.",
        ),
    ],
);

pub(crate) const PERMISSIONS: SchemaTable = SchemaTable::strict(
    "`[permissions]`",
    &[SchemaField::optional(
        "deny",
        NAMES,
        "Permission modes and tool rules, such as `bypassPermissions` and `Bash(*)`.",
    )],
);

pub(crate) const SIGNATURES: SchemaTable = SchemaTable::strict(
    "`[signatures]`",
    &[SchemaField::optional(
        "require",
        URLS,
        "URL patterns of repositories that must be signed.",
    )],
);

pub(crate) const AUDIT: SchemaTable = SchemaTable::strict(
    "`[audit]`",
    &[SchemaField::optional(
        "level",
        ValueForm::OneOf(&AUDIT_LEVEL_NAMES),
        "The severity from which findings are errors.",
    )],
);
