//! How many requests each command makes to a server over HTTP. Requests are what a user waits for, so they are counted,
//! and no number of files, resources or versions may change them.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

#[path = "packages/support.rs"]
#[allow(
    dead_code,
    reason = "what packages need is more than what requests need"
)]
mod project;

use std::fs;

use agpm_testkit::{Behaviour, HttpServer, Repository};
use project::Project;

/// How many skills the library has.
const SKILLS: usize = 30;
/// How many versions it has.
const VERSIONS: usize = 5;

/// A library of skills, a layer, a plugin with its marketplace, a base and a catalog, behind a server.
struct Library<'p> {
    project: &'p Project,
    repository: Repository<'p>,
    server: HttpServer,
}

impl<'p> Library<'p> {
    fn new(project: &'p Project) -> Self {
        let mut repository = Repository::init(&project.sandbox, "library");
        repository.git(&["config", "uploadpack.allowFilter", "true"]);
        for version in 0..VERSIONS {
            let files: Vec<(String, String)> = (0..SKILLS)
                .flat_map(|number| skill(number, version))
                .chain(others(version))
                .collect();
            let files: Vec<(&str, &str)> = files
                .iter()
                .map(|(path, text)| (path.as_str(), text.as_str()))
                .collect();
            repository.commit(&files);
            repository.tag(&format!("v1.{version}.0"));
        }
        let server = HttpServer::start(&project.sandbox);
        Library {
            project,
            repository,
            server,
        }
    }

    fn url(&self) -> String {
        self.server.url("library")
    }

    fn manifest(&self, text: &str) {
        let text = format!("[sources]\nlibrary = \"{}\"\n{text}", self.url());
        self.project.sandbox.write("project/agpm.toml", text);
    }

    /// Runs a command, and returns how many requests it made.
    fn requests(&self, line: &str) -> u64 {
        let before = self.server.requests();
        self.project.good(line);
        self.server.requests() - before
    }

    /// Runs a command on a machine that has nothing of the library.
    fn cold_requests(&self, line: &str) -> u64 {
        self.clear_cache();
        self.requests(line)
    }

    fn clear_cache(&self) {
        let cache = self.project.sandbox.home().with_file_name("cache");
        fs::remove_dir_all(&cache).unwrap();
        fs::create_dir(cache).unwrap();
    }

    /// Removes what was installed and the state, as in a clone that has the manifest and the lockfile.
    fn clone_again(&self) {
        for directory in [".claude", ".agpm"] {
            let _ = fs::remove_dir_all(self.project.path(directory));
        }
    }

    fn shallow_clone(&self) -> u64 {
        let before = self.server.requests();
        let mut command = self.project.sandbox.command("git");
        command.args(["clone", "--quiet", "--depth=1", &self.url(), "clone"]);
        let output = self.project.sandbox.output(command);
        assert_eq!(output.code, Some(0), "{output}");
        self.server.requests() - before
    }
}

fn skill(number: usize, version: usize) -> [(String, String); 2] {
    let directory = format!("skills/skill-{number}");
    let front = format!("---\nname: skill-{number}\ndescription: Skill {version}.\n---\n");
    [
        (format!("{directory}/SKILL.md"), front),
        (
            format!("{directory}/notes.md"),
            format!("Notes {number} of {version}\n"),
        ),
    ]
}

fn others(version: usize) -> Vec<(String, String)> {
    let agent = "---\nname: reviewer\ndescription: Reviews.\ndependencies:\n  snippets:\n    - path: \
                 snippets/style.md\n---\nReview.\n";
    let marketplace = "{\"name\": \"market\", \"owner\": {\"name\": \"o\"}, \"plugins\": [{\"name\": \"helper\", \
                       \"source\": \"./plugins/helper\"}]}";
    let files = [
        ("agents/reviewer.md", agent.to_owned()),
        ("snippets/style.md", format!("Style {version}.\n")),
        (
            "layer/.claude/settings.json",
            format!("{{\"model\": \"m{version}\"}}\n"),
        ),
        ("layer/notes/a.md", format!("a{version}\n")),
        (".claude-plugin/marketplace.json", marketplace.to_owned()),
        (
            "plugins/helper/.claude-plugin/plugin.json",
            "{\"name\": \"helper\"}".to_owned(),
        ),
        (
            "plugins/helper/agents/help.md",
            "---\nname: help\ndescription: Helps.\n---\nHelp.\n".to_owned(),
        ),
        ("plugins/helper/commands/ask.md", "Ask.\n".to_owned()),
        ("base/agpm.toml", "[project]\nteam = \"blue\"\n".to_owned()),
        ("bmad/_cfg/agent-manifest.csv", "name\none\n".to_owned()),
    ];
    let owned = |(path, text): (&str, String)| (path.to_owned(), text);
    files.into_iter().map(owned).collect()
}

/// A greeting, a listing, and one request for all trees and one for all files.
const MOST: u64 = 4;

#[test]
fn a_shallow_clone_needs_no_more_than_one_request_less() {
    let project = Project::new();
    let library = Library::new(&project);
    assert_eq!(library.shallow_clone(), MOST - 1);
}

