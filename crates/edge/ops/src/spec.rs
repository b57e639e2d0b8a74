//! A dependency as it is typed: `SOURCE:PATH[@VERSION]`, or a local path.

use agpm_diag::did_you_mean;
use agpm_model::{DEFAULT_VERSION, Manifest, Requirement, ResourcePath, ResourceType};
use agpm_text::Value;

use crate::change::{NewDependency, usage};
use crate::failure::Failure;
use crate::gather::unknown_name;

/// What a dependency is typed as.
pub(crate) struct Spec<'s> {
    source: Option<&'s str>,
    path: &'s str,
    version: Option<&'s str>,
}

impl<'s> Spec<'s> {
    pub(crate) fn parse(text: &'s str, manifest: &Manifest) -> Result<Self, Failure> {
        let names = manifest.sources.iter().map(|source| source.name.as_str());
        let is_source =
            |word: &str, rest: &str| names.clone().any(|name| name == word) || is_source_word(word, rest);
        let Some((source, rest)) = text.split_once(':').filter(|(source, rest)| is_source(source, rest))
        else {
            let bad = |error| {
                usage(format!("`{text}`: {error}"), "name a file from the manifest's folder".to_owned())
            };
            ResourcePath::local(text).map_err(bad)?;
            return Ok(Spec { source: None, path: text, version: None });
        };
        if !names.clone().any(|name| name == source) {
            let help = did_you_mean(source, "sources are", names)
                .unwrap_or_else(|| format!("add it first: `agpm add source {source} URL`"));
            return Err(unknown_name("source", source, Some(help)));
        }
        let (path, version) =
            rest.rsplit_once('@').map_or((rest, None), |(path, version)| (path, Some(version)));
        let bad =
            |error| usage(format!("`{path}`: {error}"), "name a file from the root of the source".to_owned());
        ResourcePath::in_source(path).map_err(bad)?;
        let version = version.unwrap_or(DEFAULT_VERSION);
        Requirement::parse(version).map_err(|error| {
            usage(
                error.to_string(),
                "write a tag, a range such as `^1.2`, `latest` or a branch after `@`".to_owned(),
            )
        })?;
        Ok(Spec { source: Some(source), path, version: Some(version) })
    }

    /// The file's name, or for a pattern its folder's.
    pub(crate) fn name(&self, kind: ResourceType) -> String {
        let Ok(path) = ResourcePath::local(self.path) else { return self.path.to_owned() };
        if !path.is_pattern() {
            return path.stem().to_owned();
        }
        let folder = path.literal_folder().rsplit('/').next().filter(|folder| !folder.is_empty());
        folder.map_or_else(|| kind.plural().to_owned(), str::to_owned)
    }

    pub(crate) fn value(&self, new: &NewDependency) -> Value {
        let fields = [
            ("source", self.source),
            ("path", Some(self.path)),
            ("version", self.version),
            ("tool", new.tool.as_deref()),
            ("target", new.target.as_deref()),
            ("filename", new.filename.as_deref()),
        ];
        let fields: Vec<(&str, Value)> =
            fields.into_iter().filter_map(|(key, value)| Some((key, Value::from(value?)))).collect();
        if fields.len() == 1 { Value::from(self.path) } else { Value::map(fields) }
    }
}

/// Whether what stands before a colon can be a source: `C:/` is a drive.
fn is_source_word(word: &str, rest: &str) -> bool {
    let drive = word.len() == 1 && rest.starts_with(['/', '\\']);
    !word.is_empty() && !drive && !word.contains(['/', '\\', '.'])
}
