//! What is found in projects that are in memory.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::Path;

use agpm_adopt::{
    DetectedIn, ManifestEntry, NewEntries, ProjectSurvey, adoption_choices, detect_tools, survey,
};
use agpm_model::ResourceType;
use agpm_testkit::MemoryFiles;
use agpm_text::{Format, parse_alone};

const PROJECT: &str = "/p";
const COMMIT: &str = "a123456789012345678901234567890123456789";

fn found(files: &MemoryFiles) -> ProjectSurvey {
    survey(files, Path::new(PROJECT))
}

fn paths(survey: &ProjectSurvey) -> Vec<(&str, &str)> {
    let resources = survey.resources.iter();
    resources.map(|one| (one.tool, one.path.as_str())).collect()
}

#[test]
fn the_directories_of_every_tool_are_looked_into() {
    let files = MemoryFiles::new([
        ("/p/.claude/agents/deep/a.md", ""),
        ("/p/.codex/agents/b.toml", ""),
        ("/p/.codex/agents/b.md", "not read by codex"),
        ("/p/.github/agents/c.agent.md", ""),
        ("/p/.github/agents/d.md", ""),
        ("/p/.github/prompts/e.prompt.md", ""),
        ("/p/.github/workflows/ci.yml", ""),
        ("/p/.gemini/commands/f/g.toml", ""),
        ("/p/.opencode/agents/h.md", ""),
        ("/p/.agents/skills/i/SKILL.md", ""),
        ("/p/.windsurf/skills/j/SKILL.md", ""),
        ("/p/.claude/skills/no-skill/README.md", ""),
        ("/p/src/agents/k.md", "not a place of a tool"),
    ]);
    let found = found(&files);
    let mut expected = [
        ("claude-code", ".claude/agents/deep/a.md"),
        ("codex", ".codex/agents/b.toml"),
        ("copilot", ".github/agents/c.agent.md"),
        ("copilot", ".github/agents/d.md"),
        ("copilot", ".github/prompts/e.prompt.md"),
        ("gemini", ".gemini/commands/f/g.toml"),
        ("opencode", ".opencode/agents/h.md"),
        ("agents", ".agents/skills/i"),
        ("windsurf", ".windsurf/skills/j"),
    ];
    let mut paths = paths(&found);
    expected.sort_unstable();
    paths.sort_unstable();
    assert_eq!(paths, expected);
    assert!(found.resources.iter().any(|one| one.name == "c"));
}

#[test]
fn files_without_a_description_are_skipped_with_the_reason() {
    let files = MemoryFiles::new([
        ("/p/.claude/agents/[a].md", ""),
        ("/p/.claude/agents/b.md", ""),
        ("/p/.claude/agents/B.md", ""),
        ("/p/.claude/skills/c/SKILL.md", ""),
        ("/p/.claude/agents/d.md", ""),
        ("/p/.claude/agents/README.md", ""),
    ])
    .link("/p/.claude/skills/c/more", "/etc")
    .link("/p/.claude/agents/e.md", "/etc/passwd")
    .unreadable("/p/.claude/agents/d.md");
    let found = found(&files);
    assert_eq!(found.resources.len(), 1, "{:?}", found.resources);
    let reasons: Vec<(&str, &str)> = found
        .skipped
        .iter()
        .map(|one| (one.path.as_str(), one.reason.as_str()))
        .collect();
    assert_eq!(
        reasons,
        [
            (
                ".claude/agents/[a].md",
                "has a name that is not valid in a manifest"
            ),
            (
                ".claude/agents/b.md",
                "differs from another one only in case"
            ),
            (".claude/agents/d.md", "cannot be read"),
            (".claude/agents/e.md", "is a symlink"),
            (
                ".claude/skills/c",
                "contains `more`, which is not a regular file"
            ),
        ]
    );
}

#[test]
fn symlinks_to_skills_are_not_found_twice() {
    let files = MemoryFiles::new([("/p/.agents/skills/a/SKILL.md", "")])
        .link("/p/.claude/skills/a", "/p/.agents/skills/a")
        .link("/p/.cursor/skills", "/p/.agents/skills");
    assert_eq!(paths(&found(&files)), [("agents", ".agents/skills/a")]);
}

