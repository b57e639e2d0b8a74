//! The file of an entry, inside the layer that its row is from.

use std::path::PathBuf;

use agpm_diag::{Diagnostic, Failure, FailureKind, Severity, codes, did_you_mean};

use crate::catalog::Catalog;
use crate::content::CatalogContent;
use crate::find::{EntryReference, ReferenceMatch};
use crate::kind::EntryKind;
use crate::lookup::NoFile;
use crate::row::RowRef;
use crate::select::CatalogEntry;

/// The form in which users name a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KindMention {
    /// By a separate option.
    Apart,
    /// Before module and name.
    Before,
}

/// The location of an entry's file.
#[derive(Clone, Debug)]
pub struct EntryFile<'c> {
    /// The row that names it.
    pub row: RowRef<'c>,
    /// From the layer's directory.
    pub path: String,
}

impl CatalogContent<'_> {
    /// The file of the entry with a name.
    pub fn entry_file(&self, reference: EntryReference<'_>) -> Result<EntryFile<'_>, Failure> {
        let entry = self.entry(reference, KindMention::Apart)?;
        let row = self.catalog.winner(entry);
        let path = self.path_in_layer(row);
        let path = path.map_err(|fault| self.no_file(row, fault))?;
        Ok(EntryFile { row, path })
    }

    /// The entry that a name means, or what it could have meant.
    pub fn entry(
        &self,
        reference: EntryReference<'_>,
        kind_mention: KindMention,
    ) -> Result<&CatalogEntry, Failure> {
        match self.catalog.find(reference) {
            ReferenceMatch::One(entry) => Ok(entry),
            ReferenceMatch::Several(entries) => {
                Err(ambiguous(&self.catalog, reference, &entries, kind_mention))
            }
            ReferenceMatch::Nothing => Err(unknown(&self.catalog, reference)),
        }
    }

    /// The path of the file of a row.
    pub(crate) fn path_of(&self, row: RowRef<'_>) -> Result<PathBuf, NoFile> {
        self.path_in_layer(row)
            .map(|path| self.layer(row).directory.join(path))
    }

    /// The refusal of a row that has no file.
    pub(crate) fn no_file(&self, row: RowRef<'_>, fault: NoFile) -> Failure {
        let subject = format!("the {} `{}`", row.kind(), row.label());
        let written = row.path().unwrap_or_default();
        let layer = self.layer(row).label();
        let (kind, code, message, help) = match fault {
            NoFile::Unnamed => (
                FailureKind::Errors,
                &codes::CATALOG_MISSING_FILE,
                format!("{subject} has no file"),
                "add its `path` to the catalog file",
            ),
            NoFile::Missing => (
                FailureKind::Errors,
                &codes::CATALOG_MISSING_FILE,
                format!("`{written}` of {subject} does not exist"),
                "fix the `path` in the catalog file, or create the file",
            ),
            NoFile::Escapes => (
                FailureKind::Refused,
                &codes::CATALOG_ESCAPE,
                format!("`{written}` of {subject} is outside its layer"),
                "agpm reads only files inside the layer that lists them",
            ),
        };
        let mut diagnostic = Diagnostic::new(code, message).help(help).in_layer(layer);
        diagnostic.severity = Severity::Error;
        let file = &self.manifest_file(row).shown;
        Failure::new(kind, diagnostic.in_file(file.as_str()))
    }
}

fn ambiguous(
    catalog: &Catalog,
    reference: EntryReference<'_>,
    entries: &[&CatalogEntry],
    kind_mention: KindMention,
) -> Failure {
    let rows: Vec<RowRef<'_>> = entries.iter().map(|entry| catalog.winner(entry)).collect();
    let one_kind = rows.iter().all(|row| row.kind() == rows[0].kind());
    let name = |row: &RowRef<'_>| match kind_mention {
        _ if one_kind => format!("`{}`", row.label()),
        KindMention::Apart => format!("`{}` ({})", row.label(), row.kind()),
        KindMention::Before => format!("`{}/{}`", row.kind(), row.label()),
    };
    let mut help = format!(
        "name one of {}",
        rows.iter().map(name).collect::<Vec<_>>().join(", ")
    );
    if !one_kind && kind_mention == KindMention::Apart {
        help.push_str(", with `--kind` where the names are the same");
    }
    let message = format!(
        "`{}` is ambiguous: it matches {} catalog entries",
        reference.text,
        rows.len()
    );
    Failure::new(
        FailureKind::NotFound,
        Diagnostic::new(&codes::NAME_UNKNOWN, message).help(help),
    )
}

fn unknown(catalog: &Catalog, reference: EntryReference<'_>) -> Failure {
    let subject = reference.kind.map_or("catalog entry", EntryKind::singular);
    let message = format!("unknown {subject} `{}`", reference.text);
    let is_candidate = |row: &RowRef<'_>| reference.kind.is_none_or(|kind| kind == row.kind());
    let rows: Vec<RowRef<'_>> = catalog
        .entries()
        .iter()
        .map(|entry| catalog.winner(entry))
        .filter(is_candidate)
        .collect();
    let labels: Vec<String> = rows.iter().map(|row| row.label()).collect();
    let names = rows.iter().map(|row| row.name());
    // The right name in another module is nearer than any other.
    let bare = reference.text.rsplit('/').next().unwrap_or_default();
    let elsewhere: Vec<String> = rows
        .iter()
        .filter(|row| row.name() == bare)
        .map(|row| format!("`{}`", row.label()))
        .collect();
    let near = if elsewhere.is_empty() {
        let labels = labels.iter().map(String::as_str);
        did_you_mean(reference.text, "", labels.chain(names))
    } else {
        Some(format!("did you mean {}?", elsewhere.join(" or ")))
    };
    let near = near.filter(|help| help.starts_with("did you mean"));
    let help = near.unwrap_or_else(|| {
        if rows.is_empty() {
            let things = reference.kind.map_or("anything", EntryKind::plural);
            format!("no catalog lists {things}; run `agpm catalog -v` to see the searched paths")
        } else {
            "run `agpm catalog` to list all entries".to_owned()
        }
    });
    Failure::new(
        FailureKind::NotFound,
        Diagnostic::new(&codes::NAME_UNKNOWN, message).help(help),
    )
}
