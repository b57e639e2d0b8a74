//! The result of a use case for clients: a value and text, or a failure with its code.

use agpm_diag::{Diagnostic, Severity, SourceMap, codes};
use agpm_diag::{FailureKind, Outcome};
use agpm_report::report_all;
use agpm_report::{FailureDocument, ReportDocument, diagnostic_lines};
use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::Value as Json;

use crate::json::json;
use crate::protocol::error::{INTERNAL, UNKNOWN_RESOURCE};

/// A report with its diagnostics.
pub(crate) struct AnnotatedReport<T> {
    pub(crate) report: T,
    diagnostics: Vec<Diagnostic>,
    sources: SourceMap,
}

/// A failed operation.
#[derive(Clone, Debug)]
pub(crate) struct OperationFailure {
    pub(crate) kind: FailureKind,
    /// The code of the last error.
    pub(crate) code: &'static str,
    text: String,
    value: Json,
}

/// An error of the client's request, or a result: a failed operation has one too.
pub(crate) type ToolAnswer = Result<Result<CallToolResult, OperationFailure>, ErrorData>;

/// Separates success from failure.
pub(crate) fn annotate_report<T>(
    outcome: Outcome<T>,
) -> Result<AnnotatedReport<T>, OperationFailure> {
    let Outcome {
        result,
        diagnostics,
        sources,
        ..
    } = outcome;
    match result {
        Ok(report) => Ok(AnnotatedReport {
            report,
            diagnostics,
            sources,
        }),
        Err(kind) => Err(OperationFailure::of(kind, &diagnostics, &sources)),
    }
}

impl<T> AnnotatedReport<T> {
    /// The diagnostics as JSON.
    pub(crate) fn diagnostics(&self) -> Vec<Json> {
        let diagnostics = report_all(&self.diagnostics, &self.sources);
        diagnostics.iter().map(json).collect()
    }
}

impl<T: Serialize> AnnotatedReport<T> {
    /// A successful result: the value of the report, and text to read.
    pub(crate) fn answer(&self, text: &str) -> CallToolResult {
        let document = ReportDocument::new(&self.report, &self.diagnostics, &self.sources);
        let text = format!("{text}{}", diagnostic_lines(&self.diagnostics));
        succeeded(json(&document), text)
    }
}

/// The result of an operation: its value, and text to read.
pub(crate) fn succeeded(value: Json, text: String) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result
}

impl OperationFailure {
    fn of(kind: FailureKind, diagnostics: &[Diagnostic], sources: &SourceMap) -> Self {
        let mut errors = diagnostics
            .iter()
            .filter(|found| found.severity == Severity::Error);
        let code = errors
            .next_back()
            .or(diagnostics.last())
            .map_or(INTERNAL.code.name, |found| found.code.name);
        let Json::Object(mut value) = json(&FailureDocument::new(diagnostics, sources)) else {
            return OperationFailure {
                kind,
                code,
                text: String::new(),
                value: Json::Null,
            };
        };
        value.insert("code".to_owned(), code.into());
        OperationFailure {
            kind,
            code,
            text: diagnostic_lines(diagnostics),
            value: value.into(),
        }
    }

    /// The diagnostics as JSON.
    pub(crate) fn diagnostics(&self) -> Vec<Json> {
        self.value["diagnostics"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }

    /// The failure as a result of the tool.
    pub(crate) fn answer(self) -> CallToolResult {
        let mut result = CallToolResult::error(vec![ContentBlock::text(self.text)]);
        result.structured_content = Some(self.value);
        result
    }

    /// The failure as an error, for methods without failed results.
    pub(crate) fn error(self) -> ErrorData {
        // A row may name a file that does not exist or must not be read. For the client, the resource does not exist.
        let gone = matches!(self.kind, FailureKind::NotFound | FailureKind::Refused)
            || self.code == codes::CATALOG_MISSING_FILE.name;
        let trouble = if gone { &UNKNOWN_RESOURCE } else { &INTERNAL };
        trouble.with_diagnostics(
            self.code,
            self.text.trim_end().to_owned(),
            self.value["diagnostics"].clone(),
        )
    }
}
