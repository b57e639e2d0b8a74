//! How the code reads, in figures: sizes, arguments, names, import cycles.
//!
//! They are there to be looked at. Only three of them are checked, because no good reason ever raises them: import
//! cycles, tuple parameters and functions with many arguments.

mod figures;
mod imports;
mod items;
mod names;
mod records;
mod report;
pub(crate) mod source;

use std::path::{Path, PathBuf};
use std::{fs, io};

use figures::Figures;

/// The tables of all figures: each crate, and all crates that are part of the product together.
pub(crate) fn report(root: &Path) -> io::Result<String> {
    let mut rows = measure_groups(root, &["pure", "edge"])?;
    let product = Figures::sum(report::SUM, &rows);
    rows.push(product);
    rows.extend(measure_groups(root, &["dev"])?);
    Ok(report::tables(&rows))
}

/// What is worse than recorded, and records that could be lower.
pub(crate) fn violations(root: &Path) -> Vec<String> {
    match measure_groups(root, &["pure", "edge", "dev"]) {
        Ok(crates) => crates.iter().flat_map(records::violations).collect(),
        Err(error) => vec![error.to_string()],
    }
}

fn measure_groups(root: &Path, groups: &[&str]) -> io::Result<Vec<Figures>> {
    let mut crates = Vec::new();
    for group in groups {
        let entries = fs::read_dir(root.join("crates").join(group))?;
        let mut folders: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.join("Cargo.toml").is_file())
            .collect();
        folders.sort();
        for folder in folders {
            crates.push(Figures::of_crate(&folder)?);
        }
    }
    Ok(crates)
}
