//! Limits of messages, and the reasons.

/// Findings alike that are drawn one by one: more of them read better as one.
pub(crate) const MOST_DRAWN_ALONE: usize = 2;

/// Locations of one finding that are drawn: of more, only the first is.
pub(crate) const MOST_LOCATIONS: usize = 3;

/// Subjects that a warning names besides the first: the rest is counted.
pub(crate) const MOST_SUBJECTS: usize = 2;

/// Subjects that an error names besides the first: every one of them has to be fixed.
pub(crate) const MOST_ERROR_SUBJECTS: usize = 20;

/// Characters of a name that are compared with another: the time is the product of both lengths.
pub(crate) const LONGEST_COMPARED: usize = 64;

/// Names that are listed where none is near: a longer list is not read.
pub(crate) const MOST_LISTED: usize = 40;

/// The number of characters in which the end of a possible secret is searched: a longer word is not a plain one
/// anyway.
pub(crate) const LONGEST_WORD: usize = 64;
