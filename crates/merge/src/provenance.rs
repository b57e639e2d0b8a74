//! Reports the provenance of values.

use agpm_diag::{SourceMap, counted, looks_secret};
use agpm_text::{NodeKind, NodeRef, Pointer, Value, to_value};
use serde::Serialize;

use crate::body::BodySegment;
use crate::file::{MergedContent, MergedFile};
use crate::limits::LONGEST_VALUE;
use crate::origin::{NodeOrigin, ShadowKind, ShadowedValue};
use crate::resolution::{MergedLeaf, Resolution};

/// The replacement for a secret.
pub const MASK: &str = "********";

/// The key for values that are known to be secrets; references to secrets are shown nevertheless.
pub const KNOWN_SECRET: &str = "secret";

/// Whether values that look like secrets are masked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SecretDisplay {
    /// Secrets are masked.
    #[default]
    Masked,
    /// Secrets are shown, because the user requested them.
    Shown,
}

/// The provenance of a merged file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Provenance {
    /// All values without children.
    pub leaves: Vec<ExplainedLeaf>,
    /// The deleted values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deletions: Vec<ExplainedDeletion>,
    /// The layers of lines of text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub body: Vec<BodyLines>,
}

/// A value and its provenance.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedLeaf {
    /// The pointer in the result.
    pub pointer: Pointer,
    /// The value; secrets are masked.
    pub value: Value,
    /// The layer.
    pub layer: String,
    /// The layer's file.
    pub file: String,
    /// The line in the file.
    pub line: usize,
    /// The operation that produced it.
    pub operation: &'static str,
    /// The values that it shadows, highest first.
    pub shadows: Vec<ExplainedShadow>,
}

impl ExplainedLeaf {
    /// The value and its own shadows as shadows of another value, highest first.
    pub fn into_shadows(self) -> Vec<ExplainedShadow> {
        let ExplainedLeaf {
            value,
            layer,
            file,
            line,
            shadows,
            ..
        } = self;
        let first = ExplainedShadow {
            value,
            layer,
            file,
            line,
            duplicate: false,
        };
        std::iter::once(first).chain(shadows).collect()
    }
}

/// A value of a layer that is not in the result.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedShadow {
    /// The value; secrets are masked.
    pub value: Value,
    /// The layer.
    pub layer: String,
    /// The layer's file.
    pub file: String,
    /// The line in the file.
    pub line: usize,
    /// Whether it equals the value in the result.
    pub duplicate: bool,
}

/// A value that the strategy deleted.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedDeletion {
    /// The pointer.
    pub pointer: Pointer,
    /// The deleted values of the layers, highest first.
    pub shadows: Vec<ExplainedShadow>,
}

/// Lines of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BodyLines {
    /// First and last line of the result.
    pub lines: (usize, usize),
    /// The layer.
    pub layer: String,
    /// The layer's file.
    pub file: String,
    /// The first and last line in the file.
    pub from: (usize, usize),
}

impl Provenance {
    /// The provenance of everything at `under` or below.
    pub fn of(merged: &MergedFile, under: &Pointer, sources: &SourceMap) -> Self {
        let mut provenance = Provenance::default();
        match &merged.merged {
            MergedContent::Structured(resolution) => {
                provenance.add_values(resolution, under, sources)
            }
            MergedContent::Markdown {
                front,
                body,
                segments,
            } => {
                provenance.add_values(front, under, sources);
                if *under == Pointer::root() {
                    provenance.add_body(merged, body, segments, sources);
                }
            }
            // Text has no pointers inside.
            _ if *under != Pointer::root() => {}
            MergedContent::Text { body, segments } => {
                provenance.add_body(merged, body, segments, sources)
            }
            MergedContent::Whole(index) => {
                let file = &merged.files[*index];
                let lines = (1, file.line_count());
                let name = sources.get(file.source).name.clone();
                provenance.body.push(BodyLines {
                    lines,
                    layer: file.layer.to_string(),
                    file: name,
                    from: lines,
                });
            }
        }
        provenance
    }

    /// Whether there is nothing to report.
    pub fn is_empty(&self) -> bool {
        self.leaves.is_empty() && self.deletions.is_empty() && self.body.is_empty()
    }

    /// Adds the values of a result at `under` or below.
    pub fn add_values(&mut self, resolution: &Resolution, under: &Pointer, sources: &SourceMap) {
        self.add_values_as(resolution, under, sources, SecretDisplay::Masked);
    }

    /// Adds the values with secrets masked or shown.
    pub fn add_values_as(
        &mut self,
        resolution: &Resolution,
        under: &Pointer,
        sources: &SourceMap,
        secrets: SecretDisplay,
    ) {
        let teller = LeafExplainer {
            resolution,
            sources,
            secrets,
        };
        resolution.each_leaf(under, &mut |leaf| self.leaves.push(teller.leaf(&leaf)));
        let deletions = resolution
            .deletions()
            .iter()
            .filter(|d| d.pointer.is_within(under) || under.is_within(&d.pointer));
        self.deletions.extend(deletions.map(|deletion| {
            ExplainedDeletion {
                pointer: deletion.pointer.clone(),
                shadows: deletion
                    .shadows
                    .iter()
                    .map(|shadow| teller.shadow(&deletion.pointer, shadow))
                    .collect(),
            }
        }));
    }

