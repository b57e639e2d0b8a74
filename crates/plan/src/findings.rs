//! Reports the findings of a plan: obstacles, and edited files that agpm keeps.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Notes, SourceSpan, codes};
use agpm_model::{RelativePath, ResourceType};

use crate::change::{
    ChangeAction, ChangeReason, Obstacle, OverwriteRule, PlannedChange, RefusedChange,
};
use crate::edits::path_beside;
use crate::limits::MOST_REFUSALS_SHOWN;
use crate::observation::Observation;
use crate::plan::Plan;

impl Plan {
    /// Reports the obstacles.
    pub fn report_refusals(&self, observation: &Observation, notes: &mut Notes) {
        let mut blockers = BTreeSet::new();
        for refusal in self.refusals.iter().take(MOST_REFUSALS_SHOWN) {
            match observation.blocker_above(&refusal.path) {
                // One file can block many others.
                Some(blocker) if refusal.obstacle == Obstacle::BelowFile => {
                    if blockers.insert(blocker) {
                        notes.diagnostics.push(no_directory(blocker));
                    }
                }
                _ => {
                    let found = in_the_way(refusal, observation, notes);
                    notes.diagnostics.push(found);
                }
            }
        }
    }

    /// Findings about edited files and nodes that agpm keeps.
    pub fn kept_findings(&self, overwrite: OverwriteRule) -> impl Iterator<Item = Diagnostic> {
        let is_kept = |change: &&PlannedChange| {
            change.action == ChangeAction::Keep && change.reason != ChangeReason::Conflict
        };
        let kept = self.changes.iter().filter(is_kept);
        kept.map(move |change| kept_finding(change, overwrite))
    }

    /// Findings about edited files and nodes of which a new version exists: the edit stays, and the version is not
    /// installed.
    pub fn conflicts(&self) -> impl Iterator<Item = Diagnostic> {
        let is_conflict = |change: &&PlannedChange| change.reason == ChangeReason::Conflict;
        let conflicts = self.changes.iter().filter(is_conflict);
        conflicts.map(|change| {
            let based = self.ledger.based.get(&change.owner);
            let version = based.map_or_else(String::new, |version| format!(" ({version})"));
            let message = format!(
                "{} was edited; the new version is not installed",
                subject_of(change)
            );
            let finding = Diagnostic::new(&codes::INSTALL_CONFLICT, message)
                .details(self.clash_of(change))
                .detail(format!("{} stays as you edited it{version}", change.owner))
                .in_file(change.path.as_str());
            match self.path_of_new_version(change) {
                Some(beside) => finding.help(format!(
                    "compare it with `{beside}`, then run `agpm resolve {}` with `--mine`, `--new` or `--merged`",
                    change.owner
                )),
                None => finding.help(ways_to_treat_edit(change)),
            }
        })
    }
}

impl Plan {
    /// The values or lines that both sides changed.
    fn clash_of(&self, change: &PlannedChange) -> Option<String> {
        self.clashes.get(&change.path).cloned()
    }

    /// Where the new version of a file in conflict is.
    fn path_of_new_version(&self, change: &PlannedChange) -> Option<RelativePath> {
        let file = self.ledger.files.get(&change.path);
        let is_open = match file {
            Some(owned) => owned.conflict.is_some(),
            None => self.ledger.shared_conflict(&change.path).is_some(),
        };
        path_beside(&change.path).filter(|_| is_open)
    }
}

fn no_directory(blocker: &RelativePath) -> Diagnostic {
    let message = format!("cannot create `{blocker}/`: a file of that name exists");
    let help = format!("move or remove `{blocker}`, then run `agpm install`");
    Diagnostic::new(&codes::INSTALL_UNMANAGED, message)
        .in_file(blocker.as_str())
        .help(help)
}

