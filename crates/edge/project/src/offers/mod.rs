//! Lists the resources at a URL: opens the source at a revision, and finds its candidates.

mod offer;
mod place;

pub use offer::{CandidateFilter, SourceOffer};
pub use place::{LocationFinder, OfferOrigin, OfferedSource, ResourceLocation};
