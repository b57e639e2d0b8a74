//! Edits of a manifest's tables that touch nothing else.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_text::{Document, Edit, EditError, Format, Pointer, Value, parse_alone};

/// An edited manifest.
#[derive(Clone, Debug)]
pub struct EditedManifest {
    /// The text of the edited manifest.
    pub text: String,
    /// The text of the edited private manifest, if the edit changes it.
    pub private: Option<String>,
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

/// The text with several entries in one of its tables, as if they were set one after the other.
///
/// Each edit parses the whole text, so a thousand entries would cost a million. New entries are therefore written after
/// the first one, as lines of their form; where the table has another form, they are set one by one.
pub(crate) fn set_entries(
    text: String,
    section: &str,
    entries: &[(&str, Value)],
) -> Result<String, Failure> {
    let [(name, value), rest @ ..] = entries else {
        return Ok(text);
    };
    let text = set_entry(&text, section, name, value.clone())?;
    if let Some(together) = with_lines_after(&text, section, name, entries)? {
        return Ok(together);
    }
    rest.iter().try_fold(text, |text, (name, value)| {
        set_entry(&text, section, name, value.clone())
    })
}

/// The text with all entries after the first one as the lines after it; `None` where that is not their form.
fn with_lines_after(
    text: &str,
    section: &str,
    first: &str,
    entries: &[(&str, Value)],
) -> Result<Option<String>, Failure> {
    let table = Pointer::root().child(section);
    let document = parsed(text.to_owned());
    let known: BTreeSet<&str> = document
        .at(&table)
        .into_iter()
        .flat_map(|table| table.entries())
        .map(|(key, _)| key.content())
        .collect();
    let header = format!("[{section}]\n");
    let mut lines = Vec::new();
    for (name, value) in entries {
        let alone = set_entry("", section, name, value.clone())?;
        match alone.strip_prefix(&header) {
            Some(line) if *name == first || !known.contains(name) => lines.push(line.to_owned()),
            _ => return Ok(None),
        }
    }
    let line = lines.remove(0);
    let start = text.find(&format!("\n{line}")).map(|start| start + 1);
    let Some(end) = start.map(|start| start + line.len()) else {
        return Ok(None);
    };
    let together = format!("{}{}{}", &text[..end], lines.concat(), &text[end..]);
    let document = parsed(together.clone());
    let is_set = |(name, _): &(&str, Value)| document.at(&table.child(*name)).is_some();
    Ok(entries.iter().all(is_set).then_some(together))
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
    fn entries_together_are_as_one_after_the_other() {
        let entries: Vec<(String, Value)> = (0..5)
            .map(|number| (format!("n{number}"), Value::from(format!("./{number}.md"))))
            .collect();
        let entries: Vec<(&str, Value)> = entries
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()))
            .collect();
        for text in [
            "",
            "# mine\n",
            "[agents]\n",
            "[agents]\na = \"./a.md\" # last\n\n[skills]\ns = \"./s\"\n",
            "[agents]\r\na = \"./a.md\"\r\n",
            "agents = { a = \"./a.md\" }\n",
            "[agents]\nn3 = \"./old.md\"\nz = 1\n",
            "agents.a = \"./a.md\"\n",
            "[agents]\na = \"./a.md\"",
        ] {
            let together = set_entries(text.to_owned(), "agents", &entries).unwrap();
            let mut one_by_one = text.to_owned();
            for (name, value) in &entries {
                one_by_one = set_entry(&one_by_one, "agents", name, value.clone()).unwrap();
            }
            assert_eq!(together, one_by_one, "{text}");
        }
    }

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
