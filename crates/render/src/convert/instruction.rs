//! Converts instructions: reads their scope in any tool's format, and writes it in another format or as a block.

use agpm_model::{InstructionPaths, InstructionScope};
use agpm_text::{Value, block_text, markdown_body};
use agpm_tools::{PatternList, RuleDescription, RuleField, RuleFormat, RuleValue, rule_formats};

use super::front::FrontMatter;
use super::outcome::{ConvertError, ConvertedFile, FieldOutcome, FieldOutcomeKind, FieldOutcomes};
use super::parts::{METADATA, text_of, texts_of};
use super::plain_text::printed;

/// The field that describes an instruction.
const DESCRIPTION: &str = "description";

/// An instruction as a block in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionBlock {
    /// The text between the markers.
    pub text: String,
    /// The files that it applies to.
    pub scope: InstructionScope,
    /// The result for each field, sorted by field.
    pub outcomes: Vec<FieldOutcome>,
}

/// Whether an instruction is in the tool's format: only the tool's fields state when it applies.
pub fn is_native_instruction(format: &RuleFormat, file_name: &str, text: &str) -> bool {
    let Ok(front) = FrontMatter::read(text) else {
        return false;
    };
    let own_keys = mode_keys(format);
    let is_foreign = |key: &&str| !own_keys.contains(key) && front.has(key);
    if rule_formats()
        .flat_map(mode_keys)
        .any(|key| is_foreign(&key))
    {
        return false;
    }
    let has_mode = own_keys.iter().any(|key| front.has(key));
    let has_own_extension =
        format.extension != "md" && file_name.ends_with(&format!(".{}", format.extension));
    format.for_all.is_empty() || has_mode || has_own_extension && !front.fields().is_empty()
}

/// The fields of a format that state when an instruction applies.
fn mode_keys(format: &RuleFormat) -> Vec<&'static str> {
    let fixed = format.for_some.iter().chain(format.for_all);
    let fixed = fixed.map(|field| field.key);
    [format.patterns].into_iter().chain(fixed).collect()
}

/// Converts an instruction to a file of a tool. `scope` is from the manifest, and overrides the file.
pub fn convert_instruction(
    format: &RuleFormat,
    scope: Option<&InstructionScope>,
    text: &str,
) -> Result<ConvertedFile, ConvertError> {
    let source = InstructionSource::read(text);
    let mut outcomes = source.field_outcomes(scope);
    let mut fields: Vec<(String, Value)> = Vec::new();
    if let Some(description) = source.description() {
        match format.description {
            RuleDescription::Read => {
                outcomes.exact(DESCRIPTION);
                fields.push((DESCRIPTION.to_owned(), description.into()));
            }
            RuleDescription::Unknown => {
                outcomes.add(
                    DESCRIPTION,
                    FieldOutcomeKind::Dropped,
                    "the tool does not support it",
                );
            }
        }
    }
    let fixed = match scope.unwrap_or(&source.scope) {
        InstructionScope::Everything => format.for_all,
        InstructionScope::Paths(paths) => {
            fields.push((format.patterns.to_owned(), patterns(format, paths)));
            format.for_some
        }
    };
    fields.extend(fixed.iter().map(fixed_field));
    Ok(ConvertedFile {
        text: source.written(fields)?,
        outcomes: outcomes.sorted(),
    })
}

/// Converts an instruction to a block, whose first line names the files that it applies to.
pub fn instruction_block(scope: Option<&InstructionScope>, text: &str) -> InstructionBlock {
    let source = InstructionSource::read(text);
    let mut outcomes = source.field_outcomes(scope);
    if source.description().is_some() {
        outcomes.add(
            DESCRIPTION,
            FieldOutcomeKind::Dropped,
            "a block has no description",
        );
    }
    let scope = scope.unwrap_or(&source.scope);
    let mut block = String::new();
    if let InstructionScope::Paths(paths) = scope {
        block.push_str(&format!("Applies to: {paths}\n\n"));
        let note = "listed in the block";
        outcomes.add("(paths)", FieldOutcomeKind::Approximated, note);
    }
    block.push_str(&block_text(&source.body));
    InstructionBlock {
        text: block,
        scope: scope.clone(),
        outcomes: outcomes.sorted(),
    }
}

fn patterns(format: &RuleFormat, paths: &InstructionPaths) -> Value {
    match format.list {
        PatternList::List => Value::list(paths.patterns().map(str::to_owned)),
        PatternList::Commas => paths.with_commas().into(),
    }
}

fn fixed_field(field: &RuleField) -> (String, Value) {
    let value = match field.value {
        RuleValue::Flag(flag) => Value::Bool(flag),
        RuleValue::Text(text) => text.into(),
    };
    (field.key.to_owned(), value)
}

/// An instruction in its original form.
struct InstructionSource {
    front: Option<FrontMatter>,
    body: String,
    scope: InstructionScope,
}

