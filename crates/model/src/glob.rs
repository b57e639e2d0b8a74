//! Patterns of paths: `*`, `?`, `**`, `[a-z]`, `{a,b}` and `\`.

use std::str::Chars;

use crate::limits::{DEEPEST_GLOB, LONGEST_GLOB};

/// A pattern of paths. `*` and `?` do not match `/`; `**` as a whole part of a path matches any number of parts.
// Own code instead of `globset`, which compiles patterns to regular expressions: 0.6 ms for the default patterns of each
// layer on every command, and three crates that took longer to build than this one. A law compares the two.
#[derive(Clone, Debug)]
pub struct Glob {
    /// The characters before the first special one, to reject most paths early.
    prefix: String,
    steps: Vec<GlobStep>,
}

/// The reason why a pattern is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GlobError {
    /// A `[` without `]`.
    #[error("unclosed character class; missing `]`")]
    UnclosedClass,
    /// A reversed range.
    #[error("invalid range; `{0}` is after `{1}`")]
    InvalidRange(char, char),
    /// A `{` without `}`.
    #[error("unclosed alternatives; missing `}}`")]
    UnclosedAlternatives,
    /// A `}` without `{`.
    #[error("unopened alternatives; missing `{{`")]
    UnopenedAlternatives,
    /// A `\` at the end.
    #[error("nothing to escape after `\\`")]
    DanglingEscape,
    /// More characters than any path has.
    #[error("the pattern is longer than {LONGEST_GLOB} characters")]
    TooLong,
    /// Too many nested `{`.
    #[error("more than {DEEPEST_GLOB} nested alternatives")]
    TooDeep,
}

/// An instruction of a small machine that matches a path. The matcher keeps a set of steps instead of backtracking, so
/// its time is bounded by the length of the pattern times that of the path.
#[derive(Clone, Debug)]
enum GlobStep {
    Literal(char),
    AnyInPart,
    Any,
    Class(CharacterClass),
    /// Continues at both steps.
    Fork(usize, usize),
    Jump(usize),
}

#[derive(Clone, Debug)]
struct CharacterClass {
    negated: bool,
    ranges: Vec<(char, char)>,
}

impl Glob {
    /// Parses a pattern.
    pub fn new(pattern: &str) -> Result<Self, GlobError> {
        if pattern.chars().count() > LONGEST_GLOB {
            return Err(GlobError::TooLong);
        }
        let mut parser = GlobParser {
            rest: pattern.chars(),
            previous: None,
            steps: Vec::new(),
            depth: 0,
        };
        parser.sequence()?;
        if parser.rest.next().is_some() {
            return Err(GlobError::UnopenedAlternatives);
        }
        let literals = parser.steps.iter().map_while(|step| match step {
            GlobStep::Literal(character) => Some(*character),
            _ => None,
        });
        Ok(Glob {
            prefix: literals.collect(),
            steps: parser.steps,
        })
    }

    /// Whether a path, with `/` between its components, matches.
    pub fn is_match(&self, path: &str) -> bool {
        let Some(rest) = path.strip_prefix(&self.prefix) else {
            return false;
        };
        let mut current = StepSet::new(self.steps.len());
        let mut next = StepSet::new(self.steps.len());
        current.add(&self.steps, self.prefix.chars().count());
        for character in rest.chars() {
            for &at in &current.members {
                if self
                    .steps
                    .get(at)
                    .is_some_and(|step| step.accepts(character))
                {
                    next.add(&self.steps, at + 1);
                }
            }
            if next.members.is_empty() {
                return false;
            }
            std::mem::swap(&mut current, &mut next);
            next.clear();
        }
        current.members.contains(&self.steps.len())
    }
}

impl GlobStep {
    fn accepts(&self, character: char) -> bool {
        match self {
            GlobStep::Literal(literal) => *literal == character,
            GlobStep::AnyInPart => character != '/',
            GlobStep::Any => true,
            GlobStep::Class(class) => class.accepts(character),
            GlobStep::Fork(..) | GlobStep::Jump(_) => false,
        }
    }
}

impl CharacterClass {
    fn accepts(&self, character: char) -> bool {
        let in_range = |&(first, last): &(char, char)| (first..=last).contains(&character);
        character != '/' && self.ranges.iter().any(in_range) != self.negated
    }
}

/// The current steps of the matcher; the index after the last step is a match.
struct StepSet {
    members: Vec<usize>,
    is_member: Vec<bool>,
}

impl StepSet {
    fn new(steps: usize) -> Self {
        StepSet {
            members: Vec::new(),
            is_member: vec![false; steps + 1],
        }
    }

    fn clear(&mut self) {
        for &at in &self.members {
            self.is_member[at] = false;
        }
        self.members.clear();
    }

