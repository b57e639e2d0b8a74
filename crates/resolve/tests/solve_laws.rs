//! The solver against an oracle that tries everything, and the laws that it promises.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod toy;

use std::collections::{BTreeMap, BTreeSet};

use agpm_resolve::solve::{
    ClashKind, Conflict, RequiredUnit, RootRequirement, Solution, SolverOutcome, solve,
};
use proptest::prelude::*;
use toy::{Requirement, Tag, Toy, ToyCandidate, ToyChild, ToyRoot, solve_reading};

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
const TAGS: [Tag; 4] = [(2, 0), (1, 2), (1, 1), (1, 0)];

/// Units with all requirements on them.
type Asks = BTreeMap<String, BTreeSet<Requirement>>;

/// Everything asked for under an assignment, or nothing if a requirement is not satisfied.
fn asks(toy: &Toy, roots: &[ToyRoot], candidate: impl Fn(&str) -> Option<u32>) -> Option<Asks> {
    let mut visited = Asks::new();
    let mut pending: Vec<(String, Requirement)> = roots
        .iter()
        .map(|root| (root.unit.clone(), root.requirement))
        .collect();
    while let Some((unit, requirement)) = pending.pop() {
        let number = candidate(&unit)?;
        if !toy.allows(&unit, requirement, number) {
            return None;
        }
        let children = toy.children(&unit, number)?;
        if visited.entry(unit).or_default().insert(requirement) {
            pending.extend(
                children
                    .iter()
                    .map(|child| (child.unit.clone(), child.requirement.unwrap_or(requirement))),
            );
        }
    }
    Some(visited)
}

/// Whether any assignment of candidates satisfies every requirement.
fn is_satisfiable(toy: &Toy, roots: &[ToyRoot]) -> bool {
    let sizes: Vec<usize> = toy.units.values().map(Vec::len).collect();
    let names: Vec<&String> = toy.units.keys().collect();
    (0..sizes.iter().product()).any(|mut code: usize| {
        let mut numbers = BTreeMap::new();
        for (name, size) in names.iter().zip(&sizes) {
            numbers.insert(name.as_str(), (code % size) as u32);
            code /= size;
        }
        asks(toy, roots, |unit| numbers.get(unit).copied()).is_some()
    })
}

/// Whether a unit needs itself, by way of others or not.
fn has_ring(toy: &Toy, solution: &BTreeMap<String, u32>) -> bool {
    let below = |unit: &String| {
        toy.children(unit, solution[unit])
            .unwrap()
            .iter()
            .map(|child| child.unit.clone())
    };
    solution.keys().any(|start| {
        let mut visited = BTreeSet::new();
        let mut pending: Vec<String> = below(start).collect();
        while let Some(unit) = pending.pop() {
            if visited.insert(unit.clone()) {
                pending.extend(below(&unit));
            }
        }
        visited.contains(start)
    })
}

fn any_wish() -> impl Strategy<Value = Requirement> {
    let tag = || prop::sample::select(TAGS.to_vec());
    prop_oneof![
        2 => Just(Requirement::Any),
        2 => tag().prop_map(Requirement::Exactly),
        2 => tag().prop_map(Requirement::AtLeast),
        1 => tag().prop_map(Requirement::Below),
        3 => tag().prop_map(Requirement::Caret),
    ]
}

fn any_name() -> impl Strategy<Value = String> {
    prop::sample::select(NAMES.to_vec()).prop_map(str::to_owned)
}

fn any_child() -> impl Strategy<Value = ToyChild> {
    (any_name(), prop::option::weighted(0.6, any_wish()))
        .prop_map(|(unit, requirement)| RequiredUnit { unit, requirement })
}

/// A few candidates in any order (a pin may be old), some without the unit.
fn any_candidates() -> impl Strategy<Value = Vec<ToyCandidate>> {
    let tags = prop::sample::subsequence(TAGS.to_vec(), 1..=4).prop_shuffle();
    let children = prop::option::weighted(0.85, prop::collection::vec(any_child(), 0..3));
    (tags, prop::collection::vec(children, 4))
        .prop_map(|(tags, children)| tags.into_iter().zip(children).collect())
}

