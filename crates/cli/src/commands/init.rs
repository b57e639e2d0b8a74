use std::process::ExitCode;

use agpm_adopt::ProjectSurvey;
use agpm_adopt::{Adoption, AdoptionAnswer};
use agpm_app::init::{InitRequest, init};
use agpm_app::project::world::World;

use crate::args::InitArgs;
use crate::commands::change::replace;
use crate::output::Output;
use crate::terminal::{can_ask, confirm};

pub(crate) fn run(world: &World, args: InitArgs, output: &mut Output) -> ExitCode {
    let ask = |found: &ProjectSurvey| {
        let found = agpm_report::init::found_text(found);
        match confirm(&format!(
            "{found}Manage these files with agpm? They stay as they are"
        )) {
            Some(true) => AdoptionAnswer::Yes,
            Some(false) => AdoptionAnswer::No,
            None => AdoptionAnswer::Cancel,
        }
    };
    let adoption = match (args.bare, args.adopt) {
        (true, _) => Adoption::Bare,
        (false, true) => Adoption::Describe,
        (false, false) if !args.yes && !output.json && can_ask() => Adoption::Ask(&ask),
        (false, false) => Adoption::Report,
    };
    let request = InitRequest {
        directory: args.path,
        tools: args.tools,
        replace: replace(args.force),
        adoption,
    };
    output.finish(init(world, &request), agpm_report::init::render)
}
