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

/// The tables of all figures: each crate, and all crates that are part of the product together.
pub(crate) fn report(root: &Path) -> io::Result<String> {
    let mut rows = measure_groups(root, &["pure", "edge"])?;
    let product = CrateFigures::sum(report::SUM, &rows);
    rows.push(product);
    rows.extend(measure_groups(root, &["dev"])?);
    Ok(report::tables(&rows))
}

/// Returns the figures over a limit.
pub(crate) fn violations(root: &Path) -> Vec<String> {
    match measure_groups(root, &["pure", "edge", "dev"]) {
        Ok(crates) => crates.iter().flat_map(limits::violations).collect(),
        Err(error) => vec![error.to_string()],
    }
}

fn measure_groups(root: &Path, groups: &[&str]) -> io::Result<Vec<CrateFigures>> {
    let mut crates = Vec::new();
    for group in groups {
        let entries = fs::read_dir(root.join("crates").join(group))?;
        let mut directories: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("Cargo.toml").is_file())
            .collect();
        directories.sort();
        for directory in directories {
            crates.push(CrateFigures::of_crate(&directory)?);
        }
    }
    Ok(crates)
}
