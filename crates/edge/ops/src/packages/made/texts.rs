//! The texts of an entry under one set of variables: patched and filled.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceMap, codes};
use agpm_model::{Origin, Patch, PatchScope, ResourceType, Variant};
use agpm_render::{Names, PatchError, has_tags};
use agpm_text::{Format, Limits, Value, markdown_body, parse, to_value};

use crate::failure::Notes;
use crate::packages::declared::format_of;
use crate::packages::made::{MadeBy, Maker};
use crate::packages::patching::{self, AppliedField};
use crate::packages::resolve::ResolvedEntry;
use crate::packages::templates::{Reads, is_template, resource_fields};

/// The texts of an entry under one variant; nothing where the bytes of the source stay.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Texts {
    pub(super) main: Option<String>,
    main_is_filled: bool,
    /// Other files of a skill that were filled, by their numbers.
    pub(super) others: BTreeMap<usize, String>,
    pub(super) patched: Vec<AppliedField>,
}

impl Texts {
    pub(super) fn made_by(&self, which: Option<usize>) -> MadeBy {
        let filled = which.map_or(self.main_is_filled, |at| self.others.contains_key(&at));
        if filled { MadeBy::Filling } else { MadeBy::Plain }
    }

    /// The main text, if it is one.
    pub(super) fn text<'t>(&'t self, resolved: &'t ResolvedEntry) -> Option<&'t str> {
        self.main.as_deref().or_else(|| std::str::from_utf8(&resolved.resource.main.bytes).ok())
    }

    /// What others may embed of it: Markdown without its front matter, anything else whole.
    pub(super) fn body(&self, resolved: &ResolvedEntry) -> Option<Arc<str>> {
        let text = self.text(resolved)?;
        Some(Arc::from(if is_markdown(resolved) { markdown_body(text) } else { text }))
    }
}

/// One entry that is made under one variant.
#[derive(Clone, Copy)]
struct Task<'a> {
    variant: Variant,
    resolved: &'a ResolvedEntry,
    patches: &'a [&'a Patch],
}

impl Task<'_> {
    /// What the main file is called in messages.
    fn file(&self, what: &str) -> String {
        format!("{}@{}{what}", patching::patched_file(self.resolved), self.resolved.version.label)
    }
}

enum Patching {
    Done(String, Vec<AppliedField>),
    /// Its front matter reads only once its template is filled.
    AfterFilling,
}