#[test]
fn many_skills_cost_as_many_requests_as_one() {
    let project = Project::new();
    let library = Library::new(&project);
    fs::create_dir_all(project.path("")).unwrap();
    let url = library.url();
    assert_eq!(
        library.cold_requests(&format!("add {url}//skills/skill-1")),
        MOST
    );
    project.good("remove skill-1");
    // The descriptions of all candidates, then the rest of their files.
    assert_eq!(
        library.cold_requests(&format!("add {url} --all --type skill")),
        MOST + 1
    );
    project.good("remove skill-0");
    // The files of the other skills are read again before the version of the new one is chosen.
    assert!(library.cold_requests(&format!("add {url} skill-0")) <= MOST + 1);
    assert!(project.exists(".claude/skills/skill-29/notes.md"));
    library.clone_again();
    assert_eq!(library.cold_requests("install"), MOST);
    library.clone_again();
    assert_eq!(library.cold_requests("install --frozen"), MOST);
    assert_eq!(library.cold_requests("update"), MOST);
    assert_eq!(library.requests("install"), 0);
    // Only the listing is requested.
    assert_eq!(library.requests("update"), 2);
    assert_eq!(library.requests("outdated"), 2);
    assert!(library.cold_requests("outdated") < MOST);
}

#[test]
fn a_pattern_and_many_versions_cost_as_many_requests_as_one_skill() {
    let project = Project::new();
    let library = Library::new(&project);
    library.manifest(
        "[skills]\nall = { source = \"library\", path = \"skills/*\", version = \"^1.0\" }\n",
    );
    assert_eq!(library.cold_requests("install"), MOST);

    let entry = |number: usize| {
        let version = number % VERSIONS;
        format!(
            "s{number} = {{ source = \"library\", path = \"skills/skill-{number}\", version = \"v1.{version}.0\" }}\n"
        )
    };
    let entries: String = (0..SKILLS).map(entry).collect();
    library.manifest(&format!("[skills]\n{entries}"));
    assert_eq!(library.cold_requests("install"), MOST);
    let ranges = fs::read_to_string(project.path("agpm.toml")).unwrap();
    let ranges = (0..VERSIONS).fold(ranges, |text, version| {
        text.replace(&format!("\"v1.{version}.0\""), "\"^1.0\"")
    });
    project.write("agpm.toml", &ranges);
    // The newest version may be in the cache, but not all its files.
    assert!(library.requests("update") < MOST);
    assert_eq!(
        project.read(".claude/skills/skill-1/notes.md"),
        "Notes 1 of 4\n"
    );

    let commits = library.repository.git(&["log", "--format=%H"]).stdout;
    let by_commit: String = commits
        .lines()
        .enumerate()
        .map(|(number, commit)| {
            format!(
                "s{number} = {{ source = \"library\", path = \"skills/skill-{number}\", rev = \"{commit}\" }}\n"
            )
        })
        .collect();
    library.manifest(&format!("[skills]\n{by_commit}"));
    // The versions that are installed are read too, for the comparison of what they may do.
    assert!(library.cold_requests("install") <= MOST + 1);
}

#[test]
fn layers_plugins_bases_and_catalogs_are_read_in_few_requests() {
    let project = Project::new();
    let library = Library::new(&project);
    let url = library.url();
    let layer =
        "[[layers]]\nname = \"org\"\nsource = \"library\"\nversion = \"^1.0\"\nroot = \"layer\"\n";
    library.manifest(layer);
    assert_eq!(library.cold_requests("install"), MOST);

    let layers: String = (0..3)
        .map(|version| {
            format!(
                "[[layers]]\nname = \"l{version}\"\nsource = \"library\"\nversion = \"v1.{version}.0\"\nroot = \
                 \"layer\"\n"
            )
        })
        .collect();
    library.manifest(&layers);
    assert_eq!(library.cold_requests("install --approve all"), MOST);

    // The list of a marketplace tells which files a plugin has.
    library.manifest("[plugins]\nhelper = { marketplace = \"library\", version = \"^1.0\" }\n");
    assert_eq!(library.cold_requests("install"), MOST + 1);

    project.write(
        "agpm.toml",
        &format!("extends = \"git+{url}//base@^1.0\"\n"),
    );
    assert_eq!(library.cold_requests("install"), MOST);

    library.manifest("[catalog]\nremotes = [\"library\"]\n");
    assert_eq!(library.cold_requests("install"), MOST);

    // A child is known only when its parent was read.
    library.manifest(
        "[agents]\nreviewer = { source = \"library\", path = \"agents/reviewer.md\", version = \"^1.0\" }\n",
    );
    assert!(library.cold_requests("install") <= MOST + 1);

    // All of it at once.
    library.manifest(&format!(
        "{layer}[plugins]\nhelper = {{ marketplace = \"library\", version = \"^1.0\" }}\n[catalog]\nremotes = \
         [\"library\"]\n[agents]\nreviewer = {{ source = \"library\", path = \"agents/reviewer.md\", version = \"^1.0\" \
         }}\n"
    ));
    assert!(library.cold_requests("install") <= MOST + 4);
    assert_eq!(library.cold_requests(&format!("browse {url}")), MOST);
    assert_eq!(library.requests(&format!("browse {url}")), 2);
}

#[test]
fn a_server_without_filters_or_with_an_old_protocol_costs_one_more_round() {
    let project = Project::new();
    let library = Library::new(&project);
    library.manifest(
        "[skills]\nall = { source = \"library\", path = \"skills/*\", version = \"^1.0\" }\n",
    );
    library
        .repository
        .git(&["config", "uploadpack.allowFilter", "false"]);
    assert!(library.cold_requests("install") <= MOST);
    library.server.behave(Behaviour::OldProtocol);
    library.clone_again();
    assert!(library.cold_requests("install") <= 2 * MOST);
}
