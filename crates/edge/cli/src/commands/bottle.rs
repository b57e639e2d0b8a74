use std::process::ExitCode;

use agpm_diag::{Diagnostic, has_errors};
use agpm_ops::{
    AgentRow, BottleCheck, BottleInput, BottleList, BottleRow, BottleValue, BottleView, Secrets,
    World, bottle_check, bottle_list, bottle_show,
};
use agpm_text::{Format, print};

use crate::args::{BottleArgs, BottleCommand, BottleFormat};
use crate::commands::table::{counted, table};
use crate::commands::two_formats;
use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown, Verdict};

pub(crate) fn run(world: &World, command: BottleCommand, output: &mut Output) -> ExitCode {
    match command {
        BottleCommand::List { json_file } => {
            output.finish(bottle_list(world, &BottleInput { json_file }), rows)
        }
        BottleCommand::Check(args) => {
            output.secrets = secrets(&args);
            let judge = |_: &BottleCheck, found: &[Diagnostic]| match has_errors(found) {
                true => Verdict::Findings,
                false => Verdict::Good,
            };
            output.finish_as(bottle_check(world, &input(args)), judge, checked)
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
            show(world, (&name, view), format, args, output)
        }
        BottleCommand::Agent { name, format, args } => {
            show(world, (&name, BottleView::Agent), format, args, output)
        }
    }
}

/// Whether the user asked for secrets.
pub(crate) fn secrets(args: &BottleArgs) -> Secrets {
    if args.show_secrets {
        Secrets::Shown
    } else {
        Secrets::Masked
    }
}

fn input(args: BottleArgs) -> BottleInput {
    BottleInput {
        json_file: args.json_file,
    }
}

fn show(
    world: &World,
    (name, view): (&str, BottleView),
    format: Option<BottleFormat>,
    args: BottleArgs,
    output: &mut Output,
) -> ExitCode {
    if output.json && format == Some(BottleFormat::Yaml) {
        return output.finish(two_formats("yaml"), |(), _| Rendering::Text(String::new()));
    }
    output.json |= format == Some(BottleFormat::Json);
    output.secrets = secrets(&args);
    let (json, secrets) = (output.json, output.secrets);
    output.finish(bottle_show(world, &input(args), name, view), |report, _| {
        Rendering::Data(text(&report, json, secrets))
    })
}

/// JSON is for programs that start sandboxes: they need every value.
fn text(report: &BottleValue, json: bool, secrets: Secrets) -> String {
    match secrets {
        _ if json => report.value.to_json(),
        Secrets::Shown => print(&report.value, Format::Yaml).unwrap_or_default(),
        Secrets::Masked => print(&report.masked(), Format::Yaml).unwrap_or_default(),
    }
}

fn rows(report: BottleList, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    let bottle = |row: &BottleRow| {
        cells([
            &row.name,
            row.extends.as_deref().unwrap_or_default(),
            &row.file,
        ])
    };
    let agent = |row: &AgentRow| cells([&row.name, &row.bottle, &row.skills.join(", "), &row.file]);
    let bottles: Vec<Vec<String>> = report.bottles.iter().map(bottle).collect();
    let agents: Vec<Vec<String>> = report.agents.iter().map(agent).collect();
    let mut tables = Vec::new();
    if !bottles.is_empty() {
        tables.push(table(&["Bottle", "Extends", "File"], &bottles));
    }
    if !agents.is_empty() {
        tables.push(table(&["Agent", "Bottle", "Skills", "File"], &agents));
    }
    if tables.is_empty() {
        return Rendering::Empty("No bottles and no agents in `~/.bot-bottle` and `.bot-bottle`.");
    }
    Rendering::Text(tables.join("\n"))
}

fn cells<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(one_line).to_vec()
}

fn checked(report: BottleCheck, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(vec![
            ("bottles", report.bottles.into()),
            ("agents", report.agents.into()),
        ]);
    }
    let found = shown.drawn();
    let summary = match shown.verdict {
        Verdict::Good if !shown.quiet => format!(
            "no mistakes: {}, {}\n",
            counted(report.bottles, "bottle", "bottles"),
            counted(report.agents, "agent", "agents")
        ),
        _ => String::new(),
    };
    Rendering::Report(format!("{found}{summary}"))
}
