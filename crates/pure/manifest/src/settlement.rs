//! Decisions about additions that cannot be installed as they are: they are changed as the user approved, left out where
//! everything was meant and nothing named, or refused with the command that decides it.

use std::collections::BTreeSet;

use agpm_diag::{
    Diagnostic, EntryRemedy, PartNaming, Remedy, Severity, SourceMap, TypedCommand, codes,
};
use agpm_text::{NodeRef, Pointer};

use crate::added_entry::Presence;
use crate::additions::{LeftOutResource, ManifestAdditions};
use crate::edit::parsed;

/// More ids than this are approved together.
const MOST_APPROVALS: usize = 5;

/// Whether additions changed because of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// They changed: the manifest has to be tried again.
    Changed,
    /// The findings stay.
    Unchanged,
}

impl ManifestAdditions {
    /// Decides findings about the additions: what the user approves is allowed, and optional entries or their parts are
    /// left out.
    pub fn settle(
        &mut self,
        findings: &[Diagnostic],
        sources: &SourceMap,
        approves: &dyn Fn(&str) -> bool,
    ) -> Settlement {
        let before = (self.entries.len(), self.left_out.len(), self.widened.clone());
        let allowed = self.allowed_count();
        for finding in findings.iter().filter(|one| stops(one)) {
            let reason = &finding.message;
            for remedy in &finding.remedies {
                self.settle_remedy(remedy, reason, approves);
            }
            if finding.remedies.is_empty() {
                let mut entries = finding.labels.iter().filter_map(|label| {
                    let start = label.span.start as usize;
                    self.entry_at(&sources.get(label.source).text, start)
                });
                if let Some(id) = entries.find(|id| self.is_optional(id)) {
                    self.leave_out(&id, reason);
                }
            }
        }
        let after = (self.entries.len(), self.left_out.len(), self.widened.clone());
        if before == after && allowed == self.allowed_count() {
            Settlement::Unchanged
        } else {
            Settlement::Changed
        }
    }

    fn settle_remedy(&mut self, remedy: &Remedy, reason: &str, approves: &dyn Fn(&str) -> bool) {
        let Remedy { entry, change } = remedy;
        match change {
            EntryRemedy::AllowWidening { id, part, tools } => {
                let ids = [Some(entry), Some(id), part.as_ref()];
                if ids.into_iter().flatten().any(|id| approves(id)) {
                    self.allow_widening(entry, tools);
                } else {
                    self.leave_out_part(entry, part.as_deref(), reason);
                }
            }
            EntryRemedy::ExcludePart { part, .. } => {
                self.leave_out_part(entry, Some(part), reason);
            }
            EntryRemedy::Rename { .. } => self.leave_out(entry, reason),
            // What would run is for the user to approve, also if everything was meant.
            EntryRemedy::Approve => {}
        }
    }

