//! `add ADDRESS… [NAME…]`: finds resources, adds them to the manifest and installs them in one transaction.

use std::path::Path;
use std::sync::Arc;

use agpm_diag::{Failure, Notes, Outcome, did_you_mean, unknown_name};
use agpm_discover::{Candidate, CandidateChoice, CandidateType, SelectionMode, choose};
use agpm_manifest::{
    AddressWords, EntryContext, ManifestAdditions, existing_dependency, group_words, type_of_word,
    usage,
};
use agpm_model::{Address, Checksum, Manifest, PluginAddress};
use agpm_resolve::UpdateScope;
use agpm_source::SharedSources;
use serde::Serialize;

use crate::change::{until_not_overtaken, write_manifest};
use crate::install::{
    self, InstallJob, InstallReport, InstallRequest, ManifestEdit, ProjectFate, WriteMode,
};
use crate::manifest_text::AfterEdit;
use agpm_project::gather::{ErrorTolerance, ManifestFiles, Project};
use agpm_project::offers::{CandidateFilter, SourceOffer};
use agpm_project::offers::{LocationFinder, OfferedSource, ResourceLocation};
use agpm_project::reading::display_path;
use agpm_project::world::{InstallScope, World};

pub use agpm_discover::{PickItem, PickState, Picker};
pub use agpm_manifest::{AddedResource, AddedSource};

/// The arguments of `add`.
pub struct AddRequest<'a> {
    /// URLs, paths or sources, each followed by the names of resources in it.
    pub words: Vec<String>,
    /// Limits the candidates to this type.
    pub kind: Option<String>,
    /// The name of the dependency in the manifest; by default the name of the resource.
    pub name: Option<String>,
    /// The tools to install the resources for; by default those of the manifest.
    pub tools: Vec<String>,
    /// Selects all candidates, or only those that are named.
    pub selection: SelectionMode,
    /// Installs the new dependencies, or only edits the manifest.
    pub then: AfterEdit,
    /// Writes the changes, or only shows them.
    pub writing: WriteMode,
    /// Chooses among several candidates; `None` without a terminal.
    pub picker: Option<&'a dyn Picker>,
}

/// The result of `add`.
#[derive(Clone, Debug, Serialize)]
pub struct AddReport {
    /// The path of the manifest, if this run created it.
    pub created: Option<String>,
    /// The sources that were added to the manifest.
    pub sources: Vec<AddedSource>,
    /// The resources that were added to the manifest.
    pub added: Vec<AddedResource>,
    /// The ids (`TYPE/NAME`) of resources that the manifest already had.
    pub present: Vec<String>,
    /// The command that reverts the change; `None` if nothing was written.
    pub undo: Option<String>,
    /// Whether the changes were written or only shown.
    #[serde(skip)]
    pub writing: WriteMode,
    /// The same as `writing`, for JSON; `None` if the install report already has this key.
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    /// The report of the install, if one was made.
    #[serde(flatten)]
    pub installed: Option<InstallReport>,
}

/// Adds the resources that the typed words refer to.
pub fn add(world: &World, request: &AddRequest<'_>) -> Outcome<AddReport> {
    // Finding candidates and installing them open the same sources. Sharing them contacts each server once.
    let world = &World {
        sources: Arc::new(SharedSources::new(Arc::clone(&world.sources))),
        ..world.clone()
    };
    until_not_overtaken(|notes| run(world, request, notes))
}

