//! Every rule of a policy, against every place that can bring what it forbids. Each rule has a twin that forbids something
//! else, which must let the same content pass.

use agpm_testkit::{Repository, Sandbox};

use crate::{rules, sandbox};

/// An agent that does all that a policy can forbid.
const AGENT: &str = "---\nname: x\ndescription: d\ntools: Read, Bash\npermissionMode: bypassPermissions\n\
    hooks:\n  Stop:\n    - hooks:\n        - {type: command, command: echo hi}\n\
    mcpServers:\n  a: {command: npx, args: [evil]}\n  b: {type: http, url: https://evil.example/x}\n---\nText.\n";

/// A rule that forbids the content, one that does not, and when it applies.
struct RuleRow {
    rule: &'static str,
    forbids: &'static str,
    passes: &'static str,
    about: RuleSubject,
}

/// What a rule judges.
#[derive(Clone, Copy, PartialEq)]
enum RuleSubject {
    /// The content, wherever it is from.
    Content,
    /// The repository that it comes from.
    Source,
}
use RuleSubject::{Content, Source};

const fn row(
    rule: &'static str,
    about: RuleSubject,
    forbids: &'static str,
    passes: &'static str,
) -> RuleRow {
    RuleRow {
        rule,
        forbids,
        passes,
        about,
    }
}

/// `URL` is the repository, `PATH` the agent in it, `OTHER` another repository.
const RULES: &[RuleRow] = &[
    row(
        "sources.deny",
        Source,
        "[sources]\ndeny = [\"URL\"]",
        "[sources]\ndeny = [\"OTHER\"]",
    ),
    row(
        "sources.deny",
        Source,
        "[sources]\ndeny = [\"file:///**\"]",
        "[sources]\ndeny = [\"https://git.corp/**\"]",
    ),
    row(
        "sources.allow",
        Source,
        "[sources]\nallow = [\"OTHER\"]",
        "[sources]\nallow = [\"file:///**\"]",
    ),
    row(
        "sources.allow",
        Source,
        "[sources]\nallow = []",
        "[sources]\nallow = [\"file:///**\", \"OTHER\"]",
    ),
    row(
        "resources.deny",
        Source,
        "[resources]\ndeny = [{ match = \"URL\" }]",
        "[resources]\ndeny = [{ match = \"OTHER\" }]",
    ),
    row(
        "resources.deny",
        Source,
        "[resources]\ndeny = [{ match = \"URL//PATH\" }]",
        "[resources]\ndeny = [{ match = \"URL//other\" }]",
    ),
    row(
        "resources.deny",
        Source,
        "[resources]\ndeny = [{ match = \"URL@<2\" }]",
        "[resources]\ndeny = [{ match = \"URL@<1.0.0\" }]",
    ),
    row(
        "resources.deny",
        Source,
        "[resources]\ndeny = [{ match = \"URL//PATH@COMMIT\" }]",
        "[resources]\ndeny = [{ match = \"URL//PATH@abcdef12\" }]",
    ),
    row(
        "types.deny",
        Content,
        "[types]\ndeny = [\"agents\"]",
        "[types]\ndeny = [\"scripts\"]",
    ),
    row(
        "types.allow",
        Content,
        "[types]\nallow = [\"scripts\"]",
        "[types]\nallow = [\"agents\", \"hooks\", \"mcp-servers\", \"plugins\"]",
    ),
    row(
        "types.deny",
        Content,
        "[types]\ndeny = [\"hooks\"]",
        "[types]\ndeny = [\"commands\"]",
    ),
    row(
        "types.deny",
        Content,
        "[types]\ndeny = [\"mcp-servers\"]",
        "[types]\ndeny = [\"skills\"]",
    ),
    row(
        "tools.deny",
        Content,
        "[tools]\ndeny = [\"claude-code\"]",
        "[tools]\ndeny = [\"codex\"]",
    ),
    row(
        "tools.allow",
        Content,
        "[tools]\nallow = [\"codex\"]",
        "[tools]\nallow = [\"claude-code\"]",
    ),
    row(
        "mcp.allow-hosts",
        Content,
        "[mcp]\nallow-hosts = [\"*.corp\"]",
        "[mcp]\nallow-hosts = [\"EVIL.example\"]",
    ),
    row(
        "mcp.allow-hosts",
        Content,
        "[mcp]\nallow-hosts = []",
        "[mcp]\nallow-hosts = [\"*\"]",
    ),
    row(
        "mcp.allow-commands",
        Content,
        "[mcp]\nallow-commands = [\"npx @corp/*\", \"uvx\"]",
        "[mcp]\nallow-commands = [\"npx evil\"]",
    ),
    row(
        "executables.mode",
        Content,
        "[executables]\nmode = \"deny\"",
        "[executables]\nmode = \"allow\"",
    ),
    row(
        "permissions.deny",
        Content,
        "[permissions]\ndeny = [\"bypassPermissions\"]",
        "[permissions]\ndeny = [\"acceptEdits\"]",
    ),
    row(
        "permissions.deny",
        Content,
        "[permissions]\ndeny = [\"Bash(*)\"]",
        "[permissions]\ndeny = [\"WebFetch\"]",
    ),
    row(
        "versions.min-release-age",
        Source,
        "[versions]\nmin-release-age = \"5200w\"",
        "[versions]\nmin-release-age = \"0s\"",
    ),
    row(
        "signatures.require",
        Source,
        "[signatures]\nrequire = [\"URL\"]",
        "[signatures]\nrequire = [\"OTHER\"]",
    ),
    row(
        "require",
        Content,
        "[require]\n\"skills/x\" = \"^1\"",
        "[require]",
    ),
];

