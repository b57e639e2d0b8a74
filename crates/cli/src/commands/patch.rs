use std::process::ExitCode;

use agpm_app::patch::{PatchSaveRequest, save_patch};
use agpm_app::project::world::World;
use agpm_app::project::write_mode::WriteMode;

use crate::args::PatchSaveArgs;
use crate::output::Output;

pub(crate) fn save(world: &World, args: PatchSaveArgs, output: &mut Output) -> ExitCode {
    let request = PatchSaveRequest {
        name: args.name,
        writing: if args.dry_run {
            WriteMode::Show
        } else {
            WriteMode::Apply
        },
    };
    output.finish(save_patch(world, &request), agpm_report::patch::render)
}
