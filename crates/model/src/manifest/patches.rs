//! `[patch.TYPE.NAME]`: patched fields of resources.

use std::collections::BTreeSet;
use std::fmt;

use agpm_diag::{Diagnostic, SourceSpan, codes, did_you_mean};
use agpm_text::{NodeKind, NodeRef, Pointer, UnifiedDiff, Value, to_value};

use crate::check::{Check, spot};
use crate::manifest::tables::PATCH_FILE;
use crate::manifest::{Dependency, ManifestTexts};
use crate::path::RelativePath;
use crate::pin::ResourceId;
use crate::resource::{PLUGIN_PARTS, RESOURCE_TYPES, ResourceType};
use crate::server_file::ServerFile;

/// A diff that the manifest names, as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPatch {
    /// The text of the file, for messages.
    pub text: String,
    /// The diff.
    pub diff: UnifiedDiff,
}

/// The visibility of a patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchScope {
    /// Everyone: the patch is in `agpm.toml`.
    Project,
    /// One user: the patch is in `agpm.private.toml`.
    Private,
}

/// A patch of a resource.
#[derive(Clone, Debug)]
pub struct Patch {
    /// The type of the resource.
    pub kind: ResourceType,
    /// The name of the resource.
    pub name: String,
    /// The visibility.
    pub scope: PatchScope,
    /// The fields, as an object.
    pub fields: Value,
    /// Those of the fields that a base of the manifest sets.
    pub base_fields: Option<Value>,
    /// The diff that is applied to the rendered text, from the manifest's directory.
    pub text_file: Option<RelativePath>,
    /// The entry.
    pub spot: SourceSpan,
}

/// A field, by the path of keys to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldPath(Pointer);

impl Patch {
    /// The part of the patch that bases of the manifest say.
    pub fn of_bases(&self) -> Option<Patch> {
        Some(Patch {
            fields: self.base_fields.clone()?,
            text_file: None,
            ..self.clone()
        })
    }

    /// Whether the project's own manifest says a part of the patch.
    pub fn has_own_fields(&self) -> bool {
        self.text_file.is_some() || self.base_fields.as_ref() != Some(&self.fields)
    }

    /// Whether the patch sets fields, besides changing text.
    pub fn has_fields(&self) -> bool {
        !matches!(&self.fields, Value::Map(entries) if entries.is_empty() && self.text_file.is_some())
    }

    /// All fields that the patch sets, nested ones separately.
    pub fn leaves(&self) -> Vec<FieldPath> {
        FieldPath::all(&self.fields)
    }

    /// The patch for a file that contains `root`: servers may be under a key and have names, and a part of Claude's
    /// settings has no fields for single hooks.
    pub fn for_file(&self, root: &Value) -> Result<Patch, String> {
        match self.kind {
            ResourceType::McpServers => self.unwrapped(root),
            ResourceType::Hooks => self.of_fragment(root),
            _ => Ok(self.clone()),
        }
    }

    fn of_fragment(&self, root: &Value) -> Result<Patch, String> {
        let Value::Map(fields) = &self.fields else {
            return Ok(self.clone());
        };
        let strange = fields
            .iter()
            .find(|(key, _)| !matches!(key.as_str(), "enabled" | "hooks"));
        match (root.get("hooks"), strange) {
            (Some(_), Some((key, _))) => Err(format!(
                "it is a part of Claude's settings, which has no `{key}`: patch `enabled`, or an entire list such as `hooks.PreToolUse`"
            )),
            _ => Ok(self.clone()),
        }
    }

    fn unwrapped(&self, root: &Value) -> Result<Patch, String> {
        let (key, servers) = match ServerFile::of(root) {
            ServerFile::Wrapped { key, servers } => (Some(key), servers),
            ServerFile::Bare(servers) => (None, servers),
            ServerFile::Single(_) => return Ok(self.clone()),
        };
        let Value::Map(servers) = servers else {
            return Ok(self.clone());
        };
        let servers = servers.iter().map(|(name, _)| name.as_str());
        let names: Vec<&str> = servers
            .filter(|name| key.is_some() || !ServerFile::is_file_key(name))
            .collect();
        let is_whole = match key {
            Some(key) => self.fields.get(key).is_some(),
            None => names.iter().any(|name| self.fields.get(name).is_some()),
        };
        match names.as_slice() {
            _ if is_whole => Ok(self.clone()),
            [name] => {
                let inner = Value::map([(*name, self.fields.clone())]);
                let fields = key.map_or(inner.clone(), |key| Value::map([(key, inner)]));
                Ok(Patch {
                    fields,
                    ..self.clone()
                })
            }
            _ => {
                let first = names.first().unwrap_or(&"NAME");
                let first = key.map_or((*first).to_owned(), |key| format!("{key}.{first}"));
                Err(format!(
                    "it has several servers ({}): name one, as in `{first}.args`",
                    names.join(", ")
                ))
            }
        }
    }
}

