use std::process::ExitCode;

use agpm_ops::{MergeReport, MergeRequest, OutputFormat, World, merge, success_value};

use crate::args::{MergeArgs, MergeFormat};
use crate::commands::{inputs, two_formats, word};
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: MergeArgs, output: &mut Output) -> ExitCode {
    let format = args.format.map(|format| match format {
        MergeFormat::Json => OutputFormat::Json,
        MergeFormat::Yaml => OutputFormat::Yaml,
        MergeFormat::Toml => OutputFormat::Toml,
    });
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != MergeFormat::Json)
    {
        return output.finish(two_formats(&word(other)), render);
    }
    // With `--format json` failures are JSON too.
    output.json |= format == Some(OutputFormat::Json);
    let format = if output.json {
        Some(OutputFormat::Json)
    } else {
        format
    };
    let request = MergeRequest {
        inputs: inputs(args.fold, args.files),
        format,
        explain: args.explain,
    };
    output.finish(merge(world, &request), render)
}

fn render(report: MergeReport, shown: &Shown<'_>) -> Rendering {
    match &report.explained {
        None => Rendering::Pieces(report.output),
        Some(provenance) if shown.json => Rendering::report(&success_value(
            provenance.fields(),
            shown.diagnostics,
            shown.sources,
        )),
        Some(provenance) => Rendering::Text(provenance.text()),
    }
}
