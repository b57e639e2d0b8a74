//! Edits of a manifest's tables that touch nothing else.

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_text::{Document, Edit, EditError, Format, Pointer, Value, parse_alone};

/// An edited manifest.
#[derive(Clone, Debug)]
pub struct EditedManifest {
    /// The text of the edited manifest.
    pub text: String,
    /// A summary of the edit, as in `add agents/reviewer`.
    pub done: String,
}

/// The text with an entry in one of its tables; a table that is missing gets its own header, under which entries are
/// one a line.
pub fn set_entry(text: &str, section: &str, name: &str, value: Value) -> Result<String, Failure> {
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

/// The document of a manifest's text.
pub(crate) fn parsed(text: String) -> Document {
    parse_alone(text, Format::Toml).document
}

/// The text after one edit.
pub fn edit(document: &Document, edit: &Edit) -> Result<String, Failure> {
    document.edit(edit).map_err(|error| uneditable(&error))
}

/// The failure of an edit that the form of the manifest does not allow.
pub fn uneditable(error: &EditError) -> Failure {
    let message = format!("the manifest cannot be edited: {error}");
    Diagnostic::new(&codes::MANIFEST_VALUE, message)
        .help("make this change by hand")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_joins_its_table_and_a_new_table_gets_a_header() {
        let text = "# mine\n[agents]\na = \"a.md\"\n";
        let with = |section, name| {
            let value = Value::from("b.md");
            set_entry(text, section, name, value).expect("it can be edited")
        };
        assert_eq!(
            with("agents", "b"),
            "# mine\n[agents]\na = \"a.md\"\nb = \"b.md\"\n"
        );
        assert_eq!(
            with("skills", "b"),
            "# mine\n[agents]\na = \"a.md\"\n\n[skills]\nb = \"b.md\"\n"
        );
    }
}
