//! Tries the proposed manifest, and decides what cannot be installed as it is.

use std::collections::BTreeMap;

use crate::install::CommandApprovals;
use crate::manifest::{ManifestAdditions, Settlement, suggest_command};
use agpm_diag::{Diagnostic, Failure, Notes};
use agpm_model::{Checksum, Owner};
use agpm_resolve::UpdateScope;
use agpm_store::ProjectStore;

use crate::add::request::AddRequest;
use crate::change::{ProposedManifest, write_manifest};
use crate::gitignore::IgnoreEdit;
use crate::install;
use crate::install::{
    InstallJob, InstallReport, InstallRequest, ManifestEdit, ProjectFate, TransitiveExecutables,
    WideningRecord,
};
use crate::manifest_text::AfterEdit;
use crate::project::world::{InstallScope, World};
use crate::project::write_mode::WriteMode;

/// The maximum number of times that additions are decided. Each time at least one entry or part is left out, and all
/// findings of one step are decided together.
const MOST_ROUNDS: usize = 100;

/// A manifest to be installed.
pub(super) struct Proposal<'a> {
    pub(super) world: &'a World,
    pub(super) request: &'a AddRequest<'a>,
    /// The content of the manifest before; `None` for a new one.
    pub(super) before: Option<&'a [u8]>,
}

impl Proposal<'_> {
    /// Writes the manifest, and installs the result unless the request is to only edit it.
    pub(super) fn bring_about(
        &self,
        additions: &mut ManifestAdditions,
        notes: &mut Notes,
    ) -> Result<Option<InstallReport>, Failure> {
        let mut rounds = 0;
        loop {
            let result = self.attempt(additions, notes);
            rounds += 1;
            let is_written = result.is_ok() && self.request.writing == WriteMode::Apply;
            if is_written || rounds > MOST_ROUNDS {
                return result;
            }
            let failed = result
                .as_ref()
                .err()
                .and_then(|one| one.diagnostic.as_ref());
            let findings: Vec<Diagnostic> =
                notes.diagnostics.iter().chain(failed).cloned().collect();
            let mut settled = additions.clone();
            let approves = |id: &str| self.approves(id);
            let settlement = settled.settle(&findings, &notes.sources, &approves);
            if settlement == Settlement::Unchanged {
                return self.refused(result, notes);
            }
            if settled.is_empty() {
                *notes = Notes::default();
                return Err(settled.nothing_left().into());
            }
            *additions = settled;
            *notes = Notes::default();
        }
    }

    /// A failure with the command that decides it.
    fn refused(
        &self,
        result: Result<Option<InstallReport>, Failure>,
        notes: &mut Notes,
    ) -> Result<Option<InstallReport>, Failure> {
        let result = result.map_err(|failure| {
            notes.diagnostics.extend(failure.diagnostic);
            // The proposed manifest was not written, so the lines that findings quote are not in the file of that name.
            let name = crate::manifest::MANIFEST_NAME;
            notes.sources.rename(name, &format!("{name} (proposed)"));
            Failure::reported_as(failure.kind)
        });
        suggest_command(&mut notes.diagnostics, &self.world.environment.typed);
        result
    }

    fn approves(&self, id: &str) -> bool {
        let approvals = CommandApprovals {
            words: &self.world.environment.approvals,
            executables: TransitiveExecutables::AsManifest,
        };
        approvals.approves(&Owner::from(id))
    }

    fn attempt(
        &self,
        additions: &ManifestAdditions,
        notes: &mut Notes,
    ) -> Result<Option<InstallReport>, Failure> {
        let title = additions.title();
        let text = additions.text()?;
        let ignored = match (self.before, self.world.environment.scope) {
            (None, InstallScope::Project) => IgnoreEdit::of(&ProjectStore::open(
                &self.world.environment.working_directory,
            )?)?,
            _ => None,
        };
        let executables = match (self.request.then, self.request.writing) {
            (AfterEdit::Leave, WriteMode::Show) => return Ok(None),
            (AfterEdit::Leave, WriteMode::Apply) => {
                let proposed = ProposedManifest {
                    title: &title,
                    text: &text,
                    before: self.before,
                    ignored,
                };
                write_manifest(self.world, proposed, notes)?;
                return Ok(None);
            }
            (AfterEdit::Install(executables), _) => executables,
        };
        let job = InstallJob {
            title,
            request: InstallRequest {
                executables,
                writing: self.request.writing,
                ..InstallRequest::PLAIN
            },
            moving: UpdateScope::Nothing,
            exact: BTreeMap::new(),
            manifest: Some(ManifestEdit {
                before: self.before.map(Checksum::of),
                bytes: text.into_bytes().into(),
                project: ProjectFate::Stays,
                ignored,
                text_patches: Vec::new(),
                widenings: WideningRecord::Manifest,
                private: None,
            }),
        };
        install::run(self.world, &job, notes).map(Some)
    }
}
