use std::process::ExitCode;

use agpm_app::layers::layers;
use agpm_app::project::world::World;

use crate::output::Output;

pub(crate) fn run(world: &World, output: &mut Output) -> ExitCode {
    output.finish(layers(world), agpm_report::layers::render)
}
