//! `agpm config`: the user's own configuration.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{
    Diagnostic, Failure, Notes, Outcome, Severity, codes, did_you_mean, mask_line_after,
};
use agpm_model::{DefaultHost, SourceAddress, SourceDeclaration, SourceName, SourceScope};
use agpm_store::{StoreError, StoreProblem};
use agpm_text::{Document, Edit, EditError, Format, NodeRef, Pointer};
use serde::Serialize;

use crate::additions::{Replace, exists, new_source, usage};
use crate::documents::document_of;
use crate::gather::unknown_name;
use crate::reading::{limit, shown};
use crate::serialize;
use crate::world::{Environment, World};

const SOURCES: &str = "sources";
const DEFAULT_HOST: &str = "default-host";

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
    let answer = match request {
        ConfigRequest::AddSource { name, url, replace } => ConfigAnswer::Done {
            done: add(&path, document, name, url, *replace)?,
        },
        ConfigRequest::RemoveSource { name } => ConfigAnswer::Done {
            done: remove(&path, document, name)?,
        },
        ConfigRequest::DefaultHost { host: Some(host) } => ConfigAnswer::Done {
            done: set_default_host(&path, document, host)?,
        },
        ConfigRequest::DefaultHost { host: None } => ConfigAnswer::Host {
            default_host: default_host(document)?.to_string(),
        },
        ConfigRequest::Show | ConfigRequest::Path => show(&path, document, notes),
    };
    Ok(ConfigReport { path, answer })
}

fn show(path: &Path, document: Option<&Document>, notes: &mut Notes) -> ConfigAnswer {
    let Some(document) = document else {
        let message = format!("there is no `{}` yet", path.display());
        let help = "`agpm config add-source` makes it";
        let mut diagnostic = Diagnostic::new(&codes::IO_NOT_FOUND, message).help(help);
        diagnostic.severity = Severity::Note;
        notes.diagnostics.push(diagnostic);
        return ConfigAnswer::Content {
            text: String::new(),
            sources: Vec::new(),
        };
    };
    let sources = addresses(document);
    let shown =
        |(name, address): &(String, SourceAddress)| (name.clone(), address.redacted().to_owned());
    ConfigAnswer::Content {
        text: masked(document, &sources),
        sources: sources.iter().map(shown).collect(),
    }
}

