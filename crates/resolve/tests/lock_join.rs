//! Joined lockfiles: examples, and laws over random pairs of branches.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};

use agpm_model::{LockedCapabilitySet, Lockfile, Pin, PinId, VersionRequirement};
use agpm_resolve::{JoinFacts, JoinedLock, LockSides, PinChoice, join_locks};
use agpm_text::{Format, parse_alone};
use proptest::prelude::*;

/// A manifest with one requirement for each name; commits are numbers, and a lower one is an ancestor of a higher one
/// of the same parity.
#[derive(Default)]
struct Facts {
    requirements: BTreeMap<String, &'static str>,
}

fn number(pin: &Pin) -> u64 {
    u64::from_str_radix(&pin.commit.as_str()[..8], 16).unwrap()
}

impl JoinFacts for Facts {
    fn allows(&self, id: &PinId, pin: &Pin) -> bool {
        let required = self.requirements.get(&id.name());
        required.is_none_or(|text| {
            VersionRequirement::parse(text)
                .unwrap()
                .allows(&pin.version)
        })
    }

    fn is_ancestor(&self, pin: &Pin, of: &Pin) -> Option<bool> {
        let (pin, of) = (number(pin), number(of));
        Some(pin < of && pin % 2 == of % 2)
    }
}

#[derive(Clone, Debug)]
struct Entry {
    name: String,
    version: String,
    commit: u64,
    capabilities: Vec<&'static str>,
}

fn entry(name: &str, version: &str, commit: u64) -> Entry {
    Entry {
        name: name.to_owned(),
        version: version.to_owned(),
        commit,
        capabilities: Vec::new(),
    }
}

fn release(name: &str, minor: u64) -> Entry {
    entry(name, &format!("v1.{minor}.0"), minor)
}

fn lock_of(entries: &[Entry]) -> Lockfile {
    let mut text =
        "version = 1\n[[sources]]\nname = \"shared\"\nurl = \"https://host/shared\"\n".to_owned();
    for one in entries {
        let Entry {
            name,
            version,
            commit,
            capabilities,
        } = one;
        let digits = format!("{commit:08x}").repeat(5);
        text.push_str(&format!(
            "[[agents]]\nname = \"{name}\"\nsource = \"shared\"\npath = \"agents/{name}.md\"\n\
             requirement = \"*\"\nversion = \"{version}\"\nresolved_commit = \"{digits}\"\n\
             checksum = \"sha256:{}\"\n",
            "0".repeat(64)
        ));
        if !capabilities.is_empty() {
            text.push_str(&format!("capabilities = {capabilities:?}\n"));
        }
        text.push_str("tool = \"claude-code\"\ndependencies = []\n");
    }
    let (lock, mistakes) = Lockfile::read(&parse_alone(text, Format::Toml).document);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    lock
}

fn join(base: Option<&[Entry]>, ours: &[Entry], theirs: &[Entry], facts: &Facts) -> JoinedLock {
    let base = base.map(lock_of);
    let sides = LockSides {
        base: base.as_ref(),
        ours: &lock_of(ours),
        theirs: &lock_of(theirs),
    };
    join_locks(&sides, facts)
}

fn versions(lock: &Lockfile) -> Vec<String> {
    let entries = lock.entries.iter();
    entries
        .map(|one| format!("{} {}", one.name, one.version().unwrap()))
        .collect()
}

#[test]
fn entries_of_one_side_stay_and_of_two_versions_the_higher() {
    let ours = [release("a", 1), release("b", 3), release("c", 1)];
    let theirs = [release("b", 2), release("c", 4), release("d", 1)];
    let joined = join(None, &ours, &theirs, &Facts::default());
    assert_eq!(
        versions(&joined.lock),
        ["a v1.1.0", "b v1.3.0", "c v1.4.0", "d v1.1.0"]
    );
    let choices: Vec<(String, PinChoice)> = joined
        .joined
        .iter()
        .map(|pin| (pin.id.to_string(), pin.choice))
        .collect();
    assert_eq!(
        choices,
        [
            ("agents/b".to_owned(), PinChoice::Ours),
            ("agents/c".to_owned(), PinChoice::Theirs)
        ]
    );
    assert!(joined.open.is_empty());
}

#[test]
fn a_version_that_the_merged_manifest_excludes_loses() {
    let mut facts = Facts::default();
    facts.requirements.insert("a".to_owned(), "~1.2");
    let joined = join(None, &[release("a", 2)], &[release("a", 5)], &facts);
    assert_eq!(versions(&joined.lock), ["a v1.2.0"]);
    // Without an allowed one, it is resolved again.
    let joined = join(None, &[release("a", 4)], &[release("a", 5)], &facts);
    assert_eq!(joined.open.len(), 1);
    assert_eq!(joined.joined[0].choice, PinChoice::Neither);
    assert!(joined.settled_part().entries.is_empty());
}

#[test]
fn of_two_commits_of_a_branch_the_ancestor_loses() {
    let main = |commit| [entry("a", "main", commit)];
    let joined = |ours, theirs| join(None, &main(ours), &main(theirs), &Facts::default());
    let commit = |joined: &JoinedLock| number(joined.lock.entries[0].pin.as_ref().unwrap());
    assert_eq!(commit(&joined(2, 4)), 4);
    assert_eq!(commit(&joined(4, 2)), 4);
    assert_eq!(joined(2, 3).open.len(), 1);
    // A tag that moved is a question of history too.
    let tag = |commit| [entry("a", "v1.0.0", commit)];
    let moved = join(None, &tag(2), &tag(4), &Facts::default());
    assert_eq!(commit(&moved), 4);
    assert_eq!(
        join(None, &tag(2), &tag(3), &Facts::default()).open.len(),
        1
    );
}

