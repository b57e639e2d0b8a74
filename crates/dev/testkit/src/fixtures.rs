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
        let sandbox = Sandbox::new(program);
        copy(&fixture, &fixture, &sandbox);
        failures.extend(check_script(&sandbox, &fixture.join(SCRIPT)).err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn copy(root: &Path, folder: &Path, sandbox: &Sandbox) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            copy(root, &path, sandbox);
        } else if path.file_name().is_some_and(|name| name != SCRIPT) {
            let inside = path.strip_prefix(root).unwrap().display().to_string();
            sandbox.write(&inside, std::fs::read(&path).unwrap());
        }
    }
}
