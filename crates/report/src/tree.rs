//! The dependencies, as a tree or as a graph for other programs.

use agpm_app::tree::{LineExpansion, SiblingPosition, TreeReport};

use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine, StyledPiece};

/// How a tree is drawn, unless it is a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeForm {
    /// With lines of text.
    Text,
    /// For Mermaid.
    Mermaid,
    /// For Graphviz.
    Dot,
}

/// The tree in the form that was requested, or as a document.
pub fn render(report: &TreeReport, form: TreeForm, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(report);
    }
    match form {
        TreeForm::Mermaid => RenderedReport::Text(mermaid(report)),
        TreeForm::Dot => RenderedReport::Text(dot(report)),
        TreeForm::Text => RenderedReport::Lines(lines(report)),
    }
}

fn lines(report: &TreeReport) -> Vec<StyledLine> {
    let mut out = Vec::new();
    // The prefixes of all levels in one string, and where each level's part ends.
    let mut before = String::new();
    let mut ends: Vec<usize> = vec![0];
    for line in &report.lines {
        ends.truncate(line.level.max(1));
        before.truncate(ends.last().copied().unwrap_or(0));
        let (branch, rest) = match (line.level, line.position) {
            (0, _) => ("", ""),
            (_, SiblingPosition::Inner) => ("├─ ", "│   "),
            (_, SiblingPosition::Last) => ("└─ ", "    "),
        };
        let mark = if line.below == LineExpansion::Repeated {
            " (*)"
        } else {
            ""
        };
        let (id, rest_of_title) = split_title(report.title(line));
        out.push(StyledLine::of([
            StyledPiece::new(format!("{before}{branch}"), LineStyle::Faint),
            StyledPiece::new(id, LineStyle::Identity),
            StyledPiece::plain(rest_of_title),
            StyledPiece::new(mark, LineStyle::Faint),
        ]));
        before.push_str(rest);
        if line.level > 0 {
            ends.push(before.len());
        }
    }
    out
}

/// Splits a title into the id that it starts with and the rest.
fn split_title(title: &str) -> (&str, &str) {
    title.split_at(title.find(' ').unwrap_or(title.len()))
}

fn mermaid(report: &TreeReport) -> String {
    let node = |(id, title): (usize, &str)| {
        let title = title
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('<', "&lt;")
            .replace('>', "&gt;");
        format!("    n{id}[\"{title}\"]\n")
    };
    let nodes: String = report.resources().into_iter().map(node).collect();
    let edges: String = report
        .edges()
        .iter()
        .map(|(from, to)| format!("    n{from} --> n{to}\n"))
        .collect();
    format!("graph TD\n{nodes}{edges}")
}

fn dot(report: &TreeReport) -> String {
    let node = |(id, title): (usize, &str)| {
        let title = title.replace('\\', "\\\\").replace('"', "\\\"");
        format!("    n{id} [label=\"{title}\"];\n")
    };
    let nodes: String = report.resources().into_iter().map(node).collect();
    let edges: String = report
        .edges()
        .iter()
        .map(|(from, to)| format!("    n{from} -> n{to};\n"))
        .collect();
    format!("digraph agpm {{\n{nodes}{edges}}}\n")
}
