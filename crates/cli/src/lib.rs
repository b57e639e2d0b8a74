//! The `agpm` program: arguments in, reports and diagnostics drawn, exit code out.
//!
//! A library so references can be generated from the same declaration that reads the arguments.

mod args;
mod commands;
mod completion;
mod completion_scripts;
mod environment;
mod examples;
mod exit_codes;
mod formats;
mod help;
mod hints;
mod output;
mod picker;
mod platform;
mod progress;
mod question;
mod schema_name;
mod terminal;
mod typed;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::args::Cli;
use crate::output::Output;

pub use crate::environment::{ENVIRONMENT_VARIABLES, EnvironmentVariable};
pub use crate::examples::{CommandExamples, EXAMPLES};
pub use crate::exit_codes::failure_codes;

/// Runs the command in these arguments, which include the program's name.
pub fn run(arguments: &[OsString]) -> ExitCode {
    match Cli::read(arguments) {
        Ok(cli) => {
            let mut output = Output::new(&cli);
            let typed = typed::typed_command(arguments, &Cli::declaration());
            commands::run(cli, typed, &mut output)
        }
        Err(mut error) => {
            hints::suggest_commands(&mut error, arguments, &Cli::declaration());
            hints::suggest_arguments(&mut error, arguments, &Cli::declaration());
            output::usage_error(&error, arguments)
        }
    }
}

/// Every command and flag, as declared.
pub fn declaration() -> clap::Command {
    Cli::declaration()
}
