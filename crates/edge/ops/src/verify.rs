//! `agpm verify`: whether every installed file is as it was installed.

use std::collections::{BTreeMap, BTreeSet};

use agpm_diag::{Code, Diagnostic, Severity, codes};
use agpm_model::{LayerName, Locked, RelativePath};
use agpm_plan::{Ledger, NodeState, Observed, Owned, OwnedNodes, check_nodes};
use agpm_store::{ProjectStore, StoreError};
use agpm_text::Value;

use crate::failure::{Failure, Notes, Outcome};
use crate::gather::ManifestFiles;
use crate::install::{inputs_of, observe, read_ledger, shared};
use crate::packages::{LOCK_NAME, read_lock};
use crate::parallel;
use crate::world::World;

/// What was checked and found.
#[derive(Debug)]
pub struct VerifyReport {
    /// How many files were looked at.
    pub checked: usize,
    /// What is not as it was installed, by path.
    pub findings: Vec<Finding>,
}

/// A file that is not as it was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of finding it is.
    pub code: &'static Code,
    /// The file.
    pub path: RelativePath,
    /// The resource it belongs to, as `TYPE/NAME`.
    pub resource: String,
    /// What is wrong with it.
    pub message: String,
}

/// Checks every installed file.
pub fn verify(world: &World) -> Outcome<VerifyReport> {
    let mut notes = Notes::default();
    let result = find_drift(world, &mut notes);
    notes.outcome(result)
}

/// The same as a part of something larger.
pub(crate) fn find_drift(world: &World, notes: &mut Notes) -> Result<VerifyReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    if store.needs_recovery() {
        notes.diagnostics.push(interrupted());
    }
    let (lock, lock_text) = read_lock(&world.environment, &store, notes)?.unwrap_or_default();
    let ledger = read_ledger(&store)?;
    if ledger.inputs.is_some_and(|inputs| inputs != inputs_of(&files.fingerprint(), &lock_text)) {
        notes.diagnostics.push(moved_on());
    }
    let (files, composed): (Vec<&Locked>, Vec<&Locked>) =
        lock.entries.iter().partition(|entry| entry.kind.is_file());
    let locked: BTreeMap<&RelativePath, &Locked> =
        files.into_iter().filter_map(|entry| Some((entry.installed_at.as_ref()?, entry))).collect();
    let paths: BTreeSet<&RelativePath> = locked.keys().copied().chain(ledger.files.keys()).collect();
    let unlisted = paths.iter().filter(|path| !ledger.files.contains_key(**path)).count();
    let labels: BTreeSet<String> = composed.iter().map(|entry| entry.label()).collect();
    let check = |path: &RelativePath| find(&store, path, &locked, &labels, &ledger);
    let mut findings = Vec::new();
    for found in parallel::map(paths.into_iter().collect(), check) {
        findings.extend(found.map_err(|error| error.seen_from(store.path()))?);
    }
    for (path, owned) in &ledger.shared {
        findings.extend(entry_findings(&store, path, owned)?);
    }
    let missing = never_installed(&composed, &ledger);
    let nodes: usize = ledger.shared.values().map(|owned| owned.nodes.len()).sum();
    let checked = ledger.files.len() + nodes + unlisted + missing.len();
    findings.extend(missing);
    findings.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(VerifyReport { checked, findings })
}

/// Skills, hooks and servers that are locked and unknown here. What two resources give alike is written once, for one of
/// them.
fn never_installed(composed: &[&Locked], ledger: &Ledger) -> Vec<Finding> {
    let known = ledger.owners();
    let finding = |entry: &&Locked| {
        let path = entry.installed_at.clone()?;
        let there = ledger.shared.contains_key(&path) || known.contains(entry.label().as_str());
        (!there).then(|| Finding {
            code: &codes::VERIFY_MISSING,
            path,
            resource: entry.label(),
            message: "is locked and was never installed here".to_owned(),
        })
    };
    composed.iter().filter_map(finding).collect()
}

