use std::process::ExitCode;

use agpm_ops::{InstallRequest, LockUse, Overwrite, UpdateRequest, Warnings, World, Writing, update};

use crate::args::UpdateArgs;
use crate::commands::install;
use crate::output::Output;

pub(crate) fn run(world: &World, args: UpdateArgs, output: &mut Output) -> ExitCode {
    let install = InstallRequest {
        lock: LockUse::Update,
        writing: if args.dry_run || args.check { Writing::Show } else { Writing::Apply },
        overwrite: if args.force { Overwrite::Everything } else { Overwrite::Nothing },
        warnings: Warnings::Tell,
    };
    let outcome = update(world, &UpdateRequest { names: args.names, install });
    install::finish(outcome, args.check, output)
}
