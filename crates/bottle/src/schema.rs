//! The valid keys and values: one table for each schema, for the checker and the JSON Schemas.

use agpm_model::{
    KeyNames, KeyOwner, KeyPresence, Passthrough, SchemaField, SchemaTable, ValueForm,
};

/// Fields of Claude Code's own agent files, so one file can serve both programs. The list is updated when a version of
/// Claude Code adds fields; the name has the date.
pub const CLAUDE_CODE: Passthrough = Passthrough {
    name: "Claude Code 2.1 (2026-11)",
    keys: &[
        "name",
        "description",
        "model",
        "color",
        "memory",
        "tools",
        "disallowedTools",
        "permissionMode",
        "maxTurns",
        "mcpServers",
        "hooks",
        "effort",
        "isolation",
        "background",
        "initialPrompt",
    ],
    owner: KeyOwner::OtherProgram,
};

/// The key of an agent's prompt in JSON.
pub(crate) const PROMPT: &str = "prompt";

pub(crate) const BOTTLE: SchemaTable = SchemaTable::strict(
    "a bottle",
    &[
        SchemaField::optional(
            "extends",
            ValueForm::Text,
            "The bottle that this one builds on",
        ),
        SchemaField::optional(
            "env",
            ValueForm::TEXT_MAP,
            "Environment variables; merged by name with those of the extended bottle",
        ),
        SchemaField::optional(
            "git",
            ValueForm::Table(&BOTTLE_GIT),
            "The git settings of the sandbox",
        ),
        SchemaField::optional(
            "agent_provider",
            ValueForm::Table(&AGENT_PROVIDER),
            "The executable that runs the agent",
        ),
        SchemaField::optional(
            "egress",
            ValueForm::Table(&EGRESS),
            "The hosts that the sandbox can reach; never merged",
        ),
        SchemaField::optional("image", ValueForm::Text, "The image of the sandbox"),
        SchemaField::optional(
            "workdir",
            ValueForm::Text,
            "The working directory in the sandbox",
        ),
    ],
);

pub(crate) const AGENT: SchemaTable = SchemaTable::strict(
    "an agent",
    &[
        SchemaField::required(
            "bottle",
            ValueForm::Text,
            "The bottle that the agent runs in",
        ),
        SchemaField::optional("skills", ValueForm::TEXTS, "The skills that the agent has"),
        SchemaField::optional(
            "env",
            ValueForm::TEXT_MAP,
            "Environment variables; they override those of the bottle",
        ),
        SchemaField::optional(
            "git",
            ValueForm::Table(&AGENT_GIT),
            "The git settings of the sandbox; they override the bottle",
        ),
        SchemaField {
            name: PROMPT,
            form: ValueForm::Text,
            presence: KeyPresence::Body,
            about: "The prompt of the agent; in Markdown the body, not a key",
        },
    ],
)
.beside(&CLAUDE_CODE);

const BOTTLE_GIT: SchemaTable = SchemaTable::strict(
    "`git` of a bottle",
    &[
        SchemaField::optional(
            "remotes",
            ValueForm::Map(KeyNames::Any, &ValueForm::Table(&REMOTE)),
            "Remotes by host; an empty object removes those of the extended bottle",
        ),
        SchemaField::optional("user", ValueForm::Table(&GIT_USER), "Who commits"),
    ],
);

const AGENT_GIT: SchemaTable = SchemaTable::strict(
    "`git` of an agent",
    &[SchemaField::optional(
        "user",
        ValueForm::Table(&GIT_USER),
        "The committer; overrides the bottle field by field",
    )],
);

const REMOTE: SchemaTable = SchemaTable::strict(
    "a remote",
    &[
        SchemaField::required("url", ValueForm::Text, "The URL of the repository"),
        SchemaField::optional(
            "identity_file",
            ValueForm::Text,
            "The private key to log in with",
        ),
        SchemaField::optional(
            "known_host_key",
            ValueForm::Text,
            "The public key of the host",
        ),
    ],
);

const GIT_USER: SchemaTable = SchemaTable::strict(
    "`git.user`",
    &[
        SchemaField::optional("name", ValueForm::Text, "The name in commits"),
        SchemaField::optional("email", ValueForm::Text, "The email address in commits"),
    ],
);

const AGENT_PROVIDER: SchemaTable = SchemaTable::strict(
    "`agent_provider`",
    &[
        SchemaField {
            name: "name",
            form: ValueForm::Text,
            presence: KeyPresence::Effective,
            about: "Its name; here or in an extended bottle",
        },
        SchemaField::optional("command", ValueForm::Text, "The command to start"),
        SchemaField::optional("args", ValueForm::TEXTS, "Its arguments"),
        SchemaField::optional("model", ValueForm::Text, "The model to use"),
    ],
);

const EGRESS: SchemaTable = SchemaTable::strict(
    "`egress`",
    &[SchemaField::optional(
        "routes",
        ValueForm::List(&ValueForm::Table(&ROUTE)),
        "The hosts that can be reached",
    )],
);

const ROUTE: SchemaTable = SchemaTable::strict(
    "a route",
    &[
        SchemaField::required("host", ValueForm::Text, "The host"),
        SchemaField::optional(
            "methods",
            ValueForm::TEXTS,
            "The allowed HTTP methods; all by default",
        ),
        SchemaField::optional(
            "paths",
            ValueForm::TEXTS,
            "The allowed paths; all by default",
        ),
        SchemaField::optional(
            "auth",
            ValueForm::Table(&AUTH),
            "How requests are authenticated",
        ),
        SchemaField::optional(
            "pipelock",
            ValueForm::Table(&PIPELOCK),
            "The proxy settings of this route",
        ),
    ],
);

const AUTH: SchemaTable = SchemaTable::strict(
    "`auth` of a route",
    &[
        SchemaField::required(
            "type",
            ValueForm::OneOf(&["bearer", "basic", "header"]),
            "How the secret is sent",
        ),
        SchemaField::required(
            "env",
            ValueForm::Text,
            "The environment variable that holds the secret",
        ),
    ],
);

const PIPELOCK: SchemaTable = SchemaTable::strict(
    "`pipelock` of a route",
    &[
        SchemaField::optional(
            "tls_passthrough",
            ValueForm::Flag,
            "Pass encrypted connections through without inspection",
        ),
        SchemaField::optional("ssrf_allow", ValueForm::TEXTS, "Private IPs to allow"),
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    fn is_checked(form: &ValueForm) -> bool {
        match form {
            ValueForm::Text | ValueForm::Flag | ValueForm::OneOf(_) => true,
            ValueForm::List(form) | ValueForm::Map(KeyNames::Any, form) => is_checked(form),
            ValueForm::Table(table) => table.fields.iter().all(|field| is_checked(&field.form)),
            _ => false,
        }
    }

    #[test]
    fn the_checker_knows_every_form_of_the_tables() {
        assert!(is_checked(&ValueForm::Table(&BOTTLE)));
        assert!(is_checked(&ValueForm::Table(&AGENT)));
        assert!(!is_checked(&ValueForm::AnyMap));
    }
}
