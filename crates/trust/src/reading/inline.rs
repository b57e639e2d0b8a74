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

/// The text of each fence that begins with at least three backticks and `!`, up to one that is as long, or to the end.
fn fenced_commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(usize, Vec<&str>)> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let ticks = trimmed.bytes().take_while(|byte| *byte == b'`').count();
        match &mut open {
            Some((length, lines)) if ticks >= *length && trimmed[ticks..].trim().is_empty() => {
                found.push(lines.join("\n"));
                open = None;
            }
            Some((_, lines)) => lines.push(line),
            None if ticks >= 3 => {
                if let Some(first) = trimmed[ticks..].strip_prefix('!') {
                    let first = Some(first.trim()).filter(|first| !first.is_empty());
                    open = Some((ticks, first.into_iter().collect()));
                }
            }
            None => {}
        }
    }
    found.extend(open.map(|(_, lines)| lines.join("\n")));
    found
}