/// Entries of ours in a file that others write too.
fn entry_findings(
    store: &ProjectStore,
    path: &RelativePath,
    owned: &OwnedNodes,
) -> Result<Vec<Finding>, Failure> {
    let now = observe(store, path).map_err(|error| error.seen_from(store.path()))?;
    let finding = |code, owner: &str, message: String| Finding {
        code,
        path: path.clone(),
        resource: owner.to_owned(),
        message,
    };
    let document = match now {
        Observed::Missing => None,
        _ => match shared::read(store, path, shared::format_of(path), &mut Notes::default()) {
            Ok(document) => Some(document),
            Err(_) => {
                let owner = owned.nodes.first().map_or("", |node| node.owner.as_str());
                return Ok(vec![finding(
                    &codes::VERIFY_CHANGED,
                    owner,
                    "cannot be read any more".to_owned(),
                )]);
            }
        },
    };
    let found = check_nodes(document.as_deref(), owned).into_iter().map(|found| {
        let place = found.place.pointer();
        match found.state {
            NodeState::Missing => {
                finding(&codes::VERIFY_MISSING, &found.owner, format!("lacks its entry at `{place}`"))
            }
            NodeState::Edited => {
                let message = format!("has another entry at `{place}` than was installed");
                finding(&codes::VERIFY_CHANGED, &found.owner, message)
            }
        }
    });
    Ok(found.collect())
}

fn find(
    store: &ProjectStore,
    path: &RelativePath,
    files: &BTreeMap<&RelativePath, &Locked>,
    composed: &BTreeSet<String>,
    ledger: &Ledger,
) -> Result<Option<Finding>, StoreError> {
    let now = observe(store, path)?;
    let owned = ledger.files.get(path);
    // A file of a skill or of the layers has no checksum of its own in the lockfile.
    if owned
        .is_some_and(|owned| composed.contains(&owned.owner) || LayerName::in_label(&owned.owner).is_some())
    {
        let intact = owned.is_some_and(|owned| now == Observed::File(owned.checksum, owned.mode));
        let found = judge(now, owned, None).filter(|_| !intact);
        return Ok(found.zip(owned).map(|((code, message), owned)| Finding {
            code,
            path: path.clone(),
            resource: owned.owner.clone(),
            message,
        }));
    }
    let locked = files.get(path).copied();
    let Some((code, message)) = judge(now, owned, locked) else { return Ok(None) };
    let resource =
        owned.map(|owned| owned.owner.clone()).or_else(|| locked.map(Locked::label)).unwrap_or_default();
    Ok(Some(Finding { code, path: path.clone(), resource, message }))
}

fn judge(now: Observed, owned: Option<&Owned>, locked: Option<&Locked>) -> Option<(&'static Code, String)> {
    let changed = |message: String| Some((&codes::VERIFY_CHANGED, message));
    let missing = |message: &str| Some((&codes::VERIFY_MISSING, message.to_owned()));
    match (now, owned) {
        (Observed::Missing, Some(_)) => missing("is missing"),
        (Observed::Missing, None) => missing("is locked and was never installed here"),
        (Observed::Other(what), _) => changed(format!("is {what} now")),
        (Observed::File(checksum, _), None)
            if locked.is_some_and(|locked| locked.checksum == Some(checksum)) =>
        {
            None
        }
        (Observed::File(..), None) => changed("is locked, but what is there was not installed".to_owned()),
        (Observed::File(checksum, _), Some(owned)) if checksum != owned.checksum => {
            changed("has other bytes than were installed".to_owned())
        }
        (Observed::File(_, mode), Some(owned)) if mode != owned.mode => {
            changed("has another mode than was installed".to_owned())
        }
        (Observed::File(..), Some(owned))
            if locked
                .is_some_and(|locked| locked.checksum != Some(owned.source.unwrap_or(owned.checksum))) =>
        {
            changed(format!("is not what `{LOCK_NAME}` has"))
        }
        (Observed::File(..), Some(_)) if locked.is_none() => {
            changed(format!("was installed, but is not in `{LOCK_NAME}`"))
        }
        _ => None,
    }
}

/// What was installed may be whole and yet not what is asked for by now.
fn moved_on() -> Diagnostic {
    let message = format!("the manifest, `{LOCK_NAME}` or the configuration changed since the last install");
    let help = "`agpm install --check` tells whether that makes a difference";
    let mut diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, message).help(help);
    diagnostic.severity = Severity::Note;
    diagnostic
}

fn interrupted() -> Diagnostic {
    let message = "an earlier run was stopped in the middle, so that files may be half old and half new";
    let mut diagnostic = Diagnostic::new(&codes::INSTALL_RECOVERED, message)
        .help("run `agpm install`: it finishes or takes back what was begun");
    diagnostic.severity = Severity::Warning;
    diagnostic
}

impl VerifyReport {
    /// The fields `checked` and `findings`.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let finding = |finding: &Finding| {
            Value::map([
                ("code", finding.code.name.into()),
                ("path", finding.path.as_str().into()),
                ("resource", finding.resource.as_str().into()),
                ("message", finding.message.as_str().into()),
            ])
        };
        let findings = Value::list(self.findings.iter().map(finding));
        vec![("checked", self.checked.into()), ("findings", findings)]
    }
}
