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
        vec![
            row.name.clone(),
            kind_word(row.kind).to_owned(),
            row.source.clone(),
            row.current.clone(),
            row.allowed.clone(),
            row.newest.clone(),
        ]
    });
    Rendering::Text(table(&HEAD, &rows.collect::<Vec<_>>()))
}

/// The word for one of a kind.
fn kind_word(plural: &'static str) -> &'static str {
    match (ResourceType::named(plural), plural) {
        (Some(kind), _) => kind.singular(),
        (None, "layers") => "layer",
        (None, other) => other,
    }
}
