use std::process::ExitCode;

use agpm_app::approve::{approve, programs, unapproved, waiting};
use agpm_app::project::permits::ProjectPrograms;
use agpm_app::project::world::World;
use agpm_diag::Outcome;

use crate::args::ApproveArgs;
use crate::output::Output;
use crate::terminal::{can_ask, confirm};

pub(crate) fn run(world: &World, args: &ApproveArgs, output: &mut Output) -> ExitCode {
    let Outcome {
        result,
        diagnostics,
        sources,
        log,
    } = programs(world);
    let programs = match result {
        Ok(programs) if programs.needs_approval() => programs,
        Ok(programs) => {
            let waiting = waiting(world, programs);
            return output.finish(waiting, agpm_report::approve::render_known);
        }
        other => {
            return output.finish(
                Outcome {
                    result: other,
                    diagnostics,
                    sources,
                    log,
                },
                agpm_report::approve::render_known,
            );
        }
    };
    let outcome = if args.yes || is_confirmed(&programs, output.json) {
        approve(world, programs)
    } else {
        unapproved(&programs)
    };
    output.finish(outcome, agpm_report::approve::render_approved)
}

/// Asks for confirmation on a terminal.
fn is_confirmed(programs: &ProjectPrograms, json: bool) -> bool {
    let project = agpm_report::one_line(&programs.project.display().to_string());
    let question = format!(
        "{}Let agpm run this in {project}?",
        agpm_report::approve::lines(programs)
    );
    !json && can_ask() && confirm(&question) == Some(true)
}
