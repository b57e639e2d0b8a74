//! Lossless edits. The tree decides the changes and the format the bytes; here the new text is checked to parse to
//! exactly the intended value.

use agpm_diag::has_errors;

use crate::formats::representable::{check_holds, holds, holds_at_top};
use crate::formats::{json, markdown, toml, yaml};
use crate::limits::{LARGEST_CHECKED, Limits};
use crate::parse::parse;
use crate::tree::{
    Document, DocumentChanges, Edit, EditError, Format, NodeShape, RewrittenText, Splices,
    TreeView, equal, to_value,
};

impl Document {
    /// Applies one edit to the text.
    pub fn edit(&self, edit: &Edit) -> Result<String, EditError> {
        let mut expected = self.root().map(to_value);
        edit.apply(&mut expected)?;
        let changes = edit.changes(self, expected.as_ref());
        self.write(&changes, expected.as_ref())
            .map(|text| text.to_string())
    }

    /// Rewrites the text to hold `target`, and preserves as much as possible: comments, order, spelling.
    pub fn rewrite<'v>(&self, target: impl TreeView<'v>) -> Result<RewrittenText, EditError> {
        let changes = match self.root() {
            Some(root) => DocumentChanges::between(root, target),
            None => DocumentChanges {
                root: Some(target),
                ..DocumentChanges::none()
            },
        };
        self.write(&changes, Some(target))
    }

    fn write<'v, 'e, V: TreeView<'v>>(
        &self,
        changes: &DocumentChanges<'v, V>,
        expected: Option<impl TreeView<'e>>,
    ) -> Result<RewrittenText, EditError> {
        if changes.is_empty() {
            return Ok(RewrittenText::unchanged(self.text.clone()));
        }
        // The remaining text is already in the document's format.
        if let Some(expected) = expected
            && !(holds_at_top(expected, self.format)
                && changes.new_values().all(|new| holds(new, self.format)))
        {
            check_holds(expected, self.format)?;
        }
        let mut splices = Splices::default();
        match self.format {
            Format::Json | Format::Jsonc => json::splice(self, changes, &mut splices),
            Format::Yaml => yaml::splice(self, changes, &mut splices)?,
            Format::Toml => toml::splice(self, changes, &mut splices)?,
            Format::Markdown => markdown::splice(self, changes, &mut splices)?,
            Format::Csv => return Err(EditError::Unsafe(self.format)),
        }
        let text = splices
            .apply(self.text.clone())
            .ok_or(EditError::Unsafe(self.format))?;
        // A wrong splice would damage a user's file, so the result must parse to the intended value. Larger strings come
        // only from merges, where parsing again would cost more than the merge.
        if self.text.len() <= LARGEST_CHECKED && !self.reads_as(&text, expected) {
            return Err(EditError::Unsafe(self.format));
        }
        Ok(text)
    }

    /// Whether a new text is valid and holds exactly the intended value.
    fn reads_as<'e>(&self, text: &RewrittenText, expected: Option<impl TreeView<'e>>) -> bool {
        let again = parse(
            self.source,
            text.to_string(),
            self.format,
            Limits::default(),
        );
        let is_as_intended = match (again.document.root(), expected) {
            (Some(root), Some(expected)) => equal(root, expected),
            (None, None) => true,
            // In TOML, a file without keys is an empty map.
            (None, Some(expected)) => {
                self.format == Format::Toml && expected.shape() == NodeShape::Map(0)
            }
            _ => false,
        };
        is_as_intended && !has_errors(&again.diagnostics)
    }
}

/// Prints a value in a format.
pub fn print<'v>(view: impl TreeView<'v>, format: Format) -> Result<String, EditError> {
    check_holds(view, format)?;
    Ok(match format {
        Format::Yaml => yaml::print(view),
        Format::Toml => toml::print(view),
        _ => {
            let mut out = json::print(view);
            out.push('\n');
            out
        }
    })
}
