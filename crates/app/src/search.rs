//! `search QUERY`: searches the resources of all sources in an index in the cache.

use std::path::{Path, PathBuf};
use std::time::Duration;

use agpm_diag::{Diagnostic, Failure, Notes, Outcome, Severity, codes};
use agpm_model::{Address, AddressKind, Checksum, InnerAddress, NamedAddress};
use agpm_resolve::discover::{
    IndexHeader, ResultFilter, SearchIndex, SearchQuery, SearchReport, StoredIndex, newest_version,
};
use agpm_source::SourceVersioning;

use crate::browse::read_sources;
use crate::manifest::OfferedSource;
use crate::manifest::type_of_word;
use crate::offers::LocationFinder;
use crate::project::world::{NetworkAccess, World};

/// How long an index is used before its source is contacted again.
const KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// The maximum size of an index, enough for over a million resources.
const LARGEST_INDEX: u64 = 1 << 30;

/// When indexes are rebuilt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexUse {
    /// After a day.
    Daily,
    /// In this run.
    Refresh,
}

/// The arguments of `search`.
#[derive(Clone, Debug)]
pub struct SearchRequest {
    /// The search terms for names and descriptions.
    pub query: String,
    /// Limits the results to this type.
    pub kind: Option<String>,
    /// The maximum number of results.
    pub limit: Option<usize>,
    /// When indexes are rebuilt.
    pub index_use: IndexUse,
}

/// Searches the resources of all sources.
pub fn search(world: &World, request: &SearchRequest) -> Outcome<SearchReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &SearchRequest, notes: &mut Notes) -> Result<SearchReport, Failure> {
    let kind = request.kind.as_deref().map(type_of_word).transpose()?;
    let project = read_sources(world, notes)?;
    let sources = OfferedSource::all_of(&project.manifest);
    let directory = project
        .directory
        .unwrap_or_else(|| world.environment.working_directory.clone());
    let indexing = Indexing {
        world,
        finder: LocationFinder {
            world,
            sources: &sources,
            directory: &directory,
        },
        index_use: request.index_use,
    };
    let stored: Vec<StoredIndex> = sources
        .iter()
        .filter_map(|source| indexing.index(source, notes))
        .collect();
    let filter = ResultFilter {
        query: SearchQuery::parse(&request.query),
        kind,
        limit: request.limit,
    };
    Ok(SearchReport::of(&stored, sources.len(), &filter))
}

/// Rebuilds the indexes of sources.
struct Indexing<'a> {
    world: &'a World,
    finder: LocationFinder<'a>,
    index_use: IndexUse,
}

impl Indexing<'_> {
    /// Returns the index of a source. It is rebuilt if it is old and the source is reachable; otherwise the stored one
    /// is used.
    fn index(&self, source: &OfferedSource, notes: &mut Notes) -> Option<StoredIndex> {
        let path = self.index_path(source);
        let cached = read_index(&path);
        let is_recent = agpm_store::age(&path).is_some_and(|age| age < KEPT);
        let is_offline = self.world.environment.network == NetworkAccess::Offline;
        let is_enough = cached.is_some() && is_recent && self.index_use == IndexUse::Daily;
        let is_cached = cached.is_some() && is_offline && !source.address.is_local();
        let mut built = None;
        if !is_enough && !is_cached {
            match self.make(source, cached.as_deref()) {
                Ok(text) => {
                    // Writing the index may fail, for example in a read-only cache; the next search then rebuilds it.
                    let _ = agpm_store::write_atomically(&path, text.as_bytes());
                    built = Some(text);
                }
                Err(failure) => {
                    let found = not_searched(source, cached.as_deref(), failure);
                    notes.diagnostics.extend(found);
                }
            }
        }
        Some(StoredIndex {
            source: source.name.to_string(),
            url: source.address.redacted().to_owned(),
            text: built.or(cached)?,
        })
    }

    fn index_path(&self, source: &OfferedSource) -> PathBuf {
        // A relative path is another directory in every project, so the project's directory is part of the key.
        let from = match source.address.kind() {
            AddressKind::Directory(_) => self.finder.directory.to_string_lossy(),
            _ => "".into(),
        };
        let key = format!("{from}\n{}", source.address.redacted());
        let name = Checksum::of(key.as_bytes()).to_string();
        let name = name.rsplit(':').next().unwrap_or(&name).to_owned();
        self.world.environment.index_directory().join(name)
    }

    fn make(&self, source: &OfferedSource, cached: Option<&str>) -> Result<String, Failure> {
        let location = self.finder.find(&Address::Source(NamedAddress {
            name: source.name.clone(),
            inner: InnerAddress::default(),
        }))?;
        let commit = location.revision.as_ref().map(ToString::to_string);
        let header = IndexHeader {
            url: source.address.redacted().to_owned(),
            commit: commit.unwrap_or_default(),
        };
        let is_same = cached
            .and_then(SearchIndex::decode)
            .is_some_and(|(own, _)| own == header);
        if let Some(cached) = cached
            .filter(|_| is_same && location.source.versioning() == SourceVersioning::Versioned)
        {
            return Ok(cached.to_owned());
        }
        let offer = location.offer(None)?;
        let rows = offer.candidates.iter().map(|candidate| {
            let versions = location.versions.as_ref();
            let version = versions.and_then(|versions| newest_version(candidate, versions));
            (candidate, version.unwrap_or_default())
        });
        Ok(SearchIndex::encode(&header, rows))
    }
}

fn read_index(path: &Path) -> Option<String> {
    let bytes = agpm_store::read(path, LARGEST_INDEX).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    SearchIndex::decode(&text).is_some().then_some(text)
}

/// Reports an unreachable source as a warning, because the other sources were searched.
fn not_searched(
    source: &OfferedSource,
    cached: Option<&str>,
    failure: Failure,
) -> Option<Diagnostic> {
    let found = failure.diagnostic?;
    let what = if cached.is_some() {
        "an older index is used"
    } else {
        "it was not searched"
    };
    let message = format!("source `{}`: {what}: {}", source.name, found.message);
    let mut warning = Diagnostic::new(&codes::SOURCE_UNREACHABLE, message);
    warning.severity = Severity::Warning;
    warning.help = found.help.clone();
    Some(warning)
}
