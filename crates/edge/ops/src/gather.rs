//! What commands read before they think.

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, SourceId, codes, did_you_mean};
use agpm_merge::LayerFile;
use agpm_model::{BUILT_IN, LayerName, Manifest, Strategy};
use agpm_store as store;
use agpm_text::{Format, Limits, decode, parse};

use crate::failure::{Failure, FailureKind, Notes};
use crate::world::{Environment, ManifestUse};

const MANIFEST_NAME: &str = "agpm.toml";

/// The largest file that is read, as the reader's own limit.
pub(crate) fn limit() -> u64 {
    Limits::default().bytes as u64
}

/// The project's manifest and the folder it stands in.
#[derive(Debug, Default)]
pub(crate) struct Project {
    pub(crate) manifest: Manifest,
    pub(crate) folder: Option<PathBuf>,
    pub(crate) source: Option<SourceId>,
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
        let bytes = store::read(&path, limit()).map_err(|error| error.seen_from(&environment.folder))?;
        let shown = shown(environment, &path);
        notes.log.push(format!("the manifest is {shown}"));
        let source = notes.sources.add(shown.clone(), String::from_utf8_lossy(&bytes).into_owned());
        let text = decode(source, bytes)?;
        let parsed = parse(source, text, Format::Toml, Limits::default());
        notes.diagnostics.extend(parsed.diagnostics);
        notes.check()?;
        let (manifest, diagnostics) = Manifest::read(&parsed.document);
        notes.diagnostics.extend(diagnostics);
        notes.check()?;
        Ok(Project { manifest, folder: path.parent().map(Path::to_owned), source: Some(source) })
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
