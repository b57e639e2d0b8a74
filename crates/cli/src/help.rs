//! The help on one screen: commands by purpose, and global options only where all are listed.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};

use crate::examples::examples_of;

/// The text of `agpm --help`.
const OVERVIEW: &str = "\
A package manager and configuration layer for AI coding agents

Usage: agpm [OPTIONS] <COMMAND>

  init     Create agpm.toml and update .gitignore
  add      Add resources and install them
  remove   Remove resources and everything only they required
  install  Install the project's dependencies and layers
  update   Update locked versions
  undo     Undo the last change or all since one
  list     List installed resources
  diff     Show what an install or update would change
  explain  Show where a value or file comes from, or an error code
  search   Search for resources in all sources
  ci       Check a committed project in a pipeline
  doctor   Diagnose git, configuration, cache and project

  inspect  status, tree, why, outdated, browse, report, sbom, publish
  check    verify, validate, audit, can, policy, approve, lock, resolve, patch
  layers   layers, merge, strategies
  formats  catalog, profile, bottle
  set up   demo, import, config, cache, serve, schema, completions, man

`agpm help COMMAND` has examples; `agpm help --all` lists global options
";

/// Returns the commands with short help: `--help` is like `-h`, with examples and without the global options.
pub(crate) fn with_short_help(declaration: Command) -> Command {
    let declaration = declaration
        .override_help(with_headings(OVERVIEW))
        .mut_args(hide_global);
    declaration.mut_subcommands(|command| compact(command, ""))
}

fn hide_global(argument: Arg) -> Arg {
    let is_hidden = argument.is_global_set() && argument.get_help_heading().is_some();
    argument.hide(is_hidden)
}

/// Shortens the help of one command and its subcommands. `parent` has the words before its name.
fn compact(command: Command, parent: &str) -> Command {
    let path = format!("{parent}{}", command.get_name());
    // The usage names them already.
    let hides_subcommands = matches!(path.as_str(), "add" | "remove");
    let before = format!("{path} ");
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::HelpShort)
        .hide(true);
    command
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .arg(help)
        .after_help(examples_text(&path))
        .mut_subcommands(|inner| compact(inner, &before).hide(hides_subcommands))
}

fn examples_text(path: &str) -> String {
    let lines = examples_of(path);
    let lines: String = lines.iter().map(|line| format!("\n  {line}")).collect();
    with_headings(&format!("Examples:{lines}"))
}

/// Marks headings like clap does. The escapes are removed if the output has no colors.
fn with_headings(text: &str) -> String {
    let lines = text.split_inclusive('\n').map(|line| {
        let heading = ["Usage:", "Examples:"]
            .into_iter()
            .find(|heading| line.starts_with(heading));
        match heading {
            Some(heading) => {
                let rest = &line[heading.len()..];
                format!("\u{1b}[1m\u{1b}[4m{heading}\u{1b}[0m{rest}")
            }
            None => line.to_owned(),
        }
    });
    lines.collect()
}

/// Whether everything is requested: `agpm help --all`.
pub(crate) fn wants_all_commands(arguments: &[OsString]) -> bool {
    let mut words = arguments.iter().skip(1);
    words.next().is_some_and(|word| word == "help") && words.any(|word| word == "--all")
}

/// Rewrites `agpm help COMMAND` to `agpm COMMAND --help`, which is shorter than the help of the command `help`.
pub(crate) fn without_help_command(arguments: &[OsString]) -> Vec<OsString> {
    let is_flag = |argument: &OsString| argument.to_string_lossy().starts_with('-');
    let first_word = arguments
        .iter()
        .skip(1)
        .position(|argument| !is_flag(argument));
    let Some(at) = first_word.filter(|at| arguments[at + 1] == "help") else {
        return arguments.to_vec();
    };
    let mut words: Vec<OsString> = arguments.to_vec();
    words.remove(at + 1);
    words.push("--help".into());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;

    /// Lines and columns of the smallest terminal.
    const SCREEN: (usize, usize) = (24, 80);
    const LONGEST_SUMMARY: usize = 60;

    #[test]
    fn the_overview_has_every_command_and_fits_a_screen() {
        let words: Vec<&str> = OVERVIEW.split([' ', ',', '\n']).collect();
        for command in Cli::declaration().get_subcommands() {
            assert!(
                command.is_hide_set() || words.contains(&command.get_name()),
                "{}",
                command.get_name()
            );
        }
        // The everyday commands have the same summaries as in their own help.
        let everyday = [
            "init", "add", "remove", "install", "update", "undo", "list", "diff", "explain",
            "search", "ci", "doctor",
        ];
        let declaration = Cli::declaration();
        for name in everyday {
            let about = declaration
                .find_subcommand(name)
                .and_then(Command::get_about);
            let line = format!("  {name:<8} {}\n", about.unwrap_or_default());
            assert!(OVERVIEW.contains(&line), "{line}");
        }
        assert!(OVERVIEW.lines().count() <= SCREEN.0);
        assert!(OVERVIEW.lines().all(|line| line.len() <= SCREEN.1));
    }

    /// Lists every command with the words before its name, including subcommands.
    fn each_command(command: &Command, parent: &str, check: &mut dyn FnMut(&str, &Command)) {
        for inner in command.get_subcommands() {
            let path = format!("{parent}{}", inner.get_name());
            if !inner.is_hide_set() && inner.get_name() != "help" {
                check(&path, inner);
                each_command(inner, &format!("{path} "), check);
            }
        }
    }

    #[test]
    fn every_help_fits_a_screen_and_has_examples() {
        let mut declaration = with_short_help(Cli::declaration());
        declaration.build();
        each_command(&declaration, "", &mut |path, command| {
            let help = command.clone().render_help().to_string();
            let widest = help.lines().map(|line| line.chars().count()).max();
            assert!(help.lines().count() <= SCREEN.0, "{path}\n{help}");
            assert!(widest <= Some(SCREEN.1), "{path}\n{help}");
            assert!(help.contains("Examples:\n  agpm "), "{path}\n{help}");
            assert!(!help.contains("--manifest-path"), "{path}\n{help}");
        });
    }

    #[test]
    fn summaries_are_short() {
        each_command(&Cli::declaration(), "", &mut |path, command| {
            let about = command.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            assert!(about.len() <= LONGEST_SUMMARY, "{path}: {about}");
            assert!(about.starts_with(char::is_uppercase), "{path}: {about}");
        });
    }

    #[test]
    fn help_of_a_command_is_its_flag() {
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(Into::into).collect() };
        for (typed, read) in [
            ("agpm help add", "agpm add --help"),
            ("agpm -q help add source", "agpm -q add source --help"),
            ("agpm help", "agpm --help"),
            ("agpm add help", "agpm add help"),
        ] {
            assert_eq!(without_help_command(&words(typed)), words(read));
        }
    }
}
