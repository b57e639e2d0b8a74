use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::undo::{UndoAction, UndoRequest, undo};
use agpm_plan::OverwriteRule;

use crate::args::UndoArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: &UndoArgs, output: &mut Output) -> ExitCode {
    let action = match (args.list, args.dry_run) {
        (true, _) => UndoAction::List,
        (false, true) => UndoAction::Preview,
        (false, false) => UndoAction::Apply,
    };
    let overwrite = if args.force {
        OverwriteRule::Everything
    } else {
        OverwriteRule::Nothing
    };
    output.finish(
        undo(
            world,
            &UndoRequest {
                action,
                first: args.number,
                overwrite,
            },
        ),
        |report, context| agpm_report::undo::render(&report, context),
    )
}
