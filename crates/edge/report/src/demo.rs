//! The demonstration project, with the output of its commands.

use agpm_ops::{DemoReport, DemoResult, markdown};
use agpm_text::{Format, print};

use crate::rendering::{RenderContext, RenderedReport};
use crate::{catalog, explain, install};

/// The project and its commands, or a document of its files.
pub fn render(report: DemoReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut steps: Vec<String> = STEPS
        .iter()
        .map(|step| step_text(step, &report, context))
        .collect();
    if let Some(last) = steps.last_mut() {
        *last += &format!("\nTry it yourself:\n\n  cd {}\n{NEXT}", report.directory);
    }
    RenderedReport::Steps(steps)
}

/// Commands to try next.
const NEXT: &str = "  agpm status
  agpm tree
  agpm explain .claude/settings.json --blame
  agpm diff --update
  agpm undo
";

/// One screen of the demonstration.
struct DemoStep {
    /// Its description, in one sentence.
    sentence: &'static str,
    /// The result of the report that it shows.
    is_shown: fn(&DemoResult) -> bool,
}

const STEPS: [DemoStep; 5] = [
    DemoStep {
        sentence: "Install what agpm.toml requires, and see what your tools would run.",
        is_shown: |result| matches!(result, DemoResult::Installed(_)),
    },
    DemoStep {
        sentence: "Merge company, team and personal settings, with the origin of each value.",
        is_shown: |result| matches!(result, DemoResult::Explained(_)),
    },
    DemoStep {
        sentence: "Merge a persona (CLIA) from the documents of several directories.",
        is_shown: |result| matches!(result, DemoResult::Persona(_)),
    },
    DemoStep {
        sentence: "Show the sandbox (bot-bottle) of an agent, with all that it extends.",
        is_shown: |result| matches!(result, DemoResult::Bottle(_)),
    },
    DemoStep {
        sentence: "List the catalogs (BMAD) of project, home and git; the highest entry wins.",
        is_shown: |result| matches!(result, DemoResult::Catalog(_)),
    },
];

fn step_text(step: &DemoStep, report: &DemoReport, context: &RenderContext<'_>) -> String {
    let mut text = format!("{}\n\n", step.sentence);
    for show in report
        .shows
        .iter()
        .filter(|show| (step.is_shown)(&show.result))
    {
        text += &format!(
            "  {}\n\n{}",
            show.command
                .replacen("agpm", &format!("agpm -C {}", report.directory), 1),
            result_text(&show.result, context)
        );
    }
    text
}

fn result_text(result: &DemoResult, context: &RenderContext<'_>) -> String {
    match result {
        DemoResult::Merged(file) => String::from_utf8_lossy(&file.to_bytes()).into_owned(),
        DemoResult::Installed(report) => install::text(report, context.pen.detail),
        DemoResult::Explained(origins) => explain::provenance_text(origins),
        DemoResult::Persona(persona) => markdown(persona, "Persona"),
        DemoResult::Bottle(agent) => print(agent, Format::Yaml).unwrap_or_default(),
        DemoResult::Catalog(report) => catalog::table(report, context.screen),
    }
}
