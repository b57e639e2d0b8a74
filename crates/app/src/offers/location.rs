//! Opens the source of a URL at a revision.

use std::path::Path;
use std::sync::Arc;

use crate::manifest::{path_from_manifest, usage};
use agpm_diag::{Diagnostic, Failure, FailureKind, codes, did_you_mean, unknown_name};
use agpm_model::{
    Address, BrowserAddress, InnerAddress, NamedAddress, PluginAddress, RepositoryAddress,
    Requirement, ResourcePath, Revision, SourceAddress, SourceVersions, VersionLabel,
    VersionRequirement, newest_range, normalize,
};
use agpm_source::{
    DirectorySource, Source, SourceVersioning, SymlinkConfinement, resolve, resolve_reference,
};

use crate::project::reading::local_path;
use crate::project::source_failure::source_failure_of;
use crate::project::world::World;

use crate::manifest::{OfferOrigin, OfferedSource};

/// A source at a revision, in which candidates are searched.
pub(crate) struct ResourceLocation {
    /// The opened source.
    pub source: Arc<dyn Source>,
    /// The source in the manifest, or the local path.
    pub origin: OfferOrigin,
    /// The path and the requirement in the source.
    pub inner: InnerAddress,
    /// The tags and branches; `None` for a source without versions.
    pub versions: Option<Arc<SourceVersions>>,
    /// The commit; `None` for a source without versions.
    pub revision: Option<Revision>,
    /// The tag, branch or commit that the revision was found by.
    pub label: Option<VersionLabel>,
    /// The directories that lead to a source on this machine, which may name a type.
    pub outer: String,
}

impl ResourceLocation {
    /// Returns the default branch if the URL names no version and another version was chosen.
    pub(crate) fn unreleased_branch(&self) -> Option<&str> {
        let branch = self.versions.as_ref()?.default_branch.as_deref()?;
        let is_other = self.label.as_ref().map(VersionLabel::as_str) != Some(branch);
        (self.inner.requirement.is_none() && is_other).then_some(branch)
    }
}

/// Finds the location of a URL, for one manifest.
pub(crate) struct LocationFinder<'a> {
    /// The ports to sources and environment.
    pub world: &'a World,
    /// The sources of the manifest, and those that are being added to it.
    pub sources: &'a [OfferedSource],
    /// The directory of the manifest.
    pub directory: &'a Path,
}

