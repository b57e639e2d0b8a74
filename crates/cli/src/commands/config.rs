use std::process::ExitCode;

use agpm_app::config::{ConfigRequest, config};
use agpm_app::manifest::Replace;
use agpm_app::project::world::World;

use crate::args::ConfigCommand;
use crate::output::Output;

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
        ConfigCommand::DefaultHost { host } => ConfigRequest::DefaultHost { host },
    };
    output.finish(config(world, &request), agpm_report::config::render)
}
