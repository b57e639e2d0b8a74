//! Recognizes resources by their paths alone.

use crate::discover::candidate::CandidateType;

/// Directories that hold what others published, or what no tool reads.
const SKIPPED_DIRECTORIES: [&str; 3] = ["node_modules", ".git", ".agpm"];

/// Files about a directory, without their extension, in any case.
const DOCUMENTS: [&str; 6] = [
    "readme",
    "license",
    "licence",
    "changelog",
    "contributing",
    "code_of_conduct",
];
/// The same where they are written so: `security.md` may be an agent.
const UPPER_CASE_DOCUMENTS: [&str; 8] = [
    "SECURITY", "NOTICE", "SUPPORT", "AUTHORS", "AGENTS", "CLAUDE", "GEMINI", "TODO",
];

/// Extensions of scripts; a file without one may be a script too.
const SCRIPT_EXTENSIONS: [&str; 12] = [
    "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "ps1",
];
const SNIPPET_EXTENSIONS: [&str; 6] = ["md", "txt", "json", "toml", "yaml", "yml"];

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The directory of a path; empty at the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// Whether a path is in a directory, or is it; everything is in the root.
pub(crate) fn is_within(path: &str, directory: &str) -> bool {
    let rest = path.strip_prefix(directory);
    directory.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(crate) fn is_skipped(path: &str) -> bool {
    path.split('/')
        .any(|part| SKIPPED_DIRECTORIES.contains(&part))
}

pub(crate) fn is_document(path: &str) -> bool {
    let stem = file_name(path).split('.').next().unwrap_or_default();
    UPPER_CASE_DOCUMENTS.contains(&stem) || DOCUMENTS.contains(&stem.to_ascii_lowercase().as_str())
}

fn extension(path: &str) -> Option<&str> {
    let (stem, extension) = file_name(path).rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

/// The type that the path of a file names: by its extension, else by the nearest directory that does.
pub fn type_of_path(path: &str) -> Option<CandidateType> {
    by_extension(path).or_else(|| by_directory(path))
}

/// The same for a path in directories that may name a type themselves.
pub fn type_of_path_in(outer: &str, path: &str) -> Option<CandidateType> {
    type_of_path(path).or_else(|| type_of_path(&format!("{outer}/{path}")))
}

fn by_extension(path: &str) -> Option<CandidateType> {
    let name = file_name(path);
    let suffixes = [
        (".agent.md", CandidateType::Agent),
        (".prompt.md", CandidateType::Command),
        (".instructions.md", CandidateType::Instruction),
        (".mdc", CandidateType::Instruction),
    ];
    let found = suffixes
        .into_iter()
        .find(|(suffix, _)| name.len() > suffix.len() && name.ends_with(suffix));
    found.map(|(_, kind)| kind)
}

fn by_directory(path: &str) -> Option<CandidateType> {
    if is_document(path) {
        return None;
    }
    let nearest = parent(path).rsplit('/').find_map(type_of_directory)?;
    has_extension_of(path, nearest).then_some(nearest)
}

fn type_of_directory(directory: &str) -> Option<CandidateType> {
    match directory {
        "agents" => Some(CandidateType::Agent),
        "commands" | "prompts" => Some(CandidateType::Command),
        "rules" | "instructions" => Some(CandidateType::Instruction),
        "hooks" => Some(CandidateType::Hook),
        "mcp-servers" => Some(CandidateType::McpServer),
        "snippets" => Some(CandidateType::Snippet),
        "scripts" => Some(CandidateType::Script),
        _ => None,
    }
}

fn has_extension_of(path: &str, kind: CandidateType) -> bool {
    let extension = extension(path);
    match kind {
        CandidateType::Hook | CandidateType::McpServer => extension == Some("json"),
        CandidateType::Script => extension.is_none_or(|one| SCRIPT_EXTENSIONS.contains(&one)),
        CandidateType::Snippet => extension.is_some_and(|one| SNIPPET_EXTENSIONS.contains(&one)),
        _ => extension == Some("md"),
    }
}

/// Files that are about building and editing a repository.
const TOOL_FILES: [&str; 6] = [
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "composer.json",
    "deno.json",
    "renovate.json",
];

/// Whether only the content shows what a file is.
pub(crate) fn may_be_resource(path: &str) -> bool {
    let is_text = matches!(extension(path), Some("md" | "json")) || file_name(path) == ".mcp.json";
    let is_docs = |part: &str| matches!(part, "docs" | "doc" | ".vscode" | ".github");
    is_text
        && !is_document(path)
        && !TOOL_FILES.contains(&file_name(path))
        && !parent(path).split('/').any(is_docs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_the_type() {
        use CandidateType::*;
        for (path, expected) in [
            ("agents/reviewer.md", Some(Agent)),
            ("plugins/x/agents/deep/a.md", Some(Agent)),
            ("agents/README.md", None),
            ("agents/AGENTS.md", None),
            ("agents/security.md", Some(Agent)),
            ("agents/logo.png", None),
            ("planner.agent.md", Some(Agent)),
            ("commands/fix.md", Some(Command)),
            ("prompts/fix.md", Some(Command)),
            ("fix.prompt.md", Some(Command)),
            ("rules/style.md", Some(Instruction)),
            ("instructions/a.md", Some(Instruction)),
            ("a.instructions.md", Some(Instruction)),
            (".cursor/rules/a.mdc", Some(Instruction)),
            ("hooks/h.json", Some(Hook)),
            ("hooks/h.sh", None),
            ("mcp-servers/s.json", Some(McpServer)),
            ("snippets/s.md", Some(Snippet)),
            ("scripts/s.sh", Some(Script)),
            ("scripts/run", Some(Script)),
            ("scripts/s.png", None),
            ("agents/x/commands/y.md", Some(Command)),
            ("commands/agents/y.md", Some(Agent)),
            ("agents/a.prompt.md", Some(Command)),
            ("my-agents/a.md", None),
            (".mdc", None),
            ("a.md", None),
        ] {
            assert_eq!(type_of_path(path), expected, "{path}");
        }
    }

    #[test]
    fn a_path_is_within_a_directory_by_whole_parts() {
        assert!(is_within("a/b", "a") && is_within("a", "a") && is_within("a", ""));
        assert!(!is_within("ab/c", "a") && !is_within("", "a"));
    }
}