impl LocationFinder<'_> {
    /// Returns the location of a URL. Sources are contacted to determine its revision.
    pub(crate) fn find(&self, address: &Address) -> Result<ResourceLocation, Failure> {
        match address {
            Address::Repository(RepositoryAddress { url, inner }) => self.at(
                OfferedSource::for_repository(self.sources, url)?,
                inner.clone(),
            ),
            Address::Browser(page) => self.on_page(page),
            Address::Source(NamedAddress { name, inner }) => {
                self.at(self.source_named(name.as_str())?, inner.clone())
            }
            Address::Plugin(PluginAddress { marketplace, .. }) => {
                let source = self.source_named(marketplace);
                let source = source.map_err(|_| self.unknown_marketplace(marketplace))?;
                self.at(source, InnerAddress::default())
            }
            Address::Local(path) => self.on_disk(path),
        }
    }

    /// Returns the source with this name.
    fn source_named(&self, name: &str) -> Result<OfferedSource, Failure> {
        let found = self
            .sources
            .iter()
            .find(|source| source.name.as_str() == name);
        found.cloned().ok_or_else(|| self.unknown_source(name))
    }

    fn unknown_source(&self, name: &str) -> Failure {
        let names = || self.sources.iter().map(|source| source.name.as_str());
        let here = local_path(
            name,
            &self.world.environment.working_directory,
            &self.world.environment,
        );
        let help = if agpm_store::exists(&here) {
            format!("for the directory or file write `./{name}`")
        } else {
            did_you_mean(name, "sources are", names()).unwrap_or_else(|| {
                format!("write a repository as `OWNER/{name}`, or a directory as `./{name}`")
            })
        };
        unknown_name("source", name, Some(help))
    }

    fn unknown_marketplace(&self, name: &str) -> Failure {
        let names = self.sources.iter().map(|source| source.name.as_str());
        let help = did_you_mean(name, "sources are", names)
            .unwrap_or_else(|| format!("add its repository: `agpm add source {name} URL`"));
        unknown_name("marketplace", name, Some(help))
    }

    /// Returns the sources at a URL that is a directory of sources.
    pub(crate) fn listed_sources(&self, address: &Address) -> Result<Option<Vec<String>>, Failure> {
        let Address::Repository(RepositoryAddress { url, .. }) = address else {
            return Ok(None);
        };
        let listed = self.open(url).listed_sources();
        listed.map_err(|error| source_failure_of(&format!("`{url}`"), error))
    }

    fn open(&self, address: &SourceAddress) -> Arc<dyn Source> {
        let context = self.world.environment.source_context(self.directory);
        self.world.sources.open(address, &context)
    }

    fn on_page(&self, page: &BrowserAddress) -> Result<ResourceLocation, Failure> {
        let found = OfferedSource::for_repository(self.sources, &page.url)?;
        let source = self.open(&found.address);
        let versions = self.versions(&*source, &found)?.unwrap_or_default();
        let Some(inner) = page.split(&versions) else {
            let (reference, _) = page.first_split();
            let names = versions.tags.keys().chain(versions.branches.keys());
            let help = did_you_mean(
                reference,
                "its branches and tags are",
                names.map(String::as_str),
            );
            return Err(unknown_name("branch, tag or commit", reference, help));
        };
        let inner = inner.map_err(|problem| usage(problem.to_string(), String::new()))?;
        self.snapshot(source, found, inner)
    }

    fn at(&self, found: OfferedSource, inner: InnerAddress) -> Result<ResourceLocation, Failure> {
        let source = self.open(&found.address);
        self.snapshot(source, found, inner)
    }

    fn versions(
        &self,
        source: &dyn Source,
        found: &OfferedSource,
    ) -> Result<Option<Arc<SourceVersions>>, Failure> {
        if source.versioning() == SourceVersioning::Unversioned {
            return Ok(None);
        }
        let versions = source.versions();
        let failed = |error| source_failure_of(&format!("source `{}`", found.name), error);
        versions.map(Some).map_err(failed)
    }

    /// Chooses the revision to search for candidates: the required one, else the newest stable version, else the
    /// default branch.
    fn snapshot(
        &self,
        source: Arc<dyn Source>,
        found: OfferedSource,
        inner: InnerAddress,
    ) -> Result<ResourceLocation, Failure> {
        let failed = |error| source_failure_of(&format!("source `{}`", found.name), error);
        let versions = self.versions(&*source, &found)?;
        let resolved = match (&versions, &inner.requirement) {
            (None, None) => None,
            (None, Some(requirement)) => {
                let message = format!("`{}` is a directory without versions", found.address);
                let help = format!("leave out `@{}`", requirement.as_str());
                return Err(usage(message, help));
            }
            (Some(versions), requirement) => {
                let newest = || newest_range(versions.tags.keys().map(String::as_str), &[]);
                let newest = || newest().and_then(|range| VersionRequirement::parse(&range).ok());
                let found_version = match requirement.clone().or_else(newest) {
                    Some(requirement) => {
                        let requirement = Requirement::Version(requirement);
                        resolve(&*source, &requirement).map_err(failed)?
                    }
                    None => resolve_reference(&*source, None).ok(),
                };
                Some(found_version.ok_or_else(|| no_version(&found, &inner, versions))?)
            }
        };
        let revision = resolved.as_ref().map(|version| version.revision.clone());
        // Only the tree is fetched. Most files of a source are never installed, and the required ones follow in one
        // batch.
        if let Some(revision) = &revision {
            let on_demand = agpm_source::FileFetching::OnDemand;
            let fetched = source.fetch(std::slice::from_ref(revision), on_demand);
            fetched.map_err(failed)?;
        }
        Ok(ResourceLocation {
            source,
            origin: OfferOrigin::Source(found),
            inner,
            versions,
            revision,
            label: resolved.map(|version| version.label),
            outer: String::new(),
        })
    }

    /// Returns the location of a directory or file on this machine. Its path in the manifest is relative to the
    /// manifest.
    fn on_disk(&self, typed: &str) -> Result<ResourceLocation, Failure> {
        let environment = &self.world.environment;
        let full = normalize(&local_path(
            typed,
            &environment.working_directory,
            environment,
        ));
        if !agpm_store::exists(&full) {
            let diagnostic = Diagnostic::new(
                &codes::IO_NOT_FOUND,
                format!("no such file or directory: `{typed}`"),
            )
            .help("check the path; a repository is written `OWNER/REPO` or as a URL");
            return Err(Failure::new(FailureKind::NotFound, diagnostic));
        }
        if agpm_source::git::is_bare_repository(&full) {
            let url = SourceAddress::parse(&path_from_manifest(&full, self.directory));
            let url = url.map_err(|error| usage(format!("`{typed}`: {error}"), String::new()))?;
            return self.at(
                OfferedSource::for_repository(self.sources, &url)?,
                InnerAddress::default(),
            );
        }
        let (directory, inner) = if agpm_store::is_directory(&full) {
            (full.clone(), None)
        } else {
            let name = full
                .file_name()
                .map(|name| name.to_string_lossy().into_owned());
            let parent = full.parent().unwrap_or(Path::new("/")).to_owned();
            (parent, name)
        };
        let bad = |error| usage(format!("`{typed}`: {error}"), String::new());
        let inner = inner.map(|name| ResourcePath::found(&name));
        let source = DirectorySource::new(
            directory.clone(),
            SymlinkConfinement::Anywhere,
            self.directory,
        );
        let outer = typed_directories(typed, &directory);
        Ok(ResourceLocation {
            outer,
            source: Arc::new(source),
            origin: OfferOrigin::Local(path_from_manifest(&directory, self.directory)),
            inner: InnerAddress {
                path: inner.transpose().map_err(bad)?,
                requirement: None,
            },
            versions: None,
            revision: None,
            label: None,
        })
    }
}

