//! The lossless rule: a persona document that goes is archived first.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::ObjectId;
use agpm_persona::{ARCHIVE, Archive, is_archived, is_live_document};
use agpm_store as store;

use crate::lineage::levels::git_failed;
use crate::lineage::library::Library;
use crate::packages::git;
use crate::reading::limit;
use crate::world::World;

/// Documents of the revision that are neither there nor archived: to the byte in some version since, or with all they said.
pub(super) fn not_archived(
    world: &World,
    library: &Library,
    revision: &str,
) -> Result<Vec<Diagnostic>, Failure> {
    let environment = &world.environment;
    let Some(root) = &library.levels.repository else {
        let message =
            format!("there is no git repository here that could have the revision `{revision}`");
        let help = "run it in a repository, or leave out `--since`";
        return Err(Diagnostic::new(&codes::SOURCE_GIT, message)
            .help(help)
            .into());
    };
    let git = git(environment);
    let is_there = |path: &str| store::is_file(&root.join(path));
    let was = git.files_at(root, revision).map_err(git_failed)?;
    let gone: Vec<(&str, &ObjectId)> = was
        .iter()
        .map(|(path, held)| (path.as_str(), held))
        .filter(|(path, _)| is_live_document(path) && !is_there(path))
        .collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    // A document that is new since may be one that moved; one that was there before is another.
    let before: BTreeSet<&str> = was.iter().map(|(path, _)| path.as_str()).collect();
    let is_new = |path: &str| is_live_document(path) && !before.contains(path);
    let now = git.files_now(root).map_err(git_failed)?;
    let kept: Vec<String> = now
        .into_iter()
        .filter(|path| (is_archived(path) || is_new(path)) && is_there(path))
        .collect();
    let contents: BTreeSet<ObjectId> = git
        .contents(root, &kept)
        .map_err(git_failed)?
        .into_iter()
        .collect();
    let mut versions: BTreeMap<&str, BTreeSet<ObjectId>> = BTreeMap::new();
    let changes = git.changes_since(root, revision).map_err(git_failed)?;
    for (path, held) in gone
        .iter()
        .copied()
        .chain(changes.iter().map(|(path, held)| (path.as_str(), held)))
    {
        versions.entry(path).or_default().insert(held.clone());
    }
    let is_kept = |path: &str| {
        versions[path]
            .iter()
            .any(|version| contents.contains(version))
    };
    let missing: Vec<&str> = gone
        .iter()
        .map(|(path, _)| *path)
        .filter(|path| !is_kept(path))
        .collect();
    let archived = kept.iter().filter(|path| is_archived(path));
    let archive =
        Archive::new(archived.filter_map(|path| store::read(&root.join(path), limit()).ok()));
    let ids: Vec<ObjectId> = missing
        .iter()
        .flat_map(|path| versions[path].iter().cloned())
        .collect();
    let said = if archive.is_empty() {
        Vec::new()
    } else {
        git.bytes_of(root, &ids).map_err(git_failed)?
    };
    let mut said = said.into_iter();
    let lost = missing.into_iter().filter(|path| {
        let own: Vec<Option<Vec<u8>>> = said.by_ref().take(versions[path].len()).collect();
        !own.into_iter().flatten().any(|said| archive.keeps(said))
    });
    Ok(lost
        .map(|path| told(path, revision).in_file(library.shown(&root.join(path))))
        .collect())
}

fn told(path: &str, revision: &str) -> Diagnostic {
    let message = format!("`{path}` was removed since `{revision}` and is not archived");
    let help = format!(
        "`git show {revision}:{path}` has it: put it under a `{ARCHIVE}/` folder, such as that of the persona that takes over"
    );
    Diagnostic::new(&codes::LINEAGE_NOT_ARCHIVED, message).help(help)
}
