//! What commands read before they think.

use std::path::{Path, PathBuf};

use std::sync::Arc;

use agpm_diag::{Diagnostic, Text, codes, did_you_mean};
use agpm_merge::{Contribution, LayerFile, Policy, Resolution, fold};
use agpm_model::{
    BUILT_IN, Empty, Entry, LayerName, Manifest, ManifestTexts, Operation, RESOURCE_TYPES, Rule, Strategy,
};
use agpm_store as store;
use agpm_text::{Document, Format, Limits, Pointer, Shape, View, decode, parse};

use crate::failure::{Failure, FailureKind, Notes};
use crate::world::{Environment, ManifestUse};

pub(crate) const MANIFEST_NAME: &str = "agpm.toml";
const PRIVATE_NAME: &str = "agpm.private.toml";

/// The largest file that is read, as the reader's own limit.
pub(crate) fn limit() -> u64 {
    Limits::default().bytes as u64
}

/// The project's manifest and the folder it stands in.
#[derive(Debug, Default)]
pub(crate) struct Project {
    pub(crate) manifest: Manifest,
    pub(crate) folder: Option<PathBuf>,
    /// The texts it is made of, lowest first.
    pub(crate) texts: Vec<Text>,
}

impl Project {
    /// Reads the manifest; without one, everything is as by default.
    pub(crate) fn load(
        environment: &Environment,
        wanted: ManifestUse,
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let path = match (wanted, &environment.manifest) {
            (ManifestUse::Ignored, _) => None,
            (ManifestUse::Nearest, Some(named)) => Some(environment.resolve(named)),
            (ManifestUse::Nearest, None) => store::nearest(&environment.folder, MANIFEST_NAME),
        };
        let Some(path) = path else { return Ok(Project::default()) };
        notes.log.push(format!("the manifest is {}", shown(environment, &path)));
        let project = document(environment, &path, Format::Toml, notes)?;
        let private = optional(environment, &path.with_file_name(PRIVATE_NAME), notes)?;
        let config = match environment.config_file() {
            Some(config) => optional(environment, &config, notes)?,
            None => None,
        };
        notes.check()?;
        let folded = Folded::new(config.as_ref(), &project, private.as_ref());
        let texts = ManifestTexts {
            project: &project,
            private: private.as_deref(),
            config: config.as_deref(),
            entries: &|section| folded.entries(section),
        };
        let (manifest, diagnostics) = Manifest::read(&texts);
        notes.diagnostics.extend(diagnostics);
        notes.check()?;
        let texts = [config.as_ref(), Some(&project), private.as_ref()];
        let texts = texts.into_iter().flatten().map(|document| document.text().clone()).collect();
        let folder = path.parent().map(Path::to_owned);
        Ok(Project { manifest, folder, texts })
    }

    /// Reads the manifest, which must be there.
    pub(crate) fn require(environment: &Environment, notes: &mut Notes) -> Result<Self, Failure> {
        let project = Project::load(environment, ManifestUse::Nearest, notes)?;
        if project.folder.is_some() {
            return Ok(project);
        }
        let message = format!("there is no `{MANIFEST_NAME}` in this folder or one above");
        Err(Diagnostic::new(&codes::MANIFEST_MISSING, message)
            .help("run `agpm init` to make one, or name it with `--manifest-path`")
            .into())
    }

    /// The path that `[merge]` knows a file by: from the manifest's folder, or its name alone.
    pub(crate) fn path_of(&self, environment: &Environment, file: &Path) -> String {
        let full = environment.resolve(file);
        let inside = self.folder.as_ref().and_then(|folder| full.strip_prefix(folder).ok());
        let path =
            inside.map_or_else(|| full.file_name().map(PathBuf::from), |inside| Some(inside.to_owned()));
        path.unwrap_or_default().to_string_lossy().replace('\\', "/")
    }

    /// The strategy of that name, or a failure with near names.
    pub(crate) fn strategy(&self, name: &str) -> Result<Strategy, Failure> {
        self.manifest.strategy(name).ok_or_else(|| {
            let own = self.manifest.strategies.iter().map(|strategy| strategy.name.as_str());
            let known: Vec<&str> = BUILT_IN.iter().map(|built_in| built_in.name).chain(own).collect();
            unknown_name("strategy", name, did_you_mean(name, "strategies are", known.iter().copied()))
        })
    }
}

