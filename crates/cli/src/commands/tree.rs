use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::tree::{TreeDirection, TreeRequest, tree};
use agpm_report::RenderedReport;
use agpm_report::tree::TreeForm;

use crate::args::{TreeArgs, TreeFormat};
use crate::formats::{two_formats, word};
use crate::output::Output;

pub(crate) fn run(world: &World, args: TreeArgs, output: &mut Output) -> ExitCode {
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != TreeFormat::Json)
    {
        return output.finish(two_formats(&word(other)), |(), _| {
            RenderedReport::Text(String::new())
        });
    }
    output.json |= args.format == Some(TreeFormat::Json);
    let direction = if args.invert {
        TreeDirection::NeededBy
    } else {
        TreeDirection::Needs
    };
    let request = TreeRequest {
        names: args.names,
        depth: args.depth,
        direction,
    };
    let form = match args.format {
        Some(TreeFormat::Mermaid) => TreeForm::Mermaid,
        Some(TreeFormat::Dot) => TreeForm::Dot,
        Some(TreeFormat::Text | TreeFormat::Json) | None => TreeForm::Text,
    };
    output.finish(tree(world, &request), |report, context| {
        agpm_report::tree::render(&report, form, context)
    })
}
