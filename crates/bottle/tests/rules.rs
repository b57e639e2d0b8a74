//! Every rule of composition and every error, one by one, from JSON.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use agpm_bottle::{
    AuthKind, CLAUDE_CODE, EgressAuth, EgressConfig, EgressRoute, GitUser, Manifest, ManifestError,
    PipelockRoutePolicy, UnitKind, json_schema,
};
use agpm_text::{Format, Value, parse_alone, to_value};

fn value(text: &str) -> Value {
    let parsed = parse_alone(text, Format::Json);
    assert!(parsed.diagnostics.is_empty(), "{text}");
    to_value(parsed.document.root().unwrap())
}

fn manifest(text: &str) -> Manifest {
    Manifest::from_json_obj("m.json", text).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn error(text: &str) -> ManifestError {
    match Manifest::from_json_obj("m.json", text) {
        Ok(_) => panic!("no mistake in {text}"),
        Err(error) => error,
    }
}

/// Code, message and help of every mistake.
fn findings(text: &str) -> Vec<(String, String, String)> {
    let found = error(text).diagnostics.into_iter();
    found
        .map(|d| {
            (
                d.code.name.to_owned(),
                d.message,
                d.help.unwrap_or_default(),
            )
        })
        .collect()
}

fn only_finding(text: &str) -> (String, String, String) {
    let mut all = findings(text);
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    all.remove(0)
}

/// Returns `child` merged over `parent`.
fn over(parent: &str, child: &str) -> Value {
    let text = format!(r#"{{"bottles": {{"parent": {parent}, "child": {child}}}}}"#);
    let manifest = manifest(&text);
    let before = manifest.bottle_value("parent").unwrap();
    let result = manifest.bottle_value("child").unwrap();
    assert_eq!(
        manifest.bottle_value("parent").unwrap(),
        before,
        "a parent is not changed by its children"
    );
    assert_eq!(before, value(parent), "nor is it anything but what it says");
    result
}

#[test]
fn composition_is_as_the_table_says() {
    for (parent, child, expected) in [
        // Scalars: the child's if present.
        (
            r#"{"image": "a", "workdir": "/a"}"#,
            r#""image": "b""#,
            r#"{"image": "b", "workdir": "/a"}"#,
        ),
        // `env`: by key.
        (
            r#"{"env": {"A": "1", "B": "1"}}"#,
            r#""env": {"B": "2", "C": "2"}"#,
            r#"{"env": {"A": "1", "B": "2", "C": "2"}}"#,
        ),
        (
            r#"{"env": {"A": "1"}}"#,
            r#""env": {}"#,
            r#"{"env": {"A": "1"}}"#,
        ),
        // `git.remotes`: by host, the child's entry whole.
        (
            r#"{"git": {"remotes": {"a": {"url": "1", "identity_file": "i"}, "b": {"url": "1"}}}}"#,
            r#""git": {"remotes": {"a": {"url": "2"}}}"#,
            r#"{"git": {"remotes": {"a": {"url": "2"}, "b": {"url": "1"}}}}"#,
        ),
        // An empty map of remotes clears; an empty `git` does not.
        (
            r#"{"git": {"remotes": {"a": {"url": "1"}}, "user": {"name": "n"}}}"#,
            r#""git": {"remotes": {}}"#,
            r#"{"git": {"remotes": {}, "user": {"name": "n"}}}"#,
        ),
        (
            r#"{"git": {"remotes": {"a": {"url": "1"}}}}"#,
            r#""git": {}"#,
            r#"{"git": {"remotes": {"a": {"url": "1"}}}}"#,
        ),
        // `git.user`: per field.
        (
            r#"{"git": {"user": {"name": "n", "email": "e"}}}"#,
            r#""git": {"user": {"email": "f"}}"#,
            r#"{"git": {"user": {"name": "n", "email": "f"}}}"#,
        ),
        // `agent_provider`: per field, lists replaced.
        (
            r#"{"agent_provider": {"name": "p", "args": ["a", "b"], "model": "m"}}"#,
            r#""agent_provider": {"args": ["c"], "command": "x"}"#,
            r#"{"agent_provider": {"name": "p", "args": ["c"], "model": "m", "command": "x"}}"#,
        ),
        // `egress`: the child's whole if declared.
        (
            r#"{"egress": {"routes": [{"host": "a"}, {"host": "b"}]}}"#,
            r#""egress": {"routes": [{"host": "c"}]}"#,
            r#"{"egress": {"routes": [{"host": "c"}]}}"#,
        ),
        (
            r#"{"egress": {"routes": [{"host": "a"}]}}"#,
            r#""egress": {}"#,
            r#"{"egress": {}}"#,
        ),
        (
            r#"{"egress": {"routes": []}}"#,
            r#""image": "i""#,
            r#"{"egress": {"routes": []}, "image": "i"}"#,
        ),
    ] {
        let child = format!(r#"{{"extends": "parent", {child}}}"#);
        assert_eq!(
            over(parent, &child),
            value(expected),
            "{child} over {parent}"
        );
    }
}

#[test]
fn three_generations_compose_and_a_clearing_one_between_applies() {
    let manifest = manifest(
        r#"{"bottles": {
            "c": {"extends": "b", "git": {"remotes": {"z": {"url": "3"}}}, "env": {"X": "3"}},
            "b": {"extends": "a", "git": {"remotes": {}}, "env": {"X": "2", "Y": "2"}},
            "a": {"git": {"remotes": {"x": {"url": "1"}}}, "env": {"X": "1", "Y": "1", "Z": "1"}}
        }}"#,
    );
    let expected =
        r#"{"git": {"remotes": {"z": {"url": "3"}}}, "env": {"X": "3", "Y": "2", "Z": "1"}}"#;
    assert_eq!(manifest.bottle_value("c").unwrap(), value(expected));
    assert_eq!(manifest.parent("c").unwrap().as_str(), "b");
    assert_eq!(
        manifest.raw_bottle_value("b").unwrap().get("extends"),
        Some(&"a".into())
    );
}

#[test]
fn an_agent_is_laid_over_its_bottle_and_gives_one_flat_value() {
    let manifest = manifest(
        r#"{
            "bottles": {
                "base": {"env": {"A": "1"}, "git": {"user": {"name": "n", "email": "e"}}},
                "dev": {"extends": "base", "image": "i", "env": {"B": "1", "C": "1"}}
            },
            "agents": {"me": {
                "bottle": "dev", "skills": ["s"], "env": {"C": "2"}, "git": {"user": {"email": "f"}},
                "prompt": "\nDo it.\n", "model": "opus", "name": "other"
            }, "bare": {"bottle": "dev"}}
        }"#,
    );
    let expected = r#"{"name": "me", "bottle": "dev", "skills": ["s"], "image": "i",
        "env": {"A": "1", "B": "1", "C": "2"}, "git": {"user": {"name": "n", "email": "f"}},
        "prompt": "Do it."}"#;
    assert_eq!(manifest.agent_value("me").unwrap(), value(expected));
    let effective = manifest.effective_agent("me").unwrap();
    assert_eq!(
        (effective.name.as_str(), effective.bottle.name.as_str()),
        ("me", "dev")
    );
    assert_eq!(effective.bottle.env["C"], "2");
    assert_eq!(manifest.bottle("dev").unwrap().env["C"], "1");
    let raw = manifest.agent("me").unwrap();
    assert_eq!(
        raw.git_user,
        GitUser {
            name: None,
            email: Some("f".to_owned())
        }
    );
    assert_eq!(
        manifest.effective_agent("bare").unwrap().bottle,
        manifest.bottle("dev").unwrap()
    );
}

