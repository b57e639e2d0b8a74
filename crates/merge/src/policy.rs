use agpm_diag::Severity;
use agpm_model::Strategy;

/// How contributions of one kind are combined. Data, not code: a new kind is a new table.
#[derive(Clone, Debug)]
pub struct MergePolicy {
    /// One contribution, or all of them.
    pub composition: Composition,
    /// The treatment of failed references to other documents.
    pub references: ReferencePolicy,
}

/// One contribution, or all of them.
#[derive(Clone, Debug)]
pub enum Composition {
    /// The highest-ranked one.
    Select,
    /// All, merged by a strategy.
    Merge(Strategy),
}

/// The treatment of a failed reference to another document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferencePolicy {
    /// The document does not exist.
    pub missing: ReferenceReaction,
    /// The document exists and cannot be read.
    pub malformed: ReferenceReaction,
    /// The document must not be read.
    pub refused: ReferenceReaction,
    /// The document refers back to one that names it.
    pub cyclic: ReferenceReaction,
}

/// The problem with a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceFailureKind {
    /// The document does not exist.
    Missing,
    /// The document exists and cannot be read.
    Malformed,
    /// The document must not be read.
    Refused,
    /// The document is on the path that leads to it.
    Cyclic,
}

/// The reaction to a failed reference. The document is skipped in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceReaction {
    /// No finding: another one covers it.
    Ignore,
    /// A warning, and a result without the document.
    Warn,
    /// An error, and no result.
    Fail,
}

impl ReferenceReaction {
    /// The severity of the finding; `None` if it is not reported.
    pub fn severity(self) -> Option<Severity> {
        match self {
            ReferenceReaction::Ignore => None,
            ReferenceReaction::Warn => Some(Severity::Warning),
            ReferenceReaction::Fail => Some(Severity::Error),
        }
    }
}

impl ReferencePolicy {
    /// The same reaction to every failure.
    pub const fn all(reaction: ReferenceReaction) -> Self {
        ReferencePolicy {
            missing: reaction,
            malformed: reaction,
            refused: reaction,
            cyclic: reaction,
        }
    }

    /// Every failure is an error.
    pub const STRICT: ReferencePolicy = ReferencePolicy::all(ReferenceReaction::Fail);

    /// Wrong references are skipped; forbidden ones are errors.
    pub const LENIENT: ReferencePolicy = ReferencePolicy {
        refused: ReferenceReaction::Fail,
        ..ReferencePolicy::all(ReferenceReaction::Warn)
    };

    /// The reaction to a reference that failed in this way.
    pub fn reaction(self, kind: ReferenceFailureKind) -> ReferenceReaction {
        match kind {
            ReferenceFailureKind::Missing => self.missing,
            ReferenceFailureKind::Malformed => self.malformed,
            ReferenceFailureKind::Refused => self.refused,
            ReferenceFailureKind::Cyclic => self.cyclic,
        }
    }
}

impl MergePolicy {
    /// The policy of configuration files: merged by a strategy, with every failure an error.
    pub fn merge(strategy: Strategy) -> Self {
        MergePolicy {
            composition: Composition::Merge(strategy),
            references: ReferencePolicy::STRICT,
        }
    }
}
