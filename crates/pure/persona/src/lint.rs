//! What is allowed in a persona and still worth a word.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, codes};
use agpm_merge::Resolution;
use agpm_text::{Pointer, Shape, View};

/// Whether a persona is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Active {
    /// Its status is `active`.
    Yes,
    /// It is anything else, or not said.
    No,
}

/// Whether a merged persona says that it is active.
pub fn is_active(resolution: &Resolution) -> Active {
    let status = resolution.at(&Pointer::root().child("status"));
    match status.map(View::shape) {
        Some(Shape::String(status)) if status.trim().eq_ignore_ascii_case("active") => Active::Yes,
        _ => Active::No,
    }
}

/// Guardrails that differ from an earlier one only in case or spaces.
pub fn near_duplicates(resolution: &Resolution) -> Vec<Diagnostic> {
    let mut seen: BTreeMap<String, agpm_text::NodeRef<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    resolution.each_leaf(&Pointer::root().child("guardrails"), &mut |leaf| {
        let Some(text) = leaf
            .value
            .as_str()
            .filter(|_| leaf.pointer.steps().len() == 2)
        else {
            return;
        };
        let plain = text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase();
        match seen.get(&plain) {
            None => {
                seen.insert(plain, leaf.value);
            }
            Some(earlier) => {
                let message = format!(
                    "the guardrails `{}` and `{text}` differ only in case or spaces",
                    earlier.content()
                );
                let diagnostic = Diagnostic::new(&codes::LINEAGE_NEAR_DUPLICATE, message)
                    .at(
                        leaf.value.document().source(),
                        leaf.value.span(),
                        "the other one",
                    )
                    .at(earlier.document().source(), earlier.span(), "one of them")
                    .help("spell both alike, so that they count as one, or take one away");
                found.push(diagnostic);
            }
        }
    });
    found
}
