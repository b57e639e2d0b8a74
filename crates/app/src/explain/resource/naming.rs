//! Finds the resource with a name.

use std::collections::BTreeSet;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, did_you_mean, unknown_name};
use agpm_model::{
    Dependency, LOCK_NAME, LockEntry, Manifest, ResourceType, ToolName, VersionLabel,
};
use agpm_resolve::LockView;

/// The locked entry of that kind that a name means: its own name, alone or with its version or tool, or the key of
/// the pattern that matched nothing else.
pub(super) fn find_entry(
    view: &LockView,
    manifest: &Manifest,
    kind: ResourceType,
    name: &str,
) -> Result<usize, Failure> {
    let matching = |fits: &dyn Fn(&LockEntry) -> bool| -> Vec<usize> {
        let is_it = |at: &usize| view.entries[*at].kind == kind && fits(&view.entries[*at]);
        (0..view.entries.len()).filter(is_it).collect()
    };
    let mut found = matching(&|entry| is_called(entry, name));
    if found.is_empty() {
        found = matching(&|entry| entry.manifest_key().as_str() == name);
    }
    match found.as_slice() {
        [] => Err(missing(view, manifest, kind, name)),
        [one] => Ok(*one),
        several => Err(ambiguous(
            several.iter().map(|at| &view.entries[*at]).collect(),
            name,
        )),
    }
}

fn is_called(entry: &LockEntry, name: &str) -> bool {
    let entry_name = entry.name.as_str();
    let after = name
        .strip_prefix(entry_name)
        .and_then(|rest| rest.strip_prefix('@'));
    let mut more = entry
        .version()
        .map(VersionLabel::as_str)
        .into_iter()
        .chain(entry.tools().map(ToolName::as_str));
    entry_name == name || after.is_some_and(|after| more.any(|more| more == after))
}

fn ambiguous(entries: Vec<&LockEntry>, name: &str) -> Failure {
    let kind = entries[0].kind.singular();
    let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let full = |entry: &&LockEntry| match (names.len() == entries.len(), entry.tools().next()) {
        (false, Some(tool)) => format!("`{kind}:{}@{tool}`", entry.name),
        _ => format!("`{kind}:{}`", entry.name),
    };
    let meanings: BTreeSet<String> = entries.iter().map(full).collect();
    let meanings: Vec<String> = meanings.into_iter().collect();
    let message = format!("`{kind}:{name}` could be {}", meanings.join(" or "));
    let diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, message).help("name one of them");
    Failure::new(FailureKind::NotFound, diagnostic)
}

/// The reason why no such entry exists: the manifest may still require it.
fn missing(view: &LockView, manifest: &Manifest, kind: ResourceType, name: &str) -> Failure {
    let of_kind = || manifest.dependencies.iter().filter(|one| one.kind == kind);
    if let Some(dependency) = of_kind().find(|one| one.name.as_str() == name) {
        return not_installed(manifest, dependency);
    }
    let locked = view.entries.iter().filter(|entry| entry.kind == kind);
    let names: BTreeSet<&str> = locked
        .map(|entry| entry.name.as_str())
        .chain(of_kind().map(|one| one.name.as_str()))
        .collect();
    let elsewhere = view.entries.iter().find(|entry| is_called(entry, name));
    let help = match elsewhere {
        Some(entry) => Some(format!("did you mean `{}:{name}`?", entry.kind.singular())),
        None => did_you_mean(name, &format!("{kind} are"), names.iter().copied()),
    };
    unknown_name(
        kind.singular(),
        name,
        help.or_else(|| Some(format!("the project has no {kind}"))),
    )
}

fn not_installed(manifest: &Manifest, dependency: &Dependency) -> Failure {
    let label = format!("{}/{}", dependency.kind, dependency.name);
    let tool = &manifest.tools.of(dependency)[0];
    let (message, help) = if !manifest.tools.used_by(dependency).is_empty() {
        (
            format!("{label} is not in `{LOCK_NAME}` yet"),
            "run `agpm install`".to_owned(),
        )
    } else {
        (
            format!("{label} is not installed: its tool `{tool}` is switched off"),
            format!("remove `enabled = false` from `[tools.{tool}]`, and run `agpm install`"),
        )
    };
    let diagnostic = Diagnostic::new(&codes::LOCK_OUTDATED, message)
        .at_spot(dependency.spot)
        .help(help);
    Failure::new(FailureKind::Lock, diagnostic)
}
