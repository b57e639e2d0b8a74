//! Decisions about additions that cannot be installed as they are: they are changed as the user approved, left out where
//! everything was meant and nothing named, or refused with the command that decides it.

use std::collections::BTreeSet;

use agpm_diag::{
    Diagnostic, EntryRemedy, PartNaming, Remedy, Severity, SourceMap, TypedCommand, codes, counted,
};
use agpm_text::{NodeRef, Pointer};

use crate::manifest::Presence;
use crate::manifest::edit::parsed;
use crate::manifest::{LeftOutResource, ManifestAdditions};

/// More ids than this are approved together.
const MOST_APPROVALS: usize = 5;
/// Reasons that are listed if nothing is left.
const MOST_REASONS: usize = 10;

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
        let before = (
            self.entries.len(),
            self.left_out.len(),
            self.widened.clone(),
        );
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
        let after = (
            self.entries.len(),
            self.left_out.len(),
            self.widened.clone(),
        );
        if before == after && allowed == self.allowed_count() {
            Settlement::Unchanged
        } else {
            Settlement::Changed
        }
    }

    /// The failure where nothing is left of everything that was meant.
    pub fn nothing_left(&self) -> Diagnostic {
        let count = counted(self.left_out.len(), "resource", "resources");
        let reasons = self.left_out.iter().take(MOST_REASONS);
        let reasons = reasons.map(|one| format!("{}: {}", one.id, one.reason));
        let more = self.left_out.len().saturating_sub(MOST_REASONS);
        let more = (more > 0).then(|| format!("… and {more} more"));
        Diagnostic::new(
            &codes::ADD_NOTHING,
            format!("nothing can be installed of {count}"),
        )
        .details(reasons.chain(more))
        .help("name a resource to see all that prevents it")
    }

    fn settle_remedy(&mut self, remedy: &Remedy, reason: &str, approves: &dyn Fn(&str) -> bool) {
        let Remedy { entry, change } = remedy;
        match change {
            EntryRemedy::AllowWidening {
                id,
                part,
                tools,
                others,
            } => {
                let ids = [Some(entry), Some(id), part.as_ref()];
                if ids.into_iter().flatten().any(|id| approves(id)) {
                    self.allow_widening(entry, tools);
                    return;
                }
                // The message counts all that widen alike. Its first clause is true of each.
                let reason = reason.split(": ").next().unwrap_or(reason);
                if part.is_none() && !others.is_empty() {
                    self.leave_out_of(entry, tools, others, reason);
                } else {
                    self.leave_out_part(entry, part.as_deref(), reason);
                }
            }
            EntryRemedy::ExcludePart { part, .. } => {
                self.leave_out_part(entry, Some(part), reason);
            }
            EntryRemedy::Rename { .. } => self.leave_out(entry, reason),
            // The user approves executables, also if everything was meant.
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
            tools: Vec::new(),
            reason: reason.to_owned(),
        };
        let is_same = |one: &LeftOutResource| one.id == left_out.id && one.part == left_out.part;
        if !self.left_out.iter().any(is_same) {
            self.left_out.push(left_out);
        }
    }

    /// Adds an entry for its other tools only.
    fn leave_out_of(&mut self, id: &str, tools: &[String], others: &[String], reason: &str) {
        if !self.is_optional(id) {
            return;
        }
        let mut entries = self.entries.iter_mut();
        let Some(entry) = entries.find(|one| one.id() == id) else {
            return;
        };
        if !entry.keep_tools(others) {
            return self.leave_out(id, reason);
        }
        self.left_out.push(LeftOutResource {
            id: id.to_owned(),
            part: None,
            tools: tools.to_vec(),
            reason: reason.to_owned(),
        });
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
            tools: Vec::new(),
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use agpm_diag::Span;
    use agpm_model::{Manifest, SourceAddress, SourceName};
    use agpm_resolve::discover::{Candidate, CandidateType, PluginMembership, PluginPlacement};

    use super::*;
    use crate::manifest::{EntryContext, EntryOptions};
    use crate::manifest::{OfferOrigin, OfferedSource, SourceState};

    fn plugin(name: &str) -> Candidate {
        Candidate {
            kind: CandidateType::Plugin,
            name: name.to_owned(),
            declared_name: None,
            path: format!("plugins/{name}"),
            description: None,
            membership: PluginMembership::Standalone,
            location: PluginPlacement::Here,
        }
    }

    fn additions(presence: Presence) -> ManifestAdditions {
        let mut additions = ManifestAdditions::new("# mine\n".to_owned(), Vec::new());
        let origin = OfferOrigin::Source(OfferedSource {
            name: SourceName::new("corp").unwrap(),
            address: SourceAddress::parse("https://h/corp").unwrap(),
            state: SourceState::New,
        });
        let context = EntryContext {
            origin: &origin,
            requirement: None,
            versions: None,
            options: EntryOptions::default(),
            presence,
            is_marketplace: false,
        };
        let candidates = [plugin("one"), plugin("two")];
        additions
            .add(&context, &candidates, &Manifest::default())
            .unwrap();
        additions
    }

    fn remedy(entry: &str, change: EntryRemedy) -> Diagnostic {
        let entry = entry.to_owned();
        Diagnostic::new(&codes::PLUGIN_CLASH, "it is the reason")
            .resolved_by([Remedy { entry, change }])
    }

    fn exclude(names: PartNaming) -> EntryRemedy {
        let part = "agents/a".to_owned();
        EntryRemedy::ExcludePart { part, names }
    }

    fn widen(tool: &str) -> EntryRemedy {
        EntryRemedy::AllowWidening {
            id: "agents/a".to_owned(),
            part: Some("agents/a".to_owned()),
            tools: vec![tool.to_owned()],
            others: vec!["claude-code".to_owned()],
        }
    }

    /// The entries after a finding was decided, and what is left out.
    fn settled(
        additions: &mut ManifestAdditions,
        finding: Diagnostic,
        approved: &str,
    ) -> (Settlement, String, Vec<String>) {
        let approves = |id: &str| id == approved;
        let settlement = additions.settle(&[finding], &SourceMap::default(), &approves);
        let report = additions.report();
        let left_out = report.left_out.into_iter().map(|one| {
            let part = one.part.map(|part| format!(" {part}"));
            format!("{}{}: {}", one.id, part.unwrap_or_default(), one.reason)
        });
        let text = additions.text().unwrap();
        let entries = text.split("[plugins]\n").nth(1).unwrap_or_default();
        (settlement, entries.to_owned(), left_out.collect())
    }

    const ONE: &str = "one = { source = \"corp\", path = \"plugins/one\" }\n";
    const TWO: &str = "two = { source = \"corp\", path = \"plugins/two\" }\n";

    #[test]
    fn parts_and_entries_are_left_out_where_everything_was_meant() {
        let clash = remedy("plugins/two", exclude(PartNaming::Free));
        let (settlement, entries, left_out) =
            settled(&mut additions(Presence::Optional), clash.clone(), "");
        let two = TWO.replace(" }", ", exclude = [\"agents/a\"] }");
        assert_eq!(settlement, Settlement::Changed);
        assert_eq!(entries, format!("{ONE}{two}"));
        assert_eq!(left_out, ["plugins/two agents/a: it is the reason"]);
        // What was named must be had.
        let (settlement, entries, left_out) =
            settled(&mut additions(Presence::Required), clash, "");
        assert_eq!(settlement, Settlement::Unchanged);
        assert_eq!((entries, left_out.len()), (format!("{ONE}{TWO}"), 0));
    }

    #[test]
    fn a_finding_about_a_line_leaves_out_its_entry() {
        let mut all = additions(Presence::Optional);
        let mut sources = SourceMap::default();
        let text = all.text().unwrap();
        let start = text.find("one = ").unwrap();
        let source = sources.add("agpm.toml", text.as_str());
        let finding = Diagnostic::new(&codes::SOURCE_UNREACHABLE, "gone");
        let finding = finding.at(source, Span::at(start), "");
        let settlement = all.settle(&[finding], &sources, &|_| false);
        assert_eq!(settlement, Settlement::Changed);
        assert_eq!(all.report().left_out[0].id, "plugins/one");
        assert!(all.text().unwrap().ends_with(&format!("[plugins]\n{TWO}")));
        // A warning stops nothing.
        let warning = Diagnostic::new(&codes::SKILL_NAME, "odd").at(source, Span::at(start), "");
        let settlement = all.settle(&[warning], &sources, &|_| false);
        assert_eq!(settlement, Settlement::Unchanged);
    }

    #[test]
    fn a_wider_conversion_is_allowed_where_it_is_approved() {
        for approved in ["plugins/one", "agents/a"] {
            let mut all = additions(Presence::Required);
            let finding = || remedy("plugins/one", widen("codex"));
            let (settlement, entries, left_out) = settled(&mut all, finding(), approved);
            let one = ONE.replace(" }", ", allow-widening = [\"codex\"] }");
            assert_eq!(settlement, Settlement::Changed);
            assert_eq!((entries, left_out.len()), (format!("{one}{TWO}"), 0));
            let (again, ..) = settled(&mut all, finding(), approved);
            assert_eq!(again, Settlement::Unchanged, "it makes no progress");
            let (more, ..) = settled(&mut all, remedy("plugins/one", widen("cursor")), approved);
            assert_eq!(more, Settlement::Changed);
        }
        let mut all = additions(Presence::Required);
        let (settlement, ..) = settled(&mut all, remedy("plugins/one", widen("codex")), "agents/b");
        assert_eq!(settlement, Settlement::Unchanged);
    }

    #[test]
    fn a_tool_that_would_permit_more_is_left_out_alone() {
        let mut all = additions(Presence::Optional);
        let finding = |tool: &str, others: &[&str]| {
            let change = EntryRemedy::AllowWidening {
                id: "agents/a".to_owned(),
                part: None,
                tools: vec![tool.to_owned()],
                others: others.iter().map(|other| (*other).to_owned()).collect(),
            };
            let entry = "plugins/one".to_owned();
            Diagnostic::new(&codes::TOOL_WIDENING, "codex cannot: 26 agents would")
                .resolved_by([Remedy { entry, change }])
        };
        let (settlement, entries, _) =
            settled(&mut all, finding("codex", &["claude-code", "cursor"]), "");
        assert_eq!(settlement, Settlement::Changed);
        let one = ONE.replace(" }", ", tools = [\"claude-code\", \"cursor\"] }");
        assert_eq!(entries, format!("{one}{TWO}"));
        let left_out = &all.report().left_out[0];
        assert_eq!(
            (left_out.tools.as_slice(), left_out.reason.as_str()),
            (&["codex".to_owned()][..], "codex cannot")
        );
        // What it requires may need another tool to be left out.
        let (_, entries, _) = settled(&mut all, finding("cursor", &["claude-code", "codex"]), "");
        let one = ONE.replace(" }", ", tool = \"claude-code\" }");
        assert_eq!(entries, format!("{one}{TWO}"));
        // Without any tool left, the entry goes.
        let (_, entries, _) = settled(&mut all, finding("claude-code", &["codex"]), "");
        assert_eq!(entries, TWO);
    }

    #[test]
    fn an_entry_of_the_manifest_keeps_what_it_allows() {
        let text = "[agents]\na = { path = \"./a.md\", allow-widening = [\"codex\"] }\n";
        let mut all = ManifestAdditions::new(text.to_owned(), Vec::new());
        let (settlement, ..) = settled(&mut all, remedy("agents/a", widen("cursor")), "agents/a");
        assert_eq!(settlement, Settlement::Changed);
        assert_eq!(
            all.text().unwrap(),
            text.replace("[\"codex\"]", "[\"codex\", \"cursor\"]")
        );
    }

    #[test]
    fn what_would_run_is_never_left_out_silently() {
        let mut all = additions(Presence::Optional);
        let finding = remedy("plugins/one", EntryRemedy::Approve);
        let (settlement, entries, _) = settled(&mut all, finding, "");
        assert_eq!(settlement, Settlement::Unchanged);
        assert_eq!(entries, format!("{ONE}{TWO}"));
    }

    #[test]
    fn the_last_finding_has_the_whole_command() {
        let typed = TypedCommand {
            verb: vec!["add".to_owned()],
            words: vec!["acme/kit".to_owned()],
            ..TypedCommand::default()
        };
        let helps = |findings: &[Diagnostic]| -> Vec<Option<String>> {
            let mut findings = findings.to_vec();
            suggest_command(&mut findings, &typed);
            findings.into_iter().map(|found| found.help).collect()
        };
        let clash = remedy("plugins/one", exclude(PartNaming::Free));
        let wider = remedy("plugins/one", widen("codex"));
        let runs = remedy("hooks/h", EntryRemedy::Approve);
        let other = Diagnostic::new(&codes::USAGE, "other").help("as it is");
        assert_eq!(
            helps(std::slice::from_ref(&clash)),
            [Some(
                "run `agpm add acme/kit --prefix`, or `agpm add acme/kit --exclude agents/a`"
                    .to_owned()
            )]
        );
        assert_eq!(
            helps(&[wider.clone(), runs, other]),
            [
                None,
                Some("run `agpm add acme/kit --approve hooks/h --approve plugins/one`".to_owned()),
                Some("as it is".to_owned())
            ]
        );
        let many: Vec<Diagnostic> = (0..6)
            .map(|at| remedy(&format!("agents/a{at}"), EntryRemedy::Approve))
            .collect();
        let help = helps(&many).pop().flatten();
        assert_eq!(
            help.as_deref(),
            Some("run `agpm add acme/kit --approve all`")
        );
        let taken = EntryRemedy::Rename {
            name: "other".to_owned(),
        };
        let help = helps(&[remedy("skills/a", taken)]).pop().flatten();
        assert_eq!(
            help.as_deref(),
            Some("run `agpm add acme/kit --name other`")
        );
    }
}
