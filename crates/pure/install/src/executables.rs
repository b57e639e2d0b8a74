//! Executables need approval: of the manifest, of the command, or of an earlier install.

use std::collections::BTreeMap;

use agpm_compose::{
    OutputEntries, OutputFile, ProjectCapabilities, RenderedResource, ResourceOutput,
};
use agpm_diag::{Diagnostic, EntryRemedy, Remedy, codes, counted, visible};
use agpm_model::{ExecutableMode, Manifest, Owner, ResourceType};
use agpm_plan::{Ledger, LockedCapabilities, ResourceEntry};
use agpm_trust::{Capability, CapabilitySet, RunCommand};

use crate::approvals::CommandApprovals;
use crate::open_refusals::{ApprovalCommand, UnapprovedRefusal};
use crate::programs::program;
use crate::report::{ReportedProgram, RequiredBy};
use crate::request::TransitiveExecutables;

/// Types that tools run, whatever is in them.
const RUN: [ResourceType; 3] = [
    ResourceType::Scripts,
    ResourceType::Hooks,
    ResourceType::McpServers,
];

/// The rules that decide whether something that a tool would run is approved.
pub struct ExecutableRules<'a> {
    /// The manifest: its own resources and its `allow-executables` are approved.
    pub manifest: &'a Manifest,
    /// The approvals of the command.
    pub approvals: CommandApprovals<'a>,
    /// Under `approve`, what the manifest names needs approval too.
    pub mode: ExecutableMode,
    /// The ledger: resources installed on this machine were approved before.
    pub installed: &'a Ledger,
    /// The lockfile: resources locked with their capabilities were approved when they were locked.
    pub locked: LockedCapabilities<'a>,
    /// The current capabilities of everything.
    pub capabilities: &'a ProjectCapabilities,
    /// The command to repeat with the approvals.
    pub command: &'a ApprovalCommand,
}

impl ExecutableRules<'_> {
    /// The refusal of unapproved executables; `None` if there are none.
    pub fn refusal(&self, resources: &[RenderedResource]) -> Option<UnapprovedRefusal> {
        if self.approvals.executables == TransitiveExecutables::Allowed {
            return None;
        }
        let parents = parents(resources);
        let parent = |number: usize| {
            let parent = *parents.get(&number)?;
            Some(resources[parent].resolved.label())
        };
        let numbered = resources.iter().enumerate();
        let unapproved = numbered.filter(|(_, resource)| self.needs_approval(resource));
        let mut refused: Vec<RefusedProgram> = unapproved
            .map(|(number, RenderedResource { resolved, output })| {
                let capabilities = output.capabilities.iter();
                let capabilities = capabilities.map(|one| one.capability.clone());
                RefusedProgram {
                    program: program(resolved, capabilities.collect()),
                    parent: parent(number),
                }
            })
            .collect();
        let layers = self.capabilities.layers();
        let unapproved = layers.filter(|(layer, set)| self.layer_needs_approval(layer, set));
        refused.extend(unapproved.map(|(layer, set)| RefusedProgram::of_layer(layer, set)));
        (!refused.is_empty()).then(|| unapproved_programs(&refused, self.command))
    }

    /// The manifest names its layers, so what they run needs approval only where a policy requires it for direct
    /// content too.
    fn layer_needs_approval(&self, layer: &Owner, set: &CapabilitySet) -> bool {
        let recorded = self.installed.capabilities.as_ref();
        let recorded = recorded.and_then(|sets| sets.get(layer)?.locked_digest());
        // The recorded set and not the files: a layer can change its command without changing which files it has.
        let is_installed = recorded.is_some() && recorded == set.locked_digest();
        self.mode == ExecutableMode::Approve
            && !set.runs.is_empty()
            && !is_installed
            && !self.approvals.approves(layer)
    }

    fn needs_approval(&self, resource: &RenderedResource) -> bool {
        let RenderedResource { resolved, output } = resource;
        let entry = &resolved.entry;
        let is_program = RUN.contains(&entry.kind) || !output.capabilities.is_empty();
        let id = Owner::from(resolved.id());
        // Someone who writes a hook into the manifest wants it to run. Only what others pull in is a surprise, and
        // only until it is locked.
        let is_named = entry.root.is_some() || self.capabilities.is_as_locked(&id, &self.locked);
        let is_approved = is_named && self.mode != ExecutableMode::Approve
            || self.approvals.approves(&id)
            || self.is_listed(entry);
        // Compared by bytes: an update of an approved script asks again, because it is another program.
        is_program && !is_approved && !is_installed(output, self.installed)
    }

    fn is_listed(&self, entry: &ResourceEntry) -> bool {
        let mut allowed = self.manifest.allow_executables.iter();
        allowed.any(|allowed| allowed.allows(entry.kind, &entry.name, &entry.unit))
    }
}

/// An unapproved executable, and the resource that requires it.
struct RefusedProgram {
    program: ReportedProgram,
    parent: Option<String>,
}

impl RefusedProgram {
    fn of_layer(layer: &Owner, set: &CapabilitySet) -> Self {
        let capability = |run: &RunCommand| Capability {
            event: run.event.clone(),
            ..Capability::of_file(&run.command)
        };
        RefusedProgram {
            program: ReportedProgram {
                resource: layer.to_string(),
                unit: "a layer of the manifest".to_owned(),
                capabilities: set.runs.iter().map(capability).collect(),
                required: RequiredBy::Manifest,
            },
            parent: None,
        }
    }

    fn line(&self, width: usize) -> String {
        let ReportedProgram {
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

fn unapproved_programs(refused: &[RefusedProgram], command: &ApprovalCommand) -> UnapprovedRefusal {
    let width = refused
        .iter()
        .map(|one| one.program.resource.len())
        .max()
        .unwrap_or_default();
    let names: Vec<String> = refused
        .iter()
        .map(|one| format!("\"{}\"", one.program.resource))
        .collect();
    let is_direct = |one: &RefusedProgram| one.program.required == RequiredBy::Manifest;
    let (one, many) = if refused.iter().any(is_direct) {
        ("executable needs", "executables need")
    } else {
        ("transitive executable needs", "transitive executables need")
    };
    let count = counted(refused.len(), one, many);
    // The manifest cannot list layers.
    let is_layer = |one: &RefusedProgram| one.program.resource.starts_with("layers/");
    let ids: Vec<String> = refused
        .iter()
        .map(|one| one.program.resource.clone())
        .collect();
    let approve = command.with_approvals(&ids);
    let help = if refused.iter().any(is_layer) {
        format!("review them, then run `{approve}`")
    } else {
        format!(
            "review them, then run `{approve}`, or add `allow-executables = [{}]` to the top of agpm.toml",
            names.join(", ")
        )
    };
    let remedies = refused.iter().map(|one| Remedy {
        entry: one.program.resource.clone(),
        change: EntryRemedy::Approve,
    });
    let diagnostic = Diagnostic::new(&codes::PACKAGE_EXECUTABLE, format!("{count} approval"))
        .details(refused.iter().map(|one| one.line(width)))
        .resolved_by(remedies)
        .help(help);
    UnapprovedRefusal { diagnostic, ids }
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

/// One approval is enough until the resource changes: what is installed as it is was approved before.
fn is_installed(output: &ResourceOutput, ledger: &Ledger) -> bool {
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
    // A resource that is only resolved writes nothing that a tool could run.
    let nothing = output.files.is_empty() && output.entries.is_none();
    nothing || output.files.iter().all(file) && output.entries.iter().all(entries)
}
