//! The rules for the front matter of a `SKILL.md`. Real skills break them, so each is a warning with a fix.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, codes};
use agpm_text::{NodeKind, NodeRef};
use agpm_tools::{SkillMetadata, TOOLS, ToolDefinition};

use crate::check::spot;
use crate::limits::{LONGEST_SKILL_COMPATIBILITY, LONGEST_SKILL_DESCRIPTION, LONGEST_SKILL_NAME};
use crate::resource::SKILL_FILE;

/// Findings about a skill's front matter that strict tools reject; `directory` is its installed name.
pub fn skill_findings(front_matter: Option<NodeRef<'_>>, directory: &str) -> Vec<Diagnostic> {
    let Some(front_matter) =
        front_matter.filter(|front_matter| front_matter.kind() == NodeKind::Map)
    else {
        let message = format!("the {SKILL_FILE} of `{directory}` has no front matter");
        return vec![finding(
            message,
            None,
            format!("add `name: {}` and `description`", slug(directory)),
        )];
    };
    let mut found: Vec<Diagnostic> = [
        name(front_matter, directory),
        description(front_matter, directory),
        unknown_fields(front_matter, directory),
        tools(front_matter),
        metadata(front_matter, directory),
        compatibility(front_matter, directory),
        flow_style(front_matter, directory),
    ]
    .into_iter()
    .flatten()
    .collect();
    found.extend(wrong_strings(front_matter, directory));
    found
}

/// The fields of the Agent Skills specification.
const STANDARD_FIELDS: [&str; 6] = [
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
];

/// Fields that agpm reads.
const OWN_FIELDS: [&str; 2] = ["dependencies", "agpm"];

/// The first rule of the Agent Skills specification that a skill breaks, in words. Without exceptions for common
/// practice: clients of Agent Plugins skip the skill.
pub fn standard_violation(front_matter: NodeRef<'_>, directory: &str) -> Option<String> {
    let is_text = |node: NodeRef<'_>| node.as_str().is_some();
    let unknown = || {
        let mut fields = front_matter.entries().map(|(key, _)| key.content());
        let field = fields.find(|field| !STANDARD_FIELDS.contains(field))?;
        Some(format!("skills have no field `{field}`"))
    };
    let not_a_string = || {
        let mut fields = ["license", "compatibility", "allowed-tools"].into_iter();
        let field =
            fields.find(|field| front_matter.get(field).is_some_and(|node| !is_text(node)))?;
        Some(format!("its `{field}` is not a string"))
    };
    let wrong_metadata = || {
        let node = front_matter.get("metadata")?;
        let is_valid =
            node.kind() == NodeKind::Map && node.entries().all(|(_, value)| is_text(value));
        (!is_valid).then(|| "its `metadata` is not an object of strings".to_owned())
    };
    let message = |found: Option<Diagnostic>| found.map(|found| found.message);
    unknown()
        .or_else(|| message(name(front_matter, directory)))
        .or_else(|| message(description(front_matter, directory)))
        .or_else(not_a_string)
        .or_else(|| message(compatibility(front_matter, directory)))
        .or_else(wrong_metadata)
}

/// Fields that clients ignore, or skip the skill for.
fn unknown_fields(front_matter: NodeRef<'_>, directory: &str) -> Option<Diagnostic> {
    let is_known = |key: &str| STANDARD_FIELDS.contains(&key) || OWN_FIELDS.contains(&key);
    let keys = front_matter.entries().map(|(key, _)| key);
    let unknown: Vec<NodeRef<'_>> = keys.filter(|key| !is_known(key.content())).collect();
    let names: Vec<String> = unknown
        .iter()
        .map(|key| format!("`{}`", key.content()))
        .collect();
    let first = unknown.first()?;
    let message = format!(
        "the skill `{directory}` has fields that the standard does not: {}",
        names.join(", ")
    );
    let help =
        "some clients ignore them, and strict ones skip the skill; `metadata` may hold any key";
    Some(Diagnostic {
        code: &codes::SKILL_FIELD,
        ..finding(message, Some(*first), help.to_owned())
    })
}

