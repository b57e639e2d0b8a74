//! Finds hooks in a file that git ignores: others who clone the project do not get them.

use std::path::Path;

use crate::project::packages::git;
use crate::project::world::{Environment, InstallScope};
use agpm_diag::{Diagnostic, codes};
use agpm_model::{Lockfile, RelativePath, ResourceType};
use agpm_plan::{ChangeAction, PlannedChange};

/// The personal settings of Claude Code, which hold hooks unless a manifest moves them, and the shared ones.
const PERSONAL: &str = ".claude/settings.local.json";
const SHARED: &str = ".claude/settings.json";

/// Returns the finding about hooks that a run wrote.
pub(crate) fn written_hooks(
    environment: &Environment,
    root: &Path,
    changes: &[PlannedChange],
) -> Option<Diagnostic> {
    let is_hook = |change: &PlannedChange| {
        let kind = change.owner.resource().map(|id| id.kind);
        kind == Some(ResourceType::Hooks)
            && matches!(change.action, ChangeAction::Create | ChangeAction::Update)
    };
    let mut written = changes.iter().filter(|change| is_hook(change));
    let path = &written
        .find(|change| change.path.as_str() == PERSONAL)?
        .path;
    ignored_hooks(environment, root, path)
}

/// Returns the finding about locked hooks.
pub(crate) fn locked_hooks(
    environment: &Environment,
    root: &Path,
    lock: &Lockfile,
) -> Option<Diagnostic> {
    let hooks = lock.entries.iter();
    let hooks = hooks.filter(|entry| entry.kind == ResourceType::Hooks);
    let mut paths = hooks.flat_map(|entry| entry.paths());
    let path = paths.find(|path| path.as_str() == PERSONAL)?;
    ignored_hooks(environment, root, path)
}

fn ignored_hooks(
    environment: &Environment,
    root: &Path,
    path: &RelativePath,
) -> Option<Diagnostic> {
    let is_project = environment.scope == InstallScope::Project;
    if !is_project || !git(environment).is_ignored(root, path.as_str()) {
        return None;
    }
    let message = format!("git ignores `{path}`, so others do not get its hooks");
    let help = format!(
        "add this line to the top of agpm.toml, then run `agpm install`: \
         `tools.claude-code.resources.hooks.merge-target = \"{SHARED}\"`"
    );
    let found = Diagnostic::new(&codes::INSTALL_IGNORED, message);
    Some(found.in_file(path.as_str()).help(help))
}
