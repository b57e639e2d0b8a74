//! The keys and values of objects, as data. The key checkers, the JSON Schemas and the messages about both use the same
//! tables.

use agpm_diag::{SuggestedEdit, did_you_mean, nearest};
use agpm_text::{NodeRef, Value};

/// The keys of one kind of object.
#[derive(Clone, Copy, Debug)]
pub struct SchemaTable {
    /// The name of such an object in messages, with its article.
    pub what: &'static str,
    /// Keys with a meaning here.
    pub fields: &'static [SchemaField],
    /// Keys of another program: accepted, then ignored.
    pub passthrough: Option<&'static Passthrough>,
    /// The treatment of unknown keys.
    pub others: OtherKeys,
}

/// A key of a table.
#[derive(Clone, Copy, Debug)]
pub struct SchemaField {
    /// The key.
    pub name: &'static str,
    /// The form of its value.
    pub form: ValueForm,
    /// Whether it must be written.
    pub presence: KeyPresence,
    /// The purpose, in one line.
    pub about: &'static str,
}

/// The form of a value.
#[derive(Clone, Copy, Debug)]
pub enum ValueForm {
    /// Any value.
    Any,
    /// Any string.
    Text,
    /// A string that is not empty.
    Filled,
    /// A string that matches one regular expression, and not another one.
    Pattern {
        /// The expression that it matches.
        is: Option<&'static str>,
        /// The expression that it does not match.
        is_not: Option<&'static str>,
    },
    /// `true` or `false`.
    Flag,
    /// This number and no other.
    Number(usize),
    /// A non-negative integer.
    Count,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// One of the strings of another table.
    Words(fn() -> Vec<&'static str>),
    /// A list of such values.
    List(&'static ValueForm),
    /// A non-empty list of such values.
    FilledList(&'static ValueForm),
    /// An object with keys that users choose and values of one form.
    Map(KeyNames, &'static ValueForm),
    /// An object with any content.
    AnyMap,
    /// An object with the keys of a table.
    Table(&'static SchemaTable),
    /// The table without some of its keys.
    Part(&'static SchemaTable, &'static [&'static str]),
    /// A named form.
    Defined(&'static Definition),
    /// Any of these forms.
    Either(&'static [ValueForm]),
    /// A value of that form, or `null`.
    OrNull(&'static ValueForm),
    /// A form with its own description.
    Described(&'static str, &'static ValueForm),
    /// An object of that form whose keys depend on each other.
    With(&'static ValueForm, &'static [KeyCondition]),
    /// Keywords of JSON Schema, for the few values that no other form describes.
    Computed(fn() -> Vec<(&'static str, Value)>),
}

/// The keys that an object may have.
#[derive(Clone, Copy, Debug)]
pub enum KeyNames {
    /// Any key.
    Any,
    /// Keys that match a regular expression.
    Matching(&'static str),
    /// Only these names.
    Each(fn() -> Vec<&'static str>),
    /// All names but these.
    Except(fn() -> Vec<&'static str>),
}

/// A condition on several keys of one object.
#[derive(Clone, Copy, Debug)]
pub enum KeyCondition {
    /// All of these keys are present.
    Required(&'static [&'static str]),
    /// None of these keys is present.
    Without(&'static [&'static str]),
    /// A key requires others.
    Together(&'static [(&'static str, &'static [&'static str])]),
    /// At least one of these groups of conditions holds.
    AnyOf(&'static [&'static [KeyCondition]]),
}

/// A named form that several keys share.
#[derive(Debug)]
pub struct Definition {
    /// The name in the JSON Schema.
    pub name: &'static str,
    /// The form.
    pub form: ValueForm,
}

/// Whether a key is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyPresence {
    /// The key is optional.
    Optional,
    /// The key is required wherever its object is.
    Required,
    /// Required in the merged value: a lower layer may have it.
    Effective,
    /// The key is optional, and in Markdown it is not a key: the body is its value.
    Body,
}

/// The treatment of unknown keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherKeys {
    /// Unknown keys are errors.
    Refused,
    /// Unknown keys are accepted: a later version may have written them.
    Accepted,
}

/// A named list of keys that another program owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passthrough {
    /// The program and version that own the keys.
    pub name: &'static str,
    /// The keys.
    pub keys: &'static [&'static str],
    /// The reason why they are accepted.
    pub owner: KeyOwner,
}

/// The reason why keys are accepted without effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyOwner {
    /// Another program reads the same file.
    OtherProgram,
    /// Existing files have them, and should drop them.
    OlderVersion,
}

/// An unknown key.
#[derive(Debug)]
pub struct UnknownKey<'n> {
    /// The key.
    pub key: NodeRef<'n>,
    /// A similar name, or all names.
    pub help: Option<String>,
    /// The edit that applies the similar name.
    pub edit: Option<SuggestedEdit>,
}

/// The class of a key in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyClass {
    /// The key has a meaning here.
    Owned,
    /// The key belongs to another program.
    Passthrough,
    /// The key is an error.
    Unknown,
}

impl ValueForm {
    /// A string that is not blank.
    pub const WORD: ValueForm = ValueForm::matching(r"\S");
    /// A list of strings.
    pub const TEXTS: ValueForm = ValueForm::List(&ValueForm::Text);
    /// An object of strings.
    pub const TEXT_MAP: ValueForm = ValueForm::Map(KeyNames::Any, &ValueForm::Text);

    /// A string that matches a regular expression.
    pub const fn matching(pattern: &'static str) -> Self {
        ValueForm::Pattern {
            is: Some(pattern),
            is_not: None,
        }
    }

    /// Adds the named forms that this one refers to, each once.
    pub fn add_definitions(&self, definitions: &mut Vec<&'static Definition>) {
        match self {
            ValueForm::Defined(definition)
                if definitions.iter().all(|one| one.name != definition.name) =>
            {
                definitions.push(definition);
                definition.form.add_definitions(definitions);
            }
            ValueForm::Table(table) | ValueForm::Part(table, _) => {
                for field in table.fields {
                    field.form.add_definitions(definitions);
                }
            }
            ValueForm::Either(forms) => {
                for form in *forms {
                    form.add_definitions(definitions);
                }
            }
            ValueForm::List(form)
            | ValueForm::FilledList(form)
            | ValueForm::Map(_, form)
            | ValueForm::OrNull(form)
            | ValueForm::Described(_, form)
            | ValueForm::With(form, _) => form.add_definitions(definitions),
            _ => {}
        }
    }

    /// An object whose keys are names, which are not blank.
    pub const fn by_name(values: &'static ValueForm) -> Self {
        ValueForm::Map(KeyNames::Matching(r"\S"), values)
    }
}

impl SchemaField {
    /// An optional key.
    pub const fn optional(name: &'static str, form: ValueForm, about: &'static str) -> Self {
        SchemaField {
            name,
            form,
            presence: KeyPresence::Optional,
            about,
        }
    }

    /// A key that is required wherever its object is.
    pub const fn required(name: &'static str, form: ValueForm, about: &'static str) -> Self {
        SchemaField {
            presence: KeyPresence::Required,
            ..SchemaField::optional(name, form, about)
        }
    }
}

impl SchemaTable {
    /// A table that refuses unknown keys.
    pub const fn strict(what: &'static str, fields: &'static [SchemaField]) -> Self {
        SchemaTable {
            what,
            fields,
            passthrough: None,
            others: OtherKeys::Refused,
        }
    }

    /// A table that accepts unknown keys.
    pub const fn open(what: &'static str, fields: &'static [SchemaField]) -> Self {
        SchemaTable {
            others: OtherKeys::Accepted,
            ..SchemaTable::strict(what, fields)
        }
    }

    /// The table with additional keys of another program.
    pub const fn beside(self, passthrough: &'static Passthrough) -> Self {
        SchemaTable {
            passthrough: Some(passthrough),
            ..self
        }
    }

    /// The key with a name.
    pub fn field(&self, name: &str) -> Option<&'static SchemaField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// The names of all keys.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + Clone + use<> {
        self.fields.iter().map(|field| field.name)
    }

    /// The required keys.
    pub fn required(&self) -> impl Iterator<Item = &'static SchemaField> + use<> {
        let required = |field: &&SchemaField| field.presence == KeyPresence::Required;
        self.fields.iter().filter(required)
    }

