//! The rows of one project.

use std::collections::BTreeMap;
use std::path::Path;

use agpm_diag::{Failure, FailureKind, Notes, Severity, codes};
use agpm_model::{LOCK_NAME, Lockfile, Manifest, Pin, PinSource, ResourceExtent};
use agpm_resolve::add_locked_sources;
use agpm_text::{Format, NodeRef, parse_alone};

use crate::drift::VerifyReport;
use crate::install::policies::ProjectPolicies;
use crate::install::url_of;
use crate::outdated::{OutdatedReport, OutdatedRequest, outdated};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::packages::read_lock;
use crate::project::reading::limit;
use crate::project::world::{ProgramUse, World};
use crate::report::judged_lock::denials;
use crate::report::row::{ProjectRows, ResourceRow};
use crate::verify::{SourceUse, find_drift};

/// Whether the installed files of a project are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiskUse {
    /// They are compared with the locked content as far as it is in the cache, else with the checksums of lockfile and
    /// ledger.
    Compared,
    /// There are none.
    Absent,
}

/// The resources of a project. One that cannot be read has a reason instead of rows.
pub(super) fn project_rows(
    world: &World,
    name: String,
    manifest: &Path,
    disk: DiskUse,
) -> ProjectRows {
    let mut project = world.clone();
    project.environment.manifest = Some(manifest.to_owned());
    if let Some(directory) = manifest.parent() {
        project.environment.working_directory = directory.to_owned();
    }
    project.environment.programs = ProgramUse::Never;
    let mut notes = Notes::default();
    match rows(&project, disk, &mut notes) {
        Ok(rows) => ProjectRows {
            project: name,
            rows,
            ..ProjectRows::default()
        },
        Err(failure) => ProjectRows {
            project: name,
            error: Some(reason(failure, &notes)),
            ..ProjectRows::default()
        },
    }
}

/// The first error in one line.
pub(super) fn reason(failure: Failure, notes: &Notes) -> String {
    let errors = notes.diagnostics.iter();
    let mut errors = errors.filter(|found| found.severity == Severity::Error);
    let found = failure.diagnostic.as_ref().or_else(|| errors.next());
    found.map_or_else(|| "unknown".to_owned(), |found| found.shown_message())
}

fn rows(world: &World, disk: DiskUse, notes: &mut Notes) -> Result<Vec<ResourceRow>, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let directory = files.directory().to_owned();
    let Some((lock, _)) = read_lock(&world.environment, &store, notes)? else {
        return Ok(Vec::new());
    };
    let (policy_files, manifest) = match Project::of(world, files, notes) {
        Ok(mut project) => {
            let files = std::mem::take(&mut project.policy_files);
            (files, project.manifest)
        }
        // A base that cannot be reached hides nothing that the lockfile has.
        Err(failure) if failure.kind == FailureKind::Network => (Vec::new(), Manifest::default()),
        Err(failure) => return Err(failure),
    };
    let mut manifest = manifest;
    add_locked_sources(&mut manifest, &lock);
    let policies = ProjectPolicies::read(policy_files, &manifest, notes)?;
    let facts = RowFacts {
        manifest: &manifest,
        denied: denials(&manifest, &lock, policies.set()),
        signers: signers(&directory.join(LOCK_NAME)),
        // Newer versions are unknown where one source cannot be reached.
        newer: outdated(world, &OutdatedRequest::default()).result.ok(),
        drift: match disk {
            DiskUse::Absent => None,
            DiskUse::Compared => Some(FoundDrift::of(world)?),
        },
    };
    Ok(facts.rows(&lock))
}

/// What is known about the resources of a project besides its lockfile.
struct RowFacts<'a> {
    manifest: &'a Manifest,
    denied: BTreeMap<String, Vec<String>>,
    signers: BTreeMap<String, String>,
    newer: Option<OutdatedReport>,
    drift: Option<FoundDrift>,
}

