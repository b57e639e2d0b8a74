//! Every threat of the threat model names a test that exists.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::Path;

/// Who has a section in `docs/threat-model.md`.
const ADVERSARIES: [&str; 10] = [
    "package",
    "layer",
    "cloned",
    "plugin",
    "marketplace",
    "base",
    "cache",
    "server of sources",
    "client of the MCP server",
    "neighbor",
];

#[test]
fn every_threat_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/threat-model.md")).unwrap();
    let mut missing = Vec::new();
    let mut threats = 0;
    let rows = page.lines().filter(|line| line.starts_with("| "));
    for row in rows.filter(|row| !row.starts_with("| it tries to")) {
        threats += 1;
        let named = row.split('`').find(|part| part.contains("::"));
        let Some((file, test)) = named.and_then(|named| named.split_once("::")) else {
            missing.push(format!("no test: {row}"));
            continue;
        };
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        if !text.contains(&format!("#[test]\nfn {test}()")) {
            missing.push(format!("{file} has no test {test}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(threats > 40, "{threats}");
    for adversary in ADVERSARIES {
        let has_section = page
            .lines()
            .any(|line| line.starts_with("## ") && line.contains(adversary));
        assert!(has_section, "{adversary}");
    }
}
