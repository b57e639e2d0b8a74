//! The paths where older programs of the same format install files.

use agpm_model::{InstallScope, Manifest, RESOURCE_TYPES, RelativePath, Tools};

use crate::target::could_install_at;

/// The directories of agpm-cli 0.4, unless its manifest changes them. (agpm-cli 0.4.14, `src/cli/migrate.rs`)
const DIRECTORIES: [&str; 8] = [
    ".claude/agents/",
    ".claude/commands/",
    ".claude/scripts/",
    ".claude/snippets/",
    ".opencode/agent/",
    ".opencode/command/",
    ".opencode/snippet/",
    ".agpm/snippets/",
];

/// Whether an older program, or a tool of the manifest, installs files at a path. A lockfile can name any path, and
/// nothing may be deleted elsewhere.
pub fn is_older_path(manifest: &Manifest, scope: InstallScope, path: &RelativePath) -> bool {
    let built_in = Tools::in_scope(scope);
    let is_default = DIRECTORIES
        .iter()
        .any(|directory| path.as_str().starts_with(directory));
    is_default
        || manifest.tools.iter().chain(built_in.iter()).any(|tool| {
            RESOURCE_TYPES
                .iter()
                .any(|kind| kind.is_file() && could_install_at(tool, *kind, path))
        })
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
