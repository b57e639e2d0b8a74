//! Converts schema tables to JSON Schema (draft 2020-12), for editors.

use agpm_text::Value;

use crate::schema::{
    Definition, KeyCondition, KeyNames, KeyOwner, KeyPresence, OtherKeys, Passthrough, SchemaField,
    SchemaTable, ValueForm,
};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A kind of file: its title, purpose and content.
#[derive(Debug)]
pub struct FileSchema {
    /// The title, as editors show it.
    pub title: &'static str,
    /// The purpose, in one line.
    pub about: &'static str,
    /// The form of its value.
    pub form: ValueForm,
    /// The forms that others refer to by name.
    pub definitions: &'static [&'static Definition],
}

type Entries = Vec<(&'static str, Value)>;

impl FileSchema {
    /// The JSON Schema of the file.
    pub fn to_json_schema(&self) -> Value {
        let mut entries = form_entries(&self.form);
        if let Some(definitions) = definitions_entry(self.definitions) {
            entries.push(definitions);
        }
        titled_schema(self.title, self.about, entries)
    }
}

/// The JSON Schema of a document that has any of these forms.
pub fn any_of_schema(title: &str, about: &str, forms: &[ValueForm]) -> Value {
    let mut definitions = Vec::new();
    for form in forms {
        form.add_definitions(&mut definitions);
    }
    let forms = Value::list(forms.iter().map(value));
    let entries = std::iter::once(("anyOf", forms)).chain(definitions_entry(&definitions));
    titled_schema(title, about, entries.collect())
}

fn titled_schema(title: &str, about: &str, entries: Entries) -> Value {
    let head = [
        ("$schema", DIALECT.into()),
        ("title", title.into()),
        ("description", about.into()),
    ];
    Value::map(head.into_iter().chain(entries))
}

fn definitions_entry(definitions: &[&Definition]) -> Option<(&'static str, Value)> {
    let entries = definitions.iter();
    let entries: Entries = entries.map(|one| (one.name, value(&one.form))).collect();
    (!entries.is_empty()).then(|| ("$defs", Value::map(entries)))
}

fn value(form: &ValueForm) -> Value {
    Value::map(form_entries(form))
}

fn form_entries(form: &ValueForm) -> Entries {
    match form {
        ValueForm::Any => Vec::new(),
        ValueForm::Text => vec![typed("string")],
        ValueForm::Filled => vec![typed("string"), ("minLength", 1_usize.into())],
        ValueForm::Pattern { is, is_not } => {
            let is = is.map(|pattern| ("pattern", pattern.into()));
            let is_not =
                is_not.map(|pattern| ("not", Value::map([("pattern", Value::from(pattern))])));
            [typed("string")]
                .into_iter()
                .chain(is)
                .chain(is_not)
                .collect()
        }
        ValueForm::Flag => vec![typed("boolean")],
        ValueForm::Number(number) => vec![("const", (*number).into())],
        ValueForm::Count => vec![typed("integer"), ("minimum", 0_usize.into())],
        ValueForm::OneOf(words) => vec![("enum", Value::list(words.iter().copied()))],
        ValueForm::Words(words) => vec![("enum", Value::list(words()))],
        ValueForm::List(items) => vec![typed("array"), ("items", value(items))],
        ValueForm::FilledList(items) => vec![
            typed("array"),
            ("items", value(items)),
            ("minItems", 1_usize.into()),
        ],
        ValueForm::Map(names, values) => map_entries(names, values),
        ValueForm::AnyMap => vec![typed("object")],
        ValueForm::Table(table) => table_entries(table, &[]),
        ValueForm::Part(table, left_out) => table_entries(table, left_out),
        ValueForm::Defined(definition) => {
            vec![("$ref", format!("#/$defs/{}", definition.name).into())]
        }
        ValueForm::Either(forms) => vec![("anyOf", Value::list(forms.iter().map(value)))],
        ValueForm::OrNull(form) => {
            let null = Value::map([typed("null")]);
            vec![("anyOf", Value::list([value(form), null]))]
        }
        ValueForm::Described(about, form) => described(about, form),
        ValueForm::With(form, conditions) => {
            let mut entries = form_entries(form);
            entries.extend(conditions.iter().map(condition));
            entries
        }
        ValueForm::Computed(entries) => entries(),
    }
}

fn typed(name: &str) -> (&'static str, Value) {
    ("type", name.into())
}

fn described(about: &str, form: &ValueForm) -> Entries {
    let mut entries = vec![("description", Value::from(about))];
    entries.extend(form_entries(form));
    entries
}

fn map_entries(names: &KeyNames, values: &ValueForm) -> Entries {
    let named = |names: Value| {
        vec![
            typed("object"),
            ("propertyNames", names),
            ("additionalProperties", value(values)),
        ]
    };
    match names {
        KeyNames::Any => vec![typed("object"), ("additionalProperties", value(values))],
        KeyNames::Matching(pattern) => named(Value::map([("pattern", Value::from(*pattern))])),
        KeyNames::Except(words) => {
            let words = Value::map([("enum", Value::list(words()))]);
            named(Value::map([("not", words)]))
        }
        KeyNames::Each(words) => {
            let properties = words().into_iter().map(|word| (word, value(values)));
            vec![
                typed("object"),
                ("properties", Value::map(properties)),
                ("additionalProperties", false.into()),
            ]
        }
    }
}

fn table_entries(table: &SchemaTable, left_out: &[&str]) -> Entries {
    // The body of a Markdown file is not part of its front matter.
    let is_key = |field: &&SchemaField| {
        field.presence != KeyPresence::Body && !left_out.contains(&field.name)
    };
    let fields = table.fields.iter().filter(is_key);
    let fields = fields.map(|field| (field.name, Value::map(described(field.about, &field.form))));
    let passing = table.passthrough.into_iter().flat_map(passing_keys);
    let mut entries = vec![
        typed("object"),
        ("properties", Value::map(fields.chain(passing))),
    ];
    let required: Vec<&str> = table.required().map(|field| field.name).collect();
    if !required.is_empty() {
        entries.push(("required", Value::list(required)));
    }
    if table.others == OtherKeys::Refused {
        entries.push(("additionalProperties", false.into()));
    }
    entries
}

fn passing_keys(list: &'static Passthrough) -> Entries {
    let mut says = match list.owner {
        KeyOwner::OtherProgram => {
            let about = format!("A field of {}: accepted, and ignored", list.name);
            vec![("description", Value::from(about))]
        }
        KeyOwner::OlderVersion => {
            let about = format!("A key of {}, which agpm ignores.", list.name);
            vec![("description", Value::from(about))]
        }
    };
    if list.owner == KeyOwner::OlderVersion {
        says.push(("deprecated", true.into()));
    }
    let says = Value::map(says);
    list.keys.iter().map(|key| (*key, says.clone())).collect()
}

fn condition(condition: &KeyCondition) -> (&'static str, Value) {
    match condition {
        KeyCondition::Required(keys) => ("required", Value::list(keys.iter().copied())),
        KeyCondition::Without(keys) => {
            let one = |key: &&str| Value::map([("required", Value::list([*key]))]);
            (
                "not",
                Value::map([("anyOf", Value::list(keys.iter().map(one)))]),
            )
        }
        KeyCondition::Together(keys) => {
            let requirements = keys.iter();
            let requirements = requirements
                .map(|(key, requirements)| (*key, Value::list(requirements.iter().copied())));
            ("dependentRequired", Value::map(requirements))
        }
        KeyCondition::AnyOf(groups) => {
            let group = |group: &&[KeyCondition]| Value::map(group.iter().map(self::condition));
            ("anyOf", Value::list(groups.iter().map(group)))
        }
    }
}