fn any_toy() -> impl Strategy<Value = Toy> {
    prop::collection::vec(any_candidates(), 5).prop_map(|units| Toy {
        units: NAMES
            .iter()
            .map(|&name| name.to_owned())
            .zip(units)
            .collect(),
        hidden: BTreeSet::new(),
    })
}

fn any_roots() -> impl Strategy<Value = Vec<ToyRoot>> {
    prop::collection::vec(
        (any_name(), any_wish())
            .prop_map(|(unit, requirement)| RootRequirement { unit, requirement }),
        1..4,
    )
}

/// Every unit has one parent at most, and a requirement that something satisfies.
fn any_tree() -> impl Strategy<Value = (Toy, usize)> {
    let unit = (any::<prop::sample::Index>(), 0..TAGS.len(), 0..TAGS.len());
    prop::collection::vec(unit, 1..30).prop_map(|units| {
        let name = |index: usize| format!("u{index:02}");
        let mut toy = Toy::default();
        let mut depths = vec![0];
        for (index, (_, absent, _)) in units.iter().enumerate() {
            let has = |position| (position != *absent).then(Vec::new);
            let tags = TAGS
                .iter()
                .enumerate()
                .map(|(position, tag)| (*tag, has(position)))
                .collect();
            toy.units.insert(name(index), tags);
        }
        for (index, (parent, _, requirement)) in units.iter().enumerate().skip(1) {
            let parent = parent.index(index);
            depths.push(depths[parent] + 1);
            let requirement = [
                None,
                Some(Requirement::Caret((1, 0))),
                Some(Requirement::Below((2, 0))),
                Some(Requirement::Any),
            ][*requirement];
            let parents = toy.units.get_mut(&name(parent)).unwrap();
            for children in parents
                .iter_mut()
                .filter_map(|(_, children)| children.as_mut())
            {
                children.push(RequiredUnit {
                    unit: name(index),
                    requirement,
                });
            }
        }
        (toy, depths.into_iter().max().unwrap())
    })
}

fn reversed(toy: &Toy) -> Toy {
    let mut toy = toy.clone();
    let candidates = toy.units.values_mut().flatten();
    candidates
        .filter_map(|(_, children)| children.as_mut())
        .for_each(|children| children.reverse());
    toy
}

fn check_solution(toy: &Toy, roots: &[ToyRoot], solution: &Solution<String, Requirement>) {
    let number = |unit: &str| Some(solution.units.get(unit)?.candidate.0);
    let expected = asks(toy, roots, number).expect("the solution satisfies every requirement");
    let reported: Asks = solution
        .units
        .iter()
        .map(|(unit, choice)| (unit.clone(), choice.requirements.clone()))
        .collect();
    assert_eq!(reported, expected);
    for (unit, choice) in &solution.units {
        let declared = toy
            .children(unit, choice.candidate.0)
            .unwrap()
            .iter()
            .map(|child| &child.unit);
        assert!(choice.children.iter().eq(declared));
        let is_passed_over = |number: &u32| {
            toy.children(unit, *number).is_none()
                && choice
                    .requirements
                    .iter()
                    .all(|requirement| toy.allows(unit, *requirement, *number))
        };
        let expected: Vec<u32> = (0..choice.candidate.0).filter(is_passed_over).collect();
        let reported = solution.passed_over.iter().filter(|(name, _)| name == unit);
        assert!(
            reported
                .flat_map(|(_, numbers)| numbers)
                .map(|candidate| candidate.0)
                .eq(expected)
        );
    }
}

