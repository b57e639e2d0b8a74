//! `agpm list`: what is installed.

use std::collections::BTreeMap;

use agpm_diag::{
    Failure, Notes, Outcome, codes, did_you_mean, is_secret_name, looks_secret, mask_line,
};
use agpm_model::{
    Checksum, Field, Locked, ObjectId, PatchScope, RESOURCE_TYPES, RelativePath, ResourceType,
    ToolName,
};
use agpm_text::Value;

use crate::gather::{ManifestFiles, Project, unknown_name};
use crate::locked::{LockView, identity, note, nothing_listed, source};
use crate::packages::{AppliedField, Sources, frozen, make_all, read_lock};
use crate::verify::{SourceUse, VerifyReport, find_drift};
use crate::world::{Network, World};

/// Which resources.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// Only this kind, singular or plural.
    pub kind: Option<String>,
    /// Only from this source.
    pub source: Option<String>,
    /// Only names that contain this.
    pub search: Option<String>,
    /// How much is told.
    pub detail: ListDetail,
    /// Whether files are compared with what was installed.
    pub disk: DiskCheck,
}

/// Whether the disk is looked at: every installed file is read for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskCheck {
    /// It is not.
    #[default]
    Skip,
    /// What is modified or missing is marked.
    Compare,
}

/// How much is told of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListDetail {
    /// What the lockfile has.
    #[default]
    Locked,
    /// What patches changed too, from which value to which.
    Patches,
}

/// Resources by kind and name.
#[derive(Debug)]
pub struct ListReport {
    entries: Vec<Locked>,
    /// Patched fields by resource; nothing if they were not asked for.
    patched: Option<BTreeMap<String, Vec<AppliedField>>>,
    /// What is not on the disk as it was installed, by resource.
    drift: BTreeMap<String, Drift>,
}

/// How a resource on the disk differs from what was installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Drift {
    Missing,
    Modified,
}

impl Drift {
    fn word(self) -> &'static str {
        match self {
            Drift::Missing => "missing",
            Drift::Modified => "modified",
        }
    }
}

/// A resource as a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRow {
    /// Name, type, version, source, place and status.
    pub cells: [String; 6],
    /// What patches changed.
    pub patches: Vec<String>,
}

/// Lists resources.
pub fn list(world: &World, request: &ListRequest) -> Outcome<ListReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &ListRequest, notes: &mut Notes) -> Result<ListReport, Failure> {
    let kind = request.kind.as_deref().map(kind_named).transpose()?;
    let view = LockView::load(&world.environment, notes)?;
    if let Some(name) = &request.source {
        check_source(&view, name)?;
    }
    let search = request.search.as_ref().map(|text| text.to_lowercase());
    let wanted = |entry: &Locked| {
        kind.is_none_or(|kind| entry.kind == kind)
            && request
                .source
                .as_deref()
                .is_none_or(|name| shown_source(entry) == name)
            && search
                .as_ref()
                .is_none_or(|text| entry.name.as_str().to_lowercase().contains(text))
    };
    let is_empty = view.entries.is_empty();
    let entries: Vec<Locked> = view.entries.into_iter().filter(wanted).collect();
    if entries.is_empty() && notes.diagnostics.is_empty() {
        let message = match is_empty {
            true => "No resources installed. Run `agpm add`.",
            false => "No installed resource fits. Run `agpm list` to see all.",
        };
        notes.diagnostics.push(nothing_listed(message));
    }
    // What a run that was stopped left behind is for `verify` to report.
    let drift = match request.disk {
        DiskCheck::Compare if !entries.is_empty() => drift_of(find_drift(
            world,
            SourceUse::RecordsOnly,
            &mut Notes::default(),
        )?),
        _ => BTreeMap::new(),
    };
    let is_patched = entries.iter().any(|entry| !entry.patches.is_empty());
    let patched = match (request.detail, is_patched) {
        (ListDetail::Locked, _) => None,
        (ListDetail::Patches, false) => Some(BTreeMap::new()),
        (ListDetail::Patches, true) => Some(patched_fields(world, notes)),
    };
    Ok(ListReport {
        entries,
        patched,
        drift,
    })
}

