//! Which candidate of which unit: PubGrub over facts that may still be missing, and explanations.
//!
//! Knows no files, no git and no manifest; it sees the world through one small trait.
