use agpm_diag::Severity;
use agpm_model::Strategy;

/// How the contributions of one kind compose. Data, not code: a new kind is a new table.
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
    /// The highest-ranked one, whole.
    Select,
    /// All, merged by a strategy.
    Merge(Strategy),
}

/// The treatment of a failed reference to another document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferencePolicy {
    /// The document does not exist.
    pub missing: ReferenceReaction,
    /// It exists and cannot be read.
    pub malformed: ReferenceReaction,
    /// The reaction to a document that must not be read.
    pub refused: ReferenceReaction,
    /// It leads back to where it was named.
    pub cyclic: ReferenceReaction,
}

/// The problem with a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceFailureKind {
    /// The document does not exist.
    Missing,
    /// It exists and cannot be read.
    Malformed,
    /// The document must not be read.
    Refused,
    /// It leads back to a document on the way to it.
    Cyclic,
}

/// The reaction to a failed reference. The document that it names is left out in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceReaction {
    /// Nothing: another finding covers it.
    Ignore,
    /// A warning, and a result without that document.
    Warn,
    /// An error, and no result.
    Fail,
}

impl ReferenceReaction {
    /// The severity of the finding; nothing if there is none.
    pub fn severity(self) -> Option<Severity> {
        match self {
            ReferenceReaction::Ignore => None,
            ReferenceReaction::Warn => Some(Severity::Warning),
            ReferenceReaction::Fail => Some(Severity::Error),
        }
    }
}

impl ReferencePolicy {
    /// The same for every kind of failure.
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

    /// Wrong references are left out; forbidden ones are errors all the same.
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
    /// The policy of configuration files: merged by a strategy, nothing forgiven.
    pub fn merge(strategy: Strategy) -> Self {
        MergePolicy {
            composition: Composition::Merge(strategy),
            references: ReferencePolicy::STRICT,
        }
    }
}