    /// Whether a key belongs to another program.
    pub fn passes(&self, name: &str) -> bool {
        self.passthrough
            .is_some_and(|list| list.keys.contains(&name))
    }

    /// The class of `key` in this table.
    pub fn classify(&self, key: &str) -> KeyClass {
        match self.field(key) {
            Some(_) => KeyClass::Owned,
            None if self.passes(key) || self.others == OtherKeys::Accepted => KeyClass::Passthrough,
            None => KeyClass::Unknown,
        }
    }

    /// The unknown keys of an object, each with the key that was probably meant.
    pub fn unknown_keys<'n>(&self, map: NodeRef<'n>) -> impl Iterator<Item = UnknownKey<'n>> {
        let unknown = map
            .entries()
            .map(|(key, _)| key)
            .filter(|key| self.classify(key.content()) == KeyClass::Unknown);
        unknown.map(move |key| UnknownKey {
            key,
            help: did_you_mean(key.content(), "its keys are", self.names()),
            edit: self.rename(map, key),
        })
    }

    /// The edit that renames a misspelled key of an object to the one that was probably meant.
    pub fn rename(&self, map: NodeRef<'_>, key: NodeRef<'_>) -> Option<SuggestedEdit> {
        map.renamed_key(key, nearest(key.content(), self.names())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[SchemaField] = &[SchemaField::required("bottle", ValueForm::Text, "Which")];
    const FOREIGN: Passthrough = Passthrough {
        name: "claude-code 2.1",
        keys: &["model"],
        owner: KeyOwner::OtherProgram,
    };

    #[test]
    fn keys_are_owned_passed_or_unknown() {
        let table = SchemaTable::strict("an agent", FIELDS).beside(&FOREIGN);
        assert_eq!(table.classify("bottle"), KeyClass::Owned);
        assert_eq!(table.classify("model"), KeyClass::Passthrough);
        assert_eq!(table.classify("modle"), KeyClass::Unknown);
        let open = SchemaTable::open("an agent", FIELDS);
        assert_eq!(open.classify("modle"), KeyClass::Passthrough);
    }
}
