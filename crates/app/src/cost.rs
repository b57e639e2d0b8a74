//! What resources cost before they are used: the names and descriptions that each tool shows to its model.

use std::collections::BTreeMap;

use agpm_compose::RenderedResource;
use agpm_diag::{Diagnostic, Severity, codes};
use agpm_model::{Manifest, ResourceType, SKILL_FILE, ToolName};
use agpm_text::{Format, Value, markdown_body, parse_alone, to_value};
use agpm_tools::{Listing, ListingEntry};
use serde::Serialize;

/// The costs of a project, by tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CostReport {
    /// The tools that list something.
    pub tools: Vec<ToolCost>,
    /// Budgets for tools that do not exist.
    #[serde(skip)]
    pub unknown: Vec<ToolName>,
}

/// The cost of the resources of one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ToolCost {
    /// The tool.
    pub tool: ToolName,
    /// The characters of all its resources.
    pub characters: usize,
    /// The characters of its skills and commands, which the tool lists together.
    pub listed: usize,
    /// The characters that the tool's list of skills and commands has by default, where that is known.
    pub limit: Option<usize>,
    /// The characters that the manifest allows.
    pub budget: Option<usize>,
    /// Its resources, the most expensive first.
    pub resources: Vec<CostOfResource>,
}

/// The cost of one resource in one tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CostOfResource {
    /// `TYPE/NAME`.
    pub id: String,
    /// The characters of its entry.
    pub characters: usize,
}

impl CostReport {
    /// The costs of rendered resources.
    pub fn of(manifest: &Manifest, resources: &[RenderedResource]) -> Self {
        let mut by_tool: BTreeMap<&ToolName, Vec<(ResourceType, CostOfResource)>> = BTreeMap::new();
        for resource in resources {
            let entry = &resource.resolved.entry;
            let listing = agpm_tools::find(entry.tool.as_str()).and_then(|tool| tool.listing);
            // Agents are in another list, whose form is not documented.
            let listing = listing.filter(|_| entry.kind != ResourceType::Agents);
            let Some(listed) = ListedText::of(resource, listing.as_ref()) else {
                continue;
            };
            let cost = CostOfResource {
                id: resource.resolved.id().to_string(),
                characters: listed.characters(listing.as_ref()),
            };
            let costs = by_tool.entry(&entry.tool).or_default();
            costs.push((entry.kind, cost));
        }
        let mut tools: Vec<ToolCost> = Vec::new();
        for (tool, costs) in by_tool {
            let is_listed = |kind: &ResourceType| *kind != ResourceType::Agents;
            let listed = costs.iter().filter(|(kind, _)| is_listed(kind));
            let listed = listed.map(|(_, cost)| cost.characters).sum();
            let mut resources: Vec<CostOfResource> =
                costs.into_iter().map(|(_, cost)| cost).collect();
            resources.sort_by(|a, b| {
                b.characters
                    .cmp(&a.characters)
                    .then_with(|| a.id.cmp(&b.id))
            });
            let definition = agpm_tools::find(tool.as_str());
            tools.push(ToolCost {
                characters: resources.iter().map(|cost| cost.characters).sum(),
                listed,
                limit: definition.and_then(|tool| Some(tool.listing?.limit)),
                budget: manifest.budget.get(tool).copied(),
                tool: tool.clone(),
                resources,
            });
        }
        let budgets = manifest.budget.keys();
        let is_known = |name: &&ToolName| manifest.tools.iter().any(|tool| tool.name == **name);
        let unknown = budgets.filter(|name| !is_known(name)).cloned().collect();
        CostReport { tools, unknown }
    }

    /// Findings about tools whose resources cost more than the manifest allows.
    pub fn findings(&self, severity: Severity) -> Vec<Diagnostic> {
        let mut findings = Vec::new();
        // The manifest has a warning already; a pipeline must not pass because of a misspelled name.
        for tool in self.unknown.iter().filter(|_| severity == Severity::Error) {
            let message = format!("the budget of the unknown tool `{tool}` limits nothing");
            let help = "correct the name in `[budget]`, or remove it";
            let mut found = Diagnostic::new(&codes::LIST_BUDGET, message).help(help);
            found.severity = severity;
            findings.push(found);
        }
        for cost in &self.tools {
            let Some(budget) = cost.budget.filter(|budget| cost.characters > *budget) else {
                continue;
            };
            let message = format!(
                "{} characters for {} exceed the budget of {budget}",
                cost.characters, cost.tool
            );
            let help = format!(
                "remove resources (`agpm list --cost` shows each), or raise `[budget] {}`",
                cost.tool
            );
            let mut found = Diagnostic::new(&codes::LIST_BUDGET, message).help(help);
            found.severity = severity;
            findings.push(found);
        }
        findings
    }
}

/// The name and description that a tool shows to its model in every session.
struct ListedText {
    name: String,
    description: String,
    /// The path of the file, which some tools show too.
    path: String,
}

