//! Reports as values, for `--json` and every other reader that is not a person.

use agpm_diag::{Diagnostic, SourceMap};
use agpm_text::Value;

use crate::provenance::{BodyLines, ExplainedShadow, Provenance};

/// A diagnostic with its fields as documented; what is not known is left out.
pub fn diagnostic_value(diagnostic: &Diagnostic, sources: &SourceMap) -> Value {
    let place = diagnostic.labels.first();
    let file = place
        .map(|label| sources.get(label.source).name.clone())
        .or_else(|| diagnostic.file.clone());
    let position = place.map(|label| sources.place(label.source, label.span.start));
    let fields = [
        ("code", Some(diagnostic.code.name.into())),
        ("severity", Some(diagnostic.severity.to_string().into())),
        ("message", Some(diagnostic.shown_message().into())),
        (
            "details",
            (!diagnostic.details.is_empty())
                .then(|| Value::list(diagnostic.details.iter().map(String::as_str))),
        ),
        ("file", file.map(Value::from)),
        ("line", position.map(|position| position.line.into())),
        ("column", position.map(|position| position.column.into())),
        ("unit", diagnostic.unit.clone().map(Value::from)),
        ("layer", diagnostic.layer.clone().map(Value::from)),
        ("help", diagnostic.help.clone().map(Value::from)),
    ];
    Value::map(
        fields
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?))),
    )
}

/// `{"ok": false, "diagnostics": […]}`.
pub fn failure_value(diagnostics: &[Diagnostic], sources: &SourceMap) -> Value {
    Value::map([
        ("ok", Value::Bool(false)),
        ("diagnostics", diagnostic_list(diagnostics, sources)),
    ])
}

/// `{"ok": true, …, "diagnostics": […]}`.
pub fn success_value(
    fields: Vec<(&'static str, Value)>,
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
) -> Value {
    let first = ("ok", Value::Bool(true));
    let last = ("diagnostics", diagnostic_list(diagnostics, sources));
    Value::map([first].into_iter().chain(fields).chain([last]))
}

/// Diagnostics, each with its fields as documented.
pub fn diagnostic_list(diagnostics: &[Diagnostic], sources: &SourceMap) -> Value {
    Value::list(
        diagnostics
            .iter()
            .map(|diagnostic| diagnostic_value(diagnostic, sources)),
    )
}

impl Provenance {
    /// The fields `leaves`, `deletions` and `body`.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let leaves = self.leaves.iter().map(|leaf| {
            Value::map([
                ("pointer", leaf.pointer.to_string().into()),
                ("value", leaf.value.clone()),
                ("layer", leaf.layer.clone().into()),
                ("file", leaf.file.clone().into()),
                ("line", leaf.line.into()),
                ("operation", leaf.operation.into()),
                ("shadows", shadows(&leaf.shadows)),
            ])
        });
        let deletions = self.deletions.iter().map(|deletion| {
            Value::map([
                ("pointer", deletion.pointer.to_string().into()),
                ("shadows", shadows(&deletion.shadows)),
            ])
        });
        let mut fields = vec![("leaves", Value::list(leaves))];
        if !self.deletions.is_empty() {
            fields.push(("deletions", Value::list(deletions)));
        }
        if !self.body.is_empty() {
            fields.push(("body", Value::list(self.body.iter().map(body_lines))));
        }
        fields
    }
}

fn shadows(shadows: &[ExplainedShadow]) -> Value {
    Value::list(shadows.iter().map(|shadow| {
        Value::map([
            ("value", shadow.value.clone()),
            ("layer", shadow.layer.clone().into()),
            ("file", shadow.file.clone().into()),
            ("line", shadow.line.into()),
            ("duplicate", shadow.duplicate.into()),
        ])
    }))
}

fn body_lines(part: &BodyLines) -> Value {
    let range = |(first, last): (usize, usize)| Value::list([first, last]);
    Value::map([
        ("lines", range(part.lines)),
        ("layer", part.layer.clone().into()),
        ("file", part.file.clone().into()),
        ("from", range(part.from)),
    ])
}
