//! The transactions that were undone, or can be.

use agpm_app::undo::{PastEntry, UndoAction, UndoReport};
use agpm_diag::counted;

use crate::diagnostics::DetailLevel;
use crate::rendering::{RenderContext, RenderedReport};

/// How many files of a transaction are shown, unless everything is.
const MOST_FILES: usize = 10;

/// Transactions with their files, or a document.
pub fn render(report: &UndoReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(report);
    }
    let detail = context.pen.detail;
    match report.action {
        UndoAction::List if report.entries.is_empty() => RenderedReport::Empty(
            "No changes to undo. Commands that change files, such as `agpm install`, record them.",
        ),
        UndoAction::List => RenderedReport::Text(listed(&report.entries, most_files(detail))),
        UndoAction::Preview => RenderedReport::Text(text(report, detail)),
        UndoAction::Apply => RenderedReport::Done(text(report, detail)),
    }
}

fn most_files(detail: DetailLevel) -> usize {
    match detail {
        DetailLevel::All => usize::MAX,
        DetailLevel::Folded => MOST_FILES,
    }
}

/// One line for each transaction, with its files under it.
fn listed(entries: &[PastEntry], most: usize) -> String {
    let numbers = entries.iter().map(|entry| entry.number.len());
    let width = numbers.max().unwrap_or(0);
    let titles = entries.iter().map(|entry| entry.title.chars().count());
    let title_width = titles.max().unwrap_or(0);
    let mut text = String::new();
    for entry in entries {
        let number = &entry.number;
        if let Some(why) = &entry.damaged {
            text.push_str(&format!("{number:>width$} (its record {why})\n"));
            continue;
        }
        // Seconds and the zone are in JSON.
        let time = entry.time.as_deref().and_then(|time| time.get(..16));
        let time = time.unwrap_or("unknown time").replace('T', " ");
        let (title, summary) = (&entry.title, entry.summary());
        text.push_str(&format!(
            "{number:>width$}  {time:<16}  {title:<title_width$}  {summary}\n"
        ));
        let files = entry.files.iter();
        let lines = files.map(|(path, done)| format!("  {} {path}\n", done.word()));
        text.push_str(&folded(lines, "  ", most));
    }
    text
}

/// The transactions that were undone.
pub(crate) fn text(report: &UndoReport, detail: DetailLevel) -> String {
    let (Some(newest), Some(oldest)) = (report.entries.first(), report.entries.last()) else {
        return String::new();
    };
    let changes = report.changes.iter();
    let lines = changes.map(|(path, done)| format!("{} {path}\n", done.undone_word()));
    let mut text = folded(lines, "", most_files(detail));
    for path in &report.kept {
        text.push_str(&format!("kept {path} (changed since)\n"));
    }
    if let Some(path) = &report.kept_manifest {
        text.push_str(&format!("kept {path} (edited after it was created)\n"));
    }
    let count = |word: &str| {
        let changes = report.changes.iter();
        changes
            .filter(|(_, done)| done.undone_word() == word)
            .count()
    };
    let counts = match (count("restored"), count("removed")) {
        (0, 0) => "no files changed".to_owned(),
        (0, removed) => format!("{} removed", counted(removed, "file", "files")),
        (restored, 0) => format!("{} restored", counted(restored, "file", "files")),
        (restored, removed) => format!(
            "{} restored, {removed} removed",
            counted(restored, "file", "files")
        ),
    };
    let did = if report.action == UndoAction::Preview {
        "Would undo"
    } else {
        "Undid"
    };
    let which = if report.entries.len() == 1 {
        format!("transaction {} ({})", newest.number, newest.title)
    } else {
        format!("transactions {} to {}", oldest.number, newest.number)
    };
    format!("{text}{did} {which}: {counts}\n")
}

/// Returns the first lines, with the number of the remaining ones.
fn folded(lines: impl Iterator<Item = String>, indent: &str, most: usize) -> String {
    let lines: Vec<String> = lines.collect();
    let count = if lines.len() <= most.saturating_add(1) {
        lines.len()
    } else {
        most
    };
    let mut text = lines[..count].concat();
    if let more @ 1.. = lines.len() - count {
        text.push_str(&format!("{indent}and {more} more\n"));
    }
    text
}
