//! The tables about tools in the documentation, from the definition of each tool.

use std::collections::BTreeMap;

use agpm_tools::{
    AgentContainer, AgentFields, AgentForm, AgentLimit, AgentNames, CommandFormat, CommandLine,
    Directory, FactSource, FileFormat, ForeignReading, HookLocation, HookShape, InheritedModel,
    MissingToolList, ModelForm, PatternList, Placeholders, REFERENCE_EVENTS, REFERENCE_TOOL,
    RemoteServers, RuleField, RuleValue, ScopedValue, ServerFormat, ServerSwitch, TOOLS,
    ToolDefinition, ToolList, VariableSyntax, Variables,
};

const NOTHING: &str = "–";
const SAME: &str = "same";
const WIDENED: &str = "**widened**";
const TEXT: &str = "plain text";

/// A Markdown table.
struct MarkdownTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl MarkdownTable {
    /// A table with a column for each tool.
    fn by_tool(first: &str, tools: &[&str]) -> Self {
        let tools = tools.iter().map(|tool| (*tool).to_owned());
        MarkdownTable {
            header: [first.to_owned()].into_iter().chain(tools).collect(),
            rows: Vec::new(),
        }
    }

    fn row(&mut self, first: &str, cells: impl IntoIterator<Item = String>) {
        self.rows
            .push([first.to_owned()].into_iter().chain(cells).collect());
    }

    fn print(&self) -> String {
        let mut out = line(&self.header);
        out.push_str(&format!("|{}\n", "---|".repeat(self.header.len())));
        out.extend(self.rows.iter().map(|row| line(row)));
        out
    }
}

