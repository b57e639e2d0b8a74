//! `agpm explain`: where a value came from, or what a code means.

mod blocks;
mod bottle;
mod catalog;
mod installed;
mod manifest;
mod persona;
mod project;
mod resource;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use agpm_diag::{
    Code, Diagnostic, Failure, FailureKind, Notes, Outcome, Severity, all_codes, code_named, codes,
    did_you_mean, nearest,
};
use agpm_merge::merge_files;
use agpm_model::ResourceType;
use agpm_resolve::near_ids;
use agpm_text::{Pointer, Value};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::approve::permit;
use crate::explain::blocks::explain_blocks;
use crate::explain::bottle::explain_bottle;
use crate::explain::catalog::explain_entry;
use crate::explain::installed::tell_edited;
use crate::explain::manifest::{ManifestValues, manifest_values};
use crate::explain::persona::explain_persona;
use crate::explain::project::{from_project, not_in_layers};
use crate::explain::resource::explain_resource;
pub use crate::explain::resource::{ExplainedResource, RequiredAt, ToolConversion};
use crate::gather::{ManifestFiles, Mistakes, Project, unknown_name};
use crate::locked::{LockView, WrittenId, means};
use crate::merge::{MergeInputs, choose_strategy, read_files};
use crate::packages::read_lock;
use crate::world::{ManifestUse, World};
use agpm_merge::{ExplainedLeaf, Provenance, SecretDisplay};

/// What can be explained, besides codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A file, by its path.
    File,
    /// The manifest with its bases, by a place in it.
    Manifest,
    /// An entry of the catalog, by module and name.
    Catalog,
    /// A persona, by its slug.
    Profile,
    /// A bottle, by its name.
    Bottle,
    /// An installed resource, by its name.
    Resource(ResourceType),
}

impl Subject {
    const ALL: [Subject; 5] = [
        Subject::File,
        Subject::Manifest,
        Subject::Catalog,
        Subject::Profile,
        Subject::Bottle,
    ];

    /// The word before the colon.
    pub fn word(self) -> &'static str {
        match self {
            Subject::File => "file",
            Subject::Manifest => "manifest",
            Subject::Catalog => "catalog",
            Subject::Profile => "profile",
            Subject::Bottle => "bottle",
            Subject::Resource(kind) => kind.singular(),
        }
    }

    /// What `WORD:NAME` is about.
    fn read(what: &str) -> Option<(Self, &str)> {
        let (word, name) = what.split_once(':')?;
        // What the server calls a profile.
        let word = if word == "persona" {
            Subject::Profile.word()
        } else {
            word
        };
        let subject = Subject::ALL
            .into_iter()
            .find(|subject| subject.word() == word);
        Some((
            subject.or_else(|| ResourceType::named(word).map(Subject::Resource))?,
            name,
        ))
    }
}

/// What to explain.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// `file:PATH`, `manifest:/POINTER`, `agent:NAME` or another type, `catalog:MODULE/NAME`, `profile:SLUG`, `bottle:NAME`, or a code.
    pub what: String,
    /// A place in it; all places if there is none.
    pub pointer: Option<String>,
    /// The files to fold instead of the project's layers, and how.
    pub inputs: MergeInputs,
    /// The JSON object with bottles to read instead of Markdown files.
    pub json_file: Option<PathBuf>,
    /// Whether the secrets of bottles are shown.
    pub secrets: SecretDisplay,
}

/// The explanation.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ExplainReport {
    /// The page of a code.
    Page(CodePage),
    /// Where the values of something came from.
    Values(ExplainedValues),
}

/// A code and what it means.
#[derive(Debug, Serialize)]
pub struct CodePage {
    /// The stable word.
    pub code: &'static str,
    /// What it weighs unless a strict command says otherwise.
    pub severity: String,
    /// What it means, in one sentence.
    pub summary: &'static str,
    /// The page in Markdown.
    pub page: &'static str,
}

