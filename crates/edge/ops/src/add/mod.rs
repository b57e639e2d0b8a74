//! `add ADDRESS… [NAME…]`: finds what is meant, writes it into the manifest and installs it, in one transaction.

mod entry;
pub(crate) mod offer;
pub(crate) mod place;
pub(crate) mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use agpm_diag::{
    Diagnostic, Failure, FailureKind, Notes, Outcome, codes, command_line, did_you_mean,
};
use agpm_discover::{Candidate, CandidateChoice, CandidateType, SelectionMode, choose};
use agpm_model::{Address, Checksum, Manifest, PluginAddress, SourceScope};
use agpm_resolve::UpdateScope;
use agpm_source::SharedSources;
use serde::Serialize;

use crate::add::entry::{EntryContext, NewEntry, already};
use crate::add::offer::Wish;
use crate::add::place::{Place, PlaceFinder, PlaceSource, SourceState};
use crate::add::words::{AddressWords, group_words};
use crate::additions::{type_of_word, usage};
use crate::change::{until_not_overtaken, write_manifest};
use crate::gather::{ManifestFiles, Mistakes, Project};
use crate::install::{self, InstallReport, InstallRequest, Job, ManifestEdit, Writing};
use crate::manifest_text::{Then, set_entry};
use crate::reading::shown;
use crate::world::{InstallScope, World};

/// What to add.
pub struct AddRequest<'a> {
    /// Addresses, and after each the names of resources in it.
    pub words: Vec<String>,
    /// Only this type.
    pub kind: Option<String>,
    /// The name in the manifest.
    pub name: Option<String>,
    /// The tools it is for.
    pub tools: Vec<String>,
    /// Whether everything is added.
    pub selection: SelectionMode,
    /// Whether it is installed.
    pub then: Then,
    /// Whether it is done or shown.
    pub writing: Writing,
    /// Who chooses among several; nothing where nobody can be asked.
    pub picker: Option<&'a dyn Picker>,
}

/// Lets somebody choose.
pub trait Picker {
    /// The numbers of the chosen items; nothing if the choice is given up.
    fn pick(&self, title: &str, items: &[PickItem]) -> Option<Vec<usize>>;
}

/// Something to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickItem {
    /// `TYPE/NAME`.
    pub id: String,
    /// What it says of itself.
    pub description: String,
    /// Whether the manifest has it.
    pub state: PickState,
}

/// Whether the manifest has something already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PickState {
    /// It does not.
    New,
    /// It does.
    Installed,
}

/// A resource that was added.
#[derive(Clone, Debug, Serialize)]
pub struct AddedResource {
    /// `TYPE/NAME`.
    pub id: String,
    /// The type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Its name in the manifest.
    pub name: String,
    /// Its source; nothing for a local path.
    pub source: Option<String>,
    /// The URL of the source, without secrets.
    pub url: Option<String>,
    /// Its path.
    pub path: String,
    /// What is required of the source's version.
    pub version: Option<String>,
}

/// A source that was added.
#[derive(Clone, Debug, Serialize)]
pub struct AddedSource {
    /// Its name in the manifest.
    pub name: String,
    /// Its URL, without secrets.
    pub url: String,
}

/// What was added.
#[derive(Clone, Debug, Serialize)]
pub struct AddReport {
    /// The manifest, if it was created.
    pub created: Option<String>,
    /// The sources.
    pub sources: Vec<AddedSource>,
    /// The resources.
    pub added: Vec<AddedResource>,
    /// What the manifest had already, as `TYPE/NAME`.
    pub present: Vec<String>,
    /// The command that takes it back; nothing if there is nothing to take back.
    pub undo: Option<&'static str>,
    /// Whether it was done or is only shown.
    #[serde(skip)]
    pub writing: Writing,
    /// The same, unless the report of the install has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<bool>,
    /// What it did to the disk, if it was installed.
    #[serde(flatten)]
    pub installed: Option<InstallReport>,
}

/// Adds what addresses and names mean.
pub fn add(world: &World, request: &AddRequest<'_>) -> Outcome<AddReport> {
    let world = &World {
        sources: Arc::new(SharedSources::new(Arc::clone(&world.sources))),
        ..world.clone()
    };
    until_not_overtaken(|notes| run(world, request, notes))
}

/// Everything that an address adds, collected before anything is written.
struct Additions {
    text: String,
    sources: Vec<AddedSource>,
    added: Vec<AddedResource>,
    present: Vec<String>,
}

