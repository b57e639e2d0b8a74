use std::process::ExitCode;

use agpm_model::ResourceType;
use agpm_ops::{OutdatedReport, OutdatedRequest, World, outdated};

use crate::args::OutdatedArgs;
use crate::commands::table::{counted, table};
use crate::output::{Output, Rendering, Shown, Verdict};

const HEAD: [&str; 6] = ["Name", "Type", "Source", "Current", "Allowed", "Newest"];

pub(crate) fn run(world: &World, args: OutdatedArgs, output: &mut Output) -> ExitCode {
    let judge = |report: &OutdatedReport, _: &[agpm_diag::Diagnostic]| {
        if args.check && !report.outdated.is_empty() { Verdict::Findings } else { Verdict::Good }
    };
    output.finish_as(outdated(world, &OutdatedRequest { names: args.names.clone() }), judge, render)
}

fn render(report: OutdatedReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    if report.outdated.is_empty() {
        let all = counted(report.checked, "resource is", "resources are");
        return Rendering::Text(format!("{all} up to date\n"));
    }
    let rows = report.outdated.iter().map(|row| {
        let kind = ResourceType::named(row.kind).map_or("layer", |kind| kind.singular()).to_owned();
        vec![
            row.name.clone(),
            kind,
            row.source.clone(),
            row.current.clone(),
            row.allowed.clone(),
            row.newest.clone(),
        ]
    });
    Rendering::Text(table(&HEAD, &rows.collect::<Vec<_>>()))
}
