//! Limits for user-provided strings, and the reasons.

/// Characters of a skill's name: the specification of skills allows no more, and tools refuse them.
pub(crate) const LONGEST_SKILL_NAME: usize = 64;

/// Characters of a skill's description: the specification of skills allows no more, and tools refuse them.
pub(crate) const LONGEST_SKILL_DESCRIPTION: usize = 1024;

/// Syntax errors of a manifest next to which other mistakes are looked for: with more, a bracket without an end has
/// probably taken in the rest.
pub(crate) const MOST_SYNTAX_ERRORS: usize = 10;
