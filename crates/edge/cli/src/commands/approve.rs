use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use agpm_ops::{Outcome, ProjectPrograms, World, approve, programs, unapproved};

use crate::args::ApproveArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: &ApproveArgs, output: &mut Output) -> ExitCode {
    let Outcome {
        result,
        diagnostics,
        sources,
        log,
    } = programs(world);
    let shown = match result {
        Ok(shown) if shown.needs_approval() => shown,
        other => {
            return output.finish(
                Outcome {
                    result: other,
                    diagnostics,
                    sources,
                    log,
                },
                agpm_report::approve::render_known,
            );
        }
    };
    let outcome = match args.yes || is_answered_yes(&shown, output.json) {
        true => approve(world, shown),
        false => unapproved(&shown),
    };
    output.finish(outcome, agpm_report::approve::render_approved)
}

/// Asks, where somebody can answer.
fn is_answered_yes(shown: &ProjectPrograms, json: bool) -> bool {
    if json || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return false;
    }
    let project = agpm_report::one_line(&shown.project.display().to_string());
    let question = format!(
        "{}Let agpm run this in {project}? [y/N] ",
        agpm_report::approve::lines(shown)
    );
    let mut answer = String::new();
    let asked = io::stderr()
        .write_all(question.as_bytes())
        .and_then(|()| io::stderr().flush());
    asked.is_ok()
        && io::stdin().lock().read_line(&mut answer).is_ok()
        && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}
