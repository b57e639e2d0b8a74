//! `agpm publish`: sends the library in the working directory to a registry, or writes it as a layout or a site.
//!
//! gather the resources -> check what must not be published -> pack -> compare with what exists -> send

mod checks;
mod library;

use std::path::PathBuf;

use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, codes};
use agpm_model::{
    Address, AddressContext, AddressProblem, DefaultHost, RepositoryAddress, SourceAddress,
    SourceAddressError,
};
pub use agpm_source::Overwriting;
use agpm_source::{
    ArtifactTarget, PackedArtifact, PublishOutcome, PublishedLibrary, SiteWriting, is_valid_tag,
    pack_library, pack_skill, write_site,
};
use serde::Serialize;

use crate::manifest::{not_an_address, usage};
use crate::project::source_failure::source_failure_of;
use crate::project::world::World;
use crate::project::write_mode::WriteMode;
use crate::utc_time::utc_time;

use library::{GatheredLibrary, gather_library};

/// The form in which a library is published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PublishFormat {
    /// One artifact with a layer for each resource.
    #[default]
    Library,
    /// One skill as the community's artifact.
    Skill,
    /// Skills as files of a web server.
    Site,
}

/// The arguments of `publish`.
#[derive(Clone, Debug)]
pub struct PublishRequest {
    /// The URL of the repository, or the directory of a site.
    pub target: Option<String>,
    /// The resources; empty for all.
    pub paths: Vec<String>,
    /// The version.
    pub version: Option<String>,
    /// The form.
    pub format: PublishFormat,
    /// A layout to write instead of sending.
    pub output: Option<PathBuf>,
    /// Whether something is written.
    pub writing: WriteMode,
    /// Whether a version with other content is replaced.
    pub overwriting: Overwriting,
    /// The time that artifacts state, in seconds since 1970.
    pub epoch: Option<u64>,
}

/// A published resource.
#[derive(Clone, Debug, Serialize)]
pub struct PublishedRow {
    /// `TYPE/NAME`.
    pub id: String,
    /// Its path in the library.
    pub path: String,
    /// The number of its files.
    pub files: usize,
}

/// What was published.
#[derive(Clone, Debug, Serialize)]
pub struct PublishReport {
    /// The URL of the repository, or the path of the layout or site.
    pub target: String,
    /// The form.
    pub format: PublishFormat,
    /// The version; `None` for a site.
    pub version: Option<String>,
    /// The digest of the manifest; `None` for a site.
    pub digest: Option<String>,
    /// The resources.
    pub resources: Vec<PublishedRow>,
    /// The size of everything.
    pub bytes: u64,
    /// Layers, configurations or files that were sent or written.
    pub sent: usize,
    /// The size of what was sent.
    pub sent_bytes: u64,
    /// Layers and configurations that existed already.
    pub present: usize,
    /// Whether the version existed with the same content.
    pub unchanged: bool,
    /// Whether nothing was written.
    pub dry_run: bool,
}