/// Where the values of something came from.
#[derive(Debug, Serialize)]
pub struct ExplainedValues {
    /// What is explained.
    #[serde(flatten)]
    pub name: ExplainedName,
    /// The place asked for.
    pub pointer: Pointer,
    /// What else is known, if it is a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<Box<ExplainedResource>>,
    /// Where each value came from.
    #[serde(flatten)]
    pub provenance: Provenance,
}

/// The name of what is explained, or its path; in documents, the subject is its key.
#[derive(Clone, Debug)]
pub struct ExplainedName {
    /// What it is.
    pub subject: Subject,
    /// What it is called.
    pub name: String,
}

impl Serialize for ExplainedName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct SubjectFields<'n> {
            #[serde(rename = "type")]
            kind: &'static str,
            id: &'n str,
        }
        let id = match self.subject {
            Subject::Resource(kind) => format!("{}/{}", kind.plural(), self.name),
            _ => self.name.clone(),
        };
        let kind = self.subject.word();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("subject", &SubjectFields { kind, id: &id })?;
        map.serialize_entry(kind, &self.name)?;
        map.end()
    }
}

/// Explains a value or a code.
pub fn explain(world: &World, request: &ExplainRequest) -> Outcome<ExplainReport> {
    let mut notes = Notes::default();
    let result = explain_subject(world, request, &mut notes);
    notes.outcome(result)
}

pub(crate) fn explain_subject(
    world: &World,
    request: &ExplainRequest,
    notes: &mut Notes,
) -> Result<ExplainReport, Failure> {
    let known = known_subject(world, &request.what)?;
    let known = known
        .as_ref()
        .map(|(subject, name)| (*subject, name.as_str()));
    let named = Subject::read(&request.what).or(known);
    refuse_flags(named.map(|(subject, _)| subject), request)?;
    if let (None, Some(code)) = (named, code_named(&request.what)) {
        return Ok(ExplainReport::Page(page(code)));
    }
    let Some((subject, name)) = named else {
        let near = did_you_mean(
            &request.what,
            "codes are",
            all_codes().map(|code| code.name),
        );
        let help = near.filter(|help| help.starts_with("did you mean"));
        let known = "explain knows `file:PATH`, `manifest:/POINTER`, `agent:NAME` and other types, `catalog:MODULE/NAME`, `profile:SLUG`, `bottle:NAME` and codes such as `json/syntax`";
        let help = help
            .or_else(|| near_resource(world, &request.what))
            .unwrap_or_else(|| known.to_owned());
        let what = match (WrittenId::parse(&request.what), request.what.contains(':')) {
            (Some(_), _) => "resource",
            (None, true) => "explanation of",
            (None, false) => "code",
        };
        return Err(unknown_name(what, &request.what, Some(help)));
    };
    if name.trim().is_empty() && subject != Subject::Manifest {
        let diagnostic = Diagnostic::new(
            &codes::USAGE,
            format!("`{}:` names nothing", subject.word()),
        );
        let help = "name it, as in `file:.claude/settings.json` or `profile:ada`";
        return Err(Failure::new(FailureKind::Usage, diagnostic.help(help)));
    }
    let pointer = pointer_of(request.pointer.as_deref().unwrap_or_default())?;
    let provenance = match subject {
        Subject::File => {
            let blocks = if request.inputs.files.is_empty() {
                explain_blocks(world, name, notes)?
            } else {
                None
            };
            let owner = if request.inputs.files.is_empty() {
                owner_of_file(world, name)
            } else {
                None
            };
            if let Some((kind, name)) = owner.filter(|_| blocks.is_none()) {
                let (resource, provenance) = explain_resource(world, kind, &name, &pointer, notes)?;
                return Ok(of_resource(resource, pointer, provenance));
            }
            match blocks {
                Some(blocks) => blocks,
                None => explain_file(world, name, &pointer, &request.inputs, notes)?,
            }
        }
        Subject::Manifest => {
            let written = request.pointer.as_deref().unwrap_or_default();
            let values = explain_manifest(world, [name, written].concat(), notes)?;
            return Ok(ExplainReport::Values(values));
        }
        Subject::Catalog => explain_entry(world, name, &pointer, notes)?,
        Subject::Profile => explain_persona(world, name, &pointer, notes)?,
        Subject::Bottle => explain_bottle(world, name, &pointer, request, notes)?,
        Subject::Resource(kind) => {
            let (resource, provenance) = explain_resource(world, kind, name, &pointer, notes)?;
            return Ok(of_resource(resource, pointer, provenance));
        }
    };
    Ok(ExplainReport::Values(ExplainedValues {
        name: ExplainedName {
            subject,
            name: name.to_owned(),
        },
        pointer,
        resource: None,
        provenance,
    }))
}