/// A place that brings the agent.
struct Place {
    name: &'static str,
    /// The path of the agent in its repository; `None` for a file of the project.
    path: Option<&'static str>,
    /// Files of the repository that brings it, beside the agent.
    files: &'static [(&'static str, &'static str)],
    manifest: &'static str,
    /// Whether only the lockfile's version is known: a place without a version of its own.
    base: Option<&'static str>,
}

const REQUIRING: &str = "---\nname: p\ndependencies:\n  agents:\n    - path: x.md\n---\nText.\n";
const REQUIRING_ELSEWHERE: &str =
    "---\nname: p\ndependencies:\n  agents:\n    - {path: agents/x.md, source: c}\n---\nText.\n";
const PLUGIN: &str = "{\"name\": \"kit\"}\n";

/// `URL` is the repository with the agent, `BASE` one that requires it.
const PLACES: &[Place] = &[
    Place {
        name: "a local file",
        path: None,
        files: &[],
        base: None,
        manifest: "[agents]\nx = \"x.md\"\n",
    },
    Place {
        name: "a dependency",
        path: Some("agents/x.md"),
        files: &[],
        base: None,
        manifest: "[sources]\nc = \"URL\"\n[agents]\nx = { source = \"c\", path = \"agents/x.md\", VERSION }\n",
    },
    Place {
        name: "a URL as a dependency",
        path: Some("agents/x.md"),
        files: &[],
        base: None,
        manifest: "[agents]\nx = \"URL//agents/x.md@INLINE\"\n",
    },
    Place {
        name: "a pattern",
        path: Some("agents/deep/x.md"),
        files: &[],
        base: None,
        manifest: "[sources]\nc = \"URL\"\n[agents]\nall = { source = \"c\", path = \"agents/**/*.md\", VERSION }\n",
    },
    Place {
        name: "a child",
        path: Some("agents/x.md"),
        files: &[("agents/p.md", REQUIRING)],
        base: None,
        manifest: "[sources]\nc = \"URL\"\n[agents]\np = { source = \"c\", path = \"agents/p.md\", VERSION }\n",
    },
    Place {
        name: "a child of a local file",
        path: Some("agents/x.md"),
        files: &[],
        base: None,
        manifest: "[sources]\nc = \"URL\"\n[agents]\np = \"p.md\"\n",
    },
    Place {
        name: "a plugin",
        path: Some("kit/agents/x.md"),
        files: &[("kit/.claude-plugin/plugin.json", PLUGIN)],
        base: None,
        manifest: "[sources]\nc = \"URL\"\n[plugins]\nkit = { source = \"c\", path = \"kit\", VERSION }\n",
    },
    Place {
        name: "a plugin of a marketplace",
        path: Some("kit/agents/x.md"),
        files: &[
            ("kit/.claude-plugin/plugin.json", PLUGIN),
            (
                ".claude-plugin/marketplace.json",
                "{\"name\": \"m\", \"owner\": {\"name\": \"x\"}, \"plugins\": [{\"name\": \"kit\", \"source\": \"./kit\"}]}",
            ),
        ],
        base: None,
        manifest: "[sources]\nm = \"URL\"\n[plugins]\nkit = { marketplace = \"m\", VERSION }\n",
    },
    Place {
        name: "a base with the agent",
        path: Some("agents/x.md"),
        files: &[("agpm.toml", "[agents]\nx = \"agents/x.md\"\n")],
        base: None,
        manifest: "extends = \"URL@INLINE\"\n",
    },
    Place {
        name: "an entry of a base",
        path: Some("agents/x.md"),
        files: &[],
        base: Some(
            "[sources]\nc = \"URL\"\n[agents]\nx = { source = \"c\", path = \"agents/x.md\", VERSION }\n",
        ),
        manifest: "extends = \"./base\"\n",
    },
    Place {
        name: "a layer",
        path: Some("layer/.claude/agents/x.md"),
        files: &[],
        base: None,
        manifest: "[sources]\nc = \"URL\"\n[[layers]]\nname = \"l\"\nsource = \"c\"\nroot = \"layer\"\nVERSION\n",
    },
    Place {
        name: "a layer of a base",
        path: Some("layer/.claude/agents/x.md"),
        files: &[],
        base: Some(
            "[sources]\nc = \"URL\"\n[[layers]]\nname = \"l\"\nsource = \"c\"\nroot = \"layer\"\nVERSION\n",
        ),
        manifest: "extends = \"./base\"\n",
    },
    Place {
        name: "a base in a repository with a layer",
        path: Some("layer/.claude/agents/x.md"),
        files: &[("agpm.toml", "[[layers]]\nname = \"l\"\npath = \"layer\"\n")],
        base: None,
        manifest: "extends = \"URL@INLINE\"\n",
    },
];

