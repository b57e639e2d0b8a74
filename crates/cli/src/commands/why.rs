use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::why::{WhyRequest, why};

use crate::args::WhyArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: WhyArgs, output: &mut Output) -> ExitCode {
    output.finish(
        why(world, &WhyRequest { name: args.name }),
        agpm_report::why::render,
    )
}
