//! Reads the edits of a resource on the disk, in the format of its source.

use std::collections::BTreeMap;

use agpm_compose::{
    KeptTexts, OutputBlock, OutputEntries, OutputFile, PatchedFile, RenderedResource,
};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, codes};
use agpm_model::{
    FileMode, ObservedPath, RelativePath, ResourceType, SKILL_FILE, ServerFile, outdated_lock,
};
use agpm_plan::{Ledger, read_block_file, read_shared_file};
use agpm_render::{edited_fields, patch};
use agpm_store::ProjectStore;
use agpm_text::{
    BlockName, Format, NodeKind, NodeRef, Pointer, Value, equal, markdown_body, parse_alone,
    to_value,
};

use crate::drift::unexpected::unexpected_files;
use crate::install::bytes_on_disk;

/// The suffix of a new version next to a file in conflict.
const BESIDE: &str = ".agpm-new";

/// A file of a resource, before its diff and as it is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct EditedFile {
    /// The rendered text without the diffs of patches; `None` for a file that only a diff adds.
    pub(super) before: Option<String>,
    /// The text to get; `None` for a removed file.
    pub(super) after: Option<String>,
    /// The mode of an added file.
    pub(super) mode: FileMode,
}

/// All files of a resource that are text, and the edited ones on the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct EditedTexts {
    /// The files, edited or not: a new diff replaces the whole old one.
    pub(super) files: BTreeMap<PatchedFile, EditedFile>,
    /// The edited files on the disk.
    pub(super) paths: Vec<RelativePath>,
    /// Where the edit of each file was found first.
    found: BTreeMap<PatchedFile, RelativePath>,
}

/// Reads the copies of one resource.
struct EditReader<'a> {
    store: &'a ProjectStore,
    ledger: &'a Ledger,
    edited: EditedTexts,
}

impl EditedTexts {
    /// Compares every copy of a resource with the disk.
    pub(super) fn read(
        store: &ProjectStore,
        ledger: &Ledger,
        copies: &[RenderedResource],
        notes: &mut Notes,
    ) -> Result<Self, Failure> {
        let mut reader = EditReader {
            store,
            ledger,
            edited: EditedTexts::default(),
        };
        for copy in copies {
            let Some(kept) = &copy.output.kept_texts else {
                continue;
            };
            for (file, text) in &kept.files {
                let unedited = EditedFile {
                    before: text.before.clone(),
                    after: text.after.clone(),
                    mode: text.mode,
                };
                let files = &mut reader.edited.files;
                files.entry(file.clone()).or_insert(unedited);
            }
            for file in &copy.output.files {
                reader.read_file(copy, kept, file)?;
            }
            if let Some(block) = &copy.output.block {
                reader.read_block(copy, kept, block, notes)?;
            }
            if let Some(entries) = &copy.output.entries {
                reader.read_entries(copy, kept, entries, notes)?;
            }
            reader.read_extra_files(copy)?;
        }
        reader.edited.paths.sort();
        reader.edited.paths.dedup();
        Ok(reader.edited)
    }
}

