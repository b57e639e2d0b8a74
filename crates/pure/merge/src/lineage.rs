use std::collections::BTreeMap;

/// Documents in the order of their rank, and the cycles that were cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lineage<K> {
    /// Lowest first; each once.
    pub order: Vec<K>,
    /// Each from a document along its parents back to itself.
    pub cycles: Vec<Vec<K>>,
}

/// Puts every parent directly below the document that names it: depth first, in the order of the list.
///
/// A parent that several name stands once, at its lowest place. A parent that leads back to a document on the way
/// is left out there and reported with its chain. Chains of any length are fine.
pub fn order<K: Clone + Ord>(start: &[K], mut parents: impl FnMut(&K) -> Vec<K>) -> Lineage<K> {
    let mut lineage = Lineage { order: Vec::new(), cycles: Vec::new() };
    let mut states: BTreeMap<K, State> = BTreeMap::new();
    let mut path: Vec<(K, std::vec::IntoIter<K>)> = Vec::new();
    for document in start {
        enter(document.clone(), &mut states, &mut path, &mut parents);
        while let Some((_, rest)) = path.last_mut() {
            let Some(parent) = rest.next() else {
                let (done, _) = path.pop().expect("the loop saw it");
                states.insert(done.clone(), State::Done);
                lineage.order.push(done);
                continue;
            };
            if states.get(&parent) == Some(&State::Open) {
                let from = path.iter().position(|(open, _)| *open == parent).unwrap_or(0);
                let chain = path[from..].iter().map(|(open, _)| open.clone());
                lineage.cycles.push(chain.chain([parent]).collect());
            } else {
                enter(parent, &mut states, &mut path, &mut parents);
            }
        }
    }
    lineage
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Done,
}

fn enter<K: Clone + Ord>(
    document: K,
    states: &mut BTreeMap<K, State>,
    path: &mut Vec<(K, std::vec::IntoIter<K>)>,
    parents: &mut impl FnMut(&K) -> Vec<K>,
) {
    if !states.contains_key(&document) {
        states.insert(document.clone(), State::Open);
        let above = parents(&document).into_iter();
        path.push((document, above));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lineage(start: &[&'static str], edges: &[(&'static str, &[&'static str])]) -> Lineage<&'static str> {
        let parents = |name: &&'static str| {
            edges
                .iter()
                .find(|(child, _)| child == name)
                .map(|(_, parents)| parents.to_vec())
                .unwrap_or_default()
        };
        order(start, parents)
    }

    #[test]
    fn parents_stand_below_in_list_order_and_a_diamond_is_no_cycle() {
        let found = lineage(&["me"], &[("me", &["a", "b"]), ("a", &["base"]), ("b", &["base"])]);
        assert_eq!(found, Lineage { order: vec!["base", "a", "b", "me"], cycles: vec![] });
    }

    #[test]
    fn a_cycle_is_cut_and_told_with_its_chain() {
        let found = lineage(&["a"], &[("a", &["b"]), ("b", &["c"]), ("c", &["b", "d"])]);
        assert_eq!(found.order, ["d", "c", "b", "a"]);
        assert_eq!(found.cycles, [["b", "c", "b"]]);
        assert_eq!(lineage(&["a"], &[("a", &["a"])]).cycles, [["a", "a"]]);
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_does_not_overflow() {
        let found = order(&[0u32], |n| if *n < 100_000 { vec![n + 1] } else { vec![] });
        assert_eq!(found.order.len(), 100_001);
        assert_eq!(found.order.first(), Some(&100_000));
    }
}
