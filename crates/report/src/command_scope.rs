//! Suggested commands, completed so they act on the project of this run.

use std::borrow::Cow;

use agpm_diag::{Diagnostic, code_named};

/// How a suggested command begins.
const PROGRAM: &str = "agpm ";

/// The options that make a suggested command act on the same project as this run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandScope {
    /// The options that select a manifest, ready for a shell; empty for the nearest manifest.
    pub options: String,
    /// The commands that act on a project and therefore get the options.
    pub project_commands: Vec<String>,
    /// The commands that get `-g`; none if the run is about a project.
    pub global_commands: Vec<String>,
}

impl CommandScope {
    /// A command with the options of this run.
    pub fn complete(&self, command: &str) -> String {
        let Some(rest) = command.strip_prefix(PROGRAM) else {
            return command.to_owned();
        };
        let name = rest.split(' ').next().unwrap_or_default();
        let is_about_project = self.project_commands.iter().any(|other| other == name);
        if !is_about_project || is_code_page(rest) {
            return command.to_owned();
        }
        let options = if self.options.is_empty() || has_option(rest, &["-C", "--manifest-path"]) {
            String::new()
        } else {
            format!("{} ", self.options)
        };
        // A name may have two words, as in `patch save`.
        let is_command = |global: &&String| {
            let arguments = rest.strip_prefix(global.as_str());
            arguments.is_some_and(|arguments| arguments.is_empty() || arguments.starts_with(' '))
        };
        let global = self.global_commands.iter().find(is_command);
        let rest = match global.filter(|_| !has_option(rest, &["-g", "--global"])) {
            Some(name) => format!("{name} -g{}", &rest[name.len()..]),
            None => rest.to_owned(),
        };
        format!("{PROGRAM}{options}{rest}")
    }

    /// A sentence whose commands, in backticks, have the options of this run.
    pub fn complete_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if *self == CommandScope::default() || !text.contains(PROGRAM) {
            return Cow::Borrowed(text);
        }
        let mut out = String::with_capacity(text.len());
        // Between an odd number of backticks and the next one is code.
        for (at, part) in text.split('`').enumerate() {
            if at > 0 {
                out.push('`');
            }
            if at % 2 == 1 {
                out.push_str(&self.complete(part));
            } else {
                out.push_str(part);
            }
        }
        Cow::Owned(out)
    }

    /// A finding whose commands have the options of this run.
    pub fn complete_diagnostic(&self, mut found: Diagnostic) -> Diagnostic {
        let complete = |line: String| {
            let indent = line.len() - line.trim_start().len();
            let (blanks, rest) = line.split_at(indent);
            // A separate line is a command to paste, maybe with a comment.
            if rest.starts_with(PROGRAM) {
                format!("{blanks}{}", self.complete(rest))
            } else {
                self.complete_text(&line).into_owned()
            }
        };
        found.message = self.complete_text(&found.message).into_owned();
        found.help = found.help.map(complete);
        found.details = found.details.into_iter().map(complete).collect();
        found
    }
}

/// Whether a command shows the page of a code, which is the same for every project.
fn is_code_page(rest: &str) -> bool {
    let mut words = rest.split(' ');
    words.next() == Some("explain") && words.next().is_some_and(|word| code_named(word).is_some())
}

fn has_option(rest: &str, options: &[&str]) -> bool {
    let mut words = rest.split(' ').take_while(|word| *word != "--");
    words.any(|word| options.contains(&word))
}

#[cfg(test)]
mod tests {
    use agpm_diag::codes;

    use super::*;

    fn scope(options: &str, global_commands: &[&str]) -> CommandScope {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        CommandScope {
            options: options.to_owned(),
            project_commands: names(&["add", "diff", "explain", "install", "patch", "undo"]),
            global_commands: names(global_commands),
        }
    }

    #[test]
    fn a_command_gets_the_options_of_the_run_where_it_takes_them() {
        let user = scope("", &["undo", "install", "explain", "patch save"]);
        let elsewhere = scope("-C tour", &[]);
        let named = scope("--manifest-path 'a b.toml'", &[]);
        for (scope, command, expected) in [
            (&user, "agpm undo", "agpm undo -g"),
            (&user, "agpm install --force", "agpm install -g --force"),
            (&user, "agpm install -g", "agpm install -g"),
            (&user, "agpm patch save a", "agpm patch save -g a"),
            (&user, "agpm cache clean", "agpm cache clean"),
            (
                &user,
                "agpm explain install/edited",
                "agpm explain install/edited",
            ),
            (&user, "agpm explain agents/a", "agpm explain -g agents/a"),
            (&elsewhere, "agpm undo", "agpm -C tour undo"),
            (&elsewhere, "agpm -C other undo", "agpm -C other undo"),
            (&elsewhere, "agpm config path", "agpm config path"),
            (
                &named,
                "agpm diff x",
                "agpm --manifest-path 'a b.toml' diff x",
            ),
            (&named, "git status", "git status"),
        ] {
            assert_eq!(scope.complete(command), expected);
        }
    }

    #[test]
    fn only_commands_in_backticks_are_completed() {
        let user = scope("", &["undo", "install"]);
        let text = "agpm undo is `agpm undo`, or `x`; run `agpm install --force`";
        let expected = "agpm undo is `agpm undo -g`, or `x`; run `agpm install -g --force`";
        assert_eq!(user.complete_text(text), expected);
        assert_eq!(CommandScope::default().complete_text(text), text);
    }

    #[test]
    fn the_help_and_the_lines_to_paste_of_a_finding_are_completed() {
        let user = scope("", &["add"]);
        let found = Diagnostic::new(&codes::USAGE, "agpm add, run `agpm add`")
            .details(["  agpm add x".to_owned(), "add".to_owned()])
            .help("run `agpm add x`");
        let found = user.complete_diagnostic(found);
        assert_eq!(found.message, "agpm add, run `agpm add -g`");
        assert_eq!(found.details, ["  agpm add -g x", "add"]);
        assert_eq!(found.help.as_deref(), Some("run `agpm add -g x`"));
    }
}
