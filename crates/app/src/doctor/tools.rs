//! Shows the versions of the tools that resources are installed for. No tool is executed, because it could update
//! itself or write to home; the version is read from the package that contains the executable.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use agpm_diag::{Failure, Notes};
use agpm_model::{LockEntry, ToolName};
use agpm_text::{Format, NodeRef, parse_alone};
use agpm_tools::{Executable, find};

use crate::doctor::check::{DoctorRequest, project};
use crate::doctor::{CheckSummary, tool_line};
use crate::project::packages::read_lock;
use crate::project::reading::limit;
use crate::project::world::World;

/// The number of parent directories of an executable in which its `package.json` is searched.
const DEEPEST_EXECUTABLE: usize = 5;

pub(super) fn check(
    world: &World,
    _: &DoctorRequest,
    notes: &mut Notes,
) -> Result<CheckSummary, Failure> {
    let Ok((_, store)) = project(world, notes) else {
        return Ok(CheckSummary::Silent);
    };
    let lock = read_lock(&world.environment, &store, &mut Notes::default());
    let (lock, _) = lock.ok().flatten().unwrap_or_default();
    let used: BTreeSet<&ToolName> = lock.entries.iter().flat_map(LockEntry::tools).collect();
    let mut found = Vec::new();
    for tool in used {
        let executable = find(tool.as_str()).and_then(|tool| tool.executable.as_ref());
        let version = executable.and_then(|path| installed_version(world, path));
        found.extend(
            executable
                .zip(version)
                .map(|(path, version)| tool_line(tool, path, &version)),
        );
    }
    if found.is_empty() {
        return Ok(CheckSummary::Silent);
    }
    Ok(CheckSummary::Line(found.join(", ")))
}

/// Returns the version in the `package.json` of the package that contains the first executable of that name.
fn installed_version(world: &World, executable: &Executable) -> Option<String> {
    let directories = world.environment.executables.iter();
    let mut paths = directories.map(|directory| directory.join(executable.name));
    let path = paths.find(|path| agpm_store::exists(path))?;
    let real = agpm_store::real_path(&path);
    let above = real.ancestors().skip(1).take(DEEPEST_EXECUTABLE);
    above.map(Path::to_owned).find_map(package_version)
}

fn package_version(directory: PathBuf) -> Option<String> {
    let bytes = agpm_store::read(&directory.join("package.json"), limit()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let parsed = parse_alone(text, Format::Json);
    let version = parsed
        .document
        .root()?
        .get("version")
        .and_then(NodeRef::as_str)?;
    let is_plain = version
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || ".-+".contains(c));
    is_plain.then(|| version.to_owned())
}
