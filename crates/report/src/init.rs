//! The files of a new project, and what it contained before.

use std::fmt::Write as _;

use agpm_adopt::{AdoptedResource, ProjectSurvey};
use agpm_adopt::{InitReport, ManifestWrite};
use agpm_diag::counted;
use agpm_diag::visible;

use crate::rendering::{RenderContext, RenderedReport};

const NEXT: &str = "Next: run `agpm add OWNER/REPO` or `agpm add URL`\n";

/// The files that were written, or as a document.
pub fn render(report: InitReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut out = String::new();
    if let Some(found) = &report.found {
        out.push_str(&found_text(found));
    }
    if !report.tooling.tools.is_empty() {
        let location = match report.tooling.found_in {
            Some(agpm_adopt::DetectedIn::Home) => " (found in the home directory)",
            Some(agpm_adopt::DetectedIn::Project) => " (found in the project)",
            None => "",
        };
        let tools = report.tooling.tools.join(", ");
        let _ = writeln!(out, "tools: {tools}{location}");
    }
    for file in &report.files {
        let _ = match (file == "agpm.toml", report.manifest) {
            // The number of additions follows.
            (true, ManifestWrite::Extended) => Ok(()),
            (true, ManifestWrite::Replaced) => {
                writeln!(out, "Replaced {file}; `agpm undo` restores it")
            }
            _ => writeln!(out, "Wrote {file}"),
        };
    }
    out.push_str(&next_step(&report));
    RenderedReport::Done(context.commands.complete_text(&out).into_owned())
}

fn next_step(report: &InitReport) -> String {
    let Some(adopted) = &report.adopted else {
        let has_resources = report
            .found
            .as_ref()
            .is_some_and(|found| !found.resources.is_empty());
        return if has_resources {
            format!("To manage these files with agpm, run `agpm init --adopt`\n{NEXT}")
        } else {
            NEXT.to_owned()
        };
    };
    let mut out = String::new();
    for resource in adopted {
        let _ = writeln!(out, "adopted {}", adopted_line(resource));
    }
    let _ = match report.manifest {
        ManifestWrite::Extended if adopted.is_empty() => {
            return "Nothing to add: agpm.toml has all of them\n".to_owned();
        }
        ManifestWrite::Extended => writeln!(
            out,
            "Added {} to agpm.toml; no other file was changed",
            counted(adopted.len(), "dependency", "dependencies")
        ),
        ManifestWrite::Created | ManifestWrite::Replaced => writeln!(
            out,
            "Adopted {}; no file was changed",
            counted(adopted.len(), "resource", "resources")
        ),
    };
    out.push_str("Next: run `agpm install`\n");
    out
}

fn adopted_line(resource: &AdoptedResource) -> String {
    let id = &resource.id;
    let origin = match (&resource.url, &resource.version) {
        (Some(url), Some(version)) => format!("from {url} at {version}"),
        (Some(url), None) => format!("from {url}"),
        (None, _) => format!("in place, {}", visible(&resource.path)),
    };
    match &resource.note {
        Some(note) => format!("{id} {origin} ({note})"),
        None => format!("{id} {origin}"),
    }
}

/// The contents of a project, one line for each kind and tool.
pub fn found_text(found: &ProjectSurvey) -> String {
    let mut out = String::new();
    for resource in &found.resources {
        let _ = writeln!(
            out,
            "found {} {} ({})",
            resource.kind.singular(),
            visible(&resource.path),
            resource.tool
        );
    }
    for rule in &found.rules {
        let path = visible(&rule.path);
        let _ = writeln!(out, "found instructions {path} ({})", rule.tool);
    }
    for (what, files) in [("hooks", &found.hooks), ("MCP servers", &found.servers)] {
        for file in files {
            let (path, names) = (visible(&file.path), visible(&file.names.join(", ")));
            let _ = writeln!(out, "found {what} in {path}: {names} ({})", file.tool);
        }
    }
    for manager in &found.managers {
        let hint = match manager.format {
            Some(format) => format!(": agpm import {format}"),
            None => String::new(),
        };
        let path = visible(&manager.path);
        let _ = writeln!(out, "found {path} of {}{hint}", manager.name);
    }
    for skipped in &found.skipped {
        let (path, reason) = (visible(&skipped.path), &skipped.reason);
        let _ = writeln!(out, "skipped {path}: it {reason}");
    }
    out
}
