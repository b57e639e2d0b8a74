//! A world of units by letter and tags by two numbers, written as lines: `a 1.0: b ^1, c` (`-` if absent).
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Display, Formatter};

use agpm_resolve::solve::{
    AnswerTo, CandidateRank, RequiredUnit, RootRequirement, SolverOutcome, UnitContent, UnitFacts,
    solve,
};

pub type Tag = (u32, u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Requirement {
    Any,
    Exactly(Tag),
    AtLeast(Tag),
    Below(Tag),
    Caret(Tag),
}

impl Requirement {
    pub fn allows(self, tag: Tag) -> bool {
        match self {
            Self::Any => true,
            Self::Exactly(version) => tag == version,
            Self::AtLeast(least) => tag >= least,
            Self::Below(limit) => tag < limit,
            Self::Caret(least) => tag >= least && tag.0 == least.0,
        }
    }

    pub fn read(text: &str) -> Self {
        match text.split_at(text.find(char::is_numeric).unwrap_or(text.len())) {
            ("*", "") => Self::Any,
            ("=", tag) => Self::Exactly(read_tag(tag)),
            (">=", tag) => Self::AtLeast(read_tag(tag)),
            ("<", tag) => Self::Below(read_tag(tag)),
            ("^", tag) => Self::Caret(read_tag(tag)),
            _ => panic!("no requirement: {text}"),
        }
    }
}

impl Display for Requirement {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Any => write!(out, "*"),
            Self::Exactly((major, minor)) => write!(out, "={major}.{minor}"),
            Self::AtLeast((major, minor)) => write!(out, ">={major}.{minor}"),
            Self::Below((major, minor)) => write!(out, "<{major}.{minor}"),
            Self::Caret((major, minor)) => write!(out, "^{major}.{minor}"),
        }
    }
}

fn read_tag(text: &str) -> Tag {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    (major.parse().unwrap(), minor.parse().unwrap())
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Need {
    Tags(String),
    File(String, u32),
}

pub type ToyChild = RequiredUnit<String, Requirement>;
pub type ToyRoot = RootRequirement<String, Requirement>;

/// A tag, and the children if the unit is there.
pub type ToyCandidate = (Tag, Option<Vec<ToyChild>>);

/// Per unit its candidates, best first.
#[derive(Clone, Default)]
pub struct Toy {
    pub units: BTreeMap<String, Vec<ToyCandidate>>,
    pub hidden: BTreeSet<Need>,
}

/// As `read` takes it, so that a failure can be copied into an example.
impl Debug for Toy {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        for (unit, candidates) in &self.units {
            for ((major, minor), children) in candidates {
                let child = |child: &ToyChild| match child.requirement {
                    Some(requirement) => format!("{} {requirement}", child.unit),
                    None => child.unit.clone(),
                };
                let list = |children: &Vec<ToyChild>| {
                    children.iter().map(child).collect::<Vec<_>>().join(", ")
                };
                writeln!(
                    out,
                    "{unit} {major}.{minor}: {}",
                    children.as_ref().map_or("-".to_owned(), list)
                )?;
            }
        }
        Ok(())
    }
}

impl Toy {
    pub fn read(lines: &[&str]) -> Self {
        let mut toy = Self::default();
        for line in lines {
            let (head, children) = line.split_once(':').unwrap();
            let (unit, tag) = head.split_once(' ').unwrap();
            let children = match children.trim() {
                "-" => None,
                "" => Some(vec![]),
                list => Some(list.split(", ").map(child).collect()),
            };
            toy.units
                .entry(unit.to_owned())
                .or_default()
                .push((read_tag(tag), children));
        }
        toy
    }

    pub fn children(&self, unit: &str, number: u32) -> Option<&[ToyChild]> {
        self.units[unit][number as usize].1.as_deref()
    }

    pub fn allows(&self, unit: &str, requirement: Requirement, number: u32) -> bool {
        self.units
            .get(unit)
            .is_some_and(|tags| requirement.allows(tags[number as usize].0))
    }

    /// The same world with every fact still to be read.
    pub fn hide_all(&self) -> Self {
        let tags = self.units.keys().map(|unit| Need::Tags(unit.clone()));
        let files = self.units.iter().flat_map(|(unit, tags)| {
            (0..tags.len()).map(|number| Need::File(unit.clone(), number as u32))
        });
        Self {
            units: self.units.clone(),
            hidden: tags.chain(files).collect(),
        }
    }

    fn look(&self, need: impl Fn() -> Need) -> Result<(), Need> {
        let is_hidden = !self.hidden.is_empty() && self.hidden.contains(&need());
        if is_hidden { Err(need()) } else { Ok(()) }
    }
}

fn child(text: &str) -> ToyChild {
    match text.split_once(' ') {
        Some((unit, requirement)) => RequiredUnit {
            unit: unit.to_owned(),
            requirement: Some(Requirement::read(requirement)),
        },
        None => RequiredUnit {
            unit: text.to_owned(),
            requirement: None,
        },
    }
}

pub fn roots(texts: &[&str]) -> Vec<ToyRoot> {
    let root = |text: &&str| {
        let (unit, requirement) = text.split_once(' ').unwrap();
        RootRequirement {
            unit: unit.to_owned(),
            requirement: Requirement::read(requirement),
        }
    };
    texts.iter().map(root).collect()
}

impl UnitFacts for Toy {
    type Unit = String;
    type Requirement = Requirement;
    type Need = Need;

    fn allowed(
        &self,
        unit: &String,
        requirement: &Requirement,
    ) -> Result<Vec<CandidateRank>, Need> {
        self.look(|| Need::Tags(unit.clone()))?;
        let tags = self.units.get(unit).map(Vec::as_slice).unwrap_or_default();
        let fits = tags
            .iter()
            .zip(0..)
            .filter(|((tag, _), _)| requirement.allows(*tag));
        Ok(fits.map(|(_, number)| CandidateRank(number)).collect())
    }

    fn content(
        &self,
        unit: &String,
        candidate: CandidateRank,
    ) -> Result<UnitContent<'_, String, Requirement>, Need> {
        self.look(|| Need::File(unit.clone(), candidate.0))?;
        let children = self.children(unit, candidate.0);
        Ok(children.map_or(UnitContent::Absent, |children| {
            UnitContent::Children(Cow::Borrowed(children))
        }))
    }

    fn label(&self, unit: &String, candidate: CandidateRank) -> String {
        let (major, minor) = self.units[unit][candidate.0 as usize].0;
        format!("v{major}.{minor}")
    }

    fn all(&self, unit: &String) -> Vec<(CandidateRank, Requirement)> {
        let tags = self.units.get(unit).map(Vec::as_slice).unwrap_or_default();
        tags.iter()
            .zip(0..)
            .map(|((tag, _), number)| (CandidateRank(number), Requirement::Exactly(*tag)))
            .collect()
    }
}

/// Solves with what is known, reads what is missing, and solves again; the answer and the number of readings.
pub fn solve_reading(toy: &Toy, roots: &[ToyRoot]) -> (AnswerTo<Toy>, usize) {
    let mut toy = toy.hide_all();
    for readings in 0.. {
        match solve(&toy, roots) {
            SolverOutcome::Need(needs) => {
                assert!(
                    !needs.is_empty() && needs.is_subset(&toy.hidden),
                    "{needs:?}"
                );
                toy.hidden.retain(|need| !needs.contains(need));
            }
            answer => return (answer, readings),
        }
    }
    unreachable!()
}
