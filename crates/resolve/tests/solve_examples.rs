//! Small worlds, and what comes out of them, spelled out.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod toy;

use agpm_resolve::solve::{
    CandidateRank, ClashKind, Conflict, ConflictingUnit, RequirementChain, Solution, SolverOutcome,
    SuggestedChange, solve,
};
use toy::{Requirement, Toy, roots, solve_reading};

fn solution(lines: &[&str], requirements: &[&str]) -> Solution<String, Requirement> {
    match solve(&Toy::read(lines), &roots(requirements)) {
        SolverOutcome::Solved(solution) => solution,
        other => panic!("{other:?}"),
    }
}

/// The chosen tags, as `a v1.0, b v2.0`.
fn chosen(lines: &[&str], requirements: &[&str]) -> String {
    let toy = Toy::read(lines);
    let label = |(unit, choice): (
        &String,
        &agpm_resolve::solve::ChosenCandidate<String, Requirement>,
    )| {
        format!(
            "{unit} {}",
            agpm_resolve::solve::UnitFacts::label(&toy, unit, choice.candidate)
        )
    };
    solution(lines, requirements)
        .units
        .iter()
        .map(label)
        .collect::<Vec<_>>()
        .join(", ")
}

fn conflict(lines: &[&str], requirements: &[&str]) -> Conflict<String, Requirement> {
    match solve(&Toy::read(lines), &roots(requirements)) {
        SolverOutcome::Conflict(conflict) => conflict,
        other => panic!("{other:?}"),
    }
}

fn ask(
    root: usize,
    chain: &[&str],
    within: &[&str],
    requirement: &str,
    allows: &[&str],
) -> RequirementChain<String, Requirement> {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    RequirementChain {
        root,
        chain: owned(chain),
        within: owned(within),
        requirement: Requirement::read(requirement),
        allows: owned(allows),
    }
}

fn clash(
    unit: &str,
    kind: ClashKind,
    asks: Vec<RequirementChain<String, Requirement>>,
) -> ConflictingUnit<String, Requirement> {
    ConflictingUnit {
        unit: unit.to_owned(),
        kind,
        asks,
    }
}

fn suggest(root: usize, requirement: &str) -> SuggestedChange<Requirement> {
    SuggestedChange {
        root,
        requirement: Requirement::read(requirement),
    }
}

#[test]
fn nothing_is_needed_for_nothing() {
    assert_eq!(chosen(&[], &[]), "");
}

#[test]
fn the_highest_of_both_wishes_wins() {
    let lines = [
        "u 2.0:",
        "u 1.3:",
        "u 1.2:",
        "u 1.0:",
        "a 1.0: u ^1.0",
        "b 1.0: u ^1.2",
    ];
    assert_eq!(chosen(&lines, &["a *", "b *"]), "a v1.0, b v1.0, u v1.3");
}

#[test]
fn a_pin_comes_first_even_if_it_is_older() {
    assert_eq!(chosen(&["a 1.1:", "a 2.0:", "a 1.2:"], &["a *"]), "a v1.1");
    assert_eq!(
        chosen(&["a 1.1:", "a 2.0:", "a 1.2:"], &["a >=1.2"]),
        "a v2.0"
    );
}

#[test]
fn a_diamond_meets_in_one_candidate() {
    let lines = [
        "a 1.0: b *, c *",
        "b 1.0: d <3",
        "c 1.0: d >=1",
        "d 3.0:",
        "d 2.0:",
        "d 1.0:",
        "d 0.1:",
    ];
    assert_eq!(chosen(&lines, &["a *"]), "a v1.0, b v1.0, c v1.0, d v2.0");
}

#[test]
fn a_wish_is_inherited_through_two_levels() {
    let lines = [
        "a 2.0: b", "a 1.0: b", "b 2.0: c", "b 1.0: c", "c 2.0:", "c 1.0:",
    ];
    assert_eq!(chosen(&lines, &["a ^1"]), "a v1.0, b v1.0, c v1.0");
    let solution = solution(&lines, &["a ^1"]);
    assert_eq!(
        solution.units["c"].requirements,
        [Requirement::Caret((1, 0))].into()
    );
}

