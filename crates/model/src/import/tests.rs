//! Configurations with the expected manifest and findings.

use agpm_diag::{Diagnostic, SourceMap};
use agpm_text::{Format, Limits, parse, parse_alone};

use crate::import::{BaseDirectories, ImportAdditions, ImportedConfiguration, read_agent_manager};
use crate::manifest::{Manifest, ManifestTexts, SectionEntry};

const FOLDERS: BaseDirectories<'_> = BaseDirectories {
    project: "/home/ann/shop",
    home: Some("/home/ann"),
};

fn read(yaml: &str) -> (ImportedConfiguration, Vec<String>) {
    let mut sources = SourceMap::default();
    let source = sources.add("config.yaml", yaml);
    let parsed = parse(source, yaml, Format::Yaml, Limits::default());
    let (import, diagnostics) = read_agent_manager(&parsed, &FOLDERS);
    let line = |found: &Diagnostic| sources.line(source, found.labels[0].span.start);
    let findings =
        |found: &Diagnostic| format!("{} {} {}", line(found), found.code.name, found.message);
    (import, diagnostics.iter().map(findings).collect())
}

fn additions(import: &ImportedConfiguration, toml: &str) -> Result<ImportAdditions, Vec<String>> {
    let document = parse_alone(toml.to_owned(), Format::Toml).document;
    let entries = |section: &str| {
        let section = document.root().and_then(|root| root.get(section));
        section
            .into_iter()
            .flat_map(|section| section.entries())
            .map(|(key, value)| SectionEntry { key, value })
            .collect()
    };
    let scope = crate::InstallScope::Project;
    let texts = ManifestTexts {
        project: &document,
        manifest: &document,
        bases: &[],
        private: None,
        config: None,
        entries: &entries,
        scope,
        syntax_errors: &[],
    };
    let (manifest, wrong) = Manifest::read(&texts);
    assert!(wrong.is_empty(), "{wrong:?}");
    let clashes = |found: Vec<Diagnostic>| found.into_iter().map(|found| found.message).collect();
    import.additions(&manifest, &document).map_err(clashes)
}

fn written(yaml: &str, toml: &str) -> String {
    additions(&read(yaml).0, toml)
        .unwrap()
        .written_into(toml)
        .unwrap()
}

/// A hierarchy of directories with these names.
fn hierarchy(names: &[&str]) -> String {
    let entry =
        |name: &&str| format!("- {{name: {name}, url: 'file:///srv/{name}', repo_type: file}}\n");
    format!(
        "hierarchy:\n{}",
        names.iter().map(entry).collect::<String>()
    )
}

#[test]
fn an_entry_becomes_a_layer() {
    for (entry, table) in [
        (
            "url: file:///home/ann/my ai, repo_type: local",
            "path = \"~/my ai\"",
        ),
        (
            "url: file:///home/ann/a%20b, repo_type: file",
            "path = \"~/a%20b\"",
        ),
        ("url: file:///home/ann/shop/conf/", "path = \"conf\""),
        ("url: 'file://~/x', repo_type: local", "path = \"~/x\""),
        ("url: /srv/x, repo_type: local", "path = \"/srv/x\""),
        (
            "url: git@git.example:org/x.git, repo_type: git",
            "source = \"one\"\nbranch = \"main\"",
        ),
        (
            "url: 'https://git.example/x', repo_type: git, branch: next",
            "source = \"one\"\nbranch = \"next\"",
        ),
        (
            "url: file:///srv/x.git, repo_type: git",
            "source = \"one\"\nbranch = \"main\"",
        ),
        (
            "url: 'https://git.example/x'",
            "source = \"one\"\nbranch = \"main\"",
        ),
    ] {
        let yaml = format!("hierarchy:\n- {{name: one, {entry}}}\n");
        assert_eq!(read(&yaml).1, [] as [&str; 0], "{entry}");
        let text = written(&yaml, "");
        assert!(
            text.ends_with(&format!("[[layers]]\nname = \"one\"\n{table}\n")),
            "{entry}\n{text}"
        );
    }
}

