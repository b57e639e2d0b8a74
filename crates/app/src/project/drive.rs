//! Merges files with an executable that a strategy names.

use std::time::Duration;

use agpm_diag::Failure;
use agpm_merge::RawFile;
use agpm_model::{LayerName, MergeDriver};
use agpm_store::{self as store, DriverCall};

use crate::project::permits::ProgramPermit;

/// Promised by docs/merging.md.
// An executable that waits for input would hold the lock of the project.
const DRIVER_TIME: Duration = Duration::from_secs(30);

/// Merges files with an executable, two at a time, from low to high rank.
pub(crate) fn drive(
    driver: &MergeDriver,
    permit: &ProgramPermit,
    strategy: &str,
    files: Vec<RawFile>,
) -> Result<RawFile, Failure> {
    let path = files[0].display_name.clone();
    let layer = LayerName::new(strategy).unwrap_or_else(|_| files[0].layer.clone());
    let name = path.rsplit('/').next().unwrap_or("file").to_owned();
    let mut files = files.into_iter();
    let mut bytes = files.next().map(|file| file.bytes).unwrap_or_default();
    for next in files {
        let call = DriverCall {
            command: &permit.command(driver),
            directory: permit.directory(driver),
            file_name: &name,
            limit: DRIVER_TIME,
        };
        bytes = store::run_driver(call, &bytes, &next.bytes)?;
    }
    Ok(RawFile {
        layer,
        display_name: format!("{strategy} -> {name}"),
        bytes,
    })
}