fn leaves(value: &Value, at: &Pointer, found: &mut Vec<FieldPath>) {
    match value {
        Value::Map(entries) if !entries.is_empty() || at.steps().is_empty() => {
            entries
                .iter()
                .for_each(|(key, value)| leaves(value, &at.child(key), found));
        }
        _ => found.push(FieldPath(at.clone())),
    }
}

impl FieldPath {
    /// The fields of an object, nested ones separately, in order.
    pub fn all(fields: &Value) -> Vec<FieldPath> {
        let mut found = Vec::new();
        leaves(fields, &Pointer::root(), &mut found);
        found
    }

    /// The pointer to the field.
    pub fn pointer(&self) -> &Pointer {
        &self.0
    }

    /// Whether one field contains the other.
    fn meets(&self, other: &FieldPath) -> bool {
        self.0.is_within(&other.0) || other.0.is_within(&self.0)
    }
}

/// Prints the keys with dots between them, as in the manifest.
impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        let key = |key: &String| {
            if !key.is_empty() && key.chars().all(bare) {
                key.clone()
            } else {
                Value::from(key.as_str()).to_json().trim_end().to_owned()
            }
        };
        f.write_str(&self.0.steps().iter().map(key).collect::<Vec<_>>().join("."))
    }
}

/// Patches apply to dependencies, except those that the manifest drops.
pub(super) fn read(
    check: &mut Check,
    texts: &ManifestTexts<'_>,
    dependencies: &[Dependency],
    dropped: &BTreeSet<ResourceId>,
) -> Vec<Patch> {
    let tables = [
        (Some(texts.project), PatchScope::Project),
        (texts.private, PatchScope::Private),
    ];
    let mut patches = Vec::new();
    for (document, scope) in tables {
        if let Some(node) = document.and_then(|document| document.root()?.get("patch")) {
            patches.extend(read_patches(
                check,
                texts,
                node,
                scope,
                dependencies,
                dropped,
            ));
        }
    }
    report_conflicts(check, &patches);
    patches
}

fn read_patches(
    check: &mut Check,
    texts: &ManifestTexts<'_>,
    node: NodeRef<'_>,
    scope: PatchScope,
    dependencies: &[Dependency],
    dropped: &BTreeSet<ResourceId>,
) -> Vec<Patch> {
    let mut patches = Vec::new();
    if !check.map(node, "`[patch]`") {
        return patches;
    }
    for (kind, names) in node.entries() {
        let words = RESOURCE_TYPES.map(|kind| kind.plural());
        if !check.check_known(kind, "resource type", &codes::MANIFEST_UNKNOWN_KEY, words)
            || !check.map(names, "a patch")
        {
            continue;
        }
        if ResourceType::named(kind.content()) == Some(ResourceType::Plugins) {
            let help = "patch one of its parts, as in `[patch.agents.NAME]`";
            check.bad_value(kind, "plugins have no fields to patch", help);
            continue;
        }
        let Some(kind) = ResourceType::named(kind.content()) else {
            continue;
        };
        for (name, fields) in names
            .entries()
            .filter(|(_, fields)| fields.kind() == NodeKind::Map)
        {
            let is_patched =
                |id: &ResourceId| id.kind == kind && id.name.as_str() == name.content();
            // A base may patch resources that the project drops.
            if dropped.iter().any(is_patched) {
                continue;
            }
            check_name(check, kind, name, dependencies);
            let text_file = read_text_file(check, texts, fields);
            let patch = Patch {
                kind,
                name: name.content().to_owned(),
                scope,
                fields: without_text_file(to_value(fields)),
                base_fields: fields_of_bases(texts, fields),
                text_file,
                spot: spot(name),
            };
            patches.push(patch);
        }
        for (name, fields) in names
            .entries()
            .filter(|(_, fields)| fields.kind() != NodeKind::Map)
        {
            let expected = format!("a table of fields, as in [patch.{kind}.{}]", name.content());
            check.wrong_kind(fields, "a patch", &expected);
        }
    }
    patches
}