/// Publishes a library.
pub fn publish(world: &World, request: &PublishRequest) -> Outcome<PublishReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(
    world: &World,
    request: &PublishRequest,
    notes: &mut Notes,
) -> Result<PublishReport, Failure> {
    if request.format == PublishFormat::Site {
        return publish_site(world, request, notes);
    }
    let (target, shown) = open_target(world, request)?;
    let gathered = gather_library(world, &request.paths)?;
    let version = version_of(request, &gathered)?;
    checks::refuse_unpublishable(&gathered, notes)?;
    let library = PublishedLibrary {
        version: version.clone(),
        created: request.epoch.map(utc_time),
        // Not after the directory, whose name differs from machine to machine.
        title: shown
            .starts_with("oci://")
            .then(|| agpm_model::repository_name(&shown).to_owned()),
        ..gathered.library.clone()
    };
    let failed = |error| source_failure_of(&format!("`{shown}`"), error);
    if request.format == PublishFormat::Skill && !is_one_skill(&library) {
        let message = format!(
            "`--format skill` publishes one skill, and {} resources were found",
            library.resources.len()
        );
        return Err(usage(message, "name the directory of the skill".to_owned()));
    }
    let artifact = pack(request, &library).map_err(failed)?;
    let outcome = match request.writing {
        WriteMode::Apply => Some(target.publish(&version, &artifact, request.overwriting)),
        WriteMode::Show => target.compare(&version, &artifact).transpose(),
    };
    let outcome = outcome.transpose().map_err(failed)?;
    let mut report = PublishReport {
        target: shown.clone(),
        format: request.format,
        version: Some(version.clone()),
        digest: Some(artifact.digest.to_string()),
        resources: rows(&library),
        bytes: artifact.bytes(),
        sent: 0,
        sent_bytes: 0,
        present: 0,
        unchanged: false,
        dry_run: request.writing == WriteMode::Show,
    };
    match outcome {
        None => {}
        Some(PublishOutcome::Published {
            sent,
            sent_bytes,
            present,
        }) => {
            report.sent = sent;
            report.sent_bytes = sent_bytes;
            report.present = present;
        }
        Some(PublishOutcome::Unchanged(digest)) => {
            report.unchanged = true;
            report.digest = Some(digest.to_string());
        }
        Some(PublishOutcome::Differs(digest)) if request.overwriting == Overwriting::Refused => {
            return Err(existing_version(&shown, &version, digest.short()));
        }
        // Only a dry run gets here with `--force`: what it shows is that something would be sent.
        Some(PublishOutcome::Differs(_)) => {}
    }
    Ok(report)
}

fn is_one_skill(library: &PublishedLibrary) -> bool {
    matches!(library.resources.as_slice(), [one] if one.kind == "skill")
}

fn pack(
    request: &PublishRequest,
    library: &PublishedLibrary,
) -> Result<PackedArtifact, agpm_source::SourceError> {
    match (request.format, library.resources.as_slice()) {
        (PublishFormat::Skill, [skill]) => pack_skill(skill, library),
        _ => pack_library(library),
    }
}

fn publish_site(
    world: &World,
    request: &PublishRequest,
    notes: &mut Notes,
) -> Result<PublishReport, Failure> {
    let help = "write `agpm publish DIR --format site`".to_owned();
    let Some(directory) = &request.target else {
        return Err(usage("`--format site` needs a directory".to_owned(), help));
    };
    if directory.contains("://") || request.output.is_some() {
        let message = "`--format site` writes a directory".to_owned();
        return Err(usage(message, help));
    }
    let gathered = gather_library(world, &request.paths)?;
    checks::refuse_unpublishable(&gathered, notes)?;
    let library = &gathered.library;
    let skills: Vec<_> = library
        .resources
        .iter()
        .filter(|resource| resource.kind == "skill")
        .cloned()
        .collect();
    if skills.is_empty() {
        let message = "a site has skills, and this library has none".to_owned();
        return Err(usage(message, "publish it to a registry".to_owned()));
    }
    let root = world.environment.resolve(&PathBuf::from(directory));
    let writing = match request.writing {
        WriteMode::Apply => SiteWriting::Write,
        WriteMode::Show => SiteWriting::Compare,
    };
    let written = write_site(&root, &skills, writing);
    let written = written.map_err(|error| source_failure_of(&format!("`{directory}`"), error))?;
    let library = PublishedLibrary {
        resources: skills,
        ..PublishedLibrary::default()
    };
    Ok(PublishReport {
        target: directory.clone(),
        format: PublishFormat::Site,
        version: None,
        digest: None,
        resources: rows(&library),
        bytes: written.files.iter().map(|(_, size)| size).sum(),
        sent: written.changed,
        sent_bytes: 0,
        present: written.files.len() - written.changed,
        unchanged: written.changed == 0,
        dry_run: request.writing == WriteMode::Show,
    })
}

fn rows(library: &PublishedLibrary) -> Vec<PublishedRow> {
    let mut rows = Vec::new();
    for resource in &library.resources {
        rows.push(PublishedRow {
            id: format!("{}/{}", plural(&resource.kind), resource.name),
            path: resource.path.clone(),
            files: resource.files.len(),
        });
    }
    rows
}

fn plural(kind: &str) -> String {
    agpm_resolve::discover::CandidateType::named(kind)
        .map_or_else(|| format!("{kind}s"), |kind| kind.plural().to_owned())
}

