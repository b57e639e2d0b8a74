//! The findings of a use case, and its result.

use std::collections::BTreeSet;

use crate::{Diagnostic, Severity, SourceMap, codes, has_errors};

/// A result with everything that was found on the way to it.
#[derive(Debug)]
pub struct Outcome<T> {
    /// The report, or what kind of failure the diagnostics describe.
    pub result: Result<T, FailureKind>,
    /// The findings, in their order.
    pub diagnostics: Vec<Diagnostic>,
    /// The strings that diagnostics point into.
    pub sources: SourceMap,
    /// Used and skipped things, for `-v`.
    pub log: Vec<String>,
}

impl<T> Outcome<T> {
    /// A failure before anything was read.
    pub fn failed(kind: FailureKind, diagnostic: Diagnostic) -> Self {
        Notes::default().outcome(Err(Failure::new(kind, diagnostic)))
    }
}

/// Decides the exit code and the tone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// Errors in what was given.
    Errors,
    /// Wrong usage of the command.
    Usage,
    /// An unknown name, or one that could mean several things.
    NotFound,
    /// The network is needed, and cannot or must not be used.
    Network,
    /// The lockfile is missing or not as it must be.
    Lock,
    /// An unmanaged file or key, or a path that escapes.
    Refused,
}

impl FailureKind {
    /// The exit code, as documented.
    pub fn exit_code(self) -> u8 {
        match self {
            FailureKind::Errors => 1,
            FailureKind::Usage => 2,
            FailureKind::NotFound => 3,
            FailureKind::Network => 4,
            FailureKind::Lock => 5,
            FailureKind::Refused => 6,
        }
    }
}

/// A failure on its way up: its kind and the last diagnostic about it.
#[derive(Debug)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The diagnostic; `None` if the diagnostics so far describe it.
    pub diagnostic: Option<Diagnostic>,
}

impl Failure {
    /// A failure that this diagnostic describes.
    pub fn new(kind: FailureKind, mut diagnostic: Diagnostic) -> Self {
        // A finding that ends a command is an error, whatever its code is elsewhere.
        diagnostic.severity = Severity::Error;
        Failure {
            kind,
            diagnostic: Some(diagnostic),
        }
    }

    /// Errors that the diagnostics so far describe.
    pub fn reported() -> Self {
        Failure::reported_as(FailureKind::Errors)
    }

    /// A failure of any kind that the diagnostics so far describe.
    pub fn reported_as(kind: FailureKind) -> Self {
        Self {
            kind,
            diagnostic: None,
        }
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::new(FailureKind::Errors, diagnostic)
    }
}

/// The treatment of warnings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningPolicy {
    /// Warnings are shown.
    Report,
    /// Warnings stop the command.
    Stop,
}

/// Strings and findings of a use case while it runs.
#[derive(Debug, Default)]
pub struct Notes {
    /// The strings that were read.
    pub sources: SourceMap,
    /// The findings.
    pub diagnostics: Vec<Diagnostic>,
    /// Used and skipped things.
    pub log: Vec<String>,
}

impl Notes {
    /// Empty notes for a part of the work, on another thread as a rule. Its findings may point into strings of these notes.
    pub fn fork(&self) -> Notes {
        Notes {
            sources: self.sources.fork(),
            ..Notes::default()
        }
    }

    /// Takes in what a part of the work found, which began with [`Notes::fork`].
    pub fn absorb(&mut self, part: Notes) {
        let moved = self.sources.absorb(part.sources);
        for mut found in part.diagnostics {
            for label in &mut found.labels {
                label.source = moved(label.source);
            }
            if let Some(edit) = &mut found.edit {
                edit.source = moved(edit.source);
            }
            self.diagnostics.push(found);
        }
        self.log.extend(part.log);
    }

    /// Fails if anything found so far is an error.
    pub fn check(&self) -> Result<(), Failure> {
        if !has_errors(&self.diagnostics) {
            return Ok(());
        }
        let escape = [
            &codes::MANIFEST_ESCAPE,
            &codes::RESOURCE_ESCAPE,
            &codes::TRUST_CREDENTIALS,
        ];
        let escapes = |found: &Diagnostic| escape.contains(&found.code);
        let kind = if self.diagnostics.iter().any(escapes) {
            FailureKind::Refused
        } else {
            FailureKind::Errors
        };
        Err(Failure::reported_as(kind))
    }

