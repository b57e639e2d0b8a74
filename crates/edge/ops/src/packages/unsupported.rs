//! What a manifest may ask for and this version does not do: refused before anything is written.

use agpm_diag::{Diagnostic, Spot, codes};
use agpm_model::{Manifest, ResourceType, Unit};

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
    let later = entries.iter().map(|resolved| &resolved.entry).find(|entry| LATER.contains(&entry.kind));
    later.map_or(Ok(()), |entry| {
        Err(refusal(&format!("`{}` is needed, and {} are", entry.unit, entry.kind), None))
    })
}

/// Checks what a template uses.
pub(crate) fn in_template(unit: &Unit, text: &str) -> Result<(), Failure> {
    match ["agpm.deps", "| content", "|content"].into_iter().find(|word| text.contains(word)) {
        None => Ok(()),
        Some(word) => Err(refusal(&format!("`{unit}` uses `{word}` in a template, which is"), None)),
    }
}
