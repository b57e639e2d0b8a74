//! Lists installed resources.

use std::collections::{BTreeMap, BTreeSet};

use agpm_compose::AppliedField;
use agpm_diag::{
    Diagnostic, Failure, did_you_mean, is_secret_name, looks_secret, mask_line, unknown_name,
};
use agpm_model::{
    FieldPath, LockEntry, PatchScope, RESOURCE_TYPES, ResourceId, ResourceType, SourceName,
    ToolName,
};
use agpm_resolve::{LockView, LockedResource, nothing_listed};
use agpm_text::Value;
use agpm_tools::OWN_TOOL;
use serde::{Serialize, Serializer};

use crate::drift::{EditStatus, VerifyReport};

/// The note that nothing is installed.
pub fn no_resources() -> Diagnostic {
    nothing_listed("No resources installed. Run `agpm add`.")
}

/// The patched fields, by resource id.
pub type AppliedPatches = BTreeMap<String, Vec<AppliedField>>;

/// The filter and detail of a listing.
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
    /// The level of detail.
    pub detail: ListDetail,
    /// Whether files are compared with what was installed.
    pub disk: DiskCheck,
}

/// Whether the disk is compared: every installed file is read for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DiskCheck {
    /// The disk is not compared.
    #[default]
    Skip,
    /// Mark modified and missing resources.
    Compare,
}

/// The level of detail of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListDetail {
    /// The contents of the lockfile.
    #[default]
    Locked,
    /// Patched fields too, with old and new value.
    Patches,
}

/// Resources in the order of the lockfile.
#[derive(Debug)]
pub struct ListReport {
    /// The resources that match.
    pub resources: Vec<ListedResource>,
    /// Whether the resources of the project are for several AI coding clients.
    pub clients: ClientCount,
    /// The directory that the paths are relative to.
    pub base: PathBase,
}

/// The directory that installed paths are relative to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PathBase {
    /// The directory of the project.
    #[default]
    Project,
    /// The user's home directory.
    Home,
}

/// The number of AI coding clients that a project installs for; snippets without a client are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientCount {
    /// At most one client.
    One,
    /// More.
    Several,
}

impl ClientCount {
    fn of(entries: &[LockEntry]) -> Self {
        let tools = entries.iter().flat_map(LockEntry::tools);
        let clients: BTreeSet<&str> = tools
            .map(ToolName::as_str)
            .filter(|tool| *tool != OWN_TOOL.name)
            .collect();
        if clients.len() > 1 {
            ClientCount::Several
        } else {
            ClientCount::One
        }
    }
}

/// A resource of the lockfile, and how it is on the disk.
#[derive(Debug, Serialize)]
pub struct ListedResource {
    /// The type of the listed resource.
    #[serde(skip)]
    pub kind: ResourceType,
    /// The lockfile entry of the listed resource.
    #[serde(flatten)]
    pub locked: LockedResource,
    /// The difference from the installed state, if files were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<DiskState>,
    /// The version that the edited files are based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The patched fields; `None` if not requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patched: Option<Vec<PatchedField>>,
}

/// The difference between a resource on disk and its installed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DiskState {
    /// Files of it do not exist.
    Missing,
    /// Files of it were edited.
    Modified,
    /// The locked version could not be merged into edited files.
    Conflict,
    /// A patch disables it, so nothing of it is written.
    Disabled,
}

