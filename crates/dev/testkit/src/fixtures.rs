use std::path::Path;

use crate::sandbox::Sandbox;
use crate::script::check_script;

/// The document in a fixture folder that says what to run and what comes out.
const SCRIPT: &str = "fixture.md";

/// Runs every fixture folder below `folder`: its files are the working folder, its `fixture.md` is run and compared.
/// All that fail are told at once.
pub fn each_fixture(folder: &Path, program: &str) {
    let mut failures = Vec::new();
    let mut folders: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(!folders.is_empty(), "no fixtures in {}", folder.display());
    for fixture in folders {
        let sandbox = Sandbox::of_example(program, &fixture, "");
        failures.extend(check_script(&sandbox, &fixture.join(SCRIPT)).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
