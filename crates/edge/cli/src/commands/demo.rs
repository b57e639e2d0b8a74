use std::process::ExitCode;

use agpm_ops::{DemoReport, DemoRequest, DemoResult, World, demo, markdown, success_value};
use agpm_text::{Format, Value, print};

use crate::args::DemoArgs;
use crate::commands::{catalog, install};
use crate::output::{Output, Rendering, Shown};

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

pub(crate) fn run(world: &World, args: DemoArgs, output: &mut Output) -> ExitCode {
    output.finish(demo(world, &DemoRequest { folder: args.dir }), render)
}

fn render(report: DemoReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        let files = Value::list(report.files.iter().copied());
        let fields = vec![("folder", report.folder.into()), ("files", files)];
        return Rendering::report(&success_value(fields, shown.diagnostics, shown.sources));
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
            DemoResult::Installed(report) => install::text(report, shown),
            DemoResult::Explained(origins) => origins.text(),
            DemoResult::Persona(persona) => markdown(persona, "Persona"),
            DemoResult::Bottle(agent) => print(agent, Format::Yaml).unwrap_or_default(),
            DemoResult::Catalog(report) => catalog::drawn(report),
        };
        out.push_str(&format!("\n$ {}\n{result}", show.command));
    }
    out.push_str(&format!("\nTry it yourself in {}:\n", report.folder));
    COMMANDS
        .iter()
        .for_each(|command| out.push_str(&format!("  {command}\n")));
    Rendering::Done(out)
}
