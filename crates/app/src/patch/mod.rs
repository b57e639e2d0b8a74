//! `agpm patch save`: turns local edits of a resource into a patch in the manifest.

mod edited_texts;
mod manifest_patch;
mod report;

use std::collections::BTreeMap;

use agpm_compose::{NewFileDiff, PatchedFile, RenderedResource, main_name, text_patch_file};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Outcome, Severity, codes, unknown_name};
use agpm_merge::{ThreeWayMerge, merge_three};
use agpm_model::{
    Checksum, FieldPath, FileMode, InstallMode, Lockfile, Manifest, PatchScope, RelativePath,
    ResourceId, ResourceType, outdated_lock,
};
use agpm_plan::{ChangeAction, Ledger};
use agpm_render::{edited_fields, patch};
use agpm_resolve::{UpdateScope, add_locked_sources, ambiguous, format_of, means, near_ids};
use agpm_store::{ExpectedFile, ProjectStore};
use agpm_text::{Format, Value, document_of};

use self::edited_texts::{EditedFile, EditedTexts};
use self::manifest_patch::ManifestPatch;
use crate::change::until_not_overtaken;
use crate::install::{
    self, InstallJob, InstallReport, InstallRequest, ManifestEdit, ProjectFate, TextPatchEdit,
    WideningRecord, lock_project, preview,
};
use crate::project::gather::{ManifestFiles, Project};
use crate::project::ledger::read_ledger;
use crate::project::packages::{ProjectSources, frozen, read_lock, render_keeping};
use crate::project::reading::display_path;
use crate::project::text_patches::EditedTextPatch;
use crate::project::world::World;
use crate::project::write_mode::WriteMode;

pub use report::PatchSaveReport;

/// The arguments of `patch save`.
#[derive(Clone, Debug)]
pub struct PatchSaveRequest {
    /// A name or an id.
    pub name: String,
    /// Whether the patch is written or only shown.
    pub writing: WriteMode,
}

/// Saves the local edits of a resource as a patch.
pub fn save_patch(world: &World, request: &PatchSaveRequest) -> Outcome<PatchSaveReport> {
    until_not_overtaken(|notes| run(world, request, notes))
}

fn run(
    world: &World,
    request: &PatchSaveRequest,
    notes: &mut Notes,
) -> Result<PatchSaveReport, Failure> {
    let files = ManifestFiles::require(&world.environment)?;
    let store = files.store()?;
    if store.needs_recovery() && request.writing == WriteMode::Apply {
        // An interrupted run left edited and written files mixed up.
        lock_project(world, &store, WriteMode::Apply, notes)?;
    }
    let rendered = RenderedProject::read(world, &store, notes)?;
    let resource = rendered.named(&request.name)?;
    rendered.refuse_conflict(&resource)?;
    let copies = rendered.copies_of(&resource);
    refuse_unpatchable(&resource, &copies)?;
    let edited = EditedTexts::read(&store, &rendered.ledger, &copies, notes)?;
    let mut report = PatchSaveReport {
        id: resource.to_string(),
        fields: Vec::new(),
        patch_file: None,
        files: edited.paths.clone(),
        writing: request.writing,
        installed: None,
    };
    if edited.paths.is_empty() {
        return Ok(report);
    }
    let new = NewPatch::of(&resource, &copies, &edited, &rendered.manifest)?;
    let bytes = files.project().to_vec();
    let name = display_path(&world.environment, &files.path);
    let document = document_of(name, bytes.clone(), Format::Toml, notes)?;
    notes.check()?;
    let manifest_patch = ManifestPatch {
        kind: resource.kind,
        name: resource.name.as_str(),
        fields: &new.fields,
        text_file: new.text.as_ref().map(|_| new.path.as_str()),
    };
    let text = manifest_patch.applied_to(document.text())?;
    report.fields = FieldPath::all(&new.fields)
        .iter()
        .map(ToString::to_string)
        .collect();
    report.patch_file = new.text.as_ref().map(|_| new.path.clone());
    let text_patches = new.file_edit(&files, &store)?.into_iter().collect();
    let job = InstallJob {
        title: format!("patch save {resource}"),
        request: InstallRequest::PLAIN,
        moving: UpdateScope::Nothing,
        exact: BTreeMap::new(),
        manifest: Some(ManifestEdit {
            private: None,
            before: Some(Checksum::of(&bytes)),
            bytes: text.into_bytes().into(),
            ignored: None,
            text_patches,
            project: ProjectFate::Stays,
            widenings: WideningRecord::Lockfile,
        }),
    };
    *notes = Notes::default();
    let mut tried = Notes::default();
    let planned = preview(world, &job, &mut tried);
    let planned = planned.inspect_err(|_| *notes = tried)?;
    refuse_difference(&resource, &edited, &planned.report)?;
    report.installed = Some(match request.writing {
        WriteMode::Show => planned.report,
        WriteMode::Apply => install::run(world, &job, notes)?,
    });
    Ok(report)
}

