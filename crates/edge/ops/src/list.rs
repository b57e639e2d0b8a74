//! `agpm list`: what is installed.

use agpm_diag::did_you_mean;
use agpm_model::{Checksum, Locked, ObjectId, RESOURCE_TYPES, RelativePath, ResourceType, ToolName};
use agpm_text::Value;

use crate::failure::{Failure, Notes, Outcome};
use crate::gather::unknown_name;
use crate::locked::{LockView, identity, source};
use crate::world::World;

/// Which resources.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// Only this kind, singular or plural.
    pub kind: Option<String>,
    /// Only from this source.
    pub source: Option<String>,
    /// Only names that contain this.
    pub search: Option<String>,
}

/// Resources by kind and name.
#[derive(Debug)]
pub struct ListReport {
    entries: Vec<Locked>,
}

/// A resource as a row of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRow {
    /// Name, type, version, source, place and status.
    pub cells: [String; 6],
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
            && request.source.as_deref().is_none_or(|name| shown_source(entry) == name)
            && search.as_ref().is_none_or(|text| entry.name.as_str().to_lowercase().contains(text))
    };
    Ok(ListReport { entries: view.entries.into_iter().filter(wanted).collect() })
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
    Err(unknown_name("source", name, did_you_mean(name, "sources are", known)))
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
        self.entries.iter().map(row).collect()
    }

    /// The resources, keyed by type.
    pub fn value(&self) -> Value {
        let of = |kind: ResourceType| {
            let entries = self.entries.iter().filter(|entry| entry.kind == kind).map(entry_value);
            (kind.plural(), entries.collect::<Vec<_>>())
        };
        let kinds = RESOURCE_TYPES.into_iter().map(of).filter(|(_, entries)| !entries.is_empty());
        Value::map(kinds.map(|(kind, entries)| (kind, Value::List(entries))))
    }
}

fn row(entry: &Locked) -> ListRow {
    let status = match (entry.patches.is_empty(), &entry.installed_at) {
        (false, Some(_)) => "(patched)",
        (true, Some(_)) => "",
        (_, None) => "(not written)",
    };
    let cells = [
        entry.name.as_str(),
        entry.kind.singular(),
        entry.version.as_deref().unwrap_or("-"),
        shown_source(entry),
        entry.installed_at.as_ref().map_or("-", RelativePath::as_str),
        status,
    ];
    ListRow { cells: cells.map(str::to_owned) }
}

fn entry_value(entry: &Locked) -> Value {
    let checksum = entry.checksum.as_ref().map(Checksum::to_string);
    let mut fields = identity(entry);
    fields.extend([
        ("path", entry.unit.path.as_str().into()),
        ("requirement", entry.requirement.as_deref().into()),
        ("resolved_commit", entry.commit.as_ref().map(ObjectId::as_str).into()),
        ("checksum", checksum.into()),
        ("installed_at", entry.installed_at.as_ref().map(RelativePath::as_str).into()),
        ("tool", entry.tool.as_ref().map(ToolName::as_str).into()),
        ("dependencies", Value::list(entry.dependencies.iter().map(String::as_str))),
        ("patches", Value::list(entry.patches.iter().map(String::as_str))),
    ]);
    Value::map(fields)
}
