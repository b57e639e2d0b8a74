use std::process::ExitCode;

use agpm_app::demo::{DemoRequest, demo};
use agpm_app::project::world::World;

use crate::args::DemoArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: DemoArgs, output: &mut Output) -> ExitCode {
    output.finish(
        demo(
            world,
            &DemoRequest {
                directory: args.dir,
            },
        ),
        agpm_report::demo::render,
    )
}