fn in_the_way(refusal: &RefusedChange, observation: &Observation, notes: &mut Notes) -> Diagnostic {
    let RefusedChange {
        path,
        pointer,
        block,
        obstacle,
        owner,
    } = refusal;
    let inner = pointer
        .as_ref()
        .filter(|pointer| !pointer.steps().is_empty());
    let inner = inner.map(|pointer| format!("`{pointer}` of "));
    let block = block.as_ref().map(|block| format!("`{block}` in "));
    let at = inner.or(block).unwrap_or_default();
    let message = format!("{at}`{path}` is {}", obstacle.words());
    let mut diagnostic = Diagnostic::new(&codes::INSTALL_UNMANAGED, message)
        .detail(format!("agpm cannot install {owner}"))
        .help(way_out(refusal));
    diagnostic.layer = owner.layers().map(ToString::to_string);
    match spot_of(refusal, observation, notes) {
        Some(spot) => diagnostic.at_spot(spot),
        None => diagnostic.in_file(path.as_str()),
    }
}

fn way_out(refusal: &RefusedChange) -> &'static str {
    let of_layers = refusal.owner.layers().is_some();
    match refusal.obstacle {
        Obstacle::File if of_layers => {
            "move it, or run `agpm install --adopt` to use the layers' file"
        }
        Obstacle::File => {
            "move it, set another `filename` or `target`, or run `agpm install --adopt` to replace it"
        }
        Obstacle::Entry if of_layers => {
            "remove it, set it in your own layer, or run `agpm install --adopt` to use the layers' value"
        }
        Obstacle::Entry => "rename or remove it, or run `agpm install --adopt` to replace it",
        Obstacle::Block => {
            "remove the block with its markers, or run `agpm install --adopt` to replace it"
        }
        _ if refusal.pointer.is_some() => {
            "fix the file: agpm adds to its value and does not replace it"
        }
        _ if of_layers => "move it, or exclude the file from the layers with `include`",
        _ => "move it, or set another `filename` or `target` for the resource",
    }
}

/// The label of the obstacle in a shared file; `None` for whole files.
fn spot_of(
    refusal: &RefusedChange,
    observation: &Observation,
    notes: &mut Notes,
) -> Option<SourceSpan> {
    let pointer = refusal.pointer.as_ref()?;
    let document = observation.document(&refusal.path)?;
    let span = document.at(pointer)?.span();
    let source = notes
        .sources
        .add(refusal.path.as_str(), document.text().clone());
    Some(SourceSpan { source, span })
}

/// The commands that show, discard and keep an edit.
fn ways_to_treat_edit(change: &PlannedChange) -> String {
    let show_and_discard = format!(
        "`agpm diff {}` shows your change; `agpm install --force` discards it",
        change.owner
    );
    match change.owner.resource() {
        Some(id) if id.kind == ResourceType::Hooks => {
            format!("{show_and_discard}; `[patch.hooks.{}]` keeps it", id.name)
        }
        Some(id) if id.kind != ResourceType::Plugins => {
            format!("{show_and_discard}; `agpm patch save {id}` keeps it")
        }
        _ => show_and_discard,
    }
}

/// The edited file, or the node or block in it.
fn subject_of(change: &PlannedChange) -> String {
    match (&change.pointer, &change.block) {
        (_, Some(block)) => format!("the block `{block}` of `{}`", change.path),
        (Some(pointer), None) => format!("`{pointer}` of `{}`", change.path),
        (None, None) => format!("`{}`", change.path),
    }
}

fn kept_finding(change: &PlannedChange, overwrite: OverwriteRule) -> Diagnostic {
    let message = match change.reason {
        ChangeReason::Deleted => format!(
            "{} was deleted; its new version is not installed",
            subject_of(change)
        ),
        _ => format!("{} was edited; agpm keeps it", subject_of(change)),
    };
    let help = match change.reason {
        ChangeReason::Deleted => "`agpm install --force` installs it".to_owned(),
        ChangeReason::UnaskedEdited if change.block.is_some() => {
            "agpm no longer manages it: delete the block and its markers if you do not need it"
                .to_owned()
        }
        ChangeReason::UnaskedEdited => {
            "agpm no longer manages it: delete it if you do not need it".to_owned()
        }
        _ if overwrite == OverwriteRule::Everything => {
            "it contains your own content next to managed content: remove your content, or delete the entry"
                .to_owned()
        }
        _ => ways_to_treat_edit(change),
    };
    Diagnostic::new(&codes::INSTALL_EDITED, message)
        .details(change.pointer.as_ref().map(|_| change.owner.to_string()))
        .in_file(change.path.as_str())
        .help(help)
}
