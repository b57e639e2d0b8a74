//! The scope of an instruction: all files, or those that match patterns.

use std::fmt;

/// Patterns of the files that an instruction applies to; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionPaths(Vec<String>);

/// The files that an instruction applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InstructionScope {
    /// All files.
    Everything,
    /// Files that match patterns.
    Paths(InstructionPaths),
}

impl InstructionScope {
    /// The scope of several strings, each with or without commas.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        InstructionPaths::of(texts).map_or(InstructionScope::Everything, InstructionScope::Paths)
    }

    /// The patterns; `None` for all files.
    pub fn paths(&self) -> Option<&InstructionPaths> {
        match self {
            InstructionScope::Everything => None,
            InstructionScope::Paths(paths) => Some(paths),
        }
    }
}

/// Patterns that match every file, as tools write them.
const EVERYTHING: [&str; 4] = ["**", "**/*", "/**", "/**/*"];

/// Directories that never get instructions, whatever the patterns.
const CLOSED: [&str; 2] = [".git", ".agpm"];

/// How an instruction is installed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InstructionForm {
    /// In the form that each tool prefers.
    #[default]
    ToolsOwn,
    /// As a block, for every tool.
    Block,
}

impl InstructionPaths {
    /// The patterns in several strings, each with or without commas; `None` if they are empty or match every file.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Option<Self> {
        let mut patterns: Vec<String> = Vec::new();
        for pattern in texts.into_iter().flat_map(split) {
            if !patterns.contains(&pattern) {
                patterns.push(pattern);
            }
        }
        let is_everything = |pattern: &String| EVERYTHING.contains(&pattern.as_str());
        let is_limit = !patterns.is_empty() && !patterns.iter().any(is_everything);
        is_limit.then_some(InstructionPaths(patterns))
    }

    /// The patterns, in order.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// The patterns in one string, with commas.
    pub fn with_commas(&self) -> String {
        self.0.join(",")
    }

    /// The deepest directory that contains all files that could match, from the project; empty for the project itself.
    pub fn directory(&self) -> String {
        let mut common: Option<Vec<&str>> = None;
        // A negated pattern does not add files.
        for pattern in self.patterns().filter(|pattern| !pattern.starts_with('!')) {
            let parts = literal_directories(pattern);
            common = Some(match common {
                None => parts,
                Some(before) => shared_start(&before, &parts),
            });
        }
        let mut parts = common.unwrap_or_default();
        let closed = parts.iter().position(|part| CLOSED.contains(part));
        parts.truncate(closed.unwrap_or(parts.len()));
        parts.join("/")
    }
}

impl fmt::Display for InstructionPaths {
    /// Prints `` `a`, `b` ``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, pattern) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(f, "{comma}`{pattern}`")?;
        }
        Ok(())
    }
}

/// The directories at the start of a pattern that contain no wildcard.
fn literal_directories(pattern: &str) -> Vec<&str> {
    let pattern = pattern.trim_start_matches("./").trim_start_matches('/');
    let is_pattern = |part: &&str| part.contains(['*', '?', '[', '{', '(']);
    let parts: Vec<&str> = pattern.split('/').collect();
    // The last part names files.
    let directories = &parts[..parts.len() - 1];
    let end = directories.iter().position(is_pattern);
    let literal = &directories[..end.unwrap_or(directories.len())];
    if literal.iter().any(|part| matches!(*part, "" | "." | "..")) {
        return Vec::new();
    }
    literal.to_vec()
}

fn shared_start<'t>(first: &[&'t str], second: &[&'t str]) -> Vec<&'t str> {
    let pairs = first.iter().zip(second);
    let same = pairs.take_while(|(first, second)| first == second);
    same.map(|(first, _)| *first).collect()
}

/// The parts of a string between its commas; commas in braces belong to a pattern.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_end = c == ',' && depth == 0 || c.is_control();
        match parts.last_mut() {
            Some(part) if !is_end => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    let parts = parts.iter().map(|part| part.trim());
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_distinguished_by_commas_outside_of_braces() {
        let paths = |texts: &[&str]| {
            InstructionPaths::of(texts.iter().copied()).map(|paths| paths.to_string())
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            paths(&["a/**, b/*.{ts,tsx}"]),
            some("`a/**`, `b/*.{ts,tsx}`")
        );
        assert_eq!(paths(&["a", "b,a", " "]), some("`a`, `b`"));
        assert_eq!(paths(&["a\nb"]), some("`a`, `b`"));
        assert_eq!(paths(&["a{,b"]), some("`a{,b`"));
        assert_eq!(paths(&["src/**,**"]), None);
        assert_eq!(paths(&["", ","]), None);
    }

    #[test]
    fn the_directory_holds_all_that_could_match() {
        for (patterns, expected) in [
            (&["src/**"][..], "src"),
            (&["src/api/**/*.rs", "src/api/x.md"], "src/api"),
            (&["src/api/**", "src/web/**"], "src"),
            (&["src/**", "docs/**"], ""),
            (&["**/*.rs"], ""),
            (&["src/{a,b}/c/*.rs"], "src"),
            (&["/src/**", "./src/*.rs"], "src"),
            (&["../src/**"], ""),
            (&["src/../**"], ""),
            (&["src/main.rs"], "src"),
            (&["src"], ""),
            (&["src/**", "!src/api/**"], "src"),
            (&["!src/**"], ""),
            (&[".git/hooks/**"], ""),
            (&["a/.agpm/b/**"], "a"),
        ] {
            let paths = InstructionPaths::of(patterns.iter().copied());
            assert_eq!(
                paths.map(|paths| paths.directory()).as_deref(),
                Some(expected)
            );
        }
    }
}
