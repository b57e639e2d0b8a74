//! A short run of the fuzz targets that needs no fuzzer: the seeds, and the same changes of each at every run.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};

#[path = "../../../fuzz/entries.rs"]
#[allow(unreachable_pub, missing_docs)]
mod entries;

/// Changed copies of each seed.
const VARIANTS: u64 = 120;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn seeds(entry: &str) -> Vec<Vec<u8>> {
    let directory = fuzz().join("corpus-seeds").join(entry);
    let files = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{entry}: {error}"));
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

/// A number that looks random and is the same at every run.
fn next(state: &mut u64) -> usize {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*state >> 33).unwrap()
}

/// A seed with some bytes changed, removed, repeated, or taken from another seed.
fn changed(seed: &[u8], other: &[u8], state: &mut u64) -> Vec<u8> {
    const ODD: &[u8] = b"\0\n\r\t\"'\\/.:*?#[]{}()<>|&;$`~^=,- \xff\xc3\xe2\x80\xae";
    let mut bytes = seed.to_vec();
    for _ in 0..1 + next(state) % 4 {
        let at = next(state) % (bytes.len() + 1);
        match next(state) % 5 {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, ODD[next(state) % ODD.len()]),
            2 => drop(bytes.drain(at..(at + next(state) % 16).min(bytes.len()))),
            3 => {
                let piece: Vec<u8> = bytes[at..(at + 24).min(bytes.len())].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let from = next(state) % (other.len() + 1);
                let piece = &other[from..(from + 32).min(other.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn every_entry_holds_for_its_seeds_and_their_changes() {
    for (entry, check) in entries::ENTRIES {
        let seeds = seeds(entry);
        assert!(seeds.len() >= 2, "{entry} has {} seeds", seeds.len());
        let mut state = 7;
        for (number, seed) in seeds.iter().enumerate() {
            check(seed);
            let other = &seeds[(number + 1) % seeds.len()];
            for _ in 0..VARIANTS {
                check(&changed(seed, other, &mut state));
            }
        }
    }
}

#[test]
fn every_entry_has_a_target() {
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for (entry, check) in entries::ENTRIES {
        let target = fuzz().join(format!("fuzz_targets/{entry}.rs"));
        let text = std::fs::read_to_string(&target).unwrap_or_default();
        assert!(
            text.contains(&format!("entries::check_{entry}(")),
            "{entry}"
        );
        assert!(
            manifest.contains(&format!("path = \"fuzz_targets/{entry}.rs\"")),
            "{entry}"
        );
        let _ = check;
    }
}
