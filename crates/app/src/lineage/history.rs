//! Reads the history of the repository around the working directory, to check that removed personas are archived.

use std::path::PathBuf;

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::Revision;
use agpm_persona::{CommitHistory, PersonaLevels};
use agpm_source::git::GitProgram;
use agpm_store as store;

use crate::lineage::open::git_failure;
use crate::project::packages::git;
use crate::project::reading::limit;
use crate::project::world::World;

pub(crate) struct RepositoryHistory {
    git: GitProgram,
    root: PathBuf,
}

/// Opens the history of the repository around the personas.
pub(crate) fn repository_history(
    world: &World,
    levels: &PersonaLevels<'_>,
    revision: &str,
) -> Result<RepositoryHistory, Failure> {
    let Some(root) = levels.repository.clone() else {
        let message = format!("no git repository here that could have the revision `{revision}`");
        let help = "run it in a repository, or leave out `--since`";
        return Err(Diagnostic::new(&codes::SOURCE_GIT, message)
            .help(help)
            .into());
    };
    Ok(RepositoryHistory {
        git: git(&world.environment),
        root,
    })
}

impl CommitHistory for RepositoryHistory {
    fn files_at(&self, revision: &str) -> Result<Vec<(String, Revision)>, Failure> {
        self.git.files_at(&self.root, revision).map_err(git_failure)
    }

    fn files_now(&self) -> Result<Vec<String>, Failure> {
        self.git.files_now(&self.root).map_err(git_failure)
    }

    fn contents(&self, files: &[String]) -> Result<Vec<Revision>, Failure> {
        self.git.contents(&self.root, files).map_err(git_failure)
    }

    fn changes_since(&self, revision: &str) -> Result<Vec<(String, Revision)>, Failure> {
        self.git
            .changes_since(&self.root, revision)
            .map_err(git_failure)
    }

    fn bytes_of(&self, objects: &[Revision]) -> Result<Vec<Option<Vec<u8>>>, Failure> {
        self.git.bytes_of(&self.root, objects).map_err(git_failure)
    }

    fn is_file(&self, path: &str) -> bool {
        store::is_file(&self.root.join(path))
    }

    fn read(&self, path: &str) -> Option<Vec<u8>> {
        store::read(&self.root.join(path), limit()).ok()
    }
}
