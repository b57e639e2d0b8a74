//! What a tool would run: shown when it is new, and approved by the user where the manifest does not name it.

use std::collections::BTreeMap;

use agpm_compose::{
    OutputCapability, OutputEntries, OutputFile, ProjectCapabilities, RenderedResource,
    ResourceOutput,
};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Severity, codes, visible};
use agpm_model::{ExecutableMode, Manifest, Owner, ResourceType};
use agpm_plan::{
    ChangeAction, DesiredNode, Ledger, LockedCapabilities, PlannedChange, ResourceEntry,
};
use agpm_resolve::ResolvedEntry;
use agpm_text::{Format, Pointer, parse_alone, to_value};
use agpm_trust::{Capability, capabilities_of, capabilities_of_markdown};

use crate::install::capabilities::is_approved;
use crate::install::run::Run;
use crate::install::{Executables, Program, RequiredBy, Writing};
use agpm_diag::counted;
use agpm_layers::LayeredFile;

/// Types that tools run, whatever is in them.
const RUN: [ResourceType; 3] = [
    ResourceType::Scripts,
    ResourceType::Hooks,
    ResourceType::McpServers,
];

/// Everything that is new or changed and lets a tool do something.
pub(crate) fn new_programs(
    resources: &[RenderedResource],
    layers: &[LayeredFile],
    changes: &[PlannedChange],
) -> Vec<Program> {
    let written = changes
        .iter()
        .filter(|change| matches!(change.action, ChangeAction::Create | ChangeAction::Update));
    let (mut by_owner, mut by_path) = (ChangesBy::new(), ChangesBy::new());
    for change in written {
        by_owner.entry(&change.owner).or_default().push(change);
        by_path.entry(&change.path).or_default().push(change);
    }
    let of_resource = |resource: &RenderedResource| {
        let RenderedResource { resolved, output } = resource;
        let own = by_owner
            .get(&Owner::from(resolved.id()))
            .map_or(&[][..], Vec::as_slice);
        let is_new = |one: &&OutputCapability| {
            own.iter()
                .any(|change| one.file.as_ref().is_none_or(|file| *file == change.path))
        };
        let new = output
            .capabilities
            .iter()
            .filter(is_new)
            .map(|one| one.capability.clone())
            .collect();
        program(resolved, new)
    };
    let can_do_something = |resource: &&RenderedResource| !resource.output.capabilities.is_empty();
    let of_resources = resources.iter().filter(can_do_something).map(of_resource);
    let of_layers = layers
        .iter()
        .filter_map(|file| Some(of_layer(file, by_path.get(&file.path)?)));
    let of_layers = of_layers.flatten();
    of_resources
        .chain(of_layers)
        .filter(|program| !program.capabilities.is_empty())
        .collect()
}

/// Changes by what they are of.
type ChangesBy<'c, K> = BTreeMap<&'c K, Vec<&'c PlannedChange>>;

/// What is new in a file of the layers, by the layer that says it.
fn of_layer(file: &LayeredFile, changes: &[&PlannedChange]) -> Vec<Program> {
    let is_new = |one: &Capability| {
        changes.iter().any(|change| {
            let place = change.place.as_ref();
            place.is_none_or(|place| is_in(&one.place, place) || is_in(place, &one.place))
        })
    };
    let mut programs: Vec<Program> = Vec::new();
    for capability in in_layer(file).into_iter().filter(is_new) {
        let resource = layer_of(file, &capability);
        match programs
            .iter_mut()
            .find(|program| program.resource == resource)
        {
            Some(program) => program.capabilities.push(capability),
            None => {
                let (unit, capabilities) = (file.path.to_string(), vec![capability]);
                programs.push(Program {
                    resource,
                    unit,
                    capabilities,
                    required: RequiredBy::Manifest,
                });
            }
        }
    }
    programs
}

fn is_in(inner: &Pointer, outer: &Pointer) -> bool {
    inner.steps().starts_with(outer.steps())
}

