//! The manifest entry of a candidate.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, mask_line};
use agpm_model::{
    DEFAULT_VERSION, Dependency, Manifest, PartNames, ResourceName, ResourceOrigin, ResourceType,
    Revision, SERVER_KEYS, SourceVersions, VersionRequirement, newest_range, same_repository,
    tag_names,
};
use agpm_resolve::discover::{Candidate, CandidateType, PluginPlacement};
use agpm_text::Value;
use serde::Serialize;

use crate::manifest::OfferOrigin;
use crate::manifest::usage;

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
    /// The commit of a branch.
    pub commit: Option<String>,
    /// Whether the manifest itself defines it: `path` is then its command or its URL.
    #[serde(skip)]
    pub is_inline: bool,
}

/// Whether an entry was named, or is one of all that a source has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Without it, the command fails.
    Required,
    /// It is left out if it cannot be installed.
    Optional,
}

/// The settings of entries that the command names.
#[derive(Clone, Copy, Debug, Default)]
pub struct EntryOptions<'a> {
    /// The name in the manifest and of the installed file.
    pub name: Option<&'a str>,
    /// The tools that it is for.
    pub tools: &'a [String],
    /// A directory under the tool's own.
    pub target: Option<&'a str>,
    /// The name of the installed file.
    pub filename: Option<&'a str>,
    /// Parts of a plugin, or matches of a pattern, to leave out.
    pub exclude: &'a [String],
    /// The names of the parts of a plugin.
    pub names: PartNames,
}

/// The context that entries of one argument share.
pub struct EntryContext<'a> {
    /// The location that it is added from.
    pub origin: &'a OfferOrigin,
    /// The requirement after `@`.
    pub requirement: Option<&'a VersionRequirement>,
    /// Tags and branches; `None` for sources without versions.
    pub versions: Option<&'a SourceVersions>,
    /// The settings that the command names.
    pub options: EntryOptions<'a>,
    /// Whether the entries may be left out.
    pub presence: Presence,
    /// Whether the plugin is named by its marketplace.
    pub is_marketplace: bool,
}

/// An entry to be written.
#[derive(Clone, Debug)]
pub struct AddedEntry {
    kind: ResourceType,
    /// Its name in the manifest.
    pub name: String,
    /// Whether it may be left out.
    pub presence: Presence,
    /// The location that it is added from.
    pub origin: OfferOrigin,
    fields: Vec<(&'static str, Value)>,
    path: String,
    version: Option<String>,
    commit: Option<Revision>,
}

/// A server that the manifest defines, as typed.
pub struct AddedServer<'a> {
    /// Its name.
    pub name: &'a str,
    /// The keys of the entry.
    pub settings: &'a Value,
    /// Its URL or command, for the report.
    pub shown: &'a str,
    /// The tools that it is for.
    pub tools: &'a [String],
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
                && candidate.is_called(&plugin.plugin.name)
        });
        let is_path = same_path(one.unit.path.as_str(), &path);
        one.kind == kind && (by_marketplace || is_origin && one.marketplace.is_none() && is_path)
    };
    manifest.dependencies.iter().find(is_it)
}

fn same_path(existing: &str, path: &str) -> bool {
    existing.trim_start_matches("./") == path.trim_start_matches("./")
}

/// The path that the manifest has for a candidate.
fn manifest_path(origin: &OfferOrigin, candidate: &Candidate) -> String {
    match (origin, candidate.path.as_str()) {
        (OfferOrigin::Source(_), "") => ".".to_owned(),
        (OfferOrigin::Source(_), path) => path.to_owned(),
        (OfferOrigin::Local(base), "") => base.clone(),
        (OfferOrigin::Local(base), path) => format!("{}/{path}", base.trim_end_matches('/')),
        (OfferOrigin::Manifest, path) => path.to_owned(),
    }
}

