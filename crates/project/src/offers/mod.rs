//! Lists the resources at a URL: opens the source at a revision, and finds its candidates.

mod location;
mod offer;

pub use location::{LocationFinder, OfferOrigin, OfferedSource, ResourceLocation};
pub use offer::{CandidateFilter, SourceOffer};
