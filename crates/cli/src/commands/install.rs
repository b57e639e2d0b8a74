use std::process::ExitCode;

use agpm_app::install::{
    ChangelogReading, FidelityPolicy, InstallReport, InstallRequest, TransitiveExecutables, install,
};
use agpm_app::project::world::World;
use agpm_app::project::write_mode::WriteMode;
use agpm_diag::WarningPolicy;
use agpm_model::LockUse;
use agpm_plan::OverwriteRule;
use agpm_report::Verdict;

use crate::args::InstallArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: &InstallArgs, output: &mut Output) -> ExitCode {
    let request = InstallRequest {
        lock: match (args.frozen, args.locked, args.no_lock) {
            (true, ..) => LockUse::Frozen,
            (_, true, _) => LockUse::Locked,
            (.., true) => LockUse::Unwritten,
            _ => LockUse::Update,
        },
        writing: if args.dry_run || args.check {
            WriteMode::Show
        } else {
            WriteMode::Apply
        },
        overwrite: match (args.force, args.adopt) {
            (true, _) => OverwriteRule::Everything,
            (_, true) => OverwriteRule::Unowned,
            _ => OverwriteRule::Nothing,
        },
        warnings: if args.strict {
            WarningPolicy::Stop
        } else {
            WarningPolicy::Report
        },
        executables: if args.allow_executables {
            TransitiveExecutables::Allowed
        } else {
            TransitiveExecutables::AsManifest
        },
        fidelity: if args.strict_fidelity {
            FidelityPolicy::Strict
        } else {
            FidelityPolicy::Report
        },
        changelogs: ChangelogReading::Skipped,
    };
    finish(install(world, &request), args.check, output)
}

/// Finishes every command that ends with an install.
pub(crate) fn finish(
    outcome: agpm_diag::Outcome<InstallReport>,
    check: bool,
    output: &mut Output,
) -> ExitCode {
    let judge = |report: &InstallReport, _: &[agpm_diag::Diagnostic]| {
        if check && report.changes_something() {
            Verdict::Findings
        } else {
            Verdict::Good
        }
    };
    output.finish_as(outcome, judge, agpm_report::install::render)
}
