use agpm_diag::Severity;
use agpm_model::Strategy;

/// How the contributions of one kind compose. Data, not code: a new kind is a new table.
#[derive(Clone, Debug)]
pub struct Policy {
    /// One contribution, or all of them.
    pub composition: Composition,
    /// What references to other documents do when they fail.
    pub references: References,
}

/// One contribution, or all of them.
#[derive(Clone, Debug)]
pub enum Composition {
    /// The highest-ranked one, whole.
    Select,
    /// All, merged by a strategy.
    Merge(Strategy),
}

/// What a reference to another document does when it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct References {
    /// The document does not exist.
    pub missing: Reaction,
    /// It exists and cannot be read.
    pub malformed: Reaction,
    /// It must not be read.
    pub refused: Reaction,
    /// It leads back to where it was named.
    pub cyclic: Reaction,
}

/// What can be wrong with a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// The document does not exist.
    Missing,
    /// It exists and cannot be read.
    Malformed,
    /// It must not be read.
    Refused,
    /// It leads back to a document on the way to it.
    Cyclic,
}

/// What happens when a reference fails. The document that it names is left out in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing: another finding covers it.
    Ignore,
    /// A warning, and a result without that document.
    Warn,
    /// An error, and no result.
    Fail,
}

impl Reaction {
    /// What a finding weighs; nothing if there is none.
    pub fn severity(self) -> Option<Severity> {
        match self {
            Reaction::Ignore => None,
            Reaction::Warn => Some(Severity::Warning),
            Reaction::Fail => Some(Severity::Error),
        }
    }
}

impl References {
    /// The same for every kind of failure.
    pub const fn all(reaction: Reaction) -> Self {
        References {
            missing: reaction,
            malformed: reaction,
            refused: reaction,
            cyclic: reaction,
        }
    }

    /// Nothing may be wrong.
    pub const STRICT: References = References::all(Reaction::Fail);

    /// What is wrong is left out; what must not be read is an error all the same.
    pub const LENIENT: References = References {
        refused: Reaction::Fail,
        ..References::all(Reaction::Warn)
    };

    /// What happens to a reference that failed in this way.
    pub fn reaction(self, kind: FlawKind) -> Reaction {
        match kind {
            FlawKind::Missing => self.missing,
            FlawKind::Malformed => self.malformed,
            FlawKind::Refused => self.refused,
            FlawKind::Cyclic => self.cyclic,
        }
    }
}

impl Policy {
    /// The policy of configuration files: merged by a strategy, nothing forgiven.
    pub fn merge(strategy: Strategy) -> Self {
        Policy {
            composition: Composition::Merge(strategy),
            references: References::STRICT,
        }
    }
}
