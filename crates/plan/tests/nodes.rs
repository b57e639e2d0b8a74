//! Managed nodes in files that users write too: awkward files through a whole life, and laws.
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use agpm_model::{NodeLocation, Owner, RelativePath};
use agpm_plan::{
    ChangeAction, ChangeReason, DesiredNode, FileOrigin, FileOutcome, Ledger, NodeError, NodeState,
    Obstacle, OverwriteRule, check_nodes, take_back,
};
use agpm_text::{Format, NodeKind, Value, to_value};
use proptest::prelude::*;
use support::{File, Tape, default, item, key, read, shown_changes, value};

const GROUP: &str =
    r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint", "timeout": 5}]}"#;
const GROUP_2: &str =
    r#"{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "lint --all"}]}"#;
const OTHER: &str = r#"{"hooks": [{"type": "command", "command": "audit"}]}"#;
const SERVER: &str = r#"{"command": "npx", "args": ["-y", "fs"], "env": {"A": "1"}}"#;
const SERVER_2: &str = r#"{"command": "npx", "args": ["-y", "fs", "."]}"#;

fn first() -> Vec<DesiredNode> {
    vec![
        default("/$schema", "\"https://x/y.json\"", "mcp-servers/fs"),
        item("/hooks/PreToolUse", GROUP, "hooks/lint"),
        key("/mcpServers/a~1b~0c é", SERVER, "mcp-servers/fs"),
    ]
}

fn changed() -> Vec<DesiredNode> {
    vec![
        default("/$schema", "\"https://x/y.json\"", "mcp-servers/fs"),
        item("/hooks/PreToolUse", GROUP_2, "hooks/lint"),
        key("/mcpServers/a~1b~0c é", SERVER_2, "mcp-servers/fs"),
    ]
}

fn more() -> Vec<DesiredNode> {
    let mut more = changed();
    more.push(item("/hooks/PreToolUse", OTHER, "hooks/audit"));
    more.push(item("/hooks/Stop", OTHER, "hooks/audit"));
    more.push(key(
        "/mcpServers/git",
        r#"{"url": "https://x"}"#,
        "mcp-servers/git",
    ));
    more
}

fn fewer() -> Vec<DesiredNode> {
    more()
        .into_iter()
        .filter(|node| node.owner != "hooks/lint".into())
        .collect()
}

const JSON: &[&str] = &[
    "",
    " ",
    "\n\n",
    "\r\n",
    "\u{feff}",
    "// only\n/* comments */",
    "// only\r\n",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\r\n}\r\n",
    "{\n\n}",
    "{ // comment\n}\n",
    "{\n  // comment\n}\n",
    "{ /* block */ }",
    "// head\n{}\n// tail",
    "{\"a\":1}",
    "{\"a\": 1}",
    "{ \"a\": 1 }",
    "{ \"a\": 1, }",
    "{\"a\":1,\"b\":[1,2],\"c\":{\"d\":null}}\n",
    "{\n  \"a\": 1\n}\n",
    "{\n  \"a\": 1,\n}\n",
    "{\n  \"a\": 1  \n}",
    "{\n  \"a\": 1 // why\n}\n",
    "{\n  \"a\": 1, // why\n}\n",
    "{\n  \"a\": 1 // why\n  // last\n}\n",
    "{\n  \"a\": 1\n  /* last */\n}\n",
    "{\n  \"a\": 1,\n  /* last */\n}\n",
    "{\n    \"z\": 1,\n    \"a\": {\n        \"b\": [\n            1\n        ]\n    }\n}",
    "{\n\t\"z\": 1,\n\t\"a\": {\n\t\t\"b\": []\n\t}\n}\n",
    "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}\r\n",
    "\u{feff}{\n  \"a\": 1\n}\n",
    "\u{feff}{\r\n  \"a\": 1\r\n}\r\n",
    "{\n  \"a\": 1,\n\n  // section\n  \"b\": 2\n\n}\n\n",
    "{\n  \"a\": 1,\r\n  \"b\": 2\r\n}\n",
    "{\"a\": 1,\n \"b\": 2}",
    "{\"a\": 1,\n \"b\": 2\n}",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": { },\n  \"mcpServers\": {\n  }\n}\n",
    "{\n  \"hooks\": {\"PreToolUse\": []}, \"mcpServers\": {} }\n",
    "{\n  \"hooks\": {\"PreToolUse\": [ ]},\n  \"x\": 1\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}\n",
    concat!(
        "{\n  // mine\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Edit\", // why\n",
        "        \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }],\n      },\n      // more to come\n    ],\n",
        "    \"Stop\": [{\"hooks\": []}]\n  },\n  \"permissions\": {\"allow\": [\"Bash(*)\"]},\n}\n"
    ),
    concat!(
        "{\n  \"mcpServers\": {\n    \"zeta\": {\"command\": \"z\", \"args\": []},\n    \"alpha\": {\n",
        "      \"command\": \"a\"\n    }\n  },\n  \"deep\": {\"é/~\": [{\"x\": [[], {}]}]}\n}"
    ),
    "{\"mcpServers\":{\"z\":{\"command\":\"z\"}},\"hooks\":{\"PreToolUse\":[{\"hooks\":[]}]}}",
    "{\n  \"mcpServers\": {\n    \"z\": {} /* z */\n  } // servers\n} // end\n",
    "{\n  \"mcpServers\": { \"z\": {} },\n  \"hooks\": { \"PreToolUse\": [ {\"hooks\": []} ] }\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [ // none yet\n    ],\n    \"Stop\": [\n      // none\n    ]\n  }\n}\n",
    "{\n\n  \"a\": 1\n\n}",
    "{ \"a\": 1\n}",
    "{\n  \"a\": 1 }",
    "{\n  \"a\": 1,  \n}",
    "{\n  \"a\": [\n    1,\n    2 ]\n  }\n",
];

