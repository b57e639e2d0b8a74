//! Facts about agents, skills and commands that are the same for every tool.

use agpm_diag::has_errors;
use agpm_model::ResourceType;
use agpm_text::{Format, parse_alone};
use agpm_trust::{CapabilityReading, read_resource};

/// The facts about a Markdown file.
pub(crate) struct MarkdownFacts {
    kind: ResourceType,
    path: String,
    text: String,
    pub(crate) reading: CapabilityReading,
    pub(crate) is_valid: bool,
}

impl MarkdownFacts {
    fn of(kind: ResourceType, path: &str, text: &str) -> Self {
        MarkdownFacts {
            kind,
            path: path.to_owned(),
            reading: read_resource(kind, path, text),
            is_valid: !has_errors(&parse_alone(text, Format::Markdown).diagnostics),
            text: text.to_owned(),
        }
    }
}

/// The facts of the most recent text. The entries of a resource for several tools are adjacent and mostly share one,
/// so it is parsed once.
#[derive(Default)]
pub struct MarkdownCache {
    last: Option<MarkdownFacts>,
}

impl MarkdownCache {
    pub(crate) fn facts(&mut self, kind: ResourceType, path: &str, text: &str) -> &MarkdownFacts {
        let cached = self.last.take();
        let is_same = |cached: &MarkdownFacts| {
            cached.kind == kind && cached.path == path && cached.text == text
        };
        self.last.insert(
            cached
                .filter(is_same)
                .unwrap_or_else(|| MarkdownFacts::of(kind, path, text)),
        )
    }
}
