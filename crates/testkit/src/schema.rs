//! The part of JSON Schema that agpm's schemas use; an unknown keyword fails the test.

use std::cell::RefCell;
use std::collections::HashMap;

use agpm_text::{Pointer, Value};
use regex_automata::meta::Regex;
use regex_automata::util::syntax::Config;

/// Keywords that do not affect validity.
const REMARKS: &[&str] = &["$schema", "$defs", "title", "description", "deprecated"];

/// The location of an invalid value, and the violated keyword.
pub fn schema_problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Validator { root: schema }.check(schema, value, &Pointer::root(), &mut found);
    found
}

thread_local! {
    /// Patterns are few, and texts many.
    static PATTERNS: RefCell<HashMap<String, Regex>> = RefCell::default();
}

/// A value, the schema that it must fit, and where it is.
#[derive(Clone, Copy)]
struct CheckedValue<'v> {
    schema: &'v Value,
    value: &'v Value,
    at: &'v Pointer,
}

struct Validator<'s> {
    root: &'s Value,
}

impl Validator<'_> {
    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut found = Vec::new();
        self.check(schema, value, &Pointer::root(), &mut found);
        found.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, at: &Pointer, found: &mut Vec<String>) {
        let words = match schema {
            Value::Map(words) => words,
            Value::Bool(true) => return,
            _ => return found.push(format!("{at}: nothing may be here")),
        };
        for (word, says) in words
            .iter()
            .filter(|(word, _)| !REMARKS.contains(&word.as_str()))
        {
            let checked = CheckedValue { schema, value, at };
            if !self.holds(word, says, checked, found) {
                found.push(format!("{at}: {word}"));
            }
        }
    }

    /// Checks one keyword, without the values inside.
    fn holds(
        &self,
        word: &str,
        says: &Value,
        checked: CheckedValue<'_>,
        found: &mut Vec<String>,
    ) -> bool {
        let CheckedValue { schema, value, at } = checked;
        let has = |key: &Value| key.as_str().is_some_and(|key| value.get(key).is_some());
        match word {
            "$ref" => {
                let name = says
                    .as_str()
                    .and_then(|text| text.strip_prefix("#/$defs/"))
                    .unwrap();
                self.check(
                    self.root
                        .get("$defs")
                        .and_then(|all| all.get(name))
                        .unwrap(),
                    value,
                    at,
                    found,
                );
                true
            }
            "type" => match says.as_str() {
                Some("integer") => {
                    matches!(value, Value::Number(number) if number.as_str().parse::<i64>().is_ok())
                }
                name => name == Some(kind(value)),
            },
            "const" => says == value,
            "enum" => items(says).contains(value),
            "pattern" => value.as_str().is_none_or(|text| matches(says, text)),
            "minLength" => value
                .as_str()
                .is_none_or(|text| text.chars().count() >= number(says)),
            "minimum" => match value {
                Value::Number(found) => {
                    found.as_str().parse::<f64>().unwrap() >= number(says) as f64
                }
                _ => true,
            },
            "minItems" => kind(value) != "array" || items(value).len() >= number(says),
            "required" => kind(value) != "object" || items(says).iter().all(has),
            "dependentRequired" => entries(says)
                .iter()
                .all(|(key, needs)| value.get(key).is_none() || items(needs).iter().all(has)),
            "anyOf" => items(says).iter().any(|choice| self.fits(choice, value)),
            "not" => !self.fits(says, value),
            "items" => {
                for (index, item) in items(value).iter().enumerate() {
                    self.check(says, item, &at.child(index.to_string()), found);
                }
                true
            }
            "propertyNames" => entries(value)
                .iter()
                .all(|(key, _)| self.fits(says, &key.as_str().into())),
            "properties" | "patternProperties" | "additionalProperties" => {
                for (key, inner) in entries(value) {
                    if let Some((_, says)) = of_key(schema, key).filter(|(by, _)| *by == word) {
                        self.check(says, inner, &at.child(key), found);
                    }
                }
                true
            }
            other => panic!("the validator knows no `{other}`"),
        }
    }
}

/// Returns the schema of a key of a table, and the keyword that defines it.
fn of_key<'s>(schema: &'s Value, key: &str) -> Option<(&'static str, &'s Value)> {
    let named = schema
        .get("properties")
        .and_then(|all| all.get(key))
        .map(|says| ("properties", says));
    let patterns = schema
        .get("patternProperties")
        .map(entries)
        .unwrap_or_default();
    let pattern = patterns
        .iter()
        .find(|(pattern, _)| matches(&pattern.as_str().into(), key));
    let pattern = pattern.map(|(_, says)| ("patternProperties", says));
    let others = schema
        .get("additionalProperties")
        .map(|says| ("additionalProperties", says));
    named.or(pattern).or(others)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) | Value::DateTime(_) => "string",
        Value::List(_) => "array",
        Value::Map(_) => "object",
    }
}

fn items(value: &Value) -> &[Value] {
    if let Value::List(items) = value {
        items
    } else {
        &[]
    }
}

fn entries(value: &Value) -> &[(String, Value)] {
    if let Value::Map(entries) = value {
        entries
    } else {
        &[]
    }
}

fn number(value: &Value) -> usize {
    if let Value::Number(number) = value {
        number.as_str().parse().unwrap()
    } else {
        panic!("{value:?}")
    }
}

fn matches(pattern: &Value, text: &str) -> bool {
    let pattern = pattern.as_str().unwrap();
    PATTERNS.with_borrow_mut(|patterns| {
        let syntax = Config::new().unicode(false).utf8(false);
        let new = || Regex::builder().syntax(syntax).build(pattern).unwrap();
        patterns
            .entry(pattern.to_owned())
            .or_insert_with(new)
            .is_match(text)
    })
}
