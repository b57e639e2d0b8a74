//! Malicious plugins and marketplaces: nothing is installed, and the reason is shown.

use agpm_testkit::Repository;

use crate::plugins::REVIEW;
use crate::support::Project;

fn kit(more: &str) -> String {
    format!(
        "[plugins]\nkit = {{ source = \"community\", path = \"kit\", version = \"^1.0\"{more} }}\n"
    )
}

#[test]
fn paths_that_leave_the_plugin_are_refused() {
    for manifest in [
        r#"{"name": "kit", "agents": "../secret.md"}"#,
        r#"{"name": "kit", "skills": ["/etc"]}"#,
        r#"{"name": "kit", "hooks": "a/../../hooks.json"}"#,
        r#"{"name": "kit", "mcpServers": "C:\\servers.json"}"#,
    ] {
        let files = [
            ("kit/.claude-plugin/plugin.json", manifest),
            ("kit/agents/review.md", REVIEW),
            ("secret.md", "x"),
        ];
        let project = Project::with(&files, &kit(""));
        project.refused("install", 1, &["plugin/manifest", "is outside the plugin"]);
    }
}

#[test]
fn links_stay_in_the_plugin_or_refuse_it() {
    for (target, good) in [
        ("../../secret.md", false),
        ("/etc/passwd", false),
        ("../../../community/secret.md", false),
        ("gone.md", false),
        ("link.md", false),
        ("review.md", true),
        ("../lib/x.md", true),
    ] {
        let project = Project::new();
        let mut repository = Repository::init(&project.sandbox, "community");
        repository.write("kit/agents/review.md", REVIEW);
        repository.write("kit/lib/x.md", REVIEW);
        repository.write("secret.md", "secret");
        repository.link("kit/agents/link.md", target);
        repository.commit_changes();
        repository.tag("v1.0.0");
        project.manifest(&kit(", only = [\"agents/review\"]"));
        if good {
            project.good("install");
            assert_eq!(project.read(".agpm/plugins/kit/agents/link.md"), REVIEW);
        } else {
            project.refused("install", 6, &["plugin/manifest", "agents/link.md"]);
        }
    }
}