fn compatibility(front_matter: NodeRef<'_>, directory: &str) -> Option<Diagnostic> {
    let node = front_matter.get("compatibility")?;
    let message = match node.as_str().map(|text| text.chars().count()) {
        None if matches!(node.kind(), NodeKind::List | NodeKind::Map) => format!(
            "the `compatibility` of the skill `{directory}` is {}",
            node.kind().word()
        ),
        Some(length) if length > LONGEST_SKILL_COMPATIBILITY => {
            format!("the `compatibility` of the skill `{directory}` has {length} characters")
        }
        _ => return None,
    };
    let help = format!("write a string of at most {LONGEST_SKILL_COMPATIBILITY} characters");
    Some(Diagnostic {
        code: &codes::SKILL_FIELD,
        ..finding(message, Some(node), help)
    })
}

/// Lists and objects in brackets, and anchors and tags: strict readers of skills know a part of YAML only.
fn flow_style(front_matter: NodeRef<'_>, directory: &str) -> Option<Diagnostic> {
    let is_strict = |node: &NodeRef<'_>| {
        let text: &str = node.document().text();
        let written = text.get(node.span().range()).unwrap_or_default();
        let start = written.chars().next();
        let is_flow = matches!(node.kind(), NodeKind::List | NodeKind::Map)
            && matches!(start, Some('[' | '{'));
        is_flow || matches!(start, Some('&' | '!'))
    };
    let entries = front_matter.entries();
    let standard = entries.filter(|(key, _)| !OWN_FIELDS.contains(&key.content()));
    let mut nodes =
        standard.flat_map(|(_, value)| std::iter::once(value).chain(inner_nodes(value)));
    let node = nodes.find(is_strict)?;
    let message =
        format!("the front matter of the skill `{directory}` uses brackets, anchors or tags");
    let help = "write each item on its own line, as `- ITEM` or `KEY: VALUE`: strict clients do not read the rest of \
                YAML";
    Some(Diagnostic {
        code: &codes::SKILL_FIELD,
        ..finding(message, Some(node), help.to_owned())
    })
}

fn inner_nodes(node: NodeRef<'_>) -> Vec<NodeRef<'_>> {
    let children: Vec<NodeRef<'_>> = match node.kind() {
        NodeKind::Map => node.entries().map(|(_, value)| value).collect(),
        NodeKind::List => node.items().collect(),
        _ => Vec::new(),
    };
    let inner = children.iter().flat_map(|child| inner_nodes(*child));
    let inner: Vec<NodeRef<'_>> = inner.collect();
    children.into_iter().chain(inner).collect()
}

/// Fields that must be strings for a tool, which does not load the skill otherwise.
fn wrong_strings(front_matter: NodeRef<'_>, directory: &str) -> Vec<Diagnostic> {
    let fields: BTreeSet<&str> = string_fields().map(|(field, _)| field).collect();
    let wrong = |field: &str| {
        let node = front_matter.get(field)?;
        if !matches!(node.kind(), NodeKind::List | NodeKind::Map) {
            return None;
        }
        let tools: Vec<&str> = string_fields()
            .filter(|(own, _)| *own == field)
            .map(|(_, tool)| tool)
            .collect();
        let message = format!(
            "the `{field}` of the skill `{directory}` is {}, not a string",
            node.kind().word()
        );
        let help = format!(
            "{} does not load the skill: put the value in quotes",
            tools.join(" or ")
        );
        Some(Diagnostic {
            code: &codes::SKILL_FIELD,
            ..finding(message, Some(node), help)
        })
    };
    fields.into_iter().filter_map(wrong).collect()
}

/// Fields that must be strings, each with a tool that requires it.
fn string_fields() -> impl Iterator<Item = (&'static str, &'static str)> {
    TOOLS.iter().flat_map(|tool| {
        let fields = tool.skills.as_ref().map(|skills| skills.format.strings);
        let fields = fields.unwrap_or_default().iter();
        fields.map(|field| (*field, tool.title))
    })
}