fn page(code: &'static Code) -> CodePage {
    CodePage {
        code: code.name,
        severity: code.severity.to_string(),
        summary: code.parsed().summary,
        page: code.page,
    }
}

fn of_resource(
    resource: ExplainedResource,
    pointer: Pointer,
    provenance: Provenance,
) -> ExplainReport {
    ExplainReport::Values(ExplainedValues {
        name: ExplainedName {
            subject: Subject::Resource(resource.kind),
            name: resource.identity.name.clone(),
        },
        pointer,
        resource: Some(Box::new(resource)),
        provenance,
    })
}

/// Flags that are for another subject.
fn refuse_flags(subject: Option<Subject>, request: &ExplainRequest) -> Result<(), Failure> {
    let flags = [
        (!request.inputs.files.is_empty(), "--from", Subject::File),
        (
            request.inputs.strategy.is_some(),
            "--strategy",
            Subject::File,
        ),
        (!request.inputs.rules.is_empty(), "--rule", Subject::File),
        (
            !request.inputs.layer_names.is_empty(),
            "--layer-names",
            Subject::File,
        ),
        (request.json_file.is_some(), "--json-file", Subject::Bottle),
        (
            request.secrets == SecretDisplay::Shown,
            "--show-secrets",
            Subject::Bottle,
        ),
    ];
    let wrong = flags
        .into_iter()
        .find(|(given, _, owner)| *given && subject != Some(*owner));
    let Some((_, flag, owner)) = wrong else {
        return Ok(());
    };
    let message = format!("`{flag}` is for `{}:…`", owner.word());
    Err(Failure::new(
        FailureKind::Usage,
        Diagnostic::new(&codes::USAGE, message).help("leave it out"),
    ))
}

fn pointer_of(written: &str) -> Result<Pointer, Failure> {
    written.parse().map_err(|error| {
        let help = "a pointer has `/` before every step, as in `/permissions/allow/0`";
        Failure::new(
            FailureKind::Usage,
            Diagnostic::new(&codes::USAGE, format!("{error}")).help(help),
        )
    })
}

/// The lockfile of the project, for what is typed without saying what it is; nothing if there is none.
fn lock_view(world: &World) -> Option<LockView> {
    let files = ManifestFiles::find(&world.environment, ManifestUse::Nearest).ok()??;
    let folder = files.root().to_owned();
    let store = files.store().ok()?;
    let mut quiet = Notes::default();
    let (lock, _) = read_lock(&world.environment, &store, &mut quiet).ok()??;
    let project = Project::read(world, files, Mistakes::Tell, &mut quiet).ok()?;
    Some(LockView::of(lock, &project.manifest, folder).with_parts())
}

