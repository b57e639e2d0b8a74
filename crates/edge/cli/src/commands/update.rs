use std::process::ExitCode;

use agpm_ops::{
    Changelogs, Executables, InstallRequest, OverwriteRule, UpdateRequest, World, Writing, update,
};

use crate::args::UpdateArgs;
use crate::commands::install;
use crate::output::Output;

pub(crate) fn run(world: &World, args: UpdateArgs, output: &mut Output) -> ExitCode {
    let install = InstallRequest {
        writing: if args.dry_run || args.check {
            Writing::Show
        } else {
            Writing::Apply
        },
        overwrite: if args.force {
            OverwriteRule::Everything
        } else {
            OverwriteRule::Nothing
        },
        executables: if args.allow_executables {
            Executables::Allowed
        } else {
            Executables::AsManifest
        },
        changelogs: if output.json {
            Changelogs::Read
        } else {
            Changelogs::Skipped
        },
        ..InstallRequest::PLAIN
    };
    let outcome = update(
        world,
        &UpdateRequest {
            names: args.names,
            install,
        },
    );
    install::finish(outcome, args.check, output)
}
