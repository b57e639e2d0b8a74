//! What a manifest may ask for and this version does not do: refused before anything is written.

use agpm_diag::{Diagnostic, Spot, codes};
use agpm_model::{Manifest, ResourceType};
use agpm_render::mentions_agpm;

use crate::failure::Failure;
use crate::packages::resolve::ResolvedEntry;

const LATER: [ResourceType; 3] = [ResourceType::Hooks, ResourceType::McpServers, ResourceType::Skills];

fn refusal(what: &str, spot: Option<Spot>) -> Failure {
    let mut diagnostic = Diagnostic::new(&codes::PACKAGE_UNSUPPORTED, format!("{what} not supported yet"))
        .help("remove it from the manifest; agents, snippets, commands and scripts can be installed");
    if let Some(spot) = spot {
        diagnostic = diagnostic.at_spot(spot);
    }
    diagnostic.into()
}

/// Checks what the manifest itself asks for.
pub(crate) fn in_manifest(manifest: &Manifest) -> Result<(), Failure> {
    if let Some(patch) = manifest.patches.first() {
        return Err(refusal(
            &format!("patches (here for {}/{}) are", patch.kind, patch.name),
            Some(patch.spot),
        ));
    }
    for dependency in &manifest.dependencies {
        if LATER.contains(&dependency.kind) {
            return Err(refusal(&format!("{} are", dependency.kind), Some(dependency.spot)));
        }
        if dependency.template_vars.is_some() {
            return Err(refusal("`template_vars` are", Some(dependency.spot)));
        }
    }
    Ok(())
}

/// Checks what the resources bring.
pub(crate) fn in_entries(entries: &[ResolvedEntry]) -> Result<(), Failure> {
    for resolved in entries {
        let entry = &resolved.entry;
        if LATER.contains(&entry.kind) {
            return Err(refusal(&format!("`{}` is needed, and {} are", entry.unit, entry.kind), None));
        }
        let markdown = matches!(entry.unit.path.extension(), Some("md" | "markdown"));
        let text = std::str::from_utf8(&resolved.resource.bytes);
        if markdown && text.is_ok_and(mentions_agpm) && !opted_out(&resolved.resource.bytes) {
            return Err(refusal(&format!("`{}` is a template, and templates are", entry.unit), None));
        }
    }
    Ok(())
}

fn opted_out(bytes: &[u8]) -> bool {
    String::from_utf8_lossy(bytes).lines().any(|line| {
        let line = line.trim();
        line == "templating: false" || line == "agpm.templating: false"
    })
}