    /// Adds a step and those that forks and jumps from it lead to.
    fn add(&mut self, steps: &[GlobStep], at: usize) {
        let mut waiting = vec![at];
        while let Some(at) = waiting.pop() {
            if std::mem::replace(&mut self.is_member[at], true) {
                continue;
            }
            self.members.push(at);
            match steps.get(at) {
                Some(GlobStep::Fork(first, second)) => waiting.extend([*first, *second]),
                Some(GlobStep::Jump(to)) => waiting.push(*to),
                _ => {}
            }
        }
    }
}

struct GlobParser<'a> {
    rest: Chars<'a>,
    previous: Option<char>,
    steps: Vec<GlobStep>,
    /// The number of open `{`.
    depth: usize,
}

impl GlobParser<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.next()?;
        self.previous = Some(next);
        Some(next)
    }

    /// Whether the sequence ends before the next character.
    fn at_end(&self) -> bool {
        match self.peek() {
            None => true,
            Some('}') => true,
            Some(',') => self.depth > 0,
            Some(_) => false,
        }
    }

    fn sequence(&mut self) -> Result<(), GlobError> {
        while !self.at_end() {
            let previous = self.previous;
            match self.next() {
                Some('?') => self.steps.push(GlobStep::AnyInPart),
                Some('*') => self.star(previous),
                Some('[') => self.class()?,
                Some('{') => self.alternatives()?,
                Some('\\') => {
                    let escaped = self.next().ok_or(GlobError::DanglingEscape)?;
                    self.steps.push(GlobStep::Literal(escaped));
                }
                Some(literal) => self.steps.push(GlobStep::Literal(literal)),
                None => break,
            }
        }
        Ok(())
    }

    /// `*`, or `**` if it is a whole component. Two stars next to other characters are one.
    fn star(&mut self, previous: Option<char>) {
        let starts_part = match previous {
            None | Some('/') => true,
            Some('{' | ',') => self.depth > 0,
            Some(_) => false,
        };
        if self.peek() != Some('*') {
            return self.repeat(GlobStep::AnyInPart);
        }
        self.next();
        match self.peek() {
            Some('/') if starts_part => {
                self.next();
                // Any number of components, each with its slash: nothing, or anything that ends with one.
                let fork = self.steps.len();
                self.steps.push(GlobStep::Fork(fork + 1, fork + 5));
                self.repeat(GlobStep::Any);
                self.steps.push(GlobStep::Literal('/'));
            }
            _ if starts_part && self.at_end() => self.repeat(GlobStep::Any),
            _ => self.repeat(GlobStep::AnyInPart),
        }
    }

    /// Any number of a step: a fork over the step and a jump back.
    fn repeat(&mut self, step: GlobStep) {
        let fork = self.steps.len();
        self.steps.push(GlobStep::Fork(fork + 1, fork + 3));
        self.steps.push(step);
        self.steps.push(GlobStep::Jump(fork));
    }

    fn class(&mut self) -> Result<(), GlobError> {
        let negated = matches!(self.peek(), Some('!' | '^'));
        if negated {
            self.next();
        }
        let mut ranges: Vec<(char, char)> = Vec::new();
        loop {
            let first = self.next().ok_or(GlobError::UnclosedClass)?;
            // A `]` that is the first character is itself a member.
            if first == ']' && !ranges.is_empty() {
                break;
            }
            let mut ahead = self.rest.clone();
            let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|end| end != ']');
            if !is_range {
                ranges.push((first, first));
                continue;
            }
            self.next();
            let last = self.next().ok_or(GlobError::UnclosedClass)?;
            if last < first {
                return Err(GlobError::InvalidRange(first, last));
            }
            ranges.push((first, last));
        }
        self.steps
            .push(GlobStep::Class(CharacterClass { negated, ranges }));
        Ok(())
    }

    /// `{a,b}`: a fork before each alternative but the last, and a jump to the end after each.
    fn alternatives(&mut self) -> Result<(), GlobError> {
        self.depth += 1;
        if self.depth > DEEPEST_GLOB {
            return Err(GlobError::TooDeep);
        }
        let mut jumps = Vec::new();
        loop {
            let fork = self.steps.len();
            self.steps.push(GlobStep::Jump(fork + 1));
            self.sequence()?;
            match self.next() {
                Some(',') => {
                    jumps.push(self.steps.len());
                    self.steps.push(GlobStep::Jump(0));
                    self.steps[fork] = GlobStep::Fork(fork + 1, self.steps.len());
                }
                Some(_) => break,
                None => return Err(GlobError::UnclosedAlternatives),
            }
        }
        let end = self.steps.len();
        for jump in jumps {
            self.steps[jump] = GlobStep::Jump(end);
        }
        self.depth -= 1;
        Ok(())
    }
}
