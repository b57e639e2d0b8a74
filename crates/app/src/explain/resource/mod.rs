//! The origin of an installed resource, and of its values.

mod facts;
mod naming;
mod pairing;
mod rendered;
mod stated;
mod target;
mod tracing;

pub use facts::{ExplainedResource, RequiredAt, ToolConversion};
pub use rendered::{disk_path, is_copy_of};
pub use target::{ResourceExplanation, ResourceTarget};
pub use tracing::trace_to_sources;
