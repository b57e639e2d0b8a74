//! The files of a project as they were when they were last read, so unchanged ones are not read again.

use std::collections::HashMap;
use std::process;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use agpm_model::{Checksum, FileState, ObservedPath, RelativePath};
use cap_std::fs::Metadata;

use crate::directory_chain::DirectoryChain;
use crate::error::StoreError;
use crate::platform;
use crate::project::ProjectStore;
use crate::state::SEEN;
use crate::steps;

/// Returns whether this is the name of the record, or of one that a killed process did not finish.
pub(crate) fn is_seen_files(name: &str) -> bool {
    let rest = name.strip_prefix(SEEN);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A change this soon after the last one could have the same time, on a file system with fine times.
const FINE: Duration = Duration::from_millis(100);
/// The same where times are whole seconds: FAT has steps of two.
const COARSE: Duration = Duration::from_secs(2);

/// The record of files that were read, by path. It says nothing about a file whose identity has changed since.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SeenFiles {
    files: HashMap<String, SeenFile>,
}

/// One file of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SeenFile {
    checksum: Checksum,
    /// Size, times, device, inode and mode when the file was read.
    identity: String,
}

/// Paths as they are, and the record to keep of them.
#[derive(Debug, Default)]
pub struct SeenPaths {
    /// What is at each path, in the order of the paths.
    pub observed: Vec<ObservedPath>,
    kept: Vec<(String, SeenFile)>,
    /// The number of files that had to be read and need not be read again.
    read: usize,
}

impl SeenPaths {
    /// Joins observations, in order.
    #[must_use]
    pub fn join(parts: impl IntoIterator<Item = SeenPaths>) -> Self {
        let mut all = SeenPaths::default();
        for part in parts {
            all.observed.extend(part.observed);
            all.kept.extend(part.kept);
            all.read += part.read;
        }
        all
    }
}

impl SeenFiles {
    /// Reads one line per file: checksum, identity and path, separated by tabs. A line of another form is left out, and
    /// its file is read again.
    fn parse(text: &str) -> Self {
        let mut files = HashMap::new();
        for line in text.lines() {
            let mut parts = line.splitn(3, '\t');
            let (Some(checksum), Some(identity), Some(path)) =
                (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            if let Ok(checksum) = Checksum::from_str(checksum) {
                let identity = identity.to_owned();
                files.insert(path.to_owned(), SeenFile { checksum, identity });
            }
        }
        SeenFiles { files }
    }
}

impl ProjectStore {
    /// Reads the record; an unreadable one is empty.
    pub fn read_seen_files(&self) -> SeenFiles {
        let text = match self.state() {
            Ok(Some(state)) => state.read_to_string(SEEN).ok(),
            _ => None,
        };
        text.map(|text| SeenFiles::parse(&text)).unwrap_or_default()
    }

    /// Observes many paths as [`ProjectStore::observe_all`] does, but reads only files that changed since they were
    /// recorded. Not for commands that must not rely on anything but the bytes.
    pub fn observe_changed(
        &self,
        paths: &[&RelativePath],
        seen: &SeenFiles,
    ) -> Result<SeenPaths, StoreError> {
        let mut chain = DirectoryChain::new(&self.root);
        let mut found = SeenPaths::default();
        for path in paths {
            // The time before the metadata, and the metadata before the bytes: whatever changes in between has
            // another identity the next time.
            let now = SystemTime::now();
            let metadata = chain
                .parent(path)
                .and_then(|directory| directory.symlink_metadata(path.file_name()))
                .ok()
                .filter(Metadata::is_file);
            let identity = metadata.as_ref().and_then(FileIdentity::of);
            let recorded = seen.files.get(path.as_str());
            if let (Some(identity), Some(recorded), Some(metadata)) =
                (&identity, recorded, &metadata)
                && identity.text == recorded.identity
            {
                let mode = platform::bits_of(metadata).into();
                let checksum = recorded.checksum;
                found
                    .observed
                    .push(ObservedPath::File(FileState { checksum, mode }));
                found
                    .kept
                    .push((path.as_str().to_owned(), recorded.clone()));
                continue;
            }
            let observed = self.observe_path(&mut chain, path)?.map(FileState::from);
            found.observed.push(observed);
            let settled = identity.filter(|identity| identity.is_settled(now));
            if let (Some(identity), Some(checksum)) = (settled, observed.checksum()) {
                let identity = identity.text;
                let file = SeenFile { checksum, identity };
                found.kept.push((path.as_str().to_owned(), file));
                found.read += 1;
            }
        }
        Ok(found)
    }

    /// Writes the record if it saves reading any file again. Errors are ignored: without a record, files are read.
    pub fn write_seen_files(&self, found: &SeenPaths) {
        if found.read > 0 {
            let _ = self.try_write_seen(found);
        }
    }

