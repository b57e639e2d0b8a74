//! Abilities that a lockfile lists.

use std::path::Path;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, has_errors};
use agpm_model::{LOCK_NAME, LockEntry, LockedCapabilitySet, Lockfile, Owner};
use agpm_store::{self as store, StoreProblem};
use agpm_text::{Format, parse_alone};
use agpm_trust::{CapabilityMatch, CapabilityQuery, CapabilitySet};

use crate::project::reading::limit;

use super::Ability;

/// A lockfile with its text.
pub(super) struct LockText {
    pub(super) lock: Lockfile,
    text: String,
}

/// The abilities in the lockfile of a project.
pub(super) fn abilities(
    query: &CapabilityQuery,
    directory: &Path,
) -> Result<Vec<Ability>, Failure> {
    let Some(lock) = read_lock(directory)? else {
        let message = format!("`{}` has no {LOCK_NAME}", directory.display());
        let help = "run `agpm install` there, or leave out `--locked` to read the installed files";
        let diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, message).help(help);
        return Err(Failure::new(FailureKind::Lock, diagnostic));
    };
    Ok(lock.abilities(query, &|_| true))
}

/// Reads a lockfile; `None` if the project has none.
pub(super) fn read_lock(directory: &Path) -> Result<Option<LockText>, Failure> {
    let path = directory.join(LOCK_NAME);
    let bytes = match store::read_regular(&path, limit()) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.problem, StoreProblem::NotFound) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let parsed = parse_alone(text.clone(), Format::Toml);
    let (lock, mistakes) = Lockfile::read(&parsed.document);
    if has_errors(&parsed.diagnostics) || has_errors(&mistakes) {
        let message = format!("`{}` cannot be read", path.display());
        let help = "run `agpm install` there to see what is wrong with it";
        let diagnostic = Diagnostic::new(&codes::LOCK_BROKEN, message).help(help);
        return Err(Failure::new(FailureKind::Lock, diagnostic));
    }
    Ok(Some(LockText { lock, text }))
}

impl LockText {
    /// The abilities that the chosen entries, and all layers, have.
    pub(super) fn abilities(
        &self,
        query: &CapabilityQuery,
        is_chosen: &dyn Fn(&LockEntry) -> bool,
    ) -> Vec<Ability> {
        let mut abilities = Vec::new();
        for entry in self.lock.entries.iter().filter(|entry| is_chosen(entry)) {
            let id = Owner::from(entry.id());
            for answer in locked_answers(query, &id, &entry.capabilities) {
                let line = self.line_of(entry.name.as_str(), &answer.value);
                let ability = Ability {
                    path: LOCK_NAME.to_owned(),
                    line,
                    way: answer.way,
                    value: agpm_diag::mask_line(&answer.value),
                    id: None,
                    tools: entry.tools().map(ToString::to_string).collect(),
                    source: None,
                    version: None,
                    commit: None,
                };
                abilities.push(of_entry(ability, entry));
            }
        }
        for layer in &self.lock.layers {
            let id = Owner::layer(&layer.name);
            for answer in locked_answers(query, &id, &layer.capabilities) {
                abilities.push(Ability {
                    path: LOCK_NAME.to_owned(),
                    line: self.line_of(layer.name.as_str(), &answer.value),
                    way: answer.way,
                    value: agpm_diag::mask_line(&answer.value),
                    id: Some(id.clone()),
                    tools: Vec::new(),
                    source: None,
                    version: layer.pin.as_ref().map(|pin| pin.version.to_string()),
                    commit: layer.pin.as_ref().map(|pin| pin.commit.to_string()),
                });
            }
        }
        abilities.sort();
        abilities.dedup();
        abilities
    }

    /// The line that has a capability, after the one that has the name.
    fn line_of(&self, name: &str, value: &str) -> Option<usize> {
        let name = format!("\"{name}\"");
        let value = value.split(" (").next().unwrap_or(value);
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let mut lines = self.text.lines().enumerate();
        lines.find(|(_, line)| line.contains(&name))?;
        let found = lines.find(|(_, line)| line.contains(&value));
        found.map(|(number, _)| number + 1)
    }
}

/// The answers in a locked set. One that is not listed may have anything.
fn locked_answers(
    query: &CapabilityQuery,
    id: &Owner,
    locked: &LockedCapabilitySet,
) -> Vec<CapabilityMatch> {
    let LockedCapabilitySet::Listed(lines) = locked else {
        return Vec::new();
    };
    let kind = id.resource().map(|id| id.kind);
    let set = CapabilitySet::from_locked(id, lines);
    let denied: Vec<_> = set.denied.iter().cloned().collect();
    let answers = query.answers_of_set(&set, kind).into_iter();
    answers
        .filter(|answer| !answer.is_denied(&denied))
        .collect()
}

/// The same ability with the resource that brings it.
pub(super) fn of_entry(ability: Ability, entry: &LockEntry) -> Ability {
    Ability {
        id: Some(Owner::from(entry.id())),
        source: entry.unit.origin.source().map(ToString::to_string),
        version: entry.version().map(ToString::to_string),
        commit: entry.commit().map(ToString::to_string),
        ..ability
    }
}

/// Whether a locked entry has the capability.
pub(super) fn has_ability(query: &CapabilityQuery, entry: &LockEntry) -> bool {
    !locked_answers(query, &Owner::from(entry.id()), &entry.capabilities).is_empty()
}