#[test]
fn secrets_do_not_are_transitive() {
    for (url, address) in [
        ("https://ann:hunter2@git.example/x", "https://git.example/x"),
        ("ssh://git:hunter2@git.example/x", "ssh://git@git.example/x"),
    ] {
        let yaml = format!("hierarchy:\n- name: one\n  url: {url}\n  repo_type: git\n");
        let findings = ["3 manifest/secret the URL contains a secret, which is not imported"];
        assert_eq!(read(&yaml).1, findings, "{url}");
        let text = written(&yaml, "");
        assert!(
            text.starts_with(&format!("[sources]\none = \"{address}\"\n")),
            "{text}"
        );
    }
}

#[test]
fn objects_of_the_program_are_passed_over() {
    let yaml = "hierarchy:\n- name: one\n  url: file:///srv/one\n  repo_type: local\n  repo: !python/object:a.b.C {...}\n\
        - name: two\n  repo: &id !!python/object:a.b.C\n    path: !!python/object/apply:pathlib.PosixPath\n    - /\n  \
        url: file:///srv/two\n  repo_type: local\n";
    let (import, findings) = read(yaml);
    assert_eq!(findings, [] as [&str; 0]);
    assert_eq!(import.layers.len(), 2);
    let (_, findings) = read("hierarchy:\n- name: !mine one\n  url: file:///srv/one\n");
    assert_eq!(findings, ["2 yaml/tag this tag is not supported"]);
}

#[test]
fn mergers_become_lines() {
    for (mergers, lines) in [
        (
            "MarkdownMerger: {separator_style: horizontal_rule}",
            "\"*.md\" = { separator = \"rule\" }\n\"*.markdown\" = { separator = \"rule\" }\n",
        ),
        (
            "MarkdownMerger: {separator_style: comment}",
            "\"*.md\" = { separator = \"comment\" }\n\"*.markdown\" = { separator = \"comment\" }\n",
        ),
        (
            "JsonMerger: {strategy: ExtendListStrategy}",
            "\"*.json\" = \"extend-lists\"\n",
        ),
        (
            "JsonMerger: {strategy: smart-lists}",
            "\"*.json\" = \"smart-lists\"\n",
        ),
        (
            "YamlMerger: {merge_strategy: replace}",
            "\"*.yaml\" = \"replace\"\n\"*.yml\" = \"replace\"\n",
        ),
        (
            "ExtendListJsonMerger: {}",
            "\"*.json\" = \"extend-lists\"\n",
        ),
        (
            "SmartListYamlMerger:",
            "\"*.yaml\" = \"smart-lists\"\n\"*.yml\" = \"smart-lists\"\n",
        ),
    ] {
        let yaml = format!("{}mergers:\n  {mergers}\n", hierarchy(&["one"]));
        assert_eq!(read(&yaml).1, [] as [&str; 0], "{mergers}");
        let text = written(&yaml, "");
        assert!(text.ends_with(&format!("\n[merge]\n{lines}")), "{text}");
    }
}