/// Fails if the patch does not give exactly the files that the user edited: then it would lose a part of an edit.
fn refuse_difference(
    resource: &ResourceId,
    edited: &EditedTexts,
    report: &InstallReport,
) -> Result<(), Failure> {
    let differs = report.changes.iter().find(|change| {
        edited.paths.contains(&change.path)
            && change.owner.resource() == Some(resource)
            && !matches!(change.action, ChangeAction::Adopt | ChangeAction::Release)
    });
    let Some(change) = differs else {
        return Ok(());
    };
    let path = &change.path;
    let message = format!("the edit of `{path}` cannot be saved as a patch");
    let diagnostic = Diagnostic::new(&codes::PATCH_FAILED, message)
        .in_file(path.as_str())
        .detail("the file is converted for its tool, and the edit has no equivalent in the source")
        .help(format!(
            "set the fields in `[patch.{}.{}]`, or edit the copy of a tool that reads the source format",
            resource.kind, resource.name
        ));
    Err(Failure::new(FailureKind::Errors, diagnostic))
}

/// The rendered state of the lockfile.
struct RenderedProject<'a> {
    world: &'a World,
    store: &'a ProjectStore,
    manifest: Manifest,
    lock: Lockfile,
    ledger: Ledger,
    resources: Vec<RenderedResource>,
}

impl<'a> RenderedProject<'a> {
    fn read(world: &'a World, store: &'a ProjectStore, notes: &mut Notes) -> Result<Self, Failure> {
        let files = ManifestFiles::require(&world.environment)?;
        let Some((lock, _)) = read_lock(&world.environment, store, notes)? else {
            return Err(outdated_lock("nothing is installed".to_owned()));
        };
        let mut manifest = Project::of(world, files, notes)?.manifest;
        add_locked_sources(&mut manifest, &lock);
        let mut read = RenderedProject {
            world,
            store,
            manifest,
            lock,
            ledger: read_ledger(store)?,
            resources: Vec::new(),
        };
        read.resources = read.render(None)?;
        Ok(read)
    }

    fn render(&self, kept: Option<ResourceId>) -> Result<Vec<RenderedResource>, Failure> {
        let sources = ProjectSources::open_all(self.world, &self.manifest, self.store.path());
        // Findings about the locked state are reported by the install.
        let quiet = &mut Notes::default();
        let entries = frozen::as_locked(&self.manifest, &sources, &self.lock, quiet);
        let entries = entries.map_err(|failure| with_findings(failure, quiet))?;
        let rendered = render_keeping(&self.manifest, &sources, entries, kept, quiet);
        Ok(rendered
            .map_err(|failure| with_findings(failure, quiet))?
            .resources)
    }

    /// The resource that a name or an id refers to.
    fn named(&self, word: &str) -> Result<ResourceId, Failure> {
        let mut ids: Vec<ResourceId> = Vec::new();
        for resource in &self.resources {
            let id = resource.resolved.id();
            if means(word, id.kind, id.name.as_str()) && !ids.contains(&id) {
                ids.push(id);
            }
        }
        match ids.as_slice() {
            [id] => Ok(id.clone()),
            [] => {
                let known = self.resources.iter().map(|one| one.resolved.id());
                let known: Vec<ResourceId> = known.collect();
                let known = known.iter().map(|id| (id.kind, id.name.as_str()));
                Err(unknown_name(
                    "resource",
                    word,
                    near_ids(word, known.collect()),
                ))
            }
            several => {
                let several: Vec<String> = several.iter().map(ToString::to_string).collect();
                Err(ambiguous(word, &several))
            }
        }
    }

