//! A dependency as it is typed: `SOURCE:PATH[@VERSION]`, the URL of a file in a browser, or a local path.

use agpm_diag::{Failure, did_you_mean};
use agpm_model::{
    BrowserUrl, Manifest, Requirement, ResourcePath, ResourceType, SourceName, same_repository,
};
use agpm_text::Value;

use crate::additions::{NewDependency, usage};
use crate::gather::unknown_name;

/// File names that say nothing of what is in the file, without their extension.
const GENERIC_STEMS: [&str; 5] = [".mcp", "mcp", "index", "plugin", "settings"];

/// What a dependency is typed as.
pub(crate) struct Spec {
    source: Option<SourceName>,
    path: String,
    version: Option<String>,
}

impl Spec {
    pub(crate) fn parse(
        text: &str,
        kind: ResourceType,
        manifest: &Manifest,
    ) -> Result<Self, Failure> {
        if text.starts_with("https://") || text.starts_with("http://") {
            return Spec::of_url(text, kind, manifest);
        }
        let names = manifest.sources.iter().map(|source| source.name.as_str());
        let is_source = |word: &str, rest: &str| {
            names.clone().any(|name| name == word) || is_source_word(word, rest)
        };
        let Some((source, rest)) = text
            .split_once(':')
            .filter(|(source, rest)| is_source(source, rest))
        else {
            let bad = |error| {
                usage(
                    format!("`{text}`: {error}"),
                    "name a file from the manifest's folder".to_owned(),
                )
            };
            ResourcePath::local(text).map_err(bad)?;
            return Ok(Spec {
                source: None,
                path: kind.folder_of(text).to_owned(),
                version: None,
            });
        };
        let Some(source) = manifest
            .sources
            .iter()
            .find(|one| one.name.as_str() == source)
        else {
            let help = did_you_mean(source, "sources are", names)
                .unwrap_or_else(|| format!("add it first: `agpm add source {source} URL`"));
            return Err(unknown_name("source", source, Some(help)));
        };
        let (path, version) = rest
            .rsplit_once('@')
            .map_or((rest, None), |(path, version)| (path, Some(version)));
        Spec::in_source(source.name.clone(), kind.folder_of(path), version)
    }

    fn in_source(source: SourceName, path: &str, version: Option<&str>) -> Result<Self, Failure> {
        let bad = |error| {
            usage(
                format!("`{path}`: {error}"),
                "name a file from the root of the source".to_owned(),
            )
        };
        ResourcePath::in_source(path).map_err(bad)?;
        version
            .map(Requirement::parse)
            .transpose()
            .map_err(|error| {
                usage(
                    error.to_string(),
                    "write a tag, a range such as `^1.2`, `latest` or a branch after `@`"
                        .to_owned(),
                )
            })?;
        Ok(Spec {
            source: Some(source),
            path: path.to_owned(),
            version: version.map(str::to_owned),
        })
    }

    /// The file that a browser shows, if the manifest has its repository.
    fn of_url(text: &str, kind: ResourceType, manifest: &Manifest) -> Result<Self, Failure> {
        let Some(url) = BrowserUrl::parse(text) else {
            let name = agpm_model::repository_name(text);
            let help = format!(
                "`agpm add source {name} {text}`, then `agpm add dep {} {name}:PATH`",
                kind.singular()
            );
            return Err(usage(format!("`{text}` names no file"), help));
        };
        let is_it = |address: &str| same_repository(address, &url.repository);
        match manifest
            .sources
            .iter()
            .find(|source| is_it(source.address.redacted()))
        {
            Some(source) => Spec::in_source(
                source.name.clone(),
                kind.folder_of(&url.path),
                Some(&url.reference),
            ),
            None => {
                let message = format!("no source has the URL `{}`", url.repository);
                Err(usage(message, add_commands(&url, kind)))
            }
        }
    }

