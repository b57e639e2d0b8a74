use std::process::ExitCode;

use agpm_ops::{InitRequest, World, init};

use crate::args::InitArgs;
use crate::commands::change::replace;
use crate::output::Output;

pub(crate) fn run(world: &World, args: InitArgs, output: &mut Output) -> ExitCode {
    let request = InitRequest {
        folder: args.path,
        replace: replace(args.force),
    };
    output.finish(init(world, &request), agpm_report::init::render)
}