/// What a word without a subject means: the path of a file, the id of a resource, or a name that is unique.
fn known_subject(world: &World, word: &str) -> Result<Option<(Subject, String)>, Failure> {
    let view = lock_view(world);
    let is_file = agpm_store::is_file(&world.environment.resolve(Path::new(word)));
    let at_path = view
        .as_ref()
        .is_some_and(|view| !view.at_path(&world.environment.folder, word).is_empty());
    if is_file || at_path {
        return Ok(Some((Subject::File, word.to_owned())));
    }
    let Some(view) = view.filter(|_| !word.contains(':')) else {
        return Ok(None);
    };
    // A name that several have is no code either.
    let is_name = view
        .entries
        .iter()
        .any(|entry| means(word, entry.kind, entry.name.as_str()));
    match view.find(word) {
        Err(failure) if is_name => Err(failure),
        Err(_) => Ok(None),
        Ok(found) => Ok(found
            .first()
            .map(|at| &view.entries[*at])
            .map(|entry| (Subject::Resource(entry.kind), entry.name.to_string()))),
    }
}

/// The id of a resource with a name near to this one.
fn near_resource(world: &World, word: &str) -> Option<String> {
    let view = lock_view(world)?;
    let known = view
        .entries
        .iter()
        .map(|entry| (entry.kind, entry.name.as_str()))
        .collect();
    near_ids(word, known).filter(|help| help.starts_with("did you mean"))
}

/// The resource that a whole file is of.
fn owner_of_file(world: &World, file: &str) -> Option<(ResourceType, String)> {
    let view = lock_view(world)?;
    let found = view.at_path(&world.environment.folder, file);
    let mut entries = found
        .iter()
        .map(|at| &view.entries[*at])
        .filter(|entry| !entry.kind.is_merged());
    let entry = entries.next()?;
    Some((entry.kind, entry.name.to_string()))
}

/// Every source takes a look into its repository: of a file with more resources, the rest is named without a line of its source.
const MOST_TRACED: usize = 32;

/// Gives values that resources wrote the file and line of their source; what a conversion added stays where it is.
fn trace_to_sources(world: &World, provenance: &mut Provenance) {
    let owners: BTreeSet<String> = provenance
        .leaves
        .iter()
        .map(|leaf| leaf.layer.clone())
        .collect();
    for owner in owners.into_iter().take(MOST_TRACED) {
        let Some((kind, name)) = resource_of(&owner) else {
            continue;
        };
        let quiet = &mut Notes::default();
        let Ok((_, source)) = explain_resource(world, kind, name, &Pointer::root(), quiet) else {
            continue;
        };
        let by_place: BTreeMap<&Pointer, &ExplainedLeaf> = source
            .leaves
            .iter()
            .map(|leaf| (&leaf.pointer, leaf))
            .collect();
        for leaf in provenance
            .leaves
            .iter_mut()
            .filter(|leaf| leaf.layer == owner)
        {
            let twin = by_place
                .get(&leaf.pointer)
                .filter(|twin| twin.value == leaf.value);
            if let Some(twin) = twin {
                (leaf.file, leaf.line, leaf.operation) =
                    (twin.file.clone(), twin.line, twin.operation);
            }
        }
    }
}

/// The type and name in `TYPE/NAME`.
fn resource_of(label: &str) -> Option<(ResourceType, &str)> {
    let (word, name) = label.split_once('/')?;
    Some((ResourceType::named(word)?, name))
}

