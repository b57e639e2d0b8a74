//! Agents, skills and commands.

use agpm_diag::has_errors;
use agpm_model::{Checksum, ResourceType};
use agpm_text::{Format, Pointer, Value, parse_alone, to_value};
use agpm_tools::{ConfigFile, FRONT_MATTER_KEYS, config_file};

use super::inline::Prefix;
use super::keys::{KeyPlace, UnknownKeys};
use super::{CapabilityReader, CapabilityReading};
use crate::capability_set::ToolAccess;

/// The capabilities of an agent, a skill or a command, read in the format of its file name.
pub fn read_resource(kind: ResourceType, path: &str, text: &str) -> CapabilityReading {
    let mut reader = CapabilityReader::new(Some(kind));
    let name = path.rsplit('/').next().unwrap_or(path);
    match Format::of_file(name) {
        Some(format @ (Format::Toml | Format::Json | Format::Jsonc | Format::Yaml)) => {
            reader.structured(kind, path, text, format);
        }
        _ => {
            reader.front_matter(text);
            let prefix = match kind {
                ResourceType::Commands => Prefix::Any,
                _ => Prefix::Opening,
            };
            reader.inline_commands(text, prefix, &Pointer::root());
        }
    }
    let unstated = match kind {
        ResourceType::Agents => ToolAccess::Unlimited,
        _ => ToolAccess::Session,
    };
    reader.set().tools.get_or_insert(unstated);
    reader.finish()
}

/// The capabilities of text that cannot be read: it may do anything, until it changes.
pub fn unreadable(text: &str) -> CapabilityReading {
    let mut reader = CapabilityReader::new(None);
    reader.unreadable(text);
    reader.finish()
}

impl CapabilityReader {
    /// An agent or a command in JSON, YAML or TOML.
    fn structured(&mut self, kind: ResourceType, path: &str, text: &str, format: Format) {
        let format = match format {
            Format::Json => Format::Jsonc,
            format => format,
        };
        let root = Pointer::root();
        let parsed = parse_alone(text, format);
        let value = parsed.document.root().map(to_value);
        let value = match value {
            Some(value) if !has_errors(&parsed.diagnostics) => value,
            _ => return self.unreadable(text),
        };
        if kind == ResourceType::Commands {
            let prompt = value.get("prompt").and_then(Value::as_str);
            self.braced_commands(prompt.unwrap_or_default(), &root);
        }
        let place = KeyPlace::top(&root);
        // The file of another tool says what its keys do.
        let rows = config_file(path).or_else(|| config_file(default_path(kind, format)));
        match rows {
            Some(ConfigFile { keys, .. }) => {
                self.read_keys(&value, keys, UnknownKeys::NeedApproval, &place);
            }
            None => self.read_keys(&value, FRONT_MATTER_KEYS, UnknownKeys::Free, &place),
        }
    }

    fn front_matter(&mut self, text: &str) {
        let text = as_any_client_reads(text);
        let text = text.as_str();
        if let Some(block) = block_in_another_language(text) {
            return self.unreadable(block);
        }
        let parsed = parse_alone(text, Format::Markdown);
        let place = Pointer::root();
        let place = KeyPlace::top(&place);
        if has_errors(&parsed.diagnostics) {
            return self.broken_front_matter(text);
        }
        if let Some(front) = parsed.document.root().map(to_value) {
            self.read_keys(&front, FRONT_MATTER_KEYS, UnknownKeys::Free, &place);
        }
    }

    /// Front matter that is not valid YAML: tools that read it all the same read it key by key.
    fn broken_front_matter(&mut self, text: &str) {
        let root = Pointer::root();
        for section in sections(text) {
            let value = parse_alone(section.text.as_str(), Format::Yaml);
            let is_known = FRONT_MATTER_KEYS.iter().any(|row| {
                let first = row.path.split('/').next().unwrap_or(row.path);
                first == section.key
                    || first
                        .strip_suffix('*')
                        .is_some_and(|prefix| section.key.starts_with(prefix))
            });
            let readable = value
                .document
                .root()
                .map(to_value)
                .filter(|_| !has_errors(&value.diagnostics));
            match readable {
                _ if section.is_odd => self.unreadable(&section.text),
                Some(value) if is_known => {
                    let place = KeyPlace::top(&root);
                    self.read_keys(&value, FRONT_MATTER_KEYS, UnknownKeys::Free, &place);
                }
                None if is_known => self.unreadable(&section.text),
                _ => {}
            }
        }
    }

    /// Text that a tool may understand where this reader does not: it may do anything, until it changes.
    fn unreadable(&mut self, text: &str) {
        let digest = Checksum::of(text.as_bytes());
        self.sets("unreadable text", &digest.to_string(), &Pointer::root());
    }
}

/// Text with its front matter where agpm reads it; `None` if it may be anything.
pub fn with_readable_front_matter(text: &str) -> Option<String> {
    let text = as_any_client_reads(text);
    block_in_another_language(&text).is_none().then_some(text)
}

/// Text with the line breaks of all systems, and without what precedes its first character: one client or another
/// finds front matter there.
fn as_any_client_reads(text: &str) -> String {
    let text = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A block at the start whose fence says more than that it begins, as `---js` does.
fn block_in_another_language(text: &str) -> Option<&str> {
    let (fence, inner) = text.split_once('\n')?;
    let language = fence.strip_prefix("---")?.trim();
    if language.is_empty() || language.starts_with('-') {
        return None;
    }
    let end = inner.find("\n---").unwrap_or(inner.len());
    Some(&text[..fence.len() + 1 + end])
}

/// The file whose rows say what the keys of a structured resource do, if its own path says nothing.
fn default_path(kind: ResourceType, format: Format) -> &'static str {
    match (kind, format) {
        (ResourceType::Agents, Format::Toml) => ".codex/agents/agent.toml",
        (ResourceType::Agents, Format::Jsonc) => ".kiro/agents/agent.json",
        _ => "",
    }
}

/// The lines of one key.
struct Section {
    key: String,
    text: String,
    /// Whether its first line is in a notation that hides the key.
    is_odd: bool,
}

/// The lines between the fences, by the key that starts them.
fn sections(text: &str) -> Vec<Section> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().map(|line| line.trim_end_matches('\r'));
    if lines.next().map(str::trim_end) != Some("---") {
        return Vec::new();
    }
    let mut sections: Vec<Section> = Vec::new();
    for line in lines.take_while(|line| line.trim_end() != "---") {
        let start = section_start(line);
        match (start, sections.last_mut()) {
            (Some((key, is_odd)), _) => sections.push(Section {
                key,
                text: format!("{line}\n"),
                is_odd,
            }),
            (None, Some(last)) => {
                last.text.push_str(line);
                last.text.push('\n');
            }
            (None, None) => {}
        }
    }
    sections
}

/// The key that a line starts, and whether it may be another one than it seems.
fn section_start(line: &str) -> Option<(String, bool)> {
    let first = line.chars().next()?;
    if first.is_whitespace() || first == '#' || first == '-' {
        return None;
    }
    let is_odd = matches!(first, '{' | '[' | '?' | '&' | '!') || line.starts_with("<<");
    if is_odd {
        return Some((String::new(), true));
    }
    let (key, rest) = line.split_once(':')?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let quoted = key.starts_with(['"', '\'']);
    let plain = key.trim().trim_matches(['"', '\'']);
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if plain.chars().all(is_name) {
        return Some((plain.to_owned(), false));
    }
    // An escape in quotes may spell any key.
    quoted.then(|| (plain.to_owned(), key.contains('\\')))
}
