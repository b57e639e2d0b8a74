//! The shape of a rule and of what it finds.

use agpm_diag::{Code, Severity};

use super::exceptions::Exception;

/// One rule of the audit.
#[derive(Debug)]
pub struct AuditRule {
    /// Its id, severity and page.
    pub code: &'static Code,
    /// The finding in a few words, after the name of the resource.
    pub about: &'static str,
    /// How it is found.
    pub(super) detection: Detection,
    /// Content in which the rule finds something.
    pub flagged: &'static [AuditExample],
    /// Similar content that is fine.
    pub passed: &'static [AuditExample],
}

impl AuditRule {
    /// The stable id.
    pub fn id(&self) -> &'static str {
        self.code.name
    }

    /// The severity of its findings.
    pub fn severity(&self) -> Severity {
        self.code.severity
    }
}

impl PartialEq for AuditRule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

impl Eq for AuditRule {}

/// A file with some content; for rules about names, the names of two resources.
#[derive(Clone, Copy, Debug)]
pub struct AuditExample {
    /// The name of the file, whose extension decides how escapes are read.
    pub file: &'static str,
    /// Its content.
    pub text: &'static str,
}

/// How a rule finds something.
#[derive(Debug)]
pub(super) enum Detection {
    /// Tag characters and runs of variation selectors.
    HiddenText,
    /// Characters that change the order in which text is shown.
    Bidi,
    /// Characters without width.
    Invisible,
    /// Regular expressions.
    Patterns(&'static [TextPattern]),
    /// URLs of servers in configuration files.
    PlainHttpServers,
    /// Names that look like others.
    Names,
}

/// A regular expression over bytes: ASCII only, case-insensitive, and linear.
#[derive(Debug)]
pub(super) struct TextPattern {
    /// The expression.
    pub(super) regex: &'static str,
    /// Matches that are fine.
    pub(super) except: &'static [Exception],
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFinding {
    /// The rule.
    pub rule: &'static AuditRule,
    /// The line, from one.
    pub line: usize,
    /// What was found, without secrets and without characters that cannot be seen.
    pub excerpt: String,
    /// How many more of the same the file has.
    pub more: usize,
}
