use std::process::ExitCode;

use agpm_app::browse::{BrowseRequest, browse};
use agpm_app::project::world::World;
use agpm_app::search::{IndexUse, SearchRequest, search};

use crate::args::{BrowseArgs, SearchArgs};
use crate::output::Output;
use crate::terminal::stdout_width;

pub(crate) fn run(world: &World, args: BrowseArgs, output: &mut Output) -> ExitCode {
    let request = BrowseRequest {
        address: args.address,
        query: args.query.join(" "),
        kind: args.kind,
        limit: args.limit,
    };
    output.finish(browse(world, &request), |report, context| {
        agpm_report::browse::render(report, stdout_width(), context)
    })
}

pub(crate) fn run_search(world: &World, args: SearchArgs, output: &mut Output) -> ExitCode {
    let request = SearchRequest {
        query: args.query.join(" "),
        kind: args.kind,
        limit: args.limit,
        index_use: if args.refresh {
            IndexUse::Refresh
        } else {
            IndexUse::Daily
        },
    };
    output.finish(search(world, &request), |report, context| {
        agpm_report::browse::render_search(report, stdout_width(), context)
    })
}
