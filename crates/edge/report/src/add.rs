//! What was added, where it went, what it may run, and how to take it back.

use agpm_ops::{AddReport, AddedResource, Writing};

use crate::install;
use crate::rendering::{RenderContext, RenderedReport};

/// The report as text or as a document.
pub fn render(report: AddReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let (added, created) = match report.writing {
        Writing::Apply => ("Added", "Created"),
        Writing::Show => ("Would add", "Would create"),
    };
    let mut text = String::new();
    if let Some(manifest) = &report.created {
        text += &format!("{created} {manifest}\n");
    }
    for source in &report.sources {
        text += &format!("{added} source {}: {}\n", source.name, source.url);
    }
    for one in &report.added {
        text += &format!("{added} {}\n", line(one));
    }
    for id in &report.present {
        text += &format!("{id} is in the manifest already\n");
    }
    if let Some(installed) = &report.installed {
        text += &install::text(installed, context.pen.detail);
    }
    if let Some(command) = report.undo {
        text += &format!("Take it back with `{command}`\n");
    }
    RenderedReport::Done(text)
}

fn line(one: &AddedResource) -> String {
    let version = one.version.as_ref().map(|version| format!(" {version}"));
    let source = one.source.as_ref().map(|source| format!("{source}:"));
    format!(
        "{}{} from {}{}",
        one.id,
        version.unwrap_or_default(),
        source.unwrap_or_default(),
        one.path
    )
}