/// The diff that a patch names.
fn read_text_file(
    check: &mut Check,
    texts: &ManifestTexts<'_>,
    fields: NodeRef<'_>,
) -> Option<RelativePath> {
    let node = fields.get(PATCH_FILE)?;
    if texts.is_of_base(node) {
        let message = format!("a base cannot have `{PATCH_FILE}`");
        let help = "set fields in the base, or change the resource in its source";
        check.bad_value(node, message, help);
        return None;
    }
    check.path(node, &format!("`{PATCH_FILE}`"))
}

fn without_text_file(fields: Value) -> Value {
    match fields {
        Value::Map(entries) => {
            let entries = entries.into_iter();
            Value::Map(entries.filter(|(key, _)| key != PATCH_FILE).collect())
        }
        other => other,
    }
}

/// The fields of an object that are in a base.
fn fields_of_bases(texts: &ManifestTexts<'_>, node: NodeRef<'_>) -> Option<Value> {
    if node.kind() != NodeKind::Map {
        return texts.is_of_base(node).then(|| to_value(node));
    }
    let entries = node.entries();
    let of_bases = entries.filter_map(|(key, value)| {
        let value = fields_of_bases(texts, value)?;
        Some((key.content().to_owned(), value))
    });
    let of_bases: Vec<(String, Value)> = of_bases.collect();
    (!of_bases.is_empty()).then_some(Value::Map(of_bases))
}

/// Reports a name that no resource can have. Matches of patterns are known later.
fn check_name(
    check: &mut Check,
    kind: ResourceType,
    name: NodeRef<'_>,
    dependencies: &[Dependency],
) {
    let of_kind = dependencies
        .iter()
        .filter(|dependency| dependency.kind == kind);
    // The parts of a plugin are known only after it was read.
    let has_parts = dependencies
        .iter()
        .any(|one| one.kind == ResourceType::Plugins && PLUGIN_PARTS.contains(&kind));
    let is_named =
        |one: &Dependency| one.unit.path.is_pattern() || one.name.as_str() == name.content();
    if has_parts || of_kind.clone().any(is_named) {
        return;
    }
    check.report_missing(unknown_patch(
        kind,
        name.content(),
        spot(name),
        of_kind.map(|one| one.name.as_str()),
    ));
}

/// The finding about a patch for an unknown name.
pub fn unknown_patch<'k>(
    kind: ResourceType,
    name: &str,
    spot: SourceSpan,
    names: impl IntoIterator<Item = &'k str> + Clone,
) -> Diagnostic {
    let message = format!("no `{name}` in `[{kind}]` to patch");
    let mut diagnostic = Diagnostic::new(&codes::PATCH_UNKNOWN, message).at_spot(spot);
    diagnostic.help = did_you_mean(name, &format!("these {kind} can be patched"), names)
        .or_else(|| Some(format!("add it to `[{kind}]`, or remove the patch")));
    diagnostic
}

/// Reports fields that both files set.
fn report_conflicts(check: &mut Check, patches: &[Patch]) {
    let of = |scope| patches.iter().filter(move |patch| patch.scope == scope);
    for private in of(PatchScope::Private) {
        let same = |patch: &&Patch| patch.kind == private.kind && patch.name == private.name;
        let Some(project) = of(PatchScope::Project).find(same) else {
            continue;
        };
        let both_have_text = private.text_file.is_some() && project.text_file.is_some();
        let shared = private.leaves().into_iter().filter(|field| {
            let own = project.leaves();
            own.iter().any(|other| other.meets(field))
        });
        let shared = shared.map(|field| field.to_string());
        for field in shared.chain(both_have_text.then(|| PATCH_FILE.to_owned())) {
            let message = format!("Patch conflict for {}/{}", private.kind, private.name);
            let both = format!("Field '{field}' appears in both agpm.toml and agpm.private.toml");
            let diagnostic = Diagnostic::new(&codes::PATCH_CONFLICT, message)
                .detail(both)
                .at(private.spot.source, private.spot.span, "private patch")
                .at(project.spot.source, project.spot.span, "project patch");
            check.report(diagnostic.help("Keep the field in one file only"));
        }
    }
}
