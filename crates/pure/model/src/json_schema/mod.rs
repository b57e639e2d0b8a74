//! JSON Schema of our own files, for editors, made of the tables that the readers check by.

mod lock;
mod manifest;
mod strategies;

use agpm_text::Value;

use crate::schema::Schema;

pub use lock::lock_schema;
pub use manifest::manifest_schema;

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// What is not blank.
const WORD: &str = r"\S";

/// One key of a table: its name, what it says, and what its value must be.
type Key = (&'static str, &'static str, Value);

/// A whole document.
fn document(title: &str, says: &str, body: Value, definitions: Vec<(&str, Value)>) -> Value {
    let head = [
        ("$schema", DIALECT.into()),
        ("title", title.into()),
        ("description", says.into()),
    ];
    let body = extended(Value::map(head), body);
    extended(body, Value::map([("$defs", Value::map(definitions))]))
}

/// A table with exactly the keys of a schema. A key without a line in `keys` may be anything, and a test asks for the line.
fn table(schema: &Schema, keys: Vec<Key>) -> Value {
    table_without(schema, &[], keys)
}

/// The same without some of its keys.
fn table_without(schema: &Schema, left_out: &[&str], mut keys: Vec<Key>) -> Value {
    let owned = schema
        .owned
        .iter()
        .filter(|key| !left_out.contains(key))
        .map(|key| {
            let known = keys
                .iter()
                .position(|(name, ..)| name == key)
                .map(|at| keys.swap_remove(at));
            (
                *key,
                known.map_or_else(anything, |(_, says, value)| described(says, value)),
            )
        });
    let mut properties: Vec<(&str, Value)> = owned.collect();
    debug_assert!(keys.is_empty(), "a {} has no key for {keys:?}", schema.what);
    for list in schema.passthrough {
        let passes = Value::map([
            (
                "description",
                format!("A key of {}, which has no meaning here.", list.name).into(),
            ),
            ("deprecated", true.into()),
        ]);
        properties.extend(list.keys.iter().map(|key| (*key, passes.clone())));
    }
    let mut entries = vec![
        ("type", "object".into()),
        ("properties", Value::map(properties)),
    ];
    if schema.extensions {
        entries.push(("patternProperties", Value::map([("^x-", anything())])));
    }
    entries.push(("additionalProperties", false.into()));
    Value::map(entries)
}

/// A table from names to values of one kind.
fn named(value: Value) -> Value {
    let names = Value::map([("pattern", WORD.into())]);
    Value::map([
        ("type", "object".into()),
        ("propertyNames", names),
        ("additionalProperties", value),
    ])
}

/// A table whose keys are the words of a list.
fn by_word(words: impl IntoIterator<Item = &'static str>, value: impl Fn(&str) -> Value) -> Value {
    let properties = words.into_iter().map(|word| (word, value(word)));
    Value::map([
        ("type", "object".into()),
        ("properties", Value::map(properties)),
        ("additionalProperties", false.into()),
    ])
}

fn anything() -> Value {
    Value::map::<&str>([])
}

fn of_type(name: &str) -> Value {
    Value::map([("type", name.into())])
}

fn matching(pattern: &str) -> Value {
    Value::map([("type", "string".into()), ("pattern", pattern.into())])
}

fn list_of(items: Value) -> Value {
    Value::map([("type", "array".into()), ("items", items)])
}

fn one_of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Value {
    Value::map([("enum", Value::list(words))])
}

/// Words that are known, for completion, and any other.
fn words_or_own<'w>(words: impl IntoIterator<Item = &'w str>) -> Value {
    any_of([one_of_words(words), matching(WORD)])
}

fn any_of(choices: impl IntoIterator<Item = Value>) -> Value {
    Value::map([("anyOf", Value::list(choices))])
}

fn required(keys: &[&str]) -> Value {
    Value::map([("required", Value::list(keys.iter().copied()))])
}

/// None of these keys.
fn without(keys: &[&str]) -> Value {
    Value::map([("not", any_of(keys.iter().map(|key| required(&[key]))))])
}

fn reference(definition: &str) -> Value {
    Value::map([("$ref", format!("#/$defs/{definition}").into())])
}

/// A path with `/` that stays below its folder.
fn relative_path() -> Value {
    let leaves = Value::map([("pattern", r"(^|/)\.\.(/|$)".into())]);
    extended(matching(r"^[^/\\]"), Value::map([("not", leaves)]))
}

fn described(says: &str, value: Value) -> Value {
    extended(Value::map([("description", says.into())]), value)
}

/// Both, as one.
fn extended(value: Value, more: Value) -> Value {
    match (value, more) {
        (Value::Map(entries), Value::Map(more)) => {
            Value::Map(entries.into_iter().chain(more).collect())
        }
        (value, _) => value,
    }
}
