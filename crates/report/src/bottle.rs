//! Bottles and their agents: listed, shown and checked.

use agpm_app::bottle::BottleCheck;
use agpm_bottle::{AgentRow, BottleList, BottleName, BottleRow, BottleValue};
use agpm_diag::counted;
use agpm_merge::SecretDisplay;
use agpm_text::{Format, print, to_json};

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport, Verdict};
use crate::styled::StyledLine;
use crate::table::{plain_rows, table_lines};

/// A bottle or an agent: YAML for people; JSON is for programs that start sandboxes, which need every value.
pub fn render_value(report: &BottleValue, context: &RenderContext<'_>) -> RenderedReport {
    RenderedReport::Data(match context.pen.secrets {
        _ if context.json => to_json(report),
        SecretDisplay::Shown => print(&report.value, Format::Yaml).unwrap_or_default(),
        SecretDisplay::Masked => print(&report.masked(), Format::Yaml).unwrap_or_default(),
    })
}

/// All bottles and agents, as tables.
pub fn render_list(report: BottleList, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let bottle = |row: &BottleRow| {
        cells([
            row.name.as_str(),
            row.extends.as_ref().map_or("", BottleName::as_str),
            &row.file,
        ])
    };
    let agent = |row: &AgentRow| {
        cells([
            row.name.as_str(),
            row.bottle.as_str(),
            &row.skills.join(", "),
            &row.file,
        ])
    };
    let bottles: Vec<Vec<String>> = report.bottles.iter().map(bottle).collect();
    let agents: Vec<Vec<String>> = report.agents.iter().map(agent).collect();
    let width = context.screen.width;
    let mut lines = Vec::new();
    if !bottles.is_empty() {
        let head = ["Bottle", "Extends", "File"];
        lines.extend(table_lines(&head, &plain_rows(&bottles), width));
    }
    if !bottles.is_empty() && !agents.is_empty() {
        lines.push(StyledLine::default());
    }
    if !agents.is_empty() {
        let head = ["Agent", "Bottle", "Skills", "File"];
        lines.extend(table_lines(&head, &plain_rows(&agents), width));
    }
    if lines.is_empty() {
        return RenderedReport::Empty(
            "No bottles or bottle agents in `~/.bot-bottle` and `.bot-bottle`.",
        );
    }
    RenderedReport::Lines(lines)
}

fn cells<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(one_line).to_vec()
}

/// The number of checked units, after the findings.
pub fn render_check(report: BottleCheck, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let found = context.drawn_diagnostics();
    let summary = match context.verdict {
        Verdict::Good if !context.quiet => format!(
            "No errors: {}, {}\n",
            counted(report.bottles, "bottle", "bottles"),
            counted(report.agents, "agent", "agents")
        ),
        _ => String::new(),
    };
    RenderedReport::Report(format!("{found}{summary}"))
}
