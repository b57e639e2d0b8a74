//! The target path of a resource: tool directory, type directory, `target`, file name.

use std::collections::BTreeMap;

use agpm_diag::is_invisible;
use agpm_model::{
    Dependency, Destination, InstructionForm, LockedPlacement, PathError, RelativePath,
    ResourcePath, ResourceType, TargetLayout, Tool, ToolDirectory, ToolName, Tools,
    is_generic_stem,
};
use agpm_tools::FileFormat;

use crate::skill_directories::skill_directories;

/// The inputs that decide the path of one file.
#[derive(Clone, Copy, Debug)]
pub struct TargetRequest<'a> {
    /// The resource type.
    pub kind: ResourceType,
    /// The path in its source.
    pub path: &'a ResourcePath,
    /// A directory under the type's own.
    pub target: Option<&'a RelativePath>,
    /// A custom file name.
    pub filename: Option<&'a RelativePath>,
    /// Whether to keep directories, if the manifest sets it.
    pub layout: Option<TargetLayout>,
    /// The pattern that the path matches.
    pub pattern: Option<&'a ResourcePath>,
    /// Whether other tools use the resource too.
    pub sharing: ToolSharing,
    /// The name of the resource. Instruction files are named after it, and so are hook files with a generic name and
    /// whole sources, which have no file name.
    pub name: &'a str,
    /// How an instruction is installed.
    pub form: InstructionForm,
}

/// Whether one or several tools use a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSharing {
    /// One tool uses the file.
    OneTool,
    /// Several tools use it, with different file extensions.
    SeveralTools,
}

impl ToolSharing {
    /// The sharing for a number of tools.
    pub fn of(tools: usize) -> Self {
        if tools > 1 {
            ToolSharing::SeveralTools
        } else {
            ToolSharing::OneTool
        }
    }
}

/// Two entries with the same path, by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetClash {
    /// The path, as the first entry spells it.
    pub path: RelativePath,
    /// The index of the first entry.
    pub first: usize,
    /// The index of the second entry.
    pub second: usize,
}

impl<'a> TargetRequest<'a> {
    /// The request for a resource that the manifest does not name.
    pub fn plain(kind: ResourceType, path: &'a ResourcePath, name: &'a str) -> Self {
        TargetRequest {
            kind,
            path,
            target: None,
            filename: None,
            layout: None,
            pattern: None,
            sharing: ToolSharing::OneTool,
            name,
            form: InstructionForm::default(),
        }
    }

    /// The request of a manifest dependency for the file at this path.
    pub fn of(dependency: &'a Dependency, path: &'a ResourcePath, tools: &Tools) -> Self {
        TargetRequest {
            sharing: ToolSharing::of(tools.used_by(dependency).len()),
            name: dependency.name.as_str(),
            form: dependency.form,
            kind: dependency.kind,
            path,
            target: dependency.target.as_ref(),
            filename: dependency.filename.as_ref(),
            layout: dependency.layout,
            pattern: Some(&dependency.unit.path).filter(|path| path.is_pattern()),
        }
    }
}

impl TargetRequest<'_> {
    fn is_block(&self) -> bool {
        self.kind == ResourceType::Instructions && self.form == InstructionForm::Block
    }
}

/// The path, from the project, of the file, of the skill's directory, or of the file that holds the entries or the
/// block; `None` if the tool does not support the type. A block for some files may go into a directory instead.
pub fn target(tool: &Tool, request: &TargetRequest<'_>) -> Result<Option<RelativePath>, PathError> {
    let (tool_directory, form) = match tool.destination(request.kind) {
        Some(_) if request.is_block() => return Ok(tool.block_files.last().cloned()),
        Some(Destination::Files(tool_directory, form)) => (tool_directory, form),
        Some(Destination::Entries(file, _) | Destination::Blocks(file)) => {
            return Ok(Some(file.clone()));
        }
        None => return Ok(None),
    };
    let name = match request.kind {
        ResourceType::Skills | ResourceType::Plugins => directory_name(request),
        ResourceType::Instructions => name_after_entry(request, *form),
        // A repository has one `hooks.json` in each of many directories, and a tool reads all hooks from one.
        ResourceType::Hooks if is_generic_stem(request.kind, request.path.stem()) => {
            name_after_entry(request, *form)
        }
        _ => file_name(request, *form),
    };
    let directory = tool.directory(tool_directory);
    path_in(directory.as_ref(), tool, request, &name).map(Some)
}

