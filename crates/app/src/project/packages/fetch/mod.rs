//! Reads the facts that the solver lacks: few calls per source, and all sources in parallel.

mod contents;
mod listed;
mod plugin_files;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use agpm_compose::project_names;
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes};
use agpm_model::{
    Dependency, FileMode, Manifest, ResourceOrigin, Revision, SourceName, SourceVersions, Unit,
};
use agpm_resolve::plugin::Marketplace;
use agpm_resolve::{
    FoundContent, MissingFact, NamedCommit, NeedsReader, OpenSources, PathFiles, ReadContent,
    SolverPin, SourceFile, SourceIndex,
};
use agpm_source::{Source, SourceError};
use agpm_store::parallel;

use crate::project::packages::fetch::contents::{SourceAnswers, SourceQuestions};
use crate::project::packages::marketplaces::{check_commit, default_revision, marketplace_at};
use crate::project::packages::sources::{ProjectSources, plain_sources, versions_of};
use crate::project::source_failure::{source_failure, source_failure_of};

/// Reads from sources the facts that the solver lacks.
pub(crate) struct FactFetcher<'a> {
    sources: &'a ProjectSources,
    manifest: &'a Manifest,
    needs: NeedsReader<'a>,
}

impl<'a> FactFetcher<'a> {
    /// Creates a fetcher for the dependencies of a manifest.
    pub(crate) fn new(sources: &'a ProjectSources, manifest: &'a Manifest) -> Self {
        FactFetcher {
            sources,
            manifest,
            needs: NeedsReader::new(manifest, sources, project_names(manifest)),
        }
    }

    /// Creates the index of known facts, with the dependencies of the manifest and nothing read yet.
    pub(crate) fn index(&self, pins: BTreeMap<Unit, SolverPin>) -> SourceIndex {
        let mut index = SourceIndex::new(plain_sources(self.sources), pins);
        for dependency in &self.manifest.dependencies {
            index.want(&dependency.unit, dependency.variant);
        }
        index
    }

    /// Reads all missing facts and adds them to the index.
    pub(crate) fn read_missing_facts(
        &self,
        needs: &BTreeSet<MissingFact>,
        index: &mut SourceIndex,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let mut questions: BTreeMap<Option<&SourceName>, SourceQuestions<'_>> = BTreeMap::new();
        for need in needs {
            match need {
                MissingFact::Refs(source) => {
                    questions.entry(Some(source)).or_default().versions = true
                }
                MissingFact::Rev(source, rev) => {
                    questions.entry(Some(source)).or_default().revs.push(rev)
                }
                MissingFact::Releases(source, tags) => {
                    let questions = questions.entry(Some(source)).or_default();
                    questions.releases.extend(tags);
                }
                MissingFact::Content(unit, commit) => {
                    let source = match &unit.origin {
                        ResourceOrigin::Source(name) => Some(name),
                        ResourceOrigin::Local | ResourceOrigin::Manifest => None,
                    };
                    questions
                        .entry(source)
                        .or_default()
                        .contents
                        .push((unit, commit));
                }
            }
        }
        // A failure does not stop the other sources, whose findings are worth reporting in the same run.
        let mut failed: Option<FailureKind> = None;
        let answers =
            parallel::map_waiting(questions.into_iter().collect(), |(source, questions)| {
                (source, self.answer(source, &questions))
            });
        for (source, answer) in answers {
            let taken = answer.and_then(|answer| self.add_answers(source, answer, index, notes));
            if let Err(Failure { kind, diagnostic }) = taken {
                failed.get_or_insert(kind);
                let located = diagnostic.map(|found| self.at_plugins(source, found));
                notes.diagnostics.extend(located);
            }
        }
        match failed {
            Some(kind) => Err(Failure::reported_as(kind)),
            None => notes.check(),
        }
    }

    /// The finding about a source, at the plugins that a marketplace takes from it: the manifest does not name the source.
    fn at_plugins(&self, source: Option<&SourceName>, found: Diagnostic) -> Diagnostic {
        let is_from = |one: &&Dependency| {
            one.marketplace.is_some() && source.is_some() && one.unit.origin.source() == source
        };
        let plugins = self.manifest.dependencies.iter().filter(is_from);
        if !found.labels.is_empty() {
            return found;
        }
        plugins.fold(found, |found, plugin| found.at_spot(plugin.spot))
    }

    fn answer(
        &self,
        source: Option<&SourceName>,
        questions: &SourceQuestions<'_>,
    ) -> Result<SourceAnswers, Failure> {
        let Some(name) = source else {
            return self.answer_locally(questions);
        };
        let Some(source) = self.sources.get(name) else {
            return Ok(SourceAnswers::default());
        };
        let answer = contents::read_answers(source, questions);
        answer.map_err(|error| failure_of(source, name, error))
    }

