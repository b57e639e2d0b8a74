use crate::formats::flow::newline_of;
use crate::formats::toml::edit::{EditedNodes, TomlEditor};
use crate::formats::toml::outline::Outline;
use crate::formats::toml::print::print_document;
use crate::tree::{Document, DocumentChanges, EditError, Splices, TreeView};

pub(crate) fn splice<'v, V: TreeView<'v>>(
    document: &Document,
    changes: &DocumentChanges<'v, V>,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let text = &*document.text;
    let newline = newline_of(text);
    if let Some(root) = changes.root {
        splices.put_with(text.len()..text.len(), |out| {
            if !text.is_empty() && !text.ends_with(['\n', '\u{feff}']) {
                out.push_str(newline);
            }
            out.push_str(&print_document(root, newline));
        });
        return Ok(());
    }
    let outline = Outline::of(document).ok_or(EditError::Unsafe(document.format))?;
    let mut editor = TomlEditor::new(outline, newline);
    let converted = editor.lists_to_convert(changes);
    if !converted.is_empty() {
        let outcome = EditedNodes::new(document, changes);
        converted
            .iter()
            .for_each(|list| editor.convert(*list, &outcome));
    }
    for (node, value) in &changes.replaced {
        if !editor.is_within(*node, &converted) {
            editor.replace(*node, *value, splices);
        }
    }
    for change in &changes.containers {
        if !editor.is_within(change.container, &converted) {
            editor.change(change);
        }
    }
    editor.restate();
    editor.emit(splices);
    Ok(())
}
