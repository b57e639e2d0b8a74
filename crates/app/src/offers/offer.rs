//! Finds candidates: lists a source, then reads the required files in one batch.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, nearest, unknown_name};
use agpm_model::{MARKETPLACE_FILES, ResourcePath, ResourceType, SKILL_FILE, resource_name};
use agpm_resolve::discover::{
    Candidate, CandidateChoice, CandidateType, PluginMembership, PluginPlacement, ReadExtent,
    SelectionMode, SourceSurvey, SurveyedDirectory, choose, type_of_content, type_of_path_in,
};
use agpm_source::{SourceEntry, SourceEntryKind};

use crate::offers::location::ResourceLocation;
use crate::project::packages::check_marketplace_size;
use crate::project::source_failure::source_failure_of;

/// Selects candidates.
pub(crate) struct CandidateFilter<'a> {
    /// The names of resources on the command line.
    pub names: &'a [String],
    /// Limits the candidates to this type.
    pub kind: Option<CandidateType>,
    /// Whether one or all candidates are selected.
    pub selection: SelectionMode,
}

/// The resources of a location.
pub(crate) struct SourceOffer {
    /// The resources that were found.
    pub candidates: Vec<Candidate>,
    /// The names of the marketplaces that list plugins.
    pub marketplaces: Vec<String>,
    /// New names of their plugins, by their old ones.
    pub renames: BTreeMap<String, String>,
}

impl SourceOffer {
    /// Returns the name that a plugin has now.
    pub(crate) fn current_name<'n>(&'n self, name: &'n str) -> &'n str {
        let mut current = name;
        // A circle of names ends after one step for each of them.
        for _ in 0..self.renames.len() {
            let is_offered = |one: &Candidate| one.is_called(current);
            match self.renames.get(current) {
                Some(next) if !self.candidates.iter().any(is_offered) => current = next,
                _ => break,
            }
        }
        current
    }
}

impl ResourceLocation {
    fn failed(&self, error: agpm_source::SourceError) -> Failure {
        let what = match self.origin.source() {
            Some(source) => format!("source `{}`", source.name),
            None => format!("`{}`", self.origin.label()),
        };
        source_failure_of(&what, error)
    }

    /// Returns all candidates with their descriptions.
    pub(crate) fn offer(&self, kind: Option<CandidateType>) -> Result<SourceOffer, Failure> {
        let wish = CandidateFilter {
            names: &[],
            kind,
            selection: SelectionMode::Single,
        };
        self.look(&wish, ReadExtent::Everything)
    }

    /// Returns candidates and reads as few files as possible: if the paths identify the selected ones, none.
    pub(crate) fn offer_for(&self, wish: &CandidateFilter<'_>) -> Result<SourceOffer, Failure> {
        self.look(wish, ReadExtent::Manifests)
    }

    fn look(&self, wish: &CandidateFilter<'_>, least: ReadExtent) -> Result<SourceOffer, Failure> {
        let Some(path) = &self.inner.path else {
            return self.survey("", wish, least);
        };
        if path.is_pattern() {
            return self.pattern(path, wish.kind);
        }
        let entry = self.source.entry(self.revision.as_ref(), path.as_str());
        let Some(entry) = entry.map_err(|error| self.failed(error))? else {
            return self.named(path.as_str(), wish);
        };
        match entry.kind {
            SourceEntryKind::Directory => self.survey(path.as_str(), wish, least),
            SourceEntryKind::File(_) => self.file(&entry, wish, least),
            _ => {
                let message = format!("`{path}` is a symlink or another repository");
                Err(Diagnostic::new(&codes::ADD_NOTHING, message)
                    .help("name the directory that it leads to")
                    .into())
            }
        }
    }

