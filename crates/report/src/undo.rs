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
    let most = match context.pen.detail {
        DetailLevel::All => usize::MAX,
        DetailLevel::Folded => MOST_FILES,
    };
    let entries = report.entries.iter();
    match report.action {
        UndoAction::List if report.entries.is_empty() => RenderedReport::Empty(
            "No changes to undo. Commands that change files, such as `agpm install`, record them.",
        ),
        UndoAction::List => {
            RenderedReport::Text(entries.map(|entry| listed(entry, most)).collect())
        }
        UndoAction::Preview => {
            RenderedReport::Text(entries.map(|entry| undone(report, entry, most)).collect())
        }
        UndoAction::Apply => {
            RenderedReport::Done(entries.map(|entry| undone(report, entry, most)).collect())
        }
    }
}

/// The transactions that were undone.
pub(crate) fn text(report: &UndoReport, detail: DetailLevel) -> String {
    let most = match detail {
        DetailLevel::All => usize::MAX,
        DetailLevel::Folded => MOST_FILES,
    };
    let entries = report.entries.iter();
    entries.map(|entry| undone(report, entry, most)).collect()
}

fn listed(entry: &PastEntry, most: usize) -> String {
    if let Some(why) = &entry.damaged {
        return format!("{} (its record {why})\n", entry.number);
    }
    let lines = entry
        .files
        .iter()
        .map(|(path, done)| format!("  {} {path}\n", done.word()));
    format!(
        "{} {}\n{}",
        entry.number,
        entry.title,
        folded(lines, "  ", most)
    )
}

fn undone(report: &UndoReport, entry: &PastEntry, most: usize) -> String {
    let lines = report
        .changed(entry)
        .map(|(path, done)| format!("{} {path}\n", done.undone_word()));
    let mut text = folded(lines, "", most);
    if let Some(path) = &report.kept {
        text.push_str(&format!("kept {path} (edited after it was created)\n"));
    }
    let count = |word: &str| {
        report
            .changed(entry)
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
    format!(
        "{text}{did} transaction {} ({}): {counts}\n",
        entry.number, entry.title
    )
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
