//! Examples of every command, for help and manual pages. A test runs all of them in the project of `agpm demo`.

/// Examples of one command.
#[derive(Debug)]
pub struct CommandExamples {
    /// The command without `agpm`, as in `cache info`.
    pub command: &'static str,
    /// Command lines, the most useful one first.
    pub lines: &'static [&'static str],
}

const fn examples(command: &'static str, lines: &'static [&'static str]) -> CommandExamples {
    CommandExamples { command, lines }
}

/// The most examples in the help of a command with subcommands.
const MOST_EXAMPLES: usize = 3;

/// The examples of all commands.
pub const EXAMPLES: &[CommandExamples] = &[
    examples("init", &["agpm init", "agpm init --adopt"]),
    examples("demo", &["agpm demo", "agpm demo trial"]),
    examples(
        "add",
        &[
            "agpm add anthropics/skills pdf",
            "agpm add library:snippets/words.md@^1.0 --name terms",
        ],
    ),
    examples(
        "add source",
        &["agpm add source acme https://github.com/acme/agents.git"],
    ),
    examples(
        "add dep",
        &["agpm add dep snippet library:snippets/words.md@^1.0 --name terms"],
    ),
    examples(
        "add mcp",
        &[
            "agpm add mcp workspace -- npx -y @modelcontextprotocol/server-filesystem .",
            "agpm add mcp tickets --env TICKETS_TOKEN -- uvx tickets-mcp",
            "agpm add mcp docs https://mcp.example.com/mcp --header 'Authorization: Bearer ${DOCS_TOKEN}'",
        ],
    ),
    examples(
        "remove",
        &["agpm remove agents/reviewer", "agpm remove source unused"],
    ),
    examples("remove source", &["agpm remove source unused"]),
    examples("remove dep", &["agpm remove dep agent reviewer"]),
    examples(
        "browse",
        &["agpm browse anthropics/skills", "agpm browse library style"],
    ),
    examples(
        "search",
        &["agpm search review", "agpm search style --type snippet"],
    ),
    examples(
        "publish",
        &[
            "agpm publish .claude/agents --output library.tar --version 1.0.0",
            "agpm publish .claude/skills --output layout --version 1.0.0 --dry-run",
            "agpm publish public .claude/skills --format site",
        ],
    ),
    examples(
        "install",
        &[
            "agpm install",
            "agpm install --dry-run",
            "agpm install --frozen",
        ],
    ),
    examples(
        "update",
        &[
            "agpm update skills/notes",
            "agpm update agents/reviewer@v1.0.0",
            "agpm update --latest skills/notes",
            "agpm update --approve agents/reviewer",
        ],
    ),
    examples("approve", &["agpm approve"]),
    examples("policy show", &["agpm policy show"]),
    examples("policy check", &["agpm policy check"]),
    examples("status", &["agpm status", "agpm status --json"]),
    examples("diff", &["agpm diff", "agpm diff --update --stat"]),
    examples("ci", &["agpm ci", "agpm ci --format sarif"]),
    examples(
        "can",
        &["agpm can run curl", "agpm can connect evil.example"],
    ),
    examples(
        "can run",
        &["agpm can run curl", "agpm can run 'git push' --locked"],
    ),
    examples("can connect", &["agpm can connect '*.example'"]),
    examples("can use", &["agpm can use 'Bash(git push:*)'"]),
    examples("can read-env", &["agpm can read-env GITHUB_TOKEN"]),
    examples(
        "can instruct",
        &["agpm can instruct", "agpm can instruct --locked"],
    ),
    examples(
        "audit",
        &[
            "agpm audit",
            "agpm audit agents/reviewer",
            "agpm audit . --format sarif",
        ],
    ),
    examples("outdated", &["agpm outdated", "agpm outdated --all"]),
    examples(
        "list",
        &["agpm list", "agpm list --type skill", "agpm list --cost"],
    ),
    examples(
        "report",
        &["agpm report .", "agpm report --outdated --json"],
    ),
    examples(
        "sbom",
        &[
            "agpm sbom --format cyclonedx",
            "agpm sbom --format spdx --name app",
        ],
    ),
    examples("tree", &["agpm tree", "agpm tree --invert snippets/words"]),
    examples("why", &["agpm why snippets/words"]),
    examples("validate", &["agpm validate", "agpm validate --resolve"]),
    examples("verify", &["agpm verify"]),
    examples("doctor", &["agpm doctor"]),
    examples(
        "resolve",
        &[
            "agpm resolve agents/reviewer --mine",
            "agpm resolve agents/reviewer --new",
        ],
    ),
    examples("patch save", &["agpm patch save agents/reviewer"]),
    examples("undo", &["agpm undo --list", "agpm undo", "agpm undo 1"]),
    examples(
        "lock merge",
        &["agpm lock merge base.lock agpm.lock other.lock"],
    ),
    examples("cache info", &["agpm cache info"]),
    examples(
        "cache clean",
        &[
            "agpm cache clean --dry-run",
            "agpm cache clean --older-than 8w",
        ],
    ),
    examples("config show", &["agpm config show"]),
    examples("config path", &["agpm config path"]),
    examples(
        "config add-source",
        &["agpm config add-source acme https://github.com/acme/agents.git"],
    ),
    examples(
        "config remove-source",
        &["agpm config remove-source unused"],
    ),
    examples(
        "config default-host",
        &["agpm config default-host git.example.com"],
    ),
    examples("layers", &["agpm layers"]),
    examples(
        "merge",
        &[
            "agpm merge org/CLAUDE.md team/CLAUDE.md",
            "agpm merge org/CLAUDE.md team/CLAUDE.md --explain",
        ],
    ),
    examples("strategies", &["agpm strategies", "agpm strategies deep"]),
    examples("import", &["agpm import skills-lock --dry-run"]),
    examples("catalog", &["agpm catalog agents", "agpm catalog --all"]),
    examples("catalog show", &["agpm catalog show planner"]),
    examples(
        "profile",
        &["agpm profile reviewer --format md", "agpm profile --list"],
    ),
    examples(
        "bottle list",
        &["agpm bottle list --json-file sandboxes.json"],
    ),
    examples(
        "bottle show",
        &["agpm bottle show rust --json-file sandboxes.json"],
    ),
    examples(
        "bottle agent",
        &["agpm bottle agent reviewer --json-file sandboxes.json"],
    ),
    examples(
        "bottle check",
        &["agpm bottle check --json-file sandboxes.json"],
    ),
    examples(
        "explain",
        &[
            "agpm explain .claude/settings.json --blame",
            "agpm explain manifest/unknown-key",
        ],
    ),
    examples("serve mcp", &["agpm serve mcp"]),
    examples(
        "schema",
        &["agpm schema manifest", "agpm schema output/list"],
    ),
    examples("completions", &["agpm completions bash"]),
    examples("man", &["agpm man install", "agpm man --dir pages"]),
];

/// The examples of a command; those of its subcommands if it has none itself.
pub(crate) fn examples_of(command: &str) -> Vec<&'static str> {
    let own = EXAMPLES.iter().find(|examples| examples.command == command);
    if let Some(own) = own {
        return own.lines.to_vec();
    }
    let inner = |examples: &&CommandExamples| {
        let rest = examples.command.strip_prefix(command);
        rest.is_some_and(|rest| rest.starts_with(' '))
    };
    let inner = EXAMPLES.iter().filter(inner);
    let firsts = inner.filter_map(|examples| examples.lines.first().copied());
    firsts.take(MOST_EXAMPLES).collect()
}
