//! What is made of resources on their way to the disk: patched, filled, and in the form that their tool wants.

use std::collections::BTreeMap;
use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceId, codes};
use agpm_model::{
    Checksum, Destination, EntryForm, EntryNode, FileForm, FileMode, Install, Manifest, Patch, RelativePath,
    ResourceType, SKILL_FILE, Variant, skill_findings,
};
use agpm_render::{ConvertError, Converted, Entries, Fate, Names, PatchError, convert_file, has_tags};
use agpm_store::ProjectStore;
use agpm_text::{Format, Limits, Value, markdown_body, parse, to_value};

use crate::failure::{Failure, Notes};
use crate::packages::declared::format_of;
use crate::packages::facts::{File, Resource};
use crate::packages::patching::{self, AppliedField};
use crate::packages::resolve::ResolvedEntry;
use crate::packages::templates::{Templates, is_template, resource_fields};

/// What is made of one entry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Made {
    /// Whole files.
    pub(crate) files: Vec<MadeFile>,
    /// Entries of a file that others write too.
    pub(crate) entries: Option<MadeEntries>,
    /// Fields that patches set.
    pub(crate) patched: Vec<AppliedField>,
    /// What became of fields that its tool wants in another form.
    pub(crate) fates: Vec<Fate>,
    /// What tools would run.
    pub(crate) runs: Vec<String>,
}

/// A file as it is written.
#[derive(Clone, Debug)]
pub(crate) struct MadeFile {
    pub(crate) path: RelativePath,
    pub(crate) bytes: Bytes,
    pub(crate) mode: FileMode,
    /// Of the bytes in the source.
    pub(crate) source: Checksum,
    /// How its bytes came about.
    origin: MadeBy,
}

/// How the bytes of a file came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MadeBy {
    /// Without a template.
    Plain,
    /// A template was filled.
    Filling,
}

impl MadeFile {
    /// Whether a template was filled to make it.
    pub(crate) fn is_filled(&self) -> bool {
        self.origin == MadeBy::Filling
    }
}

/// Entries as they are written.
#[derive(Clone, Debug)]
pub(crate) struct MadeEntries {
    pub(crate) file: RelativePath,
    pub(crate) form: EntryForm,
    pub(crate) nodes: Vec<EntryNode>,
}

/// The bytes of a file.
#[derive(Clone, Debug)]
pub(crate) enum Bytes {
    /// Those of a file of the source: the main one, or the other one of this number.
    Copied(Arc<Resource>, Option<usize>),
    /// Others.
    New(Arc<Vec<u8>>, Checksum),
}

impl Bytes {
    fn new(text: String) -> Self {
        let checksum = Checksum::of(text.as_bytes());
        Bytes::New(Arc::new(text.into_bytes()), checksum)
    }

    pub(crate) fn get(&self) -> &[u8] {
        match self {
            Bytes::Copied(resource, which) => &part(resource, *which).bytes,
            Bytes::New(bytes, _) => bytes,
        }
    }

    pub(crate) fn checksum(&self) -> Checksum {
        match self {
            Bytes::Copied(resource, which) => part(resource, *which).checksum,
            Bytes::New(_, checksum) => *checksum,
        }
    }
}

fn part(resource: &Resource, which: Option<usize>) -> &File {
    which.map_or(&resource.main, |at| &resource.others[at].1)
}

/// Everything that is made, entry by entry, and what was read for it.
#[derive(Default)]
pub(crate) struct Making {
    pub(crate) made: Vec<Made>,
    /// Files of the project that templates read.
    pub(crate) reads: BTreeMap<String, Checksum>,
}

/// Makes all entries; what is wrong with them is told together.
pub(crate) fn make_all(
    manifest: &Manifest,
    store: &ProjectStore,
    entries: &[ResolvedEntry],
    notes: &mut Notes,
) -> Result<Making, Failure> {
    patching::check_names(manifest, entries, notes)?;
    let mut maker = Maker {
        manifest,
        entries,
        templates: Templates::new(manifest, store),
        bodies: BTreeMap::new(),
        made: vec![Made::default(); entries.len()],
    };
    for number in children_first(entries) {
        maker.make(number, notes);
    }
    notes.check()?;
    Ok(Making { made: maker.made, reads: maker.templates.reads })
}

