use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::status::status;

use crate::output::Output;

pub(crate) fn run(world: &World, output: &mut Output) -> ExitCode {
    output.finish(status(world), agpm_report::status::render)
}