impl EditReader<'_> {
    fn read_file(
        &mut self,
        copy: &RenderedResource,
        kept: &KeptTexts,
        file: &OutputFile,
    ) -> Result<(), Failure> {
        let path = &file.path;
        let observed = self.store.observe(path)?;
        let is_written = observed == ObservedPath::file(file.checksum, file.mode);
        let Some(part) = part_of(copy, path).filter(|_| !is_written) else {
            return Ok(());
        };
        if let Some(owned) = self.ledger.files.get(path)
            && owned.checksum != file.checksum
        {
            return Err(outdated_lock(format!(
                "`{path}` is not as the manifest and the lockfile have it"
            )));
        }
        let state = match observed {
            ObservedPath::File(state) => state,
            ObservedPath::Missing if part != PatchedFile::Main => {
                return self.add(part, path, None);
            }
            ObservedPath::Missing => {
                return Err(unsaved(
                    path,
                    "it was deleted",
                    "run `agpm install` to restore it",
                ));
            }
            _ => {
                return Err(unsaved(
                    path,
                    "it is not a regular file",
                    "replace it by a file",
                ));
            }
        };
        if state.mode != file.mode {
            let help = "restore the mode: a patch changes text only";
            return Err(unsaved(path, "its mode was changed", help));
        }
        let bytes = bytes_on_disk(self.store, path)?.unwrap_or_default();
        let Ok(text) = String::from_utf8(bytes) else {
            return Err(unsaved(path, "it is not text", "a patch changes text only"));
        };
        let rendered = str::from_utf8(&file.bytes).unwrap_or_default();
        let source = kept.files.get(&part).and_then(|text| text.after.as_deref());
        let after = match source {
            Some(source) if source == rendered => Some(text),
            Some(source) => unconverted(path, source, rendered, &text),
            None => None,
        };
        let Some(after) = after else {
            let help = format!(
                "set its fields in `[patch.{}.{}]`, or edit the copy of a tool that reads the source format",
                copy.resolved.entry.kind, copy.resolved.entry.name
            );
            return Err(unsaved(path, "it is converted for its tool", &help));
        };
        self.add(part, path, Some(after))
    }

    /// Adds an edit. Two copies that were edited differently cannot both be what the patch gives.
    fn add(
        &mut self,
        part: PatchedFile,
        path: &RelativePath,
        after: Option<String>,
    ) -> Result<(), Failure> {
        self.edited.paths.push(path.clone());
        let known = self.edited.files.get(&part);
        if let Some(first) = self.edited.found.get(&part) {
            if known.is_some_and(|known| known.after == after) {
                return Ok(());
            }
            let message = format!("`{first}` and `{path}` were edited differently");
            let diagnostic = Diagnostic::new(&codes::PATCH_FAILED, message)
                .in_file(path.as_str())
                .help("make the same edit in both, or restore one of them");
            return Err(Failure::new(FailureKind::Refused, diagnostic));
        }
        self.edited.found.insert(part.clone(), path.clone());
        let entry = self.edited.files.entry(part);
        let file = entry.or_insert_with(|| EditedFile {
            before: None,
            after: None,
            mode: FileMode::Plain,
        });
        file.after = after;
        Ok(())
    }

    /// Files that the user added to the directory of a skill.
    fn read_extra_files(&mut self, copy: &RenderedResource) -> Result<(), Failure> {
        if copy.resolved.entry.kind != ResourceType::Skills {
            return Ok(());
        }
        for extra in unexpected_files(self.store, std::slice::from_ref(copy))? {
            let path = extra.path;
            if path.as_str().ends_with(BESIDE) {
                continue;
            }
            let Some(part) = part_of(copy, &path) else {
                let help = "rename it, or move it out of the skill";
                return Err(unsaved(
                    &path,
                    "a file in it has a name that no skill can have",
                    help,
                ));
            };
            let ObservedPath::File(state) = self.store.observe(&path)? else {
                let help = "replace it by a file, or move it out of the skill";
                return Err(unsaved(&path, "it is not a regular file", help));
            };
            let bytes = bytes_on_disk(self.store, &path)?.unwrap_or_default();
            let Ok(text) = String::from_utf8(bytes) else {
                let help = "move it out of the skill: a patch has text only";
                return Err(unsaved(&path, "it is not text", help));
            };
            self.add(part.clone(), &path, Some(text))?;
            if let Some(file) = self.edited.files.get_mut(&part) {
                file.mode = state.mode;
            }
        }
        Ok(())
    }

    /// The block of an instruction in a file of the user.
    fn read_block(
        &mut self,
        copy: &RenderedResource,
        kept: &KeptTexts,
        block: &OutputBlock,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let name = BlockName::new(&copy.resolved.label()).ok();
        let (Some(path), Some(name)) = (&block.file, name) else {
            return Ok(());
        };
        let Some(bytes) = bytes_on_disk(self.store, path)? else {
            return Ok(());
        };
        let document = read_block_file(path, bytes, notes)?;
        let Some(inner) = document.inner(&name) else {
            return Ok(());
        };
        let (old, new) = (block.text.trim_end(), inner.trim_end());
        if old == new {
            return Ok(());
        }
        let main = kept.files.get(&PatchedFile::Main);
        let main = main
            .and_then(|text| text.after.as_deref())
            .unwrap_or_default();
        if old.is_empty() || main.matches(old).count() != 1 {
            let help = "set its fields in the manifest, or edit the instruction in its source";
            return Err(unsaved(
                path,
                "the block is not the text of the source",
                help,
            ));
        }
        self.add(PatchedFile::Main, path, Some(main.replacen(old, new, 1)))
    }

    /// The entries of a server in a file of the user.
    fn read_entries(
        &mut self,
        copy: &RenderedResource,
        kept: &KeptTexts,
        entries: &OutputEntries,
        notes: &mut Notes,
    ) -> Result<(), Failure> {
        let path = &entries.file;
        let Some(bytes) = bytes_on_disk(self.store, path)? else {
            return Ok(());
        };
        let document = read_shared_file(path, bytes, notes)?;
        let main = kept.files.get(&PatchedFile::Main);
        let main = main
            .and_then(|text| text.after.as_deref())
            .unwrap_or_default();
        let source = parse_alone(main, Format::Jsonc).document;
        let mut root = source.root().map_or(Value::Null, to_value);
        let mut is_edited = false;
        for node in &entries.nodes {
            let pointer = node.location.pointer();
            let now = document.at(pointer);
            if now.is_some_and(|now| equal(now, &node.value)) {
                continue;
            }
            let id = copy.resolved.label();
            if copy.resolved.entry.kind != ResourceType::McpServers {
                // Lists of hooks have no identity: an edited item looks like one of the user's next to a missing one.
                let is_item =
                    now.is_some_and(|list| list.items().any(|item| equal(item, &node.value)));
                if is_item {
                    continue;
                }
                let help = format!(
                    "set the lists in `[patch.hooks.{}]`",
                    copy.resolved.entry.name
                );
                return Err(unsaved(path, &format!("an entry of {id} differs"), &help));
            }
            let Some(now) = now else {
                let help = "run `agpm install` to restore it";
                return Err(unsaved(
                    path,
                    &format!("the entry of {id} is missing"),
                    help,
                ));
            };
            let name = pointer
                .steps()
                .last()
                .map(String::as_str)
                .unwrap_or_default();
            let server = server_pointer(&root, name);
            root = with_changes(&root, server.steps(), &node.value, now);
            is_edited = true;
        }
        if !is_edited {
            return Ok(());
        }
        let rewritten = source
            .rewrite(&root)
            .map_err(|error| unsaved(path, &error.to_string(), "set the fields in the manifest"))?;
        self.add(PatchedFile::Main, path, Some(rewritten.to_string()))
    }
}

