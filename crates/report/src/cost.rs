//! The characters that tools spend on names and descriptions.

use agpm_app::cost::{CostReport, ToolCost};

use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine, StyledPiece};
use crate::table::table_lines;

/// One table for each tool, the most expensive resources first.
pub fn render(report: &CostReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(report);
    }
    if report.tools.is_empty() {
        return RenderedReport::Empty("No skills, commands or agents installed. Run `agpm add`.");
    }
    let mut lines = Vec::new();
    for cost in &report.tools {
        if !lines.is_empty() {
            lines.push(StyledLine::plain(""));
        }
        lines.extend(tool_lines(cost, context.screen.width));
    }
    RenderedReport::Lines(lines)
}

fn tool_lines(cost: &ToolCost, width: Option<usize>) -> Vec<StyledLine> {
    let mut words = format!("{}: {} characters", cost.tool, cost.characters);
    if let Some(budget) = cost.budget {
        words.push_str(&format!(", budget {budget}"));
    }
    if let Some(limit) = cost.limit {
        words.push_str(&format!(
            "; skills and commands {} of {limit} that it lists by default",
            cost.listed
        ));
    }
    let is_over = cost.budget.is_some_and(|budget| cost.characters > budget)
        || cost.limit.is_some_and(|limit| cost.listed > limit);
    let style = if is_over {
        LineStyle::Changed
    } else {
        LineStyle::Heading
    };
    let mut lines = vec![StyledLine::new(words, style)];
    let rows: Vec<Vec<StyledPiece>> = cost
        .resources
        .iter()
        .map(|resource| {
            vec![
                StyledPiece::plain(resource.characters.to_string()),
                StyledPiece::new(&resource.id, LineStyle::Identity),
            ]
        })
        .collect();
    lines.extend(table_lines(&["Characters", "Resource"], &rows, width));
    lines
}