/// The directories that a local path names: those of a relative path as typed, or the last one. Directories further up
/// on this machine have nothing to do with the resource.
fn typed_directories(typed: &str, directory: &Path) -> String {
    let last = directory.file_name().map(|name| name.to_string_lossy());
    let last = last.unwrap_or_default().into_owned();
    let is_relative = typed.starts_with(['.', '~']);
    let steps = typed
        .split(['/', '\\'])
        .filter(|step| !matches!(*step, "" | "." | ".." | "~"));
    let steps: Vec<&str> = steps.take_while(|step| *step != last).collect();
    if is_relative && typed.contains(&last) {
        format!("{}/{last}", steps.join("/"))
    } else {
        last
    }
}

fn no_version(found: &OfferedSource, inner: &InnerAddress, versions: &SourceVersions) -> Failure {
    let Some(requirement) = &inner.requirement else {
        let message = format!("`{}` has no branch and no tag", found.address);
        return Diagnostic::new(&codes::PACKAGE_VERSION, message).into();
    };
    let written = requirement.as_str();
    let message = format!("`{}` has no version `{written}`", found.address);
    let names = versions.tags.keys().chain(versions.branches.keys());
    let help = did_you_mean(written, "its versions are", names.map(String::as_str));
    let mut diagnostic = Diagnostic::new(&codes::PACKAGE_VERSION, message);
    diagnostic.help = help;
    Failure::new(FailureKind::NotFound, diagnostic)
}