/// A line of a table; an empty cell has one space.
fn line(cells: &[String]) -> String {
    let mut out = "|".to_owned();
    for cell in cells {
        out.push_str(&format!(" {cell} |").replace("  ", " "));
    }
    out + "\n"
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn same_or(name: &str, usual: &str) -> String {
    if name == usual {
        SAME.to_owned()
    } else {
        code(name)
    }
}

/// Where something is: `None` if the tool does not have it.
type PathCell = Option<String>;

/// Returns the path of each of the types in [`TYPES`].
fn locations(tool: &'static ToolDefinition) -> [ScopedValue<PathCell>; 6] {
    let directory = tool.directory;
    let agents = tool.agents.as_ref();
    let commands = tool.commands.as_ref();
    [
        files(
            directory,
            agents.map(|own| own.location),
            agents.and_then(|own| FileFormat::Agent(&own.format).extension()),
        ),
        files(
            directory,
            commands.map(|own| own.location),
            commands.and_then(|own| FileFormat::Command(&own.format).extension()),
        ),
        files(
            directory,
            tool.skills.as_ref().map(|own| own.location),
            None,
        ),
        instructions(tool),
        hooks(tool),
        both(tool.servers.as_ref().map(|own| own.location), |file, _| {
            entries(file)
        }),
    ]
}

const TYPES: [&str; 6] = [
    "agents",
    "commands",
    "skills",
    "instructions",
    "hooks",
    "mcp-servers",
];

fn entries(file: &str) -> String {
    format!("entries of {}", code(file))
}

/// Returns the name of a location in each scope.
fn both<P: Copy>(
    location: Option<ScopedValue<Option<P>>>,
    name: impl Fn(P, ToolPathScope) -> String,
) -> ScopedValue<PathCell> {
    ScopedValue {
        project: location
            .and_then(|location| location.project)
            .map(|location| name(location, ToolPathScope::Project)),
        user: location
            .and_then(|location| location.user)
            .map(|location| name(location, ToolPathScope::Home)),
    }
}

#[derive(Clone, Copy)]
enum ToolPathScope {
    Project,
    Home,
}

fn files(
    own: ScopedValue<&str>,
    location: Option<ScopedValue<Option<Directory>>>,
    extension: Option<&str>,
) -> ScopedValue<PathCell> {
    both(location, |directory, scope| {
        code(&file_pattern(own, directory, scope, extension))
    })
}

fn file_pattern(
    own: ScopedValue<&str>,
    directory: Directory,
    scope: ToolPathScope,
    extension: Option<&str>,
) -> String {
    let own = match scope {
        ToolPathScope::Project => own.project,
        ToolPathScope::Home => own.user,
    };
    let directory = match directory {
        Directory::Own(inner) => format!("{own}/{inner}"),
        Directory::Shared(directory) => directory.to_owned(),
    };
    extension.map_or(directory.clone(), |extension| {
        format!("{directory}/*.{extension}")
    })
}

fn instructions(tool: &'static ToolDefinition) -> ScopedValue<PathCell> {
    let own = tool.instructions.as_ref();
    let rule = own.and_then(|own| own.format.rule.as_ref());
    both(own.map(|own| own.location), |location, scope| {
        match (location.rules, rule, location.blocks.last()) {
            (Some(directory), Some(rule), _) => code(&file_pattern(
                tool.directory,
                directory,
                scope,
                Some(rule.extension),
            )),
            (_, _, file) => format!("blocks in {}", code(file.unwrap_or(&""))),
        }
    })
}

fn hooks(tool: &'static ToolDefinition) -> ScopedValue<PathCell> {
    both(
        tool.hooks.as_ref().map(|own| own.location),
        |location, scope| match location {
            HookLocation::Entries(file) => entries(file),
            HookLocation::Files(directory) => code(&file_pattern(
                tool.directory,
                directory,
                scope,
                Some("json"),
            )),
        },
    )
}

/// Returns the table of paths in a project.
pub(crate) fn project_locations() -> String {
    let mut table = MarkdownTable::by_tool("", &TYPES);
    for tool in TOOLS {
        let locations = locations(tool);
        if locations.iter().any(|location| location.project.is_some()) {
            let cells =
                locations.map(|location| location.project.unwrap_or_else(|| NOTHING.to_owned()));
            table.row(&code(tool.name), cells);
        }
    }
    table.print()
}

/// Returns the table of paths in home that differ from those in a project.
pub(crate) fn home_locations() -> String {
    let mut table = MarkdownTable::by_tool("", &TYPES);
    for tool in TOOLS {
        let locations = locations(tool);
        if locations
            .iter()
            .any(|location| location.project != location.user)
        {
            table.row(&code(tool.name), locations.map(home_location));
        }
    }
    table.print()
}

fn home_location(location: ScopedValue<PathCell>) -> String {
    match location.user {
        None => NOTHING.to_owned(),
        Some(_) if location.user == location.project => String::new(),
        Some(home) => home,
    }
}

/// Which tools read each directory of skills that several read.
pub(crate) fn skill_directories() -> String {
    let mut readers: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let own = TOOLS.iter().filter_map(|tool| {
        let location = locations(tool)[2].project.clone()?;
        Some((tool.name, location.trim_matches('`').to_owned()))
    });
    let own: Vec<(&str, String)> = own.collect();
    for (tool, directory) in &own {
        readers.entry(directory).or_default().push(tool);
    }
    for tool in TOOLS {
        for directory in tool
            .skills
            .iter()
            .flat_map(|own| own.format.also_reads.project)
        {
            readers.entry(directory).or_default().push(tool.name);
        }
    }
    let mut table = MarkdownTable::by_tool("directory", &["read by"]);
    for (directory, tools) in readers.iter().filter(|(_, tools)| tools.len() > 1) {
        let names: Vec<String> = tools.iter().map(|tool| code(tool)).collect();
        table.row(&code(directory), [names.join(", ")]);
    }
    table.print()
}

/// Which tools also run the hooks of another one.
pub(crate) fn foreign_hooks() -> String {
    let mut table = MarkdownTable::by_tool("tool", &["also runs the hooks of", "when"]);
    for tool in TOOLS {
        let Some(foreign) = tool.foreign_hooks else {
            continue;
        };
        let when = match foreign.reading {
            ForeignReading::Always => "always".to_owned(),
            ForeignReading::Setting(setting) => format!("with its setting {}", code(setting)),
        };
        table.row(&code(tool.name), [code(foreign.tool), when]);
    }
    table.print()
}

/// Returns the table of event names.
pub(crate) fn hook_events() -> String {
    let formats: Vec<_> = TOOLS
        .iter()
        .filter_map(|tool| Some((tool.name, &tool.hooks.as_ref()?.format)))
        .filter(|(_, format)| format.shape != HookShape::Reference)
        .collect();
    let names: Vec<&str> = formats.iter().map(|(name, _)| *name).collect();
    let mut table = MarkdownTable::by_tool(&format!("{}'s event", REFERENCE_TOOL.title), &names);
    for event in REFERENCE_EVENTS {
        let cells = formats.iter().map(|(_, format)| {
            let known = format.events.iter().find(|known| known.reference == *event);
            known.map_or(NOTHING.to_owned(), |known| same_or(known.name, event))
        });
        table.row(&code(event), cells);
    }
    table.print()
}

fn agent_fields() -> Vec<(&'static str, &'static AgentFields)> {
    let mut found = Vec::new();
    for tool in TOOLS.iter().filter(|tool| tool.name != REFERENCE_TOOL.name) {
        if let Some(AgentForm::Fields(fields)) = tool.agents.as_ref().map(|own| &own.format.form) {
            found.push((tool.name, fields));
        }
    }
    found
}

/// Returns the table of agent fields.
pub(crate) fn agents() -> String {
    let tools = agent_fields();
    let names: Vec<&str> = tools.iter().map(|(name, _)| *name).collect();
    let mut table = MarkdownTable::by_tool("field", &names);
    for (label, cell) in AGENT_ROWS {
        table.row(label, tools.iter().map(|(_, fields)| cell(fields)));
    }
    for field in ["effort", "background", "maxTurns"] {
        let cells = tools.iter().map(|(_, fields)| agent_rename(fields, field));
        table.row(&code(field), cells);
    }
    table.row(
        "`hooks`, `isolation`",
        tools.iter().map(|_| WIDENED.to_owned()),
    );
    table.row("anything else", tools.iter().map(|_| "dropped".to_owned()));
    table.print()
}

type AgentRow = (&'static str, fn(&AgentFields) -> String);

const AGENT_ROWS: &[AgentRow] = &[
    ("body", |fields| match fields.container {
        AgentContainer::Toml(body) => code(body),
        AgentContainer::Markdown => "body".to_owned(),
    }),
    ("`name`", |fields| match fields.names {
        AgentNames::Any => "exact".to_owned(),
        AgentNames::Slug => "exact; characters other than `a-z 0-9 - _` become `-`".to_owned(),
    }),
    ("`description`", |_| "exact".to_owned()),
    ("no `description`", |_| {
        "the first line of the body".to_owned()
    }),
    ("`tools` that only read", |fields| match fields.limit {
        AgentLimit::ReadOnly(key, Some(value)) => code(&format!("{key} = \"{value}\"")),
        AgentLimit::ReadOnly(key, None) => code(&format!("{key}: true")),
        AgentLimit::List(list) => in_list(list),
        AgentLimit::Never => WIDENED.to_owned(),
    }),
    ("`tools` that write or run", |fields| match fields.limit {
        AgentLimit::List(list) => in_list(list),
        AgentLimit::ReadOnly(..) | AgentLimit::Never => WIDENED.to_owned(),
    }),
    ("no `tools`", |fields| match fields.limit {
        AgentLimit::List(ToolList {
            key,
            missing: MissingToolList::NoTools(all),
            ..
        }) => code(&format!("{key}: [{all:?}]")),
        _ => SAME.to_owned(),
    }),
    ("`disallowedTools`", |fields| {
        let list = "removed from the list, else **widened**";
        read_only_or(fields, "read-only, else **widened**", list)
    }),
    ("`permissionMode: plan`", |fields| {
        read_only_or(fields, "read-only", WIDENED)
    }),
    ("other `permissionMode`", |_| "dropped".to_owned()),
    ("`inherit` as `model`", |fields| {
        match fields.models.inherited {
            InheritedModel::Named => "exact".to_owned(),
            InheritedModel::Implied => "dropped".to_owned(),
        }
    }),
    ("`model` of another vendor", |fields| {
        let vendor = fields.models.vendor;
        vendor.map_or("exact", |_| "dropped").to_owned()
    }),
    ("several models", |fields| match fields.models.form {
        ModelForm::DisplayName => "exact".to_owned(),
        _ => "dropped".to_owned(),
    }),
    ("`opus`, `sonnet`, `claude-…`", |_| "dropped".to_owned()),
    ("other `model`", |_| "exact".to_owned()),
];

fn read_only_or(fields: &AgentFields, read_only: &str, list: &str) -> String {
    match fields.limit {
        AgentLimit::ReadOnly(..) => read_only.to_owned(),
        AgentLimit::List(_) => list.to_owned(),
        AgentLimit::Never => WIDENED.to_owned(),
    }
}

/// The tool's own list, under its own field.
fn in_list(list: ToolList) -> String {
    match list.key {
        "tools" => "the tool's names".to_owned(),
        key => format!("the tool's names in {}", code(key)),
    }
}

fn agent_rename(fields: &AgentFields, field: &str) -> String {
    let renamed = fields.renames.iter().find(|(from, _)| *from == field);
    renamed.map_or("dropped".to_owned(), |(_, to)| code(to))
}

/// A tool's own format of commands.
struct CommandColumn {
    tool: &'static str,
    /// The location of the prompt.
    text: String,
    fields: &'static [&'static str],
    placeholders: &'static Placeholders,
}

impl CommandColumn {
    fn of(tool: &'static ToolDefinition) -> Option<Self> {
        match &tool.commands.as_ref()?.format {
            CommandFormat::Markdown(format) => Some(CommandColumn {
                tool: tool.name,
                text: "body".to_owned(),
                fields: format.fields,
                placeholders: &format.placeholders,
            }),
            CommandFormat::Toml(format) => Some(CommandColumn {
                tool: tool.name,
                text: code(format.prompt),
                fields: &["description"],
                placeholders: &format.placeholders,
            }),
            CommandFormat::Unchanged | CommandFormat::Checked(_) => None,
        }
    }

    fn field(&self, field: &str) -> String {
        let outcome = if self.fields.contains(&field) {
            "exact"
        } else {
            "dropped"
        };
        outcome.to_owned()
    }
}

/// Returns the table of command parts.
pub(crate) fn commands() -> String {
    let tools: Vec<CommandColumn> = TOOLS
        .iter()
        .filter_map(|tool| CommandColumn::of(tool))
        .collect();
    let names: Vec<&str> = tools.iter().map(|column| column.tool).collect();
    let mut table = MarkdownTable::by_tool("", &names);
    for (label, cell) in COMMAND_ROWS {
        table.row(label, tools.iter().map(cell));
    }
    table.print()
}

type CommandRow = (&'static str, fn(&CommandColumn) -> String);

const COMMAND_ROWS: &[CommandRow] = &[
    ("body", |column| column.text.clone()),
    ("`description`", |column| column.field("description")),
    ("`argument-hint`", |column| column.field("argument-hint")),
    ("`allowed-tools`", |_| {
        "dropped (it only grants permissions)".to_owned()
    }),
    ("`disallowed-tools`", |_| WIDENED.to_owned()),
    ("`$ARGUMENTS`", |column| code(column.placeholders.arguments)),
    ("`$1`, `$2`, …", |_| TEXT.to_owned()),
    ("`` !`command` ``", |column| {
        placeholder(column.placeholders.output, "command")
    }),
    ("`@path/to/file`", |column| {
        placeholder(column.placeholders.file, "path/to/file")
    }),
];

fn placeholder(marks: Option<(&str, &str)>, inner: &str) -> String {
    marks.map_or(TEXT.to_owned(), |(open, close)| {
        code(&format!("{open}{inner}{close}"))
    })
}

/// Returns the table of how each tool selects the files of an instruction.
pub(crate) fn instruction_fields() -> String {
    let mut table = MarkdownTable::by_tool("", &["for some files", "for all files"]);
    for tool in TOOLS {
        let instructions = tool.instructions.as_ref();
        let Some(rule) = instructions.and_then(|own| own.format.rule.as_ref()) else {
            continue;
        };
        let patterns = match rule.list {
            PatternList::List => format!("{} (a list)", code(rule.patterns)),
            PatternList::Commas => format!("{} (comma-separated)", code(rule.patterns)),
        };
        let some: Vec<String> = [patterns]
            .into_iter()
            .chain(rule.for_some.iter().map(rule_field))
            .collect();
        let all: Vec<String> = rule.for_all.iter().map(rule_field).collect();
        let all = if all.is_empty() {
            "no front matter".to_owned()
        } else {
            all.join(", ")
        };
        table.row(&code(tool.name), [some.join(", "), all]);
    }
    table.print()
}

fn rule_field(field: &RuleField) -> String {
    match field.value {
        RuleValue::Flag(flag) => code(&format!("{}: {flag}", field.key)),
        RuleValue::Text(text) => code(&format!("{}: {text:?}", field.key)),
    }
}

/// Returns the table of MCP server keys.
pub(crate) fn servers() -> String {
    let tools: Vec<_> = TOOLS
        .iter()
        .filter(|tool| tool.name != REFERENCE_TOOL.name)
        .filter_map(|tool| Some((tool.name, &tool.servers.as_ref()?.format)))
        .collect();
    let names: Vec<&str> = tools.iter().map(|(name, _)| *name).collect();
    let mut table = MarkdownTable::by_tool("", &names);
    for (label, cell) in SERVER_ROWS {
        table.row(label, tools.iter().map(|(_, format)| cell(format)));
    }
    table.print()
}

type ServerRow = (&'static str, fn(&ServerFormat) -> String);

const SERVER_ROWS: &[ServerRow] = &[
    ("under", |format| code(format.key)),
    ("`command`, `args`", |format| match format.command {
        CommandLine::Parts => SAME.to_owned(),
        CommandLine::PartsWithArgs => "same, `args` always".to_owned(),
        CommandLine::List => "one list".to_owned(),
    }),
    ("`env`", |format| match format.variables {
        Variables::Replaced(_) => same_or(format.env, "env"),
        Variables::Named(names) => match names.env_vars {
            Some(key) => format!("{} and {}", code(format.env), code(key)),
            None => "same, without variables".to_owned(),
        },
    }),
    ("`cwd`", |format| {
        let directory = format.directory;
        directory.map_or("dropped".to_owned(), |key| same_or(key, "cwd"))
    }),
    ("`type`", server_types),
    ("`url` over HTTP", |format| match format.remote {
        RemoteServers::Unsupported => "dropped".to_owned(),
        RemoteServers::Supported => same_or(format.urls.http, "url"),
    }),
    ("`url` with `type: sse`", |format| match format.urls.sse {
        _ if format.remote == RemoteServers::Unsupported => "dropped".to_owned(),
        None => "treated as HTTP".to_owned(),
        Some(key) if key == format.urls.http => same_or(key, "url"),
        Some(key) => code(key),
    }),
    ("`headers`", |format| match format.variables {
        _ if format.remote == RemoteServers::Unsupported => "dropped".to_owned(),
        Variables::Replaced(_) => SAME.to_owned(),
        Variables::Named(names) => {
            let keys = [Some(names.headers), names.env_headers, names.bearer];
            let keys: Vec<String> = keys.into_iter().flatten().map(code).collect();
            match keys.as_slice() {
                [_] => "same, without variables".to_owned(),
                keys => keys.join(", "),
            }
        }
    }),
    ("`${VAR}`", |format| match format.variables {
        Variables::Named(_) | Variables::Replaced(VariableSyntax::None) => {
            "not replaced".to_owned()
        }
        Variables::Replaced(VariableSyntax::Editor) => code("${env:VAR}"),
        Variables::Replaced(VariableSyntax::Braces) => code("{env:VAR}"),
        Variables::Replaced(VariableSyntax::Shell | VariableSyntax::ShellNewDefaults) => {
            SAME.to_owned()
        }
    }),
    ("`includeTools`", |format| {
        server_limit(format, "includeTools")
    }),
    ("`excludeTools`", |format| {
        server_limit(format, "excludeTools")
    }),
    ("`tools`", |format| server_limit(format, "tools")),
    ("`httpUrl`", |format| match format.remote {
        RemoteServers::Unsupported => "dropped".to_owned(),
        RemoteServers::Supported => same_or(format.urls.http, "httpUrl"),
    }),
    ("`disabled`", |format| match format.switch {
        ServerSwitch::Enabled => code("enabled: false"),
        ServerSwitch::Disabled => SAME.to_owned(),
        ServerSwitch::Absent => "left out".to_owned(),
    }),
];

fn server_types(format: &ServerFormat) -> String {
    let types = format.types;
    let mut words: Vec<String> = Vec::new();
    for word in [types.local, types.http, types.sse].into_iter().flatten() {
        if !words.contains(&code(word)) {
            words.push(code(word));
        }
    }
    if words.is_empty() {
        "not written".to_owned()
    } else {
        words.join(", ")
    }
}

fn server_limit(format: &ServerFormat, key: &str) -> String {
    let renamed = format.renames.iter().find(|(from, _)| *from == key);
    match renamed {
        _ if format.passes.contains(&key) => SAME.to_owned(),
        Some((_, to)) => code(to),
        None => WIDENED.to_owned(),
    }
}

/// The source of every fact, tool by tool.
pub(crate) fn sources() -> String {
    let mut out = format!(
        "# Sources\n\n{}\n\nThe source of each fact about a [tool](../tools.md), and the date when it was last checked.\n",
        crate::references::NOTE
    );
    for tool in TOOLS {
        out.push_str(&format!("\n## {}\n\n", tool.name));
        if tool.title != tool.name {
            out.push_str(&format!("{}.\n\n", tool.title));
        }
        let mut table = MarkdownTable::by_tool("fact", &["source", "checked"]);
        for (fact, FactSource { title, checked }) in facts(tool) {
            table.row(&fact, [title.to_owned(), checked.to_owned()]);
        }
        out.push_str(&table.print());
    }
    out
}

fn facts(tool: &'static ToolDefinition) -> Vec<(String, FactSource)> {
    let mut out = Vec::new();
    let mut add = |fact: &str, source: Option<FactSource>| {
        out.extend(source.map(|source| (fact.to_owned(), source)));
    };
    add("agents", tool.agents.as_ref().map(|own| own.source));
    add("commands", tool.commands.as_ref().map(|own| own.source));
    add("skills", tool.skills.as_ref().map(|own| own.source));
    add("snippets", tool.snippets.as_ref().map(|own| own.source));
    add("scripts", tool.scripts.as_ref().map(|own| own.source));
    let instructions = tool.instructions.as_ref().map(|own| own.source);
    add("instructions", instructions);
    add("hooks", tool.hooks.as_ref().map(|own| own.source));
    let names = tool.hooks.as_ref().map(|own| own.format.tool_names.source);
    add("names of tools in hooks", names);
    add("names of tools in agents", agent_names(tool));
    add("mcp-servers", tool.servers.as_ref().map(|own| own.source));
    add("other files that it reads", tool.layer_files.source);
    add("credentials", tool.credentials.source);
    add("variables of plugins", tool.plugin_variables.source);
    let manifest = tool.plugin_manifest.map(|own| own.source);
    add("manifest of plugins", manifest);
    let foreign = tool.foreign_hooks.map(|own| own.source);
    add("hooks of other tools", foreign);
    let listing = tool.listing.map(|own| own.source);
    add("list of skills for its model", listing);
    let unread = tool.unread_file.as_ref();
    let root = tool.project_root.as_ref();
    add("the project's directory", root.map(|own| own.source));
    add("clients that read its files", unread.map(|own| own.source));
    out
}

fn agent_names(tool: &'static ToolDefinition) -> Option<FactSource> {
    match &tool.agents.as_ref()?.format.form {
        AgentForm::Fields(fields) => match fields.limit {
            AgentLimit::List(list) => Some(list.names.source),
            AgentLimit::ReadOnly(..) | AgentLimit::Never => None,
        },
        AgentForm::Checked(_) => None,
    }
}
