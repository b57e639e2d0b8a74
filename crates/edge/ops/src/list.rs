//! `agpm list`: what is installed.

use std::collections::{BTreeMap, BTreeSet};

use agpm_compose::AppliedField;
use agpm_diag::{
    Failure, Notes, Outcome, codes, did_you_mean, is_secret_name, looks_secret, mask_line,
};
use agpm_model::{FieldPath, LockEntry, PatchScope, RESOURCE_TYPES, ResourceType, ToolName};
use agpm_resolve::add_locked_sources;
use agpm_text::Value;
use agpm_tools::OWN_TOOL;
use serde::{Serialize, Serializer};

use crate::gather::{ManifestFiles, Project, unknown_name};
use crate::locked::{LockView, LockedResource, note, nothing_listed, source};
use crate::packages::{Sources, frozen, read_lock, render_all};
use crate::verify::{SourceUse, VerifyReport, find_drift};
use crate::world::{NetworkAccess, World};

/// Which resources.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// Only this kind, singular or plural.
    pub kind: Option<String>,
    /// Only from this source.
    pub source: Option<String>,
    /// Only for this tool.
    pub tool: Option<String>,
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

/// Resources in the order of the lockfile.
#[derive(Debug)]
pub struct ListReport {
    /// One for each that fits.
    pub resources: Vec<ListedResource>,
    /// Whether the resources of the project are for several AI coding clients.
    pub clients: Clients,
}

/// How many AI coding clients a project installs for; snippets of no client are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clients {
    /// One at most.
    One,
    /// More.
    Several,
}

impl Clients {
    fn of(entries: &[LockEntry]) -> Self {
        let tools = entries.iter().flat_map(LockEntry::tools);
        let clients: BTreeSet<&str> = tools
            .map(ToolName::as_str)
            .filter(|tool| *tool != OWN_TOOL.name)
            .collect();
        if clients.len() > 1 {
            Clients::Several
        } else {
            Clients::One
        }
    }
}

/// A resource of the lockfile, and how it is on the disk.
#[derive(Debug, Serialize)]
pub struct ListedResource {
    /// Its type.
    #[serde(skip)]
    pub kind: ResourceType,
    /// What the lockfile has of it.
    #[serde(flatten)]
    pub locked: LockedResource,
    /// How it differs from what was installed, as far as that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Drift>,
    /// What patches changed; nothing if that was not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patched: Option<Vec<PatchedField>>,
}

/// How a resource on the disk differs from what was installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Drift {
    /// Files of it are not there.
    Missing,
    /// Files of it were edited.
    Modified,
}

/// A field that a patch set; secrets are masked.
#[derive(Debug, Serialize)]
pub struct PatchedField {
    /// Which one, as the manifest has it.
    pub field: String,
    /// What the source has there, if anything.
    pub old: Option<Value>,
    /// What the patch says.
    pub new: Value,
    /// The file that the patch is in.
    pub from: &'static str,
}

impl Serialize for ListReport {
    /// By type, in the order of types.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut types: BTreeMap<ResourceType, Vec<&ListedResource>> = BTreeMap::new();
        for resource in &self.resources {
            types.entry(resource.kind).or_default().push(resource);
        }
        serializer.collect_map(types.iter().map(|(kind, all)| (kind.plural(), all)))
    }
}

/// Lists resources.
pub fn list(world: &World, request: &ListRequest) -> Outcome<ListReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &ListRequest, notes: &mut Notes) -> Result<ListReport, Failure> {
    let kind = request.kind.as_deref().map(kind_named).transpose()?;
    let view = LockView::load(world, notes)?;
    if let Some(name) = &request.source {
        check_source(&view, name)?;
    }
    if let Some(name) = &request.tool {
        check_tool(&view, name)?;
    }
    let search = request.search.as_ref().map(|text| text.to_lowercase());
    let wanted = |entry: &LockEntry| {
        kind.is_none_or(|kind| entry.kind == kind)
            && request
                .source
                .as_deref()
                .is_none_or(|name| shown_source(entry) == name)
            && request
                .tool
                .as_deref()
                .is_none_or(|name| entry.tools().any(|tool| tool.as_str() == name))
            && search
                .as_ref()
                .is_none_or(|text| entry.name.as_str().to_lowercase().contains(text))
    };
    let is_empty = view.entries.is_empty();
    let clients = Clients::of(&view.entries);
    let entries: Vec<LockEntry> = view.entries.into_iter().filter(wanted).collect();
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
    let listed = |entry: &LockEntry| ListedResource {
        kind: entry.kind,
        locked: LockedResource::of(entry),
        status: drift.get(&entry.label()).copied(),
        patched: patched.as_ref().map(|patched| {
            let fields = patched.get(&entry.label()).into_iter().flatten();
            fields.map(patched_field).collect()
        }),
    };
    Ok(ListReport {
        resources: entries.iter().map(listed).collect(),
        clients,
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
        let worst = drift.entry(finding.resource.to_string()).or_insert(found);
        *worst = found.max(*worst);
    }
    drift
}

/// What patches change, out of what was fetched before: nothing is asked of anyone.
fn patched_fields(world: &World, notes: &mut Notes) -> BTreeMap<String, Vec<AppliedField>> {
    let mut own = Notes::default();
    let mut world = world.clone();
    world.environment.network = NetworkAccess::Offline;
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
    let mut project = Project::of(world, files, notes)?;
    let (lock, _) = read_lock(&world.environment, &store, notes)?.unwrap_or_default();
    add_locked_sources(&mut project.manifest, &lock);
    let sources = Sources::open(world, &project.manifest, store.path());
    let entries = frozen::entries(world, &project.manifest, &sources, &lock, notes)?;
    let rendered = render_all(&project.manifest, &sources, entries, notes)?;
    let fields = rendered
        .resources
        .into_iter()
        .map(|resource| (resource.resolved.label(), resource.output.patched));
    Ok(fields.collect())
}

/// What stands for the source of files of the project itself.
pub const LOCAL: &str = "local";

/// What stands for a secret of a patch.
pub const MASKED: &str = "***";

fn shown_source(entry: &LockEntry) -> &str {
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

fn check_tool(view: &LockView, name: &str) -> Result<(), Failure> {
    if view.tools.contains(name) {
        return Ok(());
    }
    let known = view.tools.iter().map(String::as_str);
    Err(unknown_name(
        "tool",
        name,
        did_you_mean(name, "tools are", known),
    ))
}

fn kind_named(word: &str) -> Result<ResourceType, Failure> {
    ResourceType::named(word).ok_or_else(|| {
        let known = RESOURCE_TYPES.iter().map(|kind| kind.singular());
        unknown_name("type", word, did_you_mean(word, "types are", known))
    })
}

fn last_key(field: &FieldPath) -> &str {
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

fn masked(field: &FieldPath, value: &Value) -> Value {
    if is_secret(last_key(field), value) {
        Value::from(MASKED)
    } else {
        value.clone()
    }
}

fn patched_field(applied: &AppliedField) -> PatchedField {
    PatchedField {
        field: applied.field.to_string(),
        old: applied
            .before
            .as_ref()
            .map(|value| masked(&applied.field, value)),
        new: masked(&applied.field, &applied.after),
        from: match applied.scope {
            PatchScope::Project => "agpm.toml",
            PatchScope::Private => "agpm.private.toml",
        },
    }
}
