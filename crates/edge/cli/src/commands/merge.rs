use std::process::ExitCode;

use agpm_diag::{Diagnostic, codes};
use agpm_ops::{FailureKind, MergeReport, MergeRequest, Outcome, OutputFormat, World, merge, success_value};
use clap::ValueEnum;

use crate::args::{MergeArgs, MergeFormat};
use crate::commands::{inputs, provenance};
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: MergeArgs, output: &mut Output) -> ExitCode {
    let format = args.format.map(|format| match format {
        MergeFormat::Json => OutputFormat::Json,
        MergeFormat::Yaml => OutputFormat::Yaml,
        MergeFormat::Toml => OutputFormat::Toml,
    });
    if let Some(other) = args.format.filter(|format| output.json && *format != MergeFormat::Json) {
        return output.finish(two_formats(other), render);
    }
    // With `--format json` failures are JSON too.
    output.json |= format == Some(OutputFormat::Json);
    let format = if output.json { Some(OutputFormat::Json) } else { format };
    let request = MergeRequest { inputs: inputs(args.fold, args.files), format, explain: args.explain };
    output.finish(merge(world, &request), render)
}

/// `--json` is `--format json`, and a result has one format.
fn two_formats(other: MergeFormat) -> Outcome<MergeReport> {
    let other = other.to_possible_value().map_or_else(String::new, |value| format!(" {}", value.get_name()));
    let message = format!("`--json` and `--format{other}` ask for two formats");
    let diagnostic = Diagnostic::new(&codes::USAGE, message).help("leave out one of them");
    Outcome::failed(FailureKind::Usage, diagnostic)
}

fn render(report: MergeReport, shown: &Shown<'_>) -> Rendering {
    match &report.explained {
        None => Rendering::Pieces(report.output),
        Some(provenance) if shown.json => {
            Rendering::report(&success_value(provenance.fields(), shown.diagnostics, shown.sources))
        }
        Some(provenance) => Rendering::Text(provenance::text(provenance)),
    }
}
