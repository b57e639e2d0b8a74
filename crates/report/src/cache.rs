//! The copies of sources, or those that were removed.

use agpm_app::cache::{CacheReport, CacheRequest, CachedCopy};
use agpm_app::project::write_mode::WriteMode;
use agpm_diag::size;

use crate::rendering::{RenderContext, RenderedReport};

/// The copies as lines, or as a document.
pub fn render(report: CacheReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let (verb, total) = match report.request {
        CacheRequest::Info => ("  ", ""),
        CacheRequest::Clean {
            writing: WriteMode::Apply,
            ..
        } => ("removed ", "Freed"),
        CacheRequest::Clean {
            writing: WriteMode::Show,
            ..
        } => ("would remove ", "Would free"),
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
        CacheRequest::Info => RenderedReport::Text(format!("{}  {sum}\n{lines}", report.directory)),
        _ if lines.is_empty() => RenderedReport::Done("Nothing to remove\n".to_owned()),
        _ => RenderedReport::Done(format!("{lines}{total} {sum}\n")),
    }
}

fn line(verb: &str, copy: &CachedCopy) -> String {
    format!(
        "{verb}{}  {}\n",
        copy.address.as_deref().unwrap_or("(unfinished)"),
        size(copy.bytes)
    )
}
