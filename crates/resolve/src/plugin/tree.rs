//! The files of a plugin.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Notes, codes, has_errors};
use agpm_text::{Document, Format, Limits, decode, parse};

use crate::plugin::limits::MOST_MANIFEST_BYTES;
use crate::plugin::manifest::{MANIFESTS, ManifestFile};

/// The files of a plugin, by their paths in it.
#[derive(Clone, Debug, Default)]
pub struct PluginTree<'a> {
    files: BTreeMap<&'a str, &'a [u8]>,
}

/// The name of a plugin in messages.
#[derive(Clone, Copy, Debug)]
pub struct PluginContext<'a> {
    /// The name under which it is installed.
    pub name: &'a str,
    /// The origin, as `SOURCE:PATH@VERSION`.
    pub label: &'a str,
}

impl PluginContext<'_> {
    /// A file of the plugin, as messages call it.
    pub(crate) fn file(&self, path: &str) -> String {
        format!("{} of plugin `{}`", path, self.name)
    }
}

impl<'a> PluginTree<'a> {
    /// The tree of these files.
    pub fn new(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        PluginTree {
            files: files.into_iter().collect(),
        }
    }

    /// Whether a file exists.
    pub fn has_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Whether a file or a directory exists; the top is empty.
    pub fn has(&self, path: &str) -> bool {
        self.has_file(path) || self.under(path).next().is_some()
    }

    /// The files in a directory and in those below, with their paths in it.
    pub fn under<'t>(
        &'t self,
        directory: &'t str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> + 't {
        let inside = move |path: &'a str| match directory {
            "" => Some(path),
            directory => path.strip_prefix(directory)?.strip_prefix('/'),
        };
        self.files
            .keys()
            .filter_map(move |path| Some((*path, inside(path)?)))
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &str) -> Option<&'a [u8]> {
        self.files.get(path).copied()
    }

    /// A JSON file as a document; what is wrong with it is reported, and nothing is given back.
    pub(crate) fn json(
        &self,
        path: &str,
        context: PluginContext<'_>,
        notes: &mut Notes,
    ) -> Option<Document> {
        self.document(path, Format::Jsonc, context, notes)
    }

    /// The same for a file whose format has neither comments nor trailing commas.
    pub(crate) fn strict_json(
        &self,
        path: &str,
        context: PluginContext<'_>,
        notes: &mut Notes,
    ) -> Option<Document> {
        self.document(path, Format::Json, context, notes)
    }

    fn document(
        &self,
        path: &str,
        format: Format,
        context: PluginContext<'_>,
        notes: &mut Notes,
    ) -> Option<Document> {
        let bytes = self.bytes(path)?;
        let name = format!("{}/{path}", context.label);
        if bytes.len() > MOST_MANIFEST_BYTES {
            let message = format!(
                "{} has more than {} MiB",
                context.file(path),
                MOST_MANIFEST_BYTES >> 20
            );
            notes.diagnostics.push(
                Diagnostic::new(&codes::PLUGIN_MANIFEST, message).help("choose another plugin"),
            );
            return None;
        }
        let source = notes
            .sources
            .add(name, String::from_utf8_lossy(bytes).into_owned());
        let text = match decode(source, bytes.to_vec()) {
            Ok(text) => text,
            Err(found) => {
                notes.diagnostics.push(found);
                return None;
            }
        };
        let parsed = parse(source, text, format, Limits::default());
        if has_errors(&parsed.diagnostics) {
            notes.diagnostics.extend(parsed.diagnostics);
            return None;
        }
        Some(parsed.document)
    }
}

/// The manifest that a directory has, if it is a plugin by its manifest.
pub fn manifest_of(has_file: impl Fn(&str) -> bool) -> Option<ManifestFile> {
    MANIFESTS.into_iter().find(|file| has_file(file.path))
}

/// The manifest that a client reads: its own at a path that only it has, or else the first that exists.
pub fn manifest_for(own: Option<&str>, has_file: impl Fn(&str) -> bool) -> Option<ManifestFile> {
    let mut files = MANIFESTS.into_iter();
    files
        .find(|file| Some(file.path) == own && has_file(file.path))
        .or_else(|| manifest_of(has_file))
}
