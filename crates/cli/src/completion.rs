//! Completions for a command line, with the names of the current project.
//!
//! The scripts for bash, zsh and fish call `agpm complete` with the words so far. Commands, options and their values come
//! from the declaration; names from the manifest and the lockfile.

use std::process::ExitCode;

use agpm_app::names::{KnownNames, known_names};
use agpm_app::project::world::World;
use agpm_diag::all_codes;
use agpm_model::RESOURCE_TYPES;
use clap::{Arg, Command};

use crate::args::CompleteArgs;
use crate::output::write_stdout;
use crate::schema_name::SchemaName;

/// A candidate with its description.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    word: String,
    about: String,
}

/// Where the values of an argument come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Values {
    Resources,
    /// Resources and layers.
    Owners,
    Sources,
    Types,
    Tools,
    Schemas,
    Commands,
    /// Everything that `explain` accepts: resources, layers and error codes.
    Explainable,
}

/// The values of arguments that are not fixed. The first matching row applies; an empty command matches every command.
const VALUES: &[(&str, &str, Values)] = &[
    ("", "type", Values::Types),
    ("", "kind", Values::Types),
    ("", "tool", Values::Tools),
    ("", "tools", Values::Tools),
    ("", "source", Values::Sources),
    ("", "approve", Values::Owners),
    ("add", "words", Values::Sources),
    ("browse", "address", Values::Sources),
    ("diff", "ids", Values::Owners),
    ("explain", "what", Values::Explainable),
    ("man", "command", Values::Commands),
    ("outdated", "names", Values::Resources),
    ("remove", "names", Values::Resources),
    ("remove source", "name", Values::Sources),
    ("schema", "what", Values::Schemas),
    ("tree", "names", Values::Resources),
    ("update", "names", Values::Resources),
    ("resolve", "name", Values::Owners),
    ("patch save", "name", Values::Resources),
    ("why", "name", Values::Owners),
];

/// Prints the candidates, one per line, with their descriptions after a tab.
pub(crate) fn run(world: &World, args: &CompleteArgs, declaration: Command) -> ExitCode {
    let words: Vec<String> = args
        .words
        .iter()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let mut declaration = declaration;
    declaration.build();
    let lines: String = Position::of(&declaration, &words)
        .candidates(world)
        .iter()
        .map(|candidate| format!("{}\t{}\n", candidate.word, candidate.about))
        .collect();
    write_stdout(lines.as_bytes())
}

/// The position of the last word on the command line.
struct Position<'d> {
    root: &'d Command,
    command: &'d Command,
    /// The words of the command.
    path: String,
    /// The option whose value the word is.
    option: Option<&'d Arg>,
    /// The number of positional arguments before it.
    positionals: usize,
    word: &'d str,
}

impl<'d> Position<'d> {
    fn of(root: &'d Command, words: &'d [String]) -> Self {
        let (word, before) = match words.split_last() {
            Some((last, before)) => (last.as_str(), before),
            None => ("", words),
        };
        let mut position = Position {
            root,
            command: root,
            path: String::new(),
            option: None,
            positionals: 0,
            word,
        };
        before.iter().for_each(|word| position.pass(word));
        position
    }

    /// Skips a finished word.
    fn pass(&mut self, word: &str) {
        if self.option.take().is_some() {
            return;
        }
        if word.starts_with('-') {
            let takes_value = |option: &&Arg| option.get_action().takes_values();
            let option = self.options().find(|option| is_written(option, word));
            self.option = option.filter(takes_value);
            return;
        }
        match self.command.find_subcommand(word) {
            Some(inner) if self.positionals == 0 => {
                self.command = inner;
                let path = format!("{} {}", self.path, inner.get_name());
                self.path = path.trim_start().to_owned();
            }
            _ => self.positionals += 1,
        }
    }