/// A field that a patch set; secrets are masked.
#[derive(Debug, Serialize)]
pub struct PatchedField {
    /// The field, as in the manifest.
    pub field: String,
    /// The value in the source, if any.
    pub old: Option<Value>,
    /// The value of the patch.
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

/// The entries of a lockfile that a request is about.
pub struct ListedEntries {
    entries: Vec<LockEntry>,
    installed: usize,
    clients: ClientCount,
    disabled: BTreeSet<ResourceId>,
}

impl ListedEntries {
    /// Filters the entries of a lockfile; fails if the source or tool does not exist.
    pub fn of(view: LockView, request: &ListRequest) -> Result<Self, Failure> {
        if let Some(name) = &request.source {
            check_source(&view, name)?;
        }
        if let Some(name) = &request.tool {
            check_tool(&view, name)?;
        }
        let filter = EntryFilter {
            kind: request.resource_type()?,
            search: request.search.as_ref().map(|text| text.to_lowercase()),
            request,
        };
        Ok(ListedEntries {
            installed: view.entries.len(),
            clients: ClientCount::of(&view.entries),
            disabled: view.disabled,
            entries: view
                .entries
                .into_iter()
                .filter(|entry| filter.fits(entry))
                .collect(),
        })
    }

    /// Whether nothing fits.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether a patch changes any of them.
    pub fn has_patches(&self) -> bool {
        self.entries.iter().any(|entry| !entry.patches.is_empty())
    }

    /// The hint where nothing matches.
    pub fn nothing_found(&self) -> Option<Diagnostic> {
        let nothing = match self.installed {
            0 => no_resources(),
            _ => nothing_listed("No installed resource fits. Run `agpm list` to see all."),
        };
        self.is_empty().then_some(nothing)
    }

    /// The list; marked with what differs on the disk, and with what patches changed, if those are known.
    pub fn report(
        &self,
        disk: Option<&VerifyReport>,
        patches: Option<&AppliedPatches>,
    ) -> ListReport {
        let drift = disk.map(drift_by_resource).unwrap_or_default();
        let listed = |entry: &LockEntry| ListedResource {
            kind: entry.kind,
            locked: LockedResource::of(entry),
            status: self
                .disabled
                .contains(&entry.id())
                .then_some(DiskState::Disabled)
                .or_else(|| drift.get(&entry.label()).map(|found| found.state)),
            base: drift
                .get(&entry.label())
                .and_then(|found| found.base.clone()),
            patched: patches.map(|patches| {
                let fields = patches.get(&entry.label()).into_iter().flatten();
                fields.map(patched_field).collect()
            }),
        };
        ListReport {
            resources: self.entries.iter().map(listed).collect(),
            clients: self.clients,
            base: PathBase::Project,
        }
    }
}

impl ListRequest {
    /// The type that is asked about.
    pub fn resource_type(&self) -> Result<Option<ResourceType>, Failure> {
        self.kind.as_deref().map(type_named).transpose()
    }
}

struct EntryFilter<'r> {
    kind: Option<ResourceType>,
    /// The search text in lower case.
    search: Option<String>,
    request: &'r ListRequest,
}

impl EntryFilter<'_> {
    fn fits(&self, entry: &LockEntry) -> bool {
        let ListRequest { source, tool, .. } = self.request;
        let name = entry.name.as_str().to_lowercase();
        let mut tools = entry.tools().map(ToolName::as_str);
        self.kind.is_none_or(|kind| entry.kind == kind)
            && self.search.as_ref().is_none_or(|text| name.contains(text))
            && source
                .as_deref()
                .is_none_or(|one| shown_source(entry) == one)
            && tool
                .as_deref()
                .is_none_or(|one| tools.any(|entry_tool| entry_tool == one))
    }
}

/// The state of a resource, and the version that its edited files are based on.
struct ResourceDrift {
    state: DiskState,
    base: Option<String>,
}

/// The worst that is found of each resource.
fn drift_by_resource(report: &VerifyReport) -> BTreeMap<String, ResourceDrift> {
    let mut drift: BTreeMap<String, ResourceDrift> = BTreeMap::new();
    for finding in &report.findings {
        let state = match finding.status {
            _ if finding.is_missing() => DiskState::Missing,
            Some(EditStatus::Conflict) => DiskState::Conflict,
            Some(EditStatus::Modified) | None => DiskState::Modified,
        };
        let found = drift.entry(finding.resource.to_string());
        let worst = found.or_insert(ResourceDrift { state, base: None });
        worst.state = worst.state.max(state);
        worst.base = worst.base.take().or_else(|| finding.base.clone());
    }
    drift
}

