use std::process::ExitCode;

use agpm_ops::{Below, Direction, Sibling, TreeReport, TreeRequest, World, tree};

use crate::args::{TreeArgs, TreeFormat};
use crate::commands::{two_formats, word};
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: TreeArgs, output: &mut Output) -> ExitCode {
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != TreeFormat::Json)
    {
        return output.finish(two_formats(&word(other)), |(), _| {
            Rendering::Text(String::new())
        });
    }
    output.json |= args.format == Some(TreeFormat::Json);
    let direction = if args.invert {
        Direction::NeededBy
    } else {
        Direction::Needs
    };
    let request = TreeRequest {
        names: args.names,
        depth: args.depth,
        direction,
    };
    let format = args.format.unwrap_or(TreeFormat::Text);
    output.finish(tree(world, &request), |report, shown| {
        render(&report, format, shown)
    })
}

fn render(report: &TreeReport, format: TreeFormat, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    Rendering::Text(match format {
        TreeFormat::Mermaid => mermaid(report),
        TreeFormat::Dot => dot(report),
        TreeFormat::Text | TreeFormat::Json => text(report),
    })
}

fn text(report: &TreeReport) -> String {
    let mut out = String::new();
    // What stands before a line of each level, all in one text, and where each level's part ends.
    let mut before = String::new();
    let mut ends: Vec<usize> = vec![0];
    for line in &report.lines {
        ends.truncate(line.level.max(1));
        before.truncate(ends.last().copied().unwrap_or(0));
        let (branch, rest) = match (line.level, line.place) {
            (0, _) => ("", ""),
            (_, Sibling::Inner) => ("├─ ", "│   "),
            (_, Sibling::Last) => ("└─ ", "    "),
        };
        let mark = if line.below == Below::Repeated {
            " (*)"
        } else {
            ""
        };
        out.push_str(&before);
        out.push_str(branch);
        out.push_str(report.title(line));
        out.push_str(mark);
        out.push('\n');
        before.push_str(rest);
        if line.level > 0 {
            ends.push(before.len());
        }
    }
    out
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
