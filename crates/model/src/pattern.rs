use std::fmt;
use std::str::FromStr;

use agpm_text::{Pointer, PointerError};

/// A JSON pointer in which `*` matches one step and `**` any number, but at least one at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerPattern {
    steps: Vec<PatternStep>,
    written: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternStep {
    Literal(String),
    One,
    Many,
}

/// Orders patterns that match the same location: more specific is greater.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity(Vec<u8>);

/// The reason why text is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct PatternError(#[from] PointerError);

/// The progress of a match on the way down: the pattern steps that may come next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternProgress(Vec<usize>);

impl PointerPattern {
    /// The pattern that matches only this pointer.
    pub fn literal(pointer: &Pointer) -> Self {
        let steps = pointer
            .steps()
            .iter()
            .cloned()
            .map(PatternStep::Literal)
            .collect();
        PointerPattern {
            steps,
            written: pointer.to_string(),
        }
    }

    /// Literal steps beat `*`, which beats `**`; the first difference decides, then the length.
    pub fn specificity(&self) -> Specificity {
        let weight = |step: &PatternStep| match step {
            PatternStep::Literal(_) => 3,
            PatternStep::One => 2,
            PatternStep::Many => 1,
        };
        Specificity(self.steps.iter().map(weight).collect())
    }

    /// The start of a match, at the root.
    pub fn start(&self) -> PatternProgress {
        self.open(vec![0])
    }

    /// Advances by one step; `None` if nothing further down can match.
    pub fn step(&self, matching: &PatternProgress, step: &str) -> Option<PatternProgress> {
        let mut next = Vec::new();
        for at in &matching.0 {
            match self.steps.get(*at) {
                Some(PatternStep::Literal(literal)) if literal == step => next.push(at + 1),
                Some(PatternStep::One) => next.push(at + 1),
                Some(PatternStep::Many) => next.push(*at),
                _ => {}
            }
        }
        let next = self.open(next);
        (!next.0.is_empty()).then_some(next)
    }

    /// Whether the current pointer matches.
    pub fn is_match(&self, matching: &PatternProgress) -> bool {
        matching.0.contains(&self.steps.len())
    }

    /// `**` may also match nothing.
    fn open(&self, mut states: Vec<usize>) -> PatternProgress {
        let mut index = 0;
        while let Some(at) = states.get(index).copied() {
            if self.steps.get(at) == Some(&PatternStep::Many) && !states.contains(&(at + 1)) {
                states.push(at + 1);
            }
            index += 1;
        }
        states.sort_unstable();
        states.dedup();
        PatternProgress(states)
    }
}

impl FromStr for PointerPattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let pointer: Pointer = text.parse()?;
        let step = |step: &String| match step.as_str() {
            "*" => PatternStep::One,
            "**" => PatternStep::Many,
            literal => PatternStep::Literal(literal.to_owned()),
        };
        let mut steps: Vec<PatternStep> = pointer.steps().iter().map(step).collect();
        // As in file globs, a trailing `**` is at least one step: `/a/**` is everything in `/a` and not `/a` itself.
        if steps.last() == Some(&PatternStep::Many) {
            steps.push(PatternStep::One);
        }
        Ok(PointerPattern {
            steps,
            written: text.to_owned(),
        })
    }
}

impl fmt::Display for PointerPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, pointer: &str) -> bool {
        let pattern: PointerPattern = pattern.parse().expect("a pattern");
        let pointer: Pointer = pointer.parse().expect("a pointer");
        let end = pointer
            .steps()
            .iter()
            .try_fold(pattern.start(), |at, step| pattern.step(&at, step));
        end.is_some_and(|end| pattern.is_match(&end))
    }

    #[test]
    fn one_star_is_one_step_and_two_are_any() {
        for (pattern, pointer, expected) in [
            ("", "", true),
            ("/a", "/a", true),
            ("/a", "/a/b", false),
            ("/a/*", "/a/b", true),
            ("/a/*", "/a", false),
            ("/a/**", "/a", false),
            ("/**", "", false),
            ("/**", "/a/b", true),
            ("/a/**", "/a/b/c", true),
            ("/**/name", "/name", true),
            ("/**/name", "/a/0/name", true),
            ("/**/name", "/a/names", false),
            ("/**/a/**/b", "/x/a/y/z/b", true),
            ("/*/x", "/a/b/x", false),
        ] {
            assert_eq!(
                matches(pattern, pointer),
                expected,
                "{pattern} on {pointer}"
            );
        }
    }

    #[test]
    fn literal_beats_star_beats_two_stars() {
        let specificity = |text: &str| {
            text.parse::<PointerPattern>()
                .expect("a pattern")
                .specificity()
        };
        for (more, less) in [
            ("/a", "/*"),
            ("/*", "/**"),
            ("/a/*", "/*/b"),
            ("/a/b", "/a/**"),
            ("/a/**/b", "/a/**"),
        ] {
            assert!(specificity(more) > specificity(less), "{more} over {less}");
        }
    }
}
