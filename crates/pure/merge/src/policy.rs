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

/// What failing references do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct References {
    /// The document is not there.
    pub missing: Reaction,
    /// It is there and cannot be read.
    pub malformed: Reaction,
    /// It leads back to where it was named.
    pub cyclic: Reaction,
}

/// What happens when something is wrong with one of many contributions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// There is no result.
    Fail,
    /// The contribution is left out, and that is said.
    Skip,
}

impl References {
    /// Nothing may be wrong.
    pub const STRICT: References = References {
        missing: Reaction::Fail,
        malformed: Reaction::Fail,
        cyclic: Reaction::Fail,
    };
    /// What is wrong is left out.
    pub const LENIENT: References = References {
        missing: Reaction::Skip,
        malformed: Reaction::Skip,
        cyclic: Reaction::Skip,
    };
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
