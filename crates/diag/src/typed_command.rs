//! The command that was typed, as suggestions repeat it.

use crate::visible::command_line;

/// The arguments of a command, in groups that suggested commands keep or replace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypedCommand {
    /// The command with its subcommand, as in `add` or `cache clean`.
    pub verb: Vec<String>,
    /// The arguments that are not options.
    pub words: Vec<String>,
    /// Options of the command, with their values.
    pub options: Vec<String>,
    /// Options that select the manifest: `-C` and `--manifest-path`.
    pub project: Vec<String>,
    /// `-g`, if it was typed.
    pub global: Option<String>,
    /// The command of another program, from `--` on.
    pub tail: Vec<String>,
}

impl TypedCommand {
    /// The same command with more options.
    pub fn with_options<'a>(&'a self, more: impl IntoIterator<Item = &'a str>) -> String {
        let more: Vec<&str> = more.into_iter().collect();
        self.line(&self.words, &more)
    }

    /// The same command for other arguments, without one of its options.
    pub fn with_words(&self, words: &[String], without: &str) -> String {
        let options = self.options.iter().filter(|option| *option != without);
        let kept = TypedCommand {
            options: options.cloned().collect(),
            ..self.clone()
        };
        kept.line(words, &[])
    }

    /// Another command for the same project.
    pub fn sibling<'a>(&'a self, words: impl IntoIterator<Item = &'a str>) -> String {
        let mut words = words.into_iter();
        let project = self.project.iter().map(String::as_str);
        let command = ["agpm"].into_iter().chain(project).chain(words.next());
        command_line(command.chain(self.global.as_deref()).chain(words))
    }

    fn line(&self, words: &[String], more: &[&str]) -> String {
        let typed = self.verb.iter().chain(words).chain(&self.options);
        let typed = typed.map(String::as_str).chain(more.iter().copied());
        // Options after `--` would be arguments of the other program.
        self.sibling(typed.chain(self.tail.iter().map(String::as_str)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestions_keep_options_and_the_project() {
        let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let typed = TypedCommand {
            verb: texts(&["add"]),
            words: texts(&["acme/kit", "reviewer"]),
            options: texts(&["--tool", "codex,cursor", "--all"]),
            project: texts(&["-C", "my project"]),
            global: Some("-g".to_owned()),
            tail: Vec::new(),
        };
        assert_eq!(
            typed.with_options(["--approve", "agents/reviewer"]),
            "agpm -C 'my project' add -g acme/kit reviewer --tool codex,cursor --all --approve agents/reviewer"
        );
        assert_eq!(
            typed.with_words(&texts(&["acme/kit/agents/a.md"]), "--all"),
            "agpm -C 'my project' add -g acme/kit/agents/a.md --tool codex,cursor"
        );
        assert_eq!(typed.sibling(["undo"]), "agpm -C 'my project' undo -g");
    }

    #[test]
    fn options_come_before_the_command_of_another_program() {
        let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let typed = TypedCommand {
            verb: texts(&["add", "mcp"]),
            words: texts(&["files"]),
            tail: texts(&["--", "npx", "-y"]),
            ..TypedCommand::default()
        };
        assert_eq!(
            typed.with_options(["--approve", "mcp-servers/files"]),
            "agpm add mcp files --approve mcp-servers/files -- npx -y"
        );
    }
}
