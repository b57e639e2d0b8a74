//! Limits for user-provided strings, with their reasons.

/// Characters of a file pattern: supported systems have no longer paths, and matching takes time for each.
pub(crate) const LONGEST_GLOB: usize = 4096;

/// Characters of a skill's name: the specification of skills allows no more, and tools reject longer ones.
pub(crate) const LONGEST_SKILL_NAME: usize = 64;

/// Characters of a skill's description: the specification of skills allows no more, and tools reject longer ones.
pub(crate) const LONGEST_SKILL_DESCRIPTION: usize = 1024;

/// Characters of a skill's `compatibility`, by the same specification.
pub(crate) const LONGEST_SKILL_COMPATIBILITY: usize = 500;

/// Syntax errors of a manifest next to which other mistakes are reported: with more, an unclosed bracket has probably
/// swallowed the rest.
pub(crate) const MOST_SYNTAX_ERRORS: usize = 10;
