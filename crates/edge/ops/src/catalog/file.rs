//! The file behind a row, inside the layer that the row is from.

use std::path::PathBuf;

use agpm_catalog::{Catalog, Entry, EntryKind, Found, Reference, RowRef};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes, did_you_mean};
use serde::{Serialize, Serializer};

use crate::catalog::ground::{CatalogPlaces, LayerKind};
use crate::catalog::lookup::NoFile;
use crate::catalog::open::{OpenCatalog, open};
use crate::catalog::reading::read_inside;
use crate::reading::limit;
use crate::serialize;
use crate::world::World;

/// What to show.
#[derive(Clone, Debug)]
pub struct CatalogRead {
    /// Where to look.
    pub places: CatalogPlaces,
    /// `[MODULE/]NAME`.
    pub name: String,
    /// The kind, if the name alone could mean several things.
    pub kind: Option<EntryKind>,
}

/// An entry's file.
#[derive(Clone, Debug, Serialize)]
pub struct CatalogFile {
    /// What it is.
    #[serde(serialize_with = "singular")]
    pub kind: EntryKind,
    /// Its module; empty if it has none.
    pub module: String,
    /// Its name.
    pub name: String,
    /// The layer that won.
    pub layer: LayerKind,
    /// The remote that it is, as users know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Where the file is.
    #[serde(rename = "file", serialize_with = "serialize::path")]
    pub path: PathBuf,
    /// Its bytes, unchanged.
    #[serde(rename = "content", serialize_with = "text")]
    pub bytes: Vec<u8>,
}

fn singular<S: Serializer>(kind: &EntryKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.singular())
}

/// What is not text is read from the file.
fn text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    str::from_utf8(bytes).ok().serialize(serializer)
}

/// How users say a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindSaid {
    /// With an option of its own.
    Apart,
    /// Before module and name.
    Before,
}

/// Shows the file of the entry that counts.
pub fn catalog_show(world: &World, request: &CatalogRead) -> Outcome<CatalogFile> {
    let mut notes = Notes::default();
    let read = |notes: &mut Notes| {
        let open = open(world, &request.places, request.kind, notes)?;
        open.read(
            Reference {
                kind: request.kind,
                text: &request.name,
            },
            limit(),
        )
    };
    let result = read(&mut notes);
    notes.outcome(result)
}

impl OpenCatalog {
    /// The file of the entry that a name means, of at most so many bytes.
    pub fn read_file(
        &self,
        name: &str,
        kind: Option<EntryKind>,
        largest: u64,
    ) -> Outcome<CatalogFile> {
        let result = self.read(Reference { kind, text: name }, largest);
        Notes::default().outcome(result)
    }

    fn read(&self, reference: Reference<'_>, largest: u64) -> Result<CatalogFile, Failure> {
        let entry = self.entry(reference, KindSaid::Apart)?;
        let row = self.catalog.winner(entry);
        let place = self
            .place_of(row)
            .map_err(|fault| self.no_file(row, fault))?;
        let layer = self.layer(row);
        let bytes = read_inside(&layer.folder, &place, largest)?;
        Ok(CatalogFile {
            kind: row.kind(),
            module: row.module().to_owned(),
            name: row.name().to_owned(),
            layer: layer.kind,
            remote: layer.remote.clone(),
            path: layer.folder.join(place),
            bytes,
        })
    }

    /// The entry that a name means, or what it could have meant.
    pub(crate) fn entry(
        &self,
        reference: Reference<'_>,
        said: KindSaid,
    ) -> Result<&Entry, Failure> {
        match self.catalog.find(reference) {
            Found::One(entry) => Ok(entry),
            Found::Several(entries) => Err(ambiguous(&self.catalog, reference, &entries, said)),
            Found::Nothing => Err(unknown(&self.catalog, reference)),
        }
    }

