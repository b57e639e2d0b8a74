//! The output of profiles, lists and explanations.

use agpm_text::Value;

use crate::support::{Tree, codes, json, named, strings, under};

fn three() -> Tree {
    let tree = Tree::of(&[
        (
            "",
            "{\n  \"title\": \"Org\",\n  \"guardrails\": [\"Ask.\", \"Log.\"]\n}\n",
        ),
        (
            "team",
            "{\n  \"guardrails\": [\"Log.\", \"Test.\"],\n  \"inherits\": [\"p.json\"]\n}\n",
        ),
        ("team/me", "{\"title\": \"Mine\"}\n"),
    ]);
    tree.write("repo/p.json", "{\"guardrails\": [\"Parent.\"]}\n");
    tree.persona(
        "repo/team",
        "ada",
        "agenda",
        "{\"title\": \"Agenda\", \"backlog\": [\"x\"]}\n",
    );
    tree.persona("repo/team", "grace", "agency", "{\"entries\": []}\n");
    tree
}

#[test]
fn the_default_is_json_of_the_agent_document() {
    let tree = three();
    let text = tree.good("repo/team/me", "profile ada");
    assert_eq!(
        text,
        tree.good("repo/team/me", "profile ada --kind agent --format json")
    );
    assert_eq!(text, tree.good("repo/team/me", "--json profile ada"));
    assert!(text.starts_with("{\n") && text.ends_with("}\n"), "{text:?}");
}

#[test]
fn sources_name_the_document_and_line_of_every_value() {
    let value = json(&three().good("repo/team/me", "profile ada --with-sources"));
    let sources = value.get("sources").unwrap();
    for (pointer, layer, path, line) in [
        (
            "/title",
            "team/me",
            "team/me/.clia/agents/ada/ada@x.agent.triad.json",
            1,
        ),
        (
            "/guardrails/0",
            ".",
            ".clia/agents/ada/ada@x.agent.triad.json",
            3,
        ),
        (
            "/guardrails/1",
            ".",
            ".clia/agents/ada/ada@x.agent.triad.json",
            3,
        ),
        ("/guardrails/2", ".", "p.json", 1),
        (
            "/guardrails/3",
            "team",
            "team/.clia/agents/ada/ada@x.agent.triad.json",
            2,
        ),
    ] {
        let source = sources
            .get(pointer)
            .unwrap_or_else(|| panic!("{pointer}\n{}", sources.to_json()));
        assert_eq!(
            source.get("layer").and_then(Value::as_str),
            Some(layer),
            "{pointer}"
        );
        assert_eq!(
            source.get("path").and_then(Value::as_str),
            Some(path),
            "{pointer}"
        );
        assert_eq!(
            source.get("line"),
            Some(&Value::from(i64::from(line))),
            "{pointer}"
        );
    }
}

#[test]
fn all_is_an_object_of_three() {
    let tree = three();
    let value = json(&tree.good("repo/team", "profile ada --kind all --root-chain"));
    let Value::Map(kinds) = &value else {
        panic!("{value:?}")
    };
    assert_eq!(
        kinds
            .iter()
            .map(|(kind, _)| kind.as_str())
            .collect::<Vec<_>>(),
        ["agent", "agenda", "agency"]
    );
    assert_eq!(value.get("agency"), Some(&Value::Null));
    for kind in ["agent", "agenda"] {
        let alone = json(&tree.good(
            "repo/team",
            &format!("profile ada --kind {kind} --root-chain"),
        ));
        assert_eq!(value.get(kind), Some(&alone));
    }
}

