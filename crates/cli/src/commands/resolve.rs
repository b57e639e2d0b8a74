use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::resolve::{ResolveRequest, resolve};
use agpm_plan::ConflictTake;

use crate::args::ResolveArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: ResolveArgs, output: &mut Output) -> ExitCode {
    // The declaration requires exactly one of them.
    let take = if args.mine {
        ConflictTake::Mine
    } else if args.new {
        ConflictTake::New
    } else {
        ConflictTake::Merged
    };
    let request = ResolveRequest {
        name: args.name,
        take,
    };
    output.finish(resolve(world, &request), agpm_report::resolve::render)
}