fn config_path(environment: &Environment) -> Result<PathBuf, Failure> {
    environment.config_file().ok_or_else(|| {
        let message =
            "there is no place for a configuration: neither HOME nor XDG_CONFIG_HOME is set";
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

fn entries(document: &Document) -> impl Iterator<Item = (NodeRef<'_>, NodeRef<'_>)> {
    let sources = document.root().and_then(|root| root.get(SOURCES));
    sources
        .filter(|node| node.kind() == agpm_text::NodeKind::Map)
        .into_iter()
        .flat_map(NodeRef::entries)
}

/// The sources whose addresses can be understood.
fn addresses(document: &Document) -> Vec<(String, SourceAddress)> {
    let address = |(name, value): (NodeRef<'_>, NodeRef<'_>)| {
        let address = SourceAddress::parse(value.as_str()?).ok()?;
        Some((name.content().to_owned(), address))
    };
    entries(document).filter_map(address).collect()
}

/// The sources that the user has for all projects.
pub(crate) fn configured_sources(
    environment: &Environment,
    notes: &mut Notes,
) -> Result<Vec<SourceDeclaration>, Failure> {
    let Some(document) = read(environment, notes)? else {
        return Ok(Vec::new());
    };
    let spot = agpm_diag::SourceSpan {
        source: document.source(),
        span: agpm_diag::Span::at(0),
    };
    let source = |(name, address): (String, SourceAddress)| {
        Some(SourceDeclaration {
            name: SourceName::new(&name).ok()?,
            address,
            scope: SourceScope::User,
            spot,
        })
    };
    Ok(addresses(&document)
        .into_iter()
        .filter_map(source)
        .collect())
}

/// The text without the secrets of its addresses, and with what looks like one masked line by line.
fn masked(document: &Document, sources: &[(String, SourceAddress)]) -> String {
    let text: String = sources
        .iter()
        .fold(document.text().to_string(), |text, (_, address)| {
            address.scrub(&text.replace(address.reveal(), address.redacted()))
        });
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (body, end) = line.split_at(line.trim_end_matches(['\n', '\r']).len());
        out.push_str(&mask_line_after(&text[..at], body));
        out.push_str(end);
        at += line.len();
    }
    out
}

fn place(name: &str) -> Pointer {
    Pointer::root().child(SOURCES).child(name)
}

fn add(
    path: &Path,
    document: Option<&Document>,
    name: &str,
    url: &str,
    replace: Replace,
) -> Result<String, Failure> {
    let address = new_source(name, url)?;
    let there = document.is_some_and(|document| document.at(&place(name)).is_some());
    if there && replace == Replace::Refused {
        return Err(exists("configuration", "sources", name));
    }
    write(
        path,
        document,
        &Edit::Set {
            at: place(name),
            value: address.reveal().into(),
        },
    )?;
    let verb = if there { "replaced" } else { "added" };
    Ok(format!("{verb} source `{name}`: {}", address.redacted()))
}

fn remove(path: &Path, document: Option<&Document>, name: &str) -> Result<String, Failure> {
    if document.is_none_or(|document| document.at(&place(name)).is_none()) {
        let known: Vec<String> = document
            .into_iter()
            .flat_map(|document| entries(document).map(|(name, _)| name.content().to_owned()))
            .collect();
        let help = did_you_mean(name, "sources are", known.iter().map(String::as_str));
        let none = "the configuration has no sources; `agpm config add-source` adds one";
        return Err(unknown_name(
            "source",
            name,
            help.or_else(|| Some(none.to_owned())),
        ));
    }
    write(path, document, &Edit::Remove { at: place(name) })?;
    Ok(format!("removed source `{name}`"))
}

fn default_host(document: Option<&Document>) -> Result<DefaultHost, Failure> {
    let node = document
        .and_then(Document::root)
        .and_then(|root| root.get(DEFAULT_HOST));
    let Some(node) = node else {
        return Ok(DefaultHost::default());
    };
    DefaultHost::parse(node.as_str().unwrap_or_default()).map_err(|error| {
        Diagnostic::new(&codes::MANIFEST_VALUE, error.to_string())
            .help("run `agpm config default-host github.com`")
            .into()
    })
}

fn set_default_host(
    path: &Path,
    document: Option<&Document>,
    host: &str,
) -> Result<String, Failure> {
    let host = DefaultHost::parse(host).map_err(|error| {
        let help = "write a name such as `git.example.com`".to_owned();
        usage(error.to_string(), help)
    })?;
    let edit = Edit::Set {
        at: Pointer::root().child(DEFAULT_HOST),
        value: host.to_string().as_str().into(),
    };
    write(path, document, &edit)?;
    Ok(format!("`OWNER/REPO` is on {host}"))
}

fn write(path: &Path, document: Option<&Document>, edit: &Edit) -> Result<(), Failure> {
    let text = match document {
        Some(document) => document.edit(edit),
        None => empty().edit(edit),
    };
    let text = text.map_err(|error| uneditable(&error))?;
    Ok(agpm_store::write_whole(
        &agpm_store::real_path(path),
        text.as_bytes(),
    )?)
}

fn empty() -> Document {
    let source = agpm_diag::SourceMap::default().add("config.toml", "");
    agpm_text::parse(source, "", Format::Toml, agpm_text::Limits::default()).document
}

fn uneditable(error: &EditError) -> Failure {
    let message = format!("the configuration cannot be changed: {error}");
    Diagnostic::new(&codes::MANIFEST_VALUE, message)
        .help("change it by hand")
        .into()
}