#[test]
fn every_wish_on_the_parent_is_inherited() {
    let lines = ["a 1.2: b", "a 1.1: b", "b 1.2:", "b 1.1:", "b 1.0:"];
    assert_eq!(chosen(&lines, &["a ^1.1", "a <1.2"]), "a v1.1, b v1.1");
}

#[test]
fn a_parent_gives_way_if_its_best_is_a_dead_end() {
    let lines = [
        "a 1.2: c =9",
        "a 1.1: b",
        "a 1.0:",
        "b 1.2:",
        "b 1.1: -",
        "b 1.0: -",
        "c 1.0:",
    ];
    assert_eq!(chosen(&lines, &["a *"]), "a v1.1, b v1.2");
}

#[test]
fn a_parents_best_weighs_more_than_a_childs() {
    let lines = ["a 1.1:", "a 1.0:", "b 1.1: a =1.0", "b 1.0:"];
    assert_eq!(chosen(&lines, &["a *", "b *"]), "a v1.0, b v1.1");
    let stuck = [&lines[..], &["c 1.1: c =1.0", "c 1.0:"]].concat();
    assert_eq!(
        chosen(&stuck, &["a *", "b *", "c *"]),
        "a v1.0, b v1.1, c v1.0"
    );
}

#[test]
fn a_candidate_without_the_unit_is_passed_over() {
    let solution = solution(&["a 3.0: -", "a 2.0: -", "a 1.0:"], &["a *"]);
    assert_eq!(solution.units["a"].candidate, CandidateRank(2));
    assert_eq!(
        solution.passed_over,
        [("a".to_owned(), vec![CandidateRank(0), CandidateRank(1)])]
    );
}

#[test]
fn children_stay_as_declared() {
    let solution = solution(&["a 1.0: c, b, c *", "b 1.0:", "c 1.0:"], &["a *"]);
    assert_eq!(solution.units["a"].children, ["c", "b", "c"]);
}

#[test]
fn a_ring_is_reported_from_where_it_is_entered() {
    let lines = ["a 1.0: b", "b 1.0: c", "c 1.0: a", "z 1.0: a"];
    let ring = |requirements| solve(&Toy::read(&lines), &roots(requirements));
    assert_eq!(
        ring(&["a *"]),
        SolverOutcome::Cycle(["a", "b", "c", "a"].map(str::to_owned).into())
    );
    assert_eq!(
        ring(&["z *"]),
        SolverOutcome::Cycle(["a", "b", "c", "a"].map(str::to_owned).into())
    );
    assert_eq!(
        ring(&["c *", "b *"]),
        SolverOutcome::Cycle(["b", "c", "a", "b"].map(str::to_owned).into())
    );
}

#[test]
fn a_unit_that_needs_itself_is_a_ring() {
    let answer = solve(&Toy::read(&["a 1.0: a"]), &roots(&["a *"]));
    assert_eq!(
        answer,
        SolverOutcome::Cycle(vec!["a".to_owned(), "a".to_owned()])
    );
}

#[test]
fn a_wish_that_allows_nothing() {
    let found = conflict(&["a 1.1:", "a 1.0:"], &["a ^2"]);
    let asks = vec![ask(0, &["a"], &[], "^2", &[])];
    assert_eq!(found.clashes, [clash("a", ClashKind::NoCandidate, asks)]);
    assert_eq!(found.suggestions, [suggest(0, "=1.1")]);
}

#[test]
fn a_unit_that_is_in_none_of_the_allowed() {
    let found = conflict(&["a 2.0:", "a 1.1: -", "a 1.0: -"], &["a ^1"]);
    let asks = vec![ask(0, &["a"], &[], "^1", &["v1.1", "v1.0"])];
    assert_eq!(found.clashes, [clash("a", ClashKind::Absent, asks)]);
    assert_eq!(found.suggestions, [suggest(0, "=2.0")]);
}

#[test]
fn wishes_that_exclude_each_other() {
    let lines = [
        "a 1.0: b",
        "b 1.0: u ^1",
        "u 2.0:",
        "u 1.5:",
        "u 1.0:",
        "z 1.0:",
    ];
    let found = conflict(&lines, &["z *", "u ^2", "a ^1"]);
    let asks = vec![
        ask(1, &["u"], &[], "^2", &["v2.0"]),
        ask(2, &["a", "b", "u"], &["v1.0"], "^1", &["v1.5", "v1.0"]),
    ];
    assert_eq!(found.clashes, [clash("u", ClashKind::Incompatible, asks)]);
    assert_eq!(found.suggestions, [suggest(1, "=1.5")]);
}

