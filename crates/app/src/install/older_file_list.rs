//! Files that an older program installed without recording their checksum.

use std::collections::BTreeSet;

use agpm_compose::RenderedResource;
use agpm_model::{
    Checksum, FileMode, InstallMode, LockWriter, Lockfile, ObservedPath, RelativePath, ResourceId,
};
use agpm_plan::{Author, Ledger, OwnedFile};

/// A file of an older program.
#[derive(Debug, PartialEq, Eq)]
pub struct OlderFile {
    /// Its path.
    pub path: RelativePath,
    owner: ResourceId,
    /// The contents that the program may have written.
    written: Vec<Checksum>,
}

/// The files of an older lockfile that the next install no longer writes, without those that the ledger has. `is_safe`
/// accepts the paths where an older program installs files.
pub fn older_files(
    lock: &Lockfile,
    resources: &[RenderedResource],
    ledger: &Ledger,
    is_safe: impl Fn(&RelativePath) -> bool,
) -> Vec<OlderFile> {
    let outputs = resources.iter().flat_map(|resource| &resource.output.files);
    let targets: BTreeSet<&RelativePath> = outputs.map(|file| &file.path).collect();
    let mut found = Vec::new();
    for locked in &lock.entries {
        let is_recorded = locked.writer == LockWriter::Agpm || locked.checksum.is_some();
        if is_recorded || !locked.kind.is_file() || locked.install != InstallMode::Write {
            continue;
        }
        // Older programs name local resources otherwise.
        let same: Vec<&RenderedResource> = resources
            .iter()
            .filter(|resource| {
                let entry = &resource.resolved.entry;
                entry.kind == locked.kind && entry.unit.to_string() == locked.unit.to_string()
            })
            .collect();
        let first = same.first();
        let owner = first.map_or_else(|| locked.id(), |resource| resource.resolved.id());
        // The program copied the source, or rendered and patched it as agpm does.
        let written: Vec<Checksum> = same
            .iter()
            .flat_map(|resource| {
                let files = resource.output.files.iter();
                let rendered = files.map(|file| file.checksum);
                std::iter::once(resource.resolved.resource.main.checksum).chain(rendered)
            })
            .collect();
        let paths = locked.paths().into_iter();
        let moved = paths.filter(|path| {
            !targets.contains(path) && !ledger.files.contains_key(path) && is_safe(path)
        });
        found.extend(moved.map(|path| OlderFile {
            path: path.clone(),
            owner: owner.clone(),
            written: written.clone(),
        }));
    }
    found
}

impl OlderFile {
    /// The record of the file. With other bytes it is treated as modified, so it is kept and reported.
    pub fn record(self, observed: &ObservedPath) -> Option<(RelativePath, OwnedFile)> {
        let ObservedPath::File(now) = observed else {
            return None;
        };
        let is_written = self.written.contains(&now.checksum);
        let checksum = if is_written {
            now.checksum
        } else {
            let first = self.written.first().copied();
            first.unwrap_or_else(|| Checksum::of(b""))
        };
        let owned = OwnedFile {
            checksum,
            source: None,
            mode: FileMode::Plain,
            owner: self.owner.into(),
            author: Author::Agpm,
            base: None,
            conflict: None,
        };
        Some((self.path, owned))
    }
}