#[test]
fn fields_without_a_counterpart_are_reported_with_their_line() {
    for (more, line, message) in [
        (
            "mergers:\n  JsonMerger: {indent: 4}",
            4,
            "the setting `indent` of `JsonMerger` has no counterpart",
        ),
        (
            "mergers: {JsonMerger: {strategy: MyStrategy}}",
            3,
            "the setting `strategy` of `JsonMerger` has no counterpart",
        ),
        (
            "mergers: {TextMerger: {strategy: extend}}",
            3,
            "the setting `strategy` of `TextMerger` has no counterpart",
        ),
        (
            "mergers: {MarkdownMerger: {separator_style: stars}}",
            3,
            "the setting `separator_style` of `MarkdownMerger` has no counterpart",
        ),
        (
            "mergers: {TomlMerger: {}}",
            3,
            "the merger `TomlMerger` is a custom executable",
        ),
        (
            "mergers: {JsonMerger: {strategy: deep}, ReplaceJsonMerger: {}}",
            3,
            "another merger already handles `*.json`",
        ),
        (
            "- {name: two, url: 's3://b/x', repo_type: s3}",
            3,
            "the layer `two` is a repository of type `s3`",
        ),
        (
            "- {name: two, url: /x, repo_type: file, depth: 1}",
            3,
            "the key `depth` of an entry has no counterpart",
        ),
        (
            "plugins: {}",
            3,
            "the key `plugins` of the configuration has no counterpart",
        ),
        (
            "repos_dir: x",
            3,
            "the key `repos_dir` of the configuration has no counterpart",
        ),
        (
            "directories: {HOME: {type: local}}",
            3,
            "the directory `HOME` is another project",
        ),
        (
            "directories: {HOME/shop: {type: git}}",
            3,
            "the key `type` of a directory has no counterpart",
        ),
        (
            "default_agents: [vim]",
            3,
            "the files of the agent `vim` are unknown",
        ),
    ] {
        let (import, findings) = read(&format!("{}{more}\n", hierarchy(&["one"])));
        assert_eq!(
            findings,
            [format!("{line} import/no-counterpart {message}")],
            "{more}"
        );
        assert_eq!(import.layers[0].name.as_str(), "one", "{more}");
    }
}

#[test]
fn malformed_files_are_reported_with_their_line() {
    let entry = "hierarchy:\n- {name: one, url: /srv/one}\n";
    for (yaml, findings) in [
        (
            "",
            "1 import/format this is not an agent-manager configuration".to_owned(),
        ),
        (
            "- a\n",
            "1 import/format this is not an agent-manager configuration".to_owned(),
        ),
        (
            "a: 1\n",
            "1 import/format this file has neither `hierarchy` nor `repos`".to_owned(),
        ),
        (
            "hierarchy: []\n",
            "1 import/format `hierarchy` is empty".to_owned(),
        ),
        (
            "hierarchy: org\n",
            "1 import/format `hierarchy` is a string".to_owned(),
        ),
        (
            "hierarchy:\n- org\n",
            "2 import/format an entry of the hierarchy is a string".to_owned(),
        ),
        (
            "hierarchy:\n- url: /srv/one\n",
            "2 import/format this entry has no `name`".to_owned(),
        ),
        (
            "hierarchy:\n- name: one\n",
            "2 import/format this entry has no `url`".to_owned(),
        ),
        (
            "hierarchy:\n- {name: '', url: /x}\n",
            "2 import/format `name` is empty".to_owned(),
        ),
        (
            "hierarchy:\n- {name: \"a\\nb\", url: /x}\n",
            "2 import/format a name is one line and not empty".to_owned(),
        ),
        (
            "hierarchy:\n- name: 1\n  url: /x\n",
            "2 import/format `name` is a number".to_owned(),
        ),
        (
            "hierarchy:\n- {name: one, url: 'ext::sh', repo_type: git}\n",
            "2 import/format the URL names a transport helper with `::`".to_owned(),
        ),
        (
            "hierarchy:\n- {name: one, url: 'https://x/y', repo_type: local}\n",
            "2 import/format not a directory".to_owned(),
        ),
        (
            &format!("{entry}- {{name: one, url: /srv/two}}\n"),
            "3 import/format duplicate entry `one`".to_owned(),
        ),
        (
            &format!("{entry}mergers: 1\n"),
            "3 import/format `mergers` is a number".to_owned(),
        ),
        (
            &format!("{entry}directories: []\n"),
            "3 import/format `directories` is a list".to_owned(),
        ),
        (
            &format!("{entry}mergers: {{JsonMerger: 2}}\n"),
            "3 import/format the settings of `JsonMerger` are a number".to_owned(),
        ),
        (
            "repos:\n- {name: one, url: /srv/one}\n",
            "2 import/format the order of the repositories is not set".to_owned(),
        ),
        (
            "repos:\n- {name: one, url: /x}\ndefault_hierarchy: [two]\n",
            "3 import/format unknown repository `two`".to_owned(),
        ),
        (
            "repos:\n- {name: one, url: /x}\ndefault_hierarchy: [one, one]\n",
            "3 import/format `one` is in the hierarchy twice".to_owned(),
        ),
    ] {
        let found = read(yaml).1;
        assert!(found.contains(&findings), "{yaml}\n{found:?}");
    }
}

