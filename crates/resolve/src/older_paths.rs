//! The paths where older programs of the same format install files.

use agpm_model::{
    Dependency, InstallMode, InstallScope, LockWriter, LockedPlacement, Lockfile, Manifest,
    RESOURCE_TYPES, RelativePath, Tools,
};

use agpm_tools::TOOLS;

use crate::target::{TargetRequest, could_install_at, target};

/// Whether an older program, or a tool of the manifest, installs files at a path. A lockfile can name any path, and
/// nothing may be deleted elsewhere.
pub fn is_older_path(manifest: &Manifest, scope: InstallScope, path: &RelativePath) -> bool {
    let built_in = Tools::in_scope(scope);
    let mut directories = TOOLS.iter().flat_map(|tool| tool.former_directories.items);
    let is_default = directories.any(|directory| {
        let inner = path.as_str().strip_prefix(directory);
        inner.is_some_and(|inner| inner.starts_with('/'))
    });
    is_default
        || manifest.tools.iter().chain(built_in.iter()).any(|tool| {
            RESOURCE_TYPES
                .iter()
                .any(|kind| kind.is_file() && could_install_at(tool, *kind, path))
        })
}

/// A file that an older program installed at another path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovedFile {
    /// Its path.
    pub from: RelativePath,
    /// Its path after the next install.
    pub to: RelativePath,
}

/// The files of an older lockfile that the next install moves.
pub fn moved_files(lock: &Lockfile, manifest: &Manifest) -> Vec<MovedFile> {
    let mut moved = Vec::new();
    for locked in &lock.entries {
        let is_older = locked.writer == LockWriter::Older && locked.install == InstallMode::Write;
        if !is_older || !locked.kind.is_file() {
            continue;
        }
        let is_root = |dependency: &&Dependency| {
            let (kind, name) = (locked.kind, locked.manifest_key());
            dependency.kind == kind && (dependency.name == *name || dependency.unit == locked.unit)
        };
        let dependency = manifest.dependencies.iter().find(is_root);
        let request = match dependency {
            Some(dependency) => TargetRequest::of(dependency, &locked.unit.path, &manifest.tools),
            None => TargetRequest::plain(locked.kind, &locked.unit.path, locked.name.as_str()),
        };
        for LockedPlacement { tool, at } in &locked.placements {
            let tools = [tool.as_str(), locked.kind.default_tool()];
            let able = tools
                .into_iter()
                .filter_map(|name| manifest.tools.named(name))
                .find(|tool| tool.destination(locked.kind).is_some());
            let to = able.and_then(|tool| target(tool, &request).ok().flatten());
            if let (Some(from), Some(to)) = (at.clone(), to)
                && from != to
            {
                moved.push(MovedFile { from, to });
            }
        }
    }
    moved.sort_by(|one, other| one.from.cmp(&other.from));
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_files_are_in_directories_of_tools() {
        for (path, expected) in [
            (".opencode/snippet/agpm/s/y.md", true),
            (".claude/agents/agpm/x.md", true),
            (".codex/agents/x.toml", true),
            ("src/main.rs", false),
            (".claude/settings.json", false),
            (".opencode/snippets.md", false),
        ] {
            let path = RelativePath::new(path).unwrap();
            let found = is_older_path(&Manifest::default(), InstallScope::Project, &path);
            assert_eq!(found, expected, "{path}");
        }
    }
}
