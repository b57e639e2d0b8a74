//! Resources and files of layers as one desired state.

use agpm_model::{InstallMode, Owner};
use std::path::Path;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};
use agpm_plan::{DesiredBlock, DesiredFile, DesiredState, LayerDocument, OnEqualUserValue};

use agpm_compose::{RenderedResource, ResourceOutput};
use agpm_layers::{LayerBlock, LayeredFile, LayeredForm};

/// Everything that is to be on the disk; fails if it cannot all be there, whatever exists now.
pub fn desired_state<'a>(
    project: &Path,
    resources: &[RenderedResource],
    layers: &'a [LayeredFile],
) -> Result<DesiredState<'a>, Failure> {
    let mut desired = DesiredState::default();
    for RenderedResource { resolved, output } in resources {
        add_resource(&mut desired, resolved.id().into(), output)?;
        let target = resolved.entry.target.clone();
        if let Some(target) = target.filter(|_| resolved.entry.install == InstallMode::InPlace) {
            desired.leave_in_place(target);
        }
    }
    for (file, block) in in_manifest_order(resources).filter_map(RenderedResource::desired_block) {
        desired.add_block(file, block);
    }
    for file in layers {
        add_layered_file(&mut desired, file)?;
    }
    desired.refuse_reserved()?;
    refuse_own_targets(project, resources)?;
    Ok(desired)
}

/// New blocks are in the order of the manifest, and transitive ones after those.
fn in_manifest_order(resources: &[RenderedResource]) -> impl Iterator<Item = &RenderedResource> {
    let mut all: Vec<&RenderedResource> = resources.iter().collect();
    all.sort_by_key(|resource| resource.resolved.entry.root.unwrap_or(usize::MAX));
    all.into_iter()
}

fn add_resource(
    desired: &mut DesiredState<'_>,
    owner: Owner,
    output: &ResourceOutput,
) -> Result<(), Failure> {
    for file in &output.files {
        desired.add_file(DesiredFile {
            path: file.path.clone(),
            bytes: file.bytes.clone(),
            checksum: file.checksum,
            source: file.source,
            mode: file.mode,
            owner: owner.clone(),
            on_equal: OnEqualUserValue::Adopt,
            is_empty_document: false,
        })?;
    }
    if let Some(entries) = &output.entries {
        desired.add_entries(&entries.file, &owner, &entries.nodes);
    }
    Ok(())
}

fn add_layered_file<'a>(
    desired: &mut DesiredState<'a>,
    file: &'a LayeredFile,
) -> Result<(), Failure> {
    match &file.form {
        LayeredForm::Own => {}
        LayeredForm::Blocks(blocks) => {
            desired.add_layer_blocks(&file.path, desired_blocks(file, blocks)?);
            return Ok(());
        }
        LayeredForm::BlocksBesideUser(blocks) => {
            desired.add_blocks_beside_user(&file.path, desired_blocks(file, blocks)?);
        }
    }
    let document = file.keys.as_ref().map(|keys| LayerDocument {
        path: &file.path,
        mode: file.mode,
        owner: &file.owner,
        text: &keys.text,
        nodes: &keys.nodes,
    });
    if let Some(document) = document.filter(|document| desired.shares(document)) {
        desired.add_layer_document(&document);
        return Ok(());
    }
    let checksum = file.checksum();
    desired.add_file(DesiredFile {
        path: file.path.clone(),
        bytes: file.bytes.clone(),
        checksum,
        source: checksum,
        mode: file.mode,
        owner: file.owner.clone(),
        on_equal: OnEqualUserValue::Keep,
        is_empty_document: document.is_some(),
    })
}

fn desired_blocks(file: &LayeredFile, blocks: &[LayerBlock]) -> Result<Vec<DesiredBlock>, Failure> {
    let blocks = blocks.iter().map(|block| block.desired(&file.path));
    blocks.collect()
}

/// A file that would be installed onto itself would become managed, and be deleted with the dependency; one in place is
/// not managed, and must be where its tool reads it.
fn refuse_own_targets(project: &Path, resources: &[RenderedResource]) -> Result<(), Failure> {
    for RenderedResource { resolved, .. } in resources {
        let entry = &resolved.entry;
        let target = entry
            .target
            .as_ref()
            .map(|target| project.join(target.as_str()));
        if entry.install == InstallMode::InPlace {
            if resolved.file == target {
                continue;
            }
            let message = format!("{}/{} is not in the project", entry.kind, entry.name);
            let help = "`in-place` describes files of a project: remove it, or the entry";
            let diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).help(help);
            return Err(Failure::new(FailureKind::Refused, diagnostic));
        }
        if target.is_none() || resolved.file != target {
            continue;
        }
        let message = format!(
            "{}/{} is where it would be installed: `{}`",
            entry.kind, entry.name, entry.unit
        );
        let help =
            "the tool reads it there already: add `in-place = true` to the entry, or remove it";
        let diagnostic = Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message).help(help);
        return Err(Failure::new(FailureKind::Refused, diagnostic));
    }
    Ok(())
}
