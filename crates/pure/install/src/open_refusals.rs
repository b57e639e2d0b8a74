//! Everything that one run needs approval for, reported together.

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, command_line};
use agpm_resolve::UpdateScope;

use crate::request::WriteMode;

/// More ids than this are approved with one word.
const MOST_IDS: usize = 8;

/// The command that a run is repeated with, and the one that shows what it would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalCommand {
    command: String,
    review: Option<&'static str>,
}

impl ApprovalCommand {
    /// The command of a transaction with this title.
    pub fn of(title: &str, moving: &UpdateScope) -> Self {
        let (name, arguments) = title.split_once(' ').unwrap_or((title, ""));
        let is_update = *moving != UpdateScope::Nothing;
        let words = match (name, is_update) {
            ("update", _) => ["agpm", "update"]
                .into_iter()
                .chain(arguments.split_whitespace()),
            (_, true) => ["agpm", "update"].into_iter().chain("".split_whitespace()),
            (_, false) => ["agpm", "install"].into_iter().chain("".split_whitespace()),
        };
        ApprovalCommand {
            command: command_line(words),
            review: match (name, is_update) {
                // It shows the changes itself.
                ("diff", _) => None,
                (_, true) => Some("agpm diff --update"),
                (_, false) => Some("agpm diff"),
            },
        }
    }

    /// The whole command that approves these resources and layers.
    pub fn with_approvals(&self, ids: &[String]) -> String {
        let approvals: Vec<String> = match ids.len() {
            0..=MOST_IDS => ids.iter().map(|id| format!(" --approve {id}")).collect(),
            _ => vec![" --approve all".to_owned()],
        };
        format!("{}{}", self.command, approvals.concat())
    }

    /// The way out for resources and layers that need approval.
    pub fn help(&self, ids: &[String]) -> String {
        let approve = self.with_approvals(ids);
        let object = if ids.len() == 1 { "it" } else { "them" };
        match self.review {
            Some(review) => format!("review {object} with `{review}`, then run `{approve}`"),
            None => format!("to approve {object}, run `{approve}`"),
        }
    }
}

/// A refusal that an approval resolves.
#[derive(Clone, Debug)]
pub struct UnapprovedRefusal {
    /// The finding, with its own help.
    pub diagnostic: Diagnostic,
    /// The resources and layers to approve.
    pub ids: Vec<String>,
}

/// The refusals of one run: each names what it needs, and one command approves all of it.
#[derive(Clone, Debug, Default)]
pub struct OpenRefusals {
    found: Vec<Diagnostic>,
    ids: Vec<String>,
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
        writing: WriteMode,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        if writing == WriteMode::Show {
            return writing.refuse(refusal.diagnostic, notes);
        }
        self.found.push(refusal.diagnostic);
        for id in refusal.ids {
            if !self.ids.contains(&id) {
                self.ids.push(id);
            }
        }
        Ok(())
    }

    /// Takes in findings whose help is a change of the manifest.
    pub fn add_findings(&mut self, found: Vec<Diagnostic>) {
        self.found.extend(found);
    }

    /// Fails if anything was refused.
    pub fn settle(self, command: &ApprovalCommand, notes: &mut Notes) -> Result<(), Failure> {
        let OpenRefusals { mut found, ids } = self;
        let Some(mut last) = found.pop() else {
            return Ok(());
        };
        if found.is_empty() {
            return Err(Failure::new(FailureKind::Refused, last));
        }
        if !ids.is_empty() {
            // The commands of the single findings would each be refused by the other ones.
            let is_manifest = |one: &Diagnostic| {
                let help = one.help.as_deref().unwrap_or_default();
                !help.contains("--approve")
            };
            for one in found.iter_mut().filter(|one| !is_manifest(one)) {
                one.help = None;
            }
            let whole = command.help(&ids);
            last.help = match last.help.take().filter(|_| is_manifest(&last)) {
                Some(own) => Some(format!("{own}; {whole}")),
                None => Some(whole),
            };
        }
        notes.diagnostics.extend(found);
        notes.diagnostics.push(last);
        Err(Failure::reported_as(FailureKind::Refused))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_diag::codes;

    fn refusal(id: &str) -> UnapprovedRefusal {
        let command = ApprovalCommand::of("update", &UpdateScope::Everything);
        let ids = vec![id.to_owned()];
        UnapprovedRefusal {
            diagnostic: Diagnostic::new(&codes::TRUST_INCREASE, id).help(command.help(&ids)),
            ids,
        }
    }

    #[test]
    fn the_command_is_the_one_that_was_run() {
        let ids = ["skills/x".to_owned()];
        for (title, moving, expected) in [
            (
                "install",
                UpdateScope::Nothing,
                "review it with `agpm diff`, then run `agpm install --approve skills/x`",
            ),
            (
                "update x",
                UpdateScope::Everything,
                "review it with `agpm diff --update`, then run `agpm update x --approve skills/x`",
            ),
            (
                "diff",
                UpdateScope::Everything,
                "to approve it, run `agpm update --approve skills/x`",
            ),
            (
                "diff",
                UpdateScope::Nothing,
                "to approve it, run `agpm install --approve skills/x`",
            ),
        ] {
            assert_eq!(ApprovalCommand::of(title, &moving).help(&ids), expected);
        }
        let many: Vec<String> = (0..9).map(|number| format!("skills/{number}")).collect();
        let command = ApprovalCommand::of("update", &UpdateScope::Everything);
        assert_eq!(command.with_approvals(&many), "agpm update --approve all");
    }

    #[test]
    fn several_refusals_end_with_one_whole_command() {
        let mut notes = Notes::default();
        let mut open = OpenRefusals::default();
        for id in ["skills/x", "layers/a"] {
            let added = open.add(refusal(id), WriteMode::Apply, &mut notes);
            assert!(added.is_ok());
        }
        let manifest = Diagnostic::new(&codes::TOOL_WIDENING, "w").help("add `allow-widening`");
        open.add_findings(vec![manifest]);
        let command = ApprovalCommand::of("update", &UpdateScope::Everything);
        let failure = open
            .settle(&command, &mut notes)
            .expect_err("it is refused");
        assert_eq!(failure.kind, FailureKind::Refused);
        let help: Vec<Option<&str>> = notes
            .diagnostics
            .iter()
            .map(|one| one.help.as_deref())
            .collect();
        let whole = "add `allow-widening`; review them with `agpm diff --update`, \
            then run `agpm update --approve skills/x --approve layers/a`";
        assert_eq!(help, [None, None, Some(whole)]);
    }

    #[test]
    fn one_refusal_keeps_its_own_help() {
        let mut notes = Notes::default();
        let mut open = OpenRefusals::default();
        let added = open.add(refusal("skills/x"), WriteMode::Apply, &mut notes);
        assert!(added.is_ok() && !open.is_empty());
        let command = ApprovalCommand::of("update", &UpdateScope::Everything);
        let failure = open
            .settle(&command, &mut notes)
            .expect_err("it is refused");
        assert!(failure.diagnostic.is_some_and(|one| one.help.is_some()));
        assert!(notes.diagnostics.is_empty());
    }
}