/// The directory of a skill in one of the directories that a tool reads.
pub(crate) fn skill_in(
    directory: &RelativePath,
    tool: &Tool,
    request: &TargetRequest<'_>,
) -> Result<RelativePath, PathError> {
    path_in(Some(directory), tool, request, &directory_name(request))
}

fn path_in(
    directory: Option<&RelativePath>,
    tool: &Tool,
    request: &TargetRequest<'_>,
    name: &str,
) -> Result<RelativePath, PathError> {
    // Tools differ: some read subdirectories, others ignore the files in them. The manifest can override either.
    let inner = match request.layout.unwrap_or(tool.layout(request.kind)) {
        TargetLayout::Flat => "",
        TargetLayout::Folders => kept_directories(request),
    };
    let parts = [
        directory.map(RelativePath::as_str),
        request.target.map(RelativePath::as_str),
        Some(inner).filter(|inner| !inner.is_empty()),
        Some(name),
    ];
    let path = parts.into_iter().flatten().collect::<Vec<_>>().join("/");
    // Names of a source may be chosen to look like another file of the project.
    if path.chars().any(is_invisible) {
        return Err(PathError::Invisible);
    }
    // Checked again after joining: parts that are valid alone can still give a path that leaves the project or is
    // not portable.
    RelativePath::new(&path)
}

/// The path of a resource for each of several tools; `None` for tools that do not support the type.
pub fn placements(
    tools: &Tools,
    names: &[&ToolName],
    request: &TargetRequest<'_>,
) -> Result<Vec<LockedPlacement>, PathError> {
    let directories = match request.kind {
        ResourceType::Skills => skill_directories(tools, names),
        _ => BTreeMap::new(),
    };
    let mut placements = Vec::new();
    for name in names {
        let at = match (tools.named(name.as_str()), directories.get(*name)) {
            (Some(tool), Some(directory)) => Some(skill_in(directory, tool, request)?),
            (Some(tool), None) => target(tool, request)?,
            (None, _) => None,
        };
        let tool = (*name).clone();
        placements.push(LockedPlacement { tool, at });
    }
    placements.sort();
    Ok(placements)
}

/// Whether a tool could have installed a resource of a type at a path, whatever the manifest contained at that time.
pub fn could_install_at(tool: &Tool, kind: ResourceType, path: &RelativePath) -> bool {
    match tool.destination(kind) {
        Some(_) if kind == ResourceType::Instructions && tool.may_hold_blocks(path) => true,
        // The lockfile of a clone names paths that agpm would delete later. One that no tool writes to is refused.
        Some(Destination::Files(tool_directory, _)) => {
            path_in_type_directory(tool, tool_directory, path).is_some()
        }
        Some(Destination::Entries(file, _) | Destination::Blocks(file)) => file == path,
        None => false,
    }
}

/// The path of a file from the directory of its tool and type; `None` if it is outside.
pub fn path_in_type_directory<'p>(
    tool: &Tool,
    tool_directory: &ToolDirectory,
    path: &'p RelativePath,
) -> Option<&'p str> {
    let Some(directory) = tool.directory(tool_directory) else {
        return Some(path.as_str());
    };
    path.as_str()
        .strip_prefix(directory.as_str())?
        .strip_prefix('/')
}

/// The directories to keep in the target: those under the first one named like the type, or all of them if none is. A
/// pattern with `flatten = false` may match the type's directory in many locations; then all are kept, because only the
/// directories above it distinguish the matches.
fn kept_directories<'a>(request: &TargetRequest<'a>) -> &'a str {
    let mut directories = request.path.directory();
    // The directories above the project are specific to this machine. `../shared/agents/x.md` must not be written
    // outside the project, and the name of a sibling directory means nothing to others.
    while let Some(rest) = directories.strip_prefix("..") {
        directories = rest.trim_start_matches('/');
    }
    let fixed = request
        .pattern
        .filter(|_| request.layout == Some(TargetLayout::Folders));
    let fixed = fixed.map_or(directories.len(), |pattern| {
        pattern.literal_directory().len()
    });
    let mut start = 0;
    for part in directories.split('/') {
        let end = start + part.len();
        if part == request.kind.plural() || part == request.kind.singular() {
            // The type's directory in the fixed part of a pattern is common to all matches and can go; one inside
            // the variable part is what distinguishes them.
            return if start == 0 || end <= fixed {
                directories.get(end + 1..).unwrap_or_default()
            } else {
                directories
            };
        }
        start = end + 1;
    }
    if directories.starts_with('/') {
        ""
    } else {
        directories
    }
}

