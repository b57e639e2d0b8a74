//! The sentences of findings, and what is reported next to them.

use agpm_diag::{Diagnostic, Failure, Severity, codes};
use agpm_model::{LOCK_NAME, Manifest, SourceName};
use agpm_text::{BlockName, Pointer};

pub(super) const ABSENT: &str = "is missing";
pub(super) const NEVER_INSTALLED: &str = "is locked but was never installed";
pub(super) const OTHER_BYTES: &str = "was modified since install";
pub(super) const OTHER_MODE: &str = "has another file mode";
pub(super) const UNREADABLE: &str = "cannot be read any more";

pub(super) fn not_as_locked() -> String {
    format!("is not what `{LOCK_NAME}` has")
}

pub(super) fn not_locked() -> String {
    format!("is installed but not in `{LOCK_NAME}`")
}

pub(super) fn lacks_entry(pointer: &Pointer) -> String {
    format!("has no entry at `{pointer}`")
}

pub(super) fn has_other_entry(pointer: &Pointer) -> String {
    format!("has a modified entry at `{pointer}`")
}

pub(super) fn lacks_block(name: &BlockName) -> String {
    format!("lacks the block `{name}`")
}

pub(super) fn has_other_block(name: &BlockName) -> String {
    format!("has another block `{name}` than was installed")
}

pub(super) fn unlocked_block(name: &BlockName) -> String {
    format!("has the block `{name}`, which is not in `{LOCK_NAME}`")
}

fn with(severity: Severity, mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.severity = severity;
    diagnostic
}

/// Installed files may be intact and yet not match the current manifest.
pub fn inputs_changed() -> Diagnostic {
    let message =
        format!("the manifest, `{LOCK_NAME}` or the configuration changed since the last install");
    let help = "`agpm install --check` shows whether that makes a difference";
    with(
        Severity::Note,
        Diagnostic::new(&codes::LOCK_OUTDATED, message).help(help),
    )
}

/// An earlier run was interrupted.
pub fn interrupted() -> Diagnostic {
    let message = "an earlier run was interrupted, and files may be half old and half new";
    let help = "run `agpm install` to finish or undo it";
    with(
        Severity::Error,
        Diagnostic::new(&codes::INSTALL_RECOVERED, message).help(help),
    )
}

/// A project without a lockfile, if it has anything to install.
pub fn nothing_installed(manifest: &Manifest) -> Option<Diagnostic> {
    let has_anything = !manifest.dependencies.is_empty() || !manifest.layers.is_empty();
    let message = "the manifest has dependencies, and nothing is installed";
    let diagnostic = Diagnostic::new(&codes::VERIFY_MISSING, message).help("run `agpm install`");
    has_anything.then_some(diagnostic)
}

/// A source whose bytes could not be compared without fetching them.
pub fn not_cached(source: &SourceName) -> Diagnostic {
    let message = format!("source `{source}` is not in the cache, so not every file was compared");
    with(
        Severity::Note,
        Diagnostic::new(&codes::SOURCE_OFFLINE, message)
            .help("run `agpm verify`, which fetches it"),
    )
}

/// The note that files were compared with the last install, and not with the lockfile.
pub fn not_comparable(failure: Failure) -> Diagnostic {
    let why = failure
        .diagnostic
        .unwrap_or_else(|| Diagnostic::new(&codes::LOCK_OUTDATED, "see above"));
    let message = format!("files were compared with the last install, not with `{LOCK_NAME}`");
    let lines = std::iter::once(why.shown_message()).chain(why.details);
    with(
        Severity::Warning,
        Diagnostic::new(why.code, message)
            .details(lines)
            .help("make the source available, and run `agpm verify` again"),
    )
}
