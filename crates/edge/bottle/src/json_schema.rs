//! The tables as JSON Schema, for editors.

use agpm_text::Value;

use crate::schema::{Form, Need, Table};
use crate::unit::UnitKind;

/// The JSON Schema (draft 2020-12) of the front matter of a bottle or an agent.
pub fn json_schema(kind: UnitKind) -> Value {
    let about = match kind {
        UnitKind::Bottle => "The sandbox that agents run in",
        UnitKind::Agent => "An agent and the bottle that it runs in",
    };
    let head = [
        (
            "$schema",
            Value::from("https://json-schema.org/draft/2020-12/schema"),
        ),
        ("title", kind.word().into()),
        ("description", about.into()),
    ];
    Value::map(head.into_iter().chain(object(kind.table())))
}

fn object(table: &Table) -> Vec<(&'static str, Value)> {
    // The schema is for front matter.
    let own = table
        .fields
        .iter()
        .filter(|field| field.need != Need::Body)
        .map(|field| {
            let described = [("description", Value::from(field.about))];
            (
                field.name,
                Value::map(described.into_iter().chain(form(field.form))),
            )
        });
    let foreign = table.passthrough.into_iter().flat_map(|list| {
        let about = format!("A field of {}: accepted, and ignored", list.name);
        list.keys
            .iter()
            .map(move |key| (*key, Value::map([("description", about.as_str().into())])))
    });
    let required = table
        .fields
        .iter()
        .filter(|field| field.need == Need::Required);
    let mut fields = vec![
        ("type", Value::from("object")),
        ("properties", Value::map(own.chain(foreign))),
        ("required", Value::list(required.map(|field| field.name))),
        ("additionalProperties", false.into()),
    ];
    fields.retain(|(key, value)| *key != "required" || *value != Value::List(Vec::new()));
    fields
}

fn form(form: Form) -> Vec<(&'static str, Value)> {
    let text = || Value::map([("type", "string".into())]);
    match form {
        Form::Text => vec![("type", "string".into())],
        Form::Flag => vec![("type", "boolean".into())],
        Form::Word(words) => vec![("enum", Value::list(words.iter().copied()))],
        Form::Texts => vec![("type", "array".into()), ("items", text())],
        Form::TextMap => vec![("type", "object".into()), ("additionalProperties", text())],
        Form::Table(table) => object(table),
        Form::Tables(table) => vec![
            ("type", "array".into()),
            ("items", Value::map(object(table))),
        ],
        Form::TableMap(table) => {
            vec![
                ("type", "object".into()),
                ("additionalProperties", Value::map(object(table))),
            ]
        }
    }
}