#[test]
fn the_list_has_all_personas_with_their_kinds_and_levels() {
    let tree = three();
    tree.persona("repo", "grace", "agent", "{}");
    let value = json(&tree.good("repo/team/me", "profile --list --json"));
    let Value::List(rows) = value else {
        panic!("{value:?}")
    };
    let row = |row: &Value| {
        let slug = row.get("slug").and_then(Value::as_str).unwrap().to_owned();
        (slug, strings(row.get("kinds")), strings(row.get("levels")))
    };
    let expected = [
        ("ada", vec!["agent", "agenda"], vec![".", "team", "team/me"]),
        ("grace", vec!["agent", "agency"], vec![".", "team"]),
    ];
    let owned = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    let expected: Vec<_> = expected
        .iter()
        .map(|(slug, kinds, levels)| ((*slug).to_owned(), owned(kinds), owned(levels)))
        .collect();
    assert_eq!(rows.iter().map(row).collect::<Vec<_>>(), expected);
    let text = tree.good("repo/team/me", "profile --list");
    assert!(
        text.contains("ada") && text.contains("agent, agenda") && text.contains("., team, team/me"),
        "{text}"
    );
    let from_above = tree.good("repo", "profile --list");
    assert!(
        from_above.contains("grace") && !from_above.contains("agency"),
        "{from_above}"
    );
    assert_eq!(tree.good("repo", "profile --list --path team/me"), text);
}

#[test]
fn a_list_reads_no_document() {
    let tree = Tree::of(&[("", "{")]);
    assert!(tree.good("repo", "profile --list").contains("ada"));
}

#[test]
fn yaml_and_json_say_the_same() {
    let tree = three();
    let yaml = tree.good(
        "repo/team/me",
        "profile ada --root-chain --with-sources --format yaml",
    );
    tree.write("out.yaml", &yaml);
    let back = tree.good(".", "merge out.yaml --format json");
    let json_text = tree.good("repo/team/me", "profile ada --root-chain --with-sources");
    assert_eq!(json(&back), json(&json_text), "{yaml}");
}

#[test]
fn yaml_keeps_strings_that_look_like_something_else() {
    let tree = Tree::of(&[(
        "",
        "{\"a\": \"yes\", \"b\": \"1.0\", \"c\": \"null\", \"d\": \"- x\", \"e\": \"a: b\", \"f\": \"#\", \"g\": \"two\\nlines\\n\", \"h\": 1e3, \"i\": \" \"}",
    )]);
    tree.write("out.yaml", tree.good("repo", "profile ada --format yaml"));
    assert_eq!(
        json(&tree.good(".", "merge out.yaml --format json")),
        json(&tree.good("repo", "profile ada"))
    );
}

#[test]
fn markdown_is_a_page() {
    let text = three().good("repo/team/me", "profile ada --format md");
    assert!(text.starts_with("# Mine\n"), "{text}");
    assert!(
        text.contains("## Guardrails\n\n- Ask.\n- Log.\n- Parent.\n- Test.\n"),
        "{text}"
    );
}

#[test]
fn markdown_goes_with_every_addition() {
    let text = three().good(
        "repo/team/me",
        "profile ada --format md --root-chain --with-sources --projections",
    );
    assert!(text.contains("## Context chain"), "{text}");
}

#[test]
fn explain_reports_where_a_value_came_from_and_what_it_shadows() {
    let tree = three();
    for (what, words) in [
        (
            "profile:ada /guardrails/0",
            &[
                "/guardrails/0 = \"Ask.\"\n  from . (",
                "ada@x.agent.triad.json:3)",
            ][..],
        ),
        (
            "profile:ada /title",
            &[
                "/title = \"Mine\"\n  from team/me (.clia/agents/ada/ada@x.agent.triad.json:1)",
                "\"Org\"",
            ],
        ),
        ("profile:ada /guardrails/2", &["\"Parent.\"", "p.json:1)"]),
        ("profile:ada/agent /title", &["/title = \"Mine\""]),
        (
            "profile:ada/agenda /title",
            &["/title = \"Agenda\"", "ada@x.agenda.triad.json:1)"],
        ),
        (
            "profile:ada/agenda",
            &["/title = \"Agenda\"", "/backlog/0 = \"x\""],
        ),
        ("profile:grace/agency", &["/entries = []"]),
        ("profile:ada", &["/title", "/guardrails/3"]),
    ] {
        let text = tree.good("repo/team/me", &format!("explain {what}"));
        words
            .iter()
            .for_each(|word| assert!(text.contains(word), "{what}: no `{word}` in\n{text}"));
    }
}