#[test]
fn the_newer_form_orders_by_name_and_directory() {
    let repos = "repos:\n- {name: mine, url: /srv/mine}\n- {name: org, url: /srv/org}\n- {name: old, url: /srv/old}\n\
        default_hierarchy: [org, mine]\ndefault_agents: [claude, cursor]\n";
    let order = |yaml: &str| {
        let (import, findings) = read(yaml);
        let layers = import.layers.iter();
        (
            layers
                .map(|layer| format!("{} {}", layer.name, layer.include.join(" ")))
                .collect::<Vec<_>>(),
            findings,
        )
    };
    let (layers, findings) = order(repos);
    assert_eq!(
        layers,
        ["org .claude/** .cursor/**", "mine .claude/** .cursor/**"]
    );
    assert_eq!(
        findings,
        ["4 import/no-counterpart the repository `old` is not in the hierarchy of this directory"]
    );
    let directories = "directories:\n  ~/shop: {hierarchy: [mine, old, org], agents: [all]}\n";
    assert_eq!(
        order(&format!("{repos}{directories}")),
        (vec!["mine ".into(), "old ".into(), "org ".into()], vec![])
    );
}

#[test]
fn existing_entries_stay_and_new_ones_are_inserted_in_order() {
    let yaml = hierarchy(&["org", "team", "mine"]);
    let existing = "[[layers]] # base\nname = \"team\"\npath = \"/srv/team\"\nroot = \"x\"\n\n[[layers]]\nname = \"other\"\npath = \"other\"\n";
    let text = written(&yaml, existing);
    let names: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("name = "))
        .collect();
    assert_eq!(names, ["\"org\"", "\"team\"", "\"mine\"", "\"other\""]);
    assert!(
        text.contains("[[layers]] # base\nname = \"team\"\npath = \"/srv/team\"\nroot = \"x\"\n"),
        "{text}"
    );
    assert!(additions(&read(&yaml).0, &text).unwrap().is_empty());
}

#[test]
fn sources_are_shared_and_named_apart() {
    let yaml = "hierarchy:\n- {name: a b, url: 'https://h/1'}\n- {name: a/b, url: 'https://h/2'}\n- {name: c, url: 'https://h/1'}\n\
        - {name: d, url: 'https://h/3'}\n";
    let text = written(yaml, "[sources]\nthree = \"https://h/3\"\n");
    assert!(
        text.starts_with(
            "[sources]\nthree = \"https://h/3\"\na-b = \"https://h/1\"\na-b-2 = \"https://h/2\"\n\n"
        ),
        "{text}"
    );
    let used: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("source = "))
        .collect();
    assert_eq!(used, ["\"a-b\"", "\"a-b-2\"", "\"a-b\"", "\"three\""]);
    assert!(additions(&read(yaml).0, &text).unwrap().is_empty());
}

#[test]
fn contradictions_are_refused_all_at_once() {
    let yaml = format!(
        "{}- {{name: net, url: 'https://h/1'}}\nmergers: {{JsonMerger: {{strategy: replace}}}}\n",
        hierarchy(&["org", "team"])
    );
    let toml = "[sources]\nnet = \"https://h/2\"\n[merge]\n\"*.json\" = \"deep\"\n[[layers]]\nname = \"org\"\npath = \"else\"\n";
    let clashes = additions(&read(&yaml).0, toml).unwrap_err();
    let expected = [
        "the manifest already has a different layer `org`",
        "the manifest already has a different source `net`",
        "`[merge]` in the manifest already has another strategy for `*.json`",
    ];
    assert_eq!(clashes, expected);
    let swapped = written(&hierarchy(&["team", "org"]), "");
    let clashes = additions(&read(&hierarchy(&["org", "team"])).0, &swapped).unwrap_err();
    assert_eq!(
        clashes,
        ["the manifest has the layer `team` at another rank"]
    );
}