impl InstructionSource {
    /// Invalid front matter is ignored, and the text after it still applies.
    fn read(text: &str) -> Self {
        let front = FrontMatter::read(text).ok();
        let body = match &front {
            Some(front) => front.body(),
            None => markdown_body(text),
        };
        InstructionSource {
            body: body.to_owned(),
            scope: front
                .as_ref()
                .map_or(InstructionScope::Everything, scope_of),
            front,
        }
    }

    fn description(&self) -> Option<String> {
        self.front.as_ref()?.text(DESCRIPTION)
    }

    /// The outcomes of the fields that limit when it applies, and of unknown fields.
    fn field_outcomes(&self, scope: Option<&InstructionScope>) -> FieldOutcomes {
        let Some(front) = &self.front else {
            let mut outcomes = FieldOutcomes::default();
            outcomes.add(
                "(front matter)",
                FieldOutcomeKind::Dropped,
                "it cannot be read",
            );
            return outcomes;
        };
        let mut outcomes = front.field_outcomes();
        let modes: Vec<&str> = rule_formats().flat_map(mode_keys).collect();
        for (key, value) in front.fields() {
            let key = key.as_str();
            if key == DESCRIPTION || METADATA.contains(&key) || matches!(value, Value::Null) {
                continue;
            }
            if !modes.contains(&key) {
                outcomes.add(
                    key,
                    FieldOutcomeKind::Dropped,
                    "the tool does not support it",
                );
            } else if scope.is_some() {
                let note = "the manifest's `paths` override it";
                outcomes.add(key, FieldOutcomeKind::Approximated, note);
            } else if is_on_request(front) {
                let note = "it applied on request, and now always applies";
                outcomes.add(key, FieldOutcomeKind::Approximated, note);
            } else {
                outcomes.exact(key);
            }
        }
        outcomes
    }

    fn written(&self, fields: Vec<(String, Value)>) -> Result<String, ConvertError> {
        let is_front_matter = |line: &str| line.trim_end() == "---";
        let is_fenced = self.body.lines().next().is_some_and(is_front_matter);
        if fields.is_empty() && !is_fenced {
            return Ok(self.body.clone());
        }
        let yaml = printed(&Value::Map(fields), agpm_text::Format::Yaml)?;
        let front = format!("---\n{yaml}---\n");
        let is_windows = self.body.contains("\r\n");
        let front = if is_windows {
            front.replace('\n', "\r\n")
        } else {
            front
        };
        Ok(front + &self.body)
    }
}

/// The files that front matter names, in any tool's format.
fn scope_of(front: &FrontMatter) -> InstructionScope {
    let is_always = |field: &RuleField| {
        let value = fixed_field(field).1;
        front.get(field.key) == Some(&value)
    };
    if rule_formats()
        .flat_map(|format| format.for_all)
        .any(is_always)
    {
        return InstructionScope::Everything;
    }
    let named = rule_formats().find_map(|format| {
        let value = front.get(format.patterns)?;
        let texts = texts_of(value).or_else(|| Some(vec![text_of(value)?]))?;
        InstructionPaths::of(texts.iter().map(String::as_str))
    });
    named.map_or(InstructionScope::Everything, InstructionScope::Paths)
}