/// A project with the agent in one place.
fn project<'s>(sandbox: &'s Sandbox, place: &Place, version: &str, inline: &str) -> Repository<'s> {
    let mut repository = Repository::init(sandbox, "carrier");
    let mut files = place.files.to_vec();
    files.push((place.path.unwrap_or("agents/x.md"), AGENT));
    repository.commit(&files);
    repository.tag("v1.0.0");
    let url = repository.url();
    let filled = |text: &str| {
        text.replace("URL", &url)
            .replace("VERSION", version)
            .replace("INLINE", inline)
    };
    sandbox.write("x.md", AGENT);
    sandbox.write("p.md", REQUIRING_ELSEWHERE);
    if let Some(base) = place.base {
        sandbox.write("base/agpm.toml", filled(base));
    }
    let text = format!(
        "[project]\ntools = [\"claude-code\"]\n{}",
        filled(place.manifest)
    );
    // `extends` and other top-level keys come before the tables.
    let text = match place.manifest.starts_with("extends") {
        true => format!(
            "{}[project]\ntools = [\"claude-code\"]\n",
            filled(place.manifest)
        ),
        false => text,
    };
    sandbox.write("agpm.toml", text);
    repository
}

#[test]
fn every_rule_judges_every_place() {
    let mut wrong = Vec::new();
    let mut judged = 0;
    for (version, inline) in [("version = \"^1\"", "^1"), ("branch = \"main\"", "main")] {
        for place in PLACES {
            let sandbox = sandbox();
            let repository = project(&sandbox, place, version, inline);
            let commit = repository.head();
            for row in RULES {
                let is_source = row.about == Source;
                if is_source && place.path.is_none() {
                    continue;
                }
                let filled = |text: &str| {
                    text.replace("URL", &repository.url())
                        .replace("OTHER", "https://git.corp/other/x")
                        .replace("PATH", place.path.unwrap_or_default())
                        .replace("COMMIT", &commit[..8])
                };
                for (text, expected) in [(row.forbids, vec![row.rule]), (row.passes, vec![])] {
                    sandbox.write("policy.toml", format!("{}\n", filled(text)));
                    let output = sandbox.run_line("agpm policy check --policy policy.toml");
                    let mut found = rules(&output);
                    found.sort();
                    found.dedup();
                    judged += 1;
                    let code = if expected.is_empty() { 0 } else { 6 };
                    if found != expected || output.code != Some(code) {
                        wrong.push(format!("{} ({version}): {text}\n{output}", place.name));
                    }
                }
            }
        }
    }
    let count = wrong.len();
    assert!(
        wrong.is_empty(),
        "{count} of {judged} are wrong\n{}",
        wrong.join("\n")
    );
    assert!(judged > 1_000, "{judged}");
}

/// A server and a hook, for the places below.
const SERVER: &str = "{\"command\": \"npx\", \"args\": [\"evil\"]}\n";
const REMOTE: &str = "{\"type\": \"http\", \"url\": \"https://evil.example/x\"}\n";
const HOOK: &str = "{\"events\": [\"Stop\"], \"type\": \"command\", \"command\": \"echo hi\"}\n";
const HOOKS: &str =
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"echo hi\"}]}]}}\n";
const SERVERS: &str = "{\"mcpServers\": {\"a\": {\"command\": \"npx\", \"args\": [\"evil\"]}, \
    \"b\": {\"type\": \"http\", \"url\": \"https://evil.example/x\"}}}\n";
