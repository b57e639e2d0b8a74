use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::strategies::{StrategiesRequest, strategies};

use crate::args::StrategiesArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: StrategiesArgs, output: &mut Output) -> ExitCode {
    output.finish(
        strategies(world, &StrategiesRequest { name: args.name }),
        agpm_report::strategies::render,
    )
}
