//! The project as a git ref has it, written into a temporary directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{Diagnostic, Failure, codes, unknown_name};
use agpm_model::{
    AddressKind, LOCK_NAME, PRIVATE_LOCK_NAME, RelativePath, Revision, SourceAddress, normalize,
};
use agpm_source::git::{CommitTree, CommitTreeFile, GitError, GitProgram};
use agpm_source::{SharedSources, Source, SourceContext, SourceOpener, local_path};
use agpm_store::{ConfinedDirectory, TemporaryDirectory};
use agpm_text::{Format, Value, parse_alone, to_value};

use crate::manifest::MANIFEST_NAME;
use crate::project::gather::ManifestFiles;
use crate::project::packages::git;
use crate::project::reading::{PRIVATE_NAME, limit};
use crate::project::world::{ProgramUse, World};

/// The project at a git ref. Its directory is removed when this is dropped.
pub(super) struct ProjectAtRef {
    /// The commit of the ref.
    pub(super) commit: Revision,
    git: GitProgram,
    /// The directory of the project in the working tree.
    project: PathBuf,
    /// The path of the project in its repository, with `/` at the end.
    prefix: String,
    tree: CommitTree,
    directory: TemporaryDirectory,
    exported: BTreeSet<String>,
}

/// Which files of a ref are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportedFiles {
    /// The manifest, the lockfile, and every path that the manifest names.
    Named,
    /// All: a template can name any file of the project.
    All,
}

impl ProjectAtRef {
    /// Finds the project in a ref of its repository, and writes the files that its manifest names.
    pub(super) fn open(
        world: &World,
        files: &ManifestFiles,
        reference: &str,
    ) -> Result<Self, Failure> {
        let project = files.directory().to_owned();
        let git = git(&world.environment);
        let prefix = git
            .path_in_repository(&project)
            .map_err(|error| unreadable(error, reference))?;
        let tree = git.tree_at(&project, reference);
        let tree = tree.map_err(|error| unreadable(error, reference))?;
        let mut at_ref = ProjectAtRef {
            commit: tree.commit.clone(),
            directory: TemporaryDirectory::new().map_err(Failure::from)?,
            exported: BTreeSet::new(),
            git,
            project,
            prefix,
            tree,
        };
        at_ref.export(ExportedFiles::Named)?;
        at_ref.copy_private_files()?;
        Ok(at_ref)
    }

    /// Whether the ref has a manifest.
    pub(super) fn has_manifest(&self) -> bool {
        self.file(MANIFEST_NAME).is_some()
    }

    /// Whether the ref has a lockfile.
    pub(super) fn has_lockfile(&self) -> bool {
        self.file(LOCK_NAME).is_some()
    }

    /// Writes files that are not written yet.
    pub(super) fn export(&mut self, wanted: ExportedFiles) -> Result<(), Failure> {
        let roots = match wanted {
            ExportedFiles::Named => self.named_paths()?,
            ExportedFiles::All => vec![String::new()],
        };
        let is_wanted = |file: &&CommitTreeFile| {
            !self.exported.contains(&file.path)
                && roots.iter().any(|root| is_within(&file.path, root))
        };
        let files: Vec<&CommitTreeFile> = self.tree.files.iter().filter(is_wanted).collect();
        let into = ConfinedDirectory::open(self.directory.path())?;
        let written = self.git.export(&self.project, &files, &into);
        written.map_err(|error| unreadable(error, self.commit.as_str()))?;
        let paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
        self.exported.extend(paths);
        Ok(())
    }

    /// The world of commands that read the project at the ref.
    pub(super) fn world(&self, world: &World) -> World {
        let directory = self.path();
        let mut at_ref = world.clone();
        at_ref.environment.manifest = Some(directory.join(MANIFEST_NAME));
        at_ref.environment.working_directory = directory.clone();
        // An approval is for a path, and the ref has the path of nobody.
        at_ref.environment.programs = ProgramUse::Never;
        at_ref.sources = Arc::new(SharedSources::new(Arc::new(SourcesAtRef {
            opener: Arc::clone(&world.sources),
            exported: directory,
            project: self.project.clone(),
        })));
        at_ref
    }

    /// The directory of the project as the ref has it.
    fn path(&self) -> PathBuf {
        self.directory
            .path()
            .join(self.prefix.trim_end_matches('/'))
    }

    fn file(&self, name: &str) -> Option<&CommitTreeFile> {
        let path = format!("{}{name}", self.prefix);
        self.tree.files.iter().find(|file| file.path == path)
    }

