use std::process::ExitCode;

use agpm_app::ci::{CheckCause, Restore, ci, ci_recursive};
use agpm_app::project::world::World;
use agpm_report::ci::CiForm;
use agpm_report::{RenderedReport, Verdict};

use crate::args::{CiArgs, CiFormat};
use crate::formats::{two_formats, word};
use crate::output::Output;

pub(crate) fn run(world: &World, args: &CiArgs, output: &mut Output) -> ExitCode {
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != CiFormat::Json)
    {
        return output.finish(two_formats(&word(other)), |(), _| {
            RenderedReport::Text(String::new())
        });
    }
    output.json |= args.format == Some(CiFormat::Json);
    let form = match args.format {
        Some(CiFormat::Github) => CiForm::GitHub,
        Some(CiFormat::Sarif) => CiForm::Sarif,
        Some(CiFormat::Junit) => CiForm::JUnit,
        Some(CiFormat::Text | CiFormat::Json) | None => CiForm::Text,
    };
    let restore = if args.install {
        Restore::Install
    } else {
        Restore::Nothing
    };
    let verdict =
        |cause: Option<CheckCause>| cause.map_or(Verdict::Good, |cause| Verdict::As(cause.kind()));
    if args.recursive {
        return output.finish_as(
            ci_recursive(world, restore),
            |report, _| verdict(report.cause()),
            |report, context| agpm_report::ci::render_recursive(report, form, context),
        );
    }
    output.finish_as(
        ci(world, restore),
        |report, _| verdict(report.cause()),
        |report, context| agpm_report::ci::render(report, form, context),
    )
}