#[test]
fn a_parent_whose_candidates_all_fail_for_the_same_reason() {
    let lines = ["p 1.1: u =1.0", "p 1.0: u =1.0", "u 2.0:", "u 1.0:"];
    let found = conflict(&lines, &["p *", "u ^2"]);
    let asks = vec![
        ask(1, &["u"], &[], "^2", &["v2.0"]),
        ask(0, &["p", "u"], &["v1.1", "v1.0"], "=1.0", &["v1.0"]),
    ];
    assert_eq!(found.clashes, [clash("u", ClashKind::Incompatible, asks)]);
    assert_eq!(found.suggestions, [suggest(1, "=1.0")]);
}

#[test]
fn a_parent_whose_candidates_fail_for_different_reasons() {
    let lines = [
        "p 1.1: u =1.0",
        "p 1.0: u =1.1",
        "u 2.0:",
        "u 1.1:",
        "u 1.0:",
    ];
    let found = conflict(&lines, &["p *", "u ^2"]);
    let asks = vec![
        ask(1, &["u"], &[], "^2", &["v2.0"]),
        ask(0, &["p", "u"], &["v1.1"], "=1.0", &["v1.0"]),
        ask(0, &["p", "u"], &["v1.0"], "=1.1", &["v1.1"]),
    ];
    assert_eq!(found.clashes, [clash("u", ClashKind::Exhausted, asks)]);
    assert_eq!(found.suggestions, [suggest(1, "=1.1")]);
}

#[test]
fn an_inherited_wish_is_reported_by_the_chain_that_brings_it() {
    let lines = ["a 1.0: m", "b 1.0: m *", "m 1.0: u", "u 2.0:", "u 1.0:"];
    let found = conflict(&lines, &["a ^1", "b *", "u ^2"]);
    let asks = vec![
        ask(2, &["u"], &[], "^2", &["v2.0"]),
        ask(0, &["a", "m", "u"], &["v1.0"], "^1", &["v1.0"]),
    ];
    assert_eq!(found.clashes, [clash("u", ClashKind::Incompatible, asks)]);
}

#[test]
fn everything_missing_is_required_at_once() {
    let lines = [
        "a 1.0: c *, d *",
        "b 1.0: e *",
        "c 1.0:",
        "d 1.0:",
        "e 1.0:",
    ];
    // Tags and files of the first level, then of the second.
    assert_eq!(
        solve_reading(&Toy::read(&lines), &roots(&["a *", "b *"])).1,
        4
    );
}

#[test]
fn an_absent_unit_is_looked_for_in_one_batch() {
    let lines = ["a 5.0: -", "a 4.0: -", "a 3.0: -", "a 2.0: -", "a 1.0:"];
    // Tags, the best file, all other files.
    assert_eq!(solve_reading(&Toy::read(&lines), &roots(&["a *"])).1, 3);
}

#[test]
fn a_conflict_at_the_end_of_a_long_chain() {
    let link = |index: u32| format!("n{index:04} 1.0: n{:04} *", index + 1);
    let mut lines: Vec<String> = (0..3000).map(link).collect();
    lines.push("n3000 1.0: u ^1".to_owned());
    lines.extend(["u 2.0:", "u 1.0:"].map(str::to_owned));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let found = conflict(&lines, &["n0000 *", "u ^2"]);
    assert_eq!(found.roots, [0, 1]);
    assert_eq!(found.clashes[0].asks[1].chain.len(), 3002);
    assert_eq!(found.suggestions, [suggest(1, "=1.0")]);
}

/// The way to the answer leads over a candidate that is not part of it, and must do so on demand as well.
#[test]
fn cached_facts_do_not_decide_between_two_solutions() {
    let toy = Toy::read(&[
        "c 2.0: e =1.2",
        "c 1.2:",
        "e 2.0: -",
        "e 1.1: c",
        "e 1.2:",
        "e 1.0: -",
    ]);
    let roots = roots(&["c >=1.2", "e >=1.1"]);
    assert_eq!(solve_reading(&toy, &roots).0, solve(&toy, &roots));
}
