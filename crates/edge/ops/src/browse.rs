//! `browse ADDRESS [QUERY]`: what a source offers.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_discover::{Candidate, CandidateType, SearchQuery};
use agpm_model::{Manifest, newest_tag};
use serde::Serialize;

use crate::add::offer::Offer;
use crate::add::place::{Place, PlaceFinder, PlaceSource};
use crate::add::words::read_address;
use crate::additions::type_of_word;
use crate::gather::{ManifestFiles, Project};
use crate::world::{ManifestUse, World};

/// What to look into.
#[derive(Clone, Debug)]
pub struct BrowseRequest {
    /// An address or a source.
    pub address: String,
    /// What names and descriptions must contain.
    pub query: String,
    /// Only this type.
    pub kind: Option<String>,
    /// How many are shown at most.
    pub limit: Option<usize>,
}

/// A resource of a source.
#[derive(Clone, Debug, Serialize)]
pub struct OfferedResource {
    /// `TYPE/NAME`.
    pub id: String,
    /// The type.
    #[serde(rename = "type")]
    pub kind: CandidateType,
    /// Its name.
    pub name: String,
    /// What it says of itself.
    pub description: Option<String>,
    /// The newest version; nothing without tags.
    pub version: Option<String>,
    /// Its path in the source; `.` for the root.
    pub path: String,
    /// The plugin that it belongs to.
    pub plugin: Option<String>,
}

/// What a source offers.
#[derive(Clone, Debug, Serialize)]
pub struct BrowseReport {
    /// The source's name, in the manifest or as `add` would call it.
    pub source: String,
    /// The URL, without secrets; nothing for a directory.
    pub url: Option<String>,
    /// The tag or branch that was read.
    pub version: Option<String>,
    /// What it has, best first if something is looked for.
    pub resources: Vec<OfferedResource>,
    /// How many fit in all.
    pub total: usize,
}

/// Shows what a source offers.
pub fn browse(world: &World, request: &BrowseRequest) -> Outcome<BrowseReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &BrowseRequest, notes: &mut Notes) -> Result<BrowseReport, Failure> {
    let kind = request.kind.as_deref().map(type_of_word).transpose()?;
    let project = read_sources(world, notes)?;
    let address = read_address(&request.address, &project.manifest)?;
    let sources = PlaceSource::all_of(&project.manifest);
    let folder = project
        .folder
        .unwrap_or_else(|| world.environment.folder.clone());
    let finder = PlaceFinder {
        world,
        sources: &sources,
        folder: &folder,
    };
    let place = finder.find(&address)?;
    let Offer { candidates, .. } = place.offer(kind)?;
    let query = SearchQuery::parse(&request.query);
    let fits = |one: &Candidate| {
        let about = one.description.as_deref().unwrap_or_default();
        let score = query.score(&one.name, about)?;
        kind.is_none_or(|kind| kind == one.kind).then_some(score)
    };
    let mut found: Vec<(u32, &Candidate)> = candidates
        .iter()
        .filter_map(|one| Some((fits(one)?, one)))
        .collect();
    if !query.is_empty() {
        found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    }
    let total = found.len();
    let limit = request.limit.unwrap_or(usize::MAX);
    let resources = found
        .into_iter()
        .take(limit)
        .map(|(_, one)| offered(&place, one));
    let source = place.origin.source();
    Ok(BrowseReport {
        source: place.origin.label(),
        url: source.map(|source| source.address.redacted().to_owned()),
        version: place.label.clone(),
        resources: resources.collect(),
        total,
    })
}

/// The sources of manifest and configuration; without a manifest, of the configuration alone.
pub(crate) fn read_sources(world: &World, notes: &mut Notes) -> Result<Project, Failure> {
    let environment = &world.environment;
    let files = match ManifestFiles::find(environment, ManifestUse::Nearest)? {
        Some(files) => Some(files),
        None => ManifestFiles::configuration_alone(environment)?,
    };
    match files {
        Some(files) => Project::of(world, files, notes),
        None => Ok(Project {
            manifest: Manifest::default(),
            ..Project::default()
        }),
    }
}

/// The newest version of a candidate, by its own tags or by those of the whole source.
pub(crate) fn newest_version(place: &Place, one: &Candidate) -> Option<String> {
    let versions = place.versions.as_ref()?;
    let names = [
        format!("{}/{}", one.kind.plural(), one.name),
        one.name.clone(),
        one.path.clone(),
    ];
    let tag = newest_tag(versions.tags.keys().map(String::as_str), &names)?;
    Some(tag.name().to_owned())
}

fn offered(place: &Place, one: &Candidate) -> OfferedResource {
    OfferedResource {
        id: one.id(),
        kind: one.kind,
        name: one.name.clone(),
        description: one.description.clone(),
        version: newest_version(place, one),
        path: match one.path.as_str() {
            "" => ".".to_owned(),
            path => path.to_owned(),
        },
        plugin: one.membership.plugin().map(str::to_owned),
    }
}
