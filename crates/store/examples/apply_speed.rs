//! How long a transaction takes beside plainly writing the same files: `cargo run --release --example apply_speed`.
#![allow(clippy::print_stdout, reason = "it is a program")]

use std::borrow::Cow;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use agpm_model::FileMode as Mode;
use agpm_model::RelativePath;
use agpm_store::{ExpectedFile, FileChange, LockWait, ProjectStore, Transaction};

const FILES: usize = 1_000;
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = "Twenty-four bytes, yes.\n".repeat(100).into_bytes();
    let names: Vec<String> = (0..FILES)
        .map(|n| format!("skills/group{}/skill{n}/SKILL.md", n % 20))
        .collect();
    let (mut plain, mut applied) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let temp = tempfile::tempdir()?;
        plain.push(write_plainly(temp.path(), &names, &bytes)?);
        let temp = tempfile::tempdir()?;
        applied.push(apply(temp.path(), &names, &bytes)?);
    }
    plain.sort();
    applied.sort();
    println!(
        "{FILES} files of {} bytes: plain {:?}, transaction {:?} (medians of {ROUNDS})",
        bytes.len(),
        plain[ROUNDS / 2],
        applied[ROUNDS / 2]
    );
    Ok(())
}

fn write_plainly(
    project: &Path,
    names: &[String],
    bytes: &[u8],
) -> Result<Duration, Box<dyn Error>> {
    let start = Instant::now();
    for name in names {
        let path = project.join(name);
        fs::create_dir_all(path.parent().unwrap_or(project))?;
        fs::write(path, bytes)?;
    }
    Ok(start.elapsed())
}

fn apply(project: &Path, names: &[String], bytes: &[u8]) -> Result<Duration, Box<dyn Error>> {
    let mut changes = Vec::new();
    for name in names {
        let path = RelativePath::new(name)?;
        let bytes = Cow::Borrowed(bytes);
        changes.push(FileChange::Write {
            path,
            bytes,
            mode: Mode::Plain,
            before: ExpectedFile::Missing,
        });
    }
    let transaction = Transaction {
        title: "install".to_owned(),
        changes,
    };
    let start = Instant::now();
    let store = ProjectStore::open(project)?;
    let lock = store.lock(LockWait::Fail)?;
    store.apply(&lock, &transaction, &|_| {})?;
    Ok(start.elapsed())
}