    /// Leaves out what was found before.
    pub fn each_once(&mut self) {
        self.diagnostics = distinct(std::mem::take(&mut self.diagnostics), &self.sources);
    }

    /// Closes a use case for which warnings may be errors.
    pub fn strictly<T>(
        mut self,
        result: Result<T, Failure>,
        warnings: WarningPolicy,
    ) -> Outcome<T> {
        let result = result.and_then(|report| {
            if warnings == WarningPolicy::Stop {
                self.warnings_are_errors();
            }
            self.each_once();
            self.check().map(|()| report)
        });
        self.outcome(result)
    }

    /// Turns warnings into errors.
    pub fn warnings_are_errors(&mut self) {
        for found in &mut self.diagnostics {
            if found.severity == Severity::Warning {
                found.severity = Severity::Error;
            }
        }
    }

    /// Closes a use case.
    pub fn outcome<T>(mut self, result: Result<T, Failure>) -> Outcome<T> {
        let result = result.map_err(|failure| {
            self.diagnostics.extend(failure.diagnostic);
            failure.kind
        });
        Outcome {
            result,
            diagnostics: self.diagnostics,
            sources: self.sources,
            log: self.log,
        }
    }
}

/// Every finding once: a file that is read several times is several strings to the diagnostics, and one to people.
pub fn distinct(found: Vec<Diagnostic>, sources: &SourceMap) -> Vec<Diagnostic> {
    let mut seen = BTreeSet::new();
    let identity = |one: &Diagnostic| {
        let label = one.labels.first();
        let position = label.map(|label| {
            let position = sources.position(label.source, label.span.start);
            (position.line, position.column)
        });
        let name = label.map(|label| sources.get(label.source).name.clone());
        (
            (one.code.name, one.severity, one.message.clone()),
            (name.or_else(|| one.file.clone()), position),
            (one.details.clone(), one.help.clone()),
            (one.layer.clone(), one.unit.clone()),
        )
    };
    found
        .into_iter()
        .filter(|one| seen.insert(identity(one)))
        .collect()
}

/// A name that nothing has.
pub fn unknown_name(noun: &str, name: &str, help: Option<String>) -> Failure {
    let mut diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, format!("unknown {noun} `{name}`"));
    diagnostic.help = help;
    Failure::new(FailureKind::NotFound, diagnostic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Span;

    fn at(notes: &mut Notes, file: &str, text: &str, start: usize) {
        let source = notes.sources.add(file, text);
        let found = Diagnostic::new(&codes::USAGE, "wrong").at(source, Span::at(start), "");
        notes.diagnostics.push(found);
    }

    #[test]
    fn findings_of_several_threads_point_into_their_own_strings() {
        let mut all = Notes::default();
        at(&mut all, "a.toml", "first\n", 0);
        let shared = all.diagnostics[0].clone();
        let (mut left, mut right) = (all.fork(), all.fork());
        at(&mut left, "b.toml", "\nsecond\n", 1);
        at(&mut right, "c.toml", "\n\nthird\n", 2);
        right.diagnostics.push(shared);
        all.absorb(left);
        all.absorb(right);
        let positions: Vec<(&str, usize)> = all
            .diagnostics
            .iter()
            .map(|found| {
                let label = &found.labels[0];
                let line = all.sources.line(label.source, label.span.start);
                (all.sources.get(label.source).name.as_str(), line)
            })
            .collect();
        let expected = [("a.toml", 1), ("b.toml", 2), ("c.toml", 3), ("a.toml", 1)];
        assert_eq!(positions, expected);
    }

    #[test]
    fn repeated_findings_are_reported_once() {
        let mut notes = Notes::default();
        at(&mut notes, "a.toml", "x = 1\n", 0);
        at(&mut notes, "a.toml", "x = 1\n", 0);
        at(&mut notes, "a.toml", "x = 1\n", 4);
        notes.each_once();
        assert_eq!(notes.diagnostics.len(), 2);
        assert_eq!(
            notes.check().err().map(|failure| failure.kind),
            Some(FailureKind::Errors)
        );
    }
}
