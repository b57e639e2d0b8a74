//! `agpm explain FILE --blame`: shows an installed file with the origin of each line.

use crate::explain::{ExplainReport, ExplainedValues};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes};
use agpm_merge::{BlameLine, blame_lines};
use agpm_store::{self as store, StoreError};
use agpm_text::Format;
use serde::Serialize;

use crate::explain::{ExplainRequest, explain_subject};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::reading::{display_path, limit};
use crate::project::world::{ManifestUse, World};

/// A file with the origin of each line.
#[derive(Clone, Debug, Serialize)]
pub struct BlameReport {
    /// The path of the file, relative to the working directory.
    pub path: String,
    /// The lines in file order.
    pub lines: Vec<BlameLine>,
}

/// Shows the origin of each line of an installed file.
pub fn blame(world: &World, request: &ExplainRequest) -> Outcome<BlameReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &ExplainRequest, notes: &mut Notes) -> Result<BlameReport, Failure> {
    if request.pointer.is_some() || !request.inputs.files.is_empty() {
        return Err(wrong_use("`--blame` shows a whole installed file"));
    }
    let values = match explain_subject(world, request, notes)? {
        ExplainReport::Values(values) => values,
        ExplainReport::Page(_) => return Err(wrong_use("`--blame` needs a file")),
    };
    let file = installed_file(&values);
    let environment = &world.environment;
    let root = ManifestFiles::find(environment, ManifestUse::Nearest)?;
    let root = root.map(|files| files.root().to_owned());
    let inside = root.map(|root| root.join(&file));
    let bytes = match inside.map(|path| store::read(&path, limit())) {
        Some(Ok(bytes)) => Ok(bytes),
        _ => store::read(&environment.resolve(file.as_ref()), limit()),
    };
    let seen = |error: StoreError| error.seen_from(&environment.working_directory);
    let text = String::from_utf8_lossy(&bytes.map_err(seen)?).into_owned();
    let project = Project::load(world, ManifestUse::Nearest, notes)?;
    let ranks = project.manifest.layers.iter();
    let ranks: Vec<String> = ranks.map(|layer| layer.name.to_string()).collect();
    let format = Format::of_file(&file);
    Ok(BlameReport {
        lines: blame_lines(&text, format, &values.provenance, &ranks),
        path: display_path(environment, &environment.resolve(file.as_ref())),
    })
}

/// Returns the path of the explained file; for a resource, its first installed path.
fn installed_file(values: &ExplainedValues) -> String {
    let resource = values.resource.as_ref();
    let paths = resource.map(|resource| resource.placements.paths());
    let first = paths.and_then(|paths| paths.first().map(ToString::to_string));
    first.unwrap_or_else(|| values.name.name.clone())
}

fn wrong_use(message: &str) -> Failure {
    let help = "name the file alone, as in `agpm explain .claude/settings.json --blame`";
    Failure::new(
        FailureKind::Usage,
        Diagnostic::new(&codes::USAGE, message).help(help),
    )
}
