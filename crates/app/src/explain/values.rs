//! A location in a document that has a value, or the one that was meant.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, nearest};
use agpm_merge::Provenance;
use agpm_text::{Pointer, Value};

/// Fails if a pointer has no provenance, and suggests a similar pointer of these values.
pub fn require_values(
    provenance: Provenance,
    name: &str,
    pointer: &Pointer,
    values: &[Option<Value>],
) -> Result<Provenance, Failure> {
    if !provenance.is_empty() || *pointer == Pointer::root() {
        return Ok(provenance);
    }
    let message = format!("no value at `{pointer}` in `{name}`");
    let near = values
        .iter()
        .flatten()
        .find_map(|value| near_pointer(value, pointer));
    let near = near.map(|near_pointer| format!("did you mean `{near_pointer}`?"));
    let help = near.unwrap_or_else(|| "leave out the pointer to see all values".to_owned());
    let diagnostic = Diagnostic::new(&codes::EXPLAIN_NOT_FOUND, message).help(help);
    Err(Failure::new(FailureKind::NotFound, diagnostic))
}

/// The location that a pointer was probably meant to be: its first step that leads nowhere, put right.
fn near_pointer(value: &Value, pointer: &Pointer) -> Option<Pointer> {
    let mut node = value.get("front_matter").unwrap_or(value);
    let mut location = Pointer::root();
    for step in pointer.steps() {
        match node.child(step) {
            Some(child) => {
                node = child;
                location.push(step);
            }
            None => {
                let Value::Map(entries) = node else {
                    return None;
                };
                let near = nearest(step, entries.iter().map(|(key, _)| key.as_str()))?;
                return Some(location.child(near));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use agpm_text::{Format, parse_alone, to_value};

    use super::*;

    fn help_for(text: &str, pointer: &str) -> Option<String> {
        let document = parse_alone(text.to_owned(), Format::Json).document;
        let value = document.root().map(to_value);
        let pointer: Pointer = pointer.parse().expect("a good pointer");
        let failure = require_values(Provenance::default(), "x.json", &pointer, &[value]);
        failure.expect_err("nothing there").diagnostic?.help
    }

    #[test]
    fn the_first_wrong_step_is_corrected() {
        let text = r#"{"permissions": {"allow": ["a"]}}"#;
        for (written, expected) in [
            ("/permission/allow", "did you mean `/permissions`?"),
            ("/permissions/alow/0", "did you mean `/permissions/allow`?"),
            (
                "/permissions/allow/7",
                "leave out the pointer to see all values",
            ),
        ] {
            assert_eq!(
                help_for(text, written).as_deref(),
                Some(expected),
                "{written}"
            );
        }
    }

    #[test]
    fn the_whole_document_may_be_empty() {
        assert!(require_values(Provenance::default(), "x", &Pointer::root(), &[]).is_ok());
    }
}