    /// Masks the values at a pointer that holds a secret, whatever its name.
    pub fn mask(&mut self, pointer: &Pointer) {
        let hide = |value: &mut Value| {
            if value
                .as_str()
                .is_some_and(|text| looks_secret(Some(KNOWN_SECRET), text))
            {
                *value = MASK.into();
            }
        };
        for leaf in self
            .leaves
            .iter_mut()
            .filter(|leaf| leaf.pointer == *pointer)
        {
            hide(&mut leaf.value);
            leaf.shadows
                .iter_mut()
                .for_each(|shadow| hide(&mut shadow.value));
        }
        for deletion in self
            .deletions
            .iter_mut()
            .filter(|deletion| deletion.pointer == *pointer)
        {
            deletion
                .shadows
                .iter_mut()
                .for_each(|shadow| hide(&mut shadow.value));
        }
    }

    fn add_body(
        &mut self,
        merged: &MergedFile,
        body: &str,
        segments: &[BodySegment],
        sources: &SourceMap,
    ) {
        let first = first_line_of(merged, body);
        let line = |at: usize| {
            first
                + body.as_bytes()[..at]
                    .iter()
                    .filter(|b| **b == b'\n')
                    .count()
        };
        for segment in segments.iter().filter(|segment| !segment.to.is_empty()) {
            let file = &merged.files[segment.layer as usize];
            let source_line = |at: usize| sources.line(file.source, at as u32);
            self.body.push(BodyLines {
                lines: (line(segment.to.start), line(segment.to.end - 1)),
                layer: file.layer.to_string(),
                file: sources.get(file.source).name.clone(),
                from: (
                    source_line(segment.from.start),
                    source_line(segment.from.end - 1),
                ),
            });
        }
    }
}

/// The line of the file where its body starts, after the front matter.
fn first_line_of(merged: &MergedFile, body: &str) -> usize {
    let full_text = merged
        .render()
        .map(|(text, _)| text.to_bytes())
        .unwrap_or_default();
    let front_matter = &full_text[..full_text.len().saturating_sub(body.len())];
    1 + front_matter.iter().filter(|b| **b == b'\n').count()
}

struct LeafExplainer<'a> {
    resolution: &'a Resolution,
    sources: &'a SourceMap,
    secrets: SecretDisplay,
}

impl LeafExplainer<'_> {
    fn leaf(&self, leaf: &MergedLeaf<'_>) -> ExplainedLeaf {
        let (layer, file, line) = self.location(leaf.layer, leaf.value);
        ExplainedLeaf {
            value: self.display_value(&leaf.pointer, leaf.value),
            layer,
            file,
            line,
            operation: leaf.operation.word(),
            shadows: leaf
                .shadows
                .iter()
                .map(|shadow| self.shadow(&leaf.pointer, shadow))
                .collect(),
            pointer: leaf.pointer.clone(),
        }
    }

    fn shadow(&self, pointer: &Pointer, shadow: &ShadowedValue) -> ExplainedShadow {
        let NodeOrigin { layer, .. } = shadow.origin;
        let node = self.resolution.node(shadow.origin);
        let (layer, file, line) = self.location(layer, node);
        let duplicate = shadow.kind == ShadowKind::Duplicate;
        ExplainedShadow {
            value: self.display_value(pointer, node),
            layer,
            file,
            line,
            duplicate,
        }
    }

    fn location(&self, layer: u32, node: NodeRef<'_>) -> (String, String, usize) {
        let contribution = &self.resolution.contributions()[layer as usize];
        let source = contribution.document.source();
        let line = self.sources.line(source, node.span().start);
        (
            contribution.layer.to_string(),
            self.sources.get(source).name.clone(),
            line,
        )
    }

    /// The value for display: secrets masked, containers and long strings shortened.
    fn display_value(&self, pointer: &Pointer, node: NodeRef<'_>) -> Value {
        let text = node.content();
        let secret =
            || self.secrets == SecretDisplay::Masked && looks_secret(nearest_key(pointer), text);
        match node.kind() {
            NodeKind::Map if node.len() > 0 => {
                format!("an object of {}", counted(node.len(), "entry", "entries")).into()
            }
            NodeKind::List if node.len() > 0 => {
                format!("a list of {}", counted(node.len(), "item", "items")).into()
            }
            NodeKind::String | NodeKind::Integer | NodeKind::Float if secret() => MASK.into(),
            NodeKind::String if text.chars().count() > LONGEST_VALUE => {
                format!("{}…", text.chars().take(LONGEST_VALUE).collect::<String>()).into()
            }
            _ => to_value(node),
        }
    }
}

/// The key of a value, ignoring list indices.
pub fn nearest_key(pointer: &Pointer) -> Option<&str> {
    pointer
        .steps()
        .iter()
        .rev()
        .find(|step| step.parse::<usize>().is_err())
        .map(String::as_str)
}