impl Maker<'_> {
    /// Patches and fills the texts of an entry under a variant.
    pub(super) fn texts(
        &self,
        number: usize,
        variant: Variant,
        reads: &mut Reads,
        notes: &mut Notes,
    ) -> Option<Texts> {
        let resolved = &self.entries[number];
        let patches = patching::patches_of(self.manifest, resolved);
        let task = Task { variant, resolved, patches: &patches };
        let mut texts = Texts::default();
        let Ok(text) = std::str::from_utf8(&resolved.resource.main.bytes) else {
            notes.diagnostics.extend(patches.first().map(|patch| patching::no_fields(resolved, patch)));
            return Some(texts);
        };
        let untouched = patches.is_empty() && resolved.resource.others.is_empty() && !has_tags(text);
        if untouched && resolved.entry.kind != ResourceType::McpServers {
            return Some(texts);
        }
        self.patch_and_fill(task, text, &mut texts, reads, notes)?;
        self.fill_others(task, &mut texts, reads, notes)?;
        Some(texts)
    }

    fn patch_and_fill(
        &self,
        task: Task<'_>,
        source: &str,
        texts: &mut Texts,
        reads: &mut Reads,
        notes: &mut Notes,
    ) -> Option<()> {
        let mut text = self.overridden(task, source, notes)?;
        let mut late = false;
        if !task.patches.is_empty() {
            match patched(task, &text, task.patches, notes)? {
                Patching::Done(patched, fields) => (text, texts.patched) = (patched, fields),
                Patching::AfterFilling => late = true,
            }
        }
        if is_markdown(task.resolved) && is_template(&text) {
            let what = if text == source { "" } else { ", patched" };
            text = self.fill(task, &task.file(what), &text, reads, notes)?;
            texts.main_is_filled = true;
        }
        if late {
            let filled = self.filled_patches(task, reads, notes)?;
            if let Patching::Done(patched, fields) =
                patched(task, &text, &filled.iter().collect::<Vec<_>>(), notes)?
            {
                (text, texts.patched) = (patched, fields);
            }
        }
        texts.main = (text != source).then_some(text);
        Some(())
    }

    /// Markdown beside a `SKILL.md` may be a template too.
    fn fill_others(
        &self,
        task: Task<'_>,
        texts: &mut Texts,
        reads: &mut Reads,
        notes: &mut Notes,
    ) -> Option<()> {
        for (at, (path, file)) in task.resolved.resource.others.iter().enumerate() {
            let markdown = path.as_str().ends_with(".md") || path.as_str().ends_with(".markdown");
            let text = std::str::from_utf8(&file.bytes).ok().filter(|text| markdown && is_template(text));
            if let Some(text) = text {
                let name = format!("{}/{path}@{}", task.resolved.entry.unit, task.resolved.version.label);
                texts.others.insert(at, self.fill(task, &name, text, reads, notes)?);
            }
        }
        Some(())
    }

    fn fill(
        &self,
        task: Task<'_>,
        file: &str,
        text: &str,
        reads: &mut Reads,
        notes: &mut Notes,
    ) -> Option<String> {
        let names = self.names(task, text);
        self.templates.fill((file, text), &names, reads, notes)
    }

    /// Patches whose values are templates, filled: they count like the fields that they replace.
    fn filled_patches(&self, task: Task<'_>, reads: &mut Reads, notes: &mut Notes) -> Option<Vec<Patch>> {
        let mut patches = Vec::new();
        for patch in task.patches {
            let fields = self.filled_value(task, &patch.fields, reads, notes)?;
            patches.push(Patch { fields, ..(*patch).clone() });
        }
        Some(patches)
    }

    fn filled_value(
        &self,
        task: Task<'_>,
        value: &Value,
        reads: &mut Reads,
        notes: &mut Notes,
    ) -> Option<Value> {
        Some(match value {
            Value::String(text) if has_tags(text) => {
                Value::String(self.fill(task, &task.file(", a patch"), text, reads, notes)?)
            }
            Value::List(items) => {
                let filled = items.iter().map(|item| self.filled_value(task, item, reads, notes));
                Value::List(filled.collect::<Option<_>>()?)
            }
            Value::Map(entries) => {
                let mut filled = Vec::new();
                for (key, value) in entries {
                    filled.push((key.clone(), self.filled_value(task, value, reads, notes)?));
                }
                Value::Map(filled)
            }
            other => other.clone(),
        })
    }

    /// What a template knows; what it needs is told only if it asks.
    fn names(&self, task: Task<'_>, text: &str) -> Names {
        let names = self.templates.names(task.resolved, task.variant);
        if !text.contains("deps") {
            return names;
        }
        let mut deps: BTreeMap<&str, Vec<(String, Value)>> = BTreeMap::new();
        for need in &task.resolved.entry.needs {
            let child = &self.entries[*need];
            let Some(called) = names_of_need(task, child) else { continue };
            let body = self.bodies.get(&(*need, task.variant)).map(|body| body.to_string());
            let fields = resource_fields(child).into_iter().chain([("content", Value::from(body))]);
            let value = Value::map(fields);
            let of_kind = deps.entry(child.entry.kind.plural()).or_default();
            for name in called {
                if !of_kind.iter().any(|(known, _)| *known == name) {
                    of_kind.push((name, value.clone()));
                }
            }
        }
        let deps = deps.into_iter().map(|(kind, named)| (kind.replace('-', "_"), Value::Map(named)));
        names.with(&["agpm", "deps"], &Value::map(deps))
    }

    /// The text of an MCP server with what the manifest itself says of it.
    fn overridden(&self, task: Task<'_>, text: &str, notes: &mut Notes) -> Option<String> {
        let entry = &task.resolved.entry;
        let dependency = entry.root.and_then(|number| self.manifest.dependencies.get(number));
        let said = dependency.and_then(|dependency| Some((dependency.server.clone()?, dependency.spot)));
        let Some((fields, spot)) = said.filter(|_| entry.unit.origin != Origin::Manifest) else {
            return Some(text.to_owned());
        };
        let (kind, name, scope) = (entry.kind, entry.name.to_string(), PatchScope::Project);
        match patched(task, text, &[&Patch { kind, name, scope, fields, spot }], notes)? {
            Patching::Done(text, _) => Some(text),
            Patching::AfterFilling => None,
        }
    }
}

