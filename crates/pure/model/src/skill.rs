//! The rules for the front matter of a `SKILL.md`. Real skills break them, so each is a warning with a fix.

use agpm_diag::{Diagnostic, codes};
use agpm_text::{NodeKind, NodeRef};
use agpm_tools::{SkillMetadata, TOOLS, ToolDefinition};

use crate::check::spot;
use crate::limits::{LONGEST_SKILL_DESCRIPTION, LONGEST_SKILL_NAME};
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
    let found = [
        name(front_matter, directory),
        description(front_matter, directory),
        tools(front_matter),
        metadata(front_matter, directory),
    ];
    found.into_iter().flatten().collect()
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
    let message = match node.map(|node| node.as_str().map(|text| text.trim().chars().count())) {
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
            findings("a-1", "name: a-1\ndescription: d\nallowed-tools: [Read]"),
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
                "name: a\ndescription: d\nallowed-tools: {a: 1}",
                "`allowed-tools` is an object; write a string, or a list of strings",
            ),
        ] {
            assert_eq!(
                findings(directory, front_matter),
                [expected],
                "{front_matter}"
            );
        }
        assert_eq!(findings("My Skill", "- x").len(), 1);
        let long = format!(
            "name: {}\ndescription: {}",
            "x".repeat(65),
            "d".repeat(1025)
        );
        assert_eq!(findings("a", &long).len(), 2);
    }
}
