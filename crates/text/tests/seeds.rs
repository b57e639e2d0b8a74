//! The checks of the fuzz targets, on their seeds.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

use std::path::Path;

use agpm_text::Format;

#[path = "../../../fuzz/checks.rs"]
#[allow(dead_code, unreachable_pub)]
mod checks;

/// All seeds with their formats, which are the names of their directories.
fn seeds() -> Vec<(Format, String)> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus-seeds");
    let directories = [
        ("json", Format::Json),
        ("jsonc", Format::Jsonc),
        ("yaml", Format::Yaml),
        ("toml", Format::Toml),
        ("csv", Format::Csv),
        ("markdown", Format::Markdown),
    ];
    let mut all = Vec::new();
    for (directory, format) in directories {
        for file in std::fs::read_dir(seeds.join(directory)).unwrap() {
            all.push((
                format,
                std::fs::read_to_string(file.unwrap().path()).unwrap(),
            ));
        }
    }
    assert!(all.len() > directories.len());
    all
}

#[test]
fn seeds_are_read_and_written_without_loss() {
    for (format, text) in seeds() {
        checks::check_reading(&text, format);
    }
}

#[test]
fn seeds_can_be_edited_everywhere() {
    for (format, text) in seeds().iter().filter(|(format, _)| *format != Format::Csv) {
        // Not every value at every pointer: that is the job of the fuzz target.
        for (pointer, verb) in
            (0..24).flat_map(|pointer| (0..checks::VERBS).map(move |verb| (pointer, verb)))
        {
            for value in 0..4 {
                checks::check_edit(text, *format, verb, pointer, pointer + verb + value * 3);
            }
        }
    }
}