    fn try_write_seen(&self, found: &SeenPaths) -> std::io::Result<()> {
        use std::fmt::Write as _;
        let Ok(Some(state)) = self.state() else {
            return Ok(());
        };
        let mut text = String::new();
        for (path, file) in &found.kept {
            let _ = writeln!(text, "{}\t{}\t{path}", file.checksum, file.identity);
        }
        // No lock is held: other processes read either record whole, and each is true of the files it names.
        let name = format!("{SEEN}.{}", process::id());
        steps::ignore_not_found(steps::remove_file(&state, &name))?;
        drop(steps::write_new(
            &state,
            &name,
            text.as_bytes(),
            platform::PermissionBits::PLAIN,
        )?);
        steps::rename(&state, &name, &state, SEEN)
    }
}

/// Everything about a file that changes when its content does.
struct FileIdentity {
    text: String,
    changed: SystemTime,
    resolution: Duration,
}

impl FileIdentity {
    /// Returns `None` where the system gives files no identity.
    fn of(metadata: &Metadata) -> Option<Self> {
        let trace = platform::change_trace_of(metadata)?;
        Some(FileIdentity {
            text: trace.text,
            changed: trace.changed,
            resolution: if trace.has_fine_times { FINE } else { COARSE },
        })
    }

    /// Returns whether every change after `now` is visible in the times.
    fn is_settled(&self, now: SystemTime) -> bool {
        now.duration_since(self.changed)
            .is_ok_and(|age| age > self.resolution)
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::thread::sleep;

    use super::*;

    fn path(path: &str) -> RelativePath {
        RelativePath::new(path).unwrap()
    }

    /// Observes `a` with the record on disk, and writes the new one; returns the checksum and whether it was read.
    fn observe(store: &ProjectStore) -> (Checksum, bool) {
        let found = store
            .observe_changed(&[&path("a")], &store.read_seen_files())
            .unwrap();
        store.write_seen_files(&found);
        (found.observed[0].checksum().unwrap(), found.read > 0)
    }

    #[test]
    fn a_file_is_read_again_only_if_anything_about_it_changed() {
        let temp = tempfile::tempdir().unwrap();
        let (file, store) = (
            temp.path().join("a"),
            ProjectStore::open(temp.path()).unwrap(),
        );
        fs::create_dir(temp.path().join(".agpm")).unwrap();
        fs::write(&file, "1").unwrap();
        // A change within the resolution of the clock would not show.
        let metadata = store.root.symlink_metadata("a").unwrap();
        let identity = FileIdentity::of(&metadata).unwrap();
        assert!(!identity.is_settled(identity.changed + identity.resolution));
        assert!(identity.is_settled(identity.changed + identity.resolution * 2));
        sleep(FINE * 2);
        assert_eq!(observe(&store), (Checksum::of(b"1"), true));
        assert_eq!(observe(&store), (Checksum::of(b"1"), false));

        // Same size and modification time; only the change time shows it.
        let modified = fs::metadata(&file).unwrap().modified().unwrap();
        fs::write(&file, "2").unwrap();
        fs::File::options()
            .write(true)
            .open(&file)
            .unwrap()
            .set_modified(modified)
            .unwrap();
        assert_eq!(observe(&store).0, Checksum::of(b"2"));
        sleep(FINE * 2);
        assert_eq!(observe(&store), (Checksum::of(b"2"), true));

        // Another file at the path, with the same size and modification time.
        let other = temp.path().join("other");
        fs::write(&other, "3").unwrap();
        fs::File::options()
            .write(true)
            .open(&other)
            .unwrap()
            .set_modified(modified)
            .unwrap();
        fs::rename(&other, &file).unwrap();
        assert_eq!(observe(&store).0, Checksum::of(b"3"));
    }

    #[test]
    fn the_record_is_believed_for_an_unchanged_file_and_dropped_if_unreadable() {
        let temp = tempfile::tempdir().unwrap();
        let (file, store) = (
            temp.path().join("a"),
            ProjectStore::open(temp.path()).unwrap(),
        );
        let record = temp.path().join(".agpm").join(SEEN);
        fs::create_dir(temp.path().join(".agpm")).unwrap();
        fs::write(&file, "1").unwrap();
        sleep(FINE * 2);
        observe(&store);
        let text = fs::read_to_string(&record).unwrap();
        let forged = text.replace(&Checksum::of(b"1").digits(), &Checksum::of(b"2").digits());
        fs::write(&record, forged).unwrap();
        assert_eq!(observe(&store), (Checksum::of(b"2"), false));
        for broken in ["", "x", "sha256:1\t2\ta\n", "\t\t\n", "\u{0}"] {
            fs::write(&record, broken).unwrap();
            assert_eq!(observe(&store), (Checksum::of(b"1"), true), "{broken:?}");
        }
    }

    #[test]
    fn without_a_state_nothing_is_written() {
        let temp = tempfile::tempdir().unwrap();
        let store = ProjectStore::open(temp.path()).unwrap();
        fs::write(temp.path().join("a"), "1").unwrap();
        sleep(FINE * 2);
        observe(&store);
        assert!(!temp.path().join(".agpm").exists());
    }
}
