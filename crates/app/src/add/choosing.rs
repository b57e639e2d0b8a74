//! Chooses the candidates that the arguments of `add` mean.

use std::path::Path;

use crate::manifest::{
    AddressWords, EntryContext, EntryOptions, ManifestAdditions, Presence, existing_dependency,
    usage,
};
use crate::offers::{CandidateFilter, LocationFinder, ResourceLocation, SourceOffer};
use crate::project::world::World;
use agpm_diag::{Failure, did_you_mean, unknown_name};
use agpm_model::{Address, InnerAddress, Manifest, NamedAddress, PluginAddress};
use agpm_resolve::discover::{Candidate, CandidateChoice, CandidateType, SelectionMode, choose};
use agpm_resolve::discover::{PickItem, PickState};

use crate::add::request::AddRequest;

/// Selects the candidates for each URL.
pub(super) struct CandidateChooser<'a> {
    pub(super) world: &'a World,
    pub(super) request: &'a AddRequest<'a>,
    pub(super) kind: Option<CandidateType>,
    pub(super) directory: &'a Path,
    pub(super) manifest: &'a Manifest,
    /// The settings that the new entries get.
    pub(super) options: EntryOptions<'a>,
}

impl CandidateChooser<'_> {
    /// Adds what a URL and its names mean.
    pub(super) fn add(
        &self,
        target: &AddressWords,
        additions: &mut ManifestAdditions,
    ) -> Result<(), Failure> {
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
        let is_everything = target.names.is_empty()
            && self.request.selection == SelectionMode::All
            && candidates.len() > 1;
        let context = EntryContext {
            origin: &location.origin,
            requirement: location.inner.requirement.as_ref(),
            versions: location.versions.as_deref(),
            options: self.options,
            presence: if is_everything {
                Presence::Optional
            } else {
                Presence::Required
            },
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
        let typed = &self.world.environment.typed;
        let offer = location.offer_for(&wish)?;
        let all = &offer.candidates;
        let copies = |chosen: Vec<&Candidate>| chosen.into_iter().cloned().collect();
        match choose(all, wish.names, wish.kind, wish.selection) {
            CandidateChoice::Chosen(chosen) => Ok(copies(chosen)),
            CandidateChoice::Several(several) => {
                let message = format!("`{}` has {} resources", target.typed, several.len());
                self.ask(location, target, &several, message)
            }
            CandidateChoice::Ambiguous(name, several) => {
                let message = format!("`{name}` could be {} resources", several.len());
                self.ask(location, target, &several, message)
            }
            CandidateChoice::Unknown(name) => {
                let branch = location.unreleased_branch();
                Err(target.unknown_resource(&name, branch, all, typed))
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
        several: &[&Candidate],
        message: String,
    ) -> Result<Vec<Candidate>, Failure> {
        let Some(picker) = self.request.picker else {
            let typed = &self.world.environment.typed;
            return Err(target.several(message, several, typed));
        };
        let has_twin = |one: &Candidate| {
            several
                .iter()
                .filter(|other| other.id() == one.id())
                .count()
                > 1
        };
        let item = |candidate: &&Candidate| PickItem {
            // Resources with one name differ in their paths.
            id: if has_twin(candidate) {
                candidate.path.clone()
            } else {
                candidate.id()
            },
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
        let name = offer.current_name(&plugin.name);
        let is_plugin = |candidate: &&Candidate| candidate.kind == CandidateType::Plugin;
        let plugins: Vec<&Candidate> = offer.candidates.iter().filter(is_plugin).collect();
        if let Some(found) = plugins.iter().find(|candidate| candidate.is_called(name)) {
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
            let address = Address::Source(NamedAddress {
                name: source.name.clone(),
                inner: InnerAddress::default(),
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
