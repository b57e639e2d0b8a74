//! Rules that name a tool and what it may be used for, as in `Bash(git:*)`.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::wildcard::{Wildcard, includes};

/// Tools whose specifier is a path, where `*` does not cross `/`.
const PATH_TOOLS: [&str; 6] = ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit", "Glob"];

/// A tool, or some uses of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ToolRule {
    tool: String,
    specifier: Option<String>,
}

impl ToolRule {
    /// Reads one rule; every string is one.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let Some((tool, rest)) = text.split_once('(') else {
            return ToolRule {
                tool: text.to_owned(),
                specifier: None,
            };
        };
        let specifier = rest.strip_suffix(')').unwrap_or(rest).trim();
        ToolRule {
            tool: tool.trim().to_owned(),
            specifier: Some(specifier.to_owned()),
        }
    }

    /// A rule for a tool, or for some uses of it.
    pub(crate) fn new(tool: String, specifier: Option<String>) -> Self {
        ToolRule { tool, specifier }
    }

    /// The name of the tool.
    pub(crate) fn tool(&self) -> &str {
        &self.tool
    }

    /// The uses that are meant, as they are written.
    pub(crate) fn specifier(&self) -> Option<&str> {
        self.specifier.as_deref()
    }

    /// Reads a list that is written as one string: `Read, Bash(git add:*)`, or with spaces in between.
    pub fn parse_list(text: &str) -> Vec<Self> {
        let mut rules = Vec::new();
        let mut depth = 0_usize;
        let mut start = 0;
        for (at, c) in text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                c if depth == 0 && (c == ',' || c.is_whitespace()) => {
                    rules.push(&text[start..at]);
                    start = at + c.len_utf8();
                }
                _ => {}
            }
        }
        rules.push(&text[start..]);
        let named = rules.into_iter().filter(|rule| !rule.trim().is_empty());
        named.map(ToolRule::parse).collect()
    }

    /// Whether every use that `other` means is meant by this one too. Coverage that cannot be shown is not assumed.
    pub fn covers(&self, other: &ToolRule) -> bool {
        if !self.covers_tool(&other.tool) {
            return false;
        }
        match (self.limit(), other.limit()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own_uses), Some(other_uses)) => self.covers_uses(own_uses, other_uses),
        }
    }

    /// Whether only some uses of the tool are meant.
    pub fn is_limited(&self) -> bool {
        self.limit().is_some()
    }

    /// The specifier, unless it allows every use: `Bash(*)` is `Bash`.
    fn limit(&self) -> Option<&str> {
        let specifier = self.specifier.as_deref();
        specifier.filter(|specifier| !matches!(*specifier, "" | "*" | "**" | ":*"))
    }

    fn covers_tool(&self, other: &str) -> bool {
        if self.tool == "*" || self.tool == other {
            return true;
        }
        // A server represents all of its tools.
        let is_of_server = self.tool.starts_with("mcp__")
            && other
                .strip_prefix(self.tool.as_str())
                .is_some_and(|rest| rest.starts_with("__"));
        is_of_server || includes(&self.tool, other, Wildcard::CrossesAll)
    }

    // A wrong "yes" would install a wider permission without approval, so every unclear case is a "no".
    fn covers_uses(&self, patterns: &str, uses: &str) -> bool {
        let wildcard = if PATH_TOOLS.contains(&self.tool.as_str()) {
            Wildcard::StaysInSegment
        } else {
            Wildcard::CrossesAll
        };
        let patterns = alternatives(patterns);
        let is_included = |one: &String| {
            patterns
                .iter()
                .any(|patterns| includes(patterns, one, wildcard))
        };
        alternatives(uses).iter().all(is_included)
    }
}

impl fmt::Display for ToolRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.specifier {
            Some(specifier) => write!(f, "{}({specifier})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

impl Serialize for ToolRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'d> Deserialize<'d> for ToolRule {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(ToolRule::parse(&String::deserialize(deserializer)?))
    }
}

/// The patterns that a specifier represents: `git:*` is `git` alone, or with anything after a space.
fn alternatives(specifier: &str) -> Vec<String> {
    match specifier.strip_suffix(":*") {
        Some(prefix) => vec![prefix.to_owned(), format!("{prefix} *")],
        None => vec![specifier.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(outer: &str, inner: &str) -> bool {
        ToolRule::parse(outer).covers(&ToolRule::parse(inner))
    }

    #[test]
    fn a_rule_covers_what_is_narrower() {
        for (outer, inner) in [
            ("Bash", "Bash"),
            ("Bash", "Bash(*)"),
            ("Bash(*)", "Bash"),
            ("Bash(*)", "Bash(git:*)"),
            ("Bash(:*)", "Bash(rm -rf /)"),
            ("*", "Write"),
            ("Bash(git:*)", "Bash(git)"),
            ("Bash(git:*)", "Bash(git push)"),
            ("Bash(git:*)", "Bash(git push:*)"),
            ("Bash(git *)", "Bash(git push *)"),
            ("mcp__github", "mcp__github__create_issue"),
            ("mcp__*", "mcp__github__create_issue"),
            ("WebFetch(domain:*.corp)", "WebFetch(domain:docs.corp)"),
            ("Read(src/**)", "Read(src/a/*.rs)"),
            ("Read(src/*)", "Read(src/a.rs)"),
        ] {
            assert!(covers(outer, inner), "{outer} covers {inner}");
        }
    }

    #[test]
    fn a_rule_does_not_cover_more_than_it_says() {
        for (outer, inner) in [
            ("Read", "Write"),
            ("Bash(git:*)", "Bash"),
            ("Bash(git:*)", "Bash(*)"),
            ("Bash(git:*)", "Bash(github)"),
            ("Bash(git push)", "Bash(git push:*)"),
            ("mcp__git", "mcp__github__create_issue"),
            ("WebFetch(domain:corp)", "WebFetch(domain:evil)"),
            ("Read(src/*)", "Read(src/a/b.rs)"),
            ("Read(src/*)", "Read(src/**)"),
            ("Read(src/*)", "Read(src/*/b)"),
            ("Bash(git *)", "Bash(git:*)"),
        ] {
            assert!(!covers(outer, inner), "{outer} does not cover {inner}");
        }
    }

    #[test]
    fn lists_are_separated_outside_of_parentheses() {
        let rules = |text: &str| -> Vec<String> {
            ToolRule::parse_list(text)
                .iter()
                .map(ToString::to_string)
                .collect()
        };
        assert_eq!(
            rules("Read, Bash(git add:*),Bash(*)"),
            ["Read", "Bash(git add:*)", "Bash(*)"]
        );
        assert_eq!(rules("Read Grep"), ["Read", "Grep"]);
        assert_eq!(rules("Bash(unclosed, Read"), ["Bash(unclosed, Read)"]);
        assert!(rules(" ,\n").is_empty());
    }

    proptest::proptest! {
        #[test]
        fn a_rule_covers_itself(text in "[A-Za-z]{1,4}(\\([a-z:/* ]{0,6}\\))?") {
            let rule = ToolRule::parse(&text);
            proptest::prop_assert!(rule.covers(&rule));
        }
    }
}
