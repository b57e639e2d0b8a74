//! Documents and values as one ordered tree, and edits of them, independent of any format.

mod change;
mod composed;
mod document;
mod edit;
mod format;
mod kind;
mod nodes;
mod pointer;
mod reader;
mod splice;
mod suggestion;
mod value;
mod view;

pub(crate) use change::{ChildInsertion, ContainerChange, DocumentChanges};
pub use composed::DocumentComposer;
pub use document::{Document, NodeRef};
pub use edit::{Edit, EditError};
pub use format::Format;
pub use kind::NodeKind;
pub use nodes::NodeId;
pub(crate) use nodes::{MergeKey, NodeTree};
pub use pointer::{Pointer, PointerError};
pub(crate) use reader::{ReaderState, duplicate_key};
pub use splice::RewrittenText;
pub(crate) use splice::Splices;
pub(crate) use suggestion::{EntrySpan, repeated_entry};
pub use value::{Number, Value, to_value};
pub(crate) use view::number_as_written;
pub use view::{NodeShape, TreeView, equal, fingerprint};
