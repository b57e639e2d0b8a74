use std::process::ExitCode;

use agpm_ops::{ConfigAnswer, ConfigReport, ConfigRequest, Replace, World, config};

use crate::args::ConfigCommand;
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, what: ConfigCommand, output: &mut Output) -> ExitCode {
    let request = match what {
        ConfigCommand::Show => ConfigRequest::Show,
        ConfigCommand::Path => ConfigRequest::Path,
        ConfigCommand::AddSource { name, url, force } => {
            let replace = if force {
                Replace::Allowed
            } else {
                Replace::Refused
            };
            ConfigRequest::AddSource { name, url, replace }
        }
        ConfigCommand::RemoveSource { name } => ConfigRequest::RemoveSource { name },
    };
    output.finish(config(world, &request), render)
}

fn render(report: ConfigReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    match report.answer {
        ConfigAnswer::Place => Rendering::Data(format!("{}\n", report.path.display())),
        ConfigAnswer::Content { text, .. } => Rendering::Data(text),
        ConfigAnswer::Done(done) => Rendering::Done(format!("{done}\n")),
    }
}
