//! Formats of instructions.

/// The format of a tool's instructions.
#[derive(Debug, PartialEq, Eq)]
pub struct InstructionFormat {
    /// Their own Files; `None` where the tool reads one file that users write too.
    pub rule: Option<RuleFormat>,
    /// The bytes that the tool reads of one file; `None` where no limit is known.
    pub largest_file: Option<usize>,
}

impl InstructionFormat {
    /// Blocks in a file that users write too.
    pub(crate) const BLOCKS: InstructionFormat = InstructionFormat {
        rule: None,
        largest_file: None,
    };

    /// Their own Files.
    pub(crate) const fn rules(rule: RuleFormat) -> Self {
        InstructionFormat {
            rule: Some(rule),
            largest_file: None,
        }
    }
}

/// Markdown whose front matter names the files that it is for.
#[derive(Debug, PartialEq, Eq)]
pub struct RuleFormat {
    /// The extension of its files.
    pub extension: &'static str,
    /// The field that holds the patterns of files.
    pub patterns: &'static str,
    /// The notation of several patterns.
    pub list: PatternList,
    /// Further front matter of instructions for some files.
    pub for_some: &'static [RuleField],
    /// The front matter of instructions for everything.
    pub for_all: &'static [RuleField],
    /// Whether it may hold a `description`.
    pub description: RuleDescription,
}

impl RuleFormat {
    /// Only `paths`, which instructions for everything lack.
    pub(crate) const PATHS: RuleFormat = RuleFormat {
        extension: "md",
        patterns: "paths",
        list: PatternList::List,
        for_some: &[],
        for_all: &[],
        description: RuleDescription::Unknown,
    };

    /// A `trigger`, and `globs` for some files.
    pub(crate) const fn triggered(list: PatternList) -> Self {
        RuleFormat {
            extension: "md",
            patterns: "globs",
            list,
            for_some: const { &[RuleField::text("trigger", "glob")] },
            for_all: const { &[RuleField::text("trigger", "always_on")] },
            description: RuleDescription::Read,
        }
    }
}

/// The notation of several patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternList {
    /// As a list.
    List,
    /// As a string with commas.
    Commas,
}

/// The treatment of a `description`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleDescription {
    /// The tool reads the description.
    Read,
    /// The tool's documentation does not mention it.
    Unknown,
}

/// A field with a fixed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleField {
    /// The key of the rule field.
    pub key: &'static str,
    /// The value of the rule field.
    pub value: RuleValue,
}

/// The value of a fixed field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleValue {
    /// True or false.
    Flag(bool),
    /// A string.
    Text(&'static str),
}

impl RuleField {
    pub(crate) const fn flag(key: &'static str, value: bool) -> Self {
        RuleField {
            key,
            value: RuleValue::Flag(value),
        }
    }

    pub(crate) const fn text(key: &'static str, value: &'static str) -> Self {
        RuleField {
            key,
            value: RuleValue::Text(value),
        }
    }
}
