//! Everything that one run needs approval for, reported together.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, TypedCommand};
use agpm_resolve::UpdateScope;

use crate::project::write_mode::WriteMode;

/// More ids than this are approved with one word.
const MOST_IDS: usize = 8;

/// Commands that take approvals and carry out what they approve.
const APPROVING: [&str; 4] = ["add", "install", "update", "remove"];

/// Options of a command that only shows.
const SHOWING: [&str; 2] = ["--dry-run", "--check"];

/// The command that a run is repeated with, and the one that shows what it would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalCommand {
    command: TypedCommand,
    review: Option<String>,
}

impl ApprovalCommand {
    /// The typed command, or the one that does what it only showed.
    pub fn of(typed: &TypedCommand, moving: &UpdateScope) -> Self {
        let is_update = *moving != UpdateScope::Nothing;
        let verb = typed.verb.first().map(String::as_str).unwrap_or_default();
        let command = if APPROVING.contains(&verb) {
            let options = typed.options.iter();
            TypedCommand {
                options: options
                    .filter(|option| !SHOWING.contains(&option.as_str()))
                    .cloned()
                    .collect(),
                ..typed.clone()
            }
        } else {
            let verb = if is_update { "update" } else { "install" };
            TypedCommand {
                verb: vec![verb.to_owned()],
                words: Vec::new(),
                options: Vec::new(),
                ..typed.clone()
            }
        };
        let review = match (verb, is_update) {
            // They show the changes themselves, or there are none yet.
            ("diff" | "add" | "remove", _) => None,
            (_, true) => Some(typed.sibling(["diff", "--update"])),
            (_, false) => Some(typed.sibling(["diff"])),
        };
        ApprovalCommand { command, review }
    }

    /// The whole command that approves these resources and layers.
    pub fn with_approvals(&self, ids: &[String]) -> String {
        let all = ["all".to_owned()];
        let ids = if ids.len() > MOST_IDS { &all[..] } else { ids };
        let approvals = ids.iter().flat_map(|id| ["--approve", id.as_str()]);
        self.command.with_options(approvals)
    }

    /// The help for resources and layers that need approval.
    pub fn help(&self, ids: &[String]) -> String {
        let approve = self.with_approvals(ids);
        let object = if ids.len() == 1 { "it" } else { "them" };
        match &self.review {
            Some(review) => format!("review {object} with `{review}`, then run `{approve}`"),
            None => format!("to approve {object}, run `{approve}`"),
        }
    }
}

/// A refusal that an approval resolves.
#[derive(Clone, Debug)]
pub struct UnapprovedRefusal {
    /// The finding.
    pub diagnostic: Diagnostic,
    /// The resources and layers to approve.
    pub ids: Vec<String>,
    /// The change of the manifest that approves them for good, if there is one.
    pub manifest_way: Option<String>,
}

/// The refusals of one run: each names what it needs, and one command approves all of it.
#[derive(Clone, Debug, Default)]
pub struct OpenRefusals {
    found: Vec<Diagnostic>,
    ids: Vec<String>,
    manifest_ways: Vec<String>,
}

impl OpenRefusals {
    /// Whether nothing was refused.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Takes a refusal in. A run that only shows reports it as a warning at once.
    pub fn add(
        &mut self,
        refusal: UnapprovedRefusal,
        command: &ApprovalCommand,
        writing: WriteMode,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        if writing == WriteMode::Show {
            let help = with_ways(command.help(&refusal.ids), refusal.manifest_way.as_slice());
            return writing.refuse(refusal.diagnostic.help(help), notes);
        }
        self.found.push(refusal.diagnostic);
        self.manifest_ways.extend(refusal.manifest_way);
        for id in refusal.ids {
            if !self.ids.contains(&id) {
                self.ids.push(id);
            }
        }
        Ok(())
    }

    /// Takes in findings that approvals of these resources resolve, too.
    pub fn add_findings(&mut self, found: Vec<Diagnostic>) {
        for finding in &found {
            for id in finding.remedies.iter().map(|remedy| &remedy.entry) {
                if !self.ids.contains(id) {
                    self.ids.push(id.clone());
                }
            }
        }
        self.found.extend(found);
    }

