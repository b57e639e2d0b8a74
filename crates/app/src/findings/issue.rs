//! One finding of the audit, of agpm or of another scanner.

use std::cmp::Ordering;

use agpm_diag::{Code, Diagnostic, Notes, Severity, Span, codes};
use agpm_model::Owner;
use agpm_trust::AuditFinding;
use serde::{Serialize, Serializer};

/// A finding in a file that is or would be installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuditIssue {
    /// The rule, by its id; of another scanner as that scanner calls it.
    pub rule: String,
    /// How serious it is.
    #[serde(serialize_with = "word")]
    pub severity: Severity,
    /// The resource or layer; `None` for a file that no project installs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Owner>,
    /// The file.
    pub path: String,
    /// The line, from one; `None` if it is about the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// What is wrong, as a sentence after the name of the file.
    pub message: String,
    /// What was found.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub excerpt: String,
    /// How many more of the same the file has.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// The other scanner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The code of its page.
    #[serde(skip)]
    pub code: &'static Code,
}

fn word<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(severity)
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl AuditIssue {
    /// A finding of a rule.
    pub fn of_rule(finding: AuditFinding, id: Option<Owner>, path: String) -> Self {
        let AuditFinding {
            rule,
            line,
            excerpt,
            more,
        } = finding;
        AuditIssue {
            rule: rule.id().to_owned(),
            severity: rule.severity(),
            id,
            path,
            line: Some(line),
            message: rule.about.to_owned(),
            excerpt,
            more,
            tool: None,
            code: rule.code,
        }
    }

    /// What was found, in one line.
    pub fn detail(&self) -> String {
        match (self.excerpt.as_str(), self.more) {
            ("", 0) => String::new(),
            ("", more) => format!("{more} more in this file"),
            (excerpt, 0) => excerpt.to_owned(),
            (excerpt, more) => format!("{excerpt}; {more} more in this file"),
        }
    }

    /// The finding as one of a command that does more than auditing.
    pub fn diagnostic(&self, notes: &mut Notes) -> Diagnostic {
        let subject = self.id.as_ref().map(ToString::to_string);
        let subject = subject.unwrap_or_else(|| format!("`{}`", self.path));
        let message = match &self.tool {
            Some(tool) => format!(
                "{subject}: {tool} reports `{}`: {}",
                self.rule, self.message
            ),
            None => format!("{subject} {}", self.message),
        };
        // Only the finding is quoted: the file may hold secrets, and characters that must not reach a terminal. Its
        // line is kept by the line breaks before it.
        const LAST_LINE: usize = 1_000_000;
        let line = self.line.unwrap_or(1).min(LAST_LINE);
        let before = "\n".repeat(line - 1);
        let start = before.len();
        let shown = agpm_diag::visible(&self.detail());
        let end = start + shown.len();
        let source = notes
            .sources
            .add(self.path.clone(), format!("{before}{shown}"));
        let help = match self.tool {
            Some(_) => {
                "read the file; `[[audit.ignore]]` in agpm.toml excuses a finding".to_owned()
            }
            None => format!(
                "read the file, and run `agpm explain {}`; `[[audit.ignore]]` in agpm.toml excuses a finding",
                self.rule
            ),
        };
        let mut diagnostic = Diagnostic::new(self.code, message);
        diagnostic.severity = self.severity;
        let diagnostic = diagnostic.at(source, Span::new(start, end), "").help(help);
        match &self.id {
            Some(id) => diagnostic.in_unit(id.to_string()),
            None => diagnostic,
        }
    }

    /// A finding of another scanner.
    pub(crate) fn of_scanner(tool: &str, rule: &str) -> Self {
        AuditIssue {
            rule: rule.to_owned(),
            severity: Severity::Warning,
            id: None,
            path: String::new(),
            line: None,
            message: String::new(),
            excerpt: String::new(),
            more: 0,
            tool: Some(tool.to_owned()),
            code: &codes::AUDIT_OTHER_SCANNER,
        }
    }
}

impl Ord for AuditIssue {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |one: &'_ AuditIssue| {
            (
                one.path.clone(),
                one.line,
                std::cmp::Reverse(one.severity),
                one.rule.clone(),
                one.tool.clone(),
                one.message.clone(),
                one.excerpt.clone(),
            )
        };
        key(self).cmp(&key(other))
    }
}

impl PartialOrd for AuditIssue {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
