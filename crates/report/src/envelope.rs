//! The documents that `--json` prints and that the MCP server answers with: a report among its diagnostics.

use crate::diagnostic_fields::{DiagnosticReport, report_all};
use agpm_diag::{Diagnostic, SourceMap};
use serde::Serialize;

/// `{"ok": true, …, "diagnostics": […]}`; `ok` is false where the report holds findings that make a command fail.
#[derive(Clone, Debug, Serialize)]
pub struct ReportDocument<'r, R> {
    ok: bool,
    #[serde(flatten)]
    report: &'r R,
    diagnostics: Vec<DiagnosticReport<'r>>,
}

/// `{"ok": false, "diagnostics": […]}`.
#[derive(Clone, Debug, Serialize)]
pub struct FailureDocument<'d> {
    ok: bool,
    diagnostics: Vec<DiagnosticReport<'d>>,
}

impl<'r, R: Serialize> ReportDocument<'r, R> {
    /// The document of a report without findings.
    pub fn new(report: &'r R, diagnostics: &'r [Diagnostic], sources: &'r SourceMap) -> Self {
        ReportDocument {
            ok: true,
            report,
            diagnostics: report_all(diagnostics, sources),
        }
    }

    /// The same report, with findings.
    pub(crate) fn with_findings(self) -> Self {
        ReportDocument { ok: false, ..self }
    }
}

impl<'d> FailureDocument<'d> {
    /// The document of a failure.
    pub fn new(diagnostics: &'d [Diagnostic], sources: &'d SourceMap) -> Self {
        FailureDocument {
            ok: false,
            diagnostics: report_all(diagnostics, sources),
        }
    }
}