fn finding(message: String, node: Option<NodeRef<'_>>, help: String) -> Diagnostic {
    let diagnostic = Diagnostic::new(&codes::SKILL_NAME, message).help(help);
    node.map_or(diagnostic.clone(), |node| diagnostic.at_spot(spot(node)))
}

fn name(front_matter: NodeRef<'_>, directory: &str) -> Option<Diagnostic> {
    let Some(node) = front_matter.get("name") else {
        let help = format!("set `name: {}`", slug(directory));
        return Some(finding(
            format!("the skill `{directory}` has no `name`"),
            None,
            help,
        ));
    };
    let Some(name) = node.as_str() else {
        let message = format!(
            "the `name` of the skill `{directory}` is {}",
            node.kind().word()
        );
        return Some(finding(
            message,
            Some(node),
            format!("set `name: {}`", slug(directory)),
        ));
    };
    if let Some(why) = name_problem(name) {
        let message = format!("the skill's name `{name}` {why}");
        return Some(finding(
            message,
            Some(node),
            format!("use `{}`", slug(name)),
        ));
    }
    (name != directory).then(|| {
        let message = format!("the skill `{name}` is in a directory named `{directory}`");
        let help = format!("give it `filename = \"{name}\"`, or patch its `name`");
        finding(message, Some(node), help)
    })
}

/// Some tools do not load a skill whose metadata is not an object.
fn metadata(front_matter: NodeRef<'_>, directory: &str) -> Option<Diagnostic> {
    let node = front_matter
        .get("metadata")
        .filter(|node| node.kind() != NodeKind::Map)?;
    let strict: Vec<&str> = TOOLS
        .iter()
        .filter(|tool| needs_object(tool))
        .map(|tool| tool.title)
        .collect();
    let message = format!(
        "the `metadata` of the skill `{directory}` is {}, not an object",
        node.kind().word()
    );
    Some(finding(
        message,
        Some(node),
        format!(
            "{} does not load the skill: write `KEY: VALUE` lines",
            strict.join(" or ")
        ),
    ))
}

fn needs_object(tool: &ToolDefinition) -> bool {
    let skills = tool.skills.as_ref();
    skills.is_some_and(|skills| skills.format.metadata == SkillMetadata::Object)
}

fn name_problem(name: &str) -> Option<String> {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() {
        return Some("is empty".to_owned());
    }
    if name.chars().count() > LONGEST_SKILL_NAME {
        return Some(format!("has more than {LONGEST_SKILL_NAME} characters"));
    }
    if !name.chars().all(good) {
        return Some("has characters other than a-z, 0-9 and hyphens".to_owned());
    }
    let odd = name.starts_with('-') || name.ends_with('-') || name.contains("--");
    odd.then(|| "has a misplaced hyphen".to_owned())
}

/// A valid name that resembles this one.
fn slug(name: &str) -> String {
    let plain: String = name
        .to_lowercase()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { ' ' })
        .collect();
    let joined = plain.split_whitespace().collect::<Vec<_>>().join("-");
    let short: String = joined.chars().take(LONGEST_SKILL_NAME).collect();
    if short.is_empty() {
        "skill".to_owned()
    } else {
        short.trim_end_matches('-').to_owned()
    }
}

fn description(front_matter: NodeRef<'_>, directory: &str) -> Option<Diagnostic> {
    let help = format!(
        "describe in 1 to {LONGEST_SKILL_DESCRIPTION} characters what it does and when to use it"
    );
    let node = front_matter.get("description");
    let length = |text: &str| match text.trim() {
        "" => 0,
        _ => text.chars().count(),
    };
    let message = match node.map(|node| node.as_str().map(length)) {
        None => format!("the skill `{directory}` has no `description`"),
        Some(None) => format!("the `description` of the skill `{directory}` is not a string"),
        Some(Some(0)) => format!("the `description` of the skill `{directory}` is empty"),
        Some(Some(length)) if length > LONGEST_SKILL_DESCRIPTION => {
            format!("the `description` of the skill `{directory}` has {length} characters")
        }
        Some(Some(_)) => return None,
    };
    Some(Diagnostic {
        code: &codes::SKILL_DESCRIPTION,
        ..finding(message, node, help)
    })
}

