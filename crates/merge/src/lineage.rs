use std::collections::BTreeMap;

use agpm_diag::Diagnostic;

use crate::policy::{ReferenceFailureKind, ReferencePolicy};

/// Documents of one kind that name others of it, as the walk along their references sees them.
pub trait DocumentGraph {
    /// The identity of a document.
    type Id: Clone + Ord;

    /// The documents that this one names, lowest first. Asked once for every document.
    fn parents(&mut self, document: &Self::Id) -> Result<Vec<Self::Id>, UnavailableReason>;

    /// Words and location for a reference that failed. How much it weighs, and whether it is reported at all, is the
    /// policy's: the severity set here is replaced.
    fn describe(&mut self, flaw: &ReferenceFailure<Self::Id>) -> Option<Diagnostic>;
}

/// Documents in the order of their rank, and what was wrong on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lineage<K> {
    /// Lowest first; each once.
    pub order: Vec<K>,
    /// References that failed, as the policy weighs them, in the order they were met.
    pub diagnostics: Vec<Diagnostic>,
}

/// A reference that failed. The document that it names is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceFailure<K> {
    /// The problem.
    pub kind: ReferenceFailureKind,
    /// From a start along the references to what was named; in a cycle, from a document back to itself.
    pub chain: Vec<K>,
}

/// Why the parents of a document are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnavailableReason {
    /// The document does not exist.
    Missing,
    /// The document cannot be read.
    Malformed,
    /// The document must not be read.
    Refused,
}

/// Orders every parent directly under the document that names it: depth first, in list order.
///
/// A document that several others name appears once, at its lowest position. Chains may have any length.
pub fn order<D: DocumentGraph>(
    start: &[D::Id],
    references: ReferencePolicy,
    documents: &mut D,
) -> Lineage<D::Id> {
    let lineage = Lineage {
        order: Vec::new(),
        diagnostics: Vec::new(),
    };
    let mut walk = LineageWalk {
        lineage,
        references,
        documents,
        states: BTreeMap::new(),
        path: Vec::new(),
    };
    start
        .iter()
        .for_each(|document| walk.from(document.clone()));
    walk.lineage
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineageState {
    Open,
    Done,
    Absent(UnavailableReason),
}

struct LineageWalk<'d, D: DocumentGraph> {
    lineage: Lineage<D::Id>,
    references: ReferencePolicy,
    documents: &'d mut D,
    states: BTreeMap<D::Id, LineageState>,
    /// The path of documents from the start, each with its unvisited parents.
    path: Vec<(D::Id, std::vec::IntoIter<D::Id>)>,
}

impl<D: DocumentGraph> LineageWalk<'_, D> {
    fn from(&mut self, document: D::Id) {
        self.visit(document);
        while let Some((_, waiting)) = self.path.last_mut() {
            if let Some(parent) = waiting.next() {
                self.visit(parent);
            } else if let Some((done, _)) = self.path.pop() {
                self.states.insert(done.clone(), LineageState::Done);
                self.lineage.order.push(done);
            }
        }
    }

    fn visit(&mut self, document: D::Id) {
        match self.states.get(&document) {
            Some(LineageState::Done) => {}
            Some(LineageState::Open) => {
                let from = self
                    .path
                    .iter()
                    .position(|(open, _)| *open == document)
                    .unwrap_or(0);
                self.report(ReferenceFailureKind::Cyclic, from, document);
            }
            Some(LineageState::Absent(absent)) => self.report(absent.flaw(), 0, document),
            None => match self.documents.parents(&document) {
                Ok(parents) => {
                    self.states.insert(document.clone(), LineageState::Open);
                    self.path.push((document, parents.into_iter()));
                }
                Err(absent) => {
                    self.states
                        .insert(document.clone(), LineageState::Absent(absent));
                    self.report(absent.flaw(), 0, document);
                }
            },
        }
    }

    fn report(&mut self, kind: ReferenceFailureKind, from: usize, document: D::Id) {
        let Some(severity) = self.references.reaction(kind).severity() else {
            return;
        };
        let open = self.path[from..].iter().map(|(open, _)| open.clone());
        let chain = open.chain([document]).collect();
        let found = self.documents.describe(&ReferenceFailure { kind, chain });
        let weighed = found.map(|found| Diagnostic { severity, ..found });
        self.lineage.diagnostics.extend(weighed);
    }
}

