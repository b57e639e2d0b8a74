//! A dependency as it is typed after `add dep TYPE`: a URL, or a local path.

use std::sync::Arc;

use agpm_diag::{Failure, did_you_mean, unknown_name};
use agpm_model::{
    Address, AddressContext, BrowserAddress, InnerAddress, Manifest, RepositoryAddress,
    ResourcePath, ResourceType, SourceAddress, SourceName, SourceVersions, VersionRequirement,
    resource_name, same_repository, tag_names,
};
use agpm_text::Value;

use crate::manifest::{not_an_address, usage};

/// A resource to be added.
#[derive(Clone, Debug)]
pub struct NewDependency {
    /// The word for its kind, singular or plural.
    pub kind: String,
    /// `SOURCE:PATH[@VERSION]`, or a local path.
    pub spec: String,
    /// Its name, if it is not the file's.
    pub name: Option<String>,
    /// The tools it is for; none if the manifest's defaults apply.
    pub tools: Vec<String>,
    /// A directory under the tool's own.
    pub target: Option<String>,
    /// The installed file's name.
    pub filename: Option<String>,
}

/// A dependency as it was typed.
pub struct TypedDependency {
    source: Option<SourceName>,
    path: String,
    version: Option<String>,
}

/// Reads what is typed, as one manifest understands it.
pub struct DependencyParser<'a> {
    /// The type of the resource.
    pub kind: ResourceType,
    /// Its sources are known by their names.
    pub manifest: &'a Manifest,
    /// The tags and branches of a source, if it can be reached.
    pub versions: &'a dyn Fn(&SourceName) -> Option<Arc<SourceVersions>>,
}

impl DependencyParser<'_> {
    /// Reads a URL or a local path.
    pub fn parse(&self, text: &str) -> Result<TypedDependency, Failure> {
        let names = || self.manifest.sources.iter().map(|one| one.name.as_str());
        let is_source = |word: &str| names().any(|name| name == word);
        let context = AddressContext {
            default_host: &self.manifest.default_host,
            is_source: &is_source,
        };
        let is_address = Address::has_scheme(text) || is_in_source(text, &is_source);
        if !is_address {
            return self.local(text);
        }
        let parsed =
            Address::parse(text, &context).map_err(|error| not_an_address(text, &error))?;
        match parsed {
            Address::Source(found) => {
                if !is_source(found.name.as_str()) {
                    let name = &found.name;
                    let help = did_you_mean(name.as_str(), "sources are", names())
                        .unwrap_or_else(|| format!("add it first: `agpm add source {name} URL`"));
                    return Err(unknown_name("source", name.as_str(), Some(help)));
                }
                self.in_source(found.name, &found.inner, text)
            }
            Address::Repository(found) => self.in_repository(&found, text),
            Address::Browser(page) => self.on_page(&page, text),
            Address::Local(path) => self.local(&path),
            Address::Plugin(_) => {
                let message = format!("`{text}` is not a path in a source");
                let help = "write `SOURCE:PATH[@VERSION]`, or a local path".to_owned();
                Err(usage(message, help))
            }
        }
    }

    fn local(&self, text: &str) -> Result<TypedDependency, Failure> {
        let bad = |error| {
            usage(
                format!("`{text}`: {error}"),
                "name a file from the manifest's directory".to_owned(),
            )
        };
        ResourcePath::local(text).map_err(bad)?;
        Ok(TypedDependency {
            source: None,
            path: self.kind.directory_of(text).to_owned(),
            version: None,
        })
    }

    fn in_source(
        &self,
        source: SourceName,
        inner: &InnerAddress,
        text: &str,
    ) -> Result<TypedDependency, Failure> {
        let Some(path) = &inner.path else {
            let help = format!("name a path in it: `{source}:PATH`");
            return Err(usage(format!("`{text}` names no file"), help));
        };
        let version = inner.requirement.as_ref().map(VersionRequirement::as_str);
        Ok(TypedDependency {
            source: Some(source),
            path: self.kind.directory_of(path.as_str()).to_owned(),
            version: version.map(str::to_owned),
        })
    }

    fn source_at(&self, url: &SourceAddress) -> Option<SourceName> {
        let mut sources = self.manifest.sources.iter();
        let found = sources.find(|one| !one.is_implicit() && same_repository(&one.address, url));
        found.map(|source| source.name.clone())
    }

    fn in_repository(
        &self,
        found: &RepositoryAddress,
        text: &str,
    ) -> Result<TypedDependency, Failure> {
        let url = found.url.redacted();
        let source = self.source_at(&found.url);
        let Some(path) = &found.inner.path else {
            let help = match source {
                Some(source) => format!("name a path in it: `{source}:PATH`"),
                None => self.add_commands(url, "PATH", None),
            };
            return Err(usage(format!("`{url}` names no file"), help));
        };
        // `add dep` writes one entry. A new source is another entry, with a name that the user may want to choose.
        let Some(source) = source else {
            let requirement = found.inner.requirement.as_ref();
            let version = requirement.map(VersionRequirement::as_str);
            let help = self.add_commands(url, path.as_str(), version);
            return Err(usage(format!("no source has the URL `{url}`"), help));
        };
        self.in_source(source, &found.inner, text)
    }

    /// The file that a browser shows, if the manifest has its repository.
    fn on_page(&self, page: &BrowserAddress, text: &str) -> Result<TypedDependency, Failure> {
        let url = page.url.redacted();
        let Some(source) = self.source_at(&page.url) else {
            let (reference, path) = page.first_split();
            let help = self.add_commands(url, &path, Some(reference));
            return Err(usage(format!("no source has the URL `{url}`"), help));
        };
        // A branch may have slashes: only the source knows where its name ends. Offline, the first slash is taken.
        let versions = (self.versions)(&source);
        let split = versions
            .and_then(|versions| page.split(&versions))
            .unwrap_or_else(|| page.split_at_first());
        match split {
            Ok(inner) => self.in_source(source, &inner, text),
            Err(problem) => {
                let help = "name a file from the root of the source".to_owned();
                Err(usage(problem.to_string(), help))
            }
        }
    }

    /// The commands that add a file of a repository that the manifest does not have.
    fn add_commands(&self, url: &str, path: &str, version: Option<&str>) -> String {
        let name = agpm_model::repository_name(url);
        let version = version.map_or_else(String::new, |version| format!("@{version}"));
        let kind = self.kind.singular();
        format!("`agpm add source {name} {url}`, then `agpm add dep {kind} {name}:{path}{version}`")
    }
}

