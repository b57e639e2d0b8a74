//! The demonstration project, and what commands show in it.

use agpm_ops::{DemoReport, DemoResult, markdown};
use agpm_text::{Format, print};

use crate::rendering::{RenderContext, RenderedReport};
use crate::{catalog, explain, install};

/// What to try next.
const COMMANDS: &[&str] = &[
    "agpm layers",
    "agpm tree",
    "agpm outdated",
    "agpm list --detailed",
    "agpm merge org/CLAUDE.md team/CLAUDE.md",
    "agpm explain file:CLAUDE.md",
    "agpm strategies",
    "agpm profile --list",
    "agpm explain bottle:rust /env --json-file sandboxes.json",
    "agpm catalog show planner",
    "agpm explain catalog:core/reviewer",
    "agpm doctor",
];

/// The project and its commands, or a document of its files.
pub fn render(report: DemoReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut out = format!(
        "A project with a git source, three layers, a persona, bottles and a catalog is in {}\n\n",
        report.folder
    );
    report
        .files
        .iter()
        .for_each(|file| out.push_str(&format!("  {file}\n")));
    for show in &report.shows {
        let result = match &show.result {
            DemoResult::Merged(file) => String::from_utf8_lossy(&file.to_bytes()).into_owned(),
            DemoResult::Installed(report) => install::text(report, context.pen.detail),
            DemoResult::Explained(origins) => explain::provenance_text(origins),
            DemoResult::Persona(persona) => markdown(persona, "Persona"),
            DemoResult::Bottle(agent) => print(agent, Format::Yaml).unwrap_or_default(),
            DemoResult::Catalog(report) => catalog::table(report),
        };
        out.push_str(&format!("\n$ {}\n{result}", show.command));
    }
    out.push_str(&format!("\nTry it yourself in {}:\n", report.folder));
    COMMANDS
        .iter()
        .for_each(|command| out.push_str(&format!("  {command}\n")));
    RenderedReport::Done(out)
}
