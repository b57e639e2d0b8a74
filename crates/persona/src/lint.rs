//! Reports valid but doubtful content of personas.

use std::collections::BTreeMap;
use std::path::Path;

use agpm_diag::{Diagnostic, Notes, SourceId, Span, codes};
use agpm_merge::Resolution;
use agpm_model::ResolvedPath;
use agpm_text::{NodeShape, Pointer, TreeView};

use crate::kind::{PersonaKind, PersonaSlug};
use crate::library::PersonaLibrary;
use crate::merging::{FoundPersona, MergedPersona};

/// The persona whose documents apply to all others.
const ROOT: &str = "root";

impl PersonaLibrary<'_> {
    /// Checks every visible persona, and returns their number. `root` is the root directives document in the manifest.
    pub fn lint(&mut self, root: Option<&Path>, notes: &mut Notes) -> usize {
        let personas = self.personas(notes);
        let root = root.map(|root| self.levels.files.real_path(root));
        let is_file = |root: &Path| {
            matches!(
                self.levels.files.reach(root),
                Ok(Some(ResolvedPath::File(_)))
            )
        };
        if let Some(root) = root.as_deref().filter(|root| !is_file(root)) {
            let label = self.levels.label(root);
            let message = format!("the root directives document `{label}` does not exist");
            let found = Diagnostic::new(&codes::LINEAGE_MISSING_PARENT, message)
                .help("`root` in `[lineage]` is a path relative to the manifest");
            notes.diagnostics.push(found);
        }
        for (slug, visible) in &personas {
            for kind in &visible.kinds {
                let FoundPersona::Merged(merged) = self.merge(slug, *kind, notes) else {
                    continue;
                };
                if *kind == PersonaKind::Agent {
                    let found = no_root(slug, &merged, root.as_deref());
                    notes.diagnostics.extend(found);
                    notes
                        .diagnostics
                        .extend(near_duplicates(&merged.resolution));
                }
            }
        }
        personas.len()
    }
}

/// Whether a persona is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PersonaActivity {
    Yes,
    /// The status is anything else, or missing.
    No,
}

/// Whether a merged persona is active.
fn is_active(resolution: &Resolution) -> PersonaActivity {
    let status = resolution.at(&Pointer::root().child("status"));
    match status.map(TreeView::shape) {
        Some(NodeShape::String(status)) if status.trim().eq_ignore_ascii_case("active") => {
            PersonaActivity::Yes
        }
        _ => PersonaActivity::No,
    }
}

/// Guardrails that differ from an earlier one only in case or spaces.
fn near_duplicates(resolution: &Resolution) -> Vec<Diagnostic> {
    let mut first_by_text: BTreeMap<String, agpm_text::NodeRef<'_>> = BTreeMap::new();
    let mut found = Vec::new();
    resolution.each_leaf(&Pointer::root().child("guardrails"), &mut |leaf| {
        let Some(text) = leaf
            .value
            .as_str()
            .filter(|_| leaf.pointer.steps().len() == 2)
        else {
            return;
        };
        let plain = text
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .to_lowercase();
        match first_by_text.get(&plain) {
            None => {
                first_by_text.insert(plain, leaf.value);
            }
            Some(earlier) => {
                let message = "two guardrails differ only in case or spaces";
                let diagnostic = Diagnostic::new(&codes::LINEAGE_NEAR_DUPLICATE, message)
                    .at(leaf.value.source(), leaf.value.span(), "the other one")
                    .at(earlier.source(), earlier.span(), "one of them")
                    .help("spell both the same, or remove one");
                found.push(diagnostic);
            }
        }
    });
    found
}

/// Reports an active persona that does not inherit the root directives.
fn no_root(slug: &PersonaSlug, merged: &MergedPersona, root: Option<&Path>) -> Option<Diagnostic> {
    let inherits = merged
        .locations
        .iter()
        .any(|location| is_root_document(location) || Some(&**location) == root);
    if slug.as_str() == ROOT || inherits || is_active(&merged.resolution) == PersonaActivity::No {
        return None;
    }
    let mut location = None;
    let status = Pointer::root().child("status");
    merged.resolution.each_leaf(&status, &mut |leaf| {
        location = Some((leaf.value.source(), leaf.value.span()));
    });
    let (source, span): (SourceId, Span) = location?;
    let message =
        format!("the active persona `{slug}` does not inherit a root directives document");
    let diagnostic =
        Diagnostic::new(&codes::LINEAGE_NO_ROOT, message).at(source, span, "it is active");
    Some(diagnostic.help("add one of `.clia/agents/root/` to its `inherits`, or set `root` in `[lineage]` of the manifest"))
}

fn is_root_document(location: &Path) -> bool {
    let folders: Vec<_> = location
        .parent()
        .into_iter()
        .flat_map(Path::components)
        .collect();
    let names = [".clia", "agents", ROOT];
    folders.windows(names.len()).any(|three| {
        three
            .iter()
            .zip(names)
            .all(|(one, name)| one.as_os_str() == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_of_root_are_reported_by_their_directory() {
        for (path, is) in [
            ("/a/.clia/agents/root/root@x.agent.triad.json", true),
            ("/a/.clia/agents/root/rules/x.json", true),
            ("/a/.clia/agents/rooted/x.agent.triad.json", false),
            ("/a/agents/root/x.agent.triad.json", false),
        ] {
            assert_eq!(is_root_document(Path::new(path)), is, "{path}");
        }
    }
}
