use std::process::ExitCode;

use agpm_ops::{ExplainRequest, World, explain};

use crate::args::ExplainArgs;
use crate::commands::bottle::secrets;
use crate::output::Output;

pub(crate) fn run(world: &World, args: ExplainArgs, output: &mut Output) -> ExitCode {
    output.secrets = secrets(&args.bottle);
    let request = ExplainRequest {
        what: args.what,
        pointer: args.pointer,
        inputs: args.fold.inputs(args.from),
        secrets: output.secrets,
        json_file: args.bottle.json_file,
    };
    output.finish(explain(world, &request), agpm_report::explain::render)
}