    /// Returns the resource of the source that is called like a path that the source does not have: `OWNER/REPO/NAME`.
    fn named(&self, path: &str, wish: &CandidateFilter<'_>) -> Result<SourceOffer, Failure> {
        let names = [path.to_owned()];
        let named = CandidateFilter {
            names: &names,
            ..*wish
        };
        let mut offer = self.survey("", &named, ReadExtent::Manifests)?;
        match choose(&offer.candidates, &names, wish.kind, wish.selection) {
            CandidateChoice::Chosen(chosen) => {
                let chosen = chosen.into_iter().cloned().collect();
                offer.candidates = chosen;
                Ok(offer)
            }
            CandidateChoice::Ambiguous(_, several) => {
                let several = several.into_iter().cloned().collect();
                offer.candidates = several;
                Ok(offer)
            }
            _ => Err(self.no_path(path)),
        }
    }

    fn survey(
        &self,
        top: &str,
        wish: &CandidateFilter<'_>,
        least: ReadExtent,
    ) -> Result<SourceOffer, Failure> {
        let tree = self.source.walk(self.revision.as_ref(), top, &|_| true);
        let tree = tree.map_err(|error| self.failed(error))?;
        let is_file = |entry: &&SourceEntry| entry.kind.file_mode().is_some();
        let files: BTreeMap<&str, &SourceEntry> = tree
            .entries
            .iter()
            .filter(is_file)
            .map(|entry| (entry.path.as_str(), entry))
            .collect();
        let directory = SurveyedDirectory {
            top,
            source_name: &self.origin.label(),
            outer: &self.outer,
        };
        let mut survey = SourceSurvey::of(files.keys().copied(), directory);
        let by_path = survey.candidates();
        // A path that is a skill, or names that equal paths, identify the candidates without reading files. Reading
        // would download them.
        let is_enough = least == ReadExtent::Manifests
            && (!wish.names.is_empty() || is_exact(&by_path, top))
            && matches!(
                choose(&by_path, wish.names, wish.kind, wish.selection),
                CandidateChoice::Chosen(_)
            );
        if !is_enough {
            let wanted = survey.files_to_read(ReadExtent::Everything);
            let entries: Vec<&SourceEntry> = wanted
                .iter()
                .filter_map(|path| files.get(path.as_str()).copied())
                .collect();
            // Names and descriptions are in front matter, which some sources list.
            let fetched = self.source.fetch_heads(&entries);
            fetched.map_err(|error| self.failed(error))?;
            let is_marketplace =
                |path: &str| MARKETPLACE_FILES.iter().any(|file| path.ends_with(file));
            for entry in entries.iter().filter(|entry| is_marketplace(&entry.path)) {
                let size = self.source.size(&[entry]);
                let size = size.map_err(|error| self.failed(error))?;
                check_marketplace_size(size, &format!("`{}`", entry.path))?;
            }
            let contents = self
                .source
                .read_heads(&entries)
                .map_err(|error| self.failed(error))?;
            for (entry, bytes) in entries.iter().zip(contents) {
                survey.record_file(&entry.path, &bytes);
            }
        }
        Ok(SourceOffer {
            candidates: survey.candidates(),
            marketplaces: survey.marketplace_names().to_vec(),
            renames: survey.renames().clone(),
        })
    }

    /// Returns the candidate for one file. A file that defines a skill or plugin selects its directory.
    fn file(
        &self,
        entry: &SourceEntry,
        wish: &CandidateFilter<'_>,
        least: ReadExtent,
    ) -> Result<SourceOffer, Failure> {
        let path = entry.path.as_str();
        let name = path.rsplit('/').next().unwrap_or(path);
        let parent = |path: &str| {
            let parent = path.rsplit_once('/').map(|(parent, _)| parent.to_owned());
            parent.unwrap_or_default()
        };
        if name == SKILL_FILE {
            let directory = parent(path);
            let mut offer = self.survey(&directory, wish, least)?;
            let is_it = |candidate: &Candidate| {
                candidate.kind == CandidateType::Skill && candidate.path == directory
            };
            offer.candidates.retain(is_it);
            return Ok(offer);
        }
        let holder = parent(path);
        let is_manifest = matches!(name, "plugin.json" | "marketplace.json")
            && [".claude-plugin", ".cursor-plugin", ".codex-plugin"]
                .iter()
                .any(|name| holder == *name || holder.ends_with(&format!("/{name}")));
        if is_manifest {
            let mut offer = self.survey(&parent(&holder), wish, ReadExtent::Everything)?;
            offer
                .candidates
                .retain(|candidate| candidate.kind == CandidateType::Plugin);
            return Ok(offer);
        }
        let by_path = wish.kind.or_else(|| type_of_path_in(&self.outer, path));
        let kind = match by_path {
            Some(kind) => Some(kind),
            None => {
                let fetched = self.source.fetch_files(&[entry]);
                fetched.map_err(|error| self.failed(error))?;
                let bytes = self
                    .source
                    .read(&[entry])
                    .map_err(|error| self.failed(error))?;
                bytes.first().and_then(|bytes| type_of_content(path, bytes))
            }
        };
        let Some(kind) = kind else {
            return Err(unknown_type(path));
        };
        Ok(self.single(path, kind))
    }

