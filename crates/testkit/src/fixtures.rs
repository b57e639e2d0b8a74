use std::path::{Path, PathBuf};

use crate::sandbox::Sandbox;
use crate::script::check_script;

/// The document of a fixture, with the commands and their output.
const SCRIPT: &str = "fixture.md";

/// Runs every fixture in `directory`: its files are the working directory, its `fixture.md` is run and compared. A
/// directory without a `fixture.md` contains fixtures. All failures are reported together.
pub fn each_fixture(directory: &Path, program: &str) {
    let mut failures = Vec::new();
    for fixture in fixtures(directory) {
        let sandbox = Sandbox::of_example(program, &fixture, "");
        failures.extend(check_script(&sandbox, &fixture.join(SCRIPT)).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn fixtures(directory: &Path) -> Vec<PathBuf> {
    let mut directories: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    directories.sort();
    assert!(
        !directories.is_empty(),
        "no fixtures in {}",
        directory.display()
    );
    let below = |directory: PathBuf| {
        if directory.join(SCRIPT).exists() {
            vec![directory]
        } else {
            fixtures(&directory)
        }
    };
    directories.into_iter().flat_map(below).collect()
}
