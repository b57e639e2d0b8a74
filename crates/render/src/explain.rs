//! Explains the engine's errors to authors of templates.

use std::ops::Range;

use agpm_diag::did_you_mean;
use minijinja::{Error, ErrorKind};

use crate::error::RenderError;
use crate::names::TemplateNames;
use crate::tags::tags;

const IN_PROJECT: &str = "define it under `[project]`, or add `| default(value=\"…\")` after it";
const IN_DEPS: &str =
    "declare it under `dependencies` in the front matter; in names hyphens become underscores";
const ELSEWHERE: &str = "add `| default(value=\"…\")` after it";
const FILES: &str = "write a path relative to the project, as in `'docs/style.md' | content`";
const TAGS: &str =
    "check the template tags; `{% raw %}` and fences marked `literal` are left alone";

pub(crate) fn explain(error: &Error, template: &str, names: &TemplateNames) -> RenderError {
    if let Some(name) = error.detail().and_then(undefined_name) {
        return undefined(name, error.range(), template, names);
    }
    let message = match (error.kind(), error.detail()) {
        (ErrorKind::OutOfFuel, _) => "the template takes too many steps".to_owned(),
        (ErrorKind::UndefinedError, _) => {
            "the template uses a value that is not defined".to_owned()
        }
        // These messages are clear.
        (ErrorKind::InvalidOperation, Some(detail)) => detail.to_owned(),
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    };
    let help = match error.kind() {
        ErrorKind::OutOfFuel => "simplify it",
        _ if message.starts_with(crate::files::CANNOT_READ) => FILES,
        _ => TAGS,
    };
    RenderError {
        message,
        help: help.to_owned(),
        range: error.range(),
    }
}

/// The name in the engine's message `… is undefined`.
fn undefined_name(detail: &str) -> Option<&str> {
    let (before, _) = detail.split_once("` is undefined")?;
    before.rsplit_once('`').map(|(_, name)| name)
}

fn undefined(
    name: &str,
    range: Option<Range<usize>>,
    template: &str,
    names: &TemplateNames,
) -> RenderError {
    let name_range = range
        .clone()
        .and_then(|range| name_range_of(name, &range, template));
    if let Some(full_name) = name_range
        .clone()
        .and_then(|name_range| hyphenated(name_range, template))
    {
        let written = &template[full_name.clone()];
        return RenderError {
            message: format!("`{written}` is read as a subtraction"),
            help: hyphen_help(written, names),
            range: Some(full_name),
        };
    }
    RenderError {
        message: format!("undefined value: `{name}` is undefined"),
        help: help_for(name, names),
        range: name_range.or(range),
    }
}

/// Names of resources have underscores instead of hyphens; names in the project are unchanged.
fn hyphen_help(written: &str, names: &TemplateNames) -> String {
    let has = |table: &str, name: &str| {
        let keys = names.keys_at(&table.split('.').collect::<Vec<_>>());
        keys.is_some_and(|keys| keys.iter().any(|key| key == name))
    };
    match written.rsplit_once('.') {
        Some((table, name)) if has(table, name) => format!("write `{table}[\"{name}\"]`"),
        _ => format!(
            "in names hyphens become underscores: write `{}`",
            written.replace('-', "_")
        ),
    }
}

/// The range of a name in the tag that the engine points into.
fn name_range_of(name: &str, range: &Range<usize>, template: &str) -> Option<Range<usize>> {
    let tag = tags(template).find(|tag| tag.contains(&range.start))?;
    // The engine's position may be inside the name, and is never after it except for filters.
    let near = template
        .get(tag.start..range.end.min(tag.end))?
        .rfind(name)
        .map(|at| tag.start + at);
    let start = near.or_else(|| template[tag.clone()].find(name).map(|at| tag.start + at))?;
    Some(start..start + name.len())
}

/// The full name, if it is written with hyphens and without blanks around them.
fn hyphenated(name_range: Range<usize>, template: &str) -> Option<Range<usize>> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let before = template[..name_range.start].trim_end_matches(part).len();
    let after = &template[name_range.end..];
    let end = name_range.end + after.len() - after.trim_start_matches(part).len();
    let written = &template[before..end];
    let joins = |pair: &[u8]| pair[0].is_ascii_alphanumeric() && pair[1] == b'-';
    let inside = written.as_bytes().windows(2).any(joins);
    (inside && !written.ends_with('-')).then_some(before..end)
}

fn help_for(name: &str, names: &TemplateNames) -> String {
    let general = match name {
        name if name.starts_with("agpm.project") => IN_PROJECT,
        name if name.starts_with("agpm.deps") => IN_DEPS,
        _ => ELSEWHERE,
    };
    match near(name, names) {
        Some(near) if near.ends_with('?') => format!("{near} Otherwise {general}"),
        Some(hint) => format!("{hint}; {general}"),
        None => general.to_owned(),
    }
}

/// Names similar to the missing one.
fn near(name: &str, names: &TemplateNames) -> Option<String> {
    let steps: Vec<&str> = name.split('.').collect();
    let (missing, parents) = steps.split_last()?;
    let keys = names.keys_at(parents)?;
    let scope = if parents.is_empty() {
        "available names".to_owned()
    } else {
        format!("available in `{}`", parents.join("."))
    };
    did_you_mean(missing, &scope, keys.iter().map(String::as_str))
}
