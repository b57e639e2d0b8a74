use std::process::ExitCode;

use agpm_app::merge::{MergeRequest, merge};
use agpm_app::project::world::World;
use agpm_merge::OutputFormat;

use crate::args::{MergeArgs, MergeFormat};
use crate::formats::{two_formats, word};
use crate::output::Output;

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
        return output.finish(two_formats(&word(other)), agpm_report::merge::render);
    }
    // With `--format json` failures are JSON too.
    output.json |= format == Some(OutputFormat::Json);
    let format = if output.json {
        Some(OutputFormat::Json)
    } else {
        format
    };
    let request = MergeRequest {
        inputs: args.fold.inputs(args.files),
        format,
        explain: args.explain,
    };
    output.finish(merge(world, &request), agpm_report::merge::render)
}
