#![doc = include_str!("../README.md")]
//!
//! # Entry points
//!
//! | | |
//! |---|---|
//! | [`Engine::builder`] | layers, strategies, then [`merge`](EngineBuilder::merge) |
//! | [`MergedLayers`] | every path of the layers, and all [findings](MergedLayers::findings) |
//! | [`EffectiveFile`] | one path: its text, its value, its [leaves](EffectiveFile::leaves), an [explanation](EffectiveFile::explain) |
//! | [`Strategy`], [`PointerRule`], [`MergeOperation`] | how files merge, as data |
//! | [`Combine`] | your own strategy, which can only choose, so provenance stays true |
//!
//! # Inside
//!
//! The fold: ranked layers in, one value out, and for every leaf where it came from and what it overrides. The highest
//! rank wins. Layers stay intact: a result refers to their nodes and never copies or invents a value, so provenance
//! holds by construction. Knows no files, no manifest and no command.

mod arguments;
mod blame;
mod body;
mod builder;
mod combine;
mod composed;
mod contribution;
mod effective;
mod error;
mod file;
mod file_bytes;
mod finding;
mod fold;
mod item_set;
mod key_groups;
mod layer_file;
mod limits;
mod lineage;
mod lists;
mod mode;
mod nodes;
mod origin;
mod parts;
mod policy;
mod provenance;
mod resolution;
mod rules;
mod strategy_page;
mod three_way;

pub use arguments::{OutputFormat, RuleArgument, name_layers};
pub use body::BodySegment;
pub use file::{MergedContent, MergedFile, merge_files};
pub use layer_file::{LayerContent, LayerFile, RawFile, UnparsedFile};

pub use blame::{BlameLine, blame_lines};
pub use combine::{Combination, Combine, MergePoint};
pub use contribution::Contribution;
pub use file_bytes::FileBytes;
pub use fold::{fold, fold_parts};
pub use item_set::projected;
pub use lineage::{DocumentGraph, Lineage, ReferenceFailure, UnavailableReason, order};
pub use origin::{LeafOperation, NodeOrigin, ShadowKind, ShadowedValue};
pub use parts::MergedPart;
pub use policy::{
    Composition, MergePolicy, ReferenceFailureKind, ReferencePolicy, ReferenceReaction,
};
pub use provenance::{
    BodyLines, ExplainedDeletion, ExplainedLeaf, ExplainedShadow, KNOWN_SECRET, MASK, Provenance,
    SecretDisplay, nearest_key,
};
pub use resolution::{Deletion, MergedLeaf, Resolution, ResolvedRef};
pub use strategy_page::{
    BuiltInStrategy, CustomStrategy, OperationRow, StrategiesReport, StrategyExample, StrategyPage,
    strategy_pages,
};

pub use three_way::{
    ListRules, MergeConflict, ThreeWayMerge, is_mergeable, merge_three, merge_three_by,
};

pub use agpm_diag::Severity;
pub use agpm_model::{
    BodySeparator, EmptyRule, ItemRule, LayerName, ListRule, MapRule, MergeOperation,
    PointerPattern, PointerRule, RelativePath, Strategy,
};
pub use agpm_text::{Format, NodeKind, NodeRef, Pointer, Value};
pub use builder::{Engine, EngineBuilder, MergedLayers};
pub use effective::{EffectiveFile, ExplainedValue, OverriddenValue, TextOrigin};
pub use error::EngineError;
pub use finding::{Finding, Location};
