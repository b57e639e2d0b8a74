//! A location in a document that has a value, or the one that was meant.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, nearest};
use agpm_merge::Provenance;
use agpm_text::{Pointer, Value};

/// The provenance of a location; nothing there is a failure, with a near place of these values.
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
        .find_map(|value| near_place(value, pointer));
    let near = near.map(|place| format!("did you mean `{place}`?"));
    let help = near.unwrap_or_else(|| "leave out the pointer to see all values".to_owned());
    let diagnostic = Diagnostic::new(&codes::EXPLAIN_NOT_FOUND, message).help(help);
    Err(Failure::new(FailureKind::NotFound, diagnostic))
}

/// The location that a pointer was probably meant to be: its first step that leads nowhere, put right.
fn near_place(value: &Value, pointer: &Pointer) -> Option<Pointer> {
    let mut place = value.get("front_matter").unwrap_or(value);
    let mut here = Pointer::root();
    for step in pointer.steps() {
        match place.child(step) {
            Some(child) => {
                place = child;
                here.push(step);
            }
            None => {
                let Value::Map(entries) = place else {
                    return None;
                };
                let near = nearest(step, entries.iter().map(|(key, _)| key.as_str()))?;
                return Some(here.child(near));
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
        for (written, meant) in [
            ("/permission/allow", "did you mean `/permissions`?"),
            ("/permissions/alow/0", "did you mean `/permissions/allow`?"),
            (
                "/permissions/allow/7",
                "leave out the pointer to see all values",
            ),
        ] {
            assert_eq!(help_for(text, written).as_deref(), Some(meant), "{written}");
        }
    }

    #[test]
    fn the_whole_document_may_be_empty() {
        assert!(require_values(Provenance::default(), "x", &Pointer::root(), &[]).is_ok());
    }
}
