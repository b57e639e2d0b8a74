//! Finds the resources of a source: from a listing of its paths, and the few files worth reading, to candidates.
//!
//! The crate knows neither where files are nor what is installed. The caller asks which files must be read, reads them
//! in one batch, and hands them back.

mod candidate;
mod choice;
mod closest;
mod content;
mod description;
mod index;
mod limits;
mod marketplace;
mod matching;
mod paths;
mod picker;
mod results;
mod survey;

pub use candidate::{CANDIDATE_TYPES, Candidate, CandidateType, PluginMembership, PluginPlacement};
pub use choice::{CandidateChoice, SelectionMode, WrittenName, choose};
pub use closest::closest;
pub use content::type_of_content;
pub use description::{plain_line, shell_comment};
pub use index::{IndexHeader, IndexRow, SearchIndex};
pub use marketplace::{MarketplaceListing, read_marketplace};
pub use matching::{Score, SearchQuery};
pub use paths::{type_of_path, type_of_path_in};
pub use picker::{PickItem, PickState, Picker};
pub use results::{
    BrowseReport, FittingCandidates, FoundResource, OfferedResource, ResultFilter, SearchReport,
    StoredIndex, newest_version,
};
pub use survey::{ReadExtent, SourceSurvey, SurveyedDirectory};
