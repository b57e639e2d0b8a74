//! Diagnostics as parts of reports.

use agpm_diag::{Diagnostic, SourceMap};
use serde::Serialize;

/// A diagnostic with its documented fields; unknown ones are left out.
#[derive(Clone, Debug, Serialize)]
pub struct DiagnosticReport<'d> {
    code: &'static str,
    severity: String,
    message: String,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    details: &'d [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layer: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'d str>,
}

impl<'d> DiagnosticReport<'d> {
    /// The fields of a diagnostic that points into these sources.
    pub fn new(diagnostic: &'d Diagnostic, sources: &'d SourceMap) -> Self {
        let label = diagnostic.labels.first();
        let position = label.map(|label| sources.position(label.source, label.span.start));
        DiagnosticReport {
            code: diagnostic.code.name,
            severity: diagnostic.severity.to_string(),
            message: diagnostic.shown_message(),
            details: &diagnostic.details,
            file: label
                .map(|label| sources.get(label.source).name.as_str())
                .or(diagnostic.file.as_deref()),
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            unit: diagnostic.unit.as_deref(),
            layer: diagnostic.layer.as_deref(),
            help: diagnostic.help.as_deref(),
        }
    }
}

/// All diagnostics, in order.
pub fn report_all<'d>(
    diagnostics: &'d [Diagnostic],
    sources: &'d SourceMap,
) -> Vec<DiagnosticReport<'d>> {
    diagnostics
        .iter()
        .map(|diagnostic| DiagnosticReport::new(diagnostic, sources))
        .collect()
}
