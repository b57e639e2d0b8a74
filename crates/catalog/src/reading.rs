//! Manifests out of bytes: what can be read of them, and why the others cannot.

use agpm_diag::{Diagnostic, Notes, SourceId, Text, codes};
use agpm_model::{FileProblem, ProblemKind};
use agpm_text::{Format, Limits, decode, parse};

use crate::layer::{CatalogLayer, ManifestFile};
use crate::manifest::{CatalogManifest, left_out, read_manifest};

/// A manifest whose text is known and whose rows are not yet.
pub struct UnparsedManifest {
    file: ManifestFile,
    source: SourceId,
    text: Text,
}

/// A manifest with its rows; without any if it is malformed.
pub struct ParsedManifest {
    file: ManifestFile,
    manifest: Option<CatalogManifest>,
    found: Vec<Diagnostic>,
}

/// Manifests that were read, each with its file, and the files of those that could not be.
#[derive(Default)]
pub struct ReadManifests {
    pub(crate) files: Vec<ManifestFile>,
    pub(crate) manifests: Vec<CatalogManifest>,
    pub(crate) left_out: Vec<ManifestFile>,
}

impl ReadManifests {
    /// Takes in the bytes of a manifest, or why there are none.
    pub fn add_manifest_bytes(
        &mut self,
        file: ManifestFile,
        bytes: Result<Vec<u8>, FileProblem>,
        layers: &[CatalogLayer],
        notes: &mut Notes,
    ) -> Option<UnparsedManifest> {
        let layer = &layers[file.layer];
        let (cause, why) = match bytes {
            Err(problem) => (unreadable(&file, &problem), format!("it {problem}")),
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => {
                    let text = Text::from(text);
                    let source = notes.sources.add(file.shown.clone(), text.clone());
                    return Some(UnparsedManifest { file, source, text });
                }
                Err(error) => (
                    not_text(&file, error.into_bytes(), notes)?,
                    "it is not UTF-8".to_owned(),
                ),
            },
        };
        let finding = left_out(cause).in_layer(layer.label());
        notes.diagnostics.push(finding);
        notes.log.push(format!("skipped {}: {why}", file.shown));
        self.left_out.push(file);
        None
    }

    /// Adds a manifest, or leaves it out.
    pub fn add(&mut self, parsed: ParsedManifest, layers: &[CatalogLayer], notes: &mut Notes) {
        let ParsedManifest {
            file,
            manifest,
            found,
        } = parsed;
        let layer = layers[file.layer].label();
        let found = found.into_iter().map(|one| one.in_layer(layer.as_str()));
        notes.diagnostics.extend(found);
        match manifest {
            Some(manifest) => {
                self.files.push(file);
                self.manifests.push(manifest);
            }
            None => {
                let line = format!("skipped {}: it is malformed", file.shown);
                notes.log.push(line);
                self.left_out.push(file);
            }
        }
    }
}

impl UnparsedManifest {
    /// Reads its rows.
    pub fn parse(self) -> ParsedManifest {
        let UnparsedManifest { file, source, text } = self;
        let parsed = parse(source, text, Format::Csv, Limits::default());
        let module = file.standing.module.clone().unwrap_or_default();
        let (manifest, found) = read_manifest(parsed, file.kind, &module);
        ParsedManifest {
            file,
            manifest,
            found,
        }
    }
}

fn not_text(file: &ManifestFile, bytes: Vec<u8>, notes: &mut Notes) -> Option<Diagnostic> {
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let source = notes.sources.add(file.shown.clone(), text);
    decode(source, bytes).err()
}

fn unreadable(file: &ManifestFile, problem: &FileProblem) -> Diagnostic {
    let cause = Diagnostic::new(&codes::IO_UNREADABLE, format!("it {problem}"));
    let help = match problem.kind {
        ProblemKind::Escapes => "agpm does not follow symlinks out of their directory",
        ProblemKind::NotFound => "it is a broken symlink; fix or remove it",
        ProblemKind::Other => "check its type and permissions",
    };
    cause.in_file(file.shown.as_str()).help(help)
}