const TOML: &[&str] = &[
    "",
    "\n",
    "# only a comment\n",
    "# only a comment",
    "\u{feff}a = 1\n",
    "a = 1",
    "a = 1\n",
    "a = 1\n\n\n",
    "a = 1\r\nb = 2\r\n",
    "# head\na = 1 # why\n# tail\n",
    "[x]\ny = 1\n",
    "[x]\ny = 1\n\n# tail\n",
    "[[x]]\ny = 1\n\n[[x]]\ny = 2\n",
    "[mcp_servers]\n",
    "[mcp_servers]\n\n[z]\na = 1\n",
    "[mcp_servers.z]\ncommand = \"z\"\n",
    "[mcp_servers.z]\ncommand = \"z\"\n\n[mcp_servers.z.env]\nA = '1'\n\n[other]\na = 1\n",
    "[mcp_servers]\nz = { command = \"z\" }\n",
    "[mcp_servers]\nz = { command = \"z\" } # mine\n# more\n\n[t]\n",
    "mcp_servers = {}\n",
    "mcp_servers = { }\n",
    "mcp_servers = { z = { command = \"z\" } }\n",
    "mcp_servers.z.command = \"z\"\nmcp_servers.z.args = []\n",
    "mcp_servers.z.command = \"z\"\n\n[other]\na = 1",
    "model = 'x'\n\n# servers\n\n[mcp_servers.z] # mine\ncommand = \"z\"\n# end of z\n\n\n[tui]\nb = true\n",
    "  [x]\n  y = 1\n\n  [x.z]\n  w = 2\n",
];

