use std::process::ExitCode;

use agpm_app::blame::blame;
use agpm_app::explain::{ExplainRequest, explain};
use agpm_app::project::world::World;
use agpm_report::explain::PageExtent;

use crate::args::ExplainArgs;
use crate::commands::bottle::secrets;
use crate::output::Output;

pub(crate) fn run(world: &World, args: ExplainArgs, output: &mut Output) -> ExitCode {
    output.secrets = secrets(&args.bottle);
    let extent = if args.full {
        PageExtent::Full
    } else {
        PageExtent::Summary
    };
    let request = ExplainRequest {
        what: args.what,
        pointer: args.pointer,
        inputs: args.fold.inputs(args.from),
        secrets: output.secrets,
        json_file: args.bottle.json_file,
    };
    if args.blame {
        return output.finish(blame(world, &request), agpm_report::blame::render);
    }
    output.finish(explain(world, &request), |report, context| {
        agpm_report::explain::render(report, extent, context)
    })
}