const NEEDING: &str = "---\nname: p\ndependencies:\n  mcp-servers:\n    - path: ../s/a.json\n    - path: ../s/b.json\n  hooks:\n    - path: ../s/h.json\n---\nText.\n";
const NEEDED: &[(&str, &str)] = &[
    ("s/a.json", SERVER),
    ("s/b.json", REMOTE),
    ("s/h.json", HOOK),
];

/// What the place is, the files of the source, and the manifest, in which `URL` is the source.
type ServerPlace = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static str,
);

/// Places that bring a server with a command, one with a URL, and a hook.
const SERVER_PLACES: &[ServerPlace] = &[
    (
        "the manifest",
        &[],
        "[mcp-servers]\na = { command = \"npx\", args = [\"evil\"] }\nb = { url = \"https://evil.example/x\" }\n[hooks]\nh = \"h.json\"\n",
    ),
    (
        "patched servers",
        &[],
        "[mcp-servers]\na = { command = \"npx\", args = [\"good\"] }\nb = { url = \"https://good.example/x\" }\n[hooks]\nh = \"h.json\"\n\
         [patch.mcp-servers.a]\nargs = [\"evil\"]\n[patch.mcp-servers.b]\nurl = \"https://evil.example/x\"\n",
    ),
    (
        "files of a source",
        NEEDED,
        "[sources]\nc = \"URL\"\n[mcp-servers]\na = { source = \"c\", path = \"s/a.json\", version = \"^1\" }\nb = { source = \"c\", path = \"s/b.json\", version = \"^1\" }\n\
         [hooks]\nh = { source = \"c\", path = \"s/h.json\", version = \"^1\" }\n",
    ),
    (
        "children",
        &[
            ("agents/p.md", NEEDING),
            ("s/a.json", SERVER),
            ("s/b.json", REMOTE),
            ("s/h.json", HOOK),
        ],
        "[sources]\nc = \"URL\"\n[agents]\np = { source = \"c\", path = \"agents/p.md\", version = \"^1\" }\n",
    ),
    (
        "parts of a plugin",
        &[
            ("kit/.claude-plugin/plugin.json", PLUGIN),
            ("kit/.mcp.json", SERVERS),
            ("kit/hooks/hooks.json", HOOKS),
        ],
        "[sources]\nc = \"URL\"\n[plugins]\nkit = { source = \"c\", path = \"kit\", version = \"^1\" }\n",
    ),
    (
        "the manifest of a plugin",
        &[(
            "kit/.claude-plugin/plugin.json",
            "{\"name\": \"kit\", \"mcpServers\": {\"a\": {\"command\": \"npx\", \"args\": [\"evil\"]}, \"b\": {\"type\": \"http\", \"url\": \"https://evil.example/x\"}}, \
              \"hooks\": {\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"echo hi\"}]}]}}}",
        )],
        "[sources]\nc = \"URL\"\n[plugins]\nkit = { source = \"c\", path = \"kit\", version = \"^1\" }\n",
    ),
    (
        "an entry of a marketplace",
        &[
            ("kit/README.md", "x"),
            (
                ".claude-plugin/marketplace.json",
                "{\"name\": \"m\", \"owner\": {\"name\": \"x\"}, \"plugins\": [{\"name\": \"kit\", \"source\": \"./kit\", \"strict\": false, \
              \"mcpServers\": {\"a\": {\"command\": \"npx\", \"args\": [\"evil\"]}, \"b\": {\"type\": \"http\", \"url\": \"https://evil.example/x\"}}, \
              \"hooks\": {\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"echo hi\"}]}]}}}]}",
            ),
        ],
        "[sources]\nm = \"URL\"\n[plugins]\nkit = { marketplace = \"m\" }\n",
    ),
    (
        "a base",
        &[
            (
                "agpm.toml",
                "[mcp-servers]\na = { command = \"npx\", args = [\"evil\"] }\nb = { url = \"https://evil.example/x\" }\n[hooks]\nh = \"s/h.json\"\n",
            ),
            ("s/h.json", HOOK),
        ],
        "extends = \"URL@^1\"\n",
    ),
    (
        "patches of a base",
        &[
            (
                "agpm.toml",
                "[mcp-servers]\na = { command = \"npx\", args = [\"good\"] }\nb = { url = \"https://good.example/x\" }\n[hooks]\nh = \"s/h.json\"\n\
             [patch.mcp-servers.a]\nargs = [\"evil\"]\n[patch.mcp-servers.b]\nurl = \"https://evil.example/x\"\n",
            ),
            ("s/h.json", HOOK),
        ],
        "extends = \"URL@^1\"\n",
    ),
    (
        "files of a layer",
        &[("l/.mcp.json", SERVERS), ("l/.claude/settings.json", HOOKS)],
        "[sources]\nc = \"URL\"\n[[layers]]\nname = \"l\"\nsource = \"c\"\nroot = \"l\"\nversion = \"^1\"\n",
    ),
    (
        "a layer over another one",
        &[
            ("l/.mcp.json", SERVERS),
            ("l/.claude/settings.json", HOOKS),
            ("m/.mcp.json", "{\"x\": 1}\n"),
        ],
        "[sources]\nc = \"URL\"\n[[layers]]\nname = \"l\"\nsource = \"c\"\nroot = \"l\"\nversion = \"^1\"\n\
         [[layers]]\nname = \"m\"\nsource = \"c\"\nroot = \"m\"\nversion = \"^1\"\n",
    ),
    (
        "files of a layer for other tools",
        &[
            ("l/.cursor/mcp.json", SERVERS),
            (
                "l/.cursor/hooks.json",
                "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"echo hi\"}]}}\n",
            ),
        ],
        "[sources]\nc = \"URL\"\n[[layers]]\nname = \"l\"\nsource = \"c\"\nroot = \"l\"\nversion = \"^1\"\n",
    ),
    (
        "front matter in a layer",
        &[("l/.claude/agents/x.md", AGENT)],
        "[sources]\nc = \"URL\"\n[[layers]]\nname = \"l\"\nsource = \"c\"\nroot = \"l\"\nversion = \"^1\"\n",
    ),
    (
        "a skill in a layer",
        &[("l/.claude/skills/x/SKILL.md", AGENT)],
        "[sources]\nc = \"URL\"\n[[layers]]\nname = \"l\"\nsource = \"c\"\nroot = \"l\"\nversion = \"^1\"\n",
    ),
];

