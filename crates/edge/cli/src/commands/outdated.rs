use std::process::ExitCode;

use agpm_model::ResourceType;
use agpm_ops::{
    LockfileState, MovedBranch, OutdatedReport, OutdatedRequest, OutdatedRows, World, outdated,
};

use crate::args::OutdatedArgs;
use crate::commands::table::{counted, table};
use crate::output::{Output, Rendering, Shown, Verdict};

const HEAD: [&str; 6] = ["Name", "Type", "Source", "Current", "Wanted", "Latest"];

pub(crate) fn run(world: &World, args: OutdatedArgs, output: &mut Output) -> ExitCode {
    let judge = |report: &OutdatedReport, _: &[agpm_diag::Diagnostic]| {
        let is_outdated = report.outdated.iter().any(|row| row.current != row.newest);
        let fails = is_outdated || report.lockfile == LockfileState::Missing;
        if args.check && fails {
            Verdict::Findings
        } else {
            Verdict::Good
        }
    };
    let rows = if args.all {
        OutdatedRows::All
    } else {
        OutdatedRows::Outdated
    };
    let request = OutdatedRequest {
        names: args.names.clone(),
        rows,
    };
    output.finish_as(outdated(world, &request), judge, render)
}

fn render(report: OutdatedReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    let moved: String = report.moved.iter().map(moved_line).collect();
    if report.lockfile == LockfileState::Missing {
        return Rendering::Text(String::new());
    }
    if report.outdated.is_empty() {
        let all = counted(report.checked, "resource is", "resources are");
        return Rendering::Text(format!("{all} up to date\n{moved}"));
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
    Rendering::Text(format!(
        "{}{moved}",
        table(&HEAD, &rows.collect::<Vec<_>>())
    ))
}

/// A branch that moved, in one line instead of one for each resource.
fn moved_line(moved: &MovedBranch) -> String {
    let unchanged = counted(moved.unchanged, "resource", "resources");
    format!(
        "{}: {} -> {}, {unchanged} without changes\n",
        moved.source, moved.current, moved.now
    )
}

/// The word for one of a kind.
fn kind_word(plural: &'static str) -> &'static str {
    match (ResourceType::named(plural), plural) {
        (Some(kind), _) => kind.singular(),
        (None, "layers") => "layer",
        (None, other) => other,
    }
}
