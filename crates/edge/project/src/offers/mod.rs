//! The resources that a URL offers: from what was typed to a source at a revision, and its candidates.

mod offer;
mod place;

pub use offer::{CandidateFilter, SourceOffer};
pub use place::{LocationFinder, PlaceOrigin, PlaceSource, ResourceLocation};
