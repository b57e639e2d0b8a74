//! Facts of a Markdown text that are the same for every tool.

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

/// The facts of the text that was read last. The entries of a resource for several tools follow each other and mostly
/// have one text, so reading it once is enough.
#[derive(Default)]
pub struct MarkdownCache {
    last: Option<MarkdownFacts>,
}

impl MarkdownCache {
    pub(crate) fn facts(&mut self, kind: ResourceType, text: &str) -> &MarkdownFacts {
        let known = self.last.take();
        let known = known.filter(|known| known.kind == kind && known.text == text);
        self.last
            .insert(known.unwrap_or_else(|| MarkdownFacts::of(kind, text)))
    }
}