    /// Returns the single candidate for a pattern, whose type is determined by its directories.
    fn pattern(
        &self,
        path: &ResourcePath,
        kind: Option<CandidateType>,
    ) -> Result<SourceOffer, Failure> {
        let is_skills = path.as_str().split('/').any(|part| part == "skills");
        let by_path = || {
            type_of_path_in(&self.outer, path.as_str())
                .or(is_skills.then_some(CandidateType::Skill))
        };
        match kind.or_else(by_path) {
            Some(kind) => Ok(self.single(path.as_str(), kind)),
            None => Err(unknown_type(path.as_str())),
        }
    }

    fn single(&self, path: &str, kind: CandidateType) -> SourceOffer {
        let resource = kind.resource_type().unwrap_or(ResourceType::Snippets);
        let label = self.origin.label();
        let name = match ResourcePath::in_source(path) {
            Ok(path) => resource_name(resource, &path, Some(&label), &|_| false),
            Err(_) => path.to_owned(),
        };
        SourceOffer {
            candidates: vec![Candidate {
                kind,
                name,
                declared_name: None,
                path: path.to_owned(),
                description: None,
                membership: PluginMembership::Standalone,
                location: PluginPlacement::Here,
            }],
            marketplaces: Vec::new(),
            renames: BTreeMap::new(),
        }
    }

    /// Fails for a path that the source does not have, and suggests the most similar one.
    fn no_path(&self, path: &str) -> Failure {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let tree = self.source.walk(self.revision.as_ref(), parent, &|_| false);
        let entries = tree.map(|tree| tree.entries).unwrap_or_default();
        let names = entries
            .iter()
            .filter_map(|entry| entry.path.rsplit('/').next());
        let near = nearest(name, names).map(|near| match parent {
            "" => near.to_owned(),
            parent => format!("{parent}/{near}"),
        });
        let version = self.label.as_ref().map(|label| format!("at `{label}`, "));
        let version = version.unwrap_or_default();
        let help = near.map(|near| format!("did you mean `{near}`?"));
        let browse = match self.origin.source() {
            Some(source) => {
                let word = path.rsplit('/').next().unwrap_or(path);
                let command =
                    agpm_diag::command_line(["agpm", "browse", source.address.redacted(), word]);
                format!("{version}`{command}` lists similar resources")
            }
            None => "check the path".to_owned(),
        };
        unknown_name("path", path, Some(help.unwrap_or(browse)))
    }
}

/// Returns whether the only candidate is exactly at the path.
fn is_exact(candidates: &[Candidate], top: &str) -> bool {
    !top.is_empty() && matches!(candidates, [candidate] if candidate.path == top)
}

/// Fails for a file whose type cannot be determined.
fn unknown_type(path: &str) -> Failure {
    let message = format!("neither the path nor the content of `{path}` shows its type");
    let words = agpm_resolve::discover::CANDIDATE_TYPES.map(CandidateType::singular);
    let help = format!("name it with `--type`: {}", words.join(", "));
    let diagnostic = Diagnostic::new(&codes::ADD_TYPE, message).help(help);
    Failure::new(FailureKind::Usage, diagnostic)
}
