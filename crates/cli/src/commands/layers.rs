use std::process::ExitCode;

use agpm_ops::{World, layers};

use crate::output::Output;

pub(crate) fn run(world: &World, output: &mut Output) -> ExitCode {
    output.finish(layers(world), agpm_report::layers::render)
}
