//! Commands in text, whose output a tool puts in their place.

use agpm_text::Pointer;

use super::CapabilityReader;

/// The characters that may precede the `!` of an inline command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefix {
    /// Anything, as in commands.
    Any,
    /// The start of a line, a space or an opening bracket, as in skills: `done!` followed by code is not a command.
    Opening,
}

impl CapabilityReader {
    /// `` !`cmd` ``, and fences that begin with `` ```! ``.
    pub(super) fn inline_commands(&mut self, text: &str, prefix: Prefix, at: &Pointer) {
        for command in fenced_commands(text) {
            self.runs(&command, None, at);
        }
        let mut before = '\n';
        let mut rest = text;
        while let Some(start) = rest.find("!`") {
            before = rest[..start].chars().next_back().unwrap_or(before);
            let inner = &rest[start + 2..];
            let is_command = prefix == Prefix::Any
                || before.is_whitespace()
                || "([{<\"'*_>|:=,".contains(before);
            match inner.find('`') {
                Some(end) if is_command => {
                    self.runs(inner[..end].trim(), None, at);
                    rest = &inner[end + 1..];
                    before = '`';
                }
                Some(_) => {
                    rest = inner;
                    before = '`';
                }
                None => break,
            }
        }
    }

    /// `!{cmd}` of Gemini CLI, with nested braces.
    pub(super) fn braced_commands(&mut self, text: &str, at: &Pointer) {
        let mut rest = text;
        while let Some(start) = rest.find("!{") {
            let inner = &rest[start + 2..];
            let mut depth = 1_usize;
            let end = inner.char_indices().find_map(|(at, c)| {
                match c {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                (depth == 0).then_some(at)
            });
            let end = end.unwrap_or(inner.len());
            self.runs(inner[..end].trim(), None, at);
            rest = inner.get(end + 1..).unwrap_or_default();
        }
    }
}

/// The text after at least three backticks and `!`, anywhere in a line, up to as many backticks, or to the end.
fn fenced_commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("```!") {
        let opened = &rest[..start + 3];
        let length = opened.len() - opened.trim_end_matches('`').len();
        let inner = &rest[start + 4..];
        let end = inner.find(&"`".repeat(length));
        found.push(inner[..end.unwrap_or(inner.len())].trim().to_owned());
        let Some(end) = end else {
            break;
        };
        rest = inner[end..].trim_start_matches('`');
    }
    found
}