#[test]
fn hooks_servers_rules_and_managers_are_reported() {
    let files = MemoryFiles::new([
        (
            "/p/.mcp.json",
            "// c\n{\"mcpServers\": {\"fs\": {}, \"db\": {}}}",
        ),
        (
            "/p/.codex/config.toml",
            "[mcp_servers.x]\ncommand = \"x\"\n",
        ),
        ("/p/.zed/settings.json", "{\"theme\": \"x\"}"),
        (
            "/p/.cursor/hooks.json",
            "{\"version\": 1, \"hooks\": {\"stop\": []}}",
        ),
        ("/p/.agents/hooks.json", "{\"gate\": {\"Stop\": []}}"),
        (
            "/p/.github/hooks/a.json",
            "{\"hooks\": {\"sessionStart\": []}}",
        ),
        ("/p/.gemini/settings.json", "not JSON"),
        ("/p/.claude/settings.json", "{\"enabledPlugins\": {}}"),
        ("/p/AGENTS.md", ""),
        ("/p/.clinerules/a.md", ""),
        ("/p/.clinerules/workflows/b.md", ""),
        ("/p/apm.yml", ""),
    ]);
    let found = found(&files);
    let servers: Vec<(&str, String)> = found
        .servers
        .iter()
        .map(|one| (one.path.as_str(), one.names.join(",")))
        .collect();
    assert_eq!(
        servers,
        [
            (".codex/config.toml", "x".to_owned()),
            (".mcp.json", "fs,db".to_owned())
        ]
    );
    let hooks: Vec<&str> = found.hooks.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(
        hooks,
        [
            ".agents/hooks.json",
            ".cursor/hooks.json",
            ".github/hooks/a.json"
        ]
    );
    let rules: Vec<&str> = found.rules.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(rules, ["AGENTS.md"]);
    let mut resources = paths(&found);
    resources.sort_unstable();
    assert_eq!(
        resources,
        [
            ("cline", ".clinerules/a.md"),
            ("cline", ".clinerules/workflows/b.md")
        ]
    );
    let kinds: Vec<ResourceType> = found.resources.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [ResourceType::Commands, ResourceType::Instructions]);
    let managers: Vec<&str> = found.managers.iter().map(|one| one.path.as_str()).collect();
    assert_eq!(managers, ["apm.yml", ".claude/settings.json"]);
}

#[test]
fn tools_are_those_of_the_project_or_else_of_home() {
    for (files, tools, directory) in [
        (
            vec!["/p/.cursor/x"],
            vec!["cursor"],
            Some(DetectedIn::Project),
        ),
        (
            vec!["/p/GEMINI.md", "/p/AGENTS.md", "/h/.claude/x"],
            vec!["gemini"],
            Some(DetectedIn::Project),
        ),
        (
            vec!["/p/AGENTS.md"],
            vec!["agents"],
            Some(DetectedIn::Project),
        ),
        (vec!["/p/.github/workflows/ci.yml"], vec![], None),
        (vec!["/p/.zed/settings.json"], vec![], None),
        (
            vec![
                "/h/.claude/x",
                "/h/.copilot/x",
                "/h/.agents/x",
                "/h/.config/zed/x",
            ],
            vec!["claude-code", "copilot", "zed"],
            Some(DetectedIn::Home),
        ),
    ] {
        let memory = MemoryFiles::new(files.iter().map(|path| (*path, "")));
        let home = Some(Path::new("/h"));
        let tooling = detect_tools(&memory, Path::new(PROJECT), home, &found(&memory));
        assert_eq!(
            (tooling.tools, tooling.found_in),
            (tools, directory),
            "{files:?}"
        );
    }
}

fn clone_files<'f>(at: &'f [String; 4], config: &'f str) -> MemoryFiles {
    MemoryFiles::new([
        (at[0].as_str(), "ref: refs/heads/main\n"),
        (at[1].as_str(), config),
        (at[2].as_str(), COMMIT),
        (at[3].as_str(), ""),
    ])
}

