//! Renders entries in the format of their tool.

use agpm_diag::{Diagnostic, Notes, Severity, SourceId, Span, codes, has_errors};
use agpm_model::{
    Destination, InstallMode, RelativePath, ResourceType, SKILL_FILE, skill_findings,
};
use agpm_render::{
    ConvertError, ConvertedEntries, ConvertedFile, FieldOutcome, FieldOutcomeKind, agent_name,
    convert_patched_file, foreign_format, hook_entries, is_native, server_entries, server_names,
};
use agpm_resolve::ResolvedEntry;
use agpm_text::{Format, Limits, Value, parse, to_value};
use agpm_tools::{EntryFormat, FileFormat};

use crate::composer::Composer;
use crate::instructions::{InstructionEntry, InstructionOutput};
use crate::markdown_facts::MarkdownCache;
use crate::patching::{AppliedField, dropped, patches_of};
use crate::readings::is_switched_off;
use crate::rendered::{OutputEntries, RenderedTexts, ResourceOutput, is_markdown, output_files};

impl Composer<'_> {
    /// The entry in the format of its tool, with what it lets the tool do.
    pub(crate) fn in_form(
        &self,
        resolved: &ResolvedEntry,
        texts: &RenderedTexts,
        cache: &mut MarkdownCache,
        notes: &mut Notes,
    ) -> Option<ResourceOutput> {
        let mut output = self.written_in_form(resolved, texts, cache, notes)?;
        output.judge(resolved, texts, cache);
        Some(output)
    }

    fn written_in_form(
        &self,
        resolved: &ResolvedEntry,
        texts: &RenderedTexts,
        cache: &mut MarkdownCache,
        notes: &mut Notes,
    ) -> Option<ResourceOutput> {
        let entry = &resolved.entry;
        let destination = self
            .manifest
            .tools
            .named(entry.tool.as_str())?
            .destination(entry.kind)?;
        let text = texts.text(resolved);
        let mut output = ResourceOutput {
            patched: texts.patched.clone(),
            text_patches: texts.text_patches.clone(),
            kept_texts: texts.kept.clone(),
            is_disabled: is_switched_off(resolved, text),
            ..ResourceOutput::default()
        };
        if entry.kind == ResourceType::Instructions {
            self.instruction_in_form(resolved, texts, &mut output, notes)?;
            // Patterns in the front matter of `.mdc` files have no quotes, and are accepted nevertheless.
            if resolved.entry.unit.path.extension() != Some("mdc") {
                check_front_matter(resolved, text, cache, notes);
            }
            return Some(output);
        }
        match destination {
            Destination::Blocks(_) => {}
            Destination::Files(..) if is_switched_off(resolved, text) => {}
            Destination::Entries(_, format) => {
                let entries = self.entries_in_form(*format, resolved, text, notes)?;
                output.outcomes = entries.outcomes;
                let written = entry.install == InstallMode::Write && !entries.nodes.is_empty();
                let file = entry.target.clone().filter(|_| written);
                output.entries = file.map(|file| OutputEntries {
                    file,
                    nodes: entries.nodes,
                });
            }
            Destination::Files(_, FileFormat::Unchanged) => {
                self.refuse_foreign_copy(resolved, text, notes)?;
                output.files = output_files(resolved, texts.main.clone(), texts)
            }
            Destination::Files(_, format) => {
                let converted = self.file_in_form(*format, resolved, texts, notes)?;
                output.outcomes = converted.outcomes;
                let patched = std::mem::take(&mut output.patched);
                (output.dropped, output.patched) =
                    self.split_patches(patched, resolved, &output.outcomes, notes);
                let same = text == Some(converted.text.as_str());
                let main = if same {
                    texts.main.clone()
                } else {
                    Some(converted.text)
                };
                output.files = output_files(resolved, main, texts);
            }
        }
        if let Destination::Files(_, format) = destination
            && entry.kind == ResourceType::Agents
        {
            let file = output.files.first();
            let text = file.and_then(|file| str::from_utf8(&file.bytes).ok());
            output.agent_name = text.and_then(|text| agent_name(*format, text));
        }
        match entry.kind {
            ResourceType::Skills => check_skill(resolved, text.unwrap_or_default(), notes),
            ResourceType::Agents | ResourceType::Commands => {
                check_front_matter(resolved, text, cache, notes)
            }
            _ => {}
        }
        Some(output)
    }

    /// Refuses a copied file that the tool would not read. Custom tools may read anything.
    fn refuse_foreign_copy(
        &self,
        resolved: &ResolvedEntry,
        text: Option<&str>,
        notes: &mut Notes,
    ) -> Option<()> {
        let entry = &resolved.entry;
        let is_read_as_markdown =
            matches!(entry.kind, ResourceType::Agents | ResourceType::Commands);
        if !is_read_as_markdown || agpm_tools::find(entry.tool.as_str()).is_none() {
            return Some(());
        }
        let Some(error) = foreign_format(FileFormat::Unchanged, entry.unit.path.file_name()) else {
            return Some(());
        };
        let source = source_of(resolved, text.unwrap_or_default(), notes);
        notes
            .diagnostics
            .push(self.wrong_shape(resolved, source, error));
        None
    }

    /// An instruction as a file or as a block.
    fn instruction_in_form(
        &self,
        resolved: &ResolvedEntry,
        texts: &RenderedTexts,
        rendered: &mut ResourceOutput,
        notes: &mut Notes,
    ) -> Option<()> {
        let tool = self.manifest.tools.named(resolved.entry.tool.as_str())?;
        let text = texts.text(resolved).unwrap_or_default();
        let source = source_of(resolved, text, notes);
        let instruction = InstructionEntry::of(self.manifest, resolved);
        let output = match instruction.write(tool, resolved, text) {
            Ok(output) => output,
            Err(error) => {
                notes
                    .diagnostics
                    .push(self.wrong_shape(resolved, source, error));
                return None;
            }
        };
        match output {
            InstructionOutput::File(converted) => {
                rendered.outcomes = converted.outcomes;
                let is_same = texts.text(resolved) == Some(converted.text.as_str());
                let main = if is_same {
                    texts.main.clone()
                } else {
                    Some(converted.text)
                };
                rendered.files = output_files(resolved, main, texts);
            }
            InstructionOutput::Block(block, outcomes) => {
                rendered.outcomes = outcomes;
                let is_written = resolved.entry.install == InstallMode::Write;
                rendered.block = Some(block).filter(|_| is_written);
            }
        }
        Some(())
    }

    fn file_in_form(
        &self,
        format: FileFormat,
        resolved: &ResolvedEntry,
        texts: &RenderedTexts,
        notes: &mut Notes,
    ) -> Option<ConvertedFile> {
        let text = texts.text(resolved).unwrap_or_default();
        let source = source_of(resolved, text, notes);
        let own_name = resolved.entry.name.as_str();
        let name = match format {
            // A hook is known by its entry only.
            FileFormat::Hooks(_) => own_name,
            _ => resolved.entry.target.as_ref().map_or(own_name, stem),
        };
        let file = resolved.entry.unit.path.file_name();
        let patched: Vec<&str> = texts.patched.iter().map(AppliedField::key).collect();
        let converted = match foreign_format(format, file) {
            Some(error) => Err(error),
            None if is_native(format, file, text) => Ok(ConvertedFile::unchanged(text)),
            None => convert_patched_file(format, name, text, &patched),
        };
        converted
            .map_err(|error| {
                notes
                    .diagnostics
                    .push(self.wrong_shape(resolved, source, error))
            })
            .ok()
    }

    /// The patched fields that the tool does not have, which are reported, and those that it has.
    fn split_patches(
        &self,
        patched: Vec<AppliedField>,
        resolved: &ResolvedEntry,
        outcomes: &[FieldOutcome],
        notes: &mut Notes,
    ) -> (Vec<AppliedField>, Vec<AppliedField>) {
        let is_lost = |field: &AppliedField| {
            outcomes.iter().find(|outcome| {
                outcome.field == field.key() && outcome.kind == FieldOutcomeKind::Dropped
            })
        };
        for patch in patches_of(self.manifest, resolved) {
            let mut lost = patched.iter().filter(|field| field.scope == patch.scope);
            if let Some(outcome) = lost.find_map(is_lost) {
                notes.diagnostics.push(dropped(resolved, patch, outcome));
            }
        }
        let lost = |field: &AppliedField| is_lost(field).is_some();
        patched.into_iter().partition(lost)
    }

    /// The finding about a file that cannot be converted, with the tool and the entry that it is for.
    fn wrong_shape(
        &self,
        resolved: &ResolvedEntry,
        source: SourceId,
        error: ConvertError,
    ) -> Diagnostic {
        let (label, tool) = (resolved.label(), &resolved.entry.tool);
        // The other parts of a plugin are useful without the one that a tool does not support.
        if let Some(plugin) = resolved.part_of.first() {
            let message = format!(
                "{label} of {plugin} is skipped for {tool}: {}",
                error.message
            );
            let help = format!("leave it out with `exclude = [\"{label}\"]`");
            return Diagnostic::new(&codes::PLUGIN_SKIPPED, message).help(help);
        }
        let message = format!("{label} for {tool}: {}", error.message);
        let span = error.at.unwrap_or(Span::at(0));
        Diagnostic::new(&codes::RESOURCE_SHAPE, message)
            .at(source, span, "")
            .help(error.help)
    }

    fn entries_in_form(
        &self,
        format: EntryFormat,
        resolved: &ResolvedEntry,
        text: Option<&str>,
        notes: &mut Notes,
    ) -> Option<ConvertedEntries> {
        let entry = &resolved.entry;
        let text = text.unwrap_or_default();
        let source = source_of(resolved, text, notes);
        let parsed = parse(source, text, Format::Jsonc, Limits::default());
        if has_errors(&parsed.diagnostics) {
            notes.diagnostics.extend(parsed.diagnostics);
            return None;
        }
        let value = parsed.document.root().map(to_value).unwrap_or(Value::Null);
        let entries = match format {
            EntryFormat::Hooks(format) => hook_entries(format, entry.name.as_str(), &value),
            EntryFormat::Servers(format) => {
                let rename = self.rename_of(resolved, &value, notes);
                server_entries(format, entry.name.as_str(), &value, rename)
            }
        };
        entries
            .map_err(|error| {
                notes
                    .diagnostics
                    .push(self.wrong_shape(resolved, source, error))
            })
            .ok()
    }

    /// The names that the manifest gives to servers of a file. A name for a missing server is an error, unless a
    /// pattern matches several files.
    fn rename_of(
        &self,
        resolved: &ResolvedEntry,
        file: &Value,
        notes: &mut Notes,
    ) -> &[(String, String)] {
        let entry = &resolved.entry;
        // A part of a plugin already has its new name.
        let root = entry.root.filter(|_| resolved.part_of.is_empty());
        let Some(dependency) = root.and_then(|root| self.manifest.dependencies.get(root)) else {
            return &[];
        };
        let server_names = server_names(entry.name.as_str(), file);
        let unknown = dependency
            .rename
            .iter()
            .find(|(old, _)| !server_names.contains(old));
        if let Some((old, _)) = unknown.filter(|_| !resolved.matched_pattern) {
            let message = format!("`rename`: {} has no server `{old}`", resolved.label());
            let help = format!("its servers are: {}", server_names.join(", "));
            notes.diagnostics.push(
                Diagnostic::new(&codes::MANIFEST_VALUE, message)
                    .at_spot(dependency.spot)
                    .help(help),
            );
        }
        &dependency.rename
    }
}