/// The source name of files of the project itself.
pub const LOCAL: &str = "local";

/// The replacement for a secret of a patch.
pub const MASKED: &str = "***";

fn shown_source(entry: &LockEntry) -> &str {
    let source = entry.unit.origin.source();
    source.map_or(LOCAL, SourceName::as_str)
}

fn check_source(view: &LockView, name: &str) -> Result<(), Failure> {
    if name == LOCAL || view.sources.contains(name) {
        return Ok(());
    }
    let names = view.sources.iter().map(String::as_str).chain([LOCAL]);
    Err(unknown_name(
        "source",
        name,
        did_you_mean(name, "sources are", names),
    ))
}

pub(super) fn check_tool(view: &LockView, name: &str) -> Result<(), Failure> {
    if view.tools.contains(name) {
        return Ok(());
    }
    let names = view.tools.iter().map(String::as_str);
    Err(unknown_name(
        "tool",
        name,
        did_you_mean(name, "tools are", names),
    ))
}

fn type_named(word: &str) -> Result<ResourceType, Failure> {
    ResourceType::named(word).ok_or_else(|| {
        let names = RESOURCE_TYPES.iter().map(|kind| kind.singular());
        unknown_name("type", word, did_you_mean(word, "types are", names))
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

#[cfg(test)]
mod tests {
    use agpm_diag::codes;
    use agpm_model::{Owner, RelativePath};

    use super::*;
    use crate::drift::DriftFinding;
    use crate::testing::{entry, view_of};

    fn view() -> LockView {
        view_of(vec![
            entry("agents/reviewer", &[]),
            entry("commands/Review", &[]),
        ])
    }

    fn names(request: &ListRequest) -> Vec<String> {
        let listed = ListedEntries::of(view(), request).expect("known names");
        let resources = listed.report(None, None).resources.into_iter();
        resources.map(|one| one.locked.identity.name).collect()
    }

    #[test]
    fn filters_add_up_and_a_search_ignores_case() {
        let search = ListRequest {
            search: Some("REVIEW".to_owned()),
            ..ListRequest::default()
        };
        assert_eq!(names(&search), ["reviewer", "Review"]);
        let of_type = ListRequest {
            kind: Some("command".to_owned()),
            ..search
        };
        assert_eq!(names(&of_type), ["Review"]);
        let local = ListRequest {
            source: Some(LOCAL.to_owned()),
            ..ListRequest::default()
        };
        assert!(names(&local).is_empty());
    }

    #[test]
    fn a_filter_that_nothing_could_fit_is_a_mistake() {
        let request = ListRequest {
            tool: Some("claude-cod".to_owned()),
            ..ListRequest::default()
        };
        let failure = ListedEntries::of(view(), &request).err();
        let help = failure
            .and_then(|failure| failure.diagnostic)
            .and_then(|found| found.help);
        assert_eq!(help.as_deref(), Some("did you mean `claude-code`?"));
    }

    #[test]
    fn an_edited_file_weighs_more_than_a_missing_one() {
        let finding = |code| DriftFinding {
            code,
            path: RelativePath::new("x").expect("a good path"),
            resource: Owner::from("agents/reviewer"),
            message: String::new(),
            status: None,
            base: None,
        };
        let report = VerifyReport {
            checked: 2,
            findings: vec![
                finding(&codes::VERIFY_CHANGED),
                finding(&codes::VERIFY_MISSING),
            ],
        };
        let listed = ListedEntries::of(view(), &ListRequest::default()).expect("no filter");
        let rows = listed.report(Some(&report), None).resources;
        assert_eq!(rows[0].status, Some(DiskState::Modified));
        assert_eq!(rows[1].status, None);
    }
}