    /// Returns the options of the command and the global ones.
    fn options(&self) -> impl Iterator<Item = &'d Arg> + use<'d> {
        let own = self.command.get_arguments();
        own.chain(self.root.get_arguments())
            .filter(|argument| !argument.is_positional() && !argument.is_hide_set())
    }

    fn candidates(&self, world: &World) -> Vec<Candidate> {
        let mut candidates = match self.option {
            Some(option) => self.values_of(option, world),
            None if self.word.starts_with('-') => self.options().filter_map(flag).collect(),
            None => self.words(world),
        };
        candidates.retain(|candidate| candidate.word.starts_with(self.word));
        candidates.sort();
        candidates.dedup_by(|candidate, other| candidate.word == other.word);
        candidates
    }

    /// Subcommands, and values of the positional argument.
    fn words(&self, world: &World) -> Vec<Candidate> {
        let inner = self.command.get_subcommands();
        let inner = inner.filter(|command| !command.is_hide_set() && self.positionals == 0);
        let commands = inner.map(|command| Candidate {
            word: command.get_name().to_owned(),
            about: command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default(),
        });
        let arguments: Vec<&Arg> = self.command.get_positionals().collect();
        let argument = arguments.get(self.positionals);
        // The last one may take many values.
        let argument = argument.or_else(|| arguments.last()).copied();
        let values = argument.map(|argument| self.values_of(argument, world));
        commands.chain(values.unwrap_or_default()).collect()
    }

    fn values_of(&self, argument: &Arg, world: &World) -> Vec<Candidate> {
        let fixed = argument.get_possible_values();
        if !fixed.is_empty() {
            let plain = |value: &clap::builder::PossibleValue| candidate(value.get_name(), "");
            return fixed.iter().map(plain).collect();
        }
        let id = argument.get_id().as_str();
        let is_row =
            |row: &&(&str, &str, Values)| (row.0.is_empty() || row.0 == self.path) && row.1 == id;
        match VALUES.iter().find(is_row) {
            Some((_, _, values)) => values.candidates(self.root, world),
            None => Vec::new(),
        }
    }
}

fn is_written(option: &Arg, word: &str) -> bool {
    let long = option
        .get_long()
        .is_some_and(|long| word == format!("--{long}"));
    let short = option
        .get_short()
        .is_some_and(|short| word == format!("-{short}"));
    long || short
}

fn flag(option: &Arg) -> Option<Candidate> {
    let about = option.get_help().map(ToString::to_string);
    let long = option.get_long()?;
    Some(candidate(&format!("--{long}"), &about.unwrap_or_default()))
}

fn candidate(word: &str, about: &str) -> Candidate {
    Candidate {
        word: word.to_owned(),
        about: about.to_owned(),
    }
}

fn all(words: &[String], about: &str) -> Vec<Candidate> {
    words.iter().map(|word| candidate(word, about)).collect()
}

impl Values {
    fn candidates(self, root: &Command, world: &World) -> Vec<Candidate> {
        match self {
            Values::Types => RESOURCE_TYPES
                .iter()
                .map(|kind| candidate(kind.singular(), "type"))
                .collect(),
            Values::Tools => all(&known_names(world).tools, "tool"),
            Values::Schemas => SchemaName::all()
                .iter()
                .map(|name| candidate(name.as_str(), "schema"))
                .collect(),
            Values::Commands => root
                .get_subcommands()
                .map(|command| candidate(command.get_name(), "command"))
                .collect(),
            Values::Sources => all(&known_names(world).sources, "source"),
            Values::Resources => all(&known_names(world).resources, "resource"),
            Values::Owners => owners(&known_names(world)),
            Values::Explainable => {
                let mut candidates = owners(&known_names(world));
                candidates.extend(all_codes().map(|code| candidate(code.name, "error code")));
                candidates
            }
        }
    }
}

fn owners(names: &KnownNames) -> Vec<Candidate> {
    let mut candidates = all(&names.resources, "resource");
    candidates.extend(all(&names.layers, "layer"));
    candidates
}
