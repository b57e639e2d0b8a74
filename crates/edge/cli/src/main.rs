//! The `agpm` program: arguments in, reports and diagnostics drawn, exit code out.

mod args;
mod commands;
mod draw;
mod output;

use std::process::ExitCode;

use crate::args::Cli;
use crate::output::Output;

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    match Cli::read(&arguments) {
        Ok(cli) => {
            let mut output = Output::new(&cli.global);
            commands::run(cli, &mut output)
        }
        Err(error) => output::usage_error(&error, &arguments),
    }
}
