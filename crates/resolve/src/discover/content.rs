//! Recognizes resources by their content if the path is not enough.

use agpm_text::{Document, Format, NodeKind, NodeRef, parse_alone};

use crate::discover::candidate::CandidateType;
use crate::discover::description::plain_line;
use crate::discover::limits::LARGEST_FILE;
use crate::discover::paths::file_name;

/// Events of hooks in the files of the tools that have them.
const HOOK_EVENTS: [&str; 14] = [
    "PreToolUse",
    "PostToolUse",
    "PermissionRequest",
    "UserPromptSubmit",
    "Notification",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "SessionStart",
    "SessionEnd",
    "beforeShellExecution",
    "afterFileEdit",
    "beforeSubmitPrompt",
];

/// A file as a document; `None` if its format is not relevant.
pub(crate) fn document(path: &str, bytes: &[u8]) -> Option<Document> {
    let format = match file_name(path).rsplit_once('.') {
        Some((_, "json")) => Format::Json,
        Some((_, "md" | "mdc")) => Format::Markdown,
        _ => return None,
    };
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (text.len() <= LARGEST_FILE).then(|| parse_alone(text.to_owned(), format).document)
}

/// The type that the content of a file indicates; `None` if it indicates none.
pub fn type_of_content(path: &str, bytes: &[u8]) -> Option<CandidateType> {
    let document = document(path, bytes)?;
    let root = document
        .root()
        .filter(|root| root.kind() == NodeKind::Map)?;
    if file_name(path).ends_with(".json") {
        type_of_object(root)
    } else {
        type_of_front_matter(root)
    }
}

fn type_of_object(root: NodeRef<'_>) -> Option<CandidateType> {
    let hooks = root.get("hooks").unwrap_or(root);
    let is_event = |key: NodeRef<'_>| HOOK_EVENTS.contains(&key.content());
    let has_events = hooks.entries().any(|(key, _)| is_event(key));
    // A hook that names its events next to its command.
    let names_events = root
        .get("events")
        .is_some_and(|node| node.kind() == NodeKind::List);
    let has_text = |key: &str| root.get(key).is_some_and(|node| node.as_str().is_some());
    if has_events || names_events && has_text("command") {
        Some(CandidateType::Hook)
    } else if root
        .get("mcpServers")
        .is_some_and(|node| node.kind() == NodeKind::Map)
        || has_text("command")
        || has_text("url")
    {
        Some(CandidateType::McpServer)
    } else {
        None
    }
}

fn type_of_front_matter(root: NodeRef<'_>) -> Option<CandidateType> {
    let has = |keys: &[&str]| keys.iter().any(|key| root.get(key).is_some());
    if has(&["name"]) && has(&["tools", "model"]) {
        Some(CandidateType::Agent)
    } else if has(&["globs", "applyTo", "alwaysApply"]) {
        Some(CandidateType::Instruction)
    } else if has(&["allowed-tools", "argument-hint"]) {
        Some(CandidateType::Command)
    } else {
        None
    }
}

/// A file's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SelfDescription {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
}

impl SelfDescription {
    pub(crate) fn of(path: &str, bytes: &[u8]) -> Self {
        let document = document(path, bytes);
        let root = document.as_ref().and_then(Document::root);
        root.map(SelfDescription::in_map).unwrap_or_default()
    }

    /// The keys `name` and `description` of an object.
    pub(crate) fn in_map(root: NodeRef<'_>) -> Self {
        SelfDescription {
            name: text(root, "name"),
            description: text(root, "description"),
        }
    }
}

/// The text of an object on one line; `None` if it is empty.
pub(crate) fn text(map: NodeRef<'_>, key: &str) -> Option<String> {
    let line = plain_line(map.get(key)?.as_str()?);
    (!line.is_empty()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_shows_the_type() {
        use CandidateType::*;
        for (path, content, expected) in [
            ("a.json", r#"{"hooks":{"PreToolUse":[]}}"#, Some(Hook)),
            ("a.json", r#"{"PostToolUse":[]}"#, Some(Hook)),
            ("a.json", r#"{"events":["Stop"],"command":"x"}"#, Some(Hook)),
            ("a.json", r#"{"mcpServers":{}}"#, Some(McpServer)),
            ("a.json", r#"{"command":"npx"}"#, Some(McpServer)),
            ("a.json", r#"{"url":"https://x"}"#, Some(McpServer)),
            ("a.json", r#"{"hooks":{}}"#, None),
            ("a.json", r#"{"name":"x","version":"1"}"#, None),
            ("a.json", r#"["command"]"#, None),
            ("a.json", "{", None),
            ("a.md", "---\nname: a\ntools: Read\n---\n", Some(Agent)),
            ("a.md", "---\nname: a\nmodel: opus\n---\n", Some(Agent)),
            ("a.md", "---\ntools: Read\n---\n", None),
            ("a.md", "---\nglobs: '*.ts'\n---\n", Some(Instruction)),
            ("a.md", "---\napplyTo: '**'\n---\n", Some(Instruction)),
            ("a.md", "---\nalwaysApply: true\n---\n", Some(Instruction)),
            ("a.md", "---\nallowed-tools: Read\n---\n", Some(Command)),
            ("a.md", "---\nargument-hint: x\n---\n", Some(Command)),
            ("a.md", "# Title\n", None),
            ("a.md", "---\nname: a\ndescription: d\n---\n", None),
            ("a.txt", "{}", None),
        ] {
            let found = type_of_content(path, content.as_bytes());
            assert_eq!(found, expected, "{path} {content}");
        }
    }

    #[test]
    fn bytes_that_are_not_text_say_nothing() {
        assert_eq!(type_of_content("a.md", &[0xff, 0xfe, 0]), None);
        let long = vec![b' '; LARGEST_FILE + 1];
        assert_eq!(type_of_content("a.json", &long), None);
    }
}
