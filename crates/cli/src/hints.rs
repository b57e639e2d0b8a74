//! Suggestions for commands that do not exist.

use std::ffi::OsString;

use agpm_diag::TypedCommand;
use agpm_diag::nearest;
use clap::Command;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use crate::typed::typed_command;

/// `install` and its aliases.
const INSTALLS: [&str; 3] = ["install", "i", "sync"];

/// Words of other programs, with the commands that do the same here.
struct OtherWords {
    words: &'static [&'static str],
    hint: &'static str,
}

const OTHER_WORDS: [OtherWords; 16] = [
    OtherWords {
        words: &["find", "discover", "explore"],
        hint: "`agpm search` searches all sources, `agpm browse` lists the resources of one",
    },
    OtherWords {
        words: &["info", "show", "view"],
        hint: "`agpm explain agent:NAME` shows a resource, `agpm why NAME` what requires it",
    },
    OtherWords {
        words: &["rollback", "revert"],
        hint: "`agpm undo` reverts the last change",
    },
    OtherWords {
        words: &["log", "history"],
        hint: "`agpm undo --list` lists the changes",
    },
    OtherWords {
        words: &["tools", "clients", "targets"],
        hint: "`agpm doctor` shows the tools in use, `agpm add --tool` and `agpm init --tool` choose them",
    },
    OtherWords {
        words: &["release"],
        hint: "a version is a git tag of the repository: run `git tag v1.0.0`, then `git push --tags`",
    },
    OtherWords {
        words: &["plan"],
        hint: "`agpm diff` shows what an install would change",
    },
    OtherWords {
        words: &["check", "lint", "test"],
        hint: "`agpm validate` checks the manifest, `agpm verify` the installed files",
    },
    OtherWords {
        words: &["freeze", "restore"],
        hint: "`agpm install --frozen` installs exactly the locked versions",
    },
    OtherWords {
        words: &["clean", "prune", "gc"],
        hint: "`agpm cache clean` removes fetched data",
    },
    OtherWords {
        words: &["delete", "del", "erase"],
        hint: "`agpm remove` removes a dependency or a source",
    },
    OtherWords {
        words: &["fetch", "get", "download", "pull"],
        hint: "`agpm add` adds a dependency, `agpm install` installs all of them",
    },
    OtherWords {
        words: &["new", "create", "setup"],
        hint: "`agpm init` creates `agpm.toml`",
    },
    OtherWords {
        words: &["graph", "deps"],
        hint: "`agpm tree` shows the dependencies",
    },
    OtherWords {
        words: &["persona", "personas"],
        hint: "`agpm profile` shows a persona",
    },
    OtherWords {
        words: &["mcp", "server"],
        hint: "`agpm serve mcp` starts the MCP server",
    },
];

/// Replaces the suggestions for an unknown argument. That of the library, to pass it as a value, is never what was meant.
pub(crate) fn suggest_arguments(error: &mut Error, arguments: &[OsString], declaration: &Command) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    if let Some(ContextValue::StyledStrs(tips)) = error.get(ContextKind::Suggested).cloned() {
        error.remove(ContextKind::Suggested);
        let mut kept = tips;
        kept.retain(|tip| !tip.to_string().contains("as a value"));
        if !kept.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(kept));
        }
    }
    let typed = typed_command(arguments, declaration);
    if let Some(hint) = add_instead(&typed) {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![StyledStr::from(hint)]),
        );
    }
}

/// The command that does what `install ADDRESS` does elsewhere.
fn add_instead(typed: &TypedCommand) -> Option<String> {
    let verb = typed
        .verb
        .first()
        .filter(|verb| INSTALLS.contains(&verb.as_str()))?;
    let first = typed.words.first()?;
    if !first.contains(['/', ':']) && !first.starts_with('.') {
        let search = typed.sibling(["search", first]);
        return Some(format!(
            "`agpm {verb}` installs everything in `agpm.toml`; `{search}` finds more"
        ));
    }
    let words = ["add"].into_iter();
    let command = typed.sibling(words.chain(typed.words.iter().map(String::as_str)));
    Some(format!("run `{command}`"))
}