/// The numbers of entries so that each comes after what it needs.
fn children_first(entries: &[ResolvedEntry]) -> Vec<usize> {
    let mut order = Vec::with_capacity(entries.len());
    let mut seen = vec![false; entries.len()];
    for start in 0..entries.len() {
        let mut stack = vec![(start, 0)];
        while let Some((number, next)) = stack.pop() {
            if next == 0 && std::mem::replace(&mut seen[number], true) {
                continue;
            }
            match entries[number].entry.needs.get(next) {
                Some(need) => stack.extend([(number, next + 1), (*need, 0)]),
                None => order.push(number),
            }
        }
    }
    order
}

struct Maker<'a> {
    manifest: &'a Manifest,
    entries: &'a [ResolvedEntry],
    templates: Templates<'a>,
    /// What others may embed of an entry under a variant.
    bodies: BTreeMap<(usize, Variant), Arc<str>>,
    made: Vec<Made>,
}

/// The texts of an entry under one variant; nothing where the bytes of the source stay.
#[derive(Clone, Default, PartialEq)]
struct Texts {
    main: Option<String>,
    /// Whether the main one was a template.
    filled: bool,
    others: BTreeMap<usize, String>,
    patched: Vec<AppliedField>,
}

impl Maker<'_> {
    fn make(&mut self, number: usize, notes: &mut Notes) {
        let resolved = &self.entries[number];
        let mut first: Option<Texts> = None;
        for variant in &resolved.entry.variants {
            let Some(texts) = self.texts(number, *variant, notes) else { return };
            match &first {
                None => first = Some(texts),
                Some(first) if *first != texts && resolved.entry.install == Install::Write => {
                    return notes.diagnostics.push(differs(resolved));
                }
                Some(_) => {}
            }
        }
        let Some(texts) = first else { return };
        if let Some(made) = self.in_form(resolved, texts, notes) {
            self.made[number] = made;
        }
    }

    /// Patches and fills the texts of an entry under a variant.
    fn texts(&mut self, number: usize, variant: Variant, notes: &mut Notes) -> Option<Texts> {
        let resolved = &self.entries[number];
        let patches = patching::patches_of(self.manifest, resolved);
        let mut texts = Texts::default();
        let Ok(text) = std::str::from_utf8(&resolved.resource.main.bytes) else {
            let unpatched = patches.iter().map(|patch| patching::no_fields(resolved, patch));
            notes.diagnostics.extend(unpatched);
            return Some(texts);
        };
        let main = Text { resolved, file: patching::patched_file(resolved), text };
        self.patch_and_fill(number, variant, &main, &patches, &mut texts, notes)?;
        self.fill_others(number, variant, &mut texts, notes)?;
        let whole = texts.main.as_deref().unwrap_or(text);
        let body = if is_markdown(resolved) { markdown_body(whole) } else { whole };
        self.bodies.insert((number, variant), Arc::from(body));
        Some(texts)
    }

    fn patch_and_fill(
        &mut self,
        number: usize,
        variant: Variant,
        main: &Text<'_>,
        patches: &[&Patch],
        texts: &mut Texts,
        notes: &mut Notes,
    ) -> Option<()> {
        let mut text = overridden(self.manifest, main.resolved, main.text, notes)?;
        let mut late = Vec::new();
        if !patches.is_empty() {
            match patched(main, &text, patches, notes)? {
                Patching::Done(patched, fields) => (text, texts.patched) = (patched, fields),
                Patching::AfterFilling => late = patches.to_vec(),
            }
        }
        if is_markdown(main.resolved) && is_template(&text) {
            text = self.fill(number, variant, &main.file, &text, notes)?;
            texts.filled = true;
        }
        if !late.is_empty()
            && let Patching::Done(patched, fields) = patched(main, &text, &late, notes)?
        {
            (text, texts.patched) = (patched, fields);
        }
        texts.main = (text != main.text).then_some(text);
        Some(())
    }

    /// Markdown beside a `SKILL.md` may be a template too.
    fn fill_others(
        &mut self,
        number: usize,
        variant: Variant,
        texts: &mut Texts,
        notes: &mut Notes,
    ) -> Option<()> {
        let resolved = &self.entries[number];
        for (at, (path, file)) in resolved.resource.others.iter().enumerate() {
            let markdown = path.as_str().ends_with(".md") || path.as_str().ends_with(".markdown");
            let text = std::str::from_utf8(&file.bytes).ok().filter(|text| markdown && is_template(text));
            if let Some(text) = text {
                let name = format!("{}/{path}", resolved.entry.unit);
                let filled = self.fill(number, variant, &name, text, notes)?;
                texts.others.insert(at, filled);
            }
        }
        Some(())
    }

    fn fill(
        &mut self,
        number: usize,
        variant: Variant,
        file: &str,
        text: &str,
        notes: &mut Notes,
    ) -> Option<String> {
        let names = self.names(number, variant, text);
        let label = &self.entries[number].version.label;
        let source = notes.sources.add(format!("{file}@{label}"), text.to_owned());
        self.templates.fill((source, text), &names, notes)
    }

    /// What a template knows; what it needs is told only if it asks.
    fn names(&self, number: usize, variant: Variant, text: &str) -> Names {
        let resolved = &self.entries[number];
        let names = self.templates.names(resolved, variant);
        if !text.contains("deps") {
            return names;
        }
        let mut deps: BTreeMap<&str, Vec<(String, Value)>> = BTreeMap::new();
        for need in &resolved.entry.needs {
            let child = &self.entries[*need];
            let of_kind = deps.entry(child.entry.kind.plural()).or_default();
            let value = Value::map(resource_fields(child).into_iter().chain([(
                "content",
                Value::from(self.bodies.get(&(*need, variant)).map(|body| body.to_string())),
            )]));
            for name in names_of_need(resolved, child, variant) {
                if !of_kind.iter().any(|(known, _)| *known == name) {
                    of_kind.push((name, value.clone()));
                }
            }
        }
        let deps = deps.into_iter().map(|(kind, named)| (kind.replace('-', "_"), Value::Map(named)));
        names.with(&["agpm", "deps"], &Value::map(deps))
    }

    /// The entry in the form that its tool wants.
    fn in_form(&self, resolved: &ResolvedEntry, texts: Texts, notes: &mut Notes) -> Option<Made> {
        let entry = &resolved.entry;
        let tool = self.manifest.tools.named(entry.tool.as_str())?;
        let destination = tool.destination(entry.kind)?;
        let main = texts.main.as_deref();
        let text = main.or_else(|| std::str::from_utf8(&resolved.resource.main.bytes).ok());
        let mut made = Made { patched: texts.patched.clone(), runs: runs(resolved, text), ..Made::default() };
        match destination {
            Destination::Entries(_, form) => {
                let entries = entries_in_form(*form, resolved, text, notes)?;
                made.fates = entries.fates;
                let file = entry.target.clone().filter(|_| entry.install == Install::Write);
                made.entries = file.map(|file| MadeEntries { file, form: *form, nodes: entries.nodes });
            }
            Destination::Files(_, FileForm::Same) => {
                made.files = files(resolved, main.map(str::to_owned), &texts)
            }
            Destination::Files(_, form) => {
                let converted = file_in_form(*form, resolved, text, notes)?;
                made.fates = converted.fates;
                made.files = files(resolved, Some(converted.text), &texts);
            }
        }
        if entry.kind == ResourceType::Skills {
            check_skill(resolved, text.unwrap_or_default(), notes);
        }
        Some(made)
    }
}

