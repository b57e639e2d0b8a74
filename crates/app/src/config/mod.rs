//! `agpm config`: shows and edits the user configuration.

mod report;

pub use report::{ConfigAnswer, ConfigReport};

use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, Notes, Outcome, Severity, codes, did_you_mean, unknown_name};
use agpm_model::{DefaultHost, UserConfig};
use agpm_text::Document;

use crate::manifest::Replace;
use crate::manifest::{name_exists, new_source, usage};
use crate::project::config::read_config;
use crate::project::world::{Environment, World};

/// The arguments of `config`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigRequest {
    /// Show the file with secrets masked.
    Show,
    /// Show the path of the file.
    Path,
    /// Add a source.
    AddSource {
        /// The name that dependencies use for it.
        name: String,
        /// The URL or directory.
        url: String,
        /// Whether an existing source of that name is replaced.
        replace: Replace,
    },
    /// Remove a source.
    RemoveSource {
        /// The name of the source in the configuration.
        name: String,
    },
    /// Show or set the host of `OWNER/REPO`.
    DefaultHost {
        /// The new host; `None` shows the current one.
        host: Option<String>,
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
    let document = read_config(&world.environment, notes)?;
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
        return Err(name_exists("configuration", "sources", name));
    }
    write(path, &config.with_source(name, &address)?)?;
    let verb = if is_known { "replaced" } else { "added" };
    Ok(format!("{verb} source `{name}`: {}", address.redacted()))
}

fn remove(path: &Path, config: UserConfig<'_>, name: &str) -> Result<String, Failure> {
    if !config.has_source(name) {
        let names = config.source_names();
        let help = did_you_mean(name, "sources are", names.iter().map(String::as_str));
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

/// Writes the configuration. If the path is a symlink, its target is written, because users keep such files in dotfile
/// repositories.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let path = agpm_store::real_path(path);
    Ok(agpm_store::write_atomically(&path, text.as_bytes())?)
}
