//! Patches and renders the strings of an entry under one set of variables.

use std::collections::BTreeMap;

use agpm_diag::{Diagnostic, Notes, SourceMap, SourceSpan, codes};
use agpm_model::{Patch, PatchScope, ResourceOrigin, ResourceType, Variant};
use agpm_render::{PatchError, TemplateNames, has_tags, is_template};
use agpm_resolve::{ResolvedEntry, format_of};
use agpm_text::{Format, Value, parse_alone, to_value};

use crate::composer::Composer;
use crate::patching::{self, AppliedField};
use crate::rendered::{AddedFile, KeptTexts, RenderedTexts, is_markdown};
use crate::templates::{CompositionLog, NamedTemplate, resource_fields};
use crate::text_patch::{NamedTextPatch, PatchedFile, PatchedText};

/// One entry to render under one variant.
#[derive(Clone, Copy)]
struct ComposeTask<'a> {
    variant: Variant,
    resolved: &'a ResolvedEntry,
    patches: &'a [&'a Patch],
    authors: Authors,
}

/// Whose words the content is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Authors {
    /// Everybody's.
    All,
    /// Everybody's but the project's: its sources' and its bases'.
    Others,
}

impl ComposeTask<'_> {
    /// The name of the main file in messages.
    fn file(&self, suffix: &str) -> String {
        format!(
            "{}@{}{suffix}",
            patching::patched_file(self.resolved),
            self.resolved.version.label
        )
    }
}

/// The names under which a template finds a dependency.
struct TemplateAliases {
    /// The name in its declaration, and its own name.
    names: Vec<String>,
    /// The name of its file, unless its declaration sets another one.
    file: Option<String>,
}

enum PatchMode {
    Done(String, Vec<AppliedField>),
    /// The front matter is valid only after rendering.
    AfterFilling,
}

