use std::process::ExitCode;

use agpm_ops::{Overwrite, PastEntry, UndoReport, UndoRequest, World, Writing, done_word, undo, undone_word};

use crate::args::UndoArgs;
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: &UndoArgs, output: &mut Output) -> ExitCode {
    let request = UndoRequest {
        writing: if args.list { Writing::Show } else { Writing::Apply },
        overwrite: if args.force { Overwrite::Everything } else { Overwrite::Nothing },
    };
    output.finish(undo(world, &request), render)
}

fn render(report: UndoReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    let entries = report.entries.iter();
    match report.writing {
        Writing::Show => Rendering::Text(entries.map(listed).collect()),
        Writing::Apply => Rendering::Done(entries.map(undone).collect()),
    }
}

fn listed(entry: &PastEntry) -> String {
    let line = |(path, done): &(_, _)| format!("  {} {path}\n", done_word(*done));
    format!("{} {}\n{}", entry.number, entry.title, entry.files.iter().map(line).collect::<String>())
}

fn undone(entry: &PastEntry) -> String {
    let line = |(path, done): &(_, _)| format!("{} {path}\n", undone_word(*done));
    let lines: String = entry.files.iter().map(line).collect();
    format!("{lines}undone: {} {}\n", entry.number, entry.title)
}