impl AddedEntry {
    /// The entry of a candidate, under a name that is free or that it replaces.
    pub fn of(
        context: &EntryContext<'_>,
        candidate: &Candidate,
        name: &str,
    ) -> Result<Self, Failure> {
        let Some(kind) = candidate.kind.resource_type() else {
            return Err(not_installable(candidate));
        };
        let bad = |error: agpm_model::NameError| {
            usage(error.to_string(), "give it a `--name`".to_owned())
        };
        ResourceName::new(name).map_err(bad)?;
        let path = manifest_path(context.origin, candidate);
        let mut entry = AddedEntry {
            kind,
            name: name.to_owned(),
            presence: context.presence,
            origin: context.origin.clone(),
            fields: Vec::new(),
            version: None,
            commit: None,
            path,
        };
        entry.check_options(&context.options)?;
        entry.locate(context, candidate);
        entry.configure(context, candidate);
        Ok(entry)
    }

    /// The entry of a server that the manifest defines.
    pub fn of_server(server: AddedServer<'_>) -> Result<Self, Failure> {
        ResourceName::new(server.name)
            .map_err(|error| usage(error.to_string(), "give the server another name".to_owned()))?;
        let mut entry = AddedEntry {
            kind: ResourceType::McpServers,
            name: server.name.to_owned(),
            presence: Presence::Required,
            origin: OfferOrigin::Manifest,
            fields: Vec::new(),
            version: None,
            commit: None,
            path: mask_line(server.shown),
        };
        for key in SERVER_KEYS {
            entry.set(key, server.settings.get(key).cloned());
        }
        entry.set_tools(server.tools);
        Ok(entry)
    }

    /// Options that an entry of this type cannot have are mistakes in the command.
    fn check_options(&self, options: &EntryOptions<'_>) -> Result<(), Failure> {
        let is_plugin = self.kind == ResourceType::Plugins;
        let wrong = match (is_plugin, options) {
            (
                true,
                EntryOptions {
                    target: Some(_), ..
                },
            ) => "--target",
            (
                true,
                EntryOptions {
                    filename: Some(_), ..
                },
            ) => "--filename",
            (
                false,
                EntryOptions {
                    names: PartNames::Prefixed,
                    ..
                },
            ) => "--prefix",
            (
                false,
                EntryOptions {
                    exclude: [_, ..], ..
                },
            ) if !self.is_pattern() => "--exclude",
            _ => return Ok(()),
        };
        let message = format!("`{wrong}` has no meaning for {}", self.id());
        Err(usage(message, format!("leave out `{wrong}`")))
    }

    fn is_pattern(&self) -> bool {
        self.path.contains(['*', '?', '['])
    }

    fn set(&mut self, key: &'static str, value: Option<Value>) {
        self.fields.extend(value.map(|value| (key, value)));
    }

    /// Sets what leads to the resource.
    fn locate(&mut self, context: &EntryContext<'_>, candidate: &Candidate) {
        let required = context.requirement.map(VersionRequirement::as_str);
        match context.origin {
            OfferOrigin::Local(_) => self.set("path", Some(Value::from(self.path.as_str()))),
            OfferOrigin::Manifest => {}
            OfferOrigin::Source(source) if is_listed(context, candidate) => {
                let listed = candidate.declared_name.as_ref().unwrap_or(&candidate.name);
                self.set("marketplace", Some(Value::from(source.name.as_str())));
                self.set("name", Some(Value::from(listed.as_str())));
                self.version = required.map(str::to_owned);
            }
            OfferOrigin::Source(source) => {
                self.set("source", Some(Value::from(source.name.as_str())));
                self.set("path", Some(Value::from(self.path.as_str())));
                let default = || default_version(context, self.kind, candidate);
                self.version = required.map(str::to_owned).or_else(default);
            }
        }
        let branch = self.version.as_deref().zip(context.versions);
        self.commit = branch.and_then(|(name, versions)| versions.branches.get(name).cloned());
        self.set("version", self.version.as_deref().map(Value::from));
    }

