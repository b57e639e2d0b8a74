//! Facts about Markdown that are the same for every tool.

use agpm_diag::has_errors;
use agpm_model::ResourceType;
use agpm_text::{Format, parse_alone};
use agpm_trust::{Capability, CapabilitySet, capabilities_of_markdown, capability_set_of_markdown};

/// The facts about the text of an agent, a command or a skill.
pub(crate) struct MarkdownFacts {
    kind: ResourceType,
    text: String,
    pub(crate) capabilities: Vec<Capability>,
    pub(crate) capability_set: CapabilitySet,
    pub(crate) is_valid: bool,
}

impl MarkdownFacts {
    fn of(kind: ResourceType, text: &str) -> Self {
        MarkdownFacts {
            kind,
            capabilities: capabilities_of_markdown(text),
            capability_set: capability_set_of_markdown(kind, text),
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
    pub(crate) fn facts(&mut self, kind: ResourceType, text: &str) -> &MarkdownFacts {
        let cached = self.last.take();
        let cached = cached.filter(|cached| cached.kind == kind && cached.text == text);
        self.last
            .insert(cached.unwrap_or_else(|| MarkdownFacts::of(kind, text)))
    }
}
