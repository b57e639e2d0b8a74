//! Writes a patch into the manifest.

use agpm_diag::Failure;
use agpm_model::{FieldPath, PATCH_FILE, ResourceType};
use agpm_text::{Edit, NodeKind, Pointer, Value};

use crate::manifest::{edit, parsed};

/// A patch to write into the manifest.
pub(super) struct ManifestPatch<'a> {
    pub(super) kind: ResourceType,
    pub(super) name: &'a str,
    pub(super) fields: &'a Value,
    /// The diff; an existing one is removed from the patch if there is none.
    pub(super) text_file: Option<&'a str>,
}

impl ManifestPatch<'_> {
    /// The manifest with the patch. Fields that it does not set stay.
    pub(super) fn applied_to(&self, manifest: &str) -> Result<String, Failure> {
        let table = Pointer::root()
            .child("patch")
            .child(self.kind.plural())
            .child(self.name);
        let mut text = manifest.to_owned();
        if parsed(text.clone()).at(&table).is_none() {
            let value = Value::Map(Vec::new());
            let at = table.clone();
            text = edit(&parsed(text), &Edit::Set { at, value })?;
        }
        for field in FieldPath::all(self.fields) {
            let steps = field.pointer().steps();
            let Some(value) = steps
                .iter()
                .try_fold(self.fields, |value, key| value.get(key))
            else {
                continue;
            };
            let at = steps
                .iter()
                .fold(table.clone(), |at, key| at.child(key.as_str()));
            let value = value.clone();
            text = edit(&parsed(text), &Edit::Set { at, value })?;
        }
        let at = table.child(PATCH_FILE);
        match self.text_file {
            Some(path) => {
                let value = Value::from(path);
                text = edit(&parsed(text), &Edit::Set { at, value })?;
            }
            None if parsed(text.clone()).at(&at).is_some() => {
                text = edit(&parsed(text), &Edit::Remove { at })?;
            }
            None => {}
        }
        // A patch without fields leaves none of the tables that only it needed.
        let of_type = Pointer::root().child("patch").child(self.kind.plural());
        for at in [table, of_type, Pointer::root().child("patch")] {
            let document = parsed(text.clone());
            let is_empty = document
                .at(&at)
                .is_some_and(|node| node.kind() == NodeKind::Map && node.len() == 0);
            if is_empty {
                text = edit(&document, &Edit::Remove { at })?;
            }
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn applied(manifest: &str, fields: &Value, text_file: Option<&str>) -> String {
        let patch = ManifestPatch {
            kind: ResourceType::Agents,
            name: "a",
            fields,
            text_file,
        };
        patch.applied_to(manifest).unwrap()
    }

    #[test]
    fn a_patch_gets_its_own_table_or_joins_it() {
        let fields = Value::map([
            ("model", Value::from("opus")),
            ("tools", Value::map([("bash", Value::from(false))])),
        ]);
        let nothing = Value::Map(Vec::new());
        let with_table = applied(
            "[agents]\na = \"a.md\"\n",
            &fields,
            Some("patches/agents/a.diff"),
        );
        assert_eq!(
            with_table,
            "[agents]\na = \"a.md\"\n\n[patch.agents.a]\nmodel = \"opus\"\npatch-file = \"patches/agents/a.diff\"\n\n[patch.agents.a.tools]\nbash = false\n"
        );
        assert_eq!(
            applied(
                "[patch.agents.a] # mine\ncolor = \"red\"\nmodel = \"x\"\n",
                &fields,
                None
            ),
            "[patch.agents.a] # mine\ncolor = \"red\"\nmodel = \"opus\"\n\n[patch.agents.a.tools]\nbash = false\n"
        );
        assert_eq!(
            applied(
                "[agents]\n\n[patch.agents.a]\npatch-file = \"x.diff\"\n",
                &nothing,
                None
            ),
            "[agents]\n"
        );
    }
}
