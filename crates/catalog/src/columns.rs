//! The columns of manifests of every generation.

/// The columns that are known, in the order of every output.
pub const COLUMNS: [&str; 14] = [
    "name",
    "displayName",
    "title",
    "icon",
    "capabilities",
    "role",
    "identity",
    "communicationStyle",
    "principles",
    "description",
    "module",
    "path",
    "standalone",
    "canonicalId",
];

/// The column that every manifest has.
pub(crate) const NAME: &str = "name";
pub(crate) const MODULE: &str = "module";
pub(crate) const PATH: &str = "path";
pub(crate) const CANONICAL_ID: &str = "canonicalId";