/// Replaces the suggestions for an unknown command. Those of the library compare letters alone, and would offer `install` to
/// someone who types the opposite.
pub(crate) fn suggest_commands(error: &mut Error, arguments: &[OsString], declaration: &Command) {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return;
    }
    let Some(ContextValue::String(typed)) = error.get(ContextKind::InvalidSubcommand).cloned()
    else {
        return;
    };
    error.remove(ContextKind::SuggestedSubcommand);
    error.remove(ContextKind::Suggested);
    let parent = parent_of(&typed, arguments, declaration);
    let hint = match near_command(&typed, parent) {
        Some(near) => Some(format!("did you mean `{near}`?")),
        None if std::ptr::eq(parent, declaration) => other_word(&typed).map(str::to_owned),
        None => None,
    };
    if let Some(hint) = hint {
        error.insert(
            ContextKind::Suggested,
            ContextValue::StyledStrs(vec![StyledStr::from(hint)]),
        );
    }
}

/// The command whose subcommand was meant.
fn parent_of<'c>(typed: &str, arguments: &[OsString], declaration: &'c Command) -> &'c Command {
    let mut parent = declaration;
    for word in arguments
        .iter()
        .skip(1)
        .filter_map(|word| word.to_str())
        .take_while(|word| *word != typed)
    {
        parent = parent.find_subcommand(word).unwrap_or(parent);
    }
    parent
}

/// The command or alias with almost the same letters.
fn near_command<'c>(typed: &str, parent: &'c Command) -> Option<&'c str> {
    let names = parent
        .get_subcommands()
        .flat_map(Command::get_name_and_visible_aliases);
    nearest(typed, names.filter(|name| !is_opposite(typed, name)))
}

/// Returns whether two words are opposites.
fn is_opposite(typed: &str, name: &str) -> bool {
    let is_reversal = |word: &str| {
        ["un", "de", "rem"]
            .iter()
            .any(|start| word.starts_with(start))
    };
    is_reversal(typed) != is_reversal(name)
}

fn other_word(typed: &str) -> Option<&'static str> {
    OTHER_WORDS
        .iter()
        .find(|other| other.words.contains(&typed))
        .map(|other| other.hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;

    fn hint(typed: &str) -> String {
        let declaration = Cli::declaration();
        let near = near_command(typed, &declaration).map(str::to_owned);
        near.or_else(|| other_word(typed).map(str::to_owned))
            .unwrap_or_default()
    }

    #[test]
    fn a_typing_mistake_is_put_right() {
        for (typed, expected) in [
            ("instal", "install"),
            ("isntall", "install"),
            ("unistall", "uninstall"),
            ("udpate", "update"),
            ("lits", "list"),
            ("catalogue", "catalog"),
            ("docter", "doctor"),
        ] {
            assert_eq!(hint(typed), expected, "{typed}");
        }
    }

    #[test]
    fn install_with_an_address_is_add() {
        let hint = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            add_instead(&typed_command(&arguments, &Cli::declaration()))
        };
        for (line, expected) in [
            (
                "agpm install anthropics/skills",
                Some("run `agpm add anthropics/skills`"),
            ),
            (
                "agpm -C x i -g acme/kit pdf --force",
                Some("run `agpm -C x add -g acme/kit pdf`"),
            ),
            (
                "agpm install pdf",
                Some(
                    "`agpm install` installs everything in `agpm.toml`; `agpm search pdf` finds more",
                ),
            ),
            ("agpm install --nope", None),
            ("agpm list acme/kit", None),
        ] {
            assert_eq!(hint(line).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn nothing_far_or_opposite_is_offered() {
        let declaration = Cli::declaration();
        for typed in [
            "uninit", "unadd", "deinit", "xyzzy", "strat", "unverify", "unlist",
        ] {
            assert_eq!(near_command(typed, &declaration), None, "{typed}");
        }
    }

    #[test]
    fn words_of_other_programs_have_their_commands() {
        let declaration = Cli::declaration();
        for other in OTHER_WORDS {
            for word in other.words {
                assert!(
                    declaration.find_subcommand(word).is_none(),
                    "`{word}` is a command now"
                );
            }
            let named = other
                .hint
                .split("`agpm ")
                .skip(1)
                .filter_map(|rest| rest.split([' ', '`']).next());
            for command in named {
                assert!(
                    declaration.find_subcommand(command).is_some(),
                    "{}",
                    other.hint
                );
            }
        }
    }
}