#[test]
fn typed_values_hold_what_the_value_holds() {
    let manifest = manifest(
        r#"{"bottles": {"b": {
            "workdir": "/w", "agent_provider": {"name": "p", "args": ["a"]},
            "git": {"remotes": {"h": {"url": "u", "known_host_key": "k"}}},
            "egress": {"routes": [{"host": "h", "methods": ["GET"], "auth": {"type": "header", "env": "T"},
                "pipelock": {"tls_passthrough": true, "ssrf_allow": ["10.0.0.1"]}}]}
        }}}"#,
    );
    let bottle = manifest.bottle("b").unwrap();
    let route = EgressRoute {
        host: "h".to_owned(),
        methods: Some(vec!["GET".to_owned()]),
        paths: None,
        auth: Some(EgressAuth {
            kind: AuthKind::Header,
            env: "T".to_owned(),
        }),
        pipelock: Some(PipelockRoutePolicy {
            tls_passthrough: true,
            ssrf_allow: vec!["10.0.0.1".to_owned()],
        }),
    };
    assert_eq!(
        bottle.egress,
        Some(EgressConfig {
            routes: vec![route]
        })
    );
    assert_eq!(bottle.remotes["h"].known_host_key.as_deref(), Some("k"));
    assert_eq!(
        bottle.agent_provider.unwrap().args,
        Some(vec!["a".to_owned()])
    );
    assert_eq!(
        (bottle.workdir.as_deref(), bottle.image),
        (Some("/w"), None)
    );
}

