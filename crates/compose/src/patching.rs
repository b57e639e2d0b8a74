//! Applies patches of the manifest to entries.

use agpm_diag::{Diagnostic, Failure, Notes, SourceId, codes};
use agpm_model::{
    Dependency, FieldPath, Manifest, Patch, PatchScope, ResourceType, SKILL_FILE, unknown_patch,
};
use agpm_render::{FieldOutcome, PatchError, patch};
use agpm_resolve::ResolvedEntry;
use agpm_text::{Format, Value};

/// A field that a patch set.
#[derive(Clone, Debug, PartialEq)]
pub struct AppliedField {
    /// The field, as in the manifest.
    pub field: FieldPath,
    /// The author of the patch.
    pub scope: PatchScope,
    /// The value in the source.
    pub before: Option<Value>,
    /// The new value.
    pub after: Value,
}

impl AppliedField {
    /// The key of the field at the top of the file.
    pub(crate) fn key(&self) -> &str {
        let steps = self.field.pointer().steps();
        steps.first().map(String::as_str).unwrap_or_default()
    }
}

/// The patches of an entry, the project's first.
pub(crate) fn patches_of<'m>(manifest: &'m Manifest, resolved: &ResolvedEntry) -> Vec<&'m Patch> {
    let entry = &resolved.entry;
    let concerns = |patch: &&Patch| {
        patch.kind == entry.kind && patch.name == entry.name.as_str() && entry.root.is_some()
    };
    manifest.patches.iter().filter(concerns).collect()
}

/// Applies patches to text, one after the other.
pub(crate) fn apply(
    patches: &[Patch],
    source: SourceId,
    text: &str,
    format: Format,
) -> Result<(String, Vec<AppliedField>), PatchError> {
    let (mut text, mut applied) = (text.to_owned(), Vec::new());
    for one in patches {
        let patched = patch(source, &text, format, &one.fields)?;
        text = patched.text;
        applied.extend(patched.fields.into_iter().map(|change| AppliedField {
            field: change.field,
            scope: one.scope,
            before: change.before,
            after: change.after,
        }));
    }
    Ok((text, applied))
}

/// The finding about a file without fields; the file is copied unpatched.
pub(crate) fn no_fields(resolved: &ResolvedEntry, patch: &Patch) -> Diagnostic {
    let entry = &resolved.entry;
    let message = format!(
        "{}/{} (`{}`) has no fields to patch",
        entry.kind, entry.name, entry.unit
    );
    Diagnostic::new(&codes::PATCH_NO_FIELDS, message)
        .at_spot(patch.spot)
        .help("only front matter and JSON can be patched: remove the patch")
}

/// The finding about a patched field that a tool's format does not have.
pub(crate) fn dropped(
    resolved: &ResolvedEntry,
    patch: &Patch,
    outcome: &FieldOutcome,
) -> Diagnostic {
    let (label, tool) = (resolved.label(), &resolved.entry.tool);
    let message = format!(
        "{label} for {tool}: the patch of `{}` is dropped",
        outcome.field
    );
    Diagnostic::new(&codes::PATCH_DROPPED, message)
        .at_spot(patch.spot)
        .help(format!("{}; remove it from the patch", outcome.note))
}

/// Reports why a patch could not be applied.
pub(crate) fn report(
    resolved: &ResolvedEntry,
    patch: &Patch,
    error: PatchError,
    notes: &mut Notes,
) {
    let name = format!("{}/{}", resolved.entry.kind, resolved.entry.name);
    let failed = |why: &str| {
        Diagnostic::new(
            &codes::PATCH_FAILED,
            format!("{name} cannot be patched: {why}"),
        )
        .at_spot(patch.spot)
        .help("correct the file in its source, or remove the patch")
    };
    match error {
        PatchError::NoFields => notes.diagnostics.push(no_fields(resolved, patch)),
        PatchError::Broken(found) => {
            notes.diagnostics.push(failed("its fields cannot be read"));
            notes.diagnostics.extend(found);
        }
        PatchError::NoMap(kind) => notes
            .diagnostics
            .push(failed(&format!("its content is {kind}"))),
        PatchError::Edit(error) => notes.diagnostics.push(failed(&error.to_string())),
    }
}

/// Reports patches for unknown names, now that all names are known.
pub fn check_names(
    manifest: &Manifest,
    entries: &[ResolvedEntry],
    notes: &mut Notes,
) -> Result<(), Failure> {
    for patch in &manifest.patches {
        let of_kind = || {
            entries
                .iter()
                .map(|resolved| &resolved.entry)
                .filter(|e| e.kind == patch.kind)
        };
        let named = |direct: bool| {
            of_kind().any(|e| e.name.as_str() == patch.name && e.root.is_some() == direct)
        };
        if named(true) || is_skipped(manifest, patch) {
            continue;
        }
        let diagnostic = match pattern(manifest, patch.kind, &patch.name) {
            Some(at) => of_pattern(
                patch,
                of_kind()
                    .filter(|e| e.root == Some(at))
                    .map(|e| e.name.as_str()),
            ),
            None if named(false) => through_others(patch),
            None => {
                let names: Vec<&str> = of_kind()
                    .filter(|e| e.root.is_some())
                    .map(|e| e.name.as_str())
                    .collect();
                unknown_patch(patch.kind, &patch.name, patch.spot, names)
            }
        };
        notes.diagnostics.push(diagnostic);
    }
    notes.check()
}

/// Whether the resource exists for a disabled tool only.
fn is_skipped(manifest: &Manifest, patch: &Patch) -> bool {
    let skipped = |dependency: &&Dependency| manifest.tools.used_by(dependency).is_empty();
    let same = |dependency: &Dependency| {
        dependency.kind == patch.kind && dependency.name.as_str() == patch.name
    };
    manifest.dependencies.iter().filter(skipped).any(same)
}

fn pattern(manifest: &Manifest, kind: ResourceType, name: &str) -> Option<usize> {
    manifest.dependencies.iter().position(|dependency| {
        dependency.kind == kind
            && dependency.name.as_str() == name
            && dependency.unit.path.is_pattern()
    })
}

fn of_pattern<'k>(patch: &Patch, matched: impl Iterator<Item = &'k str>) -> Diagnostic {
    let names: Vec<String> = matched.map(|name| format!("`{name}`")).collect();
    let message = format!("`{}` is a pattern: patch its matches by name", patch.name);
    Diagnostic::new(&codes::PATCH_UNKNOWN, message)
        .at_spot(patch.spot)
        .help(format!("it matches {}", names.join(", ")))
}

fn through_others(patch: &Patch) -> Diagnostic {
    let message = format!("{}/{} is a transitive dependency", patch.kind, patch.name);
    Diagnostic::new(&codes::PATCH_UNKNOWN, message)
        .at_spot(patch.spot)
        .help(format!("add it to `[{}]` to patch it", patch.kind))
}

/// The file of an entry that patches change, for messages.
pub fn patched_file(resolved: &ResolvedEntry) -> String {
    match resolved.entry.kind {
        ResourceType::Skills => format!("{}/{SKILL_FILE}", resolved.entry.unit),
        _ => resolved.entry.unit.to_string(),
    }
}