/// How the installed files differ.
struct FoundDrift {
    report: VerifyReport,
    /// Whether all of them were compared.
    coverage: DriftCoverage,
}

/// The files that a comparison covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DriftCoverage {
    /// All.
    Whole,
    /// Single files: the checksum of a directory is not the one of its files on disk.
    SingleFiles,
}

impl FoundDrift {
    fn of(world: &World) -> Result<Self, Failure> {
        let mut notes = Notes::default();
        let report = find_drift(world, SourceUse::CachedOnly, &mut notes)?;
        let mut found = notes.diagnostics.iter();
        let is_partial = found.any(|one| *one.code == codes::SOURCE_OFFLINE);
        Ok(FoundDrift {
            report,
            coverage: if is_partial {
                DriftCoverage::SingleFiles
            } else {
                DriftCoverage::Whole
            },
        })
    }

    /// Whether files of a resource were edited, and whether some are missing; nothing if it was not compared.
    fn state(&self, id: &str, extent: ResourceExtent) -> Option<(bool, bool)> {
        let (mut modified, mut missing) = (false, false);
        for found in &self.report.findings {
            if found.resource.to_string() != id {
                continue;
            }
            if found.is_missing() {
                missing = true;
            } else {
                modified = true;
            }
        }
        let is_compared = self.coverage == DriftCoverage::Whole || extent == ResourceExtent::File;
        (is_compared || modified || missing).then_some((modified, missing))
    }
}

impl RowFacts<'_> {
    fn rows(&self, lock: &Lockfile) -> Vec<ResourceRow> {
        let mut rows = Vec::new();
        for entry in &lock.entries {
            rows.push(self.row(entry.label(), entry.pin.as_ref(), entry.unit.extent));
        }
        for layer in &lock.layers {
            let extent = ResourceExtent::Directory;
            rows.push(self.row(layer.name.label(), layer.pin.as_ref(), extent));
        }
        rows.sort_by(|a, b| a.id.cmp(&b.id));
        rows.dedup_by(|a, b| a.id == b.id);
        rows
    }

    fn row(&self, id: String, pin: Option<&Pin>, extent: ResourceExtent) -> ResourceRow {
        let reasons = self.denied.get(&id).cloned().unwrap_or_default();
        let newer = self.newer.as_ref().map(|report| {
            let mut rows = report.outdated.iter();
            rows.find(|row| row.id == id)
        });
        let drift = self.drift.as_ref();
        let drift = drift.and_then(|drift| drift.state(&id, extent));
        ResourceRow {
            version: pin.map(|pin| pin.version.to_string()),
            commit: pin.map(|pin| pin.commit.to_string()),
            url: pin.and_then(|pin| self.url(&pin.source)),
            modified: drift.map(|(modified, _)| modified),
            missing: drift.map(|(_, missing)| missing),
            // A file of the project has no versions.
            outdated: match pin {
                Some(_) => newer.map(|row| row.is_some()),
                None => Some(false),
            },
            newest: newer.flatten().map(|row| row.newest.clone()),
            denied: !reasons.is_empty(),
            reasons,
            signer: self.signers.get(&id).cloned(),
            id,
        }
    }

    fn url(&self, source: &PinSource) -> Option<String> {
        url_of(self.manifest, source)
    }
}

/// The signer of each resource, where the lockfile records one.
fn signers(lockfile: &Path) -> BTreeMap<String, String> {
    let mut signers = BTreeMap::new();
    let bytes = agpm_store::read(lockfile, limit()).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let parsed = parse_alone(text, Format::Toml);
    let Some(root) = parsed.document.root() else {
        return signers;
    };
    let text_of = |node: NodeRef<'_>, key: &str| node.get(key)?.as_str().map(str::to_owned);
    for (section, list) in root.entries() {
        for item in list.items() {
            if let (Some(name), Some(signer)) = (text_of(item, "name"), text_of(item, "signer")) {
                signers.insert(format!("{}/{name}", section.content()), signer);
            }
        }
    }
    signers
}