impl Composer<'_> {
    /// Patches and renders the strings of an entry under a variant.
    pub(crate) fn texts(
        &self,
        number: usize,
        variant: Variant,
        log: &mut CompositionLog,
    ) -> Option<RenderedTexts> {
        let resolved = &self.entries[number];
        let patches = patching::patches_of(self.manifest, resolved);
        let task = ComposeTask {
            variant,
            resolved,
            patches: &patches,
            authors: Authors::All,
        };
        let mut texts = RenderedTexts::default();
        // A plugin is kept unchanged; its parts are separate entries.
        if resolved.entry.kind == ResourceType::Plugins {
            return Some(texts);
        }
        let is_kept = self.kept.as_ref() == Some(&resolved.id());
        let Ok(text) = std::str::from_utf8(&resolved.resource.main.bytes) else {
            log.notes.diagnostics.extend(
                patches
                    .first()
                    .map(|patch| patching::no_fields(resolved, patch)),
            );
            return Some(texts);
        };
        let untouched =
            patches.is_empty() && resolved.resource.others.is_empty() && !has_tags(text);
        texts.kept = is_kept.then(KeptTexts::default);
        if untouched && !is_kept && resolved.entry.kind != ResourceType::McpServers {
            return Some(texts);
        }
        self.patch_and_fill(task, text, &mut texts, log)?;
        self.fill_others(task, &mut texts, log)?;
        let shared = self.without_private_patches(task, text, log);
        if let (Some(kept), Some(shared)) = (&mut texts.kept, &shared) {
            kept.shared_main = shared.before_diffs();
        }
        texts.shared_main = shared.map(|shared| shared.main.unwrap_or_else(|| text.to_owned()));
        texts.foreign_main = self.without_own_patches(task, text, log);
        Some(texts)
    }

    fn patch_and_fill(
        &self,
        task: ComposeTask<'_>,
        source: &str,
        texts: &mut RenderedTexts,
        log: &mut CompositionLog,
    ) -> Option<()> {
        let mut text = self.overridden(task, source, &mut log.notes)?;
        let mut late = false;
        // A patch comes before the template: it can replace a field whose variable is missing, and its values may use
        // variables like the fields they replace. Front matter that only parses once filled is patched afterwards.
        let field_patches = task.patches.iter().filter(|patch| patch.has_fields());
        let field_patches: Vec<&Patch> = field_patches.copied().collect();
        if !field_patches.is_empty() {
            match patched(task, &text, &field_patches, &mut log.notes)? {
                PatchMode::Done(patched, fields) => (text, texts.patched) = (patched, fields),
                PatchMode::AfterFilling => late = true,
            }
        }
        if is_markdown(task.resolved) && is_template(&text) {
            let suffix = if text == source { "" } else { ", patched" };
            text = self.fill(task, &task.file(suffix), &text, log)?;
            texts.main_is_filled = true;
        }
        if late {
            let filled = self.filled_patches(task, log)?;
            if let PatchMode::Done(patched, fields) = patched(
                task,
                &text,
                &filled.iter().collect::<Vec<_>>(),
                &mut log.notes,
            )? {
                (text, texts.patched) = (patched, fields);
            }
        }
        text = self.with_main_diffs(task, text, texts, &mut log.notes)?;
        texts.main = (text != source).then_some(text);
        Some(())
    }

    /// The diffs of an entry's patches. One that cannot be read was reported with the manifest.
    fn diffs_of<'t>(&'t self, task: ComposeTask<'t>) -> Vec<NamedTextPatch<'t>> {
        let patches = task.patches.iter().copied();
        let diffs = patches.filter_map(|patch| {
            let path = patch.text_file.as_ref()?;
            let text = self.manifest.text_patches.get(path)?;
            Some(NamedTextPatch { patch, path, text })
        });
        diffs.collect()
    }

    /// Applies diffs to the rendered main text.
    fn with_main_diffs(
        &self,
        task: ComposeTask<'_>,
        text: String,
        texts: &mut RenderedTexts,
        notes: &mut Notes,
    ) -> Option<String> {
        let before = texts.kept.is_some().then(|| text.clone());
        let mut text = text;
        for diff in self.diffs_of(task) {
            diff.targets(task.resolved, notes)?;
            let main = PatchedFile::Main;
            let result = diff.apply(task.resolved, &main, Some(text), notes)?;
            // The main file is what makes a resource.
            text = result.text.unwrap_or_default();
            texts.text_patches.push(diff.scope());
        }
        if let Some(kept) = &mut texts.kept {
            let patched = PatchedText {
                before,
                after: Some(text.clone()),
                mode: task.resolved.resource.main.mode,
            };
            kept.files.insert(PatchedFile::Main, patched);
        }
        Some(text)
    }

    /// Applies diffs to the other files of a skill.
    fn patch_others(
        &self,
        task: ComposeTask<'_>,
        texts: &mut RenderedTexts,
        notes: &mut Notes,
    ) -> Option<()> {
        let others = &task.resolved.resource.others;
        if let Some(kept) = &mut texts.kept {
            for (index, (path, file)) in others.iter().enumerate() {
                let text = texts.others.get(&index).cloned();
                let text = text.or_else(|| str::from_utf8(&file.bytes).ok().map(str::to_owned));
                let patched = PatchedText {
                    before: text.clone(),
                    after: text,
                    mode: file.mode,
                };
                kept.files.insert(PatchedFile::Other(path.clone()), patched);
            }
        }
        for diff in self.diffs_of(task) {
            for target in diff.targets(task.resolved, notes)? {
                let PatchedFile::Other(path) = &target else {
                    continue;
                };
                let index = others.iter().position(|(other, _)| other == path);
                let text = match index {
                    Some(index) if texts.removed.contains(&index) => None,
                    Some(index) => {
                        let source = || str::from_utf8(&others[index].1.bytes).ok();
                        let filled = texts.others.get(&index).cloned();
                        filled.or_else(|| source().map(str::to_owned))
                    }
                    None => None,
                };
                let result = diff.apply(task.resolved, &target, text, notes)?;
                if let Some(kept) = &mut texts.kept {
                    let entry = kept.files.entry(target.clone());
                    let entry = entry.or_insert_with(|| PatchedText {
                        before: None,
                        after: None,
                        mode: result.mode,
                    });
                    entry.after = result.text.clone();
                }
                match (index, result.text) {
                    (Some(index), Some(text)) => {
                        texts.others.insert(index, text);
                    }
                    (Some(index), None) => {
                        texts.others.remove(&index);
                        texts.removed.insert(index);
                    }
                    (None, Some(text)) => texts.added.push(AddedFile {
                        path: path.clone(),
                        text,
                        mode: result.mode,
                    }),
                    (None, None) => {}
                }
            }
        }
        Some(())
    }

    /// The strings without private patches, if there are any: the lockfile must not depend on one user.
    fn without_private_patches(
        &self,
        task: ComposeTask<'_>,
        source: &str,
        log: &mut CompositionLog,
    ) -> Option<RenderedTexts> {
        let is_shared = |patch: &&&Patch| patch.scope == PatchScope::Project;
        let patches: Vec<&Patch> = task.patches.iter().filter(is_shared).copied().collect();
        if patches.len() == task.patches.len() {
            return None;
        }
        let shared = ComposeTask {
            patches: &patches,
            ..task
        };
        let is_kept = self.kept.as_ref() == Some(&task.resolved.id());
        let mut texts = RenderedTexts {
            kept: is_kept.then(KeptTexts::default),
            ..RenderedTexts::default()
        };
        self.patch_and_fill(shared, source, &mut texts, log)?;
        Some(texts)
    }

    /// The text with the patches of bases alone, if the project has patches: what the project says itself needs no
    /// approval.
    fn without_own_patches(
        &self,
        task: ComposeTask<'_>,
        source: &str,
        log: &mut CompositionLog,
    ) -> Option<String> {
        let has_own_patch = task.patches.iter().any(|patch| patch.has_own_fields());
        if !has_own_patch && self.own_settings(task).is_none() {
            return None;
        }
        let of_bases = task.patches.iter().filter_map(|patch| patch.of_bases());
        let of_bases: Vec<Patch> = of_bases.collect();
        let of_bases: Vec<&Patch> = of_bases.iter().collect();
        let task = ComposeTask {
            patches: &of_bases,
            authors: Authors::Others,
            ..task
        };
        let mut texts = RenderedTexts::default();
        self.patch_and_fill(task, source, &mut texts, log)?;
        Some(texts.main.unwrap_or_else(|| source.to_owned()))
    }

    /// Markdown next to a `SKILL.md` may be a template too.
    fn fill_others(
        &self,
        task: ComposeTask<'_>,
        texts: &mut RenderedTexts,
        log: &mut CompositionLog,
    ) -> Option<()> {
        for (at, (path, file)) in task.resolved.resource.others.iter().enumerate() {
            let markdown = Format::of_file(path.file_name()) == Some(Format::Markdown);
            let text = std::str::from_utf8(&file.bytes)
                .ok()
                .filter(|text| markdown && is_template(text));
            if let Some(text) = text {
                let name = format!(
                    "{}/{path}@{}",
                    task.resolved.entry.unit, task.resolved.version.label
                );
                texts.others.insert(at, self.fill(task, &name, text, log)?);
            }
        }
        self.patch_others(task, texts, &mut log.notes)
    }

    fn fill(
        &self,
        task: ComposeTask<'_>,
        file: &str,
        text: &str,
        log: &mut CompositionLog,
    ) -> Option<String> {
        let names = self.names(task, text);
        self.templates
            .fill(&NamedTemplate { file, text }, &names, log)
    }

    /// Patches with rendered values, which are templates like the fields that they replace.
    fn filled_patches(
        &self,
        task: ComposeTask<'_>,
        log: &mut CompositionLog,
    ) -> Option<Vec<Patch>> {
        let mut patches = Vec::new();
        for patch in task.patches.iter().filter(|patch| patch.has_fields()) {
            let fields = self.filled_value(task, &patch.fields, log)?;
            patches.push(Patch {
                fields,
                ..(*patch).clone()
            });
        }
        Some(patches)
    }

    fn filled_value(
        &self,
        task: ComposeTask<'_>,
        value: &Value,
        log: &mut CompositionLog,
    ) -> Option<Value> {
        Some(match value {
            Value::String(text) if has_tags(text) => {
                Value::String(self.fill(task, &task.file(", a patch"), text, log)?)
            }
            Value::List(items) => {
                let filled = items.iter().map(|item| self.filled_value(task, item, log));
                Value::List(filled.collect::<Option<_>>()?)
            }
            Value::Map(entries) => {
                let mut filled = Vec::new();
                for (key, value) in entries {
                    filled.push((key.clone(), self.filled_value(task, value, log)?));
                }
                Value::Map(filled)
            }
            other => other.clone(),
        })
    }

    /// The names available to a template; its dependencies are rendered only if it uses them.
    fn names(&self, task: ComposeTask<'_>, text: &str) -> TemplateNames {
        let names = self.templates.names(task.resolved, task.variant);
        if !text.contains("deps") {
            return names;
        }
        let mut deps: BTreeMap<&str, Vec<(String, Value)>> = BTreeMap::new();
        let called: Vec<(usize, TemplateAliases)> = task
            .resolved
            .entry
            .needs
            .iter()
            .filter_map(|need| Some((*need, self.template_aliases(task, *need)?)))
            .collect();
        for (need, names) in &called {
            let child = &self.entries[*need];
            // The surrounding text decides the format, as in `` `{{ agpm.deps.snippets.x.content }}` ``.
            let body = self.bodies.get(&(*need, task.variant));
            let body = body.map(|body| body.trim_end_matches(['\n', '\r']).to_owned());
            let fields = resource_fields(child)
                .into_iter()
                .chain([("content", Value::from(body))]);
            let value = Value::map(fields);
            // A file name that could refer to two dependencies refers to none.
            let twin = |(other, other_names): &&(usize, TemplateAliases)| {
                other != need
                    && other_names.file == names.file
                    && self.entries[*other].entry.kind == child.entry.kind
            };
            let file = names
                .file
                .iter()
                .filter(|_| !called.iter().any(|other| twin(&other)));
            let of_kind = deps.entry(child.entry.kind.plural()).or_default();
            for name in names.names.iter().chain(file) {
                if !of_kind.iter().any(|(existing, _)| existing == name) {
                    of_kind.push((name.clone(), value.clone()));
                }
            }
        }
        let deps = deps
            .into_iter()
            .map(|(kind, named)| (kind.replace('-', "_"), Value::Map(named)));
        names.with(&["agpm", "deps"], &Value::map(deps))
    }

    /// The names of a dependency in a template; `None` if it is not needed under this variant.
    fn template_aliases(&self, task: ComposeTask<'_>, need: usize) -> Option<TemplateAliases> {
        let child = &self.entries[need].entry;
        let of_kind = task
            .resolved
            .needs
            .under(task.variant)
            .iter()
            .filter(|(one, _)| one.kind == child.kind);
        let mut declarations = of_kind
            .filter(|(_, unit)| *unit == child.unit || unit.path.is_pattern())
            .peekable();
        declarations.peek()?;
        let exact = declarations.filter(|(_, unit)| *unit == child.unit);
        let alias = exact
            .filter_map(|(declared, _)| declared.name.as_ref())
            .next();
        let names = alias
            .into_iter()
            .chain([&child.name])
            .map(|name| identifier(name.as_str()));
        let file = alias.is_none().then(|| identifier(child.unit.path.stem()));
        Some(TemplateAliases {
            names: names.collect(),
            file,
        })
    }

    /// The settings of a server of a file that the manifest has besides, with their entry.
    fn settings(&self, task: ComposeTask<'_>) -> Option<(Value, SourceSpan)> {
        let entry = &task.resolved.entry;
        let dependency = self.manifest.dependencies.get(entry.root?)?;
        let settings = dependency.server.clone()?;
        (entry.unit.origin != ResourceOrigin::Manifest).then_some((settings, dependency.spot))
    }

    /// The same, if the project's own manifest has them and no base.
    fn own_settings(&self, task: ComposeTask<'_>) -> Option<(Value, SourceSpan)> {
        let id = task.resolved.id();
        self.settings(task)
            .filter(|_| !self.manifest.base_entries.contains(&id))
    }

    /// The text of an MCP server with the settings of the manifest.
    fn overridden(&self, task: ComposeTask<'_>, text: &str, notes: &mut Notes) -> Option<String> {
        let entry = &task.resolved.entry;
        let is_left_out = task.authors == Authors::Others && self.own_settings(task).is_some();
        let settings = self.settings(task).filter(|_| !is_left_out);
        let Some((fields, spot)) = settings else {
            return Some(text.to_owned());
        };
        let (kind, name, scope) = (entry.kind, entry.name.to_string(), PatchScope::Project);
        match patched(
            task,
            text,
            &[&Patch {
                kind,
                name,
                scope,
                fields,
                base_fields: None,
                text_file: None,
                spot,
            }],
            notes,
        )? {
            PatchMode::Done(text, _) => Some(text),
            PatchMode::AfterFilling => None,
        }
    }
}

