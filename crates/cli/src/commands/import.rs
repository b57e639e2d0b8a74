use std::process::ExitCode;

use agpm_app::import::{ImportRequest, found_imports, import};
use agpm_app::project::world::World;
use agpm_app::project::write_mode::WriteMode;

use crate::args::ImportArgs;
use crate::environment::variable;
use crate::output::Output;

pub(crate) fn run(world: &World, args: ImportArgs, output: &mut Output) -> ExitCode {
    let Some(format) = args.format else {
        return output.finish(found_imports(world), agpm_report::import::render_found);
    };
    let request = ImportRequest {
        format,
        file: args.file,
        directory: variable("AGENT_MANAGER_CONFIG_DIR"),
        writing: if args.dry_run {
            WriteMode::Show
        } else {
            WriteMode::Apply
        },
    };
    output.finish(import(world, &request), agpm_report::import::render)
}