#[test]
fn types_are_strict_at_every_place() {
    for (bottle, message) in [
        (
            r#"{"env": {"A": 1}}"#,
            "`/env/A` must be a string, not a number",
        ),
        (
            r#"{"env": {"A": true}}"#,
            "`/env/A` must be a string, not a boolean",
        ),
        (
            r#"{"env": {"A": null}}"#,
            "`/env/A` must be a string, not null",
        ),
        (r#"{"env": []}"#, "`/env` must be an object, not a list"),
        (r#"{"env": null}"#, "`/env` must be an object, not null"),
        (
            r#"{"extends": ["a"]}"#,
            "`/extends` must be a string, not a list",
        ),
        (r#"{"image": 1}"#, "`/image` must be a string, not a number"),
        (
            r#"{"git": {"remotes": {"h": "u"}}}"#,
            "`/git/remotes/h` must be an object, not a string",
        ),
        (
            r#"{"git": {"remotes": {"h": {}}}}"#,
            "`/git/remotes/h` has no `url`",
        ),
        (
            r#"{"git": {"user": {"name": []}}}"#,
            "`/git/user/name` must be a string, not a list",
        ),
        (
            r#"{"agent_provider": {"name": "a", "args": "x"}}"#,
            "`/agent_provider/args` must be a list, not a string",
        ),
        (
            r#"{"agent_provider": {"name": "a", "args": [1]}}"#,
            "`/agent_provider/args/0` must be a string, not a number",
        ),
        (
            r#"{"agent_provider": {}}"#,
            "`/agent_provider` has no `name`, here or in an extended bottle",
        ),
        (
            r#"{"egress": []}"#,
            "`/egress` must be an object, not a list",
        ),
        (
            r#"{"egress": {"routes": {}}}"#,
            "`/egress/routes` must be a list, not an object",
        ),
        (
            r#"{"egress": {"routes": [{}]}}"#,
            "`/egress/routes/0` has no `host`",
        ),
        (
            r#"{"egress": {"routes": [{"host": "h", "auth": {"env": "T"}}]}}"#,
            "`/egress/routes/0/auth` has no `type`",
        ),
        (
            r#"{"egress": {"routes": [{"host": "h", "auth": {"type": "basic"}}]}}"#,
            "`/egress/routes/0/auth` has no `env`",
        ),
        (
            r#"{"egress": {"routes": [{"host": "h", "pipelock": {"tls_passthrough": "yes"}}]}}"#,
            "`/egress/routes/0/pipelock/tls_passthrough` must be `true` or `false`, not a string",
        ),
        (r#"[]"#, "bottle `b` must be an object, not a list"),
        (r#"null"#, "bottle `b` must be an object, not null"),
    ] {
        let (code, found, help) = only_finding(&format!(r#"{{"bottles": {{"b": {bottle}}}}}"#));
        assert_eq!(
            (code.as_str(), found.as_str()),
            ("bottle/value", message),
            "{bottle}"
        );
        assert!(!help.is_empty(), "{bottle}");
    }
    let (_, _, help) = only_finding(r#"{"bottles": {"b": {"env": {"A": 1}}}}"#);
    assert_eq!(help, "put it in quotes");
    for (agent, message) in [
        (r#"{}"#, "agent `a` has no `bottle`"),
        (
            r#"{"bottle": 1}"#,
            "`/bottle` must be a string, not a number",
        ),
        (
            r#"{"bottle": "b", "skills": "s"}"#,
            "`/skills` must be a list, not a string",
        ),
        (
            r#"{"bottle": "b", "prompt": 1}"#,
            "`/prompt` must be a string, not a number",
        ),
    ] {
        let (code, found, _) = only_finding(&format!(
            r#"{{"bottles": {{"b": {{}}}}, "agents": {{"a": {agent}}}}}"#
        ));
        assert_eq!(
            (code.as_str(), found.as_str()),
            ("bottle/value", message),
            "{agent}"
        );
    }
}

#[test]
fn the_object_itself_is_checked() {
    for (text, code, message) in [
        (
            "[]",
            "bottle/value",
            "the bottle file must be an object, not a list",
        ),
        (
            "",
            "bottle/value",
            "the bottle file must be an object, but it is empty",
        ),
        (
            r#"{"bottles": []}"#,
            "bottle/value",
            "`/bottles` must be an object, not a list",
        ),
        (
            r#"{"bottle": {}}"#,
            "bottle/unknown-key",
            "unknown key `bottle` in the bottle file",
        ),
        (
            r#"{"bottles": {"": {}}}"#,
            "bottle/value",
            "invalid name `` of a bottle: a name is one line and not empty",
        ),
        (
            r#"{"bottles": {"a": {"env": {}, "env": {}}}}"#,
            "text/duplicate-key",
            "duplicate key `env`",
        ),
        (
            r#"{"bottles": {"a": {}}"#,
            "json/syntax",
            "unclosed bracket: expected `}`",
        ),
    ] {
        let (found_code, found_message, _) = only_finding(text);
        assert_eq!(
            (found_code.as_str(), found_message.as_str()),
            (code, message),
            "{text}"
        );
    }
    let (_, _, help) = only_finding(r#"{"bottle": {}}"#);
    assert_eq!(
        help,
        "did you mean `bottles`? its keys are `bottles` and `agents`"
    );
    for empty in [
        "{}",
        "\u{feff}{}",
        r#"{"bottles": {}}"#,
        r#"{"agents": {}}"#,
    ] {
        assert_eq!(manifest(empty).count(UnitKind::Bottle), 0);
    }
}

#[test]
fn keys_are_strict_at_every_depth() {
    for (bottle, what, near) in [
        (r#"{"imagee": "x"}"#, "a bottle", "image"),
        (r#"{"git": {"usr": {}}}"#, "`git` of a bottle", "user"),
        (
            r#"{"git": {"remotes": {"h": {"url": "u", "identityfile": "x"}}}}"#,
            "a remote",
            "identity_file",
        ),
        (r#"{"git": {"user": {"mail": "x"}}}"#, "`git.user`", "email"),
        (
            r#"{"agent_provider": {"name": "p", "modle": "x"}}"#,
            "`agent_provider`",
            "model",
        ),
        (r#"{"egress": {"route": []}}"#, "`egress`", "routes"),
        (
            r#"{"egress": {"routes": [{"host": "h", "path": []}]}}"#,
            "a route",
            "paths",
        ),
        (
            r#"{"egress": {"routes": [{"host": "h", "auth": {"type": "basic", "env": "T", "typ": "x"}}]}}"#,
            "`auth` of a route",
            "type",
        ),
        (
            r#"{"egress": {"routes": [{"host": "h", "pipelock": {"ssrf_alow": []}}]}}"#,
            "`pipelock` of a route",
            "ssrf_allow",
        ),
    ] {
        let (code, message, help) = only_finding(&format!(r#"{{"bottles": {{"b": {bottle}}}}}"#));
        assert_eq!(code, "bottle/unknown-key", "{bottle}");
        assert!(
            message.starts_with(&format!("{what} has no key `")),
            "{message}"
        );
        assert!(
            help.starts_with(&format!("did you mean `{near}`? the keys of {what} are `")),
            "{help}"
        );
    }
}

fn agent_with(key: &str) -> String {
    format!(r#"{{"bottles": {{"b": {{}}}}, "agents": {{"a": {{"bottle": "b", "{key}": 1}}}}}}"#)
}

#[test]
fn fields_of_claude_code_pass_on_agents_and_only_there() {
    let spec = "name description model color memory tools disallowedTools permissionMode maxTurns mcpServers hooks \
                effort isolation background initialPrompt";
    assert_eq!(CLAUDE_CODE.keys.join(" "), spec);
    for key in CLAUDE_CODE.keys {
        let manifest = manifest(&agent_with(key));
        let agent = manifest.agent_value("a").unwrap();
        assert!(
            *key == "name" || agent.get(key).is_none(),
            "{key} is ignored"
        );
        assert_eq!(agent.get("name"), Some(&"a".into()));
        let (code, message, help) =
            only_finding(&format!(r#"{{"bottles": {{"b": {{"{key}": 1}}}}}}"#));
        assert_eq!(
            (code.as_str(), message),
            ("bottle/unknown-key", format!("a bottle has no key `{key}`"))
        );
        assert!(
            help.contains(CLAUDE_CODE.name) && help.contains("belong on agents"),
            "{help}"
        );
    }
}

#[test]
fn a_key_on_neither_list_says_where_it_could_have_been() {
    for (key, begin) in [
        (
            "skill",
            "did you mean `skills`? the keys of an agent are `bottle`, `skills`",
        ),
        (
            "colour",
            "did you mean `color` of Claude Code 2.1 (2026-11)? the keys of an agent are `bottle`",
        ),
        (
            "permissonMode",
            "did you mean `permissionMode` of Claude Code 2.1 (2026-11)?",
        ),
        (
            "egress",
            "`egress` is a key of bottles; the keys of an agent are",
        ),
        (
            "imagee",
            "did you mean `image`, which is a key of bottles? the keys of an agent are `bottle`",
        ),
        (
            "budget",
            "it is in neither list: the keys of an agent are `bottle`, ",
        ),
    ] {
        let (code, _, help) = only_finding(&agent_with(key));
        assert_eq!(code, "bottle/unknown-key");
        assert!(help.starts_with(begin), "{key}: {help}");
    }
    let (_, _, help) = only_finding(r#"{"bottles": {"b": {"skills": []}}}"#);
    assert!(help.starts_with("`skills` is a key of agents; "), "{help}");
    let (_, _, help) = only_finding(r#"{"bottles": {"b": {"skill": []}}}"#);
    assert!(
        help.starts_with("did you mean `skills`, which is a key of agents? the keys of a b"),
        "{help}"
    );
    let (_, _, help) = only_finding(&agent_with("bottel"));
    let keys = "the keys of an agent are `bottle`, `skills`, `env`, `git`, and in JSON `prompt`";
    assert_eq!(help, format!("did you mean `bottle`? {keys}"));
    for (key, begin) in [
        (
            "remotes",
            "`remotes` is a key of `git` of a bottle, and belongs there; ",
        ),
        (
            "remote",
            "did you mean `remotes`, which is a key of `git` of a bottle? ",
        ),
    ] {
        let git = format!(r#"{{"bottle": "b", "git": {{"{key}": {{}}}}}}"#);
        let (_, message, help) = only_finding(&format!(
            r#"{{"bottles": {{"b": {{}}}}, "agents": {{"a": {git}}}}}"#
        ));
        assert_eq!(message, format!("`git` of an agent has no key `{key}`"));
        assert_eq!(
            help,
            format!("{begin}the keys of `git` of an agent are `user`")
        );
    }
}

#[test]
fn circles_and_missing_parents_are_reported_once_with_their_chain() {
    let circle = |count: usize| {
        let bottle = |at: usize| format!(r#""b{at}": {{"extends": "b{}"}}"#, (at + 1) % count);
        let bottles: Vec<String> = (0..count).map(bottle).collect();
        format!(
            r#"{{"bottles": {{"x": {{"extends": "b0"}}, {}}}}}"#,
            bottles.join(", ")
        )
    };
    assert_eq!(only_finding(&circle(1)).1, "`b0` extends itself: b0 -> b0");
    for (count, chain) in [
        (2, "b0 -> b1 -> b0"),
        (
            10,
            "b0 -> b1 -> b2 -> b3 -> b4 -> b5 -> b6 -> b7 -> b8 -> b9 -> b0",
        ),
    ] {
        let (code, message, _) = only_finding(&circle(count));
        assert_eq!(code, "bottle/extends");
        assert_eq!(
            message,
            format!("bottles extend each other in a cycle: {chain}")
        );
    }
    let (_, message, help) = only_finding(
        r#"{"bottles": {"a": {"extends": "b"}, "b": {"extends": "basee"}, "base": {}}}"#,
    );
    assert_eq!(
        message,
        "unknown bottle `basee` in `extends`: a -> b -> basee"
    );
    assert_eq!(help, "did you mean `base`?");
    // The bottle itself is never suggested as its parent.
    assert_eq!(
        only_finding(r#"{"bottles": {"web": {"extends": "wbe"}}}"#).2,
        "check the name, or add the bottle"
    );
    let (code, message, help) =
        only_finding(r#"{"bottles": {"base": {}}, "agents": {"a": {"bottle": "bas"}}}"#);
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("bottle/unknown-bottle", "unknown bottle `bas` of agent `a`")
    );
    assert_eq!(help, "did you mean `base`?");
}

#[test]
fn a_duplicate_key_hides_nothing() {
    let all = findings(
        r#"{"bottles": {
            "broken": {"env": {"A": "1", "A": "2"}, "image": 1},
            "child": {"extends": "broken", "agent_provider": {"model": "m"}, "imgae": "x"},
            "other": {"extends": "gone"}
        }, "agents": {"a": {"bottle": "broken"}, "b": {"bottle": "none", "skills": 1}}}"#,
    );
    let codes: Vec<&str> = all.iter().map(|(code, ..)| code.as_str()).collect();
    let expected = [
        "text/duplicate-key",
        "bottle/value",
        "bottle/value",
        "bottle/unknown-key",
        "bottle/extends",
        "bottle/unknown-bottle",
        "bottle/value",
    ];
    assert_eq!(codes, expected);
}

#[test]
fn a_provider_needs_its_name_in_the_end_only() {
    let good = r#"{"bottles": {"a": {"agent_provider": {"name": "p"}}, "b": {"extends": "a", "agent_provider": {"model": "m"}}}}"#;
    assert_eq!(
        manifest(good)
            .bottle("b")
            .unwrap()
            .agent_provider
            .unwrap()
            .name,
        "p"
    );
    // Reported for the first bottle that lacks it, and not for every child.
    let bad = r#"{"bottles": {"a": {"agent_provider": {"model": "m"}}, "b": {"extends": "a", "agent_provider": {"args": []}}, "c": {"extends": "b"}}}"#;
    assert_eq!(only_finding(bad).0, "bottle/value");
}

#[test]
fn names_that_differ_in_case_only_are_refused() {
    let (code, message, _) = only_finding(r#"{"bottles": {"dev": {}, "x": {}, "Dev": {}}}"#);
    assert_eq!(
        (code.as_str(), message.as_str()),
        (
            "bottle/duplicate-name",
            "the bottles `Dev` and `dev` differ only in case"
        )
    );
    manifest(r#"{"bottles": {"dev": {}}, "agents": {"Dev": {"bottle": "dev"}}}"#);
}

#[test]
fn chains_may_be_long() {
    for count in [1_000, 10_000] {
        let bottle = |at: usize| match at {
            0 => r#""b0": {"env": {"FIRST": "0"}}"#.to_owned(),
            at => format!(
                r#""b{at}": {{"extends": "b{}", "env": {{"X": "{at}"}}}}"#,
                at - 1
            ),
        };
        let bottles: Vec<String> = (0..count).map(bottle).collect();
        let text = format!(r#"{{"bottles": {{{}}}}}"#, bottles.join(", "));
        let manifest = manifest(&text);
        let last = manifest.bottle(&format!("b{}", count - 1)).unwrap();
        assert_eq!(
            (last.env["FIRST"].as_str(), last.env["X"].clone()),
            ("0", (count - 1).to_string())
        );
        let broken = text.replace(r#""b0": {"#, r#""b0": {"extends": "gone", "#);
        let (_, message, _) = only_finding(&broken);
        assert!(
            message.starts_with("unknown bottle `gone` in `extends`: b0 -> gone"),
            "{message}"
        );
    }
}

#[test]
fn a_long_chain_is_cut_and_many_mistakes_are_reported() {
    let bottle = |at: usize| format!(r#""b{at:05}": {{"extends": "b{:05}"}}"#, at + 1);
    let bottles: Vec<String> = (0..10_000).map(bottle).collect();
    let (_, message, _) = only_finding(&format!(r#"{{"bottles": {{{}}}}}"#, bottles.join(", ")));
    let chain = "b00000 -> b00001 -> b00002 -> b00003 -> b00004 -> b00005 -> (9989 more) -> \
                 b09995 -> b09996 -> b09997 -> b09998 -> b09999 -> b10000";
    assert_eq!(
        message,
        format!("unknown bottle `b10000` in `extends`: {chain}")
    );
    let lost: Vec<String> = (0..10_000)
        .map(|at| format!(r#""b{at}": {{"extends": "x{at}"}}"#))
        .collect();
    assert_eq!(
        findings(&format!(r#"{{"bottles": {{{}}}}}"#, lost.join(", "))).len(),
        10_000
    );
}

#[test]
fn json_schemas_say_what_the_checker_says() {
    let schema = json_schema(UnitKind::Agent);
    assert_eq!(
        schema.get("$schema").and_then(Value::as_str),
        Some("https://json-schema.org/draft/2020-12/schema")
    );
    assert_eq!(
        schema.get("additionalProperties"),
        Some(&Value::Bool(false))
    );
    assert_eq!(schema.get("required"), Some(&Value::list(["bottle"])));
    let properties = schema.get("properties").unwrap();
    for key in CLAUDE_CODE.keys {
        let about = properties
            .get(key)
            .unwrap()
            .get("description")
            .and_then(Value::as_str)
            .unwrap();
        assert!(about.contains(CLAUDE_CODE.name), "{about}");
    }
    let bottle = json_schema(UnitKind::Bottle);
    let at = |pointer: &str| {
        pointer
            .split('/')
            .try_fold(&bottle, |value, step| value.get(step))
            .unwrap()
    };
    let route = "properties/egress/properties/routes/items";
    assert_eq!(at(&format!("{route}/required")), &Value::list(["host"]));
    assert_eq!(
        at(&format!("{route}/properties/auth/properties/type/enum")),
        &Value::list(["bearer", "basic", "header"])
    );
    assert_eq!(
        at("properties/git/properties/remotes/additionalProperties/required"),
        &Value::list(["url"])
    );
    assert_eq!(
        at("properties/env/additionalProperties/type"),
        &"string".into()
    );
    assert!(
        at("properties/agent_provider").get("required").is_none(),
        "a bottle below may have the name"
    );
    assert!(bottle.get("properties").unwrap().get("model").is_none());
}

#[test]
fn variables_that_routes_name_hold_secrets_also_for_those_that_extend() {
    let text = r#"{"bottles": {
        "base": {"egress": {"routes": [{"host": "h", "auth": {"type": "bearer", "env": "GITEA"}}, {"host": "i"}]}},
        "child": {"extends": "base", "egress": {}},
        "other": {"egress": {"routes": [{"host": "h", "auth": {"type": "basic", "env": "OTHER"}}]}}
    }}"#;
    let manifest = Manifest::from_json_obj("x.json", text).unwrap();
    for (bottle, expected) in [
        ("base", &["GITEA"][..]),
        ("child", &["GITEA"]),
        ("other", &["OTHER"]),
        ("nobody", &[]),
    ] {
        assert_eq!(
            manifest.secret_variables(bottle).iter().collect::<Vec<_>>(),
            expected,
            "{bottle}"
        );
    }
}

#[test]
fn an_edit_that_is_suggested_makes_its_finding_go_away() {
    for (text, wrong, right) in [
        (r#"{"bottles": {"a": {"imgae": "x"}}}"#, "imgae", "image"),
        (
            r#"{"bottles": {"a": {"git": {"usre": {"name": "x"}}}}}"#,
            "usre",
            "user",
        ),
        (
            r#"{"bottles": {"a": {}}, "agents": {"b": {"bottle": "a", "modle": "x"}}}"#,
            "modle",
            "model",
        ),
        (
            r#"{"bottles": {"a": {"egress": {"routes": [{"host": "h", "auth": {"type": "baerer", "env": "E"}}]}}}}"#,
            "baerer",
            "bearer",
        ),
        (
            r#"{"bottles": {"a": {"image": "x", "image": "x"}}}"#,
            r#", "image": "x""#,
            "",
        ),
    ] {
        let mistakes = error(text).diagnostics;
        assert_eq!(mistakes.len(), 1, "{text}: {mistakes:?}");
        let edit = mistakes[0]
            .edit
            .as_ref()
            .unwrap_or_else(|| panic!("{text}"));
        let fixed = edit.applied_to(text);
        assert_eq!(fixed, text.replace(wrong, right));
        manifest(&fixed);
    }
    for text in [
        // A key of agents; the right key exists; nothing near.
        r#"{"bottles": {"a": {"skils": []}}}"#,
        r#"{"bottles": {"a": {"image": "x", "imgae": "y"}}}"#,
        r#"{"bottles": {"a": {"elsewhere": "y"}}}"#,
    ] {
        assert_eq!(error(text).diagnostics[0].edit, None, "{text}");
    }
}
