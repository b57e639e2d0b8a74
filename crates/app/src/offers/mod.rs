//! Lists the resources at a URL: opens the source at a revision, and finds its candidates.

mod location;
mod offer;

pub(crate) use location::{LocationFinder, ResourceLocation};
pub(crate) use offer::{CandidateFilter, SourceOffer};
