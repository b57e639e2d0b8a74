use std::process::ExitCode;

use agpm_ops::{
    Changelogs, Executables, Fidelity, InstallReport, InstallRequest, LockUse, Overwrite,
    PlanDetail, Warnings, World, Writing, install,
};

use crate::args::InstallArgs;
use crate::draw::one_line;
use crate::output::{Detail, Output, Rendering, Shown, Verdict};

pub(crate) fn run(world: &World, args: &InstallArgs, output: &mut Output) -> ExitCode {
    let request = InstallRequest {
        lock: match (args.frozen, args.locked, args.no_lock) {
            (true, ..) => LockUse::Frozen,
            (_, true, _) => LockUse::Locked,
            (.., true) => LockUse::Unwritten,
            _ => LockUse::Update,
        },
        writing: if args.dry_run || args.check {
            Writing::Show
        } else {
            Writing::Apply
        },
        overwrite: match (args.force, args.adopt) {
            (true, _) => Overwrite::Everything,
            (_, true) => Overwrite::Unowned,
            _ => Overwrite::Nothing,
        },
        warnings: if args.strict {
            Warnings::Stop
        } else {
            Warnings::Tell
        },
        executables: if args.allow_executables {
            Executables::Allowed
        } else {
            Executables::AsManifest
        },
        fidelity: if args.strict_fidelity {
            Fidelity::Strict
        } else {
            Fidelity::Tell
        },
        changelogs: Changelogs::Skipped,
    };
    finish(install(world, &request), args.check, output)
}

/// Ends every command that makes the disk match.
pub(crate) fn finish(
    outcome: agpm_ops::Outcome<InstallReport>,
    check: bool,
    output: &mut Output,
) -> ExitCode {
    let judge = |report: &InstallReport, _: &[agpm_diag::Diagnostic]| match check
        && report.changes_something()
    {
        true => Verdict::Findings,
        false => Verdict::Good,
    };
    output.finish_as(outcome, judge, render)
}

fn render(report: InstallReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    Rendering::Done(text(&report, shown))
}

/// The report as people read it.
pub(crate) fn text(report: &InstallReport, shown: &Shown<'_>) -> String {
    let detail = match shown.pen.detail {
        Detail::Folded => PlanDetail::Resources,
        Detail::All => PlanDetail::Files,
    };
    let lines: String = report
        .lines(detail)
        .iter()
        .map(|line| format!("{}\n", one_line(line)))
        .collect();
    format!("{lines}{}\n", report.summary())
}