fn check_conflict(toy: &Toy, roots: &[ToyRoot], conflict: &Conflict<String, Requirement>) {
    assert!(!conflict.clashes.is_empty());
    let among = |index: &usize| {
        conflict
            .clashes
            .iter()
            .flat_map(|clash| &clash.asks)
            .any(|ask| ask.root == *index)
    };
    assert!(conflict.roots.iter().any(among));
    for clash in &conflict.clashes {
        assert!(!clash.asks.is_empty());
        for ask in &clash.asks {
            assert_eq!(ask.chain.first(), Some(&roots[ask.root].unit));
            assert_eq!(ask.chain.last(), Some(&clash.unit));
            check_chain(toy, &ask.chain);
        }
        let left = |without: Option<usize>| {
            let asks = clash
                .asks
                .iter()
                .enumerate()
                .filter(|(index, _)| Some(*index) != without);
            let lists = asks.map(|(_, ask)| ask.allows.iter().collect::<BTreeSet<_>>());
            lists
                .reduce(|one, two| &one & &two)
                .is_none_or(|common| !common.is_empty())
        };
        match clash.kind {
            ClashKind::NoCandidate => assert!(clash.asks.len() == 1 && !left(None)),
            ClashKind::Absent => assert!(left(None)),
            ClashKind::Incompatible => {
                assert!(!left(None) && (0..clash.asks.len()).all(|index| left(Some(index))));
            }
            ClashKind::Exhausted => assert!(clash.asks.len() > 1),
        }
    }
}

/// Each step is declared in some candidate.
fn check_chain(toy: &Toy, chain: &[String]) {
    for step in chain.windows(2) {
        let mut children = toy.units[&step[0]]
            .iter()
            .filter_map(|(_, children)| children.as_ref())
            .flatten();
        assert!(children.any(|child| child.unit == step[1]), "{chain:?}");
    }
}