#[test]
fn explain_of_what_is_missing_has_a_near_name() {
    let tree = three();
    for (what, word) in [
        ("profile:ada /titel", "did you mean `/title`"),
        ("profile:ada /guardrails/9", "/guardrails/9"),
        ("profile:ada/agend", "did you mean `agenda`"),
        ("profile:ada/", "kinds are"),
        ("profile:/agent", "name/unknown"),
    ] {
        tree.fails("repo/team/me", &format!("explain {what}"), 3, &[word]);
        let output = tree.run("repo/team/me", &format!("--json explain {what}"));
        assert!(!codes(&output).is_empty());
    }
    tree.fails(
        "repo/team/me",
        "explain profile:",
        2,
        &["`profile:` names nothing"],
    );
}

#[test]
fn explain_as_json_names_layer_and_place() {
    let tree = three();
    let value = json(&tree.good("repo/team/me", "--json explain profile:ada /guardrails/1"));
    assert_eq!(value.get("ok"), Some(&Value::Bool(true)));
    let text = value.to_json();
    for word in ["/guardrails/1", "\"Log.\"", "ada@x.agent.triad.json"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn a_closed_reader_ends_it_quietly() {
    use std::io::Read;
    let items: Vec<String> = (0..50_000).map(|n| format!("\"item {n}\"")).collect();
    let tree = Tree::of(&[("", &format!("{{\"tags\": [{}]}}", items.join(",\n")))]);
    let mut command = tree.command("repo", "profile ada --with-sources");
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 16]).unwrap();
    drop(stdout);
    let rest = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&rest.stderr), "");
    assert!(rest.status.success(), "{}", rest.status);
}

#[test]
fn warnings_of_documents_are_reported_once_with_all_kinds() {
    let tree = Tree::of(&[("", &named("top", &["no.json"]))]);
    tree.persona(
        "repo",
        "ada",
        "agenda",
        named("agenda", &["https://x.invalid"]),
    );
    for name in ["b", "c"] {
        tree.write(
            &under(
                "repo/.clia/agents/ada",
                &format!("{name}.agency.triad.json"),
            ),
            "{}",
        );
    }
    let words = [
        "lineage/missing-parent",
        "lineage/two-documents",
        "lineage/remote-parent",
    ];
    tree.warned("repo", "profile ada --kind all", &words);
}

#[test]
fn warnings_of_directories_are_reported_once_with_all_kinds() {
    let tree = Tree::of(&[("", &named("top", &[])), ("a", "{}")]);
    if !tree.path("repo/.clia/agents/ADA").exists() {
        tree.persona("repo", "Ada", "agent", "{}");
        tree.warned("repo", "profile ada --kind all", &["lineage/case"]);
    }
    tree.write("outside/ada@y.agent.triad.json", "{}");
    tree.link("repo/b/.clia/agents/ada", "../../../../outside");
    tree.warned("repo/b", "profile ada --kind all", &["lineage/outside"]);
    tree.link("repo/c/.clia/agents/ada", "nowhere");
    tree.warned("repo/c", "profile ada --kind all", &["lineage/unreadable"]);
}

#[test]
fn the_help_about_a_change_of_type_is_of_use_for_personas() {
    let tree = Tree::of(&[("", "{\"title\": \"a\"}"), ("a", "{\"title\": [\"a\"]}")]);
    let output = tree.run("repo/a", "profile ada");
    assert!(
        output.stderr.contains("help:") && !output.stderr.contains("say `replace`"),
        "{output}"
    );
}

#[test]
fn a_page_ends_with_one_newline() {
    let tree = Tree::of(&[("", "{\"title\": \"A\", \"text\": \"two\\nlines\"}")]);
    let text = tree.good("repo", "profile ada --format md");
    assert!(text.ends_with("lines\n"), "{text:?}");
}