pub(super) fn is_markdown(resolved: &ResolvedEntry) -> bool {
    format_of(&resolved.entry.unit) == Some(Format::Markdown)
}

/// Applies patches of an entry to its text.
fn patched(task: Task<'_>, text: &str, patches: &[&Patch], notes: &mut Notes) -> Option<Patching> {
    let resolved = task.resolved;
    let first = patches.first()?;
    // JSON with comments is edited like any other.
    let format = format_of(&resolved.entry.unit)
        .map(|format| if format == Format::Json { Format::Jsonc } else { format });
    let Some(format) = format else {
        notes.diagnostics.push(patching::no_fields(resolved, first));
        return Some(Patching::Done(text.to_owned(), Vec::new()));
    };
    let meant = match meant(resolved, text, patches) {
        Ok(meant) => meant,
        Err(why) => {
            let message = format!("{} cannot be patched: {why}", resolved.label());
            let help = "correct the patch, or remove it";
            let found = Diagnostic::new(&codes::PATCH_FAILED, message).at_spot(first.spot).help(help);
            notes.diagnostics.push(found);
            return None;
        }
    };
    let mut own = SourceMap::default();
    match patching::apply(&meant, own.add("", ""), text, format) {
        Ok((text, fields)) => Some(Patching::Done(text, as_written(patches, fields))),
        Err(PatchError::Broken(_)) if format == Format::Markdown && is_template(text) => {
            Some(Patching::AfterFilling)
        }
        Err(_) => {
            // Once more, with a text that messages can show.
            let source = notes.sources.add(task.file(""), text.to_owned());
            if let Err(error) = patching::apply(&meant, source, text, format) {
                patching::report(resolved, first, error, notes);
            }
            None
        }
    }
}

/// The patches as they are meant in this file.
fn meant(resolved: &ResolvedEntry, text: &str, patches: &[&Patch]) -> Result<Vec<Patch>, String> {
    let root = match resolved.entry.kind {
        ResourceType::McpServers | ResourceType::Hooks => json(text).unwrap_or(Value::Null),
        _ => Value::Null,
    };
    if resolved.entry.kind == ResourceType::Hooks {
        patches.iter().try_for_each(|patch| patching::check_hook_fragment(patch, &root))?;
    }
    patches.iter().map(|patch| patching::unwrapped(patch, &root)).collect()
}

/// The fields under the names that the manifest has for them.
fn as_written(patches: &[&Patch], mut fields: Vec<AppliedField>) -> Vec<AppliedField> {
    let names = patches.iter().flat_map(|patch| patch.leaves()).map(|field| field.to_string());
    fields.iter_mut().zip(names).for_each(|(field, name)| field.field = name);
    fields
}

/// A JSON text as a value, if it reads.
pub(super) fn json(text: &str) -> Option<Value> {
    let source = SourceMap::default().add("", "");
    parse(source, text, Format::Jsonc, Limits::default()).document.root().map(to_value)
}

/// The names under which a template finds what it needs, the best first: what its declaration calls it, its own name,
/// its file's name. Hyphens become underscores. Nothing if it is not needed under this variant.
fn names_of_need(task: Task<'_>, child: &ResolvedEntry) -> Option<Vec<String>> {
    let declared = task.resolved.needs.under(task.variant);
    let is_meant = |unit: &agpm_model::Unit| *unit == child.entry.unit || unit.path.is_pattern();
    let mut same = declared
        .iter()
        .filter(|(declared, unit)| declared.kind == child.entry.kind && is_meant(unit))
        .peekable();
    same.peek()?;
    let exact = same.filter(|(_, unit)| *unit == child.entry.unit);
    let alias = exact.filter_map(|(declared, _)| declared.name.as_ref()).next().map(ToString::to_string);
    let own = [child.entry.name.to_string(), child.entry.unit.path.stem().to_owned()];
    let mut names: Vec<String> =
        alias.into_iter().chain(own).map(|name| name.replace(['-', '.', ' '], "_")).collect();
    names.dedup();
    Some(names)
}
