//! Rows as items of a JSON list, as text: a catalog may be large, and a tree of its values would be much larger.

use agpm_text::append_json_string;

use crate::columns::COLUMNS;
use crate::content::CatalogContent;
use crate::csv::other_name;
use crate::listing::{CatalogRow, OWN_KEYS, RowStatus};
use crate::lookup::{FileFinder, FolderListings};
use crate::manifest::CatalogManifest;
use crate::row::RowRef;

/// Writes rows with the keys of `CatalogRow`. The parts that all rows of a manifest share are written once.
pub struct RowWriter<'c> {
    content: &'c CatalogContent<'c>,
    listings: FolderListings<'c>,
    /// The beginning of the line that a row starts on, and of those of its keys.
    indent: String,
    key_indent: String,
    /// The parts of every manifest.
    parts: Vec<ManifestParts>,
}

/// The parts that all rows of a manifest share.
struct ManifestParts {
    /// The brace and the kind.
    start: String,
    columns: Vec<ColumnPart>,
    /// The layer and the manifest.
    origin: String,
}

/// A column with its key as it is written, comma and line break included.
struct ColumnPart {
    key: String,
    position: usize,
    is_module: bool,
}

impl<'c> RowWriter<'c> {
    /// A writer whose rows begin with `indent`.
    pub fn new(content: &'c CatalogContent<'c>, indent: &str) -> Self {
        let mut writer = RowWriter {
            content,
            listings: FolderListings::new(content.machine),
            indent: indent.to_owned(),
            key_indent: format!("{indent}  "),
            parts: Vec::new(),
        };
        let manifests = content.catalog.manifests().iter().enumerate();
        writer.parts = manifests
            .map(|(at, manifest)| writer.parts_of(at, manifest))
            .collect();
        writer
    }

    fn parts_of(&self, at: usize, manifest: &CatalogManifest) -> ManifestParts {
        let (file, mut origin) = (&self.content.files[at], String::new());
        let layer = &self.content.layers[file.layer];
        self.field("layer", layer.kind.word(), &mut origin);
        if let Some(remote) = &layer.remote {
            self.field("remote", remote, &mut origin);
        }
        self.field(
            "manifest",
            &layer.directory.join(&file.path).display().to_string(),
            &mut origin,
        );
        let mut start = format!("{}{{\n{}\"kind\": ", self.indent, self.key_indent);
        append_json_string(&mut start, manifest.kind().singular());
        let standard = COLUMNS
            .into_iter()
            .filter(|column| manifest.position(column).is_some());
        let further = manifest
            .columns()
            .filter(|column| !COLUMNS.contains(column));
        let columns = standard
            .chain(further)
            .filter_map(|column| self.column_part(manifest, column))
            .collect();
        ManifestParts {
            start,
            columns,
            origin,
        }
    }

    fn column_part(&self, manifest: &CatalogManifest, column: &str) -> Option<ColumnPart> {
        let mut key = String::new();
        if OWN_KEYS.contains(&column) {
            self.key(&other_name(column), &mut key);
        } else {
            self.key(column, &mut key);
        }
        Some(ColumnPart {
            key,
            position: manifest.position(column)?,
            is_module: column == "module",
        })
    }

    fn key(&self, key: &str, out: &mut String) {
        out.push_str(",\n");
        out.push_str(&self.key_indent);
        append_json_string(out, key);
        out.push_str(": ");
    }

    fn field(&self, key: &str, value: &str, out: &mut String) {
        self.key(key, out);
        append_json_string(out, value);
    }

    /// The text of some rows, with a comma between them.
    pub fn piece(&self, rows: &mut dyn Iterator<Item = CatalogRow<'c>>) -> String {
        let (mut out, mut finder) = (String::new(), self.listings.finder());
        for row in rows {
            if !out.is_empty() {
                out.push_str(",\n");
            }
            self.row(row, &mut finder, &mut out);
        }
        out
    }

    fn row(&self, row: CatalogRow<'c>, finder: &mut FileFinder<'_>, out: &mut String) {
        let entry = row.row();
        let parts = &self.parts[entry.manifest_index()];
        out.push_str(&parts.start);
        self.columns(parts, entry, out);
        out.push_str(&parts.origin);
        self.key("file", out);
        match self.content.listed_path_of(entry, finder) {
            Ok(inner) => {
                let path = self.content.layer(entry).directory.join(inner);
                append_json_string(out, &path.to_string_lossy());
            }
            Err(_) => out.push_str("null"),
        }
        if let RowStatus::Counts | RowStatus::Shadowed(_) = row.standing {
            let by = row.shadowed_by();
            self.key("shadowed", out);
            out.push_str(if by.is_some() { "true" } else { "false" });
            if let Some(by) = by {
                self.field("shadowedBy", &by, out);
            }
        }
        out.push('\n');
        out.push_str(&self.indent);
        out.push('}');
    }

    fn columns(&self, parts: &ManifestParts, entry: RowRef<'c>, out: &mut String) {
        let node = entry.node();
        let fields = node.entries();
        let value = |part: &ColumnPart| {
            fields
                .clone()
                .nth(part.position)
                .map(|(_, field)| field.content())
        };
        let is_said = |value: &str| !value.trim().is_empty();
        let own_module = parts
            .columns
            .iter()
            .find(|part| part.is_module)
            .and_then(value);
        // A module that only the directory of the manifest states comes first, as it is not one of the columns.
        if !own_module.is_some_and(is_said) {
            self.field("module", entry.module(), out);
        }
        for part in &parts.columns {
            if let Some(value) = value(part).filter(|value| !part.is_module || is_said(value)) {
                out.push_str(&part.key);
                append_json_string(out, value);
            }
        }
    }
}
