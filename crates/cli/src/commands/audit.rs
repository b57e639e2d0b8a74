use std::process::ExitCode;

use agpm_app::audit::{AuditReport, AuditRequest, audit};
use agpm_app::project::world::World;
use agpm_report::audit::AuditForm;
use agpm_report::{RenderedReport, Verdict};

use crate::args::{AuditArgs, AuditFormat};
use crate::formats::{two_formats, word};
use crate::output::Output;

pub(crate) fn run(world: &World, args: AuditArgs, output: &mut Output) -> ExitCode {
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != AuditFormat::Json)
    {
        return output.finish(two_formats(&word(other)), |(), _| {
            RenderedReport::Text(String::new())
        });
    }
    output.json |= args.format == Some(AuditFormat::Json);
    let form = match args.format {
        Some(AuditFormat::Sarif) => AuditForm::Sarif,
        Some(AuditFormat::Text | AuditFormat::Json) | None => AuditForm::Text,
    };
    let request = AuditRequest {
        words: args.what,
        with: args.with,
    };
    let judge = |report: &AuditReport, _: &[agpm_diag::Diagnostic]| {
        if report.fails() {
            Verdict::Findings
        } else {
            Verdict::Good
        }
    };
    output.finish_as(audit(world, &request), judge, |report, context| {
        agpm_report::audit::render(report, form, context)
    })
}
