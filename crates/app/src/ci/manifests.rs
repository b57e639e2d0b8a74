//! Finds every manifest in a directory.

use crate::manifest::MANIFEST_NAME;
use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::{InstallScope, Tools};
use agpm_store as store;

use crate::project::packages::git;
use crate::project::world::Environment;

/// The deepest directory that is searched where git does not list the files.
const DEEPEST: usize = 32;
/// Directories that hold the state of a project.
const STATE_DIRECTORIES: [&str; 2] = [".git", ".agpm"];

/// Returns the manifests in the working directory, sorted by path. Ignored directories and those that agpm installs into
/// are left out: what is in them belongs to somebody else.
pub(crate) fn manifests_below(environment: &Environment) -> Result<Vec<String>, Failure> {
    let root = &environment.working_directory;
    let files = match git(environment).files_now(root) {
        Ok(files) => files,
        // Not a git repository.
        Err(_) => store::files_below(root, DEEPEST)?,
    };
    let tools = Tools::in_scope(InstallScope::Project);
    let tools = tools.iter().filter_map(|tool| tool.directory.as_ref());
    let mut managed: Vec<String> = tools.map(ToString::to_string).collect();
    managed.extend(STATE_DIRECTORIES.map(str::to_owned));
    let is_manifest = |path: &String| {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        name == MANIFEST_NAME && !is_in_any(directory, &managed)
    };
    let mut manifests: Vec<String> = files.into_iter().filter(is_manifest).collect();
    // A file that git tracks may have been deleted.
    manifests.retain(|path| store::is_file(&root.join(path)));
    manifests.sort();
    manifests.dedup();
    if manifests.is_empty() {
        let message = format!("no `{MANIFEST_NAME}` in this directory or its subdirectories");
        let help = "run `agpm init` to create one, or name another directory with `-C`";
        return Err(Diagnostic::new(&codes::MANIFEST_MISSING, message)
            .help(help)
            .into());
    }
    Ok(manifests)
}

/// Whether a directory is one of these, or in one, at any depth.
fn is_in_any(directory: &str, managed: &[String]) -> bool {
    let inner = format!("/{directory}/");
    let mut managed = managed.iter();
    managed.any(|one| inner.contains(&format!("/{one}/")))
}