/// The user's configuration, the manifest and the private manifest, folded: the highest wins, entry by entry.
struct Folded(Resolution);

impl Folded {
    fn new(config: Option<&Arc<Document>>, project: &Arc<Document>, private: Option<&Arc<Document>>) -> Self {
        let layers = [("config", config), ("project", Some(project)), ("private", private)];
        let contributions = layers.into_iter().filter_map(|(layer, document)| {
            let layer = LayerName::new(layer).expect("a good name");
            Some(Contribution { layer, document: Arc::clone(document?) })
        });
        Folded(fold(contributions.collect(), &Policy::merge(entry_by_entry()), None))
    }

    /// The entries of a section, each whole as one of the texts has it.
    fn entries(&self, section: &str) -> Vec<Entry<'_>> {
        let Some(section) = self.0.at(&Pointer::root().child(section)) else { return Vec::new() };
        let Shape::Map(count) = section.shape() else { return Vec::new() };
        let keys = section.keys().into_iter().take(count).enumerate();
        keys.filter_map(|(at, key)| Some((key, section.entry(at).1.node()?))).collect()
    }
}

/// Sections merge, their entries do not.
fn entry_by_entry() -> Strategy {
    let sections = RESOURCE_TYPES.iter().map(|kind| kind.plural()).chain(["sources"]);
    let rule = |section: &str| {
        let pattern = format!("/{section}/*").parse().expect("a good pattern");
        Rule { pattern, operation: Some(Operation::Replace), empty: Empty::Value }
    };
    let mut strategy = Strategy::default();
    strategy.rules.extend(sections.map(rule));
    strategy
}

/// A file as a document; what is wrong with it goes to the notes.
pub(crate) fn document(
    environment: &Environment,
    path: &Path,
    format: Format,
    notes: &mut Notes,
) -> Result<Arc<Document>, Failure> {
    let bytes = store::read(path, limit()).map_err(|error| error.seen_from(&environment.folder))?;
    document_of(shown(environment, path), bytes, format, notes)
}

/// Bytes as a document; what is wrong with them goes to the notes.
pub(crate) fn document_of(
    name: String,
    bytes: Vec<u8>,
    format: Format,
    notes: &mut Notes,
) -> Result<Arc<Document>, Failure> {
    let source = notes.sources.add(name, String::from_utf8_lossy(&bytes).into_owned());
    let text = decode(source, bytes)?;
    let parsed = parse(source, text, format, Limits::default());
    notes.diagnostics.extend(parsed.diagnostics);
    Ok(Arc::new(parsed.document))
}

/// A TOML file that need not be there.
fn optional(
    environment: &Environment,
    path: &Path,
    notes: &mut Notes,
) -> Result<Option<Arc<Document>>, Failure> {
    if !store::is_file(path) {
        return Ok(None);
    }
    notes.log.push(format!("{} counts too", shown(environment, path)));
    document(environment, path, Format::Toml, notes).map(Some)
}

/// A name that is not there.
pub(crate) fn unknown_name(what: &str, name: &str, help: Option<String>) -> Failure {
    let mut diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, format!("there is no {what} `{name}`"));
    diagnostic.help = help;
    Failure::new(FailureKind::NotFound, diagnostic)
}

/// A path as users see it: from the working folder where it is below, with `/`.
pub(crate) fn shown(environment: &Environment, path: &Path) -> String {
    let short = path.strip_prefix(&environment.folder).unwrap_or(path);
    short.to_string_lossy().replace('\\', "/")
}

/// Takes in one file of one layer; what is wrong with it goes to the notes.
pub(crate) fn layer_file(layer: LayerName, shown: &str, bytes: Vec<u8>, notes: &mut Notes) -> LayerFile {
    let (file, diagnostics) = LayerFile::read(layer, shown, bytes, &mut notes.sources);
    notes.diagnostics.extend(diagnostics);
    file
}
