//! Limits of a search, and the reasons. Work is counted and not time: the same input must give the same answer on
//! every machine.

/// Comparisons of sets that one answer may take: far more than inputs take that people write, and less than a second.
pub(crate) const BUDGET: u64 = 4_000_000;

/// Comparisons that each unit adds: a large input may take more in proportion.
pub(crate) const BUDGET_PER_UNIT: u64 = 4_000;

/// Walks of one survey: narrowing moves one unit further with each, and what has not settled by then is for the search.
pub(crate) const MOST_WALKS: usize = 16;

/// Missing contents of one unit that are requested at once: a search that fails here will try the next candidates, but
/// hardly all of hundreds.
pub(crate) const MOST_CONTENTS: usize = 16;

/// Units that are named when a search is given up: a reader can act on a few.
pub(crate) const MOST_NAMED: usize = 8;

/// Attempts that are spent on leaving out roots that do not matter: each is its own search.
pub(crate) const MOST_SHRINKING: usize = 16;

/// Attempts that are spent on suggestions, shared among the roots: each is its own search.
pub(crate) const MOST_SUGGESTING: usize = 48;