    fn is_optional(&self, id: &str) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|one| one.id() == id && one.presence == Presence::Optional)
    }

    fn allowed_count(&self) -> usize {
        let values = self.entries.iter().map(|one| one.value().to_json().len());
        values.sum()
    }

    /// Allows it on a new entry, or on one that the project's manifest has.
    fn allow_widening(&mut self, id: &str, tools: &[String]) {
        let mut entries = self.entries.iter_mut();
        if let Some(entry) = entries.find(|one| one.id() == id) {
            return entry.allow_widening(tools.iter().map(String::as_str));
        }
        let Some((kind, name)) = id.split_once('/') else {
            return;
        };
        let text = self.text().unwrap_or_default();
        let at = Pointer::root().child(kind).child(name);
        if parsed(text).at(&at).is_some() {
            let allowed = self.widened.entry(id.to_owned()).or_default();
            let new = tools.iter().filter(|tool| !allowed.contains(tool));
            let new: Vec<String> = new.cloned().collect();
            allowed.extend(new);
        }
    }

    fn leave_out_part(&mut self, id: &str, part: Option<&str>, reason: &str) {
        if !self.is_optional(id) {
            return;
        }
        let Some(part) = part else {
            return self.leave_out(id, reason);
        };
        for entry in self.entries.iter_mut().filter(|one| one.id() == id) {
            entry.exclude(part);
        }
        let left_out = LeftOutResource {
            id: id.to_owned(),
            part: Some(part.to_owned()),
            reason: reason.to_owned(),
        };
        let is_same = |one: &LeftOutResource| one.id == left_out.id && one.part == left_out.part;
        if !self.left_out.iter().any(is_same) {
            self.left_out.push(left_out);
        }
    }

    fn leave_out(&mut self, id: &str, reason: &str) {
        if !self.is_optional(id) {
            return;
        }
        self.entries.retain(|one| one.id() != id);
        self.left_out.retain(|one| one.id != id);
        self.left_out.push(LeftOutResource {
            id: id.to_owned(),
            part: None,
            reason: reason.to_owned(),
        });
    }

    /// The entry of the proposed manifest at a position.
    fn entry_at(&self, text: &str, position: usize) -> Option<String> {
        let document = parsed(text.to_owned());
        let is_at = |key: NodeRef<'_>, value: NodeRef<'_>| {
            let (start, end) = (key.span().start as usize, value.span().end as usize);
            (start..=end).contains(&position)
        };
        let found = self.entries.iter().find(|entry| {
            let table = document.at(&Pointer::root().child(entry.section()));
            let mut keys = table.into_iter().flat_map(|table| table.entries());
            keys.any(|(key, value)| key.content() == entry.name && is_at(key, value))
        });
        found.map(|entry| entry.id())
    }
}

/// Whether a finding stops an install; that of a preview is only a warning.
fn stops(finding: &Diagnostic) -> bool {
    finding.severity == Severity::Error || *finding.code == codes::TOOL_WIDENING
}

/// Replaces the help of findings that options of the command decide: the last one has the whole command.
pub fn suggest_command(findings: &mut [Diagnostic], typed: &TypedCommand) {
    let mut approvals: BTreeSet<String> = BTreeSet::new();
    let mut options: Vec<String> = Vec::new();
    let mut last = None;
    for (at, finding) in findings.iter().enumerate() {
        if !stops(finding) || finding.remedies.is_empty() {
            continue;
        }
        last = Some(at);
        for Remedy { entry, change } in &finding.remedies {
            match change {
                EntryRemedy::AllowWidening { .. } | EntryRemedy::Approve => {
                    approvals.insert(entry.clone());
                }
                EntryRemedy::ExcludePart {
                    names: PartNaming::Free,
                    ..
                } => add_option(&mut options, &["--prefix"]),
                EntryRemedy::ExcludePart { part, .. } => {
                    add_option(&mut options, &["--exclude", part]);
                }
                EntryRemedy::Rename { name } => add_option(&mut options, &["--name", name]),
            }
        }
    }
    let Some(last) = last.filter(|_| !typed.verb.is_empty()) else {
        return;
    };
    if approvals.len() > MOST_APPROVALS {
        approvals = BTreeSet::from(["all".to_owned()]);
    }
    for id in &approvals {
        add_option(&mut options, &["--approve", id]);
    }
    let command = typed.with_options(options.iter().map(String::as_str));
    for (at, finding) in findings.iter_mut().enumerate() {
        if !stops(finding) || finding.remedies.is_empty() {
            continue;
        }
        finding.help = (at == last).then(|| match other_way(finding, typed) {
            Some(other) => format!("run `{command}`, or `{other}`"),
            None => format!("run `{command}`"),
        });
    }
}

/// The command that leaves out the part that a prefix would rename.
fn other_way(finding: &Diagnostic, typed: &TypedCommand) -> Option<String> {
    let [only] = finding.remedies.as_slice() else {
        return None;
    };
    match &only.change {
        EntryRemedy::ExcludePart {
            part,
            names: PartNaming::Free,
        } => Some(typed.with_options(["--exclude", part])),
        _ => None,
    }
}

/// Adds an option once.
fn add_option(options: &mut Vec<String>, new: &[&str]) {
    if !options.windows(new.len()).any(|existing| existing == new) {
        options.extend(new.iter().map(|word| (*word).to_owned()));
    }
}
