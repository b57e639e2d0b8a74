use std::process::ExitCode;

use agpm_app::cache::{CacheRequest, CleanExtent, cache};
use agpm_app::project::world::World;
use agpm_app::project::write_mode::WriteMode;

use crate::args::CacheCommand;
use crate::output::Output;

pub(crate) fn run(world: &World, what: CacheCommand, output: &mut Output) -> ExitCode {
    let request = match what {
        CacheCommand::Info => CacheRequest::Info,
        CacheCommand::Clean {
            all,
            older_than,
            dry_run,
        } => CacheRequest::Clean {
            extent: if all {
                CleanExtent::All
            } else {
                CleanExtent::Unused(older_than)
            },
            writing: if dry_run {
                WriteMode::Show
            } else {
                WriteMode::Apply
            },
        },
    };
    output.finish(cache(world, request), agpm_report::cache::render)
}
