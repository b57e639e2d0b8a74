//! The regular expressions of all rules, compiled once.

use std::sync::LazyLock;

use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;

use super::rule::{AuditRule, Detection, TextPattern};
use super::rules::AUDIT_RULES;

/// The patterns of one rule as one expression.
pub(super) struct CompiledRule {
    pub(super) rule: &'static AuditRule,
    pub(super) patterns: &'static [TextPattern],
    pub(super) regex: Regex,
}

/// The rules with patterns.
pub(super) static COMPILED_RULES: LazyLock<Vec<CompiledRule>> = LazyLock::new(|| {
    let compiled = |rule: &'static AuditRule| {
        let Detection::Patterns(patterns) = rule.detection else {
            return None;
        };
        let expressions: Vec<&str> = patterns.iter().map(|pattern| pattern.regex).collect();
        // Bytes that are not UTF-8 must not hide what is next to them.
        let syntax = syntax::Config::new()
            .unicode(false)
            .utf8(false)
            .case_insensitive(true);
        let regex = Regex::builder()
            .syntax(syntax)
            .configure(Config::new().utf8_empty(false))
            .build_many(&expressions)
            .expect("a test compiles every pattern");
        Some(CompiledRule {
            rule,
            patterns,
            regex,
        })
    };
    AUDIT_RULES.iter().filter_map(compiled).collect()
});
