use std::process::ExitCode;

use agpm_app::lock_merge::{LockMergeRequest, merge_locks};
use agpm_app::project::world::World;

use crate::args::LockCommand;
use crate::output::Output;

pub(crate) fn run(world: &World, what: LockCommand, output: &mut Output) -> ExitCode {
    let LockCommand::Merge { base, ours, theirs } = what;
    let request = LockMergeRequest { base, ours, theirs };
    output.finish(
        merge_locks(world, &request),
        agpm_report::lock_merge::render,
    )
}
