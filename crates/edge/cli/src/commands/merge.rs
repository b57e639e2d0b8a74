use std::process::ExitCode;

use agpm_ops::{MergeReport, MergeRequest, OutputFormat, World, merge, success_value};

use crate::args::{MergeArgs, MergeFormat};
use crate::commands::{inputs, provenance};
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: MergeArgs, output: &mut Output) -> ExitCode {
    let format = args.format.map(|format| match format {
        MergeFormat::Json => OutputFormat::Json,
        MergeFormat::Yaml => OutputFormat::Yaml,
        MergeFormat::Toml => OutputFormat::Toml,
    });
    // With `--format json` failures are JSON too.
    output.json |= format == Some(OutputFormat::Json);
    let format = if output.json { Some(OutputFormat::Json) } else { format };
    let request = MergeRequest { inputs: inputs(args.fold, args.files), format, explain: args.explain };
    output.finish(merge(world, &request), render)
}

fn render(report: MergeReport, shown: &Shown<'_>) -> Rendering {
    match &report.explained {
        None => Rendering::Pieces(report.output),
        Some((value, provenance)) if shown.json => {
            let fields = [("value", value.clone())].into_iter().chain(provenance.fields()).collect();
            Rendering::report(&success_value(fields, shown.diagnostics, shown.sources))
        }
        Some((_, provenance)) => Rendering::Text(provenance::text(provenance)),
    }
}