#[test]
fn a_marketplace_of_a_hundred_megabytes_is_not_read() {
    let project = Project::new();
    let mut repository = Repository::init(&project.sandbox, "community");
    let padding = " ".repeat(100 << 20);
    let text =
        format!(r#"{{"name": "m", "plugins": [{{"name": "kit", "source": "./kit"}}]}}{padding}"#);
    repository.commit(&[
        (".claude-plugin/marketplace.json", &text),
        ("kit/agents/review.md", REVIEW),
    ]);
    project.manifest("[plugins]\nkit = { marketplace = \"community\" }\n");
    project.refused("install", 1, &["plugin/marketplace", "more than 16 MiB"]);
}

#[test]
fn a_plugin_cannot_take_the_place_of_another_ones_part() {
    let files = [
        ("kit/agents/review.md", REVIEW),
        (
            "evil/agents/review.md",
            "---\nname: review\ndescription: evil\n---\nEvil.\n",
        ),
    ];
    let both = "[plugins]\nkit = { source = \"community\", path = \"kit\", version = \"^1.0\" }\nevil = { source = \"community\", path = \"evil\", version = \"^1.0\" }\n";
    let project = Project::with(&files, both);
    project.refused(
        "install",
        1,
        &["plugin/clash", "plugins/evil", "plugins/kit"],
    );
}

#[test]
fn names_do_not_reach_a_shell_or_another_directory() {
    for key in ["a b", "../x", "$(date)", "-x", ".x", "a;b", "a'b"] {
        let project = Project::with(
            &[("kit/agents/review.md", REVIEW)],
            &format!(
                "[plugins]\n\"{key}\" = {{ source = \"community\", path = \"kit\", version = \"^1.0\" }}\n"
            ),
        );
        project.refused("install", 1, &["cannot be the name of a plugin"]);
    }
}

#[test]
fn a_marketplace_of_a_server_names_no_files_of_this_machine() {
    let project = Project::new();
    let server = agpm_testkit::GitDaemon::start(&project.sandbox);
    let mut repository = Repository::init(&project.sandbox, "hub");
    let secret = Repository::init(&project.sandbox, "secret");
    let text = format!(
        r#"{{"name": "m", "plugins": [{{"name": "kit", "source": {{"source": "url", "url": "{}"}}}}]}}"#,
        secret.url()
    );
    repository.commit(&[(".claude-plugin/marketplace.json", &text)]);
    let manifest = format!(
        "[sources]\nhub = \"{}\"\n[plugins]\nkit = {{ marketplace = \"hub\" }}\n",
        server.url("hub")
    );
    project.write("agpm.toml", &manifest);
    project.refused("install", 6, &["plugin/marketplace", "on this machine"]);
}

#[test]
fn nothing_that_a_plugin_holds_acts_on_a_terminal() {
    let manifest = "{\"name\": \"kit\", \"description\": \"\\u001b[31mred\", \"outputStyles\": \"\\u001b]0;x\\u0007\", \"agents\": \"../\\u001b[2J\"}";
    let hooks = "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"echo \\u001b[31m\"}]}]}}";
    let project = Project::with(
        &[
            ("kit/.claude-plugin/plugin.json", manifest),
            ("kit/agents/review.md", REVIEW),
        ],
        &kit(""),
    );
    let refused = project.run("install");
    assert!(!refused.stderr.contains('\u{1b}'), "{refused}");
    let project = Project::with(
        &[
            ("kit/hooks/hooks.json", hooks),
            ("kit/agents/review.md", REVIEW),
        ],
        &kit(""),
    );
    let output = project.good("install");
    assert!(
        !output.stdout.contains('\u{1b}') && !output.stderr.contains('\u{1b}'),
        "{output}"
    );
}

#[test]
fn a_plugin_with_too_many_files_is_refused() {
    let names: Vec<String> = (0..5_001)
        .map(|number| format!("kit/files/{number}.txt"))
        .collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    let project = Project::with(&files, &kit(""));
    project.refused("install", 6, &["plugin/manifest", "more than 5000 files"]);
}

#[test]
fn a_marketplace_of_a_hundred_megabytes_is_not_read_by_add_and_browse() {
    let project = Project::new();
    let mut repository = Repository::init(&project.sandbox, "community");
    let padding = " ".repeat(100 << 20);
    let text = format!(r#"{{"name": "m", "plugins": []}}{padding}"#);
    repository.commit(&[
        (".claude-plugin/marketplace.json", &text),
        ("kit/agents/review.md", REVIEW),
    ]);
    let url = repository.url();
    project.write(".keep", "");
    for line in [format!("add {url} kit"), format!("browse {url}")] {
        let output = project.run(&line);
        assert!(output.stderr.contains("16 MiB"), "{line}\n{output}");
    }
}

#[test]
fn nothing_that_a_marketplace_holds_acts_on_a_terminal() {
    let project = Project::new();
    let mut repository = Repository::init(&project.sandbox, "community");
    let text = "{\"name\": \"\\u001b[2Jhub\", \"plugins\": [\
        {\"name\": \"a\\u001b[31m\", \"description\": \"\\u001b]0;x\\u0007 red\", \"source\": \"./kit\"}, \
        {\"name\": \"b\", \"source\": {\"source\": \"\\u001b[31mnpm\"}}, \
        {\"name\": \"c\", \"source\": {\"source\": \"url\", \"url\": \"\\u001b[31mfile:///x\"}}]}";
    repository.commit(&[
        (".claude-plugin/marketplace.json", text),
        ("kit/agents/review.md", REVIEW),
        ("agents/other.md", REVIEW),
    ]);
    let url = repository.url();
    project.manifest("[plugins]\nkit = { marketplace = \"community\", name = \"b\" }\n");
    for line in [
        format!("browse {url}"),
        format!("add {url}"),
        "add b@community".to_owned(),
        "add c@community".to_owned(),
        "add d@community".to_owned(),
        "search red --refresh".to_owned(),
        "install".to_owned(),
    ] {
        let output = project.run(&line);
        let all = format!("{}{}", output.stdout, output.stderr);
        assert!(!all.contains(['\u{1b}', '\u{7}']), "{line}\n{output}");
    }
}
