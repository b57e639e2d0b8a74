//! The findings of a pipeline, in the formats that pipelines read.

use agpm_app::ci::{CheckOutcome, CheckResult, CiReport, ProjectChecks, RecursiveCiReport};
use agpm_diag::counted;
use agpm_diag::{Diagnostic, Severity};
use agpm_text::to_json;
use serde::Serialize;

use crate::rendering::{RenderContext, RenderedReport};
use crate::sarif::{OWN_TOOL_NAME, SarifFinding, SarifRun, sarif_log};
use crate::styled::StyledLine;

/// The first line of an XML document.
const XML_START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// How findings are printed, unless they are a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CiForm {
    /// For people.
    Text,
    /// Commands of GitHub Actions that annotate a change.
    GitHub,
    /// SARIF 2.1.0.
    Sarif,
    /// JUnit XML.
    JUnit,
}

/// The findings in the form that was requested.
pub fn render(report: CiReport, form: CiForm, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let findings = || {
        context
            .diagnostics
            .iter()
            .map(|found| LocatedFinding::of(found, context))
    };
    RenderedReport::Report(match form {
        CiForm::Text => text(&report, context),
        CiForm::GitHub => findings().map(|found| found.github()).collect(),
        CiForm::Sarif => sarif(findings().collect()),
        CiForm::JUnit => junit(&report, &findings().collect::<Vec<_>>()),
    })
}

/// The findings of several projects: one section each, and for other programs one list.
pub fn render_recursive(
    report: RecursiveCiReport,
    form: CiForm,
    context: &RenderContext<'_>,
) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let findings = || {
        let diagnostics = context.diagnostics.iter();
        diagnostics.map(|found| LocatedFinding::of(found, context))
    };
    RenderedReport::Report(match form {
        CiForm::Text => {
            let sections = report.projects.iter();
            sections.map(|project| section(project, context)).collect()
        }
        CiForm::GitHub => findings().map(|found| found.github()).collect(),
        CiForm::Sarif => sarif(findings().collect()),
        CiForm::JUnit => {
            let findings: Vec<_> = findings().collect();
            let suites = report.projects.iter().map(|project| {
                let name = format!("agpm ci {}", project.manifest);
                junit_suite(&name, &project.report, &findings)
            });
            format!(
                "{XML_START}<testsuites>\n{}</testsuites>\n",
                suites.collect::<String>()
            )
        }
    })
}

/// One project: its manifest, its findings and its checks.
fn section(project: &ProjectChecks, context: &RenderContext<'_>) -> String {
    let own = RenderContext {
        diagnostics: &context.diagnostics[project.findings.clone()],
        ..*context
    };
    let text = text(&project.report, &own);
    if text.is_empty() {
        return text;
    }
    format!("{}\n{text}\n", project.manifest)
}

fn text(report: &CiReport, context: &RenderContext<'_>) -> String {
    let mut text = context.drawn_diagnostics();
    if context.quiet {
        return text;
    }
    for check in &report.checks {
        text.push_str(&check_line(check, report.compared));
    }
    text
}

/// One line for each check.
pub(crate) fn check_lines(report: &CiReport) -> Vec<StyledLine> {
    let lines = report.checks.iter();
    let lines = lines.map(|check| check_line(check, report.compared));
    lines
        .map(|line| StyledLine::plain(line.trim_end()))
        .collect()
}

fn check_line(check: &CheckResult, compared: usize) -> String {
    let name = word(check);
    match check.state {
        CheckOutcome::Passed if name == "files" => {
            format!(
                "ok       {name}  ({})\n",
                counted(compared, "entry", "entries")
            )
        }
        CheckOutcome::Passed => format!("ok       {name}\n"),
        CheckOutcome::Failed => {
            let findings = counted(check.findings.len(), "finding", "findings");
            format!("failed   {name}  ({findings})\n")
        }
        CheckOutcome::Skipped => format!("skipped  {name}\n"),
    }
}

fn word(check: &CheckResult) -> String {
    serialized(&check.name)
}

