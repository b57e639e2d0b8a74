//! The state of a project: one line for each fact, with the command to run.

use std::borrow::Cow;
use std::collections::BTreeMap;

use agpm_app::drift::EditStatus;
use agpm_app::outdated::OutdatedRow;
use agpm_app::status::{NextInstall, ProjectFound, StatusReport};
use agpm_diag::counted;
use agpm_model::{ResourceType, ToolName};

use crate::command_scope::CommandScope;
use crate::diagnostics::ColorMode;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine, StyledPiece, draw_lines};
use crate::table::column_lines;

const NO_PROJECT: &str = "No project found: no `agpm.toml` in this directory or its parents. Run `agpm init` to create one.";

/// The report as lines or as a document.
pub fn render(report: StatusReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    RenderedReport::Lines(lines(&report, context.screen.width, context.commands))
}

/// Installed resources, newer versions, local modifications, and the plan of an install.
pub fn text(report: &StatusReport) -> String {
    let lines = lines(report, None, &CommandScope::default());
    draw_lines(&lines, ColorMode::Plain)
}

fn lines(report: &StatusReport, width: Option<usize>, commands: &CommandScope) -> Vec<StyledLine> {
    if report.project == ProjectFound::No {
        return vec![StyledLine::plain(commands.complete_text(NO_PROJECT))];
    }
    let rows = rows(report);
    let rows = rows.iter().map(|row| row.cells(commands));
    let rows: Vec<Vec<StyledPiece>> = rows.collect();
    column_lines(&rows, width)
}

/// One fact, with the command to run.
struct StatusRow {
    name: &'static str,
    value: String,
    help: Cow<'static, str>,
}

impl StatusRow {
    /// A row with a command needs attention.
    fn cells(&self, commands: &CommandScope) -> Vec<StyledPiece> {
        let style = if self.help.is_empty() {
            LineStyle::Plain
        } else {
            LineStyle::Changed
        };
        // The command is part of the cell: in a third column, one long value would push every command off the screen.
        let value = if self.help.is_empty() {
            self.value.clone()
        } else {
            format!("{}  ({})", self.value, commands.complete(&self.help))
        };
        vec![
            StyledPiece::new(self.name, LineStyle::Heading),
            StyledPiece::new(&value, style),
        ]
    }

    fn new(name: &'static str, value: String) -> Self {
        StatusRow {
            name,
            value,
            help: Cow::Borrowed(""),
        }
    }

    /// A count that needs a command, unless it is zero.
    fn count(name: &'static str, count: usize, help: &'static str) -> Self {
        StatusRow {
            name,
            value: count.to_string(),
            help: Cow::Borrowed(if count == 0 { "" } else { help }),
        }
    }
}

fn rows(report: &StatusReport) -> Vec<StatusRow> {
    let root = report.root.as_ref();
    let root = root.map(|root| root.display().to_string());
    let tools: Vec<&str> = report.tools.iter().map(ToolName::as_str).collect();
    let installed: Vec<String> = report
        .installed
        .iter()
        .map(|(plural, count)| {
            let singular = ResourceType::named(plural).map_or(*plural, ResourceType::singular);
            counted(*count, singular, plural)
        })
        .collect();
    let or_none = |list: String| {
        if list.is_empty() {
            "none".to_owned()
        } else {
            list
        }
    };
    let mut rows = vec![
        StatusRow::new("project", root.unwrap_or_default()),
        StatusRow::new("tools", or_none(tools.join(", "))),
        StatusRow::new("installed", or_none(installed.join(", "))),
        StatusRow::count("modified", report.modified(), "agpm diff"),
    ];
    rows.extend(edited_rows(report));
    rows.push(StatusRow::count(
        "missing",
        report.missing(),
        "agpm install",
    ));
    rows.push(match &report.outdated {
        Some(report) if report.outdated.is_empty() => StatusRow::new("outdated", "0".to_owned()),
        Some(report) => StatusRow {
            name: "outdated",
            value: format!("{} of {}", report.outdated.len(), report.checked),
            help: Cow::Borrowed(if report.outdated.iter().any(OutdatedRow::is_updatable) {
                "agpm diff --update"
            } else {
                "agpm outdated"
            }),
        },
        None if report.installed.is_empty() => StatusRow::new("outdated", "0".to_owned()),
        None => StatusRow {
            name: "outdated",
            value: "unknown".to_owned(),
            help: Cow::Borrowed("agpm outdated"),
        },
    });
    match report.next {
        Some(next) => rows.extend(next_rows(next)),
        None => rows.push(StatusRow {
            name: "next install",
            value: "unknown without a network".to_owned(),
            help: Cow::Borrowed("agpm install --dry-run"),
        }),
    }
    rows
}

/// More edited resources than this are only counted.
const MOST_EDITED: usize = 10;

/// One row for each edited resource, with the version that it is based on.
fn edited_rows(report: &StatusReport) -> Vec<StatusRow> {
    let mut edits: BTreeMap<String, String> = BTreeMap::new();
    for finding in &report.drift.findings {
        if let Some(words) = finding.edit_words() {
            edits.entry(finding.resource.to_string()).or_insert(words);
        }
    }
    let more = edits.len().saturating_sub(MOST_EDITED);
    let mut rows: Vec<StatusRow> = edits
        .into_iter()
        .take(MOST_EDITED)
        .map(|(id, words)| StatusRow::new("", format!("{id}  {words}")))
        .collect();
    if more > 0 {
        rows.push(StatusRow::new("", format!("and {more} more")));
    }
    let conflicts = report.drift.conflicts();
    if conflicts > 0 {
        let findings = report.drift.findings.iter();
        let mut in_conflict = findings.filter(|one| one.status == Some(EditStatus::Conflict));
        let first = in_conflict.next().map(|one| one.resource.to_string());
        rows.push(StatusRow {
            name: "conflicts",
            value: conflicts.to_string(),
            help: format!("agpm resolve {}", first.unwrap_or_default()).into(),
        });
    }
    rows
}

fn next_rows(next: NextInstall) -> [StatusRow; 3] {
    let changes = counted(next.changes, "change", "changes");
    [
        StatusRow {
            name: "next install",
            value: changes,
            help: Cow::Borrowed(if next.changes == 0 {
                ""
            } else {
                "agpm install --dry-run"
            }),
        },
        StatusRow::count("approvals needed", next.approvals, "agpm diff"),
        StatusRow::count("policy violations", next.violations, "agpm policy check"),
    ]
}