    /// The paths in the repository that the project at the ref may read.
    fn named_paths(&self) -> Result<Vec<String>, Failure> {
        let own = [MANIFEST_NAME, LOCK_NAME].map(|name| format!("{}{name}", self.prefix));
        let mut paths = Vec::from(own);
        let Some(manifest) = self.file(MANIFEST_NAME) else {
            return Ok(paths);
        };
        let read = self
            .git
            .bytes_of(&self.project, std::slice::from_ref(&manifest.id));
        let read = read.map_err(|error| unreadable(error, self.commit.as_str()))?;
        let bytes = read.into_iter().next().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let parsed = parse_alone(text, Format::Toml);
        let mut strings = Vec::new();
        if let Some(root) = parsed.document.root() {
            collect_strings(&to_value(root), &mut strings);
        }
        paths.extend(
            strings
                .iter()
                .filter_map(|text| self.path_in_repository(text)),
        );
        Ok(paths)
    }

    /// The path that a string of the manifest names, up to the first part with a wildcard; `None` outside of the
    /// repository.
    fn path_in_repository(&self, text: &str) -> Option<String> {
        let parts = text
            .split('/')
            .take_while(|part| !part.contains(['*', '?', '[', '{']));
        let text = parts.collect::<Vec<_>>().join("/");
        // Parents of the repository cannot be named, so a path that leads there does not start with this directory.
        let top = Path::new("/repository");
        let path = normalize(&top.join(&self.prefix).join(text));
        let inner = path.strip_prefix(top).ok()?;
        Some(inner.to_string_lossy().replace('\\', "/"))
    }

    /// Private entries are the same on both sides: no ref has them.
    fn copy_private_files(&self) -> Result<(), Failure> {
        for name in [PRIVATE_NAME, PRIVATE_LOCK_NAME] {
            let Ok(bytes) = agpm_store::read(&self.project.join(name), limit()) else {
                continue;
            };
            let path = format!("{}{name}", self.prefix);
            if let Ok(path) = RelativePath::new(&path) {
                ConfinedDirectory::open(self.directory.path())?.create_new(&path, &bytes)?;
            }
        }
        Ok(())
    }
}

/// Whether a path is a file or is in a directory; every path is in the empty one.
fn is_within(path: &str, root: &str) -> bool {
    root.is_empty()
        || path
            .strip_prefix(root)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn collect_strings(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => strings.push(text.clone()),
        Value::List(items) => items.iter().for_each(|item| collect_strings(item, strings)),
        Value::Map(entries) => {
            for (_, item) in entries {
                collect_strings(item, strings);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::DateTime(_) => {}
    }
}

/// Opens the sources of a project at a ref. A local source that the ref does not have, such as a repository next to the
/// project, is the one of the working tree.
struct SourcesAtRef {
    opener: Arc<dyn SourceOpener>,
    exported: PathBuf,
    project: PathBuf,
}

impl SourcesAtRef {
    fn context(&self, address: &SourceAddress, context: &SourceContext) -> SourceContext {
        let AddressKind::Directory(text) = address.kind() else {
            return context.clone();
        };
        let directory = local_path(text, &self.exported, context.home.as_deref());
        if agpm_store::is_directory(&directory) {
            return context.clone();
        }
        SourceContext {
            project: self.project.clone(),
            ..context.clone()
        }
    }
}

impl SourceOpener for SourcesAtRef {
    fn open(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source> {
        self.opener.open(address, &self.context(address, context))
    }

    fn open_versioned(&self, address: &SourceAddress, context: &SourceContext) -> Arc<dyn Source> {
        let context = self.context(address, context);
        self.opener.open_versioned(address, &context)
    }
}

fn unreadable(error: GitError, reference: &str) -> Failure {
    match error {
        GitError::NoSuchCommit { .. } => {
            let help = "name a branch, a tag or a commit of this clone; `git fetch` gets those of the server";
            unknown_name("git ref", reference, Some(help.to_owned()))
        }
        GitError::Broken { reason, .. } if reason.contains("not a git repository") => {
            let message = "the project is not in a git repository";
            let help = "run `agpm diff` without `--from` to compare with the installed files";
            Diagnostic::new(&codes::SOURCE_GIT, message)
                .help(help)
                .into()
        }
        error => {
            let help = "run `git status` in this directory; git 2.34 or later is required";
            Diagnostic::new(&codes::SOURCE_GIT, error.to_string())
                .help(help)
                .into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_contains_itself_and_what_is_below_it() {
        for (path, root, expected) in [
            ("a/b.md", "", true),
            ("a/b.md", "a", true),
            ("a/b.md", "a/b.md", true),
            ("ab/c.md", "a", false),
            ("a", "a/b", false),
        ] {
            assert_eq!(is_within(path, root), expected, "{path} in {root:?}");
        }
    }

    #[test]
    fn every_string_of_a_manifest_is_looked_at() {
        let text = "a = \"x\"\n[b]\nc = [\"y\", { d = \"z\" }]\ne = 1\n";
        let parsed = parse_alone(text.to_owned(), Format::Toml);
        let mut strings = Vec::new();
        collect_strings(&to_value(parsed.document.root().unwrap()), &mut strings);
        assert_eq!(strings, ["x", "y", "z"]);
    }
}