    /// The name in the manifest: the file's, or for a pattern its folder's. A file name that many have says nothing, so
    /// its directory counts, with as many more as it takes to be a name that is not taken.
    pub(crate) fn name(&self, kind: ResourceType, taken: &dyn Fn(&str) -> bool) -> String {
        let Ok(path) = ResourcePath::local(&self.path) else {
            return self.path.clone();
        };
        if path.is_pattern() {
            let folder = path
                .literal_folder()
                .rsplit('/')
                .next()
                .filter(|folder| !folder.is_empty());
            return folder.map_or_else(|| kind.plural().to_owned(), str::to_owned);
        }
        let is_type = |word: &str| word == kind.plural() || word == kind.singular();
        if !is_type(path.stem()) && !GENERIC_STEMS.contains(&path.stem()) {
            return path.stem().to_owned();
        }
        let telling = |part: &&str| !part.is_empty() && !part.starts_with('.') && !is_type(part);
        let source = self.source.as_ref().map(SourceName::as_str);
        let mut names: Vec<String> = Vec::new();
        for part in path.folder().rsplit('/').filter(telling).chain(source) {
            let longer = names.last().map(|name| format!("{part}-{name}"));
            names.push(longer.unwrap_or_else(|| part.to_owned()));
        }
        let free = names
            .iter()
            .find(|name| !taken(name))
            .or(names.first())
            .cloned();
        free.unwrap_or_else(|| path.stem().trim_start_matches('.').to_owned())
    }

    /// What tags for this resource alone begin with.
    pub(crate) fn tag_names(&self, kind: ResourceType) -> Vec<String> {
        let name = self.name(kind, &|_| false);
        vec![format!("{}/{name}", kind.plural()), name]
    }

    pub(crate) fn source(&self) -> Option<&SourceName> {
        self.source.as_ref()
    }

    pub(crate) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    pub(crate) fn set_version(&mut self, version: Option<String>) {
        self.version = version;
    }

    /// The path on this machine; nothing for a file of a source.
    pub(crate) fn local(&self) -> Option<&str> {
        self.source.is_none().then_some(self.path.as_str())
    }

    pub(crate) fn value(&self, new: &NewDependency) -> Value {
        let fields = [
            ("source", self.source.as_ref().map(SourceName::as_str)),
            ("path", Some(self.path.as_str())),
            ("version", self.version.as_deref()),
            ("tool", new.tool.as_deref()),
            ("target", new.target.as_deref()),
            ("filename", new.filename.as_deref()),
        ];
        let fields: Vec<(&str, Value)> = fields
            .into_iter()
            .filter_map(|(key, value)| Some((key, Value::from(value?))))
            .collect();
        if fields.len() == 1 {
            Value::from(self.path.as_str())
        } else {
            Value::map(fields)
        }
    }
}

/// The commands that add what a browser shows.
fn add_commands(url: &BrowserUrl, kind: ResourceType) -> String {
    let name = agpm_model::repository_name(&url.repository);
    let (repository, path, reference) = (&url.repository, &url.path, &url.reference);
    let kind = kind.singular();
    format!(
        "`agpm add source {name} {repository}`, then `agpm add dep {kind} {name}:{path}@{reference}`"
    )
}

/// Why something that is typed after `add` is neither a source nor a dependency, with the commands that would add it.
pub(crate) fn refuse_address(word: &str) -> Failure {
    let message = format!("`{word}` cannot be added in one step");
    if let Some(url) = BrowserUrl::parse(word) {
        let types = agpm_model::RESOURCE_TYPES;
        let named = |kind: &ResourceType| url.path.split('/').any(|part| part == kind.plural());
        return usage(
            message,
            add_commands(
                &url,
                types
                    .into_iter()
                    .find(named)
                    .unwrap_or(ResourceType::Skills),
            ),
        );
    }
    if let Some(kind) = ResourceType::named(word) {
        let help = format!("`agpm add dep {} SOURCE:PATH` adds one", kind.singular());
        return usage(format!("`{word}` is a resource type"), help);
    }
    let is_shorthand =
        word.split('/').count() == 2 && !word.contains([':', '\\']) && !word.starts_with('.');
    let url = if is_shorthand {
        format!("https://github.com/{word}")
    } else {
        word.to_owned()
    };
    if url.contains("://") || word.starts_with("git@") {
        let name = agpm_model::repository_name(&url);
        let help = format!("`agpm add source {name} {url}`, then `agpm add dep skill {name}:PATH`");
        return usage(message, help);
    }
    let near = did_you_mean(word, "`add` knows", ["source", "dep"]);
    usage(
        format!("unrecognized subcommand `{word}`"),
        near.unwrap_or_default(),
    )
}

/// Whether what stands before a colon can be a source: `C:/` is a drive.
fn is_source_word(word: &str, rest: &str) -> bool {
    let drive = word.len() == 1 && rest.starts_with(['/', '\\']);
    !word.is_empty() && !drive && !word.contains(['/', '\\', '.'])
}
