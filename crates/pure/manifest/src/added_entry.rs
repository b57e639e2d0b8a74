//! The manifest entry of a candidate.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};
use agpm_discover::{Candidate, CandidateType, PluginPlacement};
use agpm_model::{
    DEFAULT_VERSION, Dependency, Manifest, Requirement, ResourceName, ResourceOrigin, ResourceType,
    SourceVersions, VersionRequirement, newest_range, same_repository, tag_names,
};
use agpm_text::Value;
use serde::Serialize;

use crate::origin::OfferOrigin;
use crate::usage::usage;

/// A resource that was added.
#[derive(Clone, Debug, Serialize)]
pub struct AddedResource {
    /// `TYPE/NAME`.
    pub id: String,
    /// The type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its name in the manifest.
    pub name: String,
    /// The source; `None` for a local path.
    pub source: Option<String>,
    /// The URL of the source, without secrets.
    pub url: Option<String>,
    /// The path of the added resource.
    pub path: String,
    /// The requirement on the source's version.
    pub version: Option<String>,
}

/// The context that entries of one argument share.
pub struct EntryContext<'a> {
    /// The location that it is added from.
    pub origin: &'a OfferOrigin,
    /// The requirement after `@`.
    pub requirement: Option<&'a VersionRequirement>,
    /// Tags and branches; `None` for sources without versions.
    pub versions: Option<&'a SourceVersions>,
    /// The name that the user gives.
    pub name: Option<&'a str>,
    /// The tools that it is for.
    pub tools: &'a [String],
    /// Whether the plugin is named by its marketplace.
    pub is_marketplace: bool,
}

/// An entry to be written.
pub struct AddedEntry {
    kind: ResourceType,
    /// Its name in the manifest.
    pub name: String,
    fields: Vec<(&'static str, Value)>,
    path: String,
    version: Option<String>,
}

/// The dependency of the manifest that a candidate is, under whatever name.
pub fn existing_dependency<'m>(
    origin: &OfferOrigin,
    candidate: &Candidate,
    manifest: &'m Manifest,
) -> Option<&'m Dependency> {
    let kind = candidate.kind.resource_type()?;
    let path = manifest_path(origin, candidate);
    let is_it = |one: &&Dependency| {
        let is_origin = match (&one.unit.origin, origin) {
            (ResourceOrigin::Source(name), OfferOrigin::Source(source)) => manifest
                .source(name)
                .is_some_and(|existing| same_repository(&existing.address, &source.address)),
            (ResourceOrigin::Local, OfferOrigin::Local(_)) => true,
            _ => false,
        };
        let by_marketplace = one.marketplace.as_ref().is_some_and(|plugin| {
            origin
                .source()
                .is_some_and(|source| source.name == plugin.plugin.marketplace)
                && plugin.plugin.name == candidate.name
        });
        let is_path = same_path(one.unit.path.as_str(), &path);
        one.kind == kind && (by_marketplace || is_origin && one.marketplace.is_none() && is_path)
    };
    manifest.dependencies.iter().find(is_it)
}

fn same_path(existing: &str, path: &str) -> bool {
    existing.trim_start_matches("./") == path.trim_start_matches("./")
}

/// The id of a dependency that is what would be added. One with another requirement is an error.
pub fn already_added(
    context: &EntryContext<'_>,
    candidate: &Candidate,
    manifest: &Manifest,
) -> Result<Option<String>, Failure> {
    let Some(found) = existing_dependency(context.origin, candidate, manifest) else {
        return Ok(None);
    };
    let id = found.id().to_string();
    let required = context.requirement.map(VersionRequirement::as_str);
    let is_same = match (&found.requirement, required) {
        (_, None) => true,
        (existing, Some(required)) => existing.as_str() == required,
    };
    if is_same {
        return Ok(Some(id));
    }
    let requires = match &found.requirement {
        Requirement::Only => "no version".to_owned(),
        requirement => format!("`{requirement}`"),
    };
    let message = format!("{id} is in the manifest already, and requires {requires}");
    let help = format!(
        "change the requirement in this line, then run `agpm install`; \
         `agpm update {id}` moves it within its requirement"
    );
    Err(Diagnostic::new(&codes::ADD_REQUIREMENT, message)
        .at_spot(found.spot)
        .help(help)
        .into())
}

/// The path that the manifest has for a candidate.
fn manifest_path(origin: &OfferOrigin, candidate: &Candidate) -> String {
    match (origin, candidate.path.as_str()) {
        (OfferOrigin::Source(_), "") => ".".to_owned(),
        (OfferOrigin::Source(_), path) => path.to_owned(),
        (OfferOrigin::Local(base), "") => base.clone(),
        (OfferOrigin::Local(base), path) => format!("{}/{path}", base.trim_end_matches('/')),
    }
}