/// What must not depend on order: everything but the order of children and the numbers of roots.
fn essence(toy: &Toy, roots: &[ToyRoot]) -> String {
    let answer = solve(toy, roots);
    match answer {
        SolverOutcome::Solved(mut solution) => {
            solution
                .units
                .values_mut()
                .for_each(|choice| choice.children.sort());
            format!("{solution:?}")
        }
        SolverOutcome::Conflict(conflict) => {
            let asks = |asks: &[agpm_resolve::solve::RequirementChain<String, Requirement>]| {
                asks.iter()
                    .map(|ask| format!("{:?} {} {:?}", ask.chain, ask.requirement, ask.within))
                    .collect::<Vec<_>>()
            };
            let clashes = conflict
                .clashes
                .iter()
                .map(|clash| (&clash.unit, clash.kind, asks(&clash.asks)));
            let helps = conflict
                .suggestions
                .iter()
                .map(|help| (&roots[help.root], help.requirement));
            format!(
                "{:?} {:?}",
                clashes.collect::<Vec<_>>(),
                helps.collect::<BTreeSet<_>>()
            )
        }
        other => format!("{other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn solves_exactly_what_can_be_solved(toy in any_toy(), roots in any_roots()) {
        match solve(&toy, &roots) {
            SolverOutcome::Solved(solution) => {
                check_solution(&toy, &roots, &solution);
                let numbers = solution.units.iter().map(|(unit, choice)| (unit.clone(), choice.candidate.0));
                prop_assert!(!has_ring(&toy, &numbers.collect()));
            }
            SolverOutcome::Cycle(ring) => {
                prop_assert!(is_satisfiable(&toy, &roots));
                prop_assert!(ring.len() > 1 && ring.first() == ring.last());
                check_chain(&toy, &ring);
            }
            SolverOutcome::Conflict(conflict) => {
                prop_assert!(!is_satisfiable(&toy, &roots));
                check_conflict(&toy, &roots, &conflict);
            }
            SolverOutcome::Need(needs) => prop_assert!(false, "everything is known: {needs:?}"),
            SolverOutcome::TooHard(units) => prop_assert!(false, "a small input was given up: {units:?}"),
        }
    }

    #[test]
    fn every_root_in_a_conflict_is_needed_for_it(toy in any_toy(), roots in any_roots()) {
        let SolverOutcome::Conflict(conflict) = solve(&toy, &roots) else { return Ok(()) };
        let involved: Vec<ToyRoot> = conflict.roots.iter().map(|index| roots[*index].clone()).collect();
        prop_assert!(!is_satisfiable(&toy, &involved));
        for index in 0..involved.len() {
            let mut fewer = involved.clone();
            fewer.remove(index);
            prop_assert!(is_satisfiable(&toy, &fewer), "without {}", index);
        }
    }

    #[test]
    fn no_unit_could_be_better_alone(toy in any_toy(), roots in any_roots()) {
        let SolverOutcome::Solved(solution) = solve(&toy, &roots) else { return Ok(()) };
        for (unit, choice) in &solution.units {
            for better in 0..choice.candidate.0 {
                let number = |other: &str| {
                    if other == unit { Some(better) } else { Some(solution.units.get(other)?.candidate.0) }
                };
                prop_assert!(asks(&toy, &roots, number).is_none(), "{} at {}", unit, better);
            }
        }
    }

    #[test]
    fn a_suggestion_helps(toy in any_toy(), roots in any_roots()) {
        let SolverOutcome::Conflict(conflict) = solve(&toy, &roots) else { return Ok(()) };
        for suggestion in conflict.suggestions {
            let mut changed = roots.clone();
            changed[suggestion.root].requirement = suggestion.requirement;
            let solved = matches!(solve(&toy, &changed), SolverOutcome::Solved(_));
            prop_assert!(solved, "{suggestion:?}");
        }
    }

    #[test]
    fn a_single_root_in_conflict_gets_every_help_there_is(toy in any_toy(), roots in any_roots()) {
        let SolverOutcome::Conflict(conflict) = solve(&toy, &roots[..1]) else { return Ok(()) };
        let helps = |tag: &ToyCandidate| {
            let changed = RootRequirement { unit: roots[0].unit.clone(), requirement: Requirement::Exactly(tag.0) };
            matches!(solve(&toy, &[changed]), SolverOutcome::Solved(_))
        };
        prop_assert_eq!(toy.units[&roots[0].unit].iter().any(helps), !conflict.suggestions.is_empty());
    }

    #[test]
    fn order_does_not_matter(toy in any_toy(), roots in any_roots()) {
        let backwards: Vec<ToyRoot> = roots.iter().rev().cloned().collect();
        prop_assert_eq!(essence(&toy, &roots), essence(&reversed(&toy), &backwards));
    }

    #[test]
    fn reading_on_demand_changes_nothing(toy in any_toy(), roots in any_roots()) {
        match (solve_reading(&toy, &roots).0, solve(&toy, &roots)) {
            // A conflict is explained with what is known by then, which may be less.
            (SolverOutcome::Conflict(conflict), SolverOutcome::Conflict(_)) => check_conflict(&toy, &roots, &conflict),
            (on_demand, at_once) => prop_assert_eq!(on_demand, at_once),
        }
    }
}

proptest! {
    #[test]
    fn a_tree_gets_the_best_of_everything((toy, depth) in any_tree()) {
        let roots = vec![RootRequirement { unit: "u00".to_owned(), requirement: Requirement::Any }];
        let (answer, readings) = solve_reading(&toy, &roots);
        let SolverOutcome::Solved(solution) = answer else { panic!("{answer:?}") };
        for (unit, choice) in &solution.units {
            let fits = |number: &u32| {
                toy.children(unit, *number).is_some()
                    && choice.requirements.iter().all(|requirement| toy.allows(unit, *requirement, *number))
            };
            prop_assert_eq!((0..4).find(fits), Some(choice.candidate.0));
        }
        // Per level: tags, the best file, and the other files where that one is absent.
        prop_assert!(readings <= 3 * (depth + 1), "{} for {}", readings, depth);
    }
}
