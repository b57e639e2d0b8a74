//! `schema`: prints the same bare document that is stored with the references.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

use std::path::Path;

use agpm_testkit::Sandbox;

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

#[test]
fn a_schema_is_printed_bare() {
    let sandbox = Sandbox::new(PROGRAM);
    let stored = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../docs/reference/schema")
            .join(name);
        std::fs::read_to_string(path).unwrap()
    };
    for (line, name) in [
        ("agpm schema", "manifest.json"),
        ("agpm schema manifest", "manifest.json"),
        ("agpm --json schema", "manifest.json"),
        ("agpm schema lock", "lock.json"),
        ("agpm schema persona", "persona.json"),
        ("agpm -q schema lock --json", "lock.json"),
    ] {
        let output = sandbox.run_line(line);
        assert_eq!(
            (output.code, output.stderr.as_str()),
            (Some(0), ""),
            "{line}\n{output}"
        );
        assert_eq!(output.stdout, stored(name), "{line}");
    }
    let output = sandbox.run_line("agpm schema nothing");
    assert_eq!(output.code, Some(2), "{output}");
}
