use std::process::ExitCode;

use agpm_ops::{
    Overwrite, PastEntry, UndoAction, UndoReport, UndoRequest, World, counted, done_word, undo,
    undone_word,
};

use crate::args::UndoArgs;
use crate::output::{Output, Rendering, Shown};

/// How many files of a transaction are shown without `-v`.
const MOST_FILES: usize = 10;

pub(crate) fn run(world: &World, args: &UndoArgs, output: &mut Output) -> ExitCode {
    let action = match (args.list, args.dry_run) {
        (true, _) => UndoAction::List,
        (false, true) => UndoAction::Preview,
        (false, false) => UndoAction::Apply,
    };
    let overwrite = if args.force {
        Overwrite::Everything
    } else {
        Overwrite::Nothing
    };
    let most = if output.is_verbose() {
        usize::MAX
    } else {
        MOST_FILES
    };
    output.finish(
        undo(world, &UndoRequest { action, overwrite }),
        |report, shown| render(&report, shown, most),
    )
}

fn render(report: &UndoReport, shown: &Shown<'_>, most: usize) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    let entries = report.entries.iter();
    match report.action {
        UndoAction::List => Rendering::Text(entries.map(|entry| listed(entry, most)).collect()),
        UndoAction::Preview => {
            Rendering::Text(entries.map(|entry| undone(report, entry, most)).collect())
        }
        UndoAction::Apply => {
            Rendering::Done(entries.map(|entry| undone(report, entry, most)).collect())
        }
    }
}

fn listed(entry: &PastEntry, most: usize) -> String {
    if let Some(why) = &entry.damaged {
        return format!("{} (its record {why})\n", entry.number);
    }
    let lines = entry
        .files
        .iter()
        .map(|(path, done)| format!("  {} {path}\n", done_word(*done)));
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
        .map(|(path, done)| format!("{} {path}\n", undone_word(*done)));
    let mut text = folded(lines, "", most);
    if let Some(kept) = &report.kept {
        text.push_str(&format!("kept {kept} (edited after it was created)\n"));
    }
    let count = |word: &str| {
        report
            .changed(entry)
            .filter(|(_, done)| undone_word(*done) == word)
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

/// The first lines, and how many more there are.
fn folded(lines: impl Iterator<Item = String>, indent: &str, most: usize) -> String {
    let lines: Vec<String> = lines.collect();
    let shown = if lines.len() <= most.saturating_add(1) {
        lines.len()
    } else {
        most
    };
    let mut text = lines[..shown].concat();
    if let more @ 1.. = lines.len() - shown {
        text.push_str(&format!("{indent}and {more} more\n"));
    }
    text
}
