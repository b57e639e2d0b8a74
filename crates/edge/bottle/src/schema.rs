//! Which keys there are and what they hold: one table for each schema. The checker and the JSON Schemas read them.

use agpm_model::Passthrough;

use crate::unit::PROMPT;

/// The keys of one kind of map.
#[derive(Debug)]
pub(crate) struct Table {
    /// What the map is called in messages.
    pub(crate) what: &'static str,
    pub(crate) fields: &'static [Field],
    /// Keys that belong to another program: accepted, then ignored.
    pub(crate) passthrough: Option<&'static Passthrough>,
}

/// One key.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) form: Form,
    pub(crate) need: Need,
    /// What it is for, in one line.
    pub(crate) about: &'static str,
}

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form {
    Text,
    Flag,
    /// One of these.
    Word(&'static [&'static str]),
    /// A list of strings.
    Texts,
    /// A map of strings.
    TextMap,
    Table(&'static Table),
    /// A list of such maps.
    Tables(&'static Table),
    /// Such maps by names that users choose.
    TableMap(&'static Table),
}

/// Whether a key must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    Optional,
    /// Where its map is written.
    Required,
    /// In the effective value: a bottle below may have said it.
    Effective,
    /// Never, and only in the JSON object: in Markdown the body says it.
    Body,
}

/// Fields that Claude Code reads in its own agent files, so that one file can serve both programs. Which fields these are
/// is looked up when a version of Claude Code adds some, and the name says when that was.
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
};

pub(crate) const BOTTLE: Table = Table {
    what: "a bottle",
    fields: &[
        optional("extends", Form::Text, "The bottle that this one builds on"),
        optional(
            "env",
            Form::TextMap,
            "Environment variables; merged by name with those of the bottle below",
        ),
        optional(
            "git",
            Form::Table(&BOTTLE_GIT),
            "What git in the sandbox knows",
        ),
        optional(
            "agent_provider",
            Form::Table(&AGENT_PROVIDER),
            "The program that runs the agent",
        ),
        optional(
            "egress",
            Form::Table(&EGRESS),
            "What can be reached from the sandbox; never merged",
        ),
        optional("image", Form::Text, "The image of the sandbox"),
        optional("workdir", Form::Text, "The working folder in the sandbox"),
    ],
    passthrough: None,
};

pub(crate) const AGENT: Table = Table {
    what: "an agent",
    fields: &[
        required("bottle", Form::Text, "The bottle that the agent runs in"),
        optional("skills", Form::Texts, "The skills that the agent has"),
        optional(
            "env",
            Form::TextMap,
            "Environment variables, over those of the bottle",
        ),
        optional(
            "git",
            Form::Table(&AGENT_GIT),
            "What git in the sandbox knows, over the bottle",
        ),
        Field {
            name: PROMPT,
            form: Form::Text,
            need: Need::Body,
            about: "What the agent is told; in Markdown the body, not a key",
        },
    ],
    passthrough: Some(&CLAUDE_CODE),
};

const BOTTLE_GIT: Table = Table {
    what: "`git` of a bottle",
    fields: &[
        optional(
            "remotes",
            Form::TableMap(&REMOTE),
            "Remotes by host; an empty map takes away those below",
        ),
        optional("user", Form::Table(&GIT_USER), "Who commits"),
    ],
    passthrough: None,
};

const AGENT_GIT: Table = Table {
    what: "`git` of an agent",
    fields: &[optional(
        "user",
        Form::Table(&GIT_USER),
        "Who commits, over the bottle field by field",
    )],
    passthrough: None,
};

const REMOTE: Table = Table {
    what: "a remote",
    fields: &[
        required("url", Form::Text, "The address of the repository"),
        optional(
            "identity_file",
            Form::Text,
            "The private key to log in with",
        ),
        optional("known_host_key", Form::Text, "The public key of the host"),
    ],
    passthrough: None,
};

const GIT_USER: Table = Table {
    what: "`git.user`",
    fields: &[
        optional("name", Form::Text, "The name in commits"),
        optional("email", Form::Text, "The address in commits"),
    ],
    passthrough: None,
};

const AGENT_PROVIDER: Table = Table {
    what: "`agent_provider`",
    fields: &[
        Field {
            name: "name",
            form: Form::Text,
            need: Need::Effective,
            about: "Which program it is; here or in a bottle below",
        },
        optional("command", Form::Text, "The command to start"),
        optional("args", Form::Texts, "Its arguments"),
        optional("model", Form::Text, "The model to use"),
    ],
    passthrough: None,
};

const EGRESS: Table = Table {
    what: "`egress`",
    fields: &[optional(
        "routes",
        Form::Tables(&ROUTE),
        "The hosts that can be reached",
    )],
    passthrough: None,
};

const ROUTE: Table = Table {
    what: "a route",
    fields: &[
        required("host", Form::Text, "The host"),
        optional(
            "methods",
            Form::Texts,
            "The HTTP methods that are let through; all if nothing is said",
        ),
        optional(
            "paths",
            Form::Texts,
            "The paths that are let through; all if nothing is said",
        ),
        optional("auth", Form::Table(&AUTH), "How requests are authenticated"),
        optional(
            "pipelock",
            Form::Table(&PIPELOCK),
            "What the proxy does with this route",
        ),
    ],
    passthrough: None,
};

const AUTH: Table = Table {
    what: "`auth` of a route",
    fields: &[
        required(
            "type",
            Form::Word(&["bearer", "basic", "header"]),
            "How the secret is sent",
        ),
        required(
            "env",
            Form::Text,
            "The environment variable that holds the secret",
        ),
    ],
    passthrough: None,
};

const PIPELOCK: Table = Table {
    what: "`pipelock` of a route",
    fields: &[
        optional(
            "tls_passthrough",
            Form::Flag,
            "Let encrypted connections through unseen",
        ),
        optional(
            "ssrf_allow",
            Form::Texts,
            "Private addresses that may be reached all the same",
        ),
    ],
    passthrough: None,
};

const fn optional(name: &'static str, form: Form, about: &'static str) -> Field {
    Field {
        name,
        form,
        need: Need::Optional,
        about,
    }
}

const fn required(name: &'static str, form: Form, about: &'static str) -> Field {
    Field {
        name,
        form,
        need: Need::Required,
        about,
    }
}

impl Table {
    pub(crate) fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    pub(crate) fn passes(&self, name: &str) -> bool {
        self.passthrough
            .is_some_and(|list| list.keys.contains(&name))
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.fields.iter().map(|field| field.name)
    }
}
