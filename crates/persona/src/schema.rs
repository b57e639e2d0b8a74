//! The keys of persona documents. The reader, the JSON Schema and the reference read this table.

use agpm_model::{Definition, FileSchema, KeyNames, SchemaField, SchemaTable, ValueForm};

/// The key that names whom a document inherits.
pub(crate) const INHERITS: &str = "inherits";
/// The key that says which version of the schema a document is of.
pub(crate) const SCHEMA_VERSION: &str = "schemaVersion";
/// The key with links, whose `href` reads as `url`.
pub(crate) const LINKS: &str = "links";

/// A persona document of any kind.
pub static PERSONA_SCHEMA: FileSchema = FileSchema {
    title: "persona",
    about: "A document of a persona: its identity, its plans, or its work.",
    form: ValueForm::Table(&PERSONA),
    definitions: &[&TITLED_ITEM],
};

/// Other keys are kept, and merge by what they hold.
pub(crate) const PERSONA: SchemaTable = SchemaTable::open(
    "a persona document",
    &[
        SchemaField::optional(
            SCHEMA_VERSION,
            ValueForm::Either(&[
                ValueForm::matching(r"^\s*0\.4(\.|\s*$)"),
                ValueForm::Computed(|| vec![("type", "number".into())]),
            ]),
            "The version of the schema; 0.4 with any third number is read",
        ),
        SchemaField::optional(
            INHERITS,
            ValueForm::Either(&[ValueForm::TEXTS, ValueForm::Text]),
            "Documents that rank directly below this one, by path relative to the root of the repository",
        ),
        SchemaField::optional("title", ValueForm::Text, "The name of the persona"),
        SchemaField::optional("purpose", ValueForm::Text, "Its purpose, in one line"),
        SchemaField::optional("status", ValueForm::Text, "`active` if it is in use"),
        SchemaField::optional("role", ValueForm::Text, "Its tasks"),
        SchemaField::optional("updated", ValueForm::Text, "The time of the last change"),
        SchemaField::optional("persona", ValueForm::AnyMap, "Its character"),
        SchemaField::optional(
            "systemInstructions",
            ValueForm::AnyMap,
            "The prompt of the model",
        ),
        SchemaField::optional("mentors", ValueForm::TEXTS, "Its mentors"),
        SchemaField::optional("tags", ValueForm::TEXTS, "Its search keywords"),
        SchemaField::optional("responsibilities", ValueForm::TEXTS, "Its obligations"),
        SchemaField::optional("guardrails", ValueForm::TEXTS, "Its prohibitions"),
        SchemaField::optional("principles", ValueForm::TEXTS, "Its decision criteria"),
        SchemaField::optional(
            LINKS,
            ValueForm::List(&ValueForm::Table(&LINK)),
            "Documents to read, identified by title and URL",
        ),
        SchemaField::optional(
            "entries",
            ValueForm::List(&ValueForm::Either(&[
                ValueForm::Text,
                ValueForm::Table(&ENTRY),
            ])),
            "Its work, identified by timestamp and title",
        ),
        SchemaField::optional("sections", TITLED_LIST, "Sections with headings"),
        SchemaField::optional("checklists", TITLED_LIST, "Its checklists"),
        SchemaField::optional("horizons", TITLED_LIST, "Its plans with dates"),
        SchemaField::optional("milestones", TITLED_LIST, "Its goals"),
        SchemaField::optional("backlog", TITLED_LIST, "Its open tasks"),
        SchemaField::optional(
            "contributionMix",
            ValueForm::Table(&CONTRIBUTION_MIX),
            "Its contributions",
        ),
        SchemaField::optional(
            "focusDomains",
            ValueForm::List(&ValueForm::Table(&DOMAIN)),
            "Its areas of knowledge, identified by `identifier`",
        ),
        SchemaField::optional(
            "notes",
            ValueForm::Computed(Vec::new),
            "Any value; the entire value of the highest document",
        ),
        SchemaField::optional(
            "extensions",
            ValueForm::Computed(Vec::new),
            "Any value of other programs; the entire value of the highest document",
        ),
        SchemaField::optional(
            "agenda",
            ValueForm::Map(KeyNames::Any, &ValueForm::Computed(Vec::new)),
            "The agent of an agenda",
        ),
    ],
);

const LINK: SchemaTable = SchemaTable::open(
    "a link",
    &[
        SchemaField::optional("title", ValueForm::Text, "Its title"),
        SchemaField::optional("url", ValueForm::Text, "Its URL"),
        SchemaField::optional("href", ValueForm::Text, "Another spelling of `url`"),
    ],
);

const ENTRY: SchemaTable = SchemaTable::open(
    "an entry",
    &[
        SchemaField::optional("timestamp", ValueForm::Text, "When"),
        SchemaField::optional("title", ValueForm::Text, "What"),
    ],
);

const TITLED_LIST: ValueForm = ValueForm::List(&ValueForm::Either(&[
    ValueForm::Text,
    ValueForm::Defined(&TITLED_ITEM),
]));

const TITLED_ITEM: Definition = Definition {
    name: "titled-item",
    form: ValueForm::Table(&TITLED),
};

const TITLED: SchemaTable = SchemaTable::open(
    "an item with a title",
    &[
        SchemaField::optional("slug", ValueForm::Text, "Identifies it"),
        SchemaField::optional("id", ValueForm::Text, "Identifies an item without a `slug`"),
        SchemaField::optional("key", ValueForm::Text, "Identifies an item without an `id`"),
        SchemaField::optional("title", ValueForm::Text, "Its heading"),
        SchemaField::optional(
            "items",
            ValueForm::List(&ValueForm::Computed(Vec::new)),
            "Its content",
        ),
    ],
);

const CONTRIBUTION_MIX: SchemaTable = SchemaTable::open(
    "`contributionMix`",
    &[
        SchemaField::optional(
            "primary",
            ValueForm::List(&ValueForm::Table(&CONTRIBUTION)),
            "Main contributions",
        ),
        SchemaField::optional(
            "secondary",
            ValueForm::List(&ValueForm::Table(&CONTRIBUTION)),
            "Other contributions",
        ),
    ],
);

const CONTRIBUTION: SchemaTable = SchemaTable::open(
    "a contribution",
    &[SchemaField::optional(
        "type",
        ValueForm::Text,
        "Identifies it",
    )],
);

const DOMAIN: SchemaTable = SchemaTable::open(
    "a domain",
    &[SchemaField::optional(
        "identifier",
        ValueForm::Text,
        "Identifies it",
    )],
);

#[cfg(test)]
mod tests {
    use agpm_merge::Composition;

    use super::*;
    use crate::policy::policy;

    #[test]
    fn every_rule_of_the_policy_is_about_a_key_of_the_table() {
        let Composition::Merge(strategy) = policy().composition else {
            unreachable!("documents merge");
        };
        for rule in &strategy.rules {
            let pattern = rule.pattern.to_string();
            let mut steps = pattern.trim_start_matches('/').split('/');
            let field = steps.next().and_then(|name| PERSONA.field(name));
            match (field.map(|field| field.form), steps.next()) {
                (Some(ValueForm::Table(table)), Some(inner)) => {
                    assert!(table.field(inner).is_some(), "{pattern}");
                }
                (found, inner) => assert!(found.is_some() && inner.is_none(), "{pattern}"),
            }
        }
    }
}