/// The layer that a capability comes from, as `layers/NAME`; all that the file comes from if that is not known.
fn layer_of(file: &LayeredFile, capability: &Capability) -> String {
    let nodes = file.keys.iter().flat_map(|keys| &keys.nodes);
    let around: Vec<_> = nodes
        .filter(|node| is_in(&capability.place, node.node.place.pointer()))
        .collect();
    // Items of a list have no names: the one that says it is meant.
    let says = |node: &&&DesiredNode| {
        let value = &node.node.value;
        value.as_str() == Some(&capability.value)
            || capabilities_of(value)
                .iter()
                .any(|one| one.value == capability.value)
    };
    let saying = around.iter().find(says).or(around.last());
    let owner = saying.map_or(&file.owner, |node| &node.owner);
    owner.to_string()
}

fn in_layer(file: &LayeredFile) -> Vec<Capability> {
    let mut found = match (
        Format::of_file(file.path.file_name()),
        std::str::from_utf8(&file.bytes),
    ) {
        (Some(Format::Markdown), Ok(text)) => capabilities_of_markdown(text),
        (Some(Format::Json), Ok(text)) => parsed(text, Format::Jsonc),
        (Some(format @ (Format::Jsonc | Format::Yaml | Format::Toml)), Ok(text)) => {
            parsed(text, format)
        }
        _ => Vec::new(),
    };
    if file.mode == agpm_model::FileMode::Executable {
        found.push(Capability::of_file(file.path.as_str()));
    }
    found
}

fn parsed(text: &str, format: Format) -> Vec<Capability> {
    let document = parse_alone(text, format).document;
    document
        .root()
        .map(|root| capabilities_of(&to_value(root)))
        .unwrap_or_default()
}

/// What decides whether something that runs is approved.
pub(super) struct Approval<'a> {
    pub(super) run: &'a Run<'a>,
    /// Under `approve`, what the manifest names needs approval too.
    pub(super) mode: ExecutableMode,
    /// What is installed on this machine was approved before.
    pub(super) installed: &'a Ledger,
    /// What is locked with its capabilities was approved by whoever locked it.
    pub(super) locked: LockedCapabilities<'a>,
    pub(super) capabilities: &'a ProjectCapabilities,
}

/// Refuses what only other resources require and a tool would run, unless the user approves it; a run that only shows
/// goes on.
pub(super) fn check(
    manifest: &Manifest,
    resources: &[RenderedResource],
    approval: &Approval<'_>,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let Approval {
        run,
        mode,
        installed,
        ..
    } = *approval;
    let request = run.job.request;
    let listed = |entry: &ResourceEntry| {
        let mut allowed = manifest.allow_executables.iter();
        allowed.any(|allowed| allowed.allows(entry.kind, &entry.name, &entry.unit))
    };
    let needs_approval = |resource: &RenderedResource| {
        let RenderedResource { resolved, output } = resource;
        let entry = &resolved.entry;
        let is_program = RUN.contains(&entry.kind) || !output.capabilities.is_empty();
        let id = Owner::from(resolved.id());
        let is_named =
            entry.root.is_some() || approval.capabilities.is_as_locked(&id, &approval.locked);
        let is_approved = is_named && mode != ExecutableMode::Approve || is_approved(run, &id);
        !is_approved && is_program && !listed(entry) && !is_installed(output, installed)
    };
    let refused: Vec<(usize, Program)> = resources
        .iter()
        .enumerate()
        .filter(|(_, resource)| needs_approval(resource))
        .map(|(number, RenderedResource { resolved, output })| {
            let all = output
                .capabilities
                .iter()
                .map(|one| one.capability.clone())
                .collect();
            (number, program(resolved, all))
        })
        .collect();
    if refused.is_empty() || request.executables == Executables::Allowed {
        return Ok(());
    }
    let parents = parents(resources);
    let label = |number: &usize| resources[*number].resolved.label();
    let parent = |number: usize| parents.get(&number).map(label);
    let refused: Vec<Refused> = refused
        .into_iter()
        .map(|(number, program)| Refused {
            program,
            parent: parent(number),
        })
        .collect();
    let mut diagnostic = unapproved(&refused);
    match request.writing {
        Writing::Apply => Err(Failure::new(FailureKind::Refused, diagnostic)),
        Writing::Show => {
            diagnostic.severity = Severity::Warning;
            notes.diagnostics.push(diagnostic);
            Ok(())
        }
    }
}