/// Whether a tool would load it only on request: it names a mode, and neither files nor everything.
fn is_on_request(front: &FrontMatter) -> bool {
    let fixed = rule_formats().flat_map(|format| format.for_some.iter().chain(format.for_all));
    let names_mode = fixed.map(|field| field.key).any(|key| front.has(key));
    let is_pattern = |format: &RuleFormat| front.text(format.patterns).is_some();
    let is_list = |format: &RuleFormat| front.get(format.patterns).and_then(texts_of).is_some();
    let is_always = |field: &RuleField| front.get(field.key) == Some(&fixed_field(field).1);
    names_mode
        && !rule_formats().any(|format| is_pattern(format) || is_list(format))
        && !rule_formats()
            .flat_map(|format| format.for_all)
            .any(is_always)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use agpm_tools::find;

    use super::*;

    fn rule(tool: &str) -> &'static RuleFormat {
        let instructions = find(tool).unwrap().instructions.as_ref();
        instructions.unwrap().format.rule.as_ref().unwrap()
    }

    fn converted(tool: &str, text: &str) -> String {
        convert_instruction(rule(tool), None, text).unwrap().text
    }

    const SOURCES: [&str; 7] = [
        "---\npaths:\n  - src/**\n  - \"*.ts\"\n---\nBody\n",
        "---\npaths: src/**, *.ts\n---\nBody\n",
        "---\nglobs: src/**,*.ts\nalwaysApply: false\n---\nBody\n",
        "---\nglobs: [\"src/**\", \"*.ts\"]\n---\nBody\n",
        "---\napplyTo: 'src/**,*.ts'\n---\nBody\n",
        "---\ninclusion: fileMatch\nfileMatchPattern: [\"src/**\", \"*.ts\"]\n---\nBody\n",
        "---\ntrigger: glob\nglobs: src/**, *.ts\n---\nBody\n",
    ];

    #[test]
    fn the_words_of_every_tool_are_understood() {
        for source in SOURCES {
            for (tool, expected) in [
                (
                    "claude-code",
                    "---\npaths:\n  - src/**\n  - \"*.ts\"\n---\nBody\n",
                ),
                (
                    "cursor",
                    "---\nglobs: src/**,*.ts\nalwaysApply: false\n---\nBody\n",
                ),
                ("copilot", "---\napplyTo: src/**,*.ts\n---\nBody\n"),
                (
                    "kiro",
                    "---\nfileMatchPattern:\n  - src/**\n  - \"*.ts\"\ninclusion: fileMatch\n---\nBody\n",
                ),
                (
                    "windsurf",
                    "---\nglobs:\n  - src/**\n  - \"*.ts\"\ntrigger: glob\n---\nBody\n",
                ),
            ] {
                assert_eq!(converted(tool, source), expected, "{tool}: {source}");
            }
            let block = instruction_block(None, source);
            assert_eq!(
                block.text, "Applies to: `src/**`, `*.ts`\n\nBody\n",
                "{source}"
            );
        }
    }

    #[test]
    fn instructions_for_everything_say_so_where_a_tool_asks() {
        for source in [
            "Body\n",
            "---\nalwaysApply: true\nglobs: src/**\n---\nBody\n",
            "---\napplyTo: \"**\"\n---\nBody\n",
            "---\ndescription:\nglobs: **/*\nalwaysApply: false\n---\nBody\n",
            "---\ninclusion: always\n---\nBody\n",
            "---\ntrigger: always_on\n---\nBody\n",
            "---\npaths: []\n---\nBody\n",
        ] {
            assert_eq!(converted("claude-code", source), "Body\n", "{source}");
            let cursor = "---\nalwaysApply: true\n---\nBody\n";
            assert_eq!(converted("cursor", source), cursor, "{source}");
            let copilot = "---\napplyTo: \"**\"\n---\nBody\n";
            assert_eq!(converted("copilot", source), copilot, "{source}");
            assert_eq!(instruction_block(None, source).text, "Body\n", "{source}");
        }
    }

    #[test]
    fn the_manifest_overrides_the_file() {
        let scope = InstructionScope::of(["docs/**"]);
        for source in SOURCES {
            let converted = convert_instruction(rule("copilot"), Some(&scope), source).unwrap();
            assert_eq!(converted.text, "---\napplyTo: docs/**\n---\nBody\n");
        }
        let all = InstructionScope::of(["**"]);
        let converted = convert_instruction(rule("claude-code"), Some(&all), SOURCES[0]).unwrap();
        assert_eq!(converted.text, "Body\n");
    }

    #[test]
    fn patterns_that_are_not_yaml_are_read() {
        let text = "---\ndescription: TypeScript: rules\nglobs: *.ts,**/*.{a,b}\nalwaysApply: false\n---\nBody\n";
        assert_eq!(
            converted("claude-code", text),
            "---\npaths:\n  - \"*.ts\"\n  - \"**/*.{a,b}\"\n---\nBody\n"
        );
        let copilot = converted("copilot", text);
        assert!(copilot.contains("TypeScript: rules"), "{copilot}");
    }

    #[test]
    fn fields_that_are_lost_are_named() {
        let text = "---\ndescription: d\ntags: [a]\nalwaysApply: false\n---\nBody\n";
        let converted = convert_instruction(rule("claude-code"), None, text).unwrap();
        let outcomes: Vec<(&str, FieldOutcomeKind)> = converted
            .outcomes
            .iter()
            .map(|outcome| (outcome.field.as_str(), outcome.kind))
            .collect();
        assert_eq!(
            outcomes,
            [
                ("alwaysApply", FieldOutcomeKind::Approximated),
                ("description", FieldOutcomeKind::Dropped),
                ("tags", FieldOutcomeKind::Dropped),
            ]
        );
    }

    #[test]
    fn a_file_in_a_tools_own_words_is_native() {
        for (tool, file, text, expected) in [
            ("claude-code", "a.md", "Body\n", true),
            ("claude-code", "a.md", SOURCES[0], true),
            ("claude-code", "a.mdc", SOURCES[2], false),
            ("cursor", "a.mdc", SOURCES[2], true),
            (
                "cursor",
                "a.mdc",
                "---\ndescription: on request\n---\nBody\n",
                true,
            ),
            ("cursor", "a.mdc", "Body\n", false),
            ("cursor", "a.md", "Body\n", false),
            ("copilot", "a.instructions.md", SOURCES[4], true),
            ("copilot", "a.instructions.md", SOURCES[2], false),
            ("kiro", "a.md", SOURCES[5], true),
            ("windsurf", "a.md", SOURCES[6], true),
            ("cursor", "a.mdc", SOURCES[6], false),
        ] {
            assert_eq!(
                is_native_instruction(rule(tool), file, text),
                expected,
                "{tool} {text}"
            );
        }
    }

    #[test]
    fn windows_line_extensions_stay() {
        assert_eq!(
            converted("cursor", "a\r\n"),
            "---\r\nalwaysApply: true\r\n---\r\na\r\n"
        );
    }
}
