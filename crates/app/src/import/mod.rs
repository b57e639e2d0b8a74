//! `import`: converts the files of another manager to sections of the manifest, without changing them.

mod neighbours;

mod found;
mod layers;
mod packages;
mod target;

use agpm_adopt::{FORMATS, format_named};
use agpm_diag::{Failure, Notes, Outcome, did_you_mean};

use crate::change::until_not_overtaken;
use crate::project::world::World;
use agpm_diag::unknown_name;

pub use found::{FoundImport, FoundImports, found_imports};
pub(crate) use packages::named_entries;
pub use target::{ImportReport, ImportRequest};

/// Returns the names of all formats.
pub fn import_formats() -> impl Iterator<Item = &'static str> + Clone {
    FORMATS.iter().map(|format| format.name)
}

/// Imports the files of another manager.
pub fn import(world: &World, request: &ImportRequest) -> Outcome<ImportReport> {
    until_not_overtaken(|notes| run(world, request, notes))
}

fn run(world: &World, request: &ImportRequest, notes: &mut Notes) -> Result<ImportReport, Failure> {
    let Some(format) = format_named(&request.format) else {
        let help = did_you_mean(&request.format, "formats are", import_formats());
        return Err(unknown_name("import format", &request.format, help));
    };
    match format.read {
        None => layers::import_layers(world, request, notes),
        Some(_) => packages::import_packages(world, request, format, notes),
    }
}
