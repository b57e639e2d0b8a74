//! Programs that come along with what is asked for need the user's word.

use agpm_diag::{Diagnostic, codes};
use agpm_model::{FileMode, Manifest, ResourceType};
use agpm_plan::{Entry, Ledger};

use crate::failure::{Failure, FailureKind};
use crate::install::Executables;
use crate::packages::resolve::ResolvedEntry;

/// Kinds that tools run.
const RUN: [ResourceType; 3] = [ResourceType::Scripts, ResourceType::Hooks, ResourceType::McpServers];

/// Refuses programs that only other resources ask for, unless the user allows them.
pub(crate) fn check(
    manifest: &Manifest,
    entries: &[ResolvedEntry],
    ledger: &Ledger,
    executables: Executables,
) -> Result<(), Failure> {
    // What is installed here was allowed here: one word is enough.
    let installed =
        |entry: &Entry| entry.target.as_ref().is_some_and(|target| ledger.files.contains_key(target));
    let allowed = |entry: &Entry| {
        installed(entry)
            || manifest
                .allow_executables
                .iter()
                .any(|allowed| allowed.allows(entry.kind, &entry.name, &entry.unit))
    };
    // A file that can be run is a program, whatever it is called.
    let program = |resolved: &&ResolvedEntry| {
        RUN.contains(&resolved.entry.kind) || resolved.resource.mode == FileMode::Executable
    };
    let brought = entries.iter().filter(program).map(|resolved| &resolved.entry);
    let refused: Vec<String> = brought
        .filter(|entry| entry.root.is_none() && !allowed(entry))
        .map(|entry| format!("{}/{} ({})", entry.kind, entry.name, entry.unit))
        .collect();
    if refused.is_empty() || executables == Executables::Allowed {
        return Ok(());
    }
    let message =
        format!("programs would come along that the manifest does not ask for: {}", refused.join(", "));
    let help = "look at them, then add `allow-executables = [\"TYPE/NAME\"]` to the top of the manifest, or run with \
                `--allow-executables`";
    Err(Failure::new(FailureKind::Refused, Diagnostic::new(&codes::PACKAGE_EXECUTABLE, message).help(help)))
}