#[test]
fn with_the_common_ancestor_a_change_of_one_branch_stays() {
    let base = [release("a", 5), release("b", 1), release("c", 1)];
    let lowered = [release("a", 2), release("b", 1), release("c", 2)];
    let removed = [release("a", 5), release("c", 3)];
    for (ours, theirs) in [
        (lowered.as_slice(), removed.as_slice()),
        (removed.as_slice(), lowered.as_slice()),
    ] {
        let joined = join(Some(&base), ours, theirs, &Facts::default());
        assert_eq!(versions(&joined.lock), ["a v1.2.0", "c v1.3.0"]);
        assert_eq!(joined.joined.len(), 1);
    }
}

#[test]
fn capabilities_are_those_of_the_pin_that_stays() {
    let with = |minor, capabilities: &[&'static str]| Entry {
        capabilities: capabilities.to_vec(),
        ..release("a", minor)
    };
    let set = |ours: Entry, theirs: Entry| {
        let joined = join(None, &[ours], &[theirs], &Facts::default());
        joined.lock.entries[0].capabilities.clone()
    };
    let listed = |lines: &[&str]| {
        LockedCapabilitySet::of(lines.iter().map(|line| (*line).to_owned()).collect())
    };
    let (wide, narrow) = (["runs a", "runs b"], ["runs a"]);
    assert_eq!(set(with(1, &wide), with(2, &narrow)), listed(&narrow));
    // With one version, a branch approved more, as with a patch.
    assert_eq!(set(with(1, &narrow), with(1, &wide)), listed(&wide));
    // Both approved something else: never the union.
    assert_eq!(
        set(with(1, &["runs a"]), with(1, &["runs b"])),
        listed(&["runs a"])
    );
}

fn any_side() -> impl Strategy<Value = Vec<Entry>> {
    let names = ["a", "b", "c", "d"];
    let capabilities = prop::sample::subsequence(vec!["runs a", "runs b"], 0..=2);
    let one = (0..6_u64, any::<bool>(), capabilities);
    let entries = prop::collection::vec(prop::option::of(one), names.len());
    entries.prop_map(move |entries| {
        let mut side = Vec::new();
        for (name, found) in names.iter().zip(entries) {
            let Some((at, is_branch, capabilities)) = found else {
                continue;
            };
            let pinned = if is_branch {
                entry(name, "main", at)
            } else {
                release(name, at)
            };
            side.push(Entry {
                capabilities,
                ..pinned
            });
        }
        side
    })
}

fn pins(lock: &Lockfile) -> BTreeMap<PinId, (String, u64)> {
    let pins = lock.pins();
    pins.map(|one| (one.id, (one.pin.version.to_string(), number(one.pin))))
        .collect()
}

proptest! {
    #[test]
    fn a_lockfile_joined_with_itself_stays(side in any_side()) {
        let joined = join(None, &side, &side, &Facts::default());
        prop_assert_eq!(joined.lock, lock_of(&side));
        prop_assert!(joined.joined.is_empty() && joined.open.is_empty());
    }

    #[test]
    fn both_directions_have_the_same_pins(ours in any_side(), theirs in any_side()) {
        let there = join(None, &ours, &theirs, &Facts::default());
        let back = join(None, &theirs, &ours, &Facts::default());
        prop_assert_eq!(&there.open, &back.open);
        prop_assert_eq!(pins(&there.settled_part()), pins(&back.settled_part()));
    }

    #[test]
    fn every_entry_is_one_of_a_side_and_the_highest_allowed(
        ours in any_side(),
        theirs in any_side(),
        requirement in prop::sample::select(vec!["*", "~1.2", ">=1.3", "main"]),
    ) {
        let mut facts = Facts::default();
        facts.requirements.insert("a".to_owned(), requirement);
        let joined = join(None, &ours, &theirs, &facts);
        let sides = [lock_of(&ours), lock_of(&theirs)];
        let ids: BTreeSet<PinId> = sides.iter().flat_map(|lock| lock.pins()).map(|one| one.id).collect();
        prop_assert_eq!(joined.lock.entries.len(), ids.len());
        for entry in &joined.lock.entries {
            let id = PinId::Resource(entry.id());
            let candidates: Vec<_> = sides
                .iter()
                .filter_map(|lock| lock.entries.iter().find(|one| one.id() == entry.id()))
                .collect();
            // Bytes, capabilities and approvals are those of one side together, never mixed.
            prop_assert!(candidates.contains(&entry));
            if joined.open.contains(&id) || candidates.len() < 2 {
                continue;
            }
            let pin = entry.pin.as_ref().unwrap();
            for other in candidates.iter().map(|one| one.pin.as_ref().unwrap()) {
                if !facts.allows(&id, other) || other.version == pin.version && other.commit == pin.commit {
                    continue;
                }
                let is_higher = pin.version > other.version && other.version.prefix().is_some();
                prop_assert!(is_higher || facts.is_ancestor(other, pin) == Some(true));
            }
        }
    }
}
