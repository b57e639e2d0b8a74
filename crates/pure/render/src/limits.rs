//! Limits of templates, which come from anybody, and the reasons.

/// Bytes of a template: it is looked through several times before it runs.
pub(crate) const LARGEST_TEMPLATE: usize = 1 << 20;

/// Bytes of one tag: the engine reads an expression by recursion.
pub(crate) const LONGEST_TAG: usize = 4096;

/// Tags of one template: each is looked at before it runs.
pub(crate) const MOST_TAGS: usize = 4096;

/// Joins in values that have a name (`set`, `with`, `for`): they can build on each other, and each join may double what
/// came before.
pub(crate) const MOST_KEPT_JOINS: usize = 8;

/// Joins in one tag, where each adds one text.
pub(crate) const MOST_JOINS: usize = 64;

/// Steps of one template: a page of text takes a few hundred, and a loop without an end takes all.
pub(crate) const MOST_STEPS: u64 = 1_000_000;

/// Bytes that the steps of one template may copy, as if each copied the longest text that there can be.
pub(crate) const MOST_COPIED: u64 = 1 << 33;

/// Levels of templates in templates: the engine goes down by recursion.
pub(crate) const DEEPEST_TEMPLATE: usize = 50;

/// Bytes that a template gives: more than any page of instructions.
// Far above any prompt that a model could read.
pub(crate) const LARGEST_OUTPUT: usize = 8 << 20;

/// Bytes that a filter may make of smaller strings; from larger ones it makes at most twice as much.
pub(crate) const LARGEST_FILTERED: usize = 128 << 10;

/// Bytes that the filters of one template may go through in all.
pub(crate) const MOST_FILTERED: usize = 64 << 20;

/// Files that one template may read: each may cost a fetch.
pub(crate) const MOST_FILES: usize = 64;

/// Bytes of a path in a template; longer ones are strings that were meant to be something else.
pub(crate) const LONGEST_PATH: usize = 1024;
