//! Limits for user-provided strings, and the reasons.

/// Characters of a file pattern: paths are no longer on the systems that agpm supports, and a walk takes time for each.
pub(crate) const LONGEST_GLOB: usize = 4096;

/// `{` of a file pattern inside of each other, which are read by recursion.
pub(crate) const DEEPEST_GLOB: usize = 10;

/// Characters of a skill's name: the specification of skills allows no more, and tools refuse them.
pub(crate) const LONGEST_SKILL_NAME: usize = 64;

/// Characters of a skill's description: the specification of skills allows no more, and tools refuse them.
pub(crate) const LONGEST_SKILL_DESCRIPTION: usize = 1024;

/// Syntax errors of a manifest next to which other mistakes are looked for: with more, a bracket without an end has
/// probably taken in the rest.
pub(crate) const MOST_SYNTAX_ERRORS: usize = 10;