fn tools(front_matter: NodeRef<'_>) -> Option<Diagnostic> {
    let node = front_matter.get("allowed-tools").filter(|node| {
        let texts = || node.items().all(|item| item.as_str().is_some());
        !(matches!(node.kind(), NodeKind::String | NodeKind::Null)
            || node.kind() == NodeKind::List && texts())
    })?;
    let message = format!("`allowed-tools` is {}", node.kind().word());
    Some(finding(
        message,
        Some(node),
        "write a string, or a list of strings".to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use agpm_text::{Format, parse_alone};

    use super::*;

    fn findings(directory: &str, front_matter: &str) -> Vec<String> {
        let parsed = parse_alone(format!("---\n{front_matter}\n---\n"), Format::Markdown);
        let found = skill_findings(parsed.document.root(), directory);
        found
            .into_iter()
            .map(|one| format!("{}; {}", one.message, one.help.unwrap_or_default()))
            .collect()
    }

    #[test]
    fn rules_and_ways_out() {
        assert_eq!(
            findings(
                "a-1",
                "name: a-1\ndescription: d\nallowed-tools:\n- Read\ndependencies:\n  agents:\n  - path: x"
            ),
            Vec::<String>::new()
        );
        assert_eq!(
            findings("a", "name: a\ndescription: d\nallowed-tools: Read, Bash"),
            Vec::<String>::new()
        );
        for (directory, front_matter, expected) in [
            (
                "a",
                "name: b\ndescription: d",
                "the skill `b` is in a directory named `a`; give it `filename = \"b\"`, or patch its `name`",
            ),
            (
                "a",
                "name: My Skill!\ndescription: d",
                "the skill's name `My Skill!` has characters other than a-z, 0-9 and hyphens; use `my-skill`",
            ),
            (
                "a",
                "description: d",
                "the skill `a` has no `name`; set `name: a`",
            ),
            (
                "a",
                "name: 1\ndescription: d",
                "the `name` of the skill `a` is a number; set `name: a`",
            ),
            (
                "a",
                "name: a-\ndescription: d",
                "the skill's name `a-` has a misplaced hyphen; use `a`",
            ),
            (
                "a",
                "name: a",
                "the skill `a` has no `description`; describe in 1 to 1024 characters what it does and when to use it",
            ),
            (
                "a",
                "name: a\ndescription: ''",
                "the `description` of the skill `a` is empty; describe in 1 to 1024 characters what it does and when to use it",
            ),
            (
                "a",
                "name: a\ndescription: d\nallowed-tools:\n  a: 1",
                "`allowed-tools` is an object; write a string, or a list of strings",
            ),
            (
                "a",
                "name: a\ndescription: d\nmodel: opus\nuser-invocable: true",
                "the skill `a` has fields that the standard does not: `model`, `user-invocable`; some clients ignore them, and strict ones skip the skill; `metadata` may hold any key",
            ),
            (
                "a",
                "name: a\ndescription: d\nallowed-tools: [Read]",
                "the front matter of the skill `a` uses brackets, anchors or tags; write each item on its own line, as `- ITEM` or `KEY: VALUE`: strict clients do not read the rest of YAML",
            ),
            (
                "a",
                "name: a\ndescription: d\ncompatibility:\n- x",
                "the `compatibility` of the skill `a` is a list; write a string of at most 500 characters",
            ),
        ] {
            assert_eq!(
                findings(directory, front_matter),
                [expected],
                "{front_matter}"
            );
        }
        assert_eq!(findings("My Skill", "- x").len(), 1);
        let hint = findings("a", "name: a\ndescription: d\nargument-hint:\n- file");
        assert_eq!(hint.len(), 2, "{hint:?}");
        assert!(
            hint[1].contains("Copilot CLI does not load the skill"),
            "{hint:?}"
        );
        let long = format!(
            "name: {}\ndescription: {}",
            "x".repeat(65),
            "d".repeat(1025)
        );
        assert_eq!(findings("a", &long).len(), 2);
    }
}
