//! What is installed of a resource: its bytes, or what its template makes of them.

use std::sync::Arc;

use agpm_diag::{Diagnostic, Span, codes};
use agpm_model::{Checksum, Manifest, ObjectId, Origin};
use agpm_render::{RenderError, has_tags, mentions_agpm, render_markdown};
use agpm_text::{Format, Limits, NodeRef, Value, parse};

use crate::failure::{Failure, Notes};
use crate::packages::facts::Resource;
use crate::packages::resolve::ResolvedEntry;
use crate::packages::unsupported;

/// The bytes that are written, and their checksum.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    /// As they are in the source.
    Copied(Arc<Resource>),
    /// As a template made them.
    Rendered(Arc<Vec<u8>>, Checksum),
}

impl Output {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Output::Copied(resource) => &resource.bytes,
            Output::Rendered(bytes, _) => bytes,
        }
    }

    pub(crate) fn checksum(&self) -> Checksum {
        match self {
            Output::Copied(resource) => resource.checksum,
            Output::Rendered(_, checksum) => *checksum,
        }
    }
}

/// Renders every entry that is a template; what is wrong goes to the notes.
pub(crate) fn render_all(
    manifest: &Manifest,
    entries: &mut [ResolvedEntry],
    notes: &mut Notes,
) -> Result<(), Failure> {
    for resolved in entries.iter_mut() {
        let markdown = matches!(resolved.entry.unit.path.extension(), Some("md" | "markdown"));
        let Ok(text) = std::str::from_utf8(&resolved.resource.bytes) else { continue };
        if !markdown || !has_tags(text) || !is_template(text) {
            continue;
        }
        unsupported::in_template(&resolved.entry.unit, text)?;
        if let Some(rendered) = rendered(manifest, resolved, text, notes) {
            let checksum = Checksum::of(rendered.as_bytes());
            resolved.output = Output::Rendered(Arc::new(rendered.into_bytes()), checksum);
        }
    }
    notes.check()
}

/// Front matter decides; without its word, a tag that mentions one of our names does.
fn is_template(text: &str) -> bool {
    let source = agpm_diag::SourceMap::default().add("", "");
    let document = parse(source, text, Format::Markdown, Limits::default()).document;
    document.root().and_then(templating).unwrap_or_else(|| mentions_agpm(text))
}

/// What front matter says of templates; where it says both, no.
pub(crate) fn templating(root: NodeRef<'_>) -> Option<bool> {
    let nested = root.get("agpm").and_then(|agpm| agpm.get("templating"));
    let words = [nested, root.get("agpm.templating")].map(|word| word.and_then(NodeRef::as_bool));
    [false, true].into_iter().find(|word| words.contains(&Some(*word)))
}

fn rendered(manifest: &Manifest, resolved: &ResolvedEntry, text: &str, notes: &mut Notes) -> Option<String> {
    let failed = |error: RenderError| {
        let name = format!("{}@{}", resolved.entry.unit, resolved.version.label);
        let source = notes.sources.add(name, text);
        let range = error.range.unwrap_or(0..0);
        notes.diagnostics.push(
            Diagnostic::new(&codes::RESOURCE_TEMPLATE, error.message)
                .at(source, Span::new(range.start, range.end), "")
                .help(error.help),
        );
    };
    render_markdown(text, &names_of(manifest, resolved)).map_err(failed).ok()
}

/// What templates know, under the one name that is ours.
pub(crate) fn names<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::map([("agpm", Value::map(entries))])
}

/// The project's own variables.
pub(crate) fn project(manifest: &Manifest) -> Value {
    manifest.project.clone().unwrap_or_else(|| Value::Map(Vec::new()))
}

/// The names that a template of this entry knows.
fn names_of(manifest: &Manifest, resolved: &ResolvedEntry) -> Value {
    let entry = &resolved.entry;
    let text = |text: Option<&str>| Value::from(text.unwrap_or_default());
    let source = match &entry.unit.origin {
        Origin::Source(name) => Some(name.as_str()),
        Origin::Local => None,
    };
    let resource = Value::map([
        ("type", Value::from(entry.kind.singular())),
        ("name", entry.name.as_str().into()),
        ("install_path", text(entry.target.as_ref().map(|target| target.as_str()))),
        ("source", text(source)),
        ("version", resolved.version.label.as_str().into()),
        ("resolved_commit", text(resolved.version.commit.as_ref().map(ObjectId::as_str))),
        ("path", entry.unit.path.as_str().into()),
    ]);
    names([("project", project(manifest)), ("resource", resource)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_has_the_last_word() {
        assert!(is_template("{{ agpm.project.x }}"));
        assert!(!is_template("{{ other }}"));
        assert!(!is_template("---\nagpm:\n  templating: false\n---\n{{ agpm.project.x }}"));
        assert!(!is_template(
            "---\nagpm.templating: false\nagpm:\n  templating: true\n---\n{{ agpm.project.x }}"
        ));
        assert!(is_template("---\nagpm.templating: true\n---\n{{ other }}"));
    }
}
