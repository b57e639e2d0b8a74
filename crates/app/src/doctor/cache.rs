//! Checks that the cache directory is readable and contains only copies of sources.

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_store as store;

use crate::doctor::CheckSummary;
use crate::doctor::check::DoctorRequest;
use crate::project::packages::git;
use crate::project::reading::display_path;
use crate::project::world::World;
use agpm_diag::{counted, size};

const WORTH_TELLING: u64 = 1 << 20;

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let git = git(&world.environment);
    let directory = git.directory();
    let path = display_path(&world.environment, directory);
    let above = directory.ancestors().find(|above| store::exists(above));
    if let Some(file) = above.filter(|above| !store::is_directory(above)) {
        return Err(no_directory(&display_path(&world.environment, file)));
    }
    if let Some(above) = above.filter(|above| *above != directory) {
        // A parent directory that cannot be listed may still contain the cache, so this is an error and not an empty
        // cache.
        store::entries_below(above, 0)?;
        return Ok(CheckSummary::Line("nothing was fetched yet".to_owned()));
    }
    // An unreadable directory must not be reported as empty.
    let all = store::size_below(directory)?;
    let copies = git.cached();
    let cached = copies
        .iter()
        .map(|copy| copy.bytes())
        .sum::<Result<u64, _>>()?;
    // A few bytes are not worth a finding.
    if let Some(more) = all.checked_sub(cached).filter(|more| *more > WORTH_TELLING) {
        let message = format!(
            "the cache holds {} that belong to no copy of a source",
            size(more)
        );
        notes.diagnostics.push(leftover(&path, message));
    }
    Ok(CheckSummary::Line(format!(
        "{}, {}",
        counted(copies.len(), "copy", "copies"),
        size(cached)
    )))
}

fn no_directory(path: &str) -> Failure {
    let message = format!("`{path}` is not a directory, so nothing can be cached there");
    let help = "move it, or name another directory with `--cache-dir`";
    Diagnostic::new(&codes::IO_UNREADABLE, message)
        .in_file(path)
        .help(help)
        .into()
}

fn leftover(path: &str, message: String) -> Diagnostic {
    let help = format!(
        "`agpm cache clean` removes unused copies; what else is in `{path}` can be deleted"
    );
    let mut finding = Diagnostic::new(&codes::IO_EXISTS, message)
        .in_file(path)
        .help(help);
    finding.severity = Severity::Note;
    finding
}
