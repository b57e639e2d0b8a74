//! `agpm config`: the user's own configuration.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{
    Diagnostic, Failure, Notes, Outcome, Severity, SourceSpan, Span, codes, did_you_mean,
    unknown_name,
};
use agpm_model::{
    ConfiguredSource, DefaultHost, SourceDeclaration, SourceName, SourceScope, UserConfig,
};
use agpm_store::{StoreError, StoreProblem};
use agpm_text::{Document, Format, document_of};
use serde::Serialize;

use crate::additions::{Replace, exists, new_source, usage};
use crate::reading::{limit, shown};
use crate::serialize;
use crate::world::{Environment, World};

/// What to do with the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigRequest {
    /// Give its text, with secrets masked.
    Show,
    /// Tell where it is.
    Path,
    /// Add a source.
    AddSource {
        /// Its name.
        name: String,
        /// Its address.
        url: String,
        /// Whether one of that name may go.
        replace: Replace,
    },
    /// Remove a source.
    RemoveSource {
        /// Its name.
        name: String,
    },
    /// Give the host of `OWNER/REPO`, or set it.
    DefaultHost {
        /// The new one.
        host: Option<String>,
    },
}

/// The configuration, or what was done to it.
#[derive(Debug, Serialize)]
pub struct ConfigReport {
    /// Where it is.
    #[serde(serialize_with = "serialize::path")]
    pub path: PathBuf,
    /// What there is to say.
    #[serde(flatten)]
    pub answer: ConfigAnswer,
}

/// What there is to say of a configuration.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ConfigAnswer {
    /// Only where it is.
    Place {},
    /// What is in it.
    Content {
        /// Its text, with secrets masked.
        text: String,
        /// Its sources by name, without secrets.
        #[serde(serialize_with = "agpm_text::pairs")]
        sources: Vec<(String, String)>,
    },
    /// The host of `OWNER/REPO`.
    Host {
        /// The host, as it is written.
        default_host: String,
    },
    /// That it changed.
    Done {
        /// How, in words.
        done: String,
    },
}

/// Shows or changes the configuration.
pub fn config(world: &World, request: &ConfigRequest) -> Outcome<ConfigReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &ConfigRequest, notes: &mut Notes) -> Result<ConfigReport, Failure> {
    let path = config_path(&world.environment)?;
    if *request == ConfigRequest::Path {
        return Ok(ConfigReport {
            path,
            answer: ConfigAnswer::Place {},
        });
    }
    let document = read(&world.environment, notes)?;
    let document = document.as_deref();
    let config = UserConfig::of(document);
    let answer = match request {
        ConfigRequest::AddSource { name, url, replace } => ConfigAnswer::Done {
            done: add(&path, config, name, url, *replace)?,
        },
        ConfigRequest::RemoveSource { name } => ConfigAnswer::Done {
            done: remove(&path, config, name)?,
        },
        ConfigRequest::DefaultHost { host: Some(host) } => ConfigAnswer::Done {
            done: set_default_host(&path, config, host)?,
        },
        ConfigRequest::DefaultHost { host: None } => ConfigAnswer::Host {
            default_host: config.default_host()?.to_string(),
        },
        ConfigRequest::Show | ConfigRequest::Path => show(&path, document, notes),
    };
    Ok(ConfigReport { path, answer })
}

fn show(path: &Path, document: Option<&Document>, notes: &mut Notes) -> ConfigAnswer {
    if document.is_none() {
        let message = format!("no `{}` yet", path.display());
        let help = "`agpm config add-source` creates it";
        let mut diagnostic = Diagnostic::new(&codes::IO_NOT_FOUND, message).help(help);
        diagnostic.severity = Severity::Note;
        notes.diagnostics.push(diagnostic);
    }
    let config = UserConfig::of(document);
    let sources = config.sources().into_iter();
    ConfigAnswer::Content {
        text: config.masked_text(),
        sources: sources
            .map(|source| (source.name, source.address.redacted().to_owned()))
            .collect(),
    }
}

fn config_path(environment: &Environment) -> Result<PathBuf, Failure> {
    environment.config_file().ok_or_else(|| {
        let message = "no directory for the configuration: neither HOME nor XDG_CONFIG_HOME is set";
        Diagnostic::new(&codes::IO_NOT_FOUND, message)
            .help("name the file with `--config`")
            .into()
    })
}

/// The configuration; nothing if there is no file.
fn read(environment: &Environment, notes: &mut Notes) -> Result<Option<Arc<Document>>, Failure> {
    let Some(path) = environment.config_file() else {
        return Ok(None);
    };
    let bytes = match agpm_store::read(&path, limit()) {
        Err(StoreError {
            problem: StoreProblem::NotFound,
            ..
        }) => return Ok(None),
        read => read?,
    };
    let document = document_of(shown(environment, &path), bytes, Format::Toml, notes)?;
    notes.check()?;
    Ok(Some(document))
}

/// The sources that the user has for all projects.
pub(crate) fn configured_sources(
    environment: &Environment,
    notes: &mut Notes,
) -> Result<Vec<SourceDeclaration>, Failure> {
    let Some(document) = read(environment, notes)? else {
        return Ok(Vec::new());
    };
    let spot = SourceSpan {
        source: document.source(),
        span: Span::at(0),
    };
    let source = |one: ConfiguredSource| {
        Some(SourceDeclaration {
            name: SourceName::new(&one.name).ok()?,
            address: one.address,
            scope: SourceScope::User,
            spot,
        })
    };
    let sources = UserConfig::of(Some(&document)).sources();
    Ok(sources.into_iter().filter_map(source).collect())
}

fn add(
    path: &Path,
    config: UserConfig<'_>,
    name: &str,
    url: &str,
    replace: Replace,
) -> Result<String, Failure> {
    let address = new_source(name, url)?;
    let is_known = config.has_source(name);
    if is_known && replace == Replace::Refused {
        return Err(exists("configuration", "sources", name));
    }
    write(path, &config.with_source(name, &address)?)?;
    let verb = if is_known { "replaced" } else { "added" };
    Ok(format!("{verb} source `{name}`: {}", address.redacted()))
}

fn remove(path: &Path, config: UserConfig<'_>, name: &str) -> Result<String, Failure> {
    if !config.has_source(name) {
        let known = config.source_names();
        let help = did_you_mean(name, "sources are", known.iter().map(String::as_str));
        let none = "the configuration has no sources; `agpm config add-source` adds one";
        return Err(unknown_name(
            "source",
            name,
            help.or_else(|| Some(none.to_owned())),
        ));
    }
    write(path, &config.without_source(name)?)?;
    Ok(format!("removed source `{name}`"))
}

fn set_default_host(path: &Path, config: UserConfig<'_>, host: &str) -> Result<String, Failure> {
    let host = DefaultHost::parse(host).map_err(|error| {
        let help = "write a name such as `git.example.com`".to_owned();
        usage(error.to_string(), help)
    })?;
    write(path, &config.with_default_host(&host)?)?;
    Ok(format!("`OWNER/REPO` is on {host}"))
}

/// A symlink stays one: the file that it leads to is written.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let path = agpm_store::real_path(path);
    Ok(agpm_store::write_whole(&path, text.as_bytes())?)
}