    fn refuse_conflict(&self, resource: &ResourceId) -> Result<(), Failure> {
        let conflicts = self.ledger.conflict_owners();
        let mut conflicts = conflicts.into_iter();
        let Some((path, _)) = conflicts.find(|(_, owner)| owner.resource() == Some(resource))
        else {
            return Ok(());
        };
        let message = format!("{resource} is in conflict with a new version");
        let diagnostic = Diagnostic::new(&codes::INSTALL_CONFLICT, message)
            .in_file(path.as_str())
            .help(format!(
                "resolve it first: `agpm resolve {resource} --merged`"
            ));
        Err(Failure::new(FailureKind::Refused, diagnostic))
    }

    /// The copies of a resource for its tools, with their content before the diffs of patches.
    fn copies_of(&self, resource: &ResourceId) -> Vec<RenderedResource> {
        let rendered = self.render(Some(resource.clone())).unwrap_or_default();
        let copies = rendered.into_iter();
        copies
            .filter(|one| one.resolved.id() == *resource)
            .collect()
    }
}

/// The findings that explain a failure.
fn with_findings(failure: Failure, notes: &mut Notes) -> Failure {
    let found = notes
        .diagnostics
        .drain(..)
        .find(|found| found.severity == Severity::Error);
    match (&failure.diagnostic, found) {
        (None, Some(found)) => Failure::new(failure.kind, found),
        _ => failure,
    }
}

fn refuse_unpatchable(resource: &ResourceId, copies: &[RenderedResource]) -> Result<(), Failure> {
    let Some(first) = copies.first() else {
        return Err(Failure::reported());
    };
    let entry = &first.resolved.entry;
    let (message, help) = if entry.install == InstallMode::InPlace {
        (
            format!("{resource} is in place, so it cannot be patched"),
            "the file itself is the source, and has your edit already".to_owned(),
        )
    } else if entry.root.is_none() {
        (
            format!("{resource} is a transitive dependency"),
            format!("add it to `[{}]` to patch it", resource.kind),
        )
    } else if resource.kind == ResourceType::Plugins {
        (
            "plugins have no fields to patch".to_owned(),
            "save the edit of one of its parts, as in `agpm patch save agents/NAME`".to_owned(),
        )
    } else {
        return Ok(());
    };
    let diagnostic = Diagnostic::new(&codes::PATCH_UNKNOWN, message).help(help);
    Err(diagnostic.into())
}

/// A patch that gives the edited content.
struct NewPatch {
    fields: Value,
    /// The path of the diff, whether or not one is needed.
    path: RelativePath,
    /// The diff; `None` if fields are enough.
    text: Option<String>,
    /// The diff that the patch names now.
    old: Option<RelativePath>,
}

impl NewPatch {
    fn of(
        resource: &ResourceId,
        copies: &[RenderedResource],
        edited: &EditedTexts,
        manifest: &Manifest,
    ) -> Result<Self, Failure> {
        let first = copies.first().ok_or_else(Failure::reported)?;
        let resolved = &first.resolved;
        let patches = manifest.patches.iter();
        let existing = patches.clone().find(|patch| {
            patch.scope == PatchScope::Project
                && patch.kind == resource.kind
                && patch.name == resource.name.as_str()
        });
        let old = existing.and_then(|patch| patch.text_file.clone());
        let default = format!("patches/{}/{}.diff", resource.kind, resource.name);
        let path = match &old {
            Some(old) => old.clone(),
            None => RelativePath::new(&default).map_err(|error| {
                let message = format!("`{default}` cannot be written: {error}");
                Failure::from(
                    Diagnostic::new(&codes::PATCH_FAILED, message).help("rename the dependency"),
                )
            })?,
        };
        let mut fields = Value::Map(Vec::new());
        let mut diffs: Vec<(String, Option<String>, Option<String>, FileMode)> = Vec::new();
        for (file, text) in &edited.files {
            let EditedFile {
                before,
                after,
                mode,
            } = text;
            let (mut before, mut after) = (before.clone(), after.clone());
            let name = match file {
                PatchedFile::Main => main_name(resolved).to_owned(),
                PatchedFile::Other(path) => path.to_string(),
            };
            if *file == PatchedFile::Main {
                let own = OwnTexts::of(first, before, after)?;
                (before, after) = (own.before, own.after);
                if let (Some(text), Some(edited), Some(format)) =
                    (&before, &after, format_of(&resolved.entry.unit))
                {
                    fields = edited_fields(text, edited, format);
                    before = Some(with_fields(text, format, &mut fields));
                }
            }
            if before != after {
                diffs.push((name, before, after, *mode));
            }
        }
        let diffs: Vec<NewFileDiff<'_>> = diffs
            .iter()
            .map(|(name, before, after, mode)| NewFileDiff {
                name,
                before: before.as_deref(),
                after: after.as_deref(),
                mode: *mode,
            })
            .collect();
        let version = match &resolved.version.commit {
            Some(commit) => format!("{} ({})", resolved.version.label, commit.short()),
            None => resolved.version.label.to_string(),
        };
        let text =
            (!diffs.is_empty()).then(|| text_patch_file(&resource.to_string(), &version, &diffs));
        Ok(NewPatch {
            fields,
            path,
            text,
            old,
        })
    }