fn run(world: &World, request: &AddRequest<'_>, notes: &mut Notes) -> Result<AddReport, Failure> {
    let kind = request.kind.as_deref().map(type_of_word).transpose()?;
    let environment = &world.environment;
    let before = ManifestFiles::find(environment, crate::world::ManifestUse::Nearest)?;
    let created = before.is_none();
    let files = match before {
        Some(files) => files,
        None => ManifestFiles::find_or_new(environment)?,
    };
    let bytes = files.project().to_vec();
    let (path, folder) = (files.path.clone(), files.folder().to_owned());
    let private = files.private_sources();
    let mut own = Notes::default();
    let project = Project::read(world, files, Mistakes::Stop, &mut own);
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
    let mut additions = Additions {
        text,
        sources: Vec::new(),
        added: Vec::new(),
        present: Vec::new(),
    };
    let mut adding = Adding {
        world,
        request,
        kind,
        folder: &folder,
        sources: sources_for(world, &project.manifest, &private),
        manifest: project.manifest,
    };
    for target in &targets {
        adding.add(target, &mut additions)?;
    }
    if request.name.is_some() && additions.added.len() > 1 {
        let help = "leave out `--name`, or name one resource".to_owned();
        let message = "`--name` is for one resource, and several are added".to_owned();
        return Err(usage(message, help));
    }
    let is_changed = !additions.added.is_empty() || !additions.sources.is_empty();
    let installed = match is_changed {
        true => bring_about(
            world,
            request,
            &additions,
            (!created).then_some(&bytes),
            notes,
        )?,
        false => None,
    };
    let is_done = is_changed && request.writing == Writing::Apply;
    Ok(AddReport {
        created: (created && is_changed).then(|| shown(environment, &path)),
        sources: additions.sources,
        added: additions.added,
        present: additions.present,
        undo: is_done.then_some("agpm undo"),
        writing: request.writing,
        dry_run: installed
            .is_none()
            .then_some(request.writing == Writing::Show),
        installed,
    })
}

/// The sources of a manifest. One of the user's configuration becomes the project's when something is added from it:
/// without it, nobody else could install the project. A private one, or one with a secret in its URL, stays where it is.
fn sources_for(world: &World, manifest: &Manifest, private: &[String]) -> Vec<PlaceSource> {
    let mut sources = PlaceSource::all_of(manifest);
    for one in &mut sources {
        let known = manifest.source(&one.name);
        let is_users = known.is_some_and(|source| source.scope == SourceScope::User);
        let is_shareable = one.address.redacted() == one.address.reveal()
            && !private.iter().any(|name| name == one.name.as_str());
        if is_users && is_shareable && world.environment.scope == InstallScope::Project {
            one.state = SourceState::New;
        }
    }
    sources
}

/// Writes the manifest, and installs unless only that is wanted.
fn bring_about(
    world: &World,
    request: &AddRequest<'_>,
    additions: &Additions,
    before: Option<&Vec<u8>>,
    notes: &mut Notes,
) -> Result<Option<InstallReport>, Failure> {
    let ids: Vec<&str> = additions.added.iter().map(|one| one.id.as_str()).collect();
    let title = match ids.as_slice() {
        [] => "add source".to_owned(),
        ids => format!("add {}", ids.join(", ")),
    };
    let executables = match (request.then, request.writing) {
        (Then::Leave, Writing::Show) => return Ok(None),
        (Then::Leave, Writing::Apply) => {
            let before = before.map(Vec::as_slice);
            write_manifest(world, &title, &additions.text, before, notes)?;
            return Ok(None);
        }
        (Then::Install(executables), _) => executables,
    };
    let job = Job {
        title,
        request: InstallRequest {
            executables,
            writing: request.writing,
            ..InstallRequest::PLAIN
        },
        moving: UpdateScope::Nothing,
        manifest: Some(ManifestEdit {
            before: before.map(|bytes| Checksum::of(bytes)),
            bytes: additions.text.as_bytes().into(),
        }),
    };
    let result = install::run(world, &job, notes);
    if result.is_err() {
        // Lines of a manifest that was not written are in no file.
        let name = "agpm.toml";
        notes.sources.rename(name, &format!("{name} (proposed)"));
    }
    result.map(Some)
}

/// One run of `add`, for each of its addresses.
struct Adding<'a> {
    world: &'a World,
    request: &'a AddRequest<'a>,
    kind: Option<CandidateType>,
    folder: &'a std::path::Path,
    manifest: Manifest,
    /// Its sources, and those that earlier addresses add.
    sources: Vec<PlaceSource>,
}

