use std::process::ExitCode;

use agpm_ops::{CacheReport, CacheRequest, CachedCopy, World, cache, size};

use crate::args::CacheCommand;
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, what: CacheCommand, output: &mut Output) -> ExitCode {
    let request = match what {
        CacheCommand::Info => CacheRequest::Info,
        CacheCommand::Clean { all: false } => CacheRequest::CleanUnused,
        CacheCommand::Clean { all: true } => CacheRequest::CleanAll,
    };
    output.finish(cache(world, request), render)
}

fn render(report: CacheReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    let copies: String = report.copies.iter().map(|copy| line(copy, report.request)).collect();
    let sum = size(report.bytes());
    match report.request {
        CacheRequest::Info => Rendering::Text(format!("{}  {sum}\n{copies}", report.folder)),
        _ if report.copies.is_empty() => Rendering::Done("nothing to remove\n".to_owned()),
        _ => Rendering::Done(format!("{copies}{sum} freed\n")),
    }
}

fn line(copy: &CachedCopy, request: CacheRequest) -> String {
    let verb = if request == CacheRequest::Info { "  " } else { "removed " };
    format!("{verb}{}  {}\n", copy.address.as_deref().unwrap_or("(unfinished)"), size(copy.bytes))
}
