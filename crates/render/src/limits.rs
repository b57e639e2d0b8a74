//! Limits of templates, which are untrusted, with their reasons.

/// Bytes of a template: it is scanned several times before it runs.
pub(crate) const LARGEST_TEMPLATE: usize = 1 << 20;

/// Bytes of one tag: the engine parses expressions recursively.
pub(crate) const LONGEST_TAG: usize = 4096;

/// Tags of one template: each is checked before it runs.
pub(crate) const MOST_TAGS: usize = 4096;

/// Joins in values with a name (`set`, `with`, `for`): they can build on each other, and each join may double the
/// previous value.
pub(crate) const MOST_KEPT_JOINS: usize = 8;

/// Joins in one tag, where each adds one text.
pub(crate) const MOST_JOINS: usize = 64;

/// Steps of one template: a page of text takes a few hundred, and an endless loop takes all.
pub(crate) const MOST_STEPS: u64 = 1_000_000;

/// Bytes that the steps of one template may copy, as if each copied the longest possible text.
pub(crate) const MOST_COPIED: u64 = 1 << 33;

/// Levels of nested templates: the engine renders them recursively.
pub(crate) const DEEPEST_TEMPLATE: usize = 50;

/// Bytes of rendered output: more than any page of instructions.
// Far above any prompt that a model could read.
pub(crate) const LARGEST_OUTPUT: usize = 8 << 20;

/// Bytes that a filter may produce from smaller strings; larger ones may at most double.
pub(crate) const LARGEST_FILTERED: usize = 128 << 10;

/// Bytes that the filters of one template may process in total.
pub(crate) const MOST_FILTERED: usize = 64 << 20;

/// Files that one template may read: each may require a fetch.
pub(crate) const MOST_FILES: usize = 64;

/// Bytes of a path in a template; longer strings are not paths.
pub(crate) const LONGEST_PATH: usize = 1024;
