//! The lossless rule: a persona document that goes is archived first.

use std::collections::BTreeSet;
use std::path::Path;

use agpm_diag::{Diagnostic, codes};
use agpm_git::Git;
use agpm_model::ObjectId;
use agpm_persona::DocumentName;
use agpm_store as store;

use crate::failure::Failure;
use crate::lineage::levels::git_failed;
use crate::lineage::library::Library;
use crate::world::World;

/// The folder that documents are archived in, anywhere in the repository.
const ARCHIVE: &str = "legacy-imports";

/// Documents of the revision that are neither there nor archived: under their name, or with what they said.
pub(super) fn not_archived(
    world: &World,
    library: &Library,
    revision: &str,
) -> Result<Vec<Diagnostic>, Failure> {
    let environment = &world.environment;
    let Some(root) = &library.levels.repository else {
        let message = format!("there is no git repository here that could have the revision `{revision}`");
        let help = "run it in a repository, or leave out `--since`";
        return Err(Diagnostic::new(&codes::SOURCE_GIT, message).help(help).into());
    };
    let git = Git::find(environment.cache.clone().unwrap_or_default(), environment.network);
    let is_there = |path: &str| store::is_file(&root.join(path));
    let was = git.files_at(root, revision).map_err(git_failed)?;
    let gone: Vec<(String, ObjectId)> = was
        .into_iter()
        .filter(|(path, _)| is_document(path) && !is_archived(path) && !is_there(path))
        .collect();
    if gone.is_empty() {
        return Ok(Vec::new());
    }
    let now = git.files_now(root).map_err(git_failed)?;
    let kept: Vec<String> =
        now.into_iter().filter(|path| (is_document(path) || is_archived(path)) && is_there(path)).collect();
    let archived = kept.iter().filter(|path| is_archived(path));
    let names: BTreeSet<&str> = archived.map(|path| file_name(path)).collect();
    let contents: BTreeSet<ObjectId> = git.contents(root, &kept).map_err(git_failed)?.into_iter().collect();
    let lost =
        gone.iter().filter(|(path, held)| !names.contains(file_name(path)) && !contents.contains(held));
    Ok(lost.map(|(path, _)| told(path, revision).in_file(library.shown(&root.join(path)))).collect())
}

fn told(path: &str, revision: &str) -> Diagnostic {
    let message = format!("`{path}` was removed since `{revision}` and is not archived");
    let help = format!(
        "`git show {revision}:{path}` has it: put it under a `{ARCHIVE}/` folder, such as that of the persona that takes over"
    );
    Diagnostic::new(&codes::LINEAGE_NOT_ARCHIVED, message).help(help)
}

fn is_document(path: &str) -> bool {
    let in_persona = path.starts_with(".clia/agents/") || path.contains("/.clia/agents/");
    in_persona && DocumentName::read(file_name(path)).is_some()
}

fn is_archived(path: &str) -> bool {
    Path::new(path).parent().is_some_and(|folder| folder.components().any(|one| one.as_os_str() == ARCHIVE))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
