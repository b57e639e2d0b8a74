use crate::discover::candidate::{Candidate, CandidateType, PluginMembership};

/// Whether everything is meant where nothing is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionMode {
    /// A single candidate; of several, the user chooses.
    Single,
    /// All candidates.
    All,
}

/// A name as it is typed: `NAME`, or `TYPE/NAME` and `TYPE:NAME`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenName<'w> {
    /// The type, if it is written.
    pub kind: Option<CandidateType>,
    /// The name.
    pub name: &'w str,
}

impl<'w> WrittenName<'w> {
    /// Reads a name.
    pub fn parse(word: &'w str) -> Self {
        let typed = word.split_once(['/', ':']);
        let typed = typed.and_then(|(kind, name)| Some((CandidateType::named(kind)?, name)));
        match typed.filter(|(_, name)| !name.is_empty()) {
            Some((kind, name)) => WrittenName {
                kind: Some(kind),
                name,
            },
            None => WrittenName {
                kind: None,
                name: word,
            },
        }
    }

    fn means(self, candidate: &Candidate) -> bool {
        candidate.is_called(self.name) && self.kind.is_none_or(|kind| kind == candidate.kind)
    }
}

/// The selected candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CandidateChoice<'c> {
    /// The chosen candidates.
    Chosen(Vec<&'c Candidate>),
    /// Candidates to choose from.
    Several(Vec<&'c Candidate>),
    /// No candidate has this name.
    Unknown(String),
    /// Several have this name.
    Ambiguous(String, Vec<&'c Candidate>),
    /// The source has no candidates.
    Nothing,
}

/// Chooses by names, by type, or because there is just one. Parts of a plugin are meant only by name, or by a type that no
/// plugin has.
pub fn choose<'c>(
    candidates: &'c [Candidate],
    names: &[String],
    kind: Option<CandidateType>,
    selection: SelectionMode,
) -> CandidateChoice<'c> {
    let is_kind = |candidate: &&Candidate| kind.is_none_or(|kind| kind == candidate.kind);
    let all: Vec<&Candidate> = candidates.iter().filter(is_kind).collect();
    if !names.is_empty() {
        return choose_named(&all, names);
    }
    let is_part = |one: &&Candidate| matches!(one.membership, PluginMembership::Part(_));
    let free: Vec<&Candidate> = all.iter().copied().filter(|one| !is_part(one)).collect();
    let offered = if free.is_empty() { all } else { free };
    match (offered.len(), selection) {
        (0, _) => CandidateChoice::Nothing,
        (1, _) => CandidateChoice::Chosen(offered),
        (_, SelectionMode::Single) => CandidateChoice::Several(offered),
        (_, SelectionMode::All) => CandidateChoice::Chosen(without_parts(offered)),
    }
}

/// Without what comes with a plugin that is chosen too.
fn without_parts(offered: Vec<&Candidate>) -> Vec<&Candidate> {
    let is_plugin =
        |one: &Candidate, name: &str| one.kind == CandidateType::Plugin && one.name == name;
    let comes_along = |one: &Candidate| {
        let plugin = one.membership.plugin();
        plugin.is_some_and(|name| offered.iter().any(|other| is_plugin(other, name)))
    };
    offered
        .iter()
        .copied()
        .filter(|one| !comes_along(one))
        .collect()
}

fn choose_named<'c>(all: &[&'c Candidate], names: &[String]) -> CandidateChoice<'c> {
    let mut chosen: Vec<&Candidate> = Vec::new();
    for word in names {
        let name = WrittenName::parse(word);
        let mut found: Vec<&Candidate> =
            all.iter().copied().filter(|one| name.means(one)).collect();
        // `browse` shows the path too, and of equal names only the path is unique.
        if found.is_empty() {
            found = all
                .iter()
                .copied()
                .filter(|one| one.path == *word)
                .collect();
        }
        // The name of something that is also a part of a plugin refers to the thing itself.
        let is_part = |one: &Candidate| matches!(one.membership, PluginMembership::Part(_));
        let independent: Vec<&Candidate> =
            found.iter().copied().filter(|one| !is_part(one)).collect();
        let found = if independent.is_empty() {
            found
        } else {
            independent
        };
        match found.as_slice() {
            [] => return CandidateChoice::Unknown(word.clone()),
            [one] if chosen.contains(one) => {}
            [one] => chosen.push(one),
            _ => return CandidateChoice::Ambiguous(word.clone(), found),
        }
    }
    CandidateChoice::Chosen(chosen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::candidate::PluginPlacement;

    fn candidate(kind: CandidateType, name: &str, plugin: Option<&str>) -> Candidate {
        let membership = plugin.map(|plugin| PluginMembership::Part(plugin.to_owned()));
        Candidate {
            kind,
            name: name.to_owned(),
            declared_name: None,
            path: format!("{}/{name}", plugin.unwrap_or_default()),
            description: None,
            membership: membership.unwrap_or(PluginMembership::Standalone),
            location: PluginPlacement::Here,
        }
    }

    fn ids(choice: CandidateChoice<'_>) -> String {
        let ids =
            |all: Vec<&Candidate>| all.iter().map(|one| one.id()).collect::<Vec<_>>().join(" ");
        match choice {
            CandidateChoice::Chosen(all) => format!("chosen {}", ids(all)),
            CandidateChoice::Several(all) => format!("several {}", ids(all)),
            CandidateChoice::Unknown(name) => format!("unknown {name}"),
            CandidateChoice::Ambiguous(name, all) => format!("ambiguous {name}: {}", ids(all)),
            CandidateChoice::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn names_types_and_plugins_decide() {
        use CandidateType::{Agent, Hook, Plugin, Skill};
        let all = [
            candidate(Plugin, "kit", None),
            candidate(Skill, "pdf", Some("kit")),
            candidate(Skill, "art", Some("kit")),
            candidate(Agent, "pdf", None),
            candidate(Skill, "own", None),
        ];
        let choose = |names: &[&str], kind, selection| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            ids(super::choose(&all, &names, kind, selection))
        };
        let single = SelectionMode::Single;
        assert_eq!(
            choose(&[], None, single),
            "several plugins/kit agents/pdf skills/own"
        );
        assert_eq!(
            choose(&[], None, SelectionMode::All),
            "chosen plugins/kit agents/pdf skills/own"
        );
        assert_eq!(choose(&[], Some(Agent), single), "chosen agents/pdf");
        assert_eq!(choose(&[], Some(Hook), single), "nothing");
        assert_eq!(choose(&["art"], None, single), "chosen skills/art");
        assert_eq!(choose(&["kit/art"], None, single), "chosen skills/art");
        assert_eq!(
            choose(&["pdf"], None, single),
            "chosen agents/pdf",
            "not the part"
        );
        assert_eq!(choose(&["skill:pdf"], None, single), "chosen skills/pdf");
        assert_eq!(
            choose(&["skills/pdf", "own", "own"], None, single),
            "chosen skills/pdf skills/own"
        );
        assert_eq!(choose(&["nope"], None, single), "unknown nope");
        let twice = [
            candidate(Skill, "a", Some("x")),
            candidate(Skill, "a", Some("y")),
        ];
        let names = ["a".to_owned()];
        let found = ids(super::choose(&twice, &names, None, single));
        assert_eq!(found, "ambiguous a: skills/a skills/a");
        assert_eq!(
            ids(super::choose(&twice[..1], &[], None, single)),
            "chosen skills/a"
        );
        assert_eq!(ids(super::choose(&[], &[], None, single)), "nothing");
    }
}
