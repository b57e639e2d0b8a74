//! How the code reads, in figures: sizes, arguments, names, import cycles.
//!
//! They are there to be looked at. Only import cycles and tuple parameters are checked; clippy limits arguments.

mod figures;
mod imports;
mod items;
mod limits;
mod names;
mod report;
pub(crate) mod source;

use std::path::{Path, PathBuf};
use std::{fs, io};

use figures::CrateFigures;

/// Crates for development, which are not part of the product.
pub(crate) const DEVELOPMENT: &[&str] = &["testkit", "xtask"];

/// The tables of all figures: each crate, and all crates that are part of the product together.
pub(crate) fn report(root: &Path) -> io::Result<String> {
    let crates = measure_crates(root)?;
    let (development, mut rows): (Vec<CrateFigures>, Vec<CrateFigures>) = crates
        .into_iter()
        .partition(|figures| DEVELOPMENT.contains(&figures.name.as_str()));
    let product = CrateFigures::sum(report::SUM, &rows);
    rows.push(product);
    rows.extend(development);
    Ok(report::tables(&rows))
}

/// Returns the figures over a limit.
pub(crate) fn violations(root: &Path) -> Vec<String> {
    match measure_crates(root) {
        Ok(crates) => crates.iter().flat_map(limits::violations).collect(),
        Err(error) => vec![error.to_string()],
    }
}

fn measure_crates(root: &Path) -> io::Result<Vec<CrateFigures>> {
    let mut crates = Vec::new();
    for directory in crate_directories(root)? {
        crates.push(CrateFigures::of_crate(&directory)?);
    }
    Ok(crates)
}

/// Every crate of the workspace, sorted.
pub(crate) fn crate_directories(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut directories = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let path = entry?.path();
        if path.join("Cargo.toml").is_file() {
            directories.push(path);
        }
    }
    directories.sort();
    Ok(directories)
}