#[test]
fn a_clone_names_its_url_and_commit_without_a_secret() {
    let at = ["HEAD", "config", "refs/heads/main"]
        .map(|name| format!("/p/.claude/skills/a/.git/{name}"));
    let [head, config, branch] = at;
    let skill = "/p/.claude/skills/a/SKILL.md".to_owned();
    for (url, expected) in [
        (
            "https://x.example/o/a.git",
            Some("https://x.example/o/a.git"),
        ),
        (
            "https://me:hunter2@x.example/o/a.git",
            Some("https://x.example/o/a.git"),
        ),
        ("", None),
    ] {
        let text =
            format!("[core]\n[remote \"other\"]\n url = x\n[remote \"origin\"]\n\turl = {url}\n");
        let paths = [head.clone(), config.clone(), branch.clone(), skill.clone()];
        let files = clone_files(&paths, &text);
        let choices = adoption_choices(&files, Path::new(PROJECT), &found(&files), &[]);
        let origin = choices[0].origins.first();
        let url = origin.map(|one| one.source.as_ref().unwrap().address.reveal().to_owned());
        assert_eq!(url.as_deref(), expected);
        if let Some(origin) = origin {
            assert_eq!(origin.field("rev"), Some(COMMIT));
            assert_eq!(origin.field("path"), Some("."));
        }
    }
}

#[test]
fn a_submodule_is_read_where_its_file_points_but_not_outside_of_the_project() {
    for (pointer, is_found) in [
        ("gitdir: ../../../.git/modules/a", true),
        ("gitdir: ../../../../other/.git", false),
        ("nonsense", false),
    ] {
        let config = "[remote \"origin\"]\nurl = https://x.example/a.git\n";
        let files = MemoryFiles::new([
            ("/p/.claude/skills/a/.git", pointer),
            ("/p/.claude/skills/a/SKILL.md", ""),
            ("/p/.git/modules/a/HEAD", COMMIT),
            ("/p/.git/modules/a/config", config),
            ("/other/.git/HEAD", COMMIT),
            ("/other/.git/config", config),
        ]);
        let choices = adoption_choices(&files, Path::new(PROJECT), &found(&files), &[]);
        assert_eq!(!choices[0].origins.is_empty(), is_found, "{pointer}");
    }
}

#[test]
fn entries_keep_what_a_manifest_has_and_name_sources_once() {
    let text = "# mine\n[sources]\nhub = \"https://github.com/o/r.git\"\n[skills]\na = { path = \"./a\" }\n";
    let document = parse_alone(text.to_owned(), Format::Toml).document;
    let entry = |name: &str, url: &str| {
        let address = agpm_model::SourceAddress::parse(url).unwrap();
        let version = agpm_adopt::ForeignVersion::Unstated;
        ManifestEntry::of_source(ResourceType::Skills, name, address, "skills/x", &version)
    };
    let entries = [
        entry("a", "https://github.com/x/y"),
        entry("b", "https://github.com/o/r"),
        entry("c", "https://github.com/z/hub"),
        entry("d", "https://github.com/z/hub"),
        entry("d", "https://github.com/z/hub"),
    ];
    let new = NewEntries::for_manifest(&document, &entries, &["cursor".to_owned()]);
    assert_eq!(new.kept, ["skills/a", "skills/d"]);
    let written = new.written_into(text).unwrap();
    assert!(
        written.starts_with(text.trim_end_matches("[skills]\na = { path = \"./a\" }\n")),
        "{written}"
    );
    for line in [
        "z-hub = \"https://github.com/z/hub\"",
        "b = { source = \"hub\", path = \"skills/x\", branch = \"main\" }",
        "c = { source = \"z-hub\", path = \"skills/x\", branch = \"main\" }",
        "tools = [\"cursor\"]",
    ] {
        assert!(written.lines().any(|one| one == line), "{line}\n{written}");
    }
    let document = parse_alone(written.clone(), Format::Toml).document;
    let again = NewEntries::for_manifest(&document, &entries, &["zed".to_owned()]);
    assert!(again.is_empty(), "{again:?}");
}
