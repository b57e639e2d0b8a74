//! An install with nothing to do reads no file that is as it was when it was last read. Everything that must not rely on
//! anything but bytes reads them all.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use agpm_testkit::{CommandOutput, Repository, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const FILE: &str = ".claude/agents/a.md";
const OTHER: &str = ".claude/agents/b.md";

/// A project with two agents of a repository.
fn project() -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    let mut source = Repository::init(&sandbox, "source");
    source.commit(&[("agents/a.md", "a\n"), ("agents/b.md", "b\n")]);
    source.tag("v1.0.0");
    sandbox.write(
        "agpm.toml",
        "[sources]\ns = \"./source\"\n\n[agents]\nall = { source = \"s\", path = \"agents/*.md\", version = \"^1\" }\n",
    );
    good(&sandbox, "agpm install");
    sandbox
}

fn good(sandbox: &Sandbox, line: &str) -> CommandOutput {
    let output = sandbox.run_line(line);
    assert_eq!(output.code, Some(0), "{line}\n{output}");
    output
}

fn record(sandbox: &Sandbox) -> PathBuf {
    sandbox.work().join(".agpm/seen")
}

/// Waits until the files are old enough to be recorded, and records them.
fn record_files(sandbox: &Sandbox) -> String {
    sleep(Duration::from_millis(200));
    good(sandbox, "agpm install");
    fs::read_to_string(record(sandbox)).unwrap()
}

/// The identity of a file in the record.
fn identity(sandbox: &Sandbox, path: &str) -> String {
    let file = fs::metadata(sandbox.work().join(path)).unwrap();
    format!(
        "{} {}.{} {}.{} {} {} {:o}",
        file.len(),
        file.mtime(),
        file.mtime_nsec(),
        file.ctime(),
        file.ctime_nsec(),
        file.dev(),
        file.ino(),
        file.mode()
    )
}

/// Changes a file, and lets the record state that it has not changed since.
fn change_unnoticed(sandbox: &Sandbox, path: &str) {
    let before = identity(sandbox, path);
    sandbox.write(path, "x\n");
    let text = fs::read_to_string(record(sandbox)).unwrap();
    assert!(text.contains(&before), "{before}\n{text}");
    fs::write(
        record(sandbox),
        text.replace(&before, &identity(sandbox, path)),
    )
    .unwrap();
}

#[test]
fn only_an_install_with_nothing_to_do_relies_on_the_record() {
    let sandbox = project();
    let text = record_files(&sandbox);
    assert!(text.contains(FILE) && text.contains(OTHER), "{text}");
    change_unnoticed(&sandbox, FILE);
    // The file is not read, so the change is not seen.
    let output = good(&sandbox, "agpm install");
    assert!(output.to_string().contains("up to date"), "{output}");
    assert!(!output.to_string().contains("edited"), "{output}");
    for line in ["agpm verify", "agpm ci", "agpm install --frozen --check"] {
        let output = sandbox.run_line(line);
        assert_ne!(output.code, Some(0), "{line}\n{output}");
    }
    let status = good(&sandbox, "agpm status");
    assert!(status.stdout.contains("modified"), "{status}");
}

#[test]
fn a_change_of_content_is_seen_whatever_else_stays() {
    let sandbox = project();
    record_files(&sandbox);
    let path = sandbox.work().join(FILE);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    // The same size, modification time and inode; only the change time is another.
    sandbox.write(FILE, "x\n");
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(modified).unwrap();
    drop(file);
    let output = good(&sandbox, "agpm install");
    assert!(output.to_string().contains("modified locally"), "{output}");
}

#[test]
fn the_record_is_written_only_by_an_install_that_adds_to_it() {
    let sandbox = project();
    let before = record_files(&sandbox);
    // A run with nothing new to record leaves the file alone, and a dry run records nothing.
    let written = fs::metadata(record(&sandbox)).unwrap().modified().unwrap();
    good(&sandbox, "agpm install");
    let now = fs::metadata(record(&sandbox)).unwrap().modified().unwrap();
    assert_eq!(written, now);
    fs::remove_file(record(&sandbox)).unwrap();
    good(&sandbox, "agpm install --dry-run");
    assert!(!record(&sandbox).exists());
    good(&sandbox, "agpm install");
    assert_eq!(fs::read_to_string(record(&sandbox)).unwrap(), before);
}

#[test]
fn the_record_goes_with_the_project() {
    let sandbox = project();
    record_files(&sandbox);
    good(&sandbox, "agpm remove agents/all");
    let left = fs::read_dir(sandbox.work().join(".agpm"));
    let names = left.into_iter().flatten().flatten();
    let names: Vec<String> = names
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    good(&sandbox, "agpm undo");
    good(&sandbox, "agpm verify");
    assert!(
        !names.iter().any(|name| name.starts_with("seen.")),
        "{names:?}"
    );
}