    /// Reads the inline resources of the manifest, and the files that it names by path.
    fn answer_locally(&self, questions: &SourceQuestions<'_>) -> Result<SourceAnswers, Failure> {
        let (inline, files): (Vec<_>, Vec<_>) = questions
            .contents
            .iter()
            .partition(|(unit, _)| unit.origin == ResourceOrigin::Manifest);
        let files = SourceQuestions {
            contents: files,
            ..SourceQuestions::default()
        };
        let mut answered =
            contents::read_answers(&self.sources.local, &files).map_err(|error| {
                let directory = &self.sources.project;
                match error {
                    SourceError::Store(error) => error.seen_from(directory).into(),
                    error => source_failure_of("the project", error),
                }
            })?;
        let inline = inline.into_iter().map(|(unit, commit)| {
            let raw = self.inline(unit);
            (unit.clone(), commit.clone(), raw)
        });
        answered.contents.extend(inline);
        Ok(answered)
    }

    fn inline(&self, unit: &Unit) -> PathFiles {
        let dependency = self.needs.dependencies_of(unit).first();
        let bytes = dependency.and_then(|dependency| dependency.server_bytes());
        bytes.map_or(PathFiles::Absent, |bytes| {
            PathFiles::File(SourceFile::new(bytes, FileMode::Plain))
        })
    }

    /// Adds the responses of a source to the index.
    fn add_answers(
        &self,
        source: Option<&SourceName>,
        answered: SourceAnswers,
        index: &mut SourceIndex,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        if let Some(name) = source {
            if let Some(versions) = answered.versions {
                index.list(name.clone(), versions);
            }
            for (rev, commit) in answered.revs {
                index.set_rev(name.clone(), rev, commit);
            }
            for (tag, released) in answered.releases {
                index.set_released(name, tag, released);
            }
        }
        let mut refused = Vec::new();
        for (unit, commit, raw) in answered.contents {
            let without_excluded = |units| self.needs.without_excluded(&unit, units, notes);
            let found = raw
                .understood(&unit, without_excluded)
                .unwrap_or_else(|why| {
                    refused.push(why);
                    FoundContent::Absent
                });
            let read = ReadContent {
                unit,
                commit,
                found,
            };
            self.needs.add_content(read, index, notes)?;
        }
        // All refused files are reported at once, because reporting one at a time would take as many runs.
        let is_refused = !refused.is_empty();
        notes.diagnostics.extend(refused);
        if is_refused {
            Err(Failure::reported_as(FailureKind::Refused))
        } else {
            Ok(())
        }
    }

    /// Adds a file that was read to the index, with the dependencies that it declares.
    pub(crate) fn add_read_content(
        &self,
        read: ReadContent,
        index: &mut SourceIndex,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        self.needs.add_content(read, index, notes)
    }
}

impl OpenSources for ProjectSources {
    fn is_open(&self, source: &SourceName) -> bool {
        self.get(source).is_some()
    }

    fn exists(&self, origin: &ResourceOrigin, commit: Option<&Revision>, path: &str) -> bool {
        let source: Option<&dyn Source> = match origin {
            ResourceOrigin::Manifest => None,
            ResourceOrigin::Local => Some(&self.local),
            ResourceOrigin::Source(name) => self.get(name),
        };
        let entry = source.map(|source| source.entry(commit, path));
        entry.is_some_and(|entry| entry.is_ok_and(|entry| entry.is_some()))
    }

    fn versions(&self, source: &SourceName) -> Result<Option<Arc<SourceVersions>>, Failure> {
        versions_of(self, source)
    }

    fn marketplace(
        &self,
        source: &SourceName,
        revision: Option<&Revision>,
    ) -> Result<Arc<Marketplace>, Failure> {
        marketplace_at(self, source, revision)
    }

    fn default_marketplace(&self, source: &SourceName) -> Result<Arc<Marketplace>, Failure> {
        let revision = default_revision(self, source)?;
        marketplace_at(self, source, revision.as_ref())
    }

    fn check_commit(&self, source: &SourceName, commit: &NamedCommit) -> Result<(), Failure> {
        check_commit(self, source, commit)
    }
}

/// Converts the error of a source to a failure; files of a directory are shown relative to it.
fn failure_of(source: &dyn Source, name: &SourceName, error: SourceError) -> Failure {
    match (error, source.local_directory()) {
        (SourceError::Store(error), Some(directory)) => error.seen_from(directory).into(),
        (error, _) => source_failure(name, error),
    }
}