fn run(world: &World, request: &AddRequest<'_>, notes: &mut Notes) -> Result<AddReport, Failure> {
    let kind = request.kind.as_deref().map(type_of_word).transpose()?;
    let environment = &world.environment;
    let before = ManifestFiles::find(environment, agpm_project::world::ManifestUse::Nearest)?;
    let created = before.is_none();
    let files = match before {
        Some(files) => files,
        None => ManifestFiles::find_or_new(environment)?,
    };
    let bytes = files.project().to_vec();
    let (path, directory) = (files.path.clone(), files.directory().to_owned());
    let private = files.private_sources();
    let mut own = Notes::default();
    let project = Project::read(world, files, ErrorTolerance::Stop, &mut own);
    let project = match project {
        Ok(project) => project,
        Err(failure) => {
            *notes = own;
            return Err(failure);
        }
    };
    *notes = own;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let targets = group_words(&request.words, &project.manifest)?;
    let manifest = project.manifest;
    let sources = match environment.scope {
        InstallScope::Project => OfferedSource::shared_by(&manifest, &private),
        InstallScope::User => OfferedSource::all_of(&manifest),
    };
    let mut additions = ManifestAdditions::new(text, sources);
    let chooser = CandidateChooser {
        world,
        request,
        kind,
        directory: &directory,
        manifest: &manifest,
    };
    for target in &targets {
        chooser.add(target, &mut additions)?;
    }
    if request.name.is_some() && additions.added.len() > 1 {
        let help = "leave out `--name`, or name one resource".to_owned();
        let message = "`--name` is for one resource, and several are added".to_owned();
        return Err(usage(message, help));
    }
    let is_changed = !additions.is_empty();
    let installed = if is_changed {
        let before = (!created).then_some(bytes.as_slice());
        bring_about(world, request, &additions, before, notes)?
    } else {
        None
    };
    let is_done = is_changed && request.writing == WriteMode::Apply;
    Ok(AddReport {
        created: (created && is_changed).then(|| display_path(environment, &path)),
        sources: additions.sources,
        added: additions.added,
        present: additions.present,
        undo: is_done.then(|| "agpm undo".to_owned()),
        writing: request.writing,
        dry_run: installed
            .is_none()
            .then_some(request.writing == WriteMode::Show),
        installed,
    })
}

/// Writes the manifest, and installs the result unless the request is to only edit it.
fn bring_about(
    world: &World,
    request: &AddRequest<'_>,
    additions: &ManifestAdditions,
    before: Option<&[u8]>,
    notes: &mut Notes,
) -> Result<Option<InstallReport>, Failure> {
    let title = additions.title();
    let executables = match (request.then, request.writing) {
        (AfterEdit::Leave, WriteMode::Show) => return Ok(None),
        (AfterEdit::Leave, WriteMode::Apply) => {
            write_manifest(world, &title, &additions.text, before, notes)?;
            return Ok(None);
        }
        (AfterEdit::Install(executables), _) => executables,
    };
    let job = InstallJob {
        title,
        request: InstallRequest {
            executables,
            writing: request.writing,
            ..InstallRequest::PLAIN
        },
        moving: UpdateScope::Nothing,
        manifest: Some(ManifestEdit {
            before: before.map(Checksum::of),
            bytes: additions.text.as_bytes().into(),
            project: ProjectFate::Stays,
        }),
    };
    let result = install::run(world, &job, notes);
    if result.is_err() {
        // The proposed manifest was not written, so the lines that findings quote are not in the file of that name.
        let name = "agpm.toml";
        notes.sources.rename(name, &format!("{name} (proposed)"));
    }
    result.map(Some)
}

/// Selects the candidates for each URL.
struct CandidateChooser<'a> {
    world: &'a World,
    request: &'a AddRequest<'a>,
    kind: Option<CandidateType>,
    directory: &'a Path,
    manifest: &'a Manifest,
}

