//! The findings of the audit.

use std::collections::BTreeMap;

use agpm_app::audit::AuditReport;
use agpm_app::findings::AuditIssue;
use agpm_diag::{Severity, counted, visible};

use crate::rendering::{RenderContext, RenderedReport};
use crate::sarif::{OWN_TOOL_NAME, SarifFinding, SarifRun, sarif_log};
use crate::styled::{LineStyle, StyledLine, StyledPiece};

/// How findings are printed, unless they are a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditForm {
    /// For people.
    Text,
    /// SARIF 2.1.0.
    Sarif,
}

/// The findings and a summary, or a document.
pub fn render(report: AuditReport, form: AuditForm, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    if form == AuditForm::Sarif {
        return RenderedReport::Data(sarif(&report));
    }
    let mut lines: Vec<StyledLine> = report.issues.iter().flat_map(issue_lines).collect();
    if !context.quiet {
        lines.push(StyledLine::plain(summary(&report)));
        let first = report.issues.iter().find(|issue| issue.tool.is_none());
        lines.extend(first.map(|issue| {
            StyledLine::plain(format!(
                "help: `agpm explain {}` describes the rule and how to excuse a finding",
                issue.rule
            ))
        }));
    }
    RenderedReport::Lines(lines)
}

fn issue_lines(issue: &AuditIssue) -> Vec<StyledLine> {
    let place = match issue.line {
        Some(line) => format!("{}:{line}", issue.path),
        None => issue.path.clone(),
    };
    let style = match issue.severity {
        Severity::Error => LineStyle::Removed,
        Severity::Warning | Severity::Note => LineStyle::Plain,
    };
    let said = match &issue.tool {
        Some(tool) => format!("{tool} reports `{}`: {}", issue.rule, issue.message),
        None => issue.message.clone(),
    };
    let mut pieces = vec![
        StyledPiece::new(format!("{}[{}]", issue.severity, issue.code.name), style),
        StyledPiece::plain(format!(": {} {}", visible(&place), visible(&said))),
    ];
    if let Some(id) = &issue.id {
        pieces.push(StyledPiece::plain(" ("));
        pieces.push(StyledPiece::new(
            visible(&id.to_string()),
            LineStyle::Identity,
        ));
        pieces.push(StyledPiece::plain(")"));
    }
    let mut lines = vec![StyledLine::of(pieces)];
    let detail = issue.detail();
    if !detail.is_empty() {
        lines.push(StyledLine::plain(format!("    {}", visible(&detail))));
    }
    lines
}

fn summary(report: &AuditReport) -> String {
    let files = counted(report.checked, "file", "files");
    let mut counts = Vec::new();
    for (severity, one, many) in [
        (Severity::Error, "error", "errors"),
        (Severity::Warning, "warning", "warnings"),
        (Severity::Note, "note", "notes"),
    ] {
        let count = report.count(severity);
        if count > 0 {
            counts.push(counted(count, one, many));
        }
    }
    let found = if counts.is_empty() {
        "no findings".to_owned()
    } else {
        counts.join(", ")
    };
    let ignored = match report.ignored {
        0 => String::new(),
        count => format!(", {count} ignored"),
    };
    format!("Audited {files}: {found}{ignored}")
}

/// One run for each scanner; agpm's own has a run without findings too.
fn sarif(report: &AuditReport) -> String {
    let mut by_tool: BTreeMap<&str, Vec<SarifFinding>> = BTreeMap::new();
    let mut own = Vec::new();
    for issue in &report.issues {
        let detail = visible(&issue.detail());
        let subject = issue
            .id
            .as_ref()
            .map(|id| format!("{id} "))
            .unwrap_or_default();
        let message = match (&issue.tool, detail.as_str()) {
            (Some(_), _) => visible(&issue.message),
            (None, "") => format!("{subject}{}", issue.message),
            (None, detail) => format!("{subject}{}: {detail}", issue.message),
        };
        let finding = SarifFinding {
            rule: issue.rule.clone(),
            level: issue.severity,
            message,
            file: Some(issue.path.clone()),
            line: issue.line,
            column: None,
        };
        match &issue.tool {
            Some(tool) => by_tool.entry(tool).or_default().push(finding),
            None => own.push(finding),
        }
    }
    let mut runs = vec![SarifRun {
        tool: OWN_TOOL_NAME.to_owned(),
        findings: own,
    }];
    runs.extend(by_tool.into_iter().map(|(tool, findings)| SarifRun {
        tool: tool.to_owned(),
        findings,
    }));
    sarif_log(runs)
}
