use std::process::ExitCode;

use agpm_ops::{CacheReport, CacheRequest, CachedCopy, World, cache};

use crate::args::CacheCommand;
use crate::output::{Output, Rendering, Shown};

const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

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
    Rendering::Text(match report.request {
        CacheRequest::Info => format!("{}  {sum}\n{copies}", report.folder),
        _ if shown.quiet => copies,
        _ if report.copies.is_empty() => "nothing to remove\n".to_owned(),
        _ => format!("{copies}{sum} freed\n"),
    })
}

fn line(copy: &CachedCopy, request: CacheRequest) -> String {
    let verb = if request == CacheRequest::Info { "  " } else { "removed " };
    format!("{verb}{}  {}\n", copy.address.as_deref().unwrap_or("(unfinished)"), size(copy.bytes))
}

/// Bytes as people read them.
fn size(bytes: u64) -> String {
    let mut shown = bytes as f64;
    let mut unit = None;
    for larger in UNITS {
        if shown < 1024.0 {
            break;
        }
        shown /= 1024.0;
        unit = Some(larger);
    }
    unit.map_or_else(|| format!("{bytes} B"), |unit| format!("{shown:.1} {unit}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        let shown = [0, 1023, 1024, 1536, 5 << 20, 3 << 40, u64::MAX].map(size);
        assert_eq!(shown, ["0 B", "1023 B", "1.0 KiB", "1.5 KiB", "5.0 MiB", "3.0 TiB", "16777216.0 TiB"]);
    }
}
