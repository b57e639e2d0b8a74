use std::collections::BTreeMap;

use crate::policy::{Reaction, References};

/// Documents in the order of their rank, and what was wrong on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lineage<K> {
    /// Lowest first; each once.
    pub order: Vec<K>,
    /// References that led nowhere, in the order they were met.
    pub flaws: Vec<Flaw<K>>,
}

/// A reference that led nowhere. What it named is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw<K> {
    /// What was wrong.
    pub kind: FlawKind,
    /// From a start along the references to what was named; in a cycle, from a document back to itself.
    pub chain: Vec<K>,
    /// What the policy does about it.
    pub reaction: Reaction,
}

/// What can be wrong with a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// The document is not there.
    Missing,
    /// It is there and cannot be read.
    Malformed,
    /// It leads back to a document on the way to it.
    Cyclic,
}

/// Why a document has no parents to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// It is not there.
    Missing,
    /// It cannot be read.
    Malformed,
}

impl<K> Lineage<K> {
    /// Whether the policy lets the order stand.
    pub fn is_sound(&self) -> bool {
        self.flaws
            .iter()
            .all(|flaw| flaw.reaction == Reaction::Skip)
    }
}

/// Puts every parent directly below the document that names it: depth first, in the order of the list.
///
/// `parents` is asked once for every document. One that several name stands once, at its lowest place. Chains of any
/// length are fine.
pub fn order<K: Clone + Ord>(
    start: &[K],
    references: References,
    parents: impl FnMut(&K) -> Result<Vec<K>, Absent>,
) -> Lineage<K> {
    let lineage = Lineage {
        order: Vec::new(),
        flaws: Vec::new(),
    };
    let mut walk = Walk {
        lineage,
        references,
        parents,
        states: BTreeMap::new(),
        path: Vec::new(),
    };
    start
        .iter()
        .for_each(|document| walk.from(document.clone()));
    walk.lineage
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Done,
    Absent(Absent),
}

struct Walk<K, P> {
    lineage: Lineage<K>,
    references: References,
    parents: P,
    states: BTreeMap<K, State>,
    /// The documents on the way down, each with the parents still to be visited.
    path: Vec<(K, std::vec::IntoIter<K>)>,
}

impl<K: Clone + Ord, P: FnMut(&K) -> Result<Vec<K>, Absent>> Walk<K, P> {
    fn from(&mut self, document: K) {
        self.visit(document);
        while let Some((_, waiting)) = self.path.last_mut() {
            if let Some(parent) = waiting.next() {
                self.visit(parent);
            } else if let Some((done, _)) = self.path.pop() {
                self.states.insert(done.clone(), State::Done);
                self.lineage.order.push(done);
            }
        }
    }

    fn visit(&mut self, document: K) {
        match self.states.get(&document) {
            Some(State::Done) => {}
            Some(State::Open) => {
                let from = self
                    .path
                    .iter()
                    .position(|(open, _)| *open == document)
                    .unwrap_or(0);
                self.flaw(FlawKind::Cyclic, from, document);
            }
            Some(State::Absent(absent)) => self.absent(*absent, document),
            None => match (self.parents)(&document) {
                Ok(parents) => {
                    self.states.insert(document.clone(), State::Open);
                    self.path.push((document, parents.into_iter()));
                }
                Err(absent) => {
                    self.states.insert(document.clone(), State::Absent(absent));
                    self.absent(absent, document);
                }
            },
        }
    }

    fn absent(&mut self, absent: Absent, document: K) {
        let kind = match absent {
            Absent::Missing => FlawKind::Missing,
            Absent::Malformed => FlawKind::Malformed,
        };
        self.flaw(kind, 0, document);
    }

    fn flaw(&mut self, kind: FlawKind, from: usize, document: K) {
        let reaction = match kind {
            FlawKind::Missing => self.references.missing,
            FlawKind::Malformed => self.references.malformed,
            FlawKind::Cyclic => self.references.cyclic,
        };
        let chain = self.path[from..]
            .iter()
            .map(|(open, _)| open.clone())
            .chain([document])
            .collect();
        self.lineage.flaws.push(Flaw {
            kind,
            chain,
            reaction,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Edges = &'static [(&'static str, &'static [&'static str])];

    fn lineage(edges: Edges, references: References) -> Lineage<&'static str> {
        order(&["me"], references, |name: &&'static str| match *name {
            "broken" => Err(Absent::Malformed),
            _ => {
                let found = edges.iter().find(|(child, _)| child == name);
                found
                    .map(|(_, parents)| parents.to_vec())
                    .ok_or(Absent::Missing)
            }
        })
    }

    #[test]
    fn parents_stand_below_in_list_order_and_a_diamond_is_no_cycle() {
        let found = lineage(
            &[
                ("me", &["a", "b"]),
                ("a", &["base"]),
                ("b", &["base"]),
                ("base", &[]),
            ],
            References::STRICT,
        );
        assert_eq!(
            found,
            Lineage {
                order: vec!["base", "a", "b", "me"],
                flaws: vec![]
            }
        );
        assert!(found.is_sound());
    }

    #[test]
    fn a_cycle_is_cut_and_told_with_its_chain() {
        let found = lineage(
            &[
                ("me", &["b"]),
                ("b", &["c"]),
                ("c", &["b", "d"]),
                ("d", &[]),
            ],
            References::LENIENT,
        );
        assert_eq!(found.order, ["d", "c", "b", "me"]);
        assert_eq!(
            found.flaws,
            [Flaw {
                kind: FlawKind::Cyclic,
                chain: vec!["b", "c", "b"],
                reaction: Reaction::Skip
            }]
        );
        assert!(found.is_sound());
        let alone = lineage(&[("me", &["me"])], References::STRICT);
        assert_eq!(alone.flaws[0].chain, ["me", "me"]);
        assert!(!alone.is_sound());
    }

    #[test]
    fn what_is_not_there_or_broken_is_told_with_who_named_it() {
        let found = lineage(
            &[("me", &["a", "broken"]), ("a", &["gone", "broken"])],
            References::LENIENT,
        );
        assert_eq!(found.order, ["a", "me"]);
        let told: Vec<(FlawKind, Vec<&str>)> = found
            .flaws
            .into_iter()
            .map(|flaw| (flaw.kind, flaw.chain))
            .collect();
        assert_eq!(
            told,
            [
                (FlawKind::Missing, vec!["me", "a", "gone"]),
                (FlawKind::Malformed, vec!["me", "a", "broken"]),
                (FlawKind::Malformed, vec!["me", "broken"]),
            ]
        );
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_does_not_overflow() {
        let found = order(&[0u32], References::STRICT, |n| {
            Ok(if *n < 100_000 { vec![n + 1] } else { vec![] })
        });
        assert_eq!(found.order.len(), 100_001);
        assert_eq!(found.order.first(), Some(&100_000));
    }
}
