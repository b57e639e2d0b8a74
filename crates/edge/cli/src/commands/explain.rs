use std::process::ExitCode;

use agpm_ops::{ExplainReport, ExplainRequest, World, explain};

use crate::args::ExplainArgs;
use crate::commands::bottle::secrets;
use crate::commands::inputs;
use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: ExplainArgs, output: &mut Output) -> ExitCode {
    output.secrets = secrets(&args.bottle);
    let request = ExplainRequest {
        what: args.what,
        pointer: args.pointer,
        inputs: inputs(args.fold, args.from),
        secrets: output.secrets,
        json_file: args.bottle.json_file,
    };
    output.finish(explain(world, &request), render)
}

fn render(report: ExplainReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    match &report {
        ExplainReport::Page(_) => Rendering::Text(report.text()),
        ExplainReport::Values { .. } | ExplainReport::Resource { .. } => Rendering::Text(
            report
                .text()
                .lines()
                .map(|line| format!("{}\n", one_line(line)))
                .collect(),
        ),
    }
}
