//! An explanation as fields and as text.

use agpm_diag::{Code, visible};
use agpm_text::{Pointer, Value};

use crate::explain::{ExplainReport, ExplainedResource};
use crate::provenance::{ExplainedShadow, Provenance};

impl ExplainReport {
    /// As fields of a document.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        match self {
            ExplainReport::Page(code) => page_fields(code),
            ExplainReport::Values {
                subject,
                name,
                pointer,
                provenance,
            } => {
                let place = [
                    (subject.word(), Value::from(name.as_str())),
                    ("pointer", pointer.to_string().into()),
                ];
                place.into_iter().chain(provenance.fields()).collect()
            }
            ExplainReport::Resource {
                resource,
                pointer,
                provenance,
            } => {
                let place = [
                    (resource.kind(), Value::from(resource.name())),
                    ("pointer", pointer.to_string().into()),
                ];
                let resource = [("resource", resource.value())];
                place
                    .into_iter()
                    .chain(resource)
                    .chain(provenance.fields())
                    .collect()
            }
        }
    }

    /// As people read it.
    pub fn text(&self) -> String {
        match self {
            ExplainReport::Page(code) => code.page.to_owned(),
            ExplainReport::Values { provenance, .. } => provenance.text(),
            ExplainReport::Resource {
                resource,
                pointer,
                provenance,
            } => {
                // Who asks for one place wants to know of that alone.
                let head = if *pointer == Pointer::root() {
                    head(resource)
                } else {
                    String::new()
                };
                format!("{head}{}", provenance.text())
            }
        }
    }
}

fn head(resource: &ExplainedResource) -> String {
    let facts = resource
        .facts()
        .into_iter()
        .map(|(what, fact)| format!("  {what}: {fact}\n"));
    format!(
        "{} {}\n{}",
        resource.kind(),
        resource.name(),
        facts.collect::<String>()
    )
}

fn page_fields(code: &Code) -> Vec<(&'static str, Value)> {
    vec![
        ("code", code.name.into()),
        ("severity", code.severity.to_string().into()),
        ("summary", code.parsed().summary.into()),
        ("page", code.page.into()),
    ]
}

impl Provenance {
    /// One block for each value, deletion and stretch of body.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for leaf in &self.leaves {
            let pointer = visible(&leaf.pointer.to_string());
            let place = if pointer.is_empty() {
                "(whole document)"
            } else {
                &pointer
            };
            out.push_str(&format!("{place} = {}\n", inline(&leaf.value)));
            let from = format!(
                "{} ({}:{}), {}",
                leaf.layer, leaf.file, leaf.line, leaf.operation
            );
            out.push_str(&format!("  from {from}\n"));
            shadows(&leaf.shadows, &mut out);
        }
        for deletion in &self.deletions {
            out.push_str(&format!(
                "{} is unset\n",
                visible(&deletion.pointer.to_string())
            ));
            shadows(&deletion.shadows, &mut out);
        }
        for part in &self.body {
            let ((first, last), (from, upto)) = (part.lines, part.from);
            let place = format!("{} ({}:{from}-{upto})", part.layer, part.file);
            out.push_str(&format!("lines {first}-{last}\n  from {place}\n"));
        }
        out
    }
}

fn shadows(shadows: &[ExplainedShadow], out: &mut String) {
    for shadow in shadows {
        let verb = if shadow.duplicate {
            "also in"
        } else {
            "shadows"
        };
        let value = inline(&shadow.value);
        out.push_str(&format!(
            "  {verb} {} ({}:{}): {value}\n",
            shadow.layer, shadow.file, shadow.line
        ));
    }
}

fn inline(value: &Value) -> String {
    value.to_json().trim_end().to_owned()
}