impl CandidateChooser<'_> {
    fn add(&self, target: &AddressWords, additions: &mut ManifestAdditions) -> Result<(), Failure> {
        let finder = LocationFinder {
            world: self.world,
            sources: &additions.offered,
            directory: self.directory,
        };
        let (location, candidates) = match &target.address {
            Address::Plugin(plugin) => self.plugin(&finder, plugin)?,
            address => {
                let location = finder.find(address)?;
                let candidates = self.chosen(&location, target)?;
                (location, candidates)
            }
        };
        let context = EntryContext {
            origin: &location.origin,
            requirement: location.inner.requirement.as_ref(),
            versions: location.versions.as_deref(),
            name: self.request.name.as_deref(),
            tools: &self.request.tools,
            is_marketplace: matches!(target.address, Address::Plugin(_)),
        };
        additions.add(&context, &candidates, self.manifest)
    }

    fn chosen(
        &self,
        location: &ResourceLocation,
        target: &AddressWords,
    ) -> Result<Vec<Candidate>, Failure> {
        let wish = CandidateFilter {
            names: &target.names,
            kind: self.kind,
            selection: self.request.selection,
        };
        let offer = location.offer_for(&wish)?;
        let all = &offer.candidates;
        let copies = |chosen: Vec<&Candidate>| chosen.into_iter().cloned().collect();
        match choose(all, wish.names, wish.kind, wish.selection) {
            CandidateChoice::Chosen(chosen) => Ok(copies(chosen)),
            CandidateChoice::Several(several) => self.ask(location, target, several),
            CandidateChoice::Ambiguous(name, several) => {
                let message = format!("`{name}` could be {} resources", several.len());
                Err(target.several(message, &several))
            }
            CandidateChoice::Unknown(name) => {
                Err(target.unknown_resource(&name, location.unreleased_branch(), all))
            }
            CandidateChoice::Nothing => {
                Err(target.nothing(self.kind, location.label.as_ref(), all))
            }
        }
    }

    /// Lets the user choose, or fails with a list of the candidates.
    fn ask(
        &self,
        location: &ResourceLocation,
        target: &AddressWords,
        several: Vec<&Candidate>,
    ) -> Result<Vec<Candidate>, Failure> {
        let Some(picker) = self.request.picker else {
            let message = format!("`{}` has {} resources", target.typed, several.len());
            return Err(target.several(message, &several));
        };
        let item = |candidate: &&Candidate| PickItem {
            id: candidate.id(),
            description: candidate.description.clone().unwrap_or_default(),
            state: match existing_dependency(&location.origin, candidate, self.manifest) {
                Some(_) => PickState::Installed,
                None => PickState::New,
            },
        };
        let items: Vec<PickItem> = several.iter().map(item).collect();
        let picked = picker.pick(&format!("Add from {}", target.typed), &items);
        match picked {
            Some(numbers) if !numbers.is_empty() => {
                let chosen = numbers.iter().filter_map(|at| several.get(*at));
                Ok(chosen.map(|candidate| (*candidate).clone()).collect())
            }
            _ => Err(usage(
                "nothing was selected".to_owned(),
                "select with space, then press Enter".to_owned(),
            )),
        }
    }

    /// Finds a plugin in the source that is named like the marketplace, or in a source whose `marketplace.json` has
    /// that name.
    fn plugin(
        &self,
        finder: &LocationFinder<'_>,
        plugin: &PluginAddress,
    ) -> Result<(ResourceLocation, Vec<Candidate>), Failure> {
        let named = finder.find(&Address::Plugin(plugin.clone()));
        let (location, offer) = match named {
            Ok(location) => {
                let offer = location.offer(None)?;
                (location, offer)
            }
            Err(failure) => self.marketplace(finder, plugin)?.ok_or(failure)?,
        };
        let is_plugin = |candidate: &&Candidate| candidate.kind == CandidateType::Plugin;
        let plugins: Vec<&Candidate> = offer.candidates.iter().filter(is_plugin).collect();
        if let Some(found) = plugins
            .iter()
            .find(|candidate| candidate.is_called(&plugin.name))
        {
            let found = (*found).clone();
            return Ok((location, vec![found]));
        }
        let names = plugins.iter().map(|candidate| candidate.name.as_str());
        let help = did_you_mean(&plugin.name, "its plugins are", names);
        let what = format!("plugin in the marketplace `{}` called", plugin.marketplace);
        Err(unknown_name(&what, &plugin.name, help))
    }

    fn marketplace(
        &self,
        finder: &LocationFinder<'_>,
        plugin: &PluginAddress,
    ) -> Result<Option<(ResourceLocation, SourceOffer)>, Failure> {
        for source in finder.sources {
            let address = Address::Source(agpm_model::NamedAddress {
                name: source.name.clone(),
                inner: agpm_model::InnerAddress::default(),
            });
            // A source that fails to open is skipped: another one may have the marketplace.
            let Ok(location) = finder.find(&address) else {
                continue;
            };
            let offer = location.offer(None)?;
            if offer.marketplaces.contains(&plugin.marketplace) {
                return Ok(Some((location, offer)));
            }
        }
        Ok(None)
    }
}
