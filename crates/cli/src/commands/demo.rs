use std::process::ExitCode;

use agpm_ops::{DemoRequest, World, demo};

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