/// A value as its word in JSON.
fn serialized<T: Serialize>(value: &T) -> String {
    to_json(value).trim().trim_matches('"').to_owned()
}

/// A finding with its location.
struct LocatedFinding<'d> {
    found: &'d Diagnostic,
    message: String,
    file: Option<&'d str>,
    line: Option<usize>,
    column: Option<usize>,
}

impl<'d> LocatedFinding<'d> {
    fn of(found: &'d Diagnostic, context: &RenderContext<'d>) -> Self {
        let label = found.labels.first();
        let sources = context.sources;
        let position = label.map(|label| sources.position(label.source, label.span.start));
        let details = found.details.iter().map(|line| format!("\n{line}"));
        LocatedFinding {
            found,
            message: format!("{}{}", found.shown_message(), details.collect::<String>()),
            file: label
                .map(|label| sources.get(label.source).name.as_str())
                .or(found.file.as_deref()),
            line: position.as_ref().map(|position| position.line),
            column: position.as_ref().map(|position| position.column),
        }
    }

    fn level(&self) -> &'static str {
        match self.found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }

    /// One command; values are escaped as the runner unescapes them.
    fn github(&self) -> String {
        let level = match self.level() {
            "note" => "notice",
            level => level,
        };
        let mut properties: Vec<String> = Vec::new();
        properties.extend(self.file.map(|file| format!("file={}", property(file))));
        properties.extend(self.line.map(|line| format!("line={line}")));
        properties.extend(self.column.map(|column| format!("col={column}")));
        properties.push(format!("title={}", property(self.found.code.name)));
        let message = data(&self.message);
        format!("::{level} {}::{message}\n", properties.join(","))
    }
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

fn sarif(findings: Vec<LocatedFinding<'_>>) -> String {
    let result = |finding: LocatedFinding<'_>| SarifFinding {
        rule: finding.found.code.name.to_owned(),
        level: finding.found.severity,
        file: finding.file.map(str::to_owned),
        line: finding.line,
        column: finding.column,
        message: finding.message,
    };
    let run = SarifRun {
        tool: OWN_TOOL_NAME.to_owned(),
        findings: findings.into_iter().map(result).collect(),
    };
    sarif_log(vec![run])
}

/// One test for each check.
fn junit(report: &CiReport, findings: &[LocatedFinding<'_>]) -> String {
    format!("{XML_START}{}", junit_suite("agpm ci", report, findings))
}

fn junit_suite(name: &str, report: &CiReport, findings: &[LocatedFinding<'_>]) -> String {
    let count = |state| {
        let checks = report.checks.iter();
        checks.filter(|check| check.state == state).count()
    };
    let line = |number: &usize| {
        let finding = findings.get(*number)?;
        Some(format!("{}: {}", finding.found.code.name, finding.message))
    };
    let mut cases = String::new();
    for check in &report.checks {
        let check_name = word(check);
        let inner = match check.state {
            CheckOutcome::Passed => String::new(),
            CheckOutcome::Skipped => "<skipped/>".to_owned(),
            CheckOutcome::Failed => {
                let message = counted(check.findings.len(), "finding", "findings");
                let lines: Vec<String> = check.findings.iter().filter_map(line).collect();
                format!(
                    "<failure message=\"{message}\">{}</failure>",
                    xml(&lines.join("\n"))
                )
            }
        };
        cases.push_str(&format!(
            "  <testcase classname=\"agpm\" name=\"{check_name}\">{inner}</testcase>\n"
        ));
    }
    format!(
        "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n{cases}</testsuite>\n",
        xml(name).replace('"', "&quot;"),
        report.checks.len(),
        count(CheckOutcome::Failed),
        count(CheckOutcome::Skipped)
    )
}

/// Escapes the text of an element; characters that XML does not allow are left out.
fn xml(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' | '\t' => out.push(c),
            c if c < ' ' || matches!(c, '\u{7f}' | '\u{fffe}' | '\u{ffff}') => {}
            c => out.push(c),
        }
    }
    out
}
