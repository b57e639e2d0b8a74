//! Entries of the manifest's tables, set without touching anything else.

use crate::install::Executables;
use agpm_diag::{Diagnostic, Failure, codes};
use agpm_text::{Document, Edit, EditError, Format, Pointer, Value, parse_alone};

/// Whether the change is installed at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// It is; programs may come along or not.
    Install(Executables),
    /// Only the manifest changes.
    Leave,
}

/// An edited manifest.
pub(crate) struct EditedManifest {
    pub(crate) text: String,
    pub(crate) done: String,
    pub(crate) then: Then,
}

/// The text with an entry in one of its tables; a table that is missing gets a header of its own, under which entries are
/// one a line.
pub(crate) fn set_entry(
    text: &str,
    section: &str,
    name: &str,
    value: Value,
) -> Result<String, Failure> {
    let table = Pointer::root().child(section);
    let at = table.child(name);
    let document = parse_alone(text.to_owned(), Format::Toml).document;
    if document.at(&table).is_some() {
        return edit(&document, &Edit::Set { at, value });
    }
    let value_of_table = Value::Map(Vec::new());
    let with_table = edit(
        &document,
        &Edit::Set {
            at: table,
            value: value_of_table,
        },
    )?;
    let document = parse_alone(with_table, Format::Toml).document;
    edit(&document, &Edit::Set { at, value })
}

pub(crate) fn edit(document: &Document, edit: &Edit) -> Result<String, Failure> {
    document.edit(edit).map_err(|error| uneditable(&error))
}

pub(crate) fn uneditable(error: &EditError) -> Failure {
    let message = format!("the manifest cannot be edited: {error}");
    Diagnostic::new(&codes::MANIFEST_VALUE, message)
        .help("make this change by hand")
        .into()
}