/// Applies patches of an entry to its text.
fn patched(
    task: ComposeTask<'_>,
    text: &str,
    patches: &[&Patch],
    notes: &mut Notes,
) -> Option<PatchMode> {
    let resolved = task.resolved;
    let first = patches.first()?;
    let Some(format) = format_of(&resolved.entry.unit) else {
        notes.diagnostics.push(patching::no_fields(resolved, first));
        return Some(PatchMode::Done(text.to_owned(), Vec::new()));
    };
    let resolved_patches = match resolve_patches(resolved, text, patches) {
        Ok(resolved_patches) => resolved_patches,
        Err(why) => {
            let message = format!("{} cannot be patched: {why}", resolved.label());
            let help = "correct the patch, or remove it";
            let found = Diagnostic::new(&codes::PATCH_FAILED, message)
                .at_spot(first.spot)
                .help(help);
            notes.diagnostics.push(found);
            return None;
        }
    };
    let mut scratch = SourceMap::default();
    match patching::apply(&resolved_patches, scratch.add("", ""), text, format) {
        Ok((text, fields)) => Some(PatchMode::Done(text, as_written(patches, fields))),
        Err(PatchError::Broken(_)) if format == Format::Markdown && is_template(text) => {
            Some(PatchMode::AfterFilling)
        }
        Err(_) => {
            // Applied again with a source that messages can show.
            let source = notes.sources.add(task.file(""), text.to_owned());
            if let Err(error) = patching::apply(&resolved_patches, source, text, format) {
                patching::report(resolved, first, error, notes);
            }
            None
        }
    }
}

/// The patches adapted to the format of this file.
fn resolve_patches(
    resolved: &ResolvedEntry,
    text: &str,
    patches: &[&Patch],
) -> Result<Vec<Patch>, String> {
    let merged = resolved.entry.kind.is_merged();
    let root = if merged {
        json(text).unwrap_or(Value::Null)
    } else {
        Value::Null
    };
    patches.iter().map(|patch| patch.for_file(&root)).collect()
}

/// The fields under their names in the manifest.
fn as_written(patches: &[&Patch], mut fields: Vec<AppliedField>) -> Vec<AppliedField> {
    let names = patches.iter().flat_map(|patch| patch.leaves());
    fields
        .iter_mut()
        .zip(names)
        .for_each(|(field, name)| field.field = name);
    fields
}

/// A JSON text as a value, if it is valid.
pub(crate) fn json(text: &str) -> Option<Value> {
    parse_alone(text, Format::Jsonc)
        .document
        .root()
        .map(to_value)
}

fn identifier(name: &str) -> String {
    name.replace(['-', '.', ' '], "_")
}