/// The name of a file that is named after its entry, whatever the file in the source is called.
fn name_after_entry(request: &TargetRequest<'_>, format: FileFormat) -> String {
    let extension = format.extension().or(request.path.extension());
    match (request.filename, extension) {
        (Some(_), _) => file_name(request, format),
        (None, Some(extension)) => format!("{}.{extension}", request.name),
        (None, None) => request.name.to_owned(),
    }
}

/// A name with an extension is used as it is; any other gets the extension of the tool, or of the source.
fn file_name(request: &TargetRequest<'_>, format: FileFormat) -> String {
    let path = request.path;
    let stem = match request.filename {
        Some(name) if name.file_name().contains('.') => {
            // With several tools one `filename` is used for files of different formats, so the extension follows
            // the tool.
            let tool_extension = format
                .extension()
                .filter(|extension| !has_extension(name.as_str(), extension));
            match tool_extension.filter(|_| request.sharing == ToolSharing::SeveralTools) {
                Some(extension) => return format!("{}.{extension}", stem_of(name.as_str())),
                None => return name.to_string(),
            }
        }
        Some(name) => name.as_str(),
        None => path.stem(),
    };
    match format.extension() {
        Some(extension)
            if request.filename.is_none() && has_extension(path.file_name(), extension) =>
        {
            path.file_name().to_owned()
        }
        Some(extension) => format!("{stem}.{extension}"),
        None => path
            .extension()
            .map_or(stem.to_owned(), |extension| format!("{stem}.{extension}")),
    }
}

fn stem_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.strip_suffix(extension)
        .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
}

/// The name of a directory, which has no extension.
fn directory_name(request: &TargetRequest<'_>) -> String {
    match request.filename {
        Some(name) => name.to_string(),
        None if request.path.is_top() => request.name.to_owned(),
        None => request.path.file_name().to_owned(),
    }
}

/// Pairs of paths that cannot coexist: some file systems ignore case, and a file cannot also be a directory.
pub fn clashes<'a>(files: impl IntoIterator<Item = (usize, &'a RelativePath)>) -> Vec<TargetClash> {
    let mut seen: BTreeMap<String, (usize, &RelativePath)> = BTreeMap::new();
    let mut found = Vec::new();
    for (entry, path) in files {
        // Compared in lower case on every system: a lockfile written on Linux is installed on macOS and Windows too.
        match seen.get(&path.folded()) {
            Some((first, path)) => found.push(TargetClash {
                path: (*path).clone(),
                first: *first,
                second: entry,
            }),
            None => drop(seen.insert(path.folded(), (entry, path))),
        }
    }
    for (folded, (entry, _)) in &seen {
        // A file at the path of a directory of another resource cannot be written after it, whichever comes first.
        let above = folded
            .match_indices('/')
            .find_map(|(at, _)| seen.get(&folded[..at]));
        let clash = above.map(|(first, path)| TargetClash {
            path: (*path).clone(),
            first: *first,
            second: *entry,
        });
        found.extend(clash);
    }
    found
}

#[cfg(test)]
mod tests {
    use agpm_model::Tools;

    use super::*;

