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

mod builder;
mod effective;
mod error;
mod finding;

pub use agpm_diag::Severity;
pub use agpm_merge::{Combination, Combine, LeafOperation, MergePoint};
pub use agpm_model::{
    BodySeparator, EmptyRule, ItemRule, LayerName, ListRule, MapRule, MergeOperation,
    PointerPattern, PointerRule, RelativePath, Strategy,
};
pub use agpm_text::{Format, NodeKind, NodeRef, Pointer, Value};

pub use builder::{Engine, EngineBuilder, MergedLayers};
pub use effective::{EffectiveFile, ExplainedValue, OverriddenValue, TextOrigin};
pub use error::EngineError;
pub use finding::{Finding, Location};