    /// Where the file of a row is.
    pub(crate) fn path_of(&self, row: RowRef<'_>) -> Result<PathBuf, NoFile> {
        self.place_of(row)
            .map(|place| self.layer(row).folder.join(place))
    }

    pub(crate) fn no_file(&self, row: RowRef<'_>, fault: NoFile) -> Failure {
        let what = format!("the {} `{}`", row.kind(), row.label());
        let written = row.path().unwrap_or_default();
        let layer = self.layer(row).label();
        let (kind, code, message, help) = match fault {
            NoFile::Unnamed => (
                FailureKind::Errors,
                &codes::CATALOG_MISSING_FILE,
                format!("{what} names no file"),
                "write its `path` in the manifest",
            ),
            NoFile::Missing => (
                FailureKind::Errors,
                &codes::CATALOG_MISSING_FILE,
                format!("the file `{written}` of {what} is not there, in the layer {layer}"),
                "mend the `path` in the manifest, or put the file there",
            ),
            NoFile::Escapes => (
                FailureKind::Refused,
                &codes::CATALOG_ESCAPE,
                format!("the file `{written}` of {what} is outside of its layer {layer}"),
                "files are read only inside the layer that lists them",
            ),
        };
        let mut diagnostic = Diagnostic::new(code, message).help(help).in_layer(layer);
        diagnostic.severity = agpm_diag::Severity::Error;
        let file = &self.file(row).shown;
        Failure::new(kind, diagnostic.in_file(file.as_str()))
    }
}

fn ambiguous(
    catalog: &Catalog,
    reference: Reference<'_>,
    entries: &[&Entry],
    said: KindSaid,
) -> Failure {
    let rows: Vec<RowRef<'_>> = entries.iter().map(|entry| catalog.winner(entry)).collect();
    let one_kind = rows.iter().all(|row| row.kind() == rows[0].kind());
    let name = |row: &RowRef<'_>| match (one_kind, said) {
        (true, _) => format!("`{}`", row.label()),
        (false, KindSaid::Apart) => format!("`{}` ({})", row.label(), row.kind()),
        (false, KindSaid::Before) => format!("`{}/{}`", row.kind(), row.label()),
    };
    let mut help = format!(
        "name one of {}",
        rows.iter().map(name).collect::<Vec<_>>().join(", ")
    );
    if !one_kind && said == KindSaid::Apart {
        help.push_str(", with `--kind` where the names are the same");
    }
    let message = format!(
        "`{}` could be {} entries of the catalog",
        reference.text,
        rows.len()
    );
    Failure::new(
        FailureKind::NotFound,
        Diagnostic::new(&codes::NAME_UNKNOWN, message).help(help),
    )
}

fn unknown(catalog: &Catalog, reference: Reference<'_>) -> Failure {
    let what = reference
        .kind
        .map_or("entry of the catalog", EntryKind::singular);
    let message = format!("there is no {what} `{}`", reference.text);
    let wanted = |row: &RowRef<'_>| reference.kind.is_none_or(|kind| kind == row.kind());
    let rows: Vec<RowRef<'_>> = catalog
        .entries()
        .iter()
        .map(|entry| catalog.winner(entry))
        .filter(wanted)
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
    let near = match elsewhere.is_empty() {
        true => did_you_mean(
            reference.text,
            "",
            labels.iter().map(String::as_str).chain(names),
        ),
        false => Some(format!("did you mean {}?", elsewhere.join(" or "))),
    };
    let near = near.filter(|help| help.starts_with("did you mean"));
    let help = near.unwrap_or_else(|| match rows.is_empty() {
        true => {
            let things = reference.kind.map_or("anything", EntryKind::plural);
            format!("no catalog lists {things}; `agpm catalog -v` tells where it looked")
        }
        false => "`agpm catalog` lists what there is".to_owned(),
    });
    Failure::new(
        FailureKind::NotFound,
        Diagnostic::new(&codes::NAME_UNKNOWN, message).help(help),
    )
}
