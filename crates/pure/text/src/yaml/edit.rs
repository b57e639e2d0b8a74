use crate::change::{Changes, Splices};
use crate::document::Document;
use crate::edit::EditError;
use crate::view::View;

pub(crate) fn splice<'v, V: View<'v>>(
    document: &Document,
    _changes: &Changes<'v, V>,
    _splices: &mut Splices,
) -> Result<(), EditError> {
    Err(EditError::Unsafe(document.format))
}
