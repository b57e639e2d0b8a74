//! `[audit]`: the level, the reports of other scanners, and the findings that are fine.

use agpm_text::{NodeKind, NodeRef};

use crate::audit_settings::{AUDIT_LEVELS, AuditIgnore, AuditSettings};
use crate::check::{Check, spot};
use crate::glob::Glob;
use crate::manifest::tables::{AUDIT, AUDIT_IGNORE};

/// The settings of the audit.
pub(super) fn read(check: &mut Check, section: NodeRef<'_>) -> AuditSettings {
    let mut settings = AuditSettings::default();
    if !check.map(section, "`[audit]`") {
        return settings;
    }
    check.keys(section, &AUDIT);
    if let Some(node) = section.get("level") {
        let level = check.word(node, "`level`", &AUDIT_LEVELS);
        settings.level = level.unwrap_or_default();
    }
    if let Some(node) = section.get("with") {
        let files = check.strings(node, "`with`").into_iter();
        settings.with = files.map(|(_, file)| file.to_owned()).collect();
    }
    if let Some(node) = section.get("ignore") {
        if node.kind() == NodeKind::List {
            let entries = node.items();
            settings.ignored = entries
                .filter_map(|entry| read_ignore(check, entry))
                .collect();
        } else {
            check.wrong_kind(
                node,
                "`ignore`",
                "`[[audit.ignore]]` with `rule`, `resource` and `reason`",
            );
        }
    }
    settings
}

fn read_ignore(check: &mut Check, entry: NodeRef<'_>) -> Option<AuditIgnore> {
    if !check.map(entry, "an entry of `[[audit.ignore]]`") {
        return None;
    }
    check.keys(entry, &AUDIT_IGNORE);
    // All three are read before one of them ends the reading, for a report of all mistakes.
    let rule = required_word(check, entry, "rule");
    let resource = required_word(check, entry, "resource");
    let reason = required_word(check, entry, "reason");
    let (node, resource) = resource?;
    let resource = match Glob::new(resource) {
        Ok(glob) => glob,
        Err(error) => {
            let message = format!("invalid pattern: {error}");
            check.bad_value(
                node,
                message,
                "write `TYPE/NAME`, with `*` for any part of a name",
            );
            return None;
        }
    };
    Some(AuditIgnore {
        rule: rule?.1.to_owned(),
        resource,
        reason: reason?.1.to_owned(),
        spot: spot(entry),
    })
}

fn required_word<'n>(
    check: &mut Check,
    entry: NodeRef<'n>,
    key: &str,
) -> Option<(NodeRef<'n>, &'n str)> {
    let node = check.required(entry, key, "`[[audit.ignore]]` entry")?;
    let text = check.string(node, &format!("`{key}`"))?;
    if text.trim().is_empty() {
        check.bad_value(node, format!("`{key}` is empty"), "write some text");
        return None;
    }
    Some((node, text))
}
