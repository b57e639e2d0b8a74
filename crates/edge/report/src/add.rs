//! The added resources, their files, the commands they run, and how to undo it.

use agpm_ops::{AddReport, AddedResource, WriteMode};

use crate::install;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::StyledLine;

/// The report as text or as a document.
pub fn render(mut report: AddReport, context: &RenderContext<'_>) -> RenderedReport {
    let undo = report.undo.take();
    report.undo = undo.map(|command| context.commands.complete(&command));
    if context.json {
        return context.document(&report);
    }
    let (added, created) = match report.writing {
        WriteMode::Apply => ("Added", "Created"),
        WriteMode::Show => ("Would add", "Would create"),
    };
    let mut lines = Vec::new();
    if let Some(manifest) = &report.created {
        lines.push(StyledLine::plain(format!("{created} {manifest}")));
    }
    for source in &report.sources {
        let text = format!("{added} source {}: {}", source.name, source.url);
        lines.push(StyledLine::plain(text));
    }
    for resource in &report.added {
        lines.push(StyledLine::plain(format!("{added} {}", line(resource))));
    }
    for id in &report.present {
        lines.push(StyledLine::plain(format!(
            "{id} is already in the manifest"
        )));
    }
    if let Some(installed) = &report.installed {
        let (detail, elapsed) = (context.pen.detail, context.screen.elapsed);
        lines.extend(install::styled_lines(installed, detail, elapsed));
    }
    if let Some(command) = report.undo {
        lines.push(StyledLine::plain(format!("Undo it with `{command}`")));
    }
    RenderedReport::DoneLines(lines)
}

fn line(resource: &AddedResource) -> String {
    let version = resource
        .version
        .as_ref()
        .map(|version| format!(" {version}"));
    let source = resource.source.as_ref().map(|source| format!("{source}:"));
    format!(
        "{}{} from {}{}",
        resource.id,
        version.unwrap_or_default(),
        source.unwrap_or_default(),
        resource.path
    )
}
