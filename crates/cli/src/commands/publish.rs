use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::project::write_mode::WriteMode;
use agpm_app::publish::{Overwriting, PublishFormat, PublishRequest, publish};
use agpm_report::publish::PublishDetails;

use crate::args::{PublishArgs, PublishFormatArg};
use crate::environment::variable;
use crate::output::Output;

pub(crate) fn run(
    world: &World,
    args: PublishArgs,
    is_verbose: bool,
    output: &mut Output,
) -> ExitCode {
    // With an output, the first word is a path: no URL is needed.
    let (target, paths) = match (args.target, &args.output) {
        (Some(first), Some(_)) => (None, [vec![first], args.paths].concat()),
        (target, _) => (target, args.paths),
    };
    let epoch = variable("SOURCE_DATE_EPOCH");
    let request = PublishRequest {
        target,
        paths,
        version: args.version,
        format: match args.format {
            PublishFormatArg::Library => PublishFormat::Library,
            PublishFormatArg::Skill => PublishFormat::Skill,
            PublishFormatArg::Site => PublishFormat::Site,
        },
        output: args.output,
        writing: if args.dry_run {
            WriteMode::Show
        } else {
            WriteMode::Apply
        },
        overwriting: if args.force {
            Overwriting::Allowed
        } else {
            Overwriting::Refused
        },
        epoch: epoch.and_then(|text| text.to_str()?.parse().ok()),
    };
    let details = if is_verbose {
        PublishDetails::All
    } else {
        PublishDetails::Result
    };
    output.finish(publish(world, &request), |report, context| {
        agpm_report::publish::render(report, details, context)
    })
}