/// Whether what is before a colon is a source, or looks like one.
fn is_in_source(text: &str, is_source: &dyn Fn(&str) -> bool) -> bool {
    let Some((word, rest)) = text.split_once(':') else {
        return false;
    };
    let is_drive = word.len() == 1 && rest.starts_with(['/', '\\']);
    is_source(word) || !word.is_empty() && !is_drive && !word.contains(['/', '\\', '.'])
}

impl TypedDependency {
    /// The name in the manifest.
    pub fn name(&self, kind: ResourceType, is_taken: &dyn Fn(&str) -> bool) -> String {
        let Ok(path) = ResourcePath::local(&self.path) else {
            return self.path.clone();
        };
        let source = self.source.as_ref().map(SourceName::as_str);
        resource_name(kind, &path, source, is_taken)
    }

    /// The prefixes of tags for this resource alone.
    pub fn tag_names(&self, kind: ResourceType) -> Vec<String> {
        tag_names(kind, &self.name(kind, &|_| false))
    }

    /// The source; `None` for a local path.
    pub fn source(&self) -> Option<&SourceName> {
        self.source.as_ref()
    }

    /// The requirement on its version.
    pub fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// Requires a version.
    pub fn set_version(&mut self, version: Option<String>) {
        self.version = version;
    }

    /// The path on this machine; `None` for a file of a source.
    pub fn local(&self) -> Option<&str> {
        self.source.is_none().then_some(self.path.as_str())
    }

    /// The entry of the manifest.
    pub fn value(&self, new: &NewDependency) -> Value {
        // The keys are in the order in which the documentation writes an entry.
        let mut fields = Vec::new();
        if let Some(source) = &self.source {
            fields.push(("source", Value::from(source.as_str())));
        }
        fields.push(("path", Value::from(self.path.as_str())));
        if let Some(version) = &self.version {
            fields.push(("version", Value::from(version.as_str())));
        }
        match new.tools.as_slice() {
            [] => {}
            [one] => fields.push(("tool", Value::from(one.as_str()))),
            several => {
                let tools = Value::list(several.iter().map(String::as_str));
                fields.push(("tools", tools));
            }
        }
        if let Some(target) = &new.target {
            fields.push(("target", Value::from(target.as_str())));
        }
        if let Some(filename) = &new.filename {
            fields.push(("filename", Value::from(filename.as_str())));
        }
        // A local file without options is a single string, as in `reviewer = "agents/reviewer.md"`.
        if fields.len() == 1 {
            return Value::from(self.path.as_str());
        }
        Value::map(fields)
    }
}