    fn at(
        tool: &str,
        kind: ResourceType,
        path: &str,
        set: impl Fn(&mut TargetRequest<'_>),
    ) -> String {
        let tools = Tools::default();
        let path = ResourcePath::local(path).unwrap();
        let mut request = TargetRequest {
            kind,
            path: &path,
            target: None,
            filename: None,
            layout: None,
            pattern: None,
            sharing: ToolSharing::OneTool,
            name: "",
            form: InstructionForm::default(),
        };
        set(&mut request);
        target(tools.named(tool).unwrap(), &request)
            .unwrap()
            .map_or_else(|| "none".into(), |p| p.to_string())
    }

    #[test]
    fn a_hook_file_with_a_generic_name_is_named_after_its_entry() {
        let hook = |path: &str, tool: &str| {
            at(tool, ResourceType::Hooks, path, |request| {
                request.name = "guard"
            })
        };
        assert_eq!(
            hook("hooks/tool-guard/hooks.json", "copilot"),
            ".github/hooks/guard.json"
        );
        assert_eq!(
            hook("hooks/audit.json", "copilot"),
            ".github/hooks/audit.json"
        );
    }

    #[test]
    fn files_go_where_their_tool_keeps_them() {
        use ResourceType::{Agents, Commands, Hooks, McpServers, Scripts, Skills, Snippets};
        for (tool, kind, path, expected) in [
            (
                "claude-code",
                Agents,
                "agents/ai/x.md",
                ".claude/agents/x.md",
            ),
            ("opencode", Agents, "agents/x.md", ".opencode/agent/x.md"),
            (
                "claude-code",
                Commands,
                "commands/git/c.md",
                ".claude/commands/c.md",
            ),
            (
                "agpm",
                Snippets,
                "snippets/py/utils.md",
                ".agpm/snippets/py/utils.md",
            ),
            (
                "agpm",
                Snippets,
                "lib/snippets/py/utils.md",
                ".agpm/snippets/py/utils.md",
            ),
            (
                "agpm",
                Snippets,
                "../shared/utils.md",
                ".agpm/snippets/shared/utils.md",
            ),
            (
                "agpm",
                Snippets,
                "/home/me/shared/utils.md",
                ".agpm/snippets/utils.md",
            ),
            (
                "agpm",
                Snippets,
                "/home/me/snippets/py/utils.md",
                ".agpm/snippets/py/utils.md",
            ),
            (
                "agpm",
                Snippets,
                "other/utils.md",
                ".agpm/snippets/other/utils.md",
            ),
            (
                "agpm",
                Snippets,
                "tool-a/servers/x.json",
                ".agpm/snippets/tool-a/servers/x.json",
            ),
            (
                "agpm",
                Snippets,
                "snippets/a/snippets/x.md",
                ".agpm/snippets/a/snippets/x.md",
            ),
            (
                "claude-code",
                Scripts,
                "scripts/ci/run.sh",
                ".claude/scripts/ci/run.sh",
            ),
            (
                "claude-code",
                Hooks,
                "hooks/x.json",
                ".claude/settings.local.json",
            ),
            ("codex", Agents, "agents/x.md", ".codex/agents/x.toml"),
            ("codex", Agents, "agents/x.toml", ".codex/agents/x.toml"),
            ("codex", Commands, "commands/x.md", "none"),
            ("codex", Skills, "skills/pdf", ".agents/skills/pdf"),
            ("agents", Skills, "skills/pdf", ".agents/skills/pdf"),
            ("opencode", Skills, "skills/pdf", ".opencode/skills/pdf"),
            (
                "claude-code",
                Skills,
                "lib/skills/pdf.v2",
                ".claude/skills/pdf.v2",
            ),
            ("cursor", Agents, "agents/x.md", ".cursor/agents/x.md"),
            ("cursor", Commands, "commands/x.md", ".cursor/commands/x.md"),
            (
                "copilot",
                Agents,
                "agents/x.md",
                ".github/agents/x.agent.md",
            ),
            (
                "copilot",
                Agents,
                "agents/x.agent.md",
                ".github/agents/x.agent.md",
            ),
            (
                "copilot",
                Commands,
                "commands/git/c.md",
                ".github/prompts/c.prompt.md",
            ),
            ("copilot", Hooks, "hooks/x.jsonc", ".github/hooks/x.json"),
            ("copilot", McpServers, "mcp/x.json", ".vscode/mcp.json"),
            ("gemini", Agents, "agents/x.md", ".gemini/agents/x.md"),
            (
                "gemini",
                Commands,
                "commands/c.md",
                ".gemini/commands/c.toml",
            ),
        ] {
            assert_eq!(at(tool, kind, path, |_| {}), expected, "{path}");
        }
    }

    #[test]
    fn the_manifest_may_say_otherwise() {
        let directory = RelativePath::new("team/own").unwrap();
        let plain = RelativePath::new("dev-tool").unwrap();
        let dotted = RelativePath::new("dev.txt").unwrap();
        let agents = ResourceType::Agents;
        assert_eq!(
            at("claude-code", agents, "agents/ai/x.md", |request| request
                .layout =
                Some(TargetLayout::Folders)),
            ".claude/agents/ai/x.md"
        );
        assert_eq!(
            at(
                "agpm",
                ResourceType::Snippets,
                "snippets/py/u.md",
                |request| request.layout = Some(TargetLayout::Flat)
            ),
            ".agpm/snippets/u.md"
        );
        let tools = Tools::default();
        let path = ResourcePath::in_source("agents/x.md").unwrap();
        for (filename, expected) in [
            (&plain, ".claude/agents/team/own/dev-tool.md"),
            (&dotted, ".claude/agents/team/own/dev.txt"),
        ] {
            let request = TargetRequest {
                kind: agents,
                path: &path,
                target: Some(&directory),
                filename: Some(filename),
                layout: None,
                pattern: None,
                sharing: ToolSharing::OneTool,
                name: "",
                form: InstructionForm::default(),
            };
            let found = target(tools.named("claude-code").unwrap(), &request).unwrap();
            assert_eq!(found.unwrap().as_str(), expected);
        }
    }

    #[test]
    fn a_name_of_the_manifest_gets_the_tools_extension_unless_it_has_one() {
        let plain = RelativePath::new("dev").unwrap();
        let dotted = RelativePath::new("dev.md").unwrap();
        for (tool, kind, path, filename, expected) in [
            (
                "codex",
                ResourceType::Agents,
                "agents/x.md",
                &plain,
                ".codex/agents/dev.toml",
            ),
            (
                "codex",
                ResourceType::Agents,
                "agents/x.md",
                &dotted,
                ".codex/agents/dev.md",
            ),
            (
                "copilot",
                ResourceType::Commands,
                "commands/x.prompt.md",
                &plain,
                ".github/prompts/dev.prompt.md",
            ),
            (
                "claude-code",
                ResourceType::Skills,
                "skills/pdf",
                &plain,
                ".claude/skills/dev",
            ),
            (
                "claude-code",
                ResourceType::Skills,
                "skills/pdf.v2",
                &plain,
                ".claude/skills/dev",
            ),
            (
                "claude-code",
                ResourceType::Skills,
                "skills/pdf",
                &dotted,
                ".claude/skills/dev.md",
            ),
        ] {
            let path = ResourcePath::in_source(path).unwrap();
            let request = TargetRequest {
                kind,
                path: &path,
                target: None,
                filename: Some(filename),
                layout: None,
                pattern: None,
                sharing: ToolSharing::OneTool,
                name: "",
                form: InstructionForm::default(),
            };
            let found = target(Tools::default().named(tool).unwrap(), &request).unwrap();
            assert_eq!(found.unwrap().as_str(), expected);
        }
    }

    #[test]
    fn a_pattern_that_is_not_flat_keeps_its_matches_apart() {
        for (pattern, path, expected) in [
            (
                "plugins/*/agents/*.md",
                "plugins/a/agents/x.md",
                ".claude/agents/plugins/a/agents/x.md",
            ),
            ("agents/**/*.md", "agents/ai/x.md", ".claude/agents/ai/x.md"),
            (
                "lib/agents/*/*.md",
                "lib/agents/ai/x.md",
                ".claude/agents/ai/x.md",
            ),
            ("**/*.md", "agents/ai/x.md", ".claude/agents/ai/x.md"),
            (
                "../shared/*/*.md",
                "../shared/ai/x.md",
                ".claude/agents/shared/ai/x.md",
            ),
        ] {
            let pattern = ResourcePath::local(pattern).unwrap();
            let path = ResourcePath::found(path).unwrap();
            let request = TargetRequest {
                kind: ResourceType::Agents,
                path: &path,
                target: None,
                filename: None,
                layout: Some(TargetLayout::Folders),
                pattern: Some(&pattern),
                sharing: ToolSharing::OneTool,
                name: "",
                form: InstructionForm::default(),
            };
            let found = target(Tools::default().named("claude-code").unwrap(), &request).unwrap();
            assert_eq!(found.unwrap().as_str(), expected);
        }
    }

    #[test]
    fn clashes_count_case_and_directories() {
        let paths: Vec<RelativePath> = ["a/b.md", "a/B.md", "c", "c/d.md", "e"]
            .iter()
            .map(|p| RelativePath::new(p).unwrap())
            .collect();
        let found = clashes(paths.iter().enumerate());
        let pairs: Vec<(usize, usize)> = found
            .iter()
            .map(|clash| (clash.first, clash.second))
            .collect();
        assert_eq!(pairs, [(0, 1), (2, 3)]);
    }
}