impl AddedEntry {
    /// The entry of a candidate; fails if its name is not free.
    pub fn of(
        context: &EntryContext<'_>,
        candidate: &Candidate,
        manifest: &Manifest,
        is_taken: &dyn Fn(&str, &str) -> bool,
    ) -> Result<Self, Failure> {
        let Some(kind) = candidate.kind.resource_type() else {
            return Err(not_installable(candidate));
        };
        let name = context.name.unwrap_or(&candidate.name);
        let bad = |error: agpm_model::NameError| {
            usage(error.to_string(), "give it a `--name`".to_owned())
        };
        ResourceName::new(name).map_err(bad)?;
        if is_taken(kind.plural(), name) || manifest.dependency(kind, name).is_some() {
            return Err(name_taken(kind, name, manifest));
        }
        let path = manifest_path(context.origin, candidate);
        let mut entry = AddedEntry {
            kind,
            name: name.to_owned(),
            fields: Vec::new(),
            version: None,
            path,
        };
        entry.fill(context, candidate);
        Ok(entry)
    }

    fn fill(&mut self, context: &EntryContext<'_>, candidate: &Candidate) {
        let required = context.requirement.map(VersionRequirement::as_str);
        match context.origin {
            OfferOrigin::Local(_) => self.fields.push(("path", Value::from(self.path.as_str()))),
            OfferOrigin::Source(source) if is_listed(context, candidate) => {
                self.fields
                    .push(("marketplace", Value::from(source.name.as_str())));
                self.fields
                    .push(("name", Value::from(candidate.name.as_str())));
                self.version = required.map(str::to_owned);
            }
            OfferOrigin::Source(source) => {
                self.fields
                    .push(("source", Value::from(source.name.as_str())));
                self.fields.push(("path", Value::from(self.path.as_str())));
                let default = || default_version(context, self.kind, candidate);
                self.version = required.map(str::to_owned).or_else(default);
            }
        }
        self.fields.extend(
            self.version
                .as_deref()
                .map(|text| ("version", Value::from(text))),
        );
        match context.tools {
            [] => {}
            [tool] => self.fields.push(("tool", Value::from(tool.as_str()))),
            tools => {
                let tools = Value::list(tools.iter().map(String::as_str));
                self.fields.push(("tools", tools));
            }
        }
    }

    /// The table that it belongs to.
    pub fn section(&self) -> &'static str {
        self.kind.plural()
    }

    /// A path alone is written as a string.
    pub fn value(&self) -> Value {
        match self.fields.as_slice() {
            [("path", path)] => path.clone(),
            fields => Value::map(fields.iter().map(|(key, value)| (*key, value.clone()))),
        }
    }

    /// The entry as `agpm add` reports it.
    pub fn report(&self, origin: &OfferOrigin) -> AddedResource {
        let source = origin.source();
        AddedResource {
            id: format!("{}/{}", self.kind, self.name),
            kind: self.kind.singular(),
            name: self.name.clone(),
            source: source.map(|source| source.name.to_string()),
            url: source.map(|source| source.address.redacted().to_owned()),
            path: self.path.clone(),
            version: self.version.clone(),
        }
    }
}

/// Whether only a marketplace locates a plugin.
fn is_listed(context: &EntryContext<'_>, candidate: &Candidate) -> bool {
    candidate.kind == CandidateType::Plugin
        && (context.is_marketplace || candidate.location != PluginPlacement::Here)
}

/// The requirement where none is typed: versions that are compatible with the newest stable one of this resource, else
/// the default branch.
fn default_version(
    context: &EntryContext<'_>,
    kind: ResourceType,
    candidate: &Candidate,
) -> Option<String> {
    let mut names = tag_names(kind, &candidate.name);
    names.push(candidate.path.clone());
    Some(newest_or_default(context.versions?, &names))
}

/// Versions that are compatible with the newest stable one of these tag names, else the default branch.
pub fn newest_or_default(versions: &SourceVersions, names: &[String]) -> String {
    let newest = newest_range(versions.tags.keys().map(String::as_str), names);
    newest
        .or_else(|| versions.default_branch.clone())
        .unwrap_or_else(|| DEFAULT_VERSION.to_owned())
}

fn not_installable(candidate: &Candidate) -> Failure {
    let kind = candidate.kind;
    let message = format!(
        "{} cannot be added: agpm does not install {}s yet",
        candidate.id(),
        kind
    );
    Diagnostic::new(&codes::ADD_NOTHING, message)
        .help("choose a resource of another type")
        .into()
}

fn name_taken(kind: ResourceType, name: &str, manifest: &Manifest) -> Failure {
    let message = format!("another resource in the manifest is called {kind}/{name}");
    let mut diagnostic =
        Diagnostic::new(&codes::IO_EXISTS, message).help("choose another name with `--name`");
    if let Some(taken) = manifest.dependency(kind, name) {
        diagnostic = diagnostic.at_spot(taken.spot);
    }
    Failure::new(FailureKind::Refused, diagnostic)
}
