//! Files of a layer that are left out, and the reasons.

use agpm_diag::{Diagnostic, codes};
use agpm_model::{Layer, RelativePath, is_junk};
use agpm_plan::is_reserved;

/// Something of a layer that does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedItem {
    /// Its path in the layer; a directory ends in `/`.
    pub path: String,
    /// The reason.
    pub why: SkipReason,
}

/// The reason why a file of a layer is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkipReason {
    /// No pattern of `include` matches it.
    NotIncluded,
    /// Version control, editors or caches left it after.
    Junk,
    /// It is a file of agpm itself.
    Own,
    /// A symlink, which may lead anywhere.
    Link,
    /// Some system cannot have a file of that name.
    Name,
    /// A device, a pipe or the like.
    NoFile,
    /// Contains another repository.
    Repository,
}

impl SkipReason {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            SkipReason::NotIncluded => "not in `include`",
            SkipReason::Junk => "a file of version control, an editor or a cache",
            SkipReason::Own => "a file of agpm itself",
            SkipReason::Link => "a symlink, which agpm does not follow",
            SkipReason::Name => "not a portable file name",
            SkipReason::NoFile => "not a file",
            SkipReason::Repository => "another repository",
        }
    }

    /// Whether somebody will miss it.
    fn surprises(self) -> bool {
        matches!(
            self,
            SkipReason::Link | SkipReason::Name | SkipReason::NoFile | SkipReason::Repository
        )
    }
}

/// Whether agpm keeps its own files there. Snippets of the tool `agpm` are ordinary files.
fn is_own(path: &str) -> bool {
    // On case-insensitive disks `.AGPM` is the state as well.
    let path = path.to_ascii_lowercase();
    let in_state = path.starts_with(".local/state/agpm/") || path.starts_with(".agpm/");
    path == ".agpm" || is_reserved(&path) || in_state && !path.starts_with(".agpm/snippets/")
}

/// The path of a file that applies, or why it does not.
pub fn included_file(layer: &Layer, path: &str) -> Result<RelativePath, SkipReason> {
    if path.split('/').any(is_junk) {
        return Err(SkipReason::Junk);
    }
    if !layer.includes(path) {
        return Err(SkipReason::NotIncluded);
    }
    // A layer that could write the state or the manifest would decide what is managed and what is approved.
    if is_own(path) {
        return Err(SkipReason::Own);
    }
    // A name that is not Unicode was replaced when it was read. Written back it would be another file.
    if path.contains('\u{fffd}') {
        return Err(SkipReason::Name);
    }
    RelativePath::new(path)
        .ok()
        .filter(|good| good.as_str() == path)
        .ok_or(SkipReason::Name)
}

/// Whether a directory may hold files that count, or why it does not.
pub fn enters(layer: &Layer, directory: &str) -> Result<(), SkipReason> {
    match directory {
        directory if directory.split('/').any(is_junk) => Err(SkipReason::Junk),
        directory if !layer.enters(directory) => Err(SkipReason::NotIncluded),
        _ => Ok(()),
    }
}

/// The skipped files of one layer that users will miss, as one finding.
pub(crate) fn skipped_finding(layer: &Layer, skipped: &[SkippedItem]) -> Option<Diagnostic> {
    let missed: Vec<&SkippedItem> = skipped
        .iter()
        .filter(|skipped| skipped.why.surprises())
        .collect();
    let first = missed.first()?;
    let more = (missed.len() > 1).then(|| format!("and {} more", missed.len() - 1));
    let message = format!(
        "layer `{}`: `{}` is {}",
        layer.name,
        first.path,
        first.why.words()
    );
    let diagnostic = Diagnostic::new(&codes::LAYERS_SKIPPED, message)
        .details(more)
        .in_layer(layer.name.as_str());
    Some(
        diagnostic
            .at_spot(layer.spot)
            .help("agpm skips it; run `agpm layers` to list all skipped files"),
    )
}