/// The text of an entry and what it is called in messages.
struct Text<'a> {
    resolved: &'a ResolvedEntry,
    file: String,
    text: &'a str,
}

enum Patching {
    Done(String, Vec<AppliedField>),
    /// Its front matter reads only once its template is filled.
    AfterFilling,
}

fn is_markdown(resolved: &ResolvedEntry) -> bool {
    format_of(&resolved.entry.unit) == Some(Format::Markdown)
}

/// Applies all patches of an entry to its text.
fn patched(main: &Text<'_>, text: &str, patches: &[&Patch], notes: &mut Notes) -> Option<Patching> {
    let resolved = main.resolved;
    let first = patches.first()?;
    let unchanged = || Patching::Done(text.to_owned(), Vec::new());
    let Some(format) = format_of(&resolved.entry.unit) else {
        notes.diagnostics.push(patching::no_fields(resolved, first));
        return Some(unchanged());
    };
    let source = notes.sources.add(format!("{}@{}", main.file, resolved.version.label), text.to_owned());
    let meant = match meant(resolved, text, patches) {
        Ok(meant) => meant,
        Err(why) => {
            let message = format!("{}/{} cannot be patched: {why}", resolved.entry.kind, resolved.entry.name);
            notes.diagnostics.push(Diagnostic::new(&codes::PATCH_FAILED, message).at_spot(first.spot));
            return None;
        }
    };
    match patching::apply(&meant.iter().collect::<Vec<_>>(), source, text, format) {
        Ok((text, fields)) => Some(Patching::Done(text, as_written(patches, fields))),
        Err(PatchError::Broken(_)) if format == Format::Markdown && has_tags(text) && is_template(text) => {
            Some(Patching::AfterFilling)
        }
        Err(error) => {
            patching::report(resolved, first, error, notes);
            None
        }
    }
}

