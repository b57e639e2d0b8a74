//! Rendered resources and files of layers, as the audit reads them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use agpm_compose::RenderedResource;
use agpm_layers::{LayeredFile, LayeredForm};
use agpm_model::Owner;
use agpm_plan::{ChangeAction, PlannedChange};
use agpm_text::{Value, to_json};
use agpm_trust::{
    AuditFinding, CapabilityReading, NamedThing, confusable_names, plain_http_findings, scan,
};

use super::AuditIssue;

/// Something that is written into one file.
#[derive(Clone, Debug)]
pub struct AuditedContent<'a> {
    /// The resource or layer.
    pub owner: Owner,
    /// The installed file.
    pub path: String,
    /// The bytes.
    pub bytes: Cow<'a, [u8]>,
    /// Whether it is the whole file, and not a part of a file that users write too.
    pub is_whole_file: bool,
    /// The name by which the format of the bytes is known.
    format_name: String,
    /// The URLs that it connects to.
    connects: CapabilityReading,
}

/// Everything that is written for resources and layers.
pub fn rendered_contents<'a>(
    resources: &'a [RenderedResource],
    layers: &'a [LayeredFile],
) -> Vec<AuditedContent<'a>> {
    let mut contents = Vec::new();
    for RenderedResource { resolved, output } in resources {
        let owner = Owner::from(resolved.id());
        for file in &output.files {
            contents.push(AuditedContent {
                owner: owner.clone(),
                path: file.path.to_string(),
                bytes: Cow::Borrowed(&file.bytes),
                is_whole_file: true,
                format_name: file.path.to_string(),
                connects: CapabilityReading::default(),
            });
        }
        if let Some(entries) = &output.entries {
            let values = entries.nodes.iter().map(|node| node.value.clone());
            let found = output.capabilities.iter();
            let found = found.map(|one| one.capability.clone()).collect();
            contents.push(AuditedContent {
                owner: owner.clone(),
                path: entries.file.to_string(),
                bytes: Cow::Owned(to_json(&Value::list(values)).into_bytes()),
                is_whole_file: false,
                // Entries are read from their values, whatever the format of the file is.
                format_name: "entries.json".to_owned(),
                connects: CapabilityReading {
                    found,
                    ..CapabilityReading::default()
                },
            });
        }
        if let Some(block) = &output.block
            && let Some(file) = &block.file
        {
            contents.push(part(&owner, file.as_str(), block.text.as_bytes()));
        }
    }
    for file in layers {
        let path = file.path.as_str();
        match &file.form {
            LayeredForm::Own => contents.push(AuditedContent {
                is_whole_file: file.keys.is_none(),
                ..part(&file.owner, path, &file.bytes)
            }),
            LayeredForm::Blocks(blocks) | LayeredForm::BlocksBesideUser(blocks) => {
                for block in blocks {
                    let owner = Owner::layer(&block.layer);
                    contents.push(part(&owner, path, block.text.as_bytes()));
                }
            }
        }
    }
    contents
}

fn part<'a>(owner: &Owner, path: &str, bytes: &'a [u8]) -> AuditedContent<'a> {
    AuditedContent {
        owner: owner.clone(),
        path: path.to_owned(),
        bytes: Cow::Borrowed(bytes),
        is_whole_file: false,
        format_name: path.to_owned(),
        connects: CapabilityReading::default(),
    }
}

/// The findings in all content.
pub fn audit_content(contents: &[AuditedContent<'_>]) -> Vec<AuditIssue> {
    let mut issues = Vec::new();
    for content in contents {
        let mut found = scan(&content.format_name, &content.bytes);
        found.extend(plain_http_findings(&content.connects));
        issues.extend(issues_of(found, &content.owner, &content.path));
    }
    issues.extend(confusing_owners(contents));
    issues.sort();
    issues.dedup();
    issues
}

fn issues_of(
    found: Vec<AuditFinding>,
    owner: &Owner,
    path: &str,
) -> impl Iterator<Item = AuditIssue> {
    let issue = |finding| AuditIssue::of_rule(finding, Some(owner.clone()), path.to_owned());
    found.into_iter().map(issue)
}

/// Resources whose names look like others.
fn confusing_owners(contents: &[AuditedContent<'_>]) -> Vec<AuditIssue> {
    let mut seen = BTreeSet::new();
    let mut named = Vec::new();
    let mut things = Vec::new();
    for content in contents {
        let Some(id) = content.owner.resource() else {
            continue;
        };
        if seen.insert(id.to_string()) {
            things.push(NamedThing {
                id: id.to_string(),
                name: id.name.to_string(),
            });
            named.push(content);
        }
    }
    let found = confusable_names(&things).into_iter();
    let issues = found.map(|(number, finding)| {
        let content = named[number];
        AuditIssue {
            line: None,
            ..AuditIssue::of_rule(finding, Some(content.owner.clone()), content.path.clone())
        }
    });
    issues.collect()
}

/// Whether a finding is in a file that an install creates or changes.
pub(crate) fn is_of_changed_files(issue: &AuditIssue, changes: &[PlannedChange]) -> bool {
    changes.iter().any(|change| {
        matches!(change.action, ChangeAction::Create | ChangeAction::Update)
            && change.path.as_str() == issue.path
            && issue.id.as_ref() == Some(&change.owner)
    })
}