/// Rules about servers and hooks, and twins that let these pass.
const SERVER_RULES: &[(&str, &str, &str)] = &[
    (
        "types.deny",
        "[types]\ndeny = [\"mcp-servers\"]",
        "[types]\ndeny = [\"scripts\"]",
    ),
    (
        "types.deny",
        "[types]\ndeny = [\"hooks\"]",
        "[types]\ndeny = [\"commands\"]",
    ),
    (
        "types.allow",
        "[types]\nallow = [\"agents\", \"skills\", \"plugins\", \"mcp-servers\"]",
        "[types]\nallow = [\"agents\", \"skills\", \"plugins\", \"hooks\", \"mcp-servers\"]",
    ),
    (
        "mcp.allow-hosts",
        "[mcp]\nallow-hosts = [\"*.corp\", \"good.example\"]",
        "[mcp]\nallow-hosts = [\"evil.*\"]",
    ),
    (
        "mcp.allow-commands",
        "[mcp]\nallow-commands = [\"npx good\", \"uvx\"]",
        "[mcp]\nallow-commands = [\"uvx\", \"npx\"]",
    ),
    (
        "mcp.allow-commands",
        "[mcp]\nallow-commands = []",
        "[mcp]\nallow-commands = [\"npx e*\"]",
    ),
    (
        "executables.mode",
        "[executables]\nmode = \"deny\"",
        "[executables]\nmode = \"allow\"",
    ),
];

#[test]
fn every_rule_about_servers_judges_every_place() {
    let (mut judged, mut wrong) = (0, Vec::new());
    for (name, files, manifest) in SERVER_PLACES {
        let sandbox = sandbox();
        let mut repository = Repository::init(&sandbox, "carrier");
        repository.commit(&[files, &[("README.md", "x")][..]].concat());
        repository.tag("v1.0.0");
        sandbox.write("h.json", HOOK);
        let manifest = manifest.replace("URL", &repository.url());
        let tools = "[project]\ntools = [\"claude-code\"]\n";
        sandbox.write("agpm.toml", format!("{manifest}{tools}"));
        for (rule, forbids, passes) in SERVER_RULES {
            for (text, expected) in [(forbids, &[*rule][..]), (passes, &[])] {
                sandbox.write("policy.toml", format!("{text}\n"));
                let output = sandbox.run_line("agpm policy check --policy policy.toml");
                let mut found = rules(&output);
                found.dedup();
                judged += 1;
                let code = if expected.is_empty() { 0 } else { 6 };
                if found != expected || output.code != Some(code) {
                    wrong.push(format!("{name}: {text}\n{output}"));
                }
            }
        }
    }
    let count = wrong.len();
    assert!(
        wrong.is_empty(),
        "{count} of {judged} are wrong\n{}",
        wrong.join("\n")
    );
}
