use std::process::ExitCode;

use agpm_ops::{ImportRequest, World, WriteMode, found_imports, import};

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