pub(crate) fn explain_file(
    world: &World,
    file: &str,
    pointer: &Pointer,
    inputs: &MergeInputs,
    notes: &mut Notes,
) -> Result<Provenance, Failure> {
    let environment = &world.environment;
    if inputs.files.is_empty() && !inputs.layer_names.is_empty() {
        let diagnostic = Diagnostic::new(&codes::USAGE, "`--layer-names` without `--from`");
        let help = "the layers of the manifest have their own names";
        return Err(Failure::new(FailureKind::Usage, diagnostic.help(help)));
    }
    let project = Project::load(world, inputs.manifest, notes)?;
    let mut named = inputs.clone();
    let (mut installed, mut now) = (None, None);
    let files = if inputs.files.is_empty() {
        let found = from_project(world, &project, file, notes)?;
        named.files = vec![found.named];
        (installed, now) = (found.installed, found.now);
        found.files
    } else {
        read_files(environment, inputs, notes)?.parse(notes)?
    };
    notes.check()?;
    let strategy = choose_strategy(environment, &project, &named)?;
    if let Some(driver) = &strategy.driver {
        permit(world, &project.manifest, [driver])?;
        let message = format!(
            "`{file}` is merged by the program of the strategy `{}`",
            strategy.name
        );
        let help =
            "a program does not tell where its values come from; `agpm merge` shows its result";
        return Err(Diagnostic::new(&codes::MERGE_DRIVER, message)
            .help(help)
            .into());
    }
    let merged = match (merge_files(files, &strategy, None), &installed) {
        (None, Some(installed)) => {
            let mut provenance = installed.explain(None, pointer, notes);
            trace_to_sources(world, &mut provenance);
            return found(provenance, file, pointer, &[installed.value()]);
        }
        (merged, _) => merged.ok_or_else(|| not_in_layers(file, None))?,
    };
    // A warning about another place would only be in the way of the answer.
    let told = |d: &&Diagnostic| *pointer == Pointer::root() || d.severity == Severity::Error;
    notes
        .diagnostics
        .extend(merged.diagnostics.iter().filter(told).cloned());
    notes.check()?;
    if let Some(now) = now {
        tell_edited(file, &now, &merged, notes);
    }
    let mut provenance = Provenance::default();
    if let Some(installed) = &installed {
        provenance = installed.explain(Some(&merged), pointer, notes);
        trace_to_sources(world, &mut provenance);
    }
    // What is not there, or not yet, is explained as the layers give it.
    if provenance.leaves.is_empty() {
        provenance = Provenance::of(&merged, pointer, &notes.sources);
    }
    found(
        provenance,
        file,
        pointer,
        &[
            merged.value(),
            installed.and_then(|installed| installed.value()),
        ],
    )
}

/// A place of the manifest, which follows the colon or is given after it.
fn explain_manifest(
    world: &World,
    written: String,
    notes: &mut Notes,
) -> Result<ExplainedValues, Failure> {
    let pointer = pointer_of(&written)?;
    let ManifestValues {
        name,
        provenance,
        whole,
    } = manifest_values(world, &pointer, notes)?;
    Ok(ExplainedValues {
        provenance: found(provenance, &name, &pointer, &[whole])?,
        name: ExplainedName {
            subject: Subject::Manifest,
            name,
        },
        pointer,
        resource: None,
    })
}

/// What was found; nothing is an error, with a near place.
fn found(
    provenance: Provenance,
    file: &str,
    pointer: &Pointer,
    values: &[Option<Value>],
) -> Result<Provenance, Failure> {
    if provenance.is_empty() && *pointer != Pointer::root() {
        let message = format!("there is nothing at `{pointer}` in `{file}`");
        let near = values
            .iter()
            .flatten()
            .find_map(|value| near_place(value, pointer));
        let near = near.map(|place| format!("did you mean `{place}`?"));
        let help = near.unwrap_or_else(|| "leave out the pointer to see all places".to_owned());
        let diagnostic = Diagnostic::new(&codes::EXPLAIN_NOT_FOUND, message).help(help);
        return Err(Failure::new(FailureKind::NotFound, diagnostic));
    }
    Ok(provenance)
}

/// The place that a pointer was probably meant to be: its first step that leads nowhere, put right.
fn near_place(value: &Value, pointer: &Pointer) -> Option<Pointer> {
    let mut place = value.get("front_matter").unwrap_or(value);
    let mut here = Pointer::root();
    for step in pointer.steps() {
        match place.child(step) {
            Some(child) => {
                place = child;
                here.push(step);
            }
            None => {
                let Value::Map(entries) = place else {
                    return None;
                };
                let near = nearest(step, entries.iter().map(|(key, _)| key.as_str()))?;
                return Some(here.child(near));
            }
        }
    }
    None
}
