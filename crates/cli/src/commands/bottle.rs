use std::process::ExitCode;

use agpm_app::bottle::{BottleCheck, BottleInput, bottle_check, bottle_list, bottle_show};
use agpm_app::project::world::World;
use agpm_bottle::BottleView;
use agpm_diag::{Diagnostic, has_errors};
use agpm_merge::SecretDisplay;
use agpm_report::{RenderedReport, Verdict};

use crate::args::{BottleArgs, BottleCommand, BottleFormat};
use crate::formats::two_formats;
use crate::output::Output;

pub(crate) fn run(world: &World, command: BottleCommand, output: &mut Output) -> ExitCode {
    match command {
        BottleCommand::List { json_file } => output.finish(
            bottle_list(world, &BottleInput { json_file }),
            agpm_report::bottle::render_list,
        ),
        BottleCommand::Check(args) => {
            output.secrets = secrets(&args);
            let judge = |_: &BottleCheck, found: &[Diagnostic]| {
                if has_errors(found) {
                    Verdict::Findings
                } else {
                    Verdict::Good
                }
            };
            output.finish_as(
                bottle_check(world, &input(args)),
                judge,
                agpm_report::bottle::render_check,
            )
        }
        BottleCommand::Show {
            name,
            raw,
            format,
            args,
        } => {
            let view = if raw {
                BottleView::Raw
            } else {
                BottleView::Effective
            };
            let request = BottleShowRequest { name, view, format };
            show(world, &request, args, output)
        }
        BottleCommand::Agent { name, format, args } => {
            let view = BottleView::Agent;
            let request = BottleShowRequest { name, view, format };
            show(world, &request, args, output)
        }
    }
}

/// Whether the user requested secrets.
pub(crate) fn secrets(args: &BottleArgs) -> SecretDisplay {
    if args.show_secrets {
        SecretDisplay::Shown
    } else {
        SecretDisplay::Masked
    }
}

fn input(args: BottleArgs) -> BottleInput {
    BottleInput {
        json_file: args.json_file,
    }
}

/// A bottle or a bottle agent to print, and its form.
struct BottleShowRequest {
    name: String,
    view: BottleView,
    format: Option<BottleFormat>,
}

fn show(
    world: &World,
    request: &BottleShowRequest,
    args: BottleArgs,
    output: &mut Output,
) -> ExitCode {
    if output.json && request.format == Some(BottleFormat::Yaml) {
        return output.finish(two_formats("yaml"), |(), _| {
            RenderedReport::Text(String::new())
        });
    }
    output.json |= request.format == Some(BottleFormat::Json);
    output.secrets = secrets(&args);
    output.finish(
        bottle_show(world, &input(args), &request.name, request.view),
        |report, context| agpm_report::bottle::render_value(&report, context),
    )
}