/// The patches as they are meant in this file.
fn meant(resolved: &ResolvedEntry, text: &str, patches: &[&Patch]) -> Result<Vec<Patch>, String> {
    let root = match resolved.entry.kind {
        ResourceType::McpServers => json(text).unwrap_or(Value::Null),
        _ => Value::Null,
    };
    patches.iter().map(|patch| patching::unwrapped(patch, &root)).collect()
}

/// The fields under the names that the manifest has for them.
fn as_written(patches: &[&Patch], mut fields: Vec<AppliedField>) -> Vec<AppliedField> {
    let names = patches.iter().flat_map(|patch| patch.leaves()).map(|field| field.to_string());
    fields.iter_mut().zip(names).for_each(|(field, name)| field.field = name);
    fields
}

fn json(text: &str) -> Option<Value> {
    let source = agpm_diag::SourceMap::default().add("", "");
    parse(source, text, Format::Jsonc, Limits::default()).document.root().map(to_value)
}

/// The text of an MCP server with what the manifest itself says of it.
fn overridden(
    manifest: &Manifest,
    resolved: &ResolvedEntry,
    text: &str,
    notes: &mut Notes,
) -> Option<String> {
    let entry = &resolved.entry;
    let dependency = entry.root.and_then(|number| manifest.dependencies.get(number));
    let said = dependency.and_then(|dependency| Some((dependency.server.clone()?, dependency.spot)));
    let Some((fields, spot)) = said.filter(|_| entry.unit.origin != agpm_model::Origin::Manifest) else {
        return Some(text.to_owned());
    };
    let patch = Patch {
        kind: entry.kind,
        name: entry.name.to_string(),
        scope: agpm_model::PatchScope::Project,
        fields,
        spot,
    };
    let main = Text { resolved, file: entry.unit.to_string(), text };
    match patched(&main, text, &[&patch], notes)? {
        Patching::Done(text, _) => Some(text),
        Patching::AfterFilling => None,
    }
}

/// The names under which a template finds what it needs, the best first: what its declaration calls it, its own name,
/// its file's name. Hyphens become underscores.
fn names_of_need(parent: &ResolvedEntry, child: &ResolvedEntry, variant: Variant) -> Vec<String> {
    let declared = parent.needs.under(variant).iter();
    let mut same =
        declared.filter(|(declared, unit)| declared.kind == child.entry.kind && *unit == child.entry.unit);
    let alias = same.find_map(|(declared, _)| declared.name.as_ref()).map(ToString::to_string);
    let own = [child.entry.name.to_string(), child.entry.unit.path.stem().to_owned()];
    let mut names: Vec<String> =
        alias.into_iter().chain(own).map(|name| name.replace(['-', '.', ' '], "_")).collect();
    names.dedup();
    names
}

/// What tools would run of an entry.
fn runs(resolved: &ResolvedEntry, text: Option<&str>) -> Vec<String> {
    let value = || text.and_then(json).unwrap_or(Value::Null);
    match resolved.entry.kind {
        ResourceType::Hooks => agpm_render::runs_of_hook(&value()),
        ResourceType::McpServers => agpm_render::runs_of_server(&value()),
        _ => Vec::new(),
    }
}

fn entries_in_form(
    form: EntryForm,
    resolved: &ResolvedEntry,
    text: Option<&str>,
    notes: &mut Notes,
) -> Option<Entries> {
    let entry = &resolved.entry;
    let text = text.unwrap_or_default();
    let source = source_of(resolved, text, notes);
    let parsed = parse(source, text, Format::Jsonc, Limits::default());
    if agpm_diag::has_errors(&parsed.diagnostics) {
        notes.diagnostics.extend(parsed.diagnostics);
        return None;
    }
    let value = parsed.document.root().map(to_value).unwrap_or(Value::Null);
    let entries = match entry.kind {
        ResourceType::Hooks => agpm_render::hook_entries(form, entry.name.as_str(), &value),
        _ => agpm_render::server_entries(form, entry.name.as_str(), &value),
    };
    entries.map_err(|error| notes.diagnostics.push(wrong_shape(resolved, source, error))).ok()
}

