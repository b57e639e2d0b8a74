//! The added resources, their files, the commands they run, and how to undo it.

use std::cmp::Reverse;

use agpm_app::add::{AddReport, ProjectTools, ToolsOrigin};
use agpm_app::manifest::{AddedResource, LeftOutResource};
use agpm_app::project::write_mode::WriteMode;
use agpm_diag::counted;

use crate::diagnostics::{DetailLevel, one_line};
use crate::install;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::StyledLine;

/// Resources that are left out, each on a line; `-v` shows all.
const MOST_LEFT_OUT: usize = 10;
/// How many resources with one reason are named.
const MOST_NAMED: usize = 3;

/// The report as text or as a document.
pub fn render(mut report: AddReport, context: &RenderContext<'_>) -> RenderedReport {
    let undo = report.undo.take();
    report.undo = undo.map(|command| context.commands.complete(&command));
    if context.json {
        return context.document(&report);
    }
    let (detail, elapsed) = (context.pen.detail, context.screen.elapsed);
    let mut lines: Vec<StyledLine> = text_lines(&report, detail)
        .into_iter()
        .map(StyledLine::plain)
        .collect();
    if let Some(installed) = &report.installed {
        lines.extend(install::styled_lines(installed, detail, elapsed));
    }
    if let Some(command) = &report.undo {
        lines.push(StyledLine::plain(format!("Undo it with `{command}`")));
    }
    RenderedReport::DoneLines(lines)
}

fn text_lines(report: &AddReport, detail: DetailLevel) -> Vec<String> {
    let (added, changed, created) = match report.writing {
        WriteMode::Apply => ("Added", "Changed", "Created"),
        WriteMode::Show => ("Would add", "Would change", "Would create"),
    };
    let mut lines = Vec::new();
    lines.extend(report.manifest.iter().map(|path| format!("Using {path}")));
    lines.extend(
        report
            .created
            .iter()
            .map(|path| format!("{created} {path}")),
    );
    lines.extend(report.tools.as_ref().map(tools_line));
    let additions = &report.additions;
    for source in &additions.sources {
        lines.push(format!("{added} source {}: {}", source.name, source.url));
    }
    for resource in &additions.added {
        lines.push(format!("{added} {}", line(resource)));
    }
    for resource in &additions.changed {
        let changes = resource.changes.join(", ");
        lines.push(format!("{changed} {}: {changes}", resource.id));
    }
    for id in &additions.present {
        lines.push(format!("{id} is already in the manifest"));
    }
    lines.extend(left_out_lines(&additions.left_out, detail));
    lines
}

fn tools_line(tools: &ProjectTools) -> String {
    let names = tools.tools.join(", ");
    match tools.origin {
        ToolsOrigin::Option | ToolsOrigin::Question => format!("Tools: {names}"),
        ToolsOrigin::Project => format!("Tools: {names} (found in this project)"),
        ToolsOrigin::Home => format!("Tools: {names} (found in your home directory)"),
        ToolsOrigin::Format => format!("Tools: {names} (the format of what was added)"),
        ToolsOrigin::Default => {
            format!("Tools: {names} (default; choose others with `--tool`)")
        }
    }
}

fn left_out_lines(left_out: &[LeftOutResource], detail: DetailLevel) -> Vec<String> {
    if detail == DetailLevel::All {
        return left_out.iter().map(|one| left_out_line(&[one])).collect();
    }
    let mut alike: Vec<Vec<&LeftOutResource>> = Vec::new();
    for one in left_out {
        let is_alike = |group: &&mut Vec<&LeftOutResource>| {
            (&group[0].tools, &group[0].reason) == (&one.tools, &one.reason)
        };
        match alike.iter_mut().find(is_alike) {
            Some(group) => group.push(one),
            None => alike.push(vec![one]),
        }
    }
    // A reason that many share says most.
    alike.sort_by_key(|group| Reverse(group.len()));
    let shown = alike.iter().take(MOST_LEFT_OUT);
    let mut lines: Vec<String> = shown.map(|group| left_out_line(group)).collect();
    let more = alike.iter().skip(MOST_LEFT_OUT).map(Vec::len).sum();
    if more > 0 {
        let count = counted(more, "resource", "resources");
        lines.push(format!("Left out {count} more; `-v` lists them"));
    }
    lines
}

/// One line for what was left out for the same reason.
fn left_out_line(alike: &[&LeftOutResource]) -> String {
    let named = alike.iter().take(MOST_NAMED).map(|one| match &one.part {
        Some(part) => format!("{part} of {}", one.id),
        None => one.id.clone(),
    });
    let mut what = named.collect::<Vec<_>>().join(", ");
    if let Some(more) = alike.len().checked_sub(MOST_NAMED).filter(|more| *more > 0) {
        what.push_str(&format!(" and {more} more"));
    }
    let LeftOutResource { tools, reason, .. } = alike[0];
    if !tools.is_empty() {
        what.push_str(&format!(" for {}", tools.join(", ")));
    }
    one_line(&format!("Left out {what}: {reason}"))
}

fn line(resource: &AddedResource) -> String {
    if resource.is_inline {
        return format!("{}: {}", resource.id, resource.path);
    }
    let version = resource
        .version
        .as_ref()
        .map(|version| match &resource.commit {
            Some(commit) => format!(" {version} ({commit})"),
            None => format!(" {version}"),
        });
    let source = resource.source.as_ref().map(|source| format!("{source}:"));
    format!(
        "{}{} from {}{}",
        resource.id,
        version.unwrap_or_default(),
        source.unwrap_or_default(),
        resource.path
    )
}