    /// Sets what the command says about the entry.
    fn configure(&mut self, context: &EntryContext<'_>, candidate: &Candidate) {
        let options = &context.options;
        self.set_tools(options.tools);
        self.set("target", options.target.map(Value::from));
        // Two sources may have resources of one name. A name of one's own is that of the installed file too.
        let is_file = !self.kind.is_merged() && self.kind != ResourceType::Plugins;
        let own_name = options.name.filter(|name| *name != candidate.name);
        let own_name = own_name.filter(|_| is_file && !self.is_pattern());
        self.set("filename", options.filename.or(own_name).map(Value::from));
        if options.names == PartNames::Prefixed {
            self.set("prefix", Some(Value::from(true)));
        }
        options.exclude.iter().for_each(|part| self.exclude(part));
    }

    fn set_tools(&mut self, tools: &[String]) {
        match tools {
            [] => {}
            [tool] => self.set("tool", Some(Value::from(tool.as_str()))),
            tools => {
                let tools = Value::list(tools.iter().map(String::as_str));
                self.set("tools", Some(tools));
            }
        }
    }

    /// Takes all tools from the entry but these; `false` if none would be left.
    pub fn keep_tools(&mut self, kept: &[String]) -> bool {
        let is_tools = |key: &str| ["tool", "tools"].contains(&key);
        let own = self.fields.iter().find(|(key, _)| is_tools(key));
        let left: Vec<String> = match own {
            Some((_, value)) => {
                let own = listed_texts(value).into_iter();
                own.filter(|tool| kept.contains(tool)).collect()
            }
            None => kept.to_vec(),
        };
        self.fields.retain(|(key, _)| !is_tools(key));
        self.set_tools(&left);
        !left.is_empty()
    }

    /// Leaves out a part of the plugin, or a match of the pattern.
    pub fn exclude(&mut self, part: &str) {
        self.extend_list("exclude", [part]);
    }

    /// Allows conversions for these tools to permit more than the author wrote.
    pub fn allow_widening<'t>(&mut self, tools: impl IntoIterator<Item = &'t str>) {
        self.extend_list("allow-widening", tools);
    }

    fn extend_list<'t>(&mut self, key: &'static str, more: impl IntoIterator<Item = &'t str>) {
        let at = self
            .fields
            .iter()
            .position(|(existing, _)| *existing == key);
        let before = at.map(|at| self.fields.remove(at).1);
        let mut texts: Vec<String> = before.iter().flat_map(listed_texts).collect();
        for text in more {
            if !texts.iter().any(|existing| existing == text) {
                texts.push(text.to_owned());
            }
        }
        self.set(key, Some(Value::list(texts.iter().map(String::as_str))));
    }

    /// The table that it belongs to.
    pub fn section(&self) -> &'static str {
        self.kind.plural()
    }

    /// Its id, as `TYPE/NAME`.
    pub fn id(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }

    /// A path alone is written as a string.
    pub fn value(&self) -> Value {
        match self.fields.as_slice() {
            [("path", path)] => path.clone(),
            fields => Value::map(fields.iter().map(|(key, value)| (*key, value.clone()))),
        }
    }

    /// The entry as `agpm add` reports it.
    pub fn report(&self) -> AddedResource {
        let source = self.origin.source();
        AddedResource {
            id: self.id(),
            kind: self.kind.singular(),
            name: self.name.clone(),
            source: source.map(|source| source.name.to_string()),
            url: source.map(|source| source.address.redacted().to_owned()),
            path: self.path.clone(),
            version: self.version.clone(),
            commit: self
                .commit
                .as_ref()
                .map(|commit| commit.short().to_string()),
            is_inline: matches!(self.origin, OfferOrigin::Manifest),
        }
    }
}

/// The strings of a list.
pub(crate) fn listed_texts(value: &Value) -> Vec<String> {
    match value {
        Value::List(items) => {
            let texts = items.iter().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        }
        other => other.as_str().map(str::to_owned).into_iter().collect(),
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

/// The failure of a name that another resource has.
pub(crate) fn name_taken(id: &str, taken: Option<&Dependency>, free: &str) -> Failure {
    let message = format!("another resource in the manifest is called {id}");
    let help = format!("choose another name, for example `--name {free}`");
    let mut diagnostic = Diagnostic::new(&codes::IO_EXISTS, message).help(help);
    if let Some(taken) = taken {
        diagnostic = diagnostic.at_spot(taken.spot);
    }
    Failure::new(FailureKind::Refused, diagnostic)
}