    /// The edit of the diff next to the manifest; `None` if there is none and was none.
    fn file_edit(
        &self,
        files: &ManifestFiles,
        store: &ProjectStore,
    ) -> Result<Option<TextPatchEdit>, Failure> {
        if self.text.is_none() && self.old.is_none() {
            return Ok(None);
        }
        let file = files.file_beside(&self.path);
        let full = files.directory().join(self.path.as_str());
        let before = match agpm_store::read_regular(&full, crate::project::reading::limit()) {
            Ok(bytes) => Some(bytes),
            Err(error) if matches!(error.problem, agpm_store::StoreProblem::NotFound) => None,
            Err(error) => return Err(error.seen_from(store.path()).into()),
        };
        if let (Some(_), None) = (&before, &self.old) {
            let path = &self.path;
            let message = format!("`{path}` exists, and no patch names it");
            let diagnostic = Diagnostic::new(&codes::IO_EXISTS, message)
                .in_file(path.as_str())
                .help("move it, and run the command again");
            return Err(Failure::new(FailureKind::Refused, diagnostic));
        }
        Ok(Some(TextPatchEdit {
            edited: EditedTextPatch {
                path: self.path.clone(),
                text: self.text.clone(),
            },
            file,
            before: match before {
                Some(bytes) => ExpectedFile::Checksum(Checksum::of(&bytes)),
                None => ExpectedFile::Missing,
            },
        }))
    }
}

/// The text with the fields of a patch. Fields that the format cannot set go into the diff.
fn with_fields(text: &str, format: Format, fields: &mut Value) -> String {
    let mut scratch = agpm_diag::SourceMap::default();
    match patch(scratch.add("", ""), text, format, fields) {
        Ok(patched) => patched.text,
        Err(_) => {
            *fields = Value::Map(Vec::new());
            text.to_owned()
        }
    }
}

/// The strings that the shared patch starts from and gives: without the private patches of this user.
struct OwnTexts {
    before: Option<String>,
    after: Option<String>,
}

impl OwnTexts {
    fn of(
        copy: &RenderedResource,
        before: Option<String>,
        after: Option<String>,
    ) -> Result<Self, Failure> {
        let kept = copy.output.kept_texts.as_ref();
        let shared = kept.and_then(|kept| kept.shared_main.clone());
        let (Some(shared), Some(private), Some(edited)) = (shared, &before, &after) else {
            return Ok(OwnTexts { before, after });
        };
        let format = format_of(&copy.resolved.entry.unit);
        let merged = merge_three(
            private.as_bytes(),
            edited.as_bytes(),
            shared.as_bytes(),
            format,
        );
        match merged {
            ThreeWayMerge::Merged(bytes) => Ok(OwnTexts {
                before: Some(shared),
                after: Some(String::from_utf8_lossy(&bytes).into_owned()),
            }),
            ThreeWayMerge::Conflict(_) => {
                let id = copy.resolved.label();
                let message = format!("the edit of {id} changes what `agpm.private.toml` patches");
                let help = "make the change in `agpm.private.toml`, or remove its patch";
                Err(Diagnostic::new(&codes::PATCH_CONFLICT, message)
                    .help(help)
                    .into())
            }
        }
    }
}
