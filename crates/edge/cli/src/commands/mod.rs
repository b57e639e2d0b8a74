//! One file per command: arguments to request, report to text or value.

mod demo;
mod explain;
mod man;
mod merge;
mod provenance;
mod strategies;

use std::process::ExitCode;

use agpm_ops::{Environment, ManifestUse, MergeInputs, World};

use crate::args::{Cli, Command, FoldArgs, Global};
use crate::output::{Output, write_stdout};

/// Runs the command that was typed.
pub(crate) fn run(cli: Cli, output: &mut Output) -> ExitCode {
    let world = world(&cli.global);
    match cli.command {
        Command::Demo(args) => demo::run(&world, args, output),
        Command::Merge(args) => merge::run(&world, args, output),
        Command::Strategies(args) => strategies::run(&world, args, output),
        Command::Explain(args) => explain::run(&world, args, output),
        Command::Completions(args) => {
            let mut script = Vec::new();
            clap_complete::generate(args.shell, &mut Cli::declaration(), "agpm", &mut script);
            write_stdout(&script)
        }
        Command::Man => write_stdout(&man::page(Cli::declaration())),
    }
}

fn world(global: &Global) -> World {
    let folder = std::env::current_dir().unwrap_or_default();
    World { environment: Environment { folder, manifest: global.manifest_path.clone() } }
}

fn inputs(fold: FoldArgs, files: Vec<std::path::PathBuf>) -> MergeInputs {
    MergeInputs {
        files,
        layer_names: fold.layer_names,
        strategy: fold.strategy,
        rules: fold.rules,
        manifest: if fold.no_manifest { ManifestUse::Ignored } else { ManifestUse::Nearest },
    }
}
