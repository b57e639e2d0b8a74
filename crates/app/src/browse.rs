//! `browse ADDRESS [QUERY]`: lists the resources of a source.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::Manifest;
use agpm_resolve::discover::BrowseReport;
use agpm_resolve::discover::{FittingCandidates, ResultFilter, SearchQuery};

use crate::manifest::OfferedSource;
use crate::manifest::read_address;
use crate::manifest::type_of_word;
use crate::offers::{LocationFinder, SourceOffer};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::world::{ManifestUse, World};

/// The arguments of `browse`.
#[derive(Clone, Debug)]
pub struct BrowseRequest {
    /// A URL, or the name of a source in the manifest.
    pub address: String,
    /// The search terms for names and descriptions.
    pub query: String,
    /// Limits the results to this type.
    pub kind: Option<String>,
    /// The maximum number of results.
    pub limit: Option<usize>,
}

/// Lists the resources of a source.
pub fn browse(world: &World, request: &BrowseRequest) -> Outcome<BrowseReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(world: &World, request: &BrowseRequest, notes: &mut Notes) -> Result<BrowseReport, Failure> {
    let kind = request.kind.as_deref().map(type_of_word).transpose()?;
    let project = read_sources(world, notes)?;
    let address = read_address(&request.address, &project.manifest)?;
    let sources = OfferedSource::all_of(&project.manifest);
    let directory = project
        .directory
        .unwrap_or_else(|| world.environment.working_directory.clone());
    let finder = LocationFinder {
        world,
        sources: &sources,
        directory: &directory,
    };
    if let Some(repositories) = finder.listed_sources(&address)? {
        return Ok(list_repositories(request, repositories));
    }
    let location = finder.find(&address)?;
    let SourceOffer { candidates, .. } = location.offer(kind)?;
    let filter = ResultFilter {
        query: SearchQuery::parse(&request.query),
        kind,
        limit: request.limit,
    };
    let FittingCandidates { resources, total } =
        FittingCandidates::of(&candidates, location.versions.as_deref(), &filter);
    let source = location.origin.source();
    Ok(BrowseReport {
        source: location.origin.label(),
        url: source.map(|source| source.address.redacted().to_owned()),
        version: location.label.clone(),
        resources,
        total,
        repositories: Vec::new(),
    })
}

/// The repositories in a directory of them whose URLs have every term of the query.
fn list_repositories(request: &BrowseRequest, mut repositories: Vec<String>) -> BrowseReport {
    let query = request.query.to_lowercase();
    repositories.retain(|url| {
        let url = url.to_lowercase();
        query.split_whitespace().all(|term| url.contains(term))
    });
    let total = repositories.len();
    repositories.truncate(request.limit.unwrap_or(usize::MAX));
    BrowseReport {
        source: request.address.clone(),
        url: Some(request.address.clone()),
        version: None,
        resources: Vec::new(),
        total,
        repositories,
    }
}

/// Reads the sources of manifest and configuration; without a manifest, those of the configuration.
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