    /// Fails if anything was refused. The commands of single findings would each be refused by the other ones, so the
    /// last one ends with the command for all of them.
    pub fn settle(self, command: &ApprovalCommand, notes: &mut Notes) -> Result<(), Failure> {
        let OpenRefusals {
            mut found,
            ids,
            manifest_ways,
        } = self;
        let Some(mut last) = found.pop() else {
            return Ok(());
        };
        if !ids.is_empty() {
            let ways = if found.is_empty() {
                manifest_ways
            } else {
                Vec::new()
            };
            let whole = with_ways(command.help(&ids), &ways);
            last.help = Some(match last.help.take() {
                Some(own) => format!("{own}; {whole}"),
                None => whole,
            });
        }
        if found.is_empty() {
            return Err(Failure::new(FailureKind::Refused, last));
        }
        notes.diagnostics.extend(found);
        notes.diagnostics.push(last);
        Err(Failure::reported_as(FailureKind::Refused))
    }
}

/// A command, or the changes of the manifest that make it unnecessary.
fn with_ways(command: String, ways: &[String]) -> String {
    match ways {
        [] => command,
        ways => format!("{command}, or {}", ways.join(", or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_diag::codes;

    fn typed(verb: &str, words: &[&str], options: &[&str]) -> TypedCommand {
        let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        TypedCommand {
            verb: texts(&[verb]),
            words: texts(words),
            options: texts(options),
            global: Some("-g".to_owned()),
            ..TypedCommand::default()
        }
    }

    fn refusal(id: &str) -> UnapprovedRefusal {
        UnapprovedRefusal {
            diagnostic: Diagnostic::new(&codes::TRUST_INCREASE, id),
            ids: vec![id.to_owned()],
            manifest_way: None,
        }
    }

    #[test]
    fn the_command_is_the_one_that_was_typed() {
        let ids = ["skills/x".to_owned()];
        for (command, moving, expected) in [
            (
                typed("install", &[], &["--dry-run"]),
                UpdateScope::Nothing,
                "review it with `agpm diff -g`, then run `agpm install -g --approve skills/x`",
            ),
            (
                typed("update", &["x"], &["--approve", "y"]),
                UpdateScope::Everything,
                "review it with `agpm diff -g --update`, then run `agpm update -g x --approve y --approve skills/x`",
            ),
            (
                typed("add", &["acme/kit"], &["--tool", "codex"]),
                UpdateScope::Nothing,
                "to approve it, run `agpm add -g acme/kit --tool codex --approve skills/x`",
            ),
            (
                typed("diff", &[], &["--update"]),
                UpdateScope::Everything,
                "to approve it, run `agpm update -g --approve skills/x`",
            ),
            (
                TypedCommand::default(),
                UpdateScope::Nothing,
                "review it with `agpm diff`, then run `agpm install --approve skills/x`",
            ),
        ] {
            assert_eq!(ApprovalCommand::of(&command, &moving).help(&ids), expected);
        }
        let many: Vec<String> = (0..9).map(|number| format!("skills/{number}")).collect();
        let command = ApprovalCommand::of(&typed("update", &[], &[]), &UpdateScope::Everything);
        assert_eq!(
            command.with_approvals(&many),
            "agpm update -g --approve all"
        );
    }

    #[test]
    fn several_refusals_end_with_one_whole_command() {
        let mut notes = Notes::default();
        let mut open = OpenRefusals::default();
        let command = ApprovalCommand::of(&typed("update", &[], &[]), &UpdateScope::Everything);
        for id in ["skills/x", "layers/a"] {
            let added = open.add(refusal(id), &command, WriteMode::Apply, &mut notes);
            assert!(added.is_ok());
        }
        let failure = open
            .settle(&command, &mut notes)
            .expect_err("it is refused");
        assert_eq!(failure.kind, FailureKind::Refused);
        let help: Vec<Option<&str>> = notes
            .diagnostics
            .iter()
            .map(|one| one.help.as_deref())
            .collect();
        let whole = "review them with `agpm diff -g --update`, \
            then run `agpm update -g --approve skills/x --approve layers/a`";
        assert_eq!(help, [None, Some(whole)]);
    }
}
