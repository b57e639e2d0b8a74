//! The meaning of the engine's errors for authors of templates.

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
        // These say all there is to say.
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

/// The name in the engine's words `… is undefined`.
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
    let place = range
        .clone()
        .and_then(|range| place_of(name, &range, template));
    if let Some(whole) = place.clone().and_then(|place| hyphenated(place, template)) {
        let written = &template[whole.clone()];
        return RenderError {
            message: format!("`{written}` is read as a subtraction"),
            help: hyphen_help(written, names),
            range: Some(whole),
        };
    }
    RenderError {
        message: format!("undefined value: `{name}` is undefined"),
        help: help_for(name, names),
        range: place.or(range),
    }
}

/// Names of resources have underscores for their hyphens; the project's own names are as they are.
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

/// Where a name is in the tag that the engine points into.
fn place_of(name: &str, range: &Range<usize>, template: &str) -> Option<Range<usize>> {
    let tag = tags(template).find(|tag| tag.contains(&range.start))?;
    // The engine's place may begin in the midst of the name, and never after it but for filters.
    let near = template
        .get(tag.start..range.end.min(tag.end))?
        .rfind(name)
        .map(|at| tag.start + at);
    let start = near.or_else(|| template[tag.clone()].find(name).map(|at| tag.start + at))?;
    Some(start..start + name.len())
}

/// The whole of a name that is written with hyphens, without a blank around them.
fn hyphenated(place: Range<usize>, template: &str) -> Option<Range<usize>> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let before = template[..place.start].trim_end_matches(part).len();
    let behind = &template[place.end..];
    let end = place.end + behind.len() - behind.trim_start_matches(part).len();
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
        Some(there) => format!("{there}; {general}"),
        None => general.to_owned(),
    }
}

/// The names near the missing one.
fn near(name: &str, names: &TemplateNames) -> Option<String> {
    let steps: Vec<&str> = name.split('.').collect();
    let (missing, parents) = steps.split_last()?;
    let keys = names.keys_at(parents)?;
    let place = if parents.is_empty() {
        "available names".to_owned()
    } else {
        format!("available in `{}`", parents.join("."))
    };
    did_you_mean(missing, &place, keys.iter().map(String::as_str))
}
