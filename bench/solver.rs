//! How long the solver takes for large inputs: `cargo bench -p agpm-resolve --bench solver`.
#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]

#[path = "../crates/resolve/tests/toy/mod.rs"]
mod toy;

use std::time::Instant;

use agpm_resolve::solve::{AnswerTo, RequiredUnit, RootRequirement, SolverOutcome, solve};
use toy::{Requirement, Tag, Toy, ToyChild, ToyRoot};

fn name(index: usize) -> String {
    format!(
        "community:agents/group-{:02}/unit-{index:04}.md",
        index % 50
    )
}

fn child(index: usize, requirement: Option<Requirement>) -> ToyChild {
    RequiredUnit {
        unit: name(index),
        requirement,
    }
}

fn root(index: usize, requirement: Requirement) -> ToyRoot {
    RootRequirement {
        unit: name(index),
        requirement,
    }
}

fn tags(count: u32) -> impl Iterator<Item = Tag> {
    (0..count).rev().map(|minor| (1, minor))
}

fn timed(label: &str, toy: &Toy, roots: &[ToyRoot]) -> AnswerTo<Toy> {
    let mut best = f64::MAX;
    let mut last = solve(toy, roots);
    for _ in 0..5 {
        let start = Instant::now();
        last = solve(toy, roots);
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{label}: {:.2} ms", best * 1000.0);
    last
}

/// Units in 20 candidates each, with three children further down the list; a third of them inherit.
fn layered(units: usize) -> Toy {
    let mut toy = Toy::default();
    for index in 0..units {
        let children: Vec<ToyChild> = [1, 7, 31]
            .iter()
            .filter(|step| index + *step < units)
            .map(|step| {
                child(
                    index + step,
                    (*step != 7).then_some(Requirement::Caret((1, (index % 3) as u32))),
                )
            })
            .collect();
        toy.units.insert(
            name(index),
            tags(20).map(|tag| (tag, Some(children.clone()))).collect(),
        );
    }
    toy
}

/// A unit whose best candidate excludes itself: the survey goes back and forth and never settles.
fn add_puzzle(toy: &mut Toy) {
    let on = |unit: &str, requirement| {
        Some(vec![RequiredUnit {
            unit: unit.to_owned(),
            requirement: Some(requirement),
        }])
    };
    let candidates = vec![
        ((1, 1), on("x", Requirement::Exactly((1, 0)))),
        ((1, 0), on("y", Requirement::Any)),
    ];
    toy.units.insert("x".to_owned(), candidates);
    toy.units
        .insert("y".to_owned(), vec![((1, 0), Some(vec![]))]);
}

fn five_thousand_units() {
    let toy = layered(5000);
    let roots = vec![root(0, Requirement::Caret((1, 0)))];
    assert!(matches!(
        timed("5000 units, 3 children each", &toy, &roots),
        SolverOutcome::Solved(_)
    ));
}

fn five_thousand_units_and_a_puzzle() {
    let mut toy = layered(5000);
    let mut roots = vec![root(0, Requirement::Caret((1, 0)))];
    add_puzzle(&mut toy);
    roots.push(RootRequirement {
        unit: "x".to_owned(),
        requirement: Requirement::Any,
    });
    assert!(matches!(
        timed("5000 units through PubGrub", &toy, &roots),
        SolverOutcome::Solved(_)
    ));
    roots.push(RootRequirement {
        unit: "y".to_owned(),
        requirement: Requirement::Exactly((2, 0)),
    });
    assert!(matches!(
        timed("the same with a conflict", &toy, &roots),
        SolverOutcome::Conflict(_)
    ));
}

fn five_hundred_units_at_the_lowest_of_four_hundred() {
    let mut toy = Toy::default();
    for index in 0..500 {
        toy.units.insert(
            name(index),
            tags(400).map(|tag| (tag, Some(vec![]))).collect(),
        );
    }
    let requirements = |index| {
        [
            root(index, Requirement::Caret((1, 0))),
            root(index, Requirement::Exactly((1, 0))),
        ]
    };
    let mut roots: Vec<ToyRoot> = (0..500).flat_map(requirements).collect();
    assert!(matches!(
        timed("500 units, ^1 and the lowest of 400", &toy, &roots),
        SolverOutcome::Solved(_)
    ));
    add_puzzle(&mut toy);
    roots.push(RootRequirement {
        unit: "x".to_owned(),
        requirement: Requirement::Any,
    });
    assert!(matches!(
        timed("the same through PubGrub", &toy, &roots),
        SolverOutcome::Solved(_)
    ));
}

/// Only the last of 400 candidates of a parent has children that fit; a chain of such parents.
fn dead_ends() {
    let mut toy = Toy::default();
    for index in 0..10 {
        let below = |tag: Tag| {
            vec![child(
                index + 1,
                Some(Requirement::Exactly(if tag.1 == 0 { tag } else { (9, 0) })),
            )]
        };
        toy.units.insert(
            name(index),
            tags(400).map(|tag| (tag, Some(below(tag)))).collect(),
        );
    }
    toy.units
        .insert(name(10), tags(400).map(|tag| (tag, Some(vec![]))).collect());
    assert!(matches!(
        timed("399 dead ends", &toy, &[root(0, Requirement::Any)]),
        SolverOutcome::Solved(_)
    ));
    let heir = |index| Some(vec![child(index, None)]);
    toy.units.insert(
        "p".to_owned(),
        tags(400).map(|tag| (tag, heir(20))).collect(),
    );
    toy.units
        .insert(name(20), tags(400).map(|tag| (tag, heir(21))).collect());
    toy.units.insert(
        name(21),
        tags(400)
            .map(|tag| (tag, Some(vec![child(22, Some(Requirement::Exactly(tag)))])))
            .collect(),
    );
    toy.units
        .insert(name(22), tags(400).map(|tag| (tag, Some(vec![]))).collect());
    let roots = [
        RootRequirement {
            unit: "p".to_owned(),
            requirement: Requirement::Any,
        },
        root(22, Requirement::Exactly((2, 0))),
    ];
    assert!(matches!(
        timed("no such candidate below three of 400", &toy, &roots),
        SolverOutcome::Conflict(_)
    ));
    let roots = [
        RootRequirement {
            unit: "p".to_owned(),
            requirement: Requirement::AtLeast((1, 9)),
        },
        root(22, Requirement::Below((1, 9))),
    ];
    assert!(matches!(
        timed("a conflict below three of 400", &toy, &roots),
        SolverOutcome::Conflict(_)
    ));
}

/// As many units as candidates and one more, of which no two may have the same: each takes a slot for itself.
fn pigeons(count: usize) -> (Toy, Vec<ToyRoot>) {
    let mut toy = Toy::default();
    for unit in 0..count {
        let slot = |minor: u32| {
            let requirement = Requirement::Exactly((1, u32::try_from(unit).unwrap()));
            vec![RequiredUnit {
                unit: format!("slot-{minor}"),
                requirement: Some(requirement),
            }]
        };
        let holes = u32::try_from(count - 1).unwrap();
        toy.units.insert(
            name(unit),
            tags(holes).map(|tag| (tag, Some(slot(tag.1)))).collect(),
        );
        let all = tags(u32::try_from(count).unwrap()).map(|tag| (tag, Some(vec![])));
        toy.units.insert(format!("slot-{unit}"), all.collect());
    }
    (
        toy,
        (0..count)
            .map(|unit| root(unit, Requirement::Any))
            .collect(),
    )
}

fn too_many_pigeons() {
    for count in [6, 7, 8, 9, 11, 14] {
        let (toy, roots) = pigeons(count);
        let start = Instant::now();
        let answer = solve(&toy, &roots);
        let label = match answer {
            SolverOutcome::Conflict(_) => "conflict",
            SolverOutcome::TooHard(_) => "given up",
            _ => "other",
        };
        println!(
            "{count} pigeons: {label} in {:.2} ms",
            start.elapsed().as_secs_f64() * 1000.0
        );
    }
}

/// A chain in which every candidate wants the same one of the next, and the last is wanted as another as well.
fn a_conflict_at_the_end_of_a_chain() {
    for (deep, versions) in [(10, 10), (20, 30), (40, 30)] {
        let mut toy = Toy::default();
        for index in 0..deep {
            let below = |tag: Tag| vec![child(index + 1, Some(Requirement::Exactly(tag)))];
            toy.units.insert(
                name(index),
                tags(versions).map(|tag| (tag, Some(below(tag)))).collect(),
            );
        }
        toy.units.insert(
            name(deep),
            tags(versions + 1).map(|tag| (tag, Some(vec![]))).collect(),
        );
        let roots = [
            root(0, Requirement::Any),
            root(deep, Requirement::Exactly((1, versions))),
        ];
        let start = Instant::now();
        let answer = solve(&toy, &roots);
        assert!(matches!(answer, SolverOutcome::Conflict(_)));
        println!(
            "{deep} deep, {versions} versions: {:.2} ms",
            start.elapsed().as_secs_f64() * 1000.0
        );
    }
}

fn main() {
    five_thousand_units();
    five_thousand_units_and_a_puzzle();
    five_hundred_units_at_the_lowest_of_four_hundred();
    dead_ends();
    too_many_pigeons();
    a_conflict_at_the_end_of_a_chain();
}
