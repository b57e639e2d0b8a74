use std::process::ExitCode;

use agpm_app::install::{ChangelogReading, InstallRequest, TransitiveExecutables};
use agpm_app::project::world::World;
use agpm_app::project::write_mode::WriteMode;
use agpm_app::update::{UpdateReport, UpdateRequest, UpdateTarget, update};
use agpm_plan::OverwriteRule;
use agpm_report::Verdict;

use crate::args::UpdateArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: UpdateArgs, output: &mut Output) -> ExitCode {
    let install = InstallRequest {
        writing: if args.dry_run || args.check {
            WriteMode::Show
        } else {
            WriteMode::Apply
        },
        overwrite: if args.force {
            OverwriteRule::Everything
        } else {
            OverwriteRule::Nothing
        },
        executables: if args.allow_executables {
            TransitiveExecutables::Allowed
        } else {
            TransitiveExecutables::AsManifest
        },
        changelogs: if output.json {
            ChangelogReading::Read
        } else {
            ChangelogReading::Skipped
        },
        ..InstallRequest::PLAIN
    };
    let outcome = update(
        world,
        &UpdateRequest {
            names: args.names,
            target: if args.latest {
                UpdateTarget::Latest
            } else {
                UpdateTarget::Allowed
            },
            install,
        },
    );
    let judge = |report: &UpdateReport, _: &[agpm_diag::Diagnostic]| {
        if args.check && (report.installed.changes_something() || !report.changed.is_empty()) {
            Verdict::Findings
        } else {
            Verdict::Good
        }
    };
    output.finish_as(outcome, judge, agpm_report::update::render)
}
