//! The lossless rule: a persona document that goes is archived first.

use std::collections::BTreeSet;
use std::path::Path;

use agpm_diag::{Diagnostic, codes};
use agpm_git::Git;
use agpm_model::ObjectId;
use agpm_persona::DocumentName;
use agpm_store as store;
use agpm_text::{Format, Kind, NodeRef, equal, parse_alone};

use crate::failure::Failure;
use crate::gather::limit;
use crate::lineage::levels::git_failed;
use crate::lineage::library::Library;
use crate::world::World;

/// The folder that documents are archived in, anywhere in the repository.
pub(super) const ARCHIVE: &str = "legacy-imports";

/// Documents of the revision that are neither there nor archived.
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
    let contents = git.contents(root, &kept).map_err(git_failed)?;
    let contents: BTreeSet<ObjectId> = contents.into_iter().collect();
    let archive = Archive { git: &git, root, revision, contents, kept: &kept };
    let mut lost = Vec::new();
    for (path, held) in gone {
        if !archive.keeps(&path, &held)? {
            lost.push(told(&path, revision).in_file(library.shown(&root.join(&path))));
        }
    }
    Ok(lost)
}

/// The documents that are there, and those that are archived.
struct Archive<'a> {
    git: &'a Git,
    root: &'a Path,
    revision: &'a str,
    /// What they hold.
    contents: BTreeSet<ObjectId>,
    kept: &'a [String],
}

impl Archive<'_> {
    /// Whether some version of a document is kept: to the byte anywhere, or with all that it said under its name.
    fn keeps(&self, path: &str, held: &ObjectId) -> Result<bool, Failure> {
        let mut versions = vec![held.clone()];
        versions.extend(self.git.versions_since(self.root, self.revision, path).map_err(git_failed)?);
        if versions.iter().any(|version| self.contents.contains(version)) {
            return Ok(true);
        }
        let namesakes =
            self.kept.iter().filter(|kept| is_archived(kept) && file_name(kept) == file_name(path));
        let namesakes: Vec<Vec<u8>> =
            namesakes.filter_map(|kept| store::read(&self.root.join(kept), limit()).ok()).collect();
        for version in versions.iter().filter(|_| !namesakes.is_empty()) {
            // Commits are listed with the files they changed, and are none.
            let Ok(said) = self.git.content(self.root, version) else { continue };
            if namesakes.iter().any(|kept| says_all(kept, &said)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn says_all(kept: &[u8], said: &[u8]) -> bool {
    let document =
        |bytes: &[u8]| Some(parse_alone(String::from_utf8(bytes.to_vec()).ok()?, Format::Json).document);
    let (Some(kept), Some(said)) = (document(kept), document(said)) else { return false };
    kept.root().zip(said.root()).is_some_and(|(kept, said)| holds(kept, said))
}

/// Whether a value is there with all that is in it: keys may have come, and items too.
fn holds(kept: NodeRef<'_>, said: NodeRef<'_>) -> bool {
    match (kept.kind(), said.kind()) {
        (Kind::Map, Kind::Map) => {
            said.entries().all(|(key, value)| kept.get(key.content()).is_some_and(|kept| holds(kept, value)))
        }
        (Kind::List, Kind::List) => said.items().all(|item| kept.items().any(|kept| holds(kept, item))),
        _ => equal(kept, said),
    }
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
