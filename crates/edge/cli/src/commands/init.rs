use std::process::ExitCode;

use agpm_ops::{InitReport, InitRequest, World, init};
use agpm_text::Value;

use crate::args::InitArgs;
use crate::commands::change::replace;
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: InitArgs, output: &mut Output) -> ExitCode {
    let request = InitRequest {
        folder: args.path,
        replace: replace(args.force),
    };
    output.finish(init(world, &request), render)
}

fn render(report: InitReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(vec![(
            "files",
            Value::list(report.files.iter().map(String::as_str)),
        )]);
    }
    let files: String = report
        .files
        .iter()
        .map(|file| format!("wrote {file}\n"))
        .collect();
    let next = "next: agpm add source NAME URL, then agpm add dep TYPE NAME:PATH@VERSION\n";
    Rendering::Done(format!("{files}{next}"))
}
