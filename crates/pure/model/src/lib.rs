//! The product's nouns as types that cannot hold a wrong value, and the manifest that is made of them.
//!
//! Knows how things are written down, not where they lie or how they merge.

mod address;
mod digest;
mod manifest;
mod name;
mod path;
mod pattern;
mod percent;
mod redact;
mod schema;
mod strategy;

pub use address::{ADDRESS_SCHEMES, AddressError, AddressKind, SourceAddress};
pub use digest::{Checksum, ChecksumError, ObjectId, ObjectIdError};
pub use manifest::{FilePattern, Layer, LayerPlace, MANIFEST_SECTIONS, Manifest, MergeRule};
pub use name::{LayerName, LayerNameError};
pub use path::{PathError, RelativePath};
pub use pattern::{Matching, PatternError, PointerPattern, Specificity};
pub use schema::{KeyClass, Passthrough, Schema};
pub use strategy::{
    BUILT_IN, BuiltIn, Driver, Empty, Items, Lists, Maps, OPERATIONS, Operation, OperationError, Rule,
    Separator, Strategy,
};
