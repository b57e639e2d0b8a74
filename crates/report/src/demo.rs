//! The demonstration project, with the output of its commands.

use agpm_app::demo::{DemoReport, DemoResult, DemoShow};

use crate::ci::check_lines;
use crate::diagnostics::draw_diagnostics;
use crate::diff::difference_lines;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine};
use crate::{explain, install, undo};

/// The project and its commands, or a document of its files.
pub fn render(report: DemoReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut steps: Vec<Vec<StyledLine>> = SENTENCES
        .iter()
        .zip(&report.shows)
        .map(|(sentence, show)| step_lines(sentence, show, &report.directory, context))
        .collect();
    if let Some(last) = steps.last_mut() {
        let next = format!("\nTry it yourself:\n\n  cd {}\n{NEXT}", report.directory);
        last.extend(next.lines().map(StyledLine::plain));
    }
    RenderedReport::Steps(steps)
}

/// Commands to try next.
const NEXT: &str = "  agpm status
  agpm tree
  agpm explain .claude/settings.json --blame
  agpm diff --update
";

/// One sentence for each command, in order.
const SENTENCES: [&str; 7] = [
    "Install what agpm.toml requires: the skill `notes` for three clients.",
    "Explain where values come from: company, team and personal settings are merged.",
    "An update with a new hook is stopped.",
    "Review the update: capabilities first, then the files.",
    "Approve it. The approval is recorded in agpm.lock, for everyone.",
    "A file that somebody edited fails the check in a pipeline.",
    "Undo the last change.",
];

fn step_lines(
    sentence: &str,
    show: &DemoShow,
    directory: &str,
    context: &RenderContext<'_>,
) -> Vec<StyledLine> {
    let start = format!("agpm -C {directory}");
    let command = show.command.replacen("agpm", &start, 1);
    let mut lines = vec![
        StyledLine::plain(sentence),
        StyledLine::plain(""),
        StyledLine::new(format!("  {command}"), LineStyle::Identity),
        StyledLine::plain(""),
    ];
    // The differences show what the finding about them says.
    if !matches!(show.result, DemoResult::Compared(_)) {
        let findings = draw_diagnostics(show.findings.iter(), &show.sources, context.pen);
        lines.extend(findings.trim_end().lines().map(StyledLine::plain));
    }
    lines.extend(result_lines(&show.result, context));
    lines
}

fn result_lines(result: &DemoResult, context: &RenderContext<'_>) -> Vec<StyledLine> {
    let plain = |text: String| text.lines().map(StyledLine::plain).collect();
    match result {
        DemoResult::Installed(report) => install::styled_lines(report, context.pen.detail, None),
        DemoResult::Explained(origins) => plain(explain::provenance_text(origins)),
        DemoResult::Compared(report) => difference_lines(report, context.commands),
        DemoResult::Checked(report) => check_lines(report),
        DemoResult::Undone(report) => plain(undo::text(report, context.pen.detail)),
        DemoResult::Refused => Vec::new(),
    }
}
