use std::process::ExitCode;

use agpm_app::list::{DiskCheck, ListDetail, ListRequest, cost, list};
use agpm_app::project::world::World;
use agpm_report::RenderedReport;
use agpm_report::list::ListForm;

use crate::args::{ListArgs, ListFormat};
use crate::formats::{two_formats, word};
use crate::output::Output;

pub(crate) fn run(world: &World, args: ListArgs, output: &mut Output) -> ExitCode {
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != ListFormat::Json)
    {
        return output.finish(two_formats(&word(other)), |(), _| {
            RenderedReport::Text(String::new())
        });
    }
    if args.cost {
        return output.finish(cost(world, args.tool.as_deref()), |report, context| {
            agpm_report::cost::render(&report, context)
        });
    }
    output.json |= args.format == Some(ListFormat::Json);
    let form = match args.format {
        Some(ListFormat::Yaml) => ListForm::Yaml,
        Some(ListFormat::Table | ListFormat::Json) | None => ListForm::Table,
    };
    let detail = if args.detailed {
        ListDetail::Patches
    } else {
        ListDetail::Locked
    };
    let ListArgs {
        kind,
        source,
        tool,
        search,
        ..
    } = args;
    let request = ListRequest {
        kind,
        source,
        tool,
        search,
        detail,
        disk: DiskCheck::Compare,
    };
    output.finish(list(world, &request), |report, context| {
        agpm_report::list::render(&report, form, context)
    })
}
