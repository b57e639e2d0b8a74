//! Reads the diffs that patches of the manifest name.

use std::path::Path;

use agpm_compose::line_span;
use agpm_diag::{Diagnostic, Notes, codes};
use agpm_model::{Manifest, PATCH_FILE, RelativePath, TextPatch};
use agpm_store::StoreProblem;
use agpm_text::UnifiedDiff;

use crate::project::reading::limit;

/// A diff that a command is about to write.
#[derive(Clone, Debug)]
pub(crate) struct EditedTextPatch {
    /// Its path, from the manifest's directory.
    pub(crate) path: RelativePath,
    /// Its new text; `None` if it is removed.
    pub(crate) text: Option<String>,
}

/// Reads every diff that a patch names, and reports those that cannot be read.
pub(crate) fn read_text_patches(
    manifest: &mut Manifest,
    directory: &Path,
    edited: &[EditedTextPatch],
    notes: &mut Notes,
) {
    for patch in &manifest.patches {
        let Some(path) = &patch.text_file else {
            continue;
        };
        if manifest.text_patches.contains_key(path) {
            continue;
        }
        let edited = edited.iter().find(|edited| edited.path == *path);
        let text = match edited.and_then(|edited| edited.text.clone()) {
            Some(text) => Ok(text),
            None => read_text(directory, path),
        };
        let text = match text {
            Ok(text) => text,
            Err(problem) => {
                let message = format!("`{PATCH_FILE}` cannot be read: `{path}` {problem}");
                let id = format!("{}/{}", patch.kind, patch.name);
                let help =
                    format!("restore the file, or remove `{PATCH_FILE}` from the patch of {id}");
                let found = Diagnostic::new(&codes::PATCH_FAILED, message);
                notes.diagnostics.push(found.at_spot(patch.spot).help(help));
                continue;
            }
        };
        match UnifiedDiff::read(&text) {
            Ok(diff) => {
                let patch = TextPatch { text, diff };
                manifest.text_patches.insert(path.clone(), patch);
            }
            Err(error) => {
                let span = line_span(&text, error.line);
                let source = notes.sources.add(path.to_string(), text);
                let found = Diagnostic::new(
                    &codes::PATCH_FAILED,
                    format!("`{path}` is not a unified diff"),
                )
                .at(source, span, error.problem)
                .help("correct it, or write it again with `agpm patch save`");
                notes.diagnostics.push(found);
            }
        }
    }
}

fn read_text(directory: &Path, path: &RelativePath) -> Result<String, &'static str> {
    // A clone can make symlinks of such files.
    let read = agpm_store::read_below(directory, path.as_str(), limit());
    let (bytes, _) = read.map_err(|error| match error.problem {
        StoreProblem::NotFound => "does not exist",
        StoreProblem::TooLarge(_) => "is too large",
        _ => "is not a regular file in the directory of the manifest",
    })?;
    String::from_utf8(bytes).map_err(|_| "is not UTF-8")
}