fn source_of(resolved: &ResolvedEntry, text: &str, notes: &mut Notes) -> SourceId {
    notes.sources.add(
        format!("{}@{}", resolved.entry.unit, resolved.version.label),
        text.to_owned(),
    )
}

fn stem(path: &RelativePath) -> &str {
    path.file_name().split('.').next().unwrap_or_default()
}

fn check_skill(resolved: &ResolvedEntry, text: &str, notes: &mut Notes) {
    let unit = &resolved.entry.unit;
    let name = format!("{unit}/{SKILL_FILE}@{}", resolved.version.label);
    let source = notes.sources.add(name, text.to_owned());
    let parsed = parse(source, text, Format::Markdown, Limits::default());
    let directory = resolved
        .entry
        .target
        .as_ref()
        .map_or(unit.path.file_name(), RelativePath::file_name);
    match unreadable(parsed.diagnostics) {
        Some(found) => notes.diagnostics.push(found),
        None => notes
            .diagnostics
            .extend(skill_findings(parsed.document.root(), directory)),
    }
}

/// Warns about all front matter that is invalid YAML, however its tool reads it.
fn check_front_matter(
    resolved: &ResolvedEntry,
    text: Option<&str>,
    cache: &mut MarkdownCache,
    notes: &mut Notes,
) {
    let Some(text) = text.filter(|_| is_markdown(resolved)) else {
        return;
    };
    let path = resolved.entry.unit.path.as_str();
    if !cache.facts(resolved.entry.kind, path, text).is_valid {
        let source = source_of(resolved, text, notes);
        let parsed = parse(source, text, Format::Markdown, Limits::default());
        notes.diagnostics.extend(unreadable(parsed.diagnostics));
    }
}

/// One warning with a fixed message for all parser findings.
fn unreadable(found: Vec<Diagnostic>) -> Option<Diagnostic> {
    let found = found
        .into_iter()
        .find(|found| found.severity == Severity::Error)?;
    let mut labels = found.labels;
    if let Some(first) = labels.first_mut() {
        first.text = found.message;
    }
    let code = &codes::RESOURCE_FRONT_MATTER;
    let message = "front matter is not valid YAML".to_owned();
    let help = Some("put a value that contains `: ` or starts with a bracket in quotes".to_owned());
    Some(Diagnostic {
        code,
        severity: code.severity,
        message,
        labels,
        help,
        ..found
    })
}