impl UnavailableReason {
    fn flaw(self) -> ReferenceFailureKind {
        match self {
            UnavailableReason::Missing => ReferenceFailureKind::Missing,
            UnavailableReason::Malformed => ReferenceFailureKind::Malformed,
            UnavailableReason::Refused => ReferenceFailureKind::Refused,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::ReferenceReaction;
    use agpm_diag::{Severity, codes};

    type Edges = &'static [(&'static str, &'static [&'static str])];

    struct Graph(Edges);

    impl DocumentGraph for Graph {
        type Id = &'static str;

        fn parents(&mut self, name: &Self::Id) -> Result<Vec<Self::Id>, UnavailableReason> {
            match *name {
                "broken" => Err(UnavailableReason::Malformed),
                "secret" => Err(UnavailableReason::Refused),
                _ => {
                    let found = self.0.iter().find(|(child, _)| child == name);
                    found
                        .map(|(_, parents)| parents.to_vec())
                        .ok_or(UnavailableReason::Missing)
                }
            }
        }

        fn describe(&mut self, flaw: &ReferenceFailure<Self::Id>) -> Option<Diagnostic> {
            let message = format!("{:?}: {}", flaw.kind, flaw.chain.join(" -> "));
            Some(Diagnostic::new(&codes::LINEAGE_CYCLE, message))
        }
    }

    fn lineage(edges: Edges, references: ReferencePolicy) -> Lineage<&'static str> {
        order(&["me"], references, &mut Graph(edges))
    }

    fn reported(lineage: &Lineage<&str>) -> Vec<(Severity, String)> {
        let found = lineage.diagnostics.iter();
        found
            .map(|one| (one.severity, one.message.clone()))
            .collect()
    }

    #[test]
    fn parents_are_below_in_list_order_and_a_diamond_is_not_a_cycle() {
        let found = lineage(
            &[
                ("me", &["a", "b"]),
                ("a", &["base"]),
                ("b", &["base"]),
                ("base", &[]),
            ],
            ReferencePolicy::STRICT,
        );
        assert_eq!(
            found,
            Lineage {
                order: vec!["base", "a", "b", "me"],
                diagnostics: vec![]
            }
        );
    }

    #[test]
    fn a_cycle_is_cut_and_reported_with_its_chain() {
        let found = lineage(
            &[
                ("me", &["b"]),
                ("b", &["c"]),
                ("c", &["b", "d"]),
                ("d", &[]),
            ],
            ReferencePolicy::LENIENT,
        );
        assert_eq!(found.order, ["d", "c", "b", "me"]);
        assert_eq!(
            reported(&found),
            [(Severity::Warning, "Cyclic: b -> c -> b".to_owned())]
        );
        let alone = lineage(&[("me", &["me"])], ReferencePolicy::STRICT);
        assert_eq!(
            reported(&alone),
            [(Severity::Error, "Cyclic: me -> me".to_owned())]
        );
    }

    #[test]
    fn every_way_to_fail_weighs_what_the_policy_says() {
        const EDGES: Edges = &[
            ("me", &["a", "broken", "secret", "me"]),
            ("a", &["gone", "broken"]),
        ];
        let messages = [
            (ReferenceFailureKind::Missing, "Missing: me -> a -> gone"),
            (
                ReferenceFailureKind::Malformed,
                "Malformed: me -> a -> broken",
            ),
            (ReferenceFailureKind::Malformed, "Malformed: me -> broken"),
            (ReferenceFailureKind::Refused, "Refused: me -> secret"),
            (ReferenceFailureKind::Cyclic, "Cyclic: me -> me"),
        ];
        let reactions = [
            ReferenceReaction::Ignore,
            ReferenceReaction::Warn,
            ReferenceReaction::Fail,
        ];
        // All combinations of four failures and three reactions.
        for number in 0..81_usize {
            let reaction = |digit: u32| reactions[number / 3_usize.pow(digit) % 3];
            let references = ReferencePolicy {
                missing: reaction(0),
                malformed: reaction(1),
                refused: reaction(2),
                cyclic: reaction(3),
            };
            let weighed = |(kind, message): (ReferenceFailureKind, &str)| {
                let severity = references.reaction(kind).severity()?;
                Some((severity, message.to_owned()))
            };
            let expected: Vec<_> = messages.into_iter().filter_map(weighed).collect();
            let found = lineage(EDGES, references);
            assert_eq!(found.order, ["a", "me"]);
            assert_eq!(reported(&found), expected, "{references:?}");
        }
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_does_not_overflow() {
        struct Chain;
        impl DocumentGraph for Chain {
            type Id = u32;
            fn parents(&mut self, number: &u32) -> Result<Vec<u32>, UnavailableReason> {
                Ok((*number < 100_000)
                    .then(|| number + 1)
                    .into_iter()
                    .collect())
            }
            fn describe(&mut self, _: &ReferenceFailure<u32>) -> Option<Diagnostic> {
                None
            }
        }
        let found = order(&[0], ReferencePolicy::STRICT, &mut Chain);
        assert_eq!(found.order.len(), 100_001);
        assert_eq!(found.order.first(), Some(&100_000));
    }
}