/// The worst that `verify` finds of each resource.
fn drift_of(report: VerifyReport) -> BTreeMap<String, Drift> {
    let mut drift: BTreeMap<String, Drift> = BTreeMap::new();
    for finding in report.findings {
        let found = if *finding.code == codes::VERIFY_MISSING {
            Drift::Missing
        } else {
            Drift::Modified
        };
        let worst = drift.entry(finding.resource).or_insert(found);
        *worst = found.max(*worst);
    }
    drift
}

/// What patches change, out of what was fetched before: nothing is asked of anyone.
fn patched_fields(world: &World, notes: &mut Notes) -> BTreeMap<String, Vec<AppliedField>> {
    let mut own = Notes::default();
    let mut world = world.clone();
    world.environment.network = Network::Offline;
    match made_of_lock(&world, &mut own) {
        Ok(fields) => fields,
        Err(failure) => {
            let why = failure
                .diagnostic
                .map(|found| found.message)
                .unwrap_or_else(|| "see `agpm validate`".to_owned());
            notes
                .diagnostics
                .push(note(format!("old and new values are not known: {why}")));
            BTreeMap::new()
        }
    }
}

fn made_of_lock(
    world: &World,
    notes: &mut Notes,
) -> Result<BTreeMap<String, Vec<AppliedField>>, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    let project = Project::of(&world.environment, files, notes)?;
    let (lock, _) = read_lock(&world.environment, &store, notes)?.unwrap_or_default();
    let sources = Sources::open(world, &project.manifest, store.path());
    let entries = frozen::entries(world, &project.manifest, &sources, &lock, notes)?;
    let making = make_all(&project.manifest, &sources, &entries, notes)?;
    let fields = entries
        .iter()
        .zip(making.made)
        .map(|(resolved, made)| (resolved.label(), made.patched));
    Ok(fields.collect())
}

/// What stands for the source of files of the project itself.
const LOCAL: &str = "local";

fn shown_source(entry: &Locked) -> &str {
    source(entry).unwrap_or(LOCAL)
}

fn check_source(view: &LockView, name: &str) -> Result<(), Failure> {
    if name == LOCAL || view.sources.contains(name) {
        return Ok(());
    }
    let known = view.sources.iter().map(String::as_str).chain([LOCAL]);
    Err(unknown_name(
        "source",
        name,
        did_you_mean(name, "sources are", known),
    ))
}

fn kind_named(word: &str) -> Result<ResourceType, Failure> {
    ResourceType::named(word).ok_or_else(|| {
        let known = RESOURCE_TYPES.iter().map(|kind| kind.singular());
        unknown_name("type", word, did_you_mean(word, "types are", known))
    })
}

impl ListReport {
    /// One row for each resource.
    pub fn rows(&self) -> Vec<ListRow> {
        self.entries
            .iter()
            .map(|entry| row(entry, self.drift_of(entry), self.fields_of(entry)))
            .collect()
    }

    /// Each resource with its kind, name and value.
    pub fn items(&self) -> impl Iterator<Item = (ResourceType, &str, Value)> {
        self.entries
            .iter()
            .map(|entry| (entry.kind, entry.name.as_str(), self.entry_value(entry)))
    }

    fn drift_of(&self, entry: &Locked) -> Option<Drift> {
        self.drift.get(&entry.label()).copied()
    }

    fn fields_of(&self, entry: &Locked) -> &[AppliedField] {
        let patched = self
            .patched
            .as_ref()
            .and_then(|patched| patched.get(&entry.label()));
        patched.map(Vec::as_slice).unwrap_or_default()
    }

    /// The resources, keyed by type.
    pub fn value(&self) -> Value {
        let of = |kind: ResourceType| {
            let entries = self
                .entries
                .iter()
                .filter(|entry| entry.kind == kind)
                .map(|entry| self.entry_value(entry));
            (kind.plural(), entries.collect::<Vec<_>>())
        };
        let kinds = RESOURCE_TYPES
            .into_iter()
            .map(of)
            .filter(|(_, entries)| !entries.is_empty());
        Value::map(kinds.map(|(kind, entries)| (kind, Value::List(entries))))
    }
}

