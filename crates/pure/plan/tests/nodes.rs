//! Nodes of ours inside files that users write too: awkward files through a whole life, and laws.
#![allow(clippy::unwrap_used, clippy::panic)]

use agpm_diag::{SourceMap, has_errors};
use agpm_model::{Checksum, EntryNode, Place, RelativePath};
use agpm_plan::{
    Action, DesiredNode, FileOrigin, FileOutcome, Ledger, NodeError, NodePlan, NodeState, Obstacle,
    Overwrite, OwnedNodes, Reason, SharedFile, check_nodes, plan_nodes, take_back,
};
use agpm_text::{Document, Format, Limits, Value, parse, to_value};
use proptest::prelude::*;

fn read(text: &str, format: Format) -> Document {
    let parsed = parse(SourceMap::default().add("x", text), text, format, Limits::default());
    assert!(!has_errors(&parsed.diagnostics), "{text}\n{:?}", parsed.diagnostics);
    parsed.document
}

fn value(json: &str) -> Value {
    to_value(read(json, Format::Jsonc).root().unwrap())
}

fn key(at: &str, json: &str, owner: &str) -> DesiredNode {
    desired(Place::Key(at.parse().unwrap()), json, owner)
}

fn item(at: &str, json: &str, owner: &str) -> DesiredNode {
    desired(Place::Item(at.parse().unwrap()), json, owner)
}

fn default(at: &str, json: &str, owner: &str) -> DesiredNode {
    desired(Place::Default(at.parse().unwrap()), json, owner)
}

fn desired(place: Place, json: &str, owner: &str) -> DesiredNode {
    DesiredNode { node: EntryNode { place, value: value(json) }, owner: owner.to_owned() }
}

/// A file, what is ours in it, and its format.
#[derive(Clone, Debug)]
struct File {
    text: Option<String>,
    owned: Option<OwnedNodes>,
    format: Format,
}

impl File {
    fn new(text: &str, format: Format) -> Self {
        File { text: Some(text.to_owned()), owned: None, format }
    }

    fn json(text: &str) -> Self {
        File::new(text, Format::Jsonc)
    }

    fn missing(format: Format) -> Self {
        File { text: None, owned: None, format }
    }

    fn plan(&self, desired: &[DesiredNode], overwrite: Overwrite) -> Result<NodePlan, NodeError> {
        let document = self.text.as_ref().map(|text| read(text, self.format));
        plan_nodes(&SharedFile {
            path: &RelativePath::new("folder/file").unwrap(),
            format: self.format,
            document: document.as_ref(),
            desired,
            owned: self.owned.as_ref(),
            overwrite,
        })
    }

    /// Carries a plan out, which must have no refusals, and checks that the next one is empty.
    fn get(&mut self, desired: &[DesiredNode], overwrite: Overwrite) -> NodePlan {
        let plan = self.plan(desired, overwrite).unwrap();
        assert_eq!(plan.refusals, [], "{self:?}");
        match &plan.outcome {
            FileOutcome::Unchanged => {}
            FileOutcome::Write(text) => self.text = Some(text.clone()),
            FileOutcome::Remove => self.text = None,
        }
        self.owned = plan.owned.clone();
        self.reread();
        let again = self.plan(desired, overwrite).unwrap();
        assert_eq!(again.outcome, FileOutcome::Unchanged, "{self:?}");
        assert_eq!(again.owned, self.owned, "{self:?}");
        assert!(again.changes.iter().all(|change| change.action == Action::Keep), "{again:?}");
        plan
    }

    /// The ledger goes through its file.
    fn reread(&mut self) {
        let path = RelativePath::new("folder/file").unwrap();
        let entries = self.owned.iter().map(|owned| (path.clone(), owned.clone())).collect();
        let ledger = Ledger { entries, ..Ledger::default() };
        let back = Ledger::read(&read(&ledger.to_text(), Format::Json)).unwrap();
        assert_eq!(back, ledger);
    }

    fn now(&self) -> &str {
        self.text.as_deref().unwrap()
    }

    fn edit(&mut self, from: &str, to: &str) {
        let text = self.now();
        assert!(text.contains(from), "{from}\n{text}");
        self.text = Some(text.replacen(from, to, 1));
    }

    fn at(&self, pointer: &str) -> Option<Value> {
        read(self.now(), self.format).at(&pointer.parse().unwrap()).map(to_value)
    }
}

const GROUP: &str = r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint", "timeout": 5}]}"#;
const GROUP_2: &str = r#"{"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "lint --all"}]}"#;
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
    more.push(key("/mcpServers/git", r#"{"url": "https://x"}"#, "mcp-servers/git"));
    more
}

fn fewer() -> Vec<DesiredNode> {
    more().into_iter().filter(|node| node.owner != "hooks/lint").collect()
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
    more.push(key("/mcp_servers/git hub", r#"{"url": "https://x"}"#, "mcp-servers/git"));
    more
}

/// Whether all bytes of the user's are there in their order. Blanks between brackets that hold nothing may go.
fn keeps(user: &str, now: &str) -> bool {
    let solid = |text: &str| -> Vec<char> { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let whole = |text: &str| -> Vec<char> { text.chars().collect() };
    let holds_blanks = user
        .split(['{', '['])
        .skip(1)
        .any(|rest| rest.trim_start().starts_with(['}', ']']) && !rest.starts_with(['}', ']']));
    let form = if holds_blanks { solid } else { whole };
    let now = form(now);
    let mut rest = now.iter();
    form(user).iter().all(|c| rest.any(|other| other == c))
}

fn whole_life(text: &str, format: Format, stages: &[Vec<DesiredNode>]) -> File {
    let mut file = File::new(text, format);
    for desired in stages {
        file.get(desired, Overwrite::Nothing);
        assert!(keeps(text, file.now()), "{text}\n---\n{}", file.now());
        for node in desired {
            let there = match &node.node.place {
                Place::Item(list) => {
                    matches!(file.at(&list.to_string()), Some(Value::List(items)) if items.contains(&node.node.value))
                }
                Place::Key(at) | Place::Default(at) => {
                    file.at(&at.to_string()).as_ref() == Some(&node.node.value)
                }
            };
            assert!(there, "{node:?}\n{}", file.now());
        }
    }
    file
}

#[test]
fn awkward_json_is_to_the_byte_what_it_was_when_all_is_removed() {
    let mut failed = Vec::new();
    let mut seams = 0;
    for text in JSON {
        for stages in [vec![first(), changed(), more(), fewer()], vec![more(), fewer()], vec![first()]] {
            let mut file = whole_life(text, Format::Jsonc, &stages);
            seams += usize::from(file.owned.as_ref().unwrap().seams.is_some());
            let between = file.now().to_owned();
            file.get(&[], Overwrite::Nothing);
            if file.now() != *text {
                failed.push((*text, between, file.now().to_owned()));
            }
        }
    }
    println!("{seams} with seams of {}", JSON.len() * 3);
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn awkward_toml_is_to_the_byte_what_it_was_when_all_is_removed() {
    let mut failed = Vec::new();
    for text in TOML {
        let stages = [toml_nodes("x"), toml_nodes("y"), toml_more(), toml_nodes("y")];
        let mut file = whole_life(text, Format::Toml, &stages);
        let between = file.now().to_owned();
        println!("{text:?} {:?}", file.owned.as_ref().unwrap().seams);
        file.get(&[], Overwrite::Nothing);
        if file.now() != *text {
            failed.push((*text, between, file.now().to_owned()));
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}