/// Something that nobody approved, and the resource that requires it.
struct Refused {
    program: Program,
    parent: Option<String>,
}

impl Refused {
    fn line(&self, width: usize) -> String {
        let Program {
            resource,
            unit,
            capabilities,
            ..
        } = &self.program;
        let parent = self
            .parent
            .as_ref()
            .map(|parent| format!(", required by {parent}"))
            .unwrap_or_default();
        let does: Vec<String> = capabilities.iter().map(described).collect();
        let does = if does.is_empty() {
            String::new()
        } else {
            format!(": {}", does.join("; "))
        };
        format!("{resource:<width$}  {unit}{parent}{does}")
    }
}

/// One capability in a few words.
fn described(capability: &Capability) -> String {
    let event = capability
        .event
        .as_ref()
        .map(|event| format!(" ({})", visible(event)))
        .unwrap_or_default();
    format!(
        "{} {}{event}",
        capability.kind.word(),
        visible(&capability.value)
    )
}

fn unapproved(refused: &[Refused]) -> Diagnostic {
    let width = refused
        .iter()
        .map(|one| one.program.resource.len())
        .max()
        .unwrap_or_default();
    let names: Vec<String> = refused
        .iter()
        .map(|one| format!("\"{}\"", one.program.resource))
        .collect();
    let is_direct = |one: &Refused| one.program.required == RequiredBy::Manifest;
    let (one, many) = if refused.iter().any(is_direct) {
        ("executable needs", "executables need")
    } else {
        ("transitive executable needs", "transitive executables need")
    };
    let count = counted(refused.len(), one, many);
    let help = format!(
        "review them, then run `agpm install --allow-executables`, or add `allow-executables = [{}]` to the top of \
         agpm.toml",
        names.join(", ")
    );
    Diagnostic::new(&codes::PACKAGE_EXECUTABLE, format!("{count} approval"))
        .details(refused.iter().map(|one| one.line(width)))
        .help(help)
}

/// For each entry the first one that requires it.
fn parents(resources: &[RenderedResource]) -> BTreeMap<usize, usize> {
    let mut parents = BTreeMap::new();
    for (number, RenderedResource { resolved, .. }) in resources.iter().enumerate() {
        for need in &resolved.entry.needs {
            parents.entry(*need).or_insert(number);
        }
    }
    parents
}

/// What is installed here just as it is was allowed here: one word is enough, until it changes.
fn is_installed(made: &ResourceOutput, ledger: &Ledger) -> bool {
    let file = |file: &OutputFile| {
        ledger
            .files
            .get(&file.path)
            .is_some_and(|owned| owned.checksum == file.bytes.checksum())
    };
    let entries = |entries: &OutputEntries| {
        let owned = ledger.shared.get(&entries.file);
        owned.is_some_and(|owned| entries.nodes.iter().all(|node| owned.holds(node)))
    };
    let nothing = made.files.is_empty() && made.entries.is_none();
    nothing || made.files.iter().all(file) && made.entries.iter().all(entries)
}

fn program(resolved: &ResolvedEntry, capabilities: Vec<Capability>) -> Program {
    let required = if resolved.entry.root.is_some() {
        RequiredBy::Manifest
    } else {
        RequiredBy::Resource
    };
    Program {
        resource: resolved.label(),
        unit: resolved.entry.unit.to_string(),
        capabilities,
        required,
    }
}
