//! Separates the typed command into groups that suggestions keep or replace.

use std::ffi::OsString;

use agpm_diag::TypedCommand;
use clap::{Arg, Command};

/// Options that select the manifest.
const OF_PROJECT: [&str; 2] = ["manifest_path", "directory"];

/// The arguments in groups; options and subcommands are those of the declaration.
pub(crate) fn typed_command(arguments: &[OsString], declaration: &Command) -> TypedCommand {
    let mut typed = TypedCommand::default();
    let mut command = declaration.clone();
    command.build();
    let mut current = &command;
    let mut rest = arguments
        .iter()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = rest.next() {
        if word == "--" {
            typed.tail.push(word);
            typed.tail.extend(rest);
            break;
        }
        if !word.starts_with('-') || word == "-" {
            match current
                .find_subcommand(&word)
                .filter(|_| typed.words.is_empty())
            {
                Some(found) => {
                    typed.verb.push(word);
                    current = found;
                }
                None => typed.words.push(word),
            }
            continue;
        }
        let option = current.get_arguments().find(|one| is_option(one, &word));
        let is_project = option.is_some_and(|one| OF_PROJECT.contains(&one.get_id().as_str()));
        if option.is_some_and(|one| one.get_id() == "global") {
            typed.global = Some(word);
            continue;
        }
        let takes_value = option.is_some_and(|one| one.get_action().takes_values());
        let group = if is_project {
            &mut typed.project
        } else {
            &mut typed.options
        };
        let has_value = word.contains('=') || !word.starts_with("--") && word.len() > 2;
        group.push(word);
        if takes_value && !has_value {
            group.extend(rest.next());
        }
    }
    typed
}

fn is_option(argument: &Arg, word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => argument.get_long() == Some(long.split('=').next().unwrap_or(long)),
        None => argument.get_short() == word.chars().nth(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;

    #[test]
    fn options_are_kept_apart_from_words_and_from_the_project() {
        let line =
            "agpm -C dir add acme/kit --tool a,b x --name=y -g --all --manifest-path m.toml z";
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let typed = typed_command(&arguments, &Cli::declaration());
        assert_eq!(typed.verb, ["add"]);
        assert_eq!(typed.words, ["acme/kit", "x", "z"]);
        assert_eq!(typed.options, ["--tool", "a,b", "--name=y", "--all"]);
        assert_eq!(typed.project, ["-C", "dir", "--manifest-path", "m.toml"]);
        assert_eq!(typed.global.as_deref(), Some("-g"));
    }

    #[test]
    fn a_command_of_another_program_is_kept_whole() {
        let line = "agpm add mcp files --env A -- npx -y --tool x";
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let typed = typed_command(&arguments, &Cli::declaration());
        assert_eq!(typed.verb, ["add", "mcp"]);
        assert_eq!(typed.words, ["files"]);
        assert_eq!(typed.options, ["--env", "A"]);
        assert_eq!(typed.tail, ["--", "npx", "-y", "--tool", "x"]);
    }
}