impl ListedText {
    /// The text of a skill, command or agent; `None` for what a tool does not list.
    fn of(resource: &RenderedResource, listing: Option<&Listing>) -> Option<Self> {
        let kind = resource.resolved.entry.kind;
        let is_listed = matches!(
            kind,
            ResourceType::Skills | ResourceType::Commands | ResourceType::Agents
        );
        if !is_listed {
            return None;
        }
        let mut files = resource.output.files.iter();
        let file = match kind {
            ResourceType::Skills => files
                .filter(|file| file.path.file_name() == SKILL_FILE)
                .min_by_key(|file| file.path.as_str().len()),
            _ => files.next(),
        }?;
        let path = file.path.as_str();
        let text = String::from_utf8_lossy(&file.bytes).into_owned();
        let format = Format::of_file(file.path.file_name()).unwrap_or(Format::Markdown);
        let fields = Fields::of(&text, format);
        if listing.is_some_and(|listing| listing.entry == ListingEntry::WhenToUse)
            && fields.flag("disable-model-invocation")
        {
            return None;
        }
        let description = match (fields.text("description"), format) {
            (Some(description), _) => description,
            (None, Format::Markdown) => first_paragraph(&text),
            (None, _) => String::new(),
        };
        let description = match (listing.map(|one| one.entry), fields.text("when_to_use")) {
            (Some(ListingEntry::WhenToUse), Some(when)) => format!("{description} - {when}"),
            _ => description,
        };
        Some(ListedText {
            name: listed_name(kind, path, &fields),
            description,
            path: path.to_owned(),
        })
    }

    fn characters(&self, listing: Option<&Listing>) -> usize {
        let length = |text: &str| text.chars().count();
        let (name, description) = (length(&self.name), length(&self.description));
        let Some(listing) = listing else {
            return name + description;
        };
        let description = description.min(listing.longest_description);
        // `- NAME: DESCRIPTION` and a line break.
        let entry = "- ".len() + name + ": ".len() + description + 1;
        match listing.entry {
            ListingEntry::WhenToUse => entry,
            ListingEntry::Path => entry + " (file: )".len() + length(&self.path),
        }
    }
}

/// The name that a tool shows: of a skill its directory, of an agent its field, of a command its file.
fn listed_name(kind: ResourceType, path: &str, fields: &Fields) -> String {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or_default();
    let directory = parts.next().unwrap_or_default();
    let stem = file.split('.').next().unwrap_or(file);
    match kind {
        ResourceType::Skills => directory.to_owned(),
        ResourceType::Agents => fields.text("name").unwrap_or_else(|| stem.to_owned()),
        _ => stem.to_owned(),
    }
}

/// The top-level fields of a file or of its front matter.
struct Fields(Vec<(String, Value)>);

impl Fields {
    fn of(text: &str, format: Format) -> Self {
        let parsed = parse_alone(text, format);
        match parsed.document.root().map(to_value) {
            Some(Value::Map(entries)) => Fields(entries),
            _ => Fields(Vec::new()),
        }
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let mut entries = self.0.iter();
        entries.find(|(key, _)| key == name).map(|(_, value)| value)
    }

    fn text(&self, name: &str) -> Option<String> {
        let text = self.get(name)?.as_str()?.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Value::Bool(true)))
    }
}

/// The description of a file without one.
fn first_paragraph(text: &str) -> String {
    let body = markdown_body(text);
    let first = body.lines().find(|line| !line.trim().is_empty());
    let first = first.unwrap_or_default();
    first.trim_start_matches('#').trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(description: &str) -> ListedText {
        ListedText {
            name: "pdf".to_owned(),
            description: description.to_owned(),
            path: ".agents/skills/pdf/SKILL.md".to_owned(),
        }
    }

    #[test]
    fn each_tool_counts_as_it_lists() {
        let listing = |name: &str| agpm_tools::find(name).unwrap().listing;
        let (claude, codex) = (listing("claude-code"), listing("codex"));
        for (description, listing, expected) in [
            // `- pdf: Reads.` and a line break.
            ("Reads.", claude, 14),
            // `- pdf: Reads. (file: .agents/skills/pdf/SKILL.md)` and a line break.
            ("Reads.", codex, 50),
            ("Reads.", None, 9),
            // Characters, not bytes.
            ("Größe.", claude, 14),
        ] {
            let text = listed(description);
            assert_eq!(text.characters(listing.as_ref()), expected, "{description}");
        }
        let long = "x".repeat(2000);
        assert_eq!(listed(&long).characters(claude.as_ref()), 8 + 1536);
        assert_eq!(listed(&long).characters(codex.as_ref()), 44 + 1024);
    }

    #[test]
    fn a_file_without_a_description_is_listed_by_its_first_line() {
        assert_eq!(
            first_paragraph("---\na: b\n---\n\n# Title\n\nText\n"),
            "Title"
        );
        assert_eq!(first_paragraph(""), "");
    }
}
