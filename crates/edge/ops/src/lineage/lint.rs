//! What `doctor` has to say of personas.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, Notes, SourceId, Span, codes};
use agpm_persona::{Active, PersonaKind, Slug, is_active, near_duplicates};
use agpm_store as store;
use agpm_text::Pointer;

use crate::lineage::archive::not_archived;
use crate::lineage::levels::LineagePlace;
use crate::lineage::library::{Library, Merged, Sought};
use crate::world::World;

/// The persona whose documents are the rules for all others.
const ROOT: &str = "root";

/// What is looked for besides what merging tells.
#[derive(Clone, Debug, Default)]
pub(crate) struct PersonaRules {
    /// The root directives document that the manifest names.
    pub(crate) root: Option<PathBuf>,
    /// Documents that were there at this revision have to be archived if they are gone.
    pub(crate) since: Option<String>,
}

/// Looks at every persona that can be seen; gives how many there are.
pub(crate) fn lint_personas(
    world: &World,
    rules: &PersonaRules,
    notes: &mut Notes,
) -> Result<usize, Failure> {
    let mut library = Library::open(world, &LineagePlace::default(), notes)?;
    let personas = library.personas(notes);
    let root = rules.root.as_deref().map(store::real_path);
    notes.diagnostics.extend(
        root.as_deref()
            .filter(|root| !store::is_file(root))
            .map(|root| {
                let message = format!(
                    "the root directives document `{}` is not there",
                    library.levels.label(root)
                );
                let diagnostic = Diagnostic::new(&codes::LINEAGE_MISSING_PARENT, message);
                diagnostic.help("`root` in `[lineage]` is a path from the manifest's folder")
            }),
    );
    for (slug, visible) in &personas {
        for kind in &visible.kinds {
            let Sought::Merged(merged) = library.seek(slug, *kind, notes) else {
                continue;
            };
            if *kind == PersonaKind::Agent {
                notes
                    .diagnostics
                    .extend(no_root(slug, &merged, root.as_deref()));
                notes
                    .diagnostics
                    .extend(near_duplicates(&merged.resolution));
            }
        }
    }
    if let Some(revision) = &rules.since {
        let found = not_archived(world, &library, revision)?;
        notes.diagnostics.extend(found);
    }
    Ok(personas.len())
}

/// An active persona follows the rules for all.
fn no_root(slug: &Slug, merged: &Merged, root: Option<&Path>) -> Option<Diagnostic> {
    let inherits = merged
        .places
        .iter()
        .any(|place| is_root_document(place) || Some(&**place) == root);
    if slug.as_str() == ROOT || inherits || is_active(&merged.resolution) == Active::No {
        return None;
    }
    let mut place = None;
    let status = Pointer::root().child("status");
    merged.resolution.each_leaf(&status, &mut |leaf| {
        place = Some((leaf.value.document().source(), leaf.value.span()));
    });
    let (source, span): (SourceId, Span) = place?;
    let message =
        format!("the active persona `{slug}` does not inherit a root directives document");
    let diagnostic =
        Diagnostic::new(&codes::LINEAGE_NO_ROOT, message).at(source, span, "it is active");
    Some(diagnostic.help("name one of `.clia/agents/root/` in its `inherits`, or say in `[lineage]` of the manifest which document is the `root`"))
}

fn is_root_document(place: &Path) -> bool {
    let folders: Vec<_> = place
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
    fn documents_of_root_are_told_by_their_folder() {
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
