//! What holds for every input that a stranger can give: a package, a layer, a cloned project, a policy, a client. The fuzz
//! targets and a plain test over the seeds run the same checks.

use agpm_diag::{Notes, SourceMap, has_errors};
use agpm_model::{
    Address, AddressContext, DefaultHost, Glob, HostPattern, LockEntry, LockedCapabilitySet,
    Lockfile, Owner, Policy, RelativePath, RepositoryPattern, ResourcePattern, ResourceType,
    SourceAddress, VersionRequirement,
};
use agpm_plan::Ledger;
use agpm_resolve::plugin::{PluginContext, PluginTree, manifest_of, read_marketplace, read_plugin};
use agpm_text::{BlockDocument, Document, Format, Limits, parse};
use agpm_trust::{
    AuditScanner, CapabilityQuery, CapabilitySet, ToolRule, host_of, read_config, read_resource,
    scan,
};

/// A check of one entry.
pub type Check = fn(&[u8]);

/// Every entry by the name of its target and of the directory of its seeds.
pub const ENTRIES: &[(&str, Check)] = &[
    ("address", check_address),
    ("audit", check_audit),
    ("blocks", check_blocks),
    ("capabilities", check_capabilities),
    ("ledger", check_ledger),
    ("lock", check_lock),
    ("patterns", check_patterns),
    ("plugin", check_plugin),
    ("policy", check_policy),
];

const LIMITS: Limits = Limits {
    bytes: 1 << 20,
    depth: 64,
    expansion: 2_000,
};

fn document(bytes: &[u8], format: Format) -> Option<Document> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut sources = SourceMap::default();
    let parsed = parse(
        sources.add("x", text.as_str()),
        text.as_str(),
        format,
        LIMITS,
    );
    (!has_errors(&parsed.diagnostics)).then_some(parsed.document)
}

/// A lockfile without mistakes is written as it reads.
pub fn check_lock(bytes: &[u8]) {
    let Some(document) = document(bytes, Format::Toml) else {
        return;
    };
    let (lock, mistakes) = Lockfile::read(&document);
    for entry in &lock.entries {
        check_paths(entry);
        let id = Owner::from(entry.id());
        if let LockedCapabilitySet::Listed(lines) = &entry.capabilities {
            let set = CapabilitySet::from_locked(&id, lines);
            let again = CapabilitySet::from_locked(&id, &set.to_locked());
            assert_eq!(again.to_locked(), set.to_locked(), "{lines:?}");
        }
    }
    if has_errors(&mistakes) {
        return;
    }
    let text = lock.to_text();
    let again = self::document(text.as_bytes(), Format::Toml);
    let again = again.unwrap_or_else(|| panic!("a written lockfile is not TOML\n{text}"));
    let (again, mistakes) = Lockfile::read(&again);
    assert!(!has_errors(&mistakes), "{mistakes:?}\n{text}");
    assert_eq!(again.to_text(), text);
}

/// No path of a lockfile leads out of a project.
fn check_paths(entry: &LockEntry) {
    for path in entry.paths() {
        let is_safe = |part: &str| !part.is_empty() && part != ".." && part != ".";
        assert!(path.as_str().split('/').all(is_safe), "{path}");
    }
}

/// A policy that reads without mistakes has rules, and its rules have values.
pub fn check_policy(bytes: &[u8]) {
    if let Some(document) = document(bytes, Format::Toml) {
        let (policy, _) = Policy::read(&document);
        policy.rows();
    }
}

/// An address is judged as git and clients use it, or refused: no host hides in it.
pub fn check_address(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        let host = DefaultHost::default();
        let context = AddressContext {
            default_host: &host,
            is_source: &|name| name == "hub",
        };
        let _ = Address::parse(line, &context);
        let _ = host_of(line);
        if let Ok(path) = RelativePath::new(line) {
            let is_safe = |part: &str| part != "..";
            assert!(path.as_str().split('/').all(is_safe), "{path}");
        }
        if let Ok(address) = SourceAddress::parse(line) {
            let shown = address.to_string();
            assert!(!shown.contains(['\n', '\r', '\0']), "{shown:?}");
        }
    }
}

/// A pattern is compiled or refused, and a rule of a tool covers itself.
pub fn check_patterns(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for line in text.lines() {
        if let Ok(glob) = Glob::new(line) {
            glob.is_match("agents/reviewer.md");
        }
        if let Ok(pattern) = HostPattern::parse(line) {
            pattern.matches("evil.example");
        }
        let _ = RepositoryPattern::parse(line);
        let _ = ResourcePattern::parse(line);
        let _ = VersionRequirement::parse(line);
        for rule in ToolRule::parse_list(line) {
            assert!(rule.covers(&rule), "{rule}");
            for meaning in rule.in_reference_words() {
                assert!(meaning.covers(&meaning), "{rule} as {meaning}");
            }
        }
        let query = CapabilityQuery::run(line);
        query.is_in_text(line);
    }
}

/// Whatever a file lets a tool do is the same after it was locked.
pub fn check_capabilities(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for kind in [
        ResourceType::Agents,
        ResourceType::Skills,
        ResourceType::Commands,
    ] {
        for name in ["a.md", "a.toml", "a.json", "a.yaml"] {
            read_resource(kind, name, &text);
        }
    }
    for path in [
        ".claude/settings.json",
        ".mcp.json",
        ".codex/config.toml",
        "opencode.json",
    ] {
        if let Some(reading) = read_config(path, bytes) {
            let lines = reading.set.to_locked();
            let owner = Owner::from("layers/x");
            let again = CapabilitySet::from_locked(&owner, &lines).to_locked();
            assert_eq!(again, lines);
        }
    }
}

/// A plugin is read or rejected, and none of its files is outside of it.
pub fn check_plugin(bytes: &[u8]) {
    if let Some(document) = document(bytes, Format::Json)
        && let Some(root) = document.root()
    {
        read_marketplace(root, "marketplace.json");
    }
    for path in [
        ".claude-plugin/plugin.json",
        "plugin.json",
        ".codex-plugin/plugin.json",
        ".cursor-plugin/plugin.json",
    ] {
        let files = [
            (path, bytes),
            ("hooks/hooks.json", bytes),
            (".mcp.json", bytes),
            ("skills/a/SKILL.md", bytes),
            ("commands/b.md", bytes),
        ];
        let tree = PluginTree::new(files);
        let context = PluginContext {
            name: "x",
            label: "hub:x@v1",
        };
        let file = manifest_of(|one| tree.has_file(one));
        read_plugin(&tree, file, None, context, &mut Notes::default());
    }
}

/// A ledger is read or refused.
pub fn check_ledger(bytes: &[u8]) {
    let _ = Ledger::read(bytes);
}

/// Blocks are read or refused.
pub fn check_blocks(bytes: &[u8]) {
    let _ = BlockDocument::read(&String::from_utf8_lossy(bytes));
}

/// The findings do not depend on the pieces in which content is read.
pub fn check_audit(bytes: &[u8]) {
    for name in ["SKILL.md", "a.json", "a.toml", "a.sh"] {
        let whole = scan(name, bytes);
        let mut scanner = AuditScanner::new(name);
        for piece in bytes.chunks(7) {
            scanner.feed(piece);
        }
        assert_eq!(scanner.finish(), whole, "{name}");
    }
}