/// Where a file with servers has one of them.
fn server_pointer(root: &Value, name: &str) -> Pointer {
    match ServerFile::of(root) {
        ServerFile::Single(_) => Pointer::root(),
        ServerFile::Bare(_) => Pointer::root().child(name),
        ServerFile::Wrapped { key, .. } => Pointer::root().child(key).child(name),
    }
}

/// The value with the changes that turn `before` into `after`, at a location in it.
fn with_changes(value: &Value, at: &[String], before: &Value, after: NodeRef<'_>) -> Value {
    let Value::Map(entries) = value else {
        return to_value(after);
    };
    let mut entries = entries.clone();
    if let [step, rest @ ..] = at {
        for (key, inner) in &mut entries {
            if key == step {
                *inner = with_changes(inner, rest, before, after);
            }
        }
        return Value::Map(entries);
    }
    if after.kind() != NodeKind::Map {
        return to_value(after);
    }
    entries.retain(|(key, _)| before.get(key).is_none() || after.get(key).is_some());
    for (key, now) in after.entries() {
        let name = key.content();
        let old = before.get(name);
        if old.is_some_and(|old| equal(old, now)) {
            continue;
        }
        match entries.iter_mut().find(|(key, _)| key == name) {
            Some((_, inner)) => *inner = with_changes(inner, &[], old.unwrap_or(&Value::Null), now),
            None => entries.push((name.to_owned(), to_value(now))),
        }
    }
    Value::Map(entries)
}

/// The part of a resource at a path.
fn part_of(copy: &RenderedResource, path: &RelativePath) -> Option<PatchedFile> {
    let target = copy.resolved.entry.target.as_ref()?;
    if path == target {
        return (copy.resolved.entry.kind != ResourceType::Skills).then_some(PatchedFile::Main);
    }
    let inner = path.as_str().strip_prefix(target.as_str())?;
    match inner.strip_prefix('/')? {
        SKILL_FILE => Some(PatchedFile::Main),
        inner => RelativePath::new(inner).ok().map(PatchedFile::Other),
    }
}

/// The source with the edit of a file that was converted from it; `None` if it is not clear what the edit means there.
fn unconverted(path: &RelativePath, source: &str, rendered: &str, edited: &str) -> Option<String> {
    if Format::of_file(path.file_name()) != Some(Format::Markdown) {
        return None;
    }
    let (old, new) = (markdown_body(rendered).trim(), markdown_body(edited).trim());
    let mut text = source.to_owned();
    if old != new {
        if old.is_empty() || source.matches(old).count() != 1 {
            return None;
        }
        text = source.replacen(old, new, 1);
    }
    let fields = edited_fields(rendered, edited, Format::Markdown);
    let mut scratch = agpm_diag::SourceMap::default();
    let patched = patch(scratch.add("", ""), &text, Format::Markdown, &fields).ok()?;
    Some(patched.text)
}

fn unsaved(path: &RelativePath, problem: &str, help: &str) -> Failure {
    let message = format!("the edit of `{path}` cannot be saved: {problem}");
    let diagnostic = Diagnostic::new(&codes::PATCH_FAILED, message)
        .in_file(path.as_str())
        .help(help.to_owned());
    Failure::new(FailureKind::Errors, diagnostic)
}