/// Opens the repository or layout, without contacting it.
fn open_target(
    world: &World,
    request: &PublishRequest,
) -> Result<(ArtifactTarget, String), Failure> {
    let environment = &world.environment;
    if let Some(output) = &request.output {
        let path = environment.resolve(output);
        return Ok((ArtifactTarget::layout(path), output.display().to_string()));
    }
    let help = "write `agpm publish oci://HOST/REPOSITORY`, or use `--output DIR`".to_owned();
    let Some(written) = &request.target else {
        return Err(usage("no registry to publish to".to_owned(), help));
    };
    let host = DefaultHost::default();
    let context = AddressContext {
        default_host: &host,
        is_source: &|_| false,
    };
    let address = Address::parse(written, &context);
    let address = address.map_err(|error| match &error.problem {
        AddressProblem::Url(problem @ SourceAddressError::RepositoryName) => {
            let found = Diagnostic::new(&codes::PUBLISH_REFUSED, problem.to_string());
            let help = "choose a name such as `oci://HOST/team/library`";
            Failure::new(FailureKind::Refused, found.help(help))
        }
        _ => not_an_address(written, &error),
    })?;
    let Address::Repository(RepositoryAddress { url, inner }) = address else {
        return Err(usage(
            format!("`{written}` is not the URL of a registry"),
            help,
        ));
    };
    if inner.requirement.is_some() || inner.path.is_some() {
        let message = format!("`{written}` names a path or a version");
        let help = "set the version with `--version`".to_owned();
        return Err(usage(message, help));
    }
    let context = environment.source_context(&environment.working_directory);
    let url = url_with_settings(world, url);
    let target = world.sources.target(&url, &context);
    let target =
        target.ok_or_else(|| usage(format!("`{written}` is not the URL of a registry"), help))?;
    Ok((target, url.redacted().to_owned()))
}

/// The URL with the settings that a source of the manifest or the configuration has for it.
fn url_with_settings(world: &World, url: SourceAddress) -> SourceAddress {
    let Ok(project) = crate::browse::read_sources(world, &mut Notes::default()) else {
        return url;
    };
    let mut sources = project.manifest.sources.iter();
    let known = sources.find(|source| agpm_model::same_repository(&source.address, &url));
    known.map_or(url, |source| source.address.clone())
}

/// The version: as given, or the tag of the current commit without `v`.
fn version_of(request: &PublishRequest, gathered: &GatheredLibrary) -> Result<String, Failure> {
    let version = match &request.version {
        Some(version) => version.clone(),
        None => {
            let mut versions: Vec<&str> = Vec::new();
            for tag in &gathered.tags {
                let bare = tag.strip_prefix('v').unwrap_or(tag);
                if agpm_model::VersionLabel::new(bare).version().is_some() {
                    versions.push(bare);
                }
            }
            match versions.as_slice() {
                [one] => (*one).to_owned(),
                [] => {
                    let message = "no version: the current commit has no tag with one".to_owned();
                    return Err(usage(message, "add `--version 1.0.0`".to_owned()));
                }
                _ => {
                    let message = format!("several versions: {}", versions.join(", "));
                    return Err(usage(message, format!("add `--version {}`", versions[0])));
                }
            }
        }
    };
    if !is_valid_tag(&version) {
        let message = format!("registries do not accept `{version}` as a version");
        let found = Diagnostic::new(&codes::PUBLISH_REFUSED, message);
        let help = "use letters, digits, `.`, `_`, `-` and `+`, at most 128";
        return Err(Failure::new(FailureKind::Refused, found.help(help)));
    }
    let is_release = agpm_model::VersionLabel::new(&version).is_stable();
    if request.overwriting == Overwriting::Allowed && is_release {
        let message = format!("`--force` replaces pre-releases only, and {version} is a release");
        let found = Diagnostic::new(&codes::PUBLISH_REFUSED, message);
        let help = "publish a new version";
        return Err(Failure::new(FailureKind::Refused, found.help(help)));
    }
    Ok(version)
}

fn existing_version(target: &str, version: &str, digest: &str) -> Failure {
    let message = format!("`{target}` has version {version} with other content ({digest})");
    let found = Diagnostic::new(&codes::PUBLISH_REFUSED, message);
    Failure::new(
        FailureKind::Refused,
        found.help("publish a new version; `--force` replaces a pre-release"),
    )
}