fn file_in_form(
    form: FileForm,
    resolved: &ResolvedEntry,
    text: Option<&str>,
    notes: &mut Notes,
) -> Option<Converted> {
    let text = text.unwrap_or_default();
    let source = source_of(resolved, text, notes);
    let name = resolved.entry.target.as_ref().map_or(resolved.entry.name.as_str(), |target| stem(target));
    let converted = convert_file(form, name, text);
    converted.map_err(|error| notes.diagnostics.push(wrong_shape(resolved, source, error))).ok()
}

fn source_of(resolved: &ResolvedEntry, text: &str, notes: &mut Notes) -> SourceId {
    notes.sources.add(format!("{}@{}", resolved.entry.unit, resolved.version.label), text.to_owned())
}

fn stem(path: &RelativePath) -> &str {
    path.file_name().split('.').next().unwrap_or_default()
}

fn wrong_shape(resolved: &ResolvedEntry, source: SourceId, error: ConvertError) -> Diagnostic {
    let message = format!("{}/{}: {}", resolved.entry.kind, resolved.entry.name, error.message);
    let span = error.at.unwrap_or(agpm_diag::Span::at(0));
    Diagnostic::new(&codes::RESOURCE_SHAPE, message).at(source, span, "").help(error.help)
}

/// The whole files of an entry; `main` is there if it has other bytes than the source.
fn files(resolved: &ResolvedEntry, main: Option<String>, texts: &Texts) -> Vec<MadeFile> {
    let entry = &resolved.entry;
    let Some(target) = entry.target.as_ref().filter(|_| entry.install == Install::Write) else {
        return Vec::new();
    };
    let resource = &resolved.resource;
    let filled = |which: Option<usize>| which.map_or(texts.filled, |at| texts.others.contains_key(&at));
    let file = |path: RelativePath, which: Option<usize>, text: Option<String>| MadeFile {
        path,
        origin: if filled(which) { MadeBy::Filling } else { MadeBy::Plain },
        bytes: text.map_or_else(|| Bytes::Copied(Arc::clone(resource), which), Bytes::new),
        mode: part(resource, which).mode,
        source: part(resource, which).checksum,
    };
    if entry.kind != ResourceType::Skills {
        return vec![file(target.clone(), None, main)];
    }
    let inside = |path: &str| RelativePath::new(&format!("{target}/{path}")).ok();
    let main = inside(SKILL_FILE).map(|path| file(path, None, main));
    let others = resource.others.iter().enumerate().filter_map(|(at, (path, _))| {
        Some(file(inside(path.as_str())?, Some(at), texts.others.get(&at).cloned()))
    });
    main.into_iter().chain(others).collect()
}

fn check_skill(resolved: &ResolvedEntry, text: &str, notes: &mut Notes) {
    let unit = &resolved.entry.unit;
    let source =
        notes.sources.add(format!("{unit}/{SKILL_FILE}@{}", resolved.version.label), text.to_owned());
    let parsed = parse(source, text, Format::Markdown, Limits::default());
    let folder = resolved.entry.target.as_ref().map_or(unit.path.file_name(), RelativePath::file_name);
    let broken = parsed.diagnostics.into_iter().find(|found| found.severity == agpm_diag::Severity::Error);
    match broken {
        Some(found) => notes.diagnostics.push(Diagnostic {
            code: &codes::RESOURCE_FRONT_MATTER,
            severity: codes::RESOURCE_FRONT_MATTER.severity,
            message: format!("the front matter cannot be read: {}", found.message),
            ..found
        }),
        None => notes.diagnostics.extend(skill_findings(parsed.document.root(), folder)),
    }
}

/// A file that would have to be two at once.
fn differs(resolved: &ResolvedEntry) -> Diagnostic {
    let entry = &resolved.entry;
    let place = entry.target.as_ref().map_or("its place", RelativePath::as_str);
    let message = format!(
        "{}/{} would have to be different things at `{place}`: others need it with different `template_vars`",
        entry.kind, entry.name
    );
    Diagnostic::new(&codes::PACKAGE_TARGET_CLASH, message)
        .help("declare it with `install: false` if it is only embedded, or give the dependencies the same variables")
}