fn toml_nodes(command: &str) -> Vec<DesiredNode> {
    let server = format!(r#"{{"command": "{command}", "args": ["-y"], "env": {{"A": "1"}}}}"#);
    vec![key("/mcp_servers/ours", &server, "mcp-servers/ours")]
}

fn toml_more() -> Vec<DesiredNode> {
    let mut more = toml_nodes("y");
    more.push(key(
        "/mcp_servers/git hub",
        r#"{"url": "https://x"}"#,
        "mcp-servers/git",
    ));
    more
}

/// Whether all bytes of the user are preserved in order; whitespace directly inside brackets may differ.
fn keeps(user: &str, now: &str) -> bool {
    is_within(&tight(user), &tight(now))
}

/// Whether everything but whitespace and commas is preserved in order.
fn keeps_solid(user: &str, now: &str) -> bool {
    let solid = |text: &str| text.split([' ', '\t', '\r', '\n', ',']).collect::<String>();
    is_within(&solid(user), &solid(now))
}

fn is_within(part: &str, full: &str) -> bool {
    let mut rest = full.chars();
    part.chars().all(|c| rest.any(|other| other == c))
}

/// Removes whitespace after opening and before closing brackets.
fn tight(text: &str) -> String {
    let opened: Vec<&str> = text.split_inclusive(['{', '[']).collect();
    let opened: String = opened
        .iter()
        .enumerate()
        .map(|(at, part)| if at > 0 { part.trim_start() } else { part })
        .collect();
    let closed: Vec<&str> = opened.split(['}', ']']).collect();
    let last = closed.len() - 1;
    closed
        .iter()
        .enumerate()
        .map(|(at, part)| {
            if at < last {
                format!("{}}}", part.trim_end())
            } else {
                (*part).to_owned()
            }
        })
        .collect()
}

fn whole_life(text: &str, format: Format, stages: &[Vec<DesiredNode>]) -> File {
    let mut file = File::new(text, format);
    for desired in stages {
        file.get(desired, OverwriteRule::Nothing);
        assert!(keeps(text, file.now()), "{text}\n---\n{}", file.now());
        for node in desired {
            let exists = match &node.node.location {
                NodeLocation::Item(list) => {
                    matches!(file.at(&list.to_string()), Some(Value::List(items)) if items.contains(&node.node.value))
                }
                NodeLocation::Key(at)
                | NodeLocation::Default(at)
                | NodeLocation::Keyed { list: at, .. } => {
                    file.at(&at.to_string()).as_ref() == Some(&node.node.value)
                }
            };
            assert!(exists, "{node:?}\n{}", file.now());
        }
    }
    file
}

#[test]
fn awkward_json_is_to_the_byte_what_it_was_when_all_is_removed() {
    let mut failed = Vec::new();
    for text in JSON {
        for stages in [
            vec![first(), changed(), more(), fewer()],
            vec![more(), fewer()],
            vec![first()],
        ] {
            let mut file = whole_life(text, Format::Jsonc, &stages);
            let between = file.now().to_owned();
            file.get(&[], OverwriteRule::Nothing);
            if file.now() != *text {
                failed.push((*text, between, file.now().to_owned()));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn awkward_toml_is_to_the_byte_what_it_was_when_all_is_removed() {
    let mut failed = Vec::new();
    for text in TOML {
        let stages = [
            toml_nodes("x"),
            toml_nodes("y"),
            toml_more(),
            toml_nodes("y"),
        ];
        let mut file = whole_life(text, Format::Toml, &stages);
        let between = file.now().to_owned();
        file.get(&[], OverwriteRule::Nothing);
        if file.now() != *text {
            failed.push((*text, between, file.now().to_owned()));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn a_new_file_is_laid_out_and_goes_with_its_last_node() {
    let mut file = File::missing(Format::Jsonc);
    let plan = file.get(
        &[key(
            "/mcpServers/fs",
            "{\"command\": \"npx\"}",
            "mcp-servers/fs",
        )],
        OverwriteRule::Nothing,
    );
    assert_eq!(
        file.now(),
        "{\n  \"mcpServers\": {\n    \"fs\": {\n      \"command\": \"npx\"\n    }\n  }\n}\n"
    );
    assert_eq!(
        (plan.changes[0].action, plan.changes[0].reason),
        (ChangeAction::Create, ChangeReason::New)
    );
    assert_eq!(
        plan.changes[0].pointer,
        Some("/mcpServers/fs".parse().unwrap())
    );
    assert_eq!(file.owned.as_ref().unwrap().file, FileOrigin::Ours);
    let mut with_users = file.clone();
    assert_eq!(
        file.get(&[], OverwriteRule::Nothing).outcome,
        FileOutcome::Remove
    );
    with_users.edit("{\n", "{\n  \"mine\": 1,\n");
    with_users.get(&[], OverwriteRule::Nothing);
    assert_eq!(with_users.now(), "{\n  \"mine\": 1\n}\n");
}

#[test]
fn a_new_toml_file_goes_with_its_last_node() {
    let mut file = File::missing(Format::Toml);
    file.get(&toml_nodes("x"), OverwriteRule::Nothing);
    assert!(
        file.now().starts_with("[mcp_servers.ours]\n"),
        "{}",
        file.now()
    );
    assert_eq!(
        file.get(&[], OverwriteRule::Nothing).outcome,
        FileOutcome::Remove
    );
    assert_eq!(
        File::missing(Format::Toml)
            .get(&[], OverwriteRule::Nothing)
            .outcome,
        FileOutcome::Unchanged
    );
}

#[test]
fn a_users_entry_is_refused_unless_it_may_be_taken_over() {
    let ours = [key("/mcpServers/fs", SERVER, "mcp-servers/fs")];
    let mut file = File::json("{\"mcpServers\": {\"fs\": {\"command\": \"mine\"}}}");
    let plan = file.plan(&ours, OverwriteRule::Nothing).unwrap();
    let refusal = &plan.refusals[0];
    assert_eq!(
        (refusal.obstacle, &refusal.owner),
        (Obstacle::Entry, &"mcp-servers/fs".into())
    );
    assert_eq!(refusal.pointer, Some("/mcpServers/fs".parse().unwrap()));
    assert_eq!((plan.outcome, plan.owned), (FileOutcome::Unchanged, None));
    let plan = file.get(&ours, OverwriteRule::Unowned);
    assert_eq!(
        shown_changes(&plan),
        [(ChangeAction::Update, ChangeReason::TakenOver)]
    );
    assert_eq!(file.at("/mcpServers/fs"), Some(value(SERVER)));
    file.get(&[], OverwriteRule::Nothing);
    assert_eq!(file.now(), "{\"mcpServers\": {}}");
}

#[test]
fn an_equal_entry_is_adopted_and_stays_when_it_is_no_longer_wanted() {
    let mut file = File::json(
        "{\n  \"mcpServers\": {\"fs\": {\"args\": [], \"command\": \"x\"}},\n  \"a\": 1\n}\n",
    );
    let plan = file.get(
        &[key(
            "/mcpServers/fs",
            "{\"command\": \"x\", \"args\": []}",
            "m/fs",
        )],
        OverwriteRule::Nothing,
    );
    assert_eq!(
        shown_changes(&plan),
        [(ChangeAction::Adopt, ChangeReason::Identical)]
    );
    assert_eq!(plan.outcome, FileOutcome::Unchanged);
    let before = file.now().to_owned();
    let plan = file.get(&[], OverwriteRule::Nothing);
    assert_eq!(
        shown_changes(&plan),
        [(ChangeAction::Release, ChangeReason::UsersOwn)]
    );
    assert_eq!(file.now(), before);
}

#[test]
fn an_obstacle_that_cannot_be_replaced_blocks_even_with_force() {
    for (text, at, what) in [
        ("{\"mcpServers\": []}", "/mcpServers", NodeKind::List),
        ("{\"mcpServers\": null}", "/mcpServers", NodeKind::Null),
        ("[]", "", NodeKind::List),
        ("\"x\"", "", NodeKind::String),
    ] {
        let plan = File::json(text)
            .plan(
                &[key("/mcpServers/0", SERVER, "m/fs")],
                OverwriteRule::Everything,
            )
            .unwrap();
        assert_eq!(plan.refusals[0].obstacle, Obstacle::Value(what), "{text}");
        assert_eq!(
            plan.refusals[0].pointer,
            Some(at.parse().unwrap()),
            "{text}"
        );
        assert_eq!(plan.outcome, FileOutcome::Unchanged);
    }
    for text in ["{\"hooks\": \"x\"}", "{\"hooks\": {\"Stop\": {}}}"] {
        let plan = File::json(text)
            .plan(
                &[item("/hooks/Stop", OTHER, "h/x")],
                OverwriteRule::Everything,
            )
            .unwrap();
        assert!(
            matches!(plan.refusals[0].obstacle, Obstacle::Value(_)),
            "{text}"
        );
    }
}

#[test]
fn edited_keys_are_kept_and_reported_until_the_edit_may_be_dropped() {
    let mut file = File::json("{}");
    file.get(&[key("/m/fs", SERVER, "m/fs")], OverwriteRule::Nothing);
    file.edit("npx", "bunx");
    let edited = file.now().to_owned();
    let mut unasked = file.clone();
    assert_eq!(
        shown_changes(&file.get(&[key("/m/fs", SERVER_2, "m/fs")], OverwriteRule::Unowned)),
        [(ChangeAction::Keep, ChangeReason::Conflict)]
    );
    assert_eq!(file.now(), edited);
    assert_eq!(
        shown_changes(&file.get(&[key("/m/fs", SERVER_2, "m/fs")], OverwriteRule::Everything)),
        [(ChangeAction::Update, ChangeReason::EditDropped)]
    );
    assert_eq!(file.at("/m/fs"), Some(value(SERVER_2)));
    let mut dropped = unasked.clone();
    assert_eq!(
        shown_changes(&unasked.get(&[], OverwriteRule::Nothing)),
        [(ChangeAction::Keep, ChangeReason::UnaskedEdited)]
    );
    assert_eq!((unasked.now(), &unasked.owned), (edited.as_str(), &None));
    assert_eq!(
        shown_changes(&dropped.get(&[], OverwriteRule::Everything)),
        [(ChangeAction::Remove, ChangeReason::UnaskedEditDropped)]
    );
    assert_eq!(dropped.now(), "{}");
}

#[test]
fn items_are_replaced_where_they_stand_and_edited_ones_not_doubled() {
    let mut file =
        File::json("{\n  \"hooks\": {\n    \"Stop\": [\n      {\"id\": 1}\n    ]\n  }\n}\n");
    file.get(
        &[item("/hooks/Stop", GROUP, "h/lint")],
        OverwriteRule::Nothing,
    );
    file.edit(
        "\"timeout\": 5}]}\n",
        "\"timeout\": 5}]},\n      {\"id\": 2}\n",
    );
    let between = file.clone();
    let plan = file.get(
        &[item("/hooks/Stop", GROUP_2, "h/lint")],
        OverwriteRule::Nothing,
    );
    assert_eq!(
        shown_changes(&plan),
        [(ChangeAction::Update, ChangeReason::Content)]
    );
    assert_eq!(file.at("/hooks/Stop/1"), Some(value(GROUP_2)));
    let mut file = between.clone();
    file.edit("\"Bash\"", "\"Edit\"");
    let edited = file.now().to_owned();
    let plan = file.get(
        &[item("/hooks/Stop", GROUP_2, "h/lint")],
        OverwriteRule::Nothing,
    );
    assert_eq!(
        shown_changes(&plan),
        [(ChangeAction::Keep, ChangeReason::Conflict)]
    );
    assert_eq!(file.now(), edited);
    let plan = file.get(
        &[item("/hooks/Stop", GROUP_2, "h/lint")],
        OverwriteRule::Everything,
    );
    assert_eq!(
        shown_changes(&plan),
        [(ChangeAction::Update, ChangeReason::EditDropped)]
    );
    assert_eq!(file.at("/hooks/Stop/1"), Some(value(GROUP_2)));
    let mut file = between;
    file.edit(&format!("      {},\n", file.at_text("/hooks/Stop/1")), "");
    let plan = file.get(
        &[item("/hooks/Stop", GROUP, "h/lint")],
        OverwriteRule::Nothing,
    );
    assert_eq!(
        shown_changes(&plan),
        [(ChangeAction::Create, ChangeReason::WasMissing)]
    );
    file.get(&[], OverwriteRule::Nothing);
    assert_eq!(
        file.at("/hooks/Stop"),
        Some(value("[{\"id\": 1}, {\"id\": 2}]"))
    );
}

impl File {
    /// The text of a node.
    fn at_text(&self, pointer: &str) -> String {
        let document = read(self.now(), self.format);
        let range = document
            .at(&pointer.parse().unwrap())
            .unwrap()
            .span()
            .range();
        self.now()[range].to_owned()
    }
}

#[test]
fn equal_items_are_one_and_an_owner_may_have_several() {
    let mut file = File::json("{}");
    let three = [
        item("/hooks/Stop", GROUP, "h/lint"),
        item("/hooks/Stop", GROUP, "h/again"),
        item("/hooks/Stop", OTHER, "h/lint"),
    ];
    file.get(&three, OverwriteRule::Nothing);
    assert_eq!(
        file.at("/hooks/Stop"),
        Some(value(&format!("[{GROUP}, {OTHER}]")))
    );
    let plan = file.get(
        &[item("/hooks/Stop", GROUP, "h/again")],
        OverwriteRule::Nothing,
    );
    assert_eq!(
        shown_changes(&plan),
        [(ChangeAction::Remove, ChangeReason::Unasked)]
    );
    assert_eq!(file.at("/hooks/Stop"), Some(value(&format!("[{GROUP}]"))));
    let two = [
        item("/hooks/Stop", GROUP_2, "h/again"),
        item("/hooks/Stop", OTHER, "h/again"),
    ];
    let plan = file.get(&two, OverwriteRule::Nothing);
    assert_eq!(
        shown_changes(&plan),
        [
            (ChangeAction::Update, ChangeReason::Content),
            (ChangeAction::Create, ChangeReason::New)
        ]
    );
}

#[test]
fn defaults_yield_to_any_value_of_the_users() {
    let node = |json: &str| [default("/x/$schema", json, "m/fs")];
    let mut file = File::json("{\"x\": {\"$schema\": \"mine\"}}");
    let plan = file.get(&node("\"ours\""), OverwriteRule::Everything);
    assert_eq!(
        (plan.outcome, plan.owned, plan.unchanged),
        (FileOutcome::Unchanged, None, 1)
    );
    let mut file = File::json("{}");
    file.get(&node("\"ours\""), OverwriteRule::Nothing);
    assert_eq!(
        shown_changes(&file.get(&node("\"new\""), OverwriteRule::Nothing)),
        [(ChangeAction::Update, ChangeReason::Content)]
    );
    let mut edited = file.clone();
    edited.edit("new", "mine");
    assert_eq!(
        shown_changes(&edited.get(&node("\"newer\""), OverwriteRule::Everything)),
        []
    );
    assert_eq!(edited.owned, None);
    file.get(&[], OverwriteRule::Nothing);
    assert_eq!(file.now(), "{}");
}

#[test]
fn different_values_for_one_place_are_a_clash() {
    let clash = |one: DesiredNode, other: DesiredNode| {
        let error = File::json("{}")
            .plan(&[one, other], OverwriteRule::Everything)
            .unwrap_err();
        assert!(
            matches!(error, NodeError::Clash { first, second, .. } if first == "m/a".into() && second == "m/b".into())
        );
    };
    clash(key("/m/fs", "1", "m/a"), key("/m/fs", "2", "m/b"));
    clash(key("/m", "{}", "m/a"), key("/m/fs", "2", "m/b"));
    clash(item("/m", "1", "m/a"), key("/m", "[2]", "m/b"));
    let equal = [
        key("/m/fs", "1", "m/a"),
        key("/m/fs", "1.0", "m/b"),
        default("/m/fs", "3", "m/c"),
    ];
    let mut file = File::json("{}");
    assert_eq!(
        file.get(&equal, OverwriteRule::Nothing)
            .owned
            .unwrap()
            .nodes
            .len(),
        1
    );
}

#[test]
fn a_comment_of_the_users_keeps_a_container_of_ours() {
    let mut file = File::json("{\n  \"a\": 1\n}\n");
    file.get(&[key("/m/fs", "1", "m/fs")], OverwriteRule::Nothing);
    file.edit("\"m\": {\n", "\"m\": {\n    // keep me\n");
    file.get(&[], OverwriteRule::Nothing);
    assert!(file.now().contains("// keep me"), "{}", file.now());
}

#[test]
fn verify_reports_missing_nodes_from_edited_ones() {
    let mut file = File::json("{}");
    file.get(&more(), OverwriteRule::Nothing);
    let findings = |file: &File| {
        let found = check_nodes(
            Some(&read(file.now(), Format::Jsonc)),
            file.owned.as_ref().unwrap(),
        );
        found
            .into_iter()
            .map(|finding| (finding.owner, finding.state))
            .collect::<Vec<_>>()
    };
    assert_eq!(findings(&file), []);
    file.edit("lint --all", "lint --some");
    file.edit("\"Bash|Edit\"", "\"Bash\"");
    file.edit("https://x/y.json", "mine");
    file.edit("\"url\": \"https://x\"", "\"url\": \"https://z\"");
    let owner = |name: &str| Owner::from(name);
    assert_eq!(
        findings(&file),
        [
            (owner("mcp-servers/git"), NodeState::Edited),
            (owner("hooks/lint"), NodeState::Edited)
        ]
    );
    assert_eq!(check_nodes(None, file.owned.as_ref().unwrap()).len(), 6);
}

#[test]
fn taking_back_leaves_what_the_user_did_since() {
    let mut file = File::json(
        "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"fs\": {\"command\": \"mine\"}\n  }\n}\n",
    );
    let user = file.clone();
    let taken = [key("/mcpServers/fs", SERVER, "m/fs")];
    file.get(&[&first()[..], &taken].concat(), OverwriteRule::Unowned);
    let installed = file.clone();
    file.get(&more(), OverwriteRule::Nothing);
    file.edit("\"a\": 1", "\"a\": 2");
    let back = |to: &File, from: &File| {
        let before = read(to.now(), Format::Jsonc);
        let now = read(file.now(), Format::Jsonc);
        take_back(&now, Some(&before), to.owned.as_ref(), from.owned.as_ref()).unwrap()
    };
    let FileOutcome::Write(text) = back(&installed, &file) else {
        panic!()
    };
    assert_eq!(
        value(&text),
        value(&installed.now().replace("\"a\": 1", "\"a\": 2"))
    );
    let FileOutcome::Write(text) = back(&user, &file) else {
        panic!()
    };
    assert_eq!(value(&text).get("hooks"), None, "{text}");
    let file_made = {
        let mut file = File::missing(Format::Jsonc);
        file.get(&first(), OverwriteRule::Nothing);
        file
    };
    let now = read(file_made.now(), Format::Jsonc);
    assert_eq!(
        take_back(&now, None, None, file_made.owned.as_ref()).unwrap(),
        FileOutcome::Remove
    );
}

#[test]
fn taking_back_a_take_over_gives_the_users_value_back() {
    let user = File::json("{\"mcpServers\": {\"fs\": {\"command\": \"mine\"}}}");
    let mut file = user.clone();
    file.get(
        &[key("/mcpServers/fs", SERVER, "m/fs")],
        OverwriteRule::Unowned,
    );
    file.edit("{\"mcpServers\"", "{\"b\": 2, \"mcpServers\"");
    let before = read(user.now(), Format::Jsonc);
    let now = read(file.now(), Format::Jsonc);
    let FileOutcome::Write(text) =
        take_back(&now, Some(&before), None, file.owned.as_ref()).unwrap()
    else {
        panic!()
    };
    assert_eq!(
        value(&text),
        value("{\"b\": 2, \"mcpServers\": {\"fs\": {\"command\": \"mine\"}}}")
    );
}

#[test]
fn a_ledger_with_entries_that_make_no_sense_is_broken() {
    let mut file = File::json("{ }");
    file.get(&more(), OverwriteRule::Nothing);
    let path = RelativePath::new("folder/file").unwrap();
    let ledger = Ledger {
        shared: [(path, file.owned.unwrap())].into(),
        ..Ledger::default()
    };
    let text = ledger.to_text();
    assert!(!Ledger::default().to_text().contains("shared"));
    for (from, to) in [
        ("\"seen\": \"sha256:", "\"seen\": \"md5:"),
        ("k:/", "k:"),
        (" i:", " x:"),
        (":mcp-servers/git", ""),
        (":mcp-servers/git", ":mcp-servers/git:2:a"),
        (":mcp-servers/git", ":mcp-servers/git:0:a:b"),
        ("\"/hooks\"", "\"hooks\""),
        ("\"nodes\"", "\"node\""),
        ("\"base\"", "\"bass\""),
        ("folder/file", "../file"),
    ] {
        assert!(text.contains(from), "{from}\n{text}");
        assert!(
            Ledger::read(text.replacen(from, to, 1).as_bytes()).is_err(),
            "{from}"
        );
    }
}

/// Blanks and comments between two tokens.
const GAPS: &[&str] = &[
    "",
    "",
    "",
    "",
    " ",
    "\n",
    "\r\n",
    "\n  ",
    "\n    ",
    "\t",
    " // c\n",
    "/* c */",
    "\n\n",
    " \n",
    "\n// c\n  ",
];

/// The layout of a generated document.
#[derive(Clone, Copy)]
enum Look {
    Wild,
    Lines(&'static str, &'static str),
    Inline,
}

struct Writer<'t> {
    tape: Tape<'t>,
    look: Look,
    out: String,
}

impl Writer<'_> {
    fn gap(&mut self, depth: usize, inline: &str) {
        match self.look {
            Look::Wild => self.out.push_str(self.tape.pick(GAPS)),
            Look::Lines(newline, unit) => {
                let comment = self
                    .tape
                    .pick(&["", "", "", " // c", "\n// c", " /* c */", "  "]);
                self.out.extend([comment, newline, &unit.repeat(depth)]);
            }
            Look::Inline => self.out.push_str(inline),
        }
    }

    fn children(
        &mut self,
        brackets: [char; 2],
        count: usize,
        depth: usize,
        child: &mut dyn FnMut(&mut Self, usize),
    ) {
        self.out.push(brackets[0]);
        let bare = count == 0 && self.tape.pick(&[true, false]);
        for at in 0..count {
            self.gap(depth + 1, if at > 0 { " " } else { "" });
            child(self, at);
            let comma = at + 1 < count || self.tape.pick(&[false, false, true]);
            if comma {
                self.out.push(',');
            }
        }
        if !bare {
            self.gap(depth, "");
        }
        self.out.push(brackets[1]);
    }

    fn entry(&mut self, key: &str, depth: usize) {
        self.out.extend(["\"", key, "\":"]);
        if matches!(self.look, Look::Wild) {
            self.gap(depth, "");
        }
    }

    fn scalar(&mut self) {
        let scalar = self.tape.pick(&[
            "1",
            "\"é // no\"",
            "true",
            "null",
            "[]",
            "{ }",
            "[1, 2]",
            "{\"k\": [ ]}",
        ]);
        self.out.push_str(scalar);
    }

    fn groups(&mut self, depth: usize) {
        let count = self.tape.pick(&[0, 1, 2]);
        self.children(['[', ']'], count, depth, &mut |writer, _| writer.scalar());
    }

    fn named(
        &mut self,
        names: &[&'static str],
        depth: usize,
        value: &mut dyn FnMut(&mut Self, &str),
    ) {
        let present: Vec<&str> = names
            .iter()
            .copied()
            .filter(|_| self.tape.pick(&[true, false]))
            .collect();
        self.children(['{', '}'], present.len(), depth, &mut |writer, at| {
            writer.entry(present[at], depth + 1);
            value(writer, present[at]);
        });
    }

    fn root(&mut self) {
        self.named(
            &["z", "hooks", "a~/é", "mcpServers", "last"],
            0,
            &mut |writer, name| match name {
                "hooks" => writer.named(&["Stop", "PreToolUse", "Other"], 1, &mut |writer, _| {
                    writer.groups(2)
                }),
                "mcpServers" => {
                    writer.named(&["zeta", "alpha"], 1, &mut |writer, _| writer.scalar())
                }
                _ => writer.scalar(),
            },
        );
    }
}

fn json_text(bytes: &[u8]) -> String {
    let mut tape = Tape { bytes, at: 0 };
    let look = tape.pick(&[
        Look::Wild,
        Look::Lines("\n", "  "),
        Look::Lines("\r\n", "    "),
        Look::Lines("\n", "\t"),
        Look::Inline,
    ]);
    let mut writer = Writer {
        tape,
        look,
        out: String::new(),
    };
    let head = writer.tape.pick(&["", "", "\u{feff}", "// head\n", "\n"]);
    writer.out.push_str(head);
    writer.root();
    let tail = writer.tape.pick(&["\n", "", "\r\n", " // tail", "\n\n"]);
    writer.out.push_str(tail);
    writer.out
}

const TOML_TOP: &[&str] = &[
    "a = 1\n",
    "b = 'x' # b\n",
    "# note\n",
    "\n",
    "c.d = 2\n",
    "list = [\n  1,\n]\n",
];
const TOML_SECTIONS: &[&str] = &[
    "[x]\ny = 1\n",
    "[[l]]\nz = 1\n",
    "# about l\n[[l]]\nz = 2\n",
    "[q.r]\n",
    "[mcp_servers]\n",
    "[mcp_servers.z]\ncommand = 'z'\n",
    "[mcp_servers.z.env]\nA = '1'\n",
    "[end] # end\nk = {}\n",
];

fn toml_text(bytes: &[u8]) -> String {
    let mut tape = Tape { bytes, at: 0 };
    let mut out = tape.pick(&["", "", "\u{feff}", "# head\n"]).to_owned();
    for piece in TOML_TOP {
        out.push_str(tape.pick(&["", piece]));
    }
    let inline = [
        "mcp_servers = {}\n",
        "mcp_servers.z.command = 'z'\n",
        "mcp_servers = { z = { a = 1 } }\n",
    ];
    let dotted = tape.pick(&["", "", inline[0], inline[1], inline[2]]);
    out.push_str(dotted);
    for piece in TOML_SECTIONS {
        let taken = piece.contains("[mcp") && !dotted.is_empty();
        out.push_str(tape.pick(&["", "\n", "\n", "\n\n", "# c\n\n"]));
        out.push_str(if taken { "" } else { tape.pick(&["", piece]) });
    }
    if tape.pick(&[false, false, true]) {
        out.truncate(out.trim_end().len());
    }
    if tape.pick(&[false, false, true]) {
        out.replace('\n', "\r\n")
    } else {
        out
    }
}

/// The user's text after adding a key.
fn with_own_key(text: &str, format: Format) -> Option<String> {
    let at = "/mine".parse().unwrap();
    read(text, format)
        .edit(&agpm_text::Edit::Set {
            at,
            value: true.into(),
        })
        .ok()
}

proptest! {
    #[test]
    fn any_json_is_to_the_byte_what_it_was_when_all_is_removed(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        let text = json_text(&bytes);
        let mut file = whole_life(&text, Format::Jsonc, &[first(), changed(), more(), fewer()]);
        file.get(&[], OverwriteRule::Nothing);
        prop_assert_eq!(file.now(), text);
    }

    #[test]
    fn any_toml_is_to_the_byte_what_it_was_when_all_is_removed(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let text = toml_text(&bytes);
        let mut file = whole_life(&text, Format::Toml, &[toml_nodes("x"), toml_nodes("y"), toml_more(), toml_nodes("y")]);
        file.get(&[], OverwriteRule::Nothing);
        prop_assert_eq!(file.now(), text);
    }

    #[test]
    fn user_entries_between_managed_ones_stay(bytes in prop::collection::vec(any::<u8>(), 0..80), toml in any::<bool>()) {
        let (text, format, nodes) = if toml {
            (toml_text(&bytes), Format::Toml, toml_more())
        } else {
            (json_text(&bytes), Format::Jsonc, more())
        };
        let mut file = File::new(&text, format);
        file.get(&nodes, OverwriteRule::Nothing);
        if let (Some(edited), Some(expected)) = (with_own_key(file.now(), format), with_own_key(&text, format)) {
            file.text = Some(edited);
            file.get(&[], OverwriteRule::Nothing);
            let full = |text: &str| read(text, format).root().map(to_value);
            prop_assert_eq!(full(file.now()), full(&expected));
            prop_assert!(keeps_solid(&text, file.now()), "{}\n---\n{}", text, file.now());
        }
    }
}

#[test]
fn lists_in_toml_get_items_too() {
    for text in [
        "",
        "[[hooks.Stop]]\nx = 1\n",
        "notify = [\"a\"]\n\n[hooks]\nStop = [\n  { x = 1 }, # one\n]\n",
    ] {
        let mut file = File::new(text, Format::Toml);
        let nodes = |group| {
            [
                item("/hooks/Stop", group, "h/lint"),
                item("/notify", "\"x\"", "h/lint"),
            ]
        };
        file.get(&nodes(GROUP), OverwriteRule::Nothing);
        assert!(keeps(text, file.now()), "{}", file.now());
        file.get(&nodes(GROUP_2), OverwriteRule::Nothing);
        file.get(&[], OverwriteRule::Nothing);
        assert_eq!(file.now(), text);
    }
}

#[test]
fn yaml_comes_back_too() {
    for text in [
        "",
        "# only\n",
        "a: 1\n",
        "a: 1",
        "mcp:\n  z:\n    command: z # mine\n# tail\n",
        "mcp: {}\nb: [1]\n",
        "hooks:\n  Stop:\n  - x: 1\n",
    ] {
        let mut file = File::new(text, Format::Yaml);
        let nodes = |server| {
            [
                key("/mcp/fs", server, "m/fs"),
                item("/hooks/Stop", GROUP, "h/lint"),
            ]
        };
        file.get(&nodes(SERVER), OverwriteRule::Nothing);
        file.get(&nodes(SERVER_2), OverwriteRule::Nothing);
        file.get(&[], OverwriteRule::Nothing);
        assert_eq!(file.now(), text);
    }
}

impl File {
    /// The number of occurrences of each thing that [`meddle`] added.
    fn users(&self) -> [usize; 5] {
        let text = self.text.as_deref().unwrap_or_default();
        [
            "\"bunx\"",
            "lint --some",
            "audit -v",
            "\"mine\"",
            "\"Edit\"",
        ]
        .map(|word| text.matches(word).count())
    }
}

/// An edit of the user, in or next to managed nodes.
fn meddle(file: &mut File, how: u8) {
    let edits = [
        ("\"npx\"", "\"bunx\""),
        ("\"Bash\"", "\"Edit\""),
        ("lint --all", "lint --some"),
        ("\"audit\"", "\"audit -v\""),
        ("https://x/y.json", "mine"),
    ];
    let removals = [
        "/hooks/PreToolUse/0",
        "/hooks/Stop",
        "/mcpServers/git",
        "/mcpServers",
        "/hooks",
    ];
    let now = file.now().to_owned();
    let how = usize::from(how);
    file.text = Some(match how % 3 {
        0 => now.replacen(edits[how % edits.len()].0, edits[how % edits.len()].1, 1),
        1 => {
            let at = removals[how % removals.len()].parse().unwrap();
            read(&now, file.format)
                .edit(&agpm_text::Edit::Remove { at })
                .unwrap_or(now)
        }
        _ => with_own_key(&now, file.format).unwrap_or(now),
    });
}

proptest! {
    #[test]
    fn whatever_happens_between_a_plan_that_was_carried_out_is_followed_by_an_empty_one(
        bytes in prop::collection::vec(any::<u8>(), 0..60),
        steps in prop::collection::vec((0usize..5, any::<u8>(), 0usize..3), 1..6),
    ) {
        let stages = [vec![], first(), changed(), more(), fewer()];
        let overwrites = [OverwriteRule::Nothing, OverwriteRule::Unowned, OverwriteRule::Everything];
        let mut file = File::json(&json_text(&bytes));
        for (stage, how, overwrite) in steps {
            let (desired, overwrite) = (&stages[stage], overwrites[overwrite]);
            let before = file.users();
            if file.plan(desired, overwrite).unwrap().refusals.is_empty() {
                file.get(desired, overwrite);
            }
            if overwrite == OverwriteRule::Nothing {
                prop_assert_eq!(before, file.users(), "{}", file.now());
            }
            meddle(&mut file, how);
        }
    }
}
