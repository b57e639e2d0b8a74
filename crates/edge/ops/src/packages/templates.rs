//! What is installed of a resource: its bytes, or what its template makes of them.

use std::sync::Arc;

use agpm_diag::{Diagnostic, Span, codes};
use agpm_model::{Checksum, Manifest, ObjectId, Origin};
use agpm_render::{has_tags, mentions_agpm, render};
use agpm_text::{Format, Limits, NodeRef, Value, parse};

use crate::failure::{Failure, Notes};
use crate::packages::facts::Resource;
use crate::packages::resolve::ResolvedEntry;
use crate::packages::unsupported;

/// The word of a code fence whose content is left alone.
const LITERAL: &str = "literal";

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
    let literals = literals(text);
    let mut template = text.to_owned();
    for (number, range) in literals.iter().enumerate().rev() {
        template.replace_range(range.clone(), &placeholder(number));
    }
    match render(&template, &names(manifest, resolved)) {
        Ok(mut filled) => {
            for (number, range) in literals.iter().enumerate() {
                filled = filled.replacen(&placeholder(number), &text[range.clone()], 1);
            }
            Some(filled)
        }
        Err(error) => {
            let name = format!("{}@{}", resolved.entry.unit, resolved.version.label);
            let source = notes.sources.add(name, template.clone());
            let range = error.range.unwrap_or(0..0);
            notes.diagnostics.push(
                Diagnostic::new(&codes::RESOURCE_TEMPLATE, error.message)
                    .at(source, Span::new(range.start, range.end), "")
                    .help(error.help),
            );
            None
        }
    }
}

fn placeholder(number: usize) -> String {
    format!("\u{1}literal {number}\u{1}")
}

/// The contents of fences that are marked to be left alone.
fn literals(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    // The fence that is open, where its content begins, and whether it is marked.
    let mut open: Option<(&str, usize, bool)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let fence = fence(line);
        match (open, fence) {
            (Some((opened, start, marked)), Some((closing, ""))) if closing.starts_with(opened) => {
                found.extend(marked.then_some(start..at));
                open = None;
            }
            (None, Some((fence, info))) => {
                let marked = info.split(|c: char| !c.is_alphanumeric()).any(|word| word == LITERAL);
                open = Some((fence, at + line.len(), marked));
            }
            _ => {}
        }
        at += line.len();
    }
    // A fence without an end reaches to the end of the text.
    found.extend(open.filter(|(_, _, marked)| *marked).map(|(_, start, _)| start..text.len()));
    found.into_iter().filter(|range| !range.is_empty()).collect()
}

/// The marks of a fence and what stands behind them.
fn fence(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let marks = line.len() - line.trim_start_matches(mark).len();
    (marks >= 3).then(|| (&line[..marks], line[marks..].trim()))
}

/// The names that a template of this entry knows.
fn names(manifest: &Manifest, resolved: &ResolvedEntry) -> Value {
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
    let project = manifest.project.clone().unwrap_or_else(|| Value::Map(Vec::new()));
    Value::map([("agpm", Value::map([("project", project), ("resource", resource)]))])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_marked_literal_are_found() {
        let text = "a\n```literal\n{{ x }}\n```\n```rust\ny\n```\n~~~~ {.literal}\n~~~\nz\n~~~~\n``` md,literal\nend\n";
        let found: Vec<&str> = literals(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["{{ x }}\n", "~~~\nz\n", "end\n"]);
    }

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