impl Adding<'_> {
    fn add(&mut self, target: &AddressWords, additions: &mut Additions) -> Result<(), Failure> {
        let finder = PlaceFinder {
            world: self.world,
            sources: &self.sources,
            folder: self.folder,
        };
        let (place, candidates) = match &target.address {
            Address::Plugin(plugin) => self.plugin(&finder, plugin)?,
            address => {
                let place = finder.find(address)?;
                let candidates = self.chosen(&place, target)?;
                (place, candidates)
            }
        };
        let context = EntryContext {
            place: &place,
            name: self.request.name.as_deref(),
            tools: &self.request.tools,
            is_marketplace: matches!(target.address, Address::Plugin(_)),
        };
        let mut new = Vec::new();
        for candidate in &candidates {
            match already(&context, candidate, &self.manifest)? {
                Some(id) => additions.present.push(id),
                None => new.push(candidate),
            }
        }
        if !new.is_empty() {
            self.add_source(&place, additions)?;
        }
        for candidate in new {
            let is_taken = |kind: &str, name: &str| {
                additions
                    .added
                    .iter()
                    .any(|one| one.id == format!("{kind}/{name}"))
            };
            let entry = NewEntry::of(&context, candidate, &self.manifest, &is_taken)?;
            additions.text =
                set_entry(&additions.text, entry.section(), &entry.name, entry.value())?;
            additions.added.push(entry.report(&place));
        }
        Ok(())
    }

    /// A new source becomes part of the manifest, also for the addresses that follow.
    fn add_source(&mut self, place: &Place, additions: &mut Additions) -> Result<(), Failure> {
        let source = place.origin.source();
        let Some(source) = source.filter(|source| source.state == SourceState::New) else {
            return Ok(());
        };
        let value = agpm_text::Value::from(source.address.reveal());
        additions.text = set_entry(&additions.text, "sources", source.name.as_str(), value)?;
        additions.sources.push(AddedSource {
            name: source.name.to_string(),
            url: source.address.redacted().to_owned(),
        });
        self.sources.retain(|one| one.name != source.name);
        self.sources.push(PlaceSource {
            state: SourceState::Known,
            ..source.clone()
        });
        Ok(())
    }

    fn chosen(&self, place: &Place, target: &AddressWords) -> Result<Vec<Candidate>, Failure> {
        let wish = Wish {
            names: &target.names,
            kind: self.kind,
            selection: self.request.selection,
        };
        let offer = place.offer_for(&wish)?;
        let all = &offer.candidates;
        let copies = |chosen: Vec<&Candidate>| chosen.into_iter().cloned().collect();
        match choose(all, wish.names, wish.kind, wish.selection) {
            CandidateChoice::Chosen(chosen) => Ok(copies(chosen)),
            CandidateChoice::Several(several) => self.ask(place, target, several),
            CandidateChoice::Ambiguous(name, several) => {
                let message = format!("`{name}` could be {} resources", several.len());
                Err(self.list_failure(message, target, &several))
            }
            CandidateChoice::Unknown(name) => Err(unknown_resource(&name, place, target, all)),
            CandidateChoice::Nothing => Err(self.nothing(place, target, all)),
        }
    }

    /// Lets the user choose, or lists what there is to choose from.
    fn ask(
        &self,
        place: &Place,
        target: &AddressWords,
        several: Vec<&Candidate>,
    ) -> Result<Vec<Candidate>, Failure> {
        let Some(picker) = self.request.picker else {
            let message = format!("`{}` has {} resources", target.typed, several.len());
            return Err(self.list_failure(message, target, &several));
        };
        let item = |one: &&Candidate| PickItem {
            id: one.id(),
            description: one.description.clone().unwrap_or_default(),
            state: match entry::existing(place, one, &self.manifest) {
                Some(_) => PickState::Installed,
                None => PickState::New,
            },
        };
        let items: Vec<PickItem> = several.iter().map(item).collect();
        let picked = picker.pick(&format!("Add from {}", target.typed), &items);
        match picked {
            Some(numbers) if !numbers.is_empty() => {
                let chosen = numbers.iter().filter_map(|at| several.get(*at));
                Ok(chosen.map(|one| (*one).clone()).collect())
            }
            _ => Err(usage(
                "nothing was selected".to_owned(),
                "select with space, then press Enter".to_owned(),
            )),
        }
    }

    fn list_failure(&self, message: String, target: &AddressWords, all: &[&Candidate]) -> Failure {
        let lines = all.iter().map(|one| {
            let about = one
                .description
                .as_ref()
                .map(|text| format!("  {}", cut(text, 60)));
            format!(
                "{}{}",
                self.command(target, one, all),
                about.unwrap_or_default()
            )
        });
        let diagnostic = Diagnostic::new(&codes::ADD_SEVERAL, message)
            .details(lines)
            .help("run one of these commands, or add `--all`");
        Failure::new(FailureKind::NotFound, diagnostic)
    }

    /// The command that adds one candidate: by its name, or by its path where others have that name too.
    fn command(&self, target: &AddressWords, one: &Candidate, all: &[&Candidate]) -> String {
        let same = |other: &&&Candidate| other.name == one.name;
        let id = one.id();
        let is_alone = all.iter().filter(same).count() == 1;
        let is_only_of_type = all.iter().filter(|other| other.id() == id).count() == 1;
        let mut words = vec!["agpm", "add"];
        let by_path = target.with_path(&one.path);
        match (is_alone, is_only_of_type, &by_path) {
            (true, _, _) => words.extend([target.typed.as_str(), one.name.as_str()]),
            (false, true, _) => words.extend([target.typed.as_str(), id.as_str()]),
            (false, false, Some(path)) => words.push(path),
            (false, false, None) => words.extend([target.typed.as_str(), id.as_str()]),
        }
        command_line(words)
    }

    fn nothing(&self, place: &Place, target: &AddressWords, all: &[Candidate]) -> Failure {
        let at = place.label.as_ref().map(|label| format!(" at `{label}`"));
        let at = at.unwrap_or_default();
        let (message, help) = match self.kind.filter(|_| !all.is_empty()) {
            Some(kind) => {
                let types: BTreeSet<&str> =
                    all.iter().map(|one| one.kind.plural()).collect();
                let types: Vec<&str> = types.into_iter().collect();
                (
                    format!("`{}` has no {}{at}", target.typed, kind.plural()),
                    format!("it has {}", types.join(", ")),
                )
            }
            None => (
                format!("`{}` has nothing to install{at}", target.typed),
                "agpm looked for `SKILL.md`, manifests of plugins and marketplaces, directories such as `agents/`, \
                 `commands/`, `rules/`, `hooks/` and `mcp-servers/`, and front matter"
                    .to_owned(),
            ),
        };
        Diagnostic::new(&codes::ADD_NOTHING, message)
            .help(help)
            .into()
    }

    /// A plugin of a marketplace, which is a source of that name or one whose `marketplace.json` has it.
    fn plugin(
        &self,
        finder: &PlaceFinder<'_>,
        plugin: &PluginAddress,
    ) -> Result<(Place, Vec<Candidate>), Failure> {
        let named = finder.find(&Address::Plugin(plugin.clone()));
        let (place, offer) = match named {
            Ok(place) => {
                let offer = place.offer(None)?;
                (place, offer)
            }
            Err(failure) => self.marketplace(finder, plugin)?.ok_or(failure)?,
        };
        let is_plugin = |one: &&Candidate| one.kind == CandidateType::Plugin;
        let plugins: Vec<&Candidate> = offer.candidates.iter().filter(is_plugin).collect();
        if let Some(found) = plugins.iter().find(|one| one.is_called(&plugin.name)) {
            let found = (*found).clone();
            return Ok((place, vec![found]));
        }
        let names = plugins.iter().map(|one| one.name.as_str());
        let help = did_you_mean(&plugin.name, "its plugins are", names);
        let what = format!("plugin in the marketplace `{}` called", plugin.marketplace);
        Err(crate::gather::unknown_name(&what, &plugin.name, help))
    }

    fn marketplace(
        &self,
        finder: &PlaceFinder<'_>,
        plugin: &PluginAddress,
    ) -> Result<Option<(Place, offer::Offer)>, Failure> {
        for source in finder.sources {
            let address = Address::Source(agpm_model::NamedAddress {
                name: source.name.clone(),
                inner: agpm_model::InnerAddress::default(),
            });
            // A source that cannot be reached may still not be the one that is meant.
            let Ok(place) = finder.find(&address) else {
                continue;
            };
            let offer = place.offer(None)?;
            if offer.marketplaces.contains(&plugin.marketplace) {
                return Ok(Some((place, offer)));
            }
        }
        Ok(None)
    }
}

fn unknown_resource(
    name: &str,
    place: &Place,
    target: &AddressWords,
    all: &[Candidate],
) -> Failure {
    let names: BTreeSet<&str> = all.iter().map(|one| one.name.as_str()).collect();
    let near = did_you_mean(name, "it has", names);
    let help = near.unwrap_or_else(|| format!("`agpm browse {}` lists all", target.typed));
    // What is new may be in no version yet.
    let branch = place.unreleased_branch();
    let newer =
        branch.map(|branch| format!("; `@{branch}` after the address looks at that branch"));
    let what = format!("resource in `{}` called", target.typed);
    let help = help + &newer.unwrap_or_default();
    crate::gather::unknown_name(&what, name, Some(help))
}

/// The beginning of a text.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
