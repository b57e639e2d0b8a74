//! The help on one screen: commands by what they are for, and global options only where all are asked for.

use std::ffi::OsString;

use clap::{Arg, Command};

/// What `agpm --help` prints.
const OVERVIEW: &str = "\
A package manager and configuration layer for AI coding agents

Usage: agpm [OPTIONS] <COMMAND>

  start    init, add, import, demo
  install  install, update, remove, undo
  look     status, list, tree, why, outdated, diff, explain, browse, search
  check    ci, verify, validate, doctor, policy, approve
  layers   layers, merge, strategies
  more     catalog, profile, bottle, serve
  set up   config, cache, schema, completions, man

Examples:
  agpm add anthropics/skills pdf    Add a skill and install it
  agpm install                      Install what the lockfile pins
  agpm diff --update                Show what an update would change
  agpm explain .claude/settings.json /model

`agpm help COMMAND` describes a command. `agpm help --all` lists all commands
and the options that every command takes.
";

/// What the help of each command ends with.
const GLOBAL_OPTIONS: &str = "Options of every command: `agpm help --all`";

/// The commands as they are read: options that every command takes are not repeated in the help of each.
pub(crate) fn with_short_help(declaration: Command) -> Command {
    let hidden = |argument: Arg| {
        let is_global = argument.is_global_set();
        argument.hide(is_global)
    };
    declaration
        .override_help(OVERVIEW)
        .mut_args(hidden)
        .mut_subcommands(|command| command.after_help(GLOBAL_OPTIONS))
}

/// Whether everything is asked for: `agpm help --all`.
pub(crate) fn asks_for_all(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1);
    words.next().is_some_and(|word| word == "help") && words.any(|word| word == "--all")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;

    #[test]
    fn the_overview_has_every_command_and_fits_a_screen() {
        let words: Vec<&str> = OVERVIEW.split([' ', ',', '\n']).collect();
        for command in Cli::declaration().get_subcommands() {
            assert!(
                words.contains(&command.get_name()),
                "{}",
                command.get_name()
            );
        }
        assert!(OVERVIEW.lines().count() <= 24);
        assert!(OVERVIEW.lines().all(|line| line.len() <= 80));
    }
}