/// A value as it may be shown.
fn shown(field: &Field, value: Option<&Value>) -> String {
    match value {
        None => "(not set)".to_owned(),
        Some(value) if is_secret(last_key(field), value) => "***".to_owned(),
        Some(value) => value
            .to_json()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
    }
}

fn last_key(field: &Field) -> &str {
    field
        .pointer()
        .steps()
        .last()
        .map(String::as_str)
        .unwrap_or_default()
}

/// Whether a value, or anything in it, should not be shown.
fn is_secret(key: &str, value: &Value) -> bool {
    is_secret_name(key)
        || match value {
            Value::String(text) => looks_secret(Some(key), text) || mask_line(text) != *text,
            Value::List(items) => items.iter().any(|item| is_secret(key, item)),
            Value::Map(entries) => entries.iter().any(|(key, value)| is_secret(key, value)),
            _ => false,
        }
}

fn file_of(scope: PatchScope) -> &'static str {
    match scope {
        PatchScope::Project => "agpm.toml",
        PatchScope::Private => "agpm.private.toml",
    }
}

fn field_line(field: &AppliedField) -> String {
    let (old, new) = (
        shown(&field.field, field.before.as_ref()),
        shown(&field.field, Some(&field.after)),
    );
    format!("{}: {old} -> {new} ({})", field.field, file_of(field.scope))
}

fn field_value(field: &AppliedField) -> Value {
    let masked = |value: &Value| {
        if is_secret(last_key(&field.field), value) {
            Value::from("***")
        } else {
            value.clone()
        }
    };
    Value::map([
        ("field", Value::from(field.field.to_string())),
        ("old", field.before.as_ref().map(masked).into()),
        ("new", masked(&field.after)),
        ("from", file_of(field.scope).into()),
    ])
}

fn row(entry: &Locked, drift: Option<Drift>, fields: &[AppliedField]) -> ListRow {
    let status = match (drift, entry.patches.is_empty(), &entry.installed_at) {
        (_, _, None) => "(not written)",
        (Some(drift), ..) => drift.word(),
        (None, false, _) => "(patched)",
        (None, true, _) => "",
    };
    let cells = [
        entry.name.as_str(),
        entry.kind.singular(),
        entry.version().unwrap_or("-"),
        shown_source(entry),
        entry
            .installed_at
            .as_ref()
            .map_or("-", RelativePath::as_str),
        status,
    ];
    ListRow {
        cells: cells.map(str::to_owned),
        patches: fields.iter().map(field_line).collect(),
    }
}

impl ListReport {
    fn entry_value(&self, entry: &Locked) -> Value {
        let mut value = entry_value(entry);
        if let (Some(drift), Value::Map(fields)) = (self.drift_of(entry), &mut value) {
            fields.push(("status".to_owned(), drift.word().into()));
        }
        if let (Some(_), Value::Map(fields)) = (&self.patched, &mut value) {
            let patched = Value::list(self.fields_of(entry).iter().map(field_value));
            fields.push(("patched".to_owned(), patched));
        }
        value
    }
}

/// What the lockfile has of a resource.
pub(crate) fn entry_value(entry: &Locked) -> Value {
    let checksum = entry.checksum.as_ref().map(Checksum::to_string);
    let mut fields = identity(entry);
    fields.extend([
        ("path", entry.unit.path.as_str().into()),
        ("requirement", entry.requirement().into()),
        (
            "resolved_commit",
            entry.commit().map(ObjectId::as_str).into(),
        ),
        ("checksum", checksum.into()),
        (
            "installed_at",
            entry.installed_at.as_ref().map(RelativePath::as_str).into(),
        ),
        ("tool", entry.tool.as_ref().map(ToolName::as_str).into()),
        (
            "dependencies",
            Value::list(entry.dependencies.iter().map(String::as_str)),
        ),
        (
            "patches",
            Value::list(entry.patches.iter().map(String::as_str)),
        ),
    ]);
    Value::map(fields)
}
