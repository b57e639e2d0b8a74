//! The directory of what was fetched can be read, and holds only copies of sources.

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes};
use agpm_store as store;

use crate::doctor::check::DoctorRequest;
use agpm_diag::{counted, size};
use agpm_inspect::CheckSummary;
use agpm_project::packages::git;
use agpm_project::reading::shown;
use agpm_project::world::World;

const WORTH_TELLING: u64 = 1 << 20;

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let git = git(&world.environment);
    let folder = git.folder();
    let place = shown(&world.environment, folder);
    let above = folder.ancestors().find(|above| store::exists(above));
    if let Some(file) = above.filter(|above| !store::is_folder(above)) {
        return Err(no_folder(&shown(&world.environment, file)));
    }
    if let Some(above) = above.filter(|above| *above != folder) {
        // One that cannot be looked into may hold it all the same.
        store::entries_below(above, 0)?;
        return Ok(CheckSummary::Line("nothing was fetched yet".to_owned()));
    }
    // A directory that cannot be read must not be treated as an empty one.
    let all = store::size_below(folder)?;
    let copies = git.cached();
    let known = copies
        .iter()
        .map(|copy| copy.bytes())
        .sum::<Result<u64, _>>()?;
    // A few bytes are not worth a finding.
    if let Some(more) = all.checked_sub(known).filter(|more| *more > WORTH_TELLING) {
        let message = format!(
            "the cache holds {} that belong to no copy of a source",
            size(more)
        );
        notes.diagnostics.push(leftover(&place, message));
    }
    Ok(CheckSummary::Line(format!(
        "{}, {}",
        counted(copies.len(), "copy", "copies"),
        size(known)
    )))
}

fn no_folder(place: &str) -> Failure {
    let message = format!("`{place}` is not a directory, so nothing can be cached there");
    let help = "move it, or name another directory with `--cache-dir`";
    Diagnostic::new(&codes::IO_UNREADABLE, message)
        .in_file(place)
        .help(help)
        .into()
}

fn leftover(place: &str, message: String) -> Diagnostic {
    let help = format!(
        "`agpm cache clean` removes unused copies; what else is in `{place}` can be deleted"
    );
    let mut finding = Diagnostic::new(&codes::IO_EXISTS, message)
        .in_file(place)
        .help(help);
    finding.severity = Severity::Note;
    finding
}
