use std::process::ExitCode;

use agpm_app::diff::{DiffContent, DiffReport, DiffRequest, DiffTarget, diff};
use agpm_app::project::world::World;
use agpm_report::diff::DiffForm;
use agpm_report::{RenderedReport, Verdict};

use crate::args::{DiffArgs, DiffFormat};
use crate::formats::{two_formats, word};
use crate::output::Output;

pub(crate) fn run(world: &World, args: DiffArgs, output: &mut Output) -> ExitCode {
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != DiffFormat::Json)
    {
        return output.finish(two_formats(&word(other)), |(), _| {
            RenderedReport::Text(String::new())
        });
    }
    output.json |= args.format == Some(DiffFormat::Json);
    let form = match (args.format, args.stat) {
        (Some(DiffFormat::Markdown), _) => DiffForm::Markdown,
        (_, true) => DiffForm::Summary,
        _ => DiffForm::Lines,
    };
    let request = DiffRequest {
        ids: args.ids,
        target: match args.from {
            Some(reference) => DiffTarget::Ref(reference),
            None if args.update => DiffTarget::Update,
            None => DiffTarget::Install,
        },
        content: if args.executables {
            DiffContent::Executables
        } else {
            DiffContent::Everything
        },
    };
    let judge = |report: &DiffReport, _: &[agpm_diag::Diagnostic]| {
        if args.exit_code && !report.is_empty() {
            Verdict::Findings
        } else {
            Verdict::Good
        }
    };
    output.finish_as(diff(world, &request), judge, |report, context| {
        agpm_report::diff::render(&report, form, context)
    })
}
