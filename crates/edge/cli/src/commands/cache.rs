use std::process::ExitCode;

use agpm_ops::{CacheReport, CacheRequest, CachedCopy, CleanExtent, World, Writing, cache, size};

use crate::args::CacheCommand;
use crate::output::{Output, Rendering, Shown};

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
                Writing::Show
            } else {
                Writing::Apply
            },
        },
    };
    output.finish(cache(world, request), render)
}

fn render(report: CacheReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    let (verb, total) = match report.request {
        CacheRequest::Info => ("  ", ""),
        CacheRequest::Clean {
            writing: Writing::Apply,
            ..
        } => ("removed ", "freed"),
        CacheRequest::Clean {
            writing: Writing::Show,
            ..
        } => ("would remove ", "would be freed"),
    };
    let mut lines: String = report.copies.iter().map(|copy| line(verb, copy)).collect();
    if report.leftovers > 0 {
        lines.push_str(&format!(
            "{verb}files of interrupted runs  {}\n",
            size(report.leftovers)
        ));
    }
    let sum = size(report.bytes());
    match report.request {
        CacheRequest::Info => Rendering::Text(format!("{}  {sum}\n{lines}", report.folder)),
        _ if lines.is_empty() => Rendering::Done("nothing to remove\n".to_owned()),
        _ => Rendering::Done(format!("{lines}{sum} {total}\n")),
    }
}

fn line(verb: &str, copy: &CachedCopy) -> String {
    format!(
        "{verb}{}  {}\n",
        copy.address.as_deref().unwrap_or("(unfinished)"),
        size(copy.bytes)
    )
}
