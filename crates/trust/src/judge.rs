//! The violations of policies. Each policy is judged by itself, so one more can only add violations.

use agpm_diag::SourceSpan;
use agpm_model::{
    AllowDeny, ExecutableMode, HostPattern, InstallMode, LocatedContent, Policy, PolicyRule,
    RepositoryPattern, ResourceId, ResourceType, Revision, RuleName, SourceAddress, VersionLabel,
    tag_names,
};
use serde::Serialize;

use crate::capability_set::{CapabilitySet, ToolAccess};
use crate::command_pattern::allows_command;
use crate::host::host_of;
use crate::tool_rule::ToolRule;

/// A resource or a layer, as policies see it.
#[derive(Clone, Debug)]
pub struct JudgedContent<'a> {
    /// `TYPE/NAME`, or `layers/NAME`.
    pub id: String,
    /// The types of resources in it.
    pub types: Vec<ResourceType>,
    /// The tools that get it.
    pub tools: Vec<String>,
    /// The URL of its source; `None` for local files.
    pub source: Option<&'a SourceAddress>,
    /// The paths of its files in its source.
    pub paths: Vec<String>,
    /// Whether its files are written.
    pub mode: InstallMode,
    /// The version; `None` for local files.
    pub version: Option<JudgedVersion>,
    /// The capabilities of the judged content.
    pub capabilities: CapabilitySet,
    /// The chain of dependents, from the manifest down.
    pub chain: Vec<String>,
}

impl JudgedContent<'_> {
    /// Content of which nothing is known yet.
    pub fn new(id: String) -> Self {
        JudgedContent {
            id,
            types: Vec::new(),
            tools: Vec::new(),
            source: None,
            paths: Vec::new(),
            mode: InstallMode::Write,
            version: None,
            capabilities: CapabilitySet::default(),
            chain: Vec::new(),
        }
    }
}

/// The version of a resource, as policies see it.
#[derive(Clone, Debug)]
pub struct JudgedVersion {
    /// The label as it is shown.
    pub label: VersionLabel,
    /// Every tag of the same commit: a commit or a branch may be a version without saying so.
    pub tags: Vec<VersionLabel>,
    /// The commit.
    pub commit: Option<Revision>,
    /// Whether it is the tip of a branch.
    pub is_branch: bool,
    /// The age of the release.
    pub age: ReleaseAge,
}

/// The age of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseAge {
    /// So many seconds.
    Seconds(u64),
    /// It is dated after now: some clock is wrong, and its age is treated as zero.
    Future,
    /// Its date is not known, and could be today's.
    Unknown,
    /// Only whether it is a branch is judged: nothing of it is installed.
    NotJudged,
}

impl ReleaseAge {
    /// The age of something of that date; both in seconds since 1970.
    pub fn of(released: Option<u64>, now: u64) -> Self {
        match released {
            None => ReleaseAge::Unknown,
            Some(released) => now
                .checked_sub(released)
                .map_or(ReleaseAge::Future, ReleaseAge::Seconds),
        }
    }

    /// Whether a version of this age is old enough.
    pub fn reaches(self, required: u64) -> bool {
        match self {
            ReleaseAge::Seconds(age) => age >= required,
            // A date that is missing or wrong is chosen by the publisher. Treating it as old would let a new
            // release pass as one of last year.
            ReleaseAge::Future | ReleaseAge::Unknown => required == 0,
            // Only `pinned-only` applies to it. An unknown age must not violate the rule.
            ReleaseAge::NotJudged => true,
        }
    }

    /// The message about a version that is not old enough.
    pub fn too_young(self, label: &VersionLabel) -> String {
        match self {
            ReleaseAge::Seconds(age) => format!("{label} was released {} ago", duration(age)),
            ReleaseAge::Future => {
                format!("{label} is dated in the future, so its age is treated as zero")
            }
            ReleaseAge::Unknown | ReleaseAge::NotJudged => {
                format!("the date of {label} is unknown")
            }
        }
    }
}

/// Something that a policy forbids.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Violation {
    /// The key of the policy.
    pub rule: RuleName,
    /// The violation.
    pub message: String,
    /// The resource or the layer.
    pub id: String,
    /// The chain of dependents, from the manifest down.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<String>,
    /// The rule in its file.
    #[serde(skip)]
    pub spot: SourceSpan,
}

/// The violations of one policy by some content.
pub fn judge(policy: &Policy, content: &JudgedContent<'_>) -> Vec<Violation> {
    let mut judgement = Judgement {
        policy,
        content,
        violations: Vec::new(),
    };
    // All rules are judged and all violations are returned: a user who fixes one at a time needs an install for
    // each.
    judgement.sources();
    judgement.resources();
    judgement.types();
    judgement.tools();
    judgement.servers();
    judgement.executables();
    judgement.versions();
    judgement.permissions();
    judgement.signatures();
    judgement.violations
}

/// The requirements of one policy that no content satisfies.
pub fn missing_requirements(policy: &Policy, contents: &[JudgedContent<'_>]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for rule in &policy.require {
        let id = rule.value.id.to_string();
        let requirement = &rule.value.requirement;
        let range = requirement.as_str();
        // A transitive resource is removed with the one that requires it, so it must be in the manifest itself.
        let is_direct = |content: &&JudgedContent<'_>| content.id == id && content.chain.is_empty();
        let found = contents.iter().find(is_direct);
        let found = found.filter(|content| content.mode != InstallMode::ResolveOnly);
        let version = found.and_then(|content| content.version.as_ref());
        let fits = version.is_some_and(|version| {
            is_version_of(&rule.value.id, &version.label)
                && requirement.allows(&version.label.without_prefix())
        });
        if fits {
            continue;
        }
        let message = match (found, version) {
            (None, _) => format!("{id} {range} is required"),
            (Some(_), Some(version)) => {
                format!(
                    "{id} {range} is required, and {} is installed",
                    version.label
                )
            }
            (Some(_), None) => {
                format!("{id} {range} is required, and it has no version")
            }
        };
        violations.push(Violation {
            rule: RuleName::Require,
            message,
            id,
            chain: Vec::new(),
            spot: rule.spot,
        });
    }
    violations
}

/// Whether a tag is a version of a resource: it has no prefix, or one that names the resource. The tag of another
/// resource in the same repository says nothing about this one.
fn is_version_of(id: &ResourceId, label: &VersionLabel) -> bool {
    let Some(prefix) = label.prefix() else {
        return false;
    };
    let name = prefix.trim_end_matches(['-', '/', '@', '_', 'v', 'V']);
    prefix.is_empty()
        || tag_names(id.kind, id.name.as_str())
            .iter()
            .any(|own| own == name || own == prefix)
}

struct Judgement<'a> {
    policy: &'a Policy,
    content: &'a JudgedContent<'a>,
    violations: Vec<Violation>,
}

impl Judgement<'_> {
    fn forbid(&mut self, rule: RuleName, spot: SourceSpan, message: String) {
        self.violations.push(Violation {
            rule,
            message,
            id: self.content.id.clone(),
            chain: self.content.chain.clone(),
            spot,
        });
    }

    /// Files on this machine are the project's own affair.
    fn sources(&mut self) {
        // Local files are in the repository and under its review; patterns for hosts cannot match them.
        let Some(source) = self.content.source else {
            return;
        };
        let policy = self.policy;
        let matches = |pattern: &RepositoryPattern| pattern.matches(source);
        if let Some(rule) = denied(&policy.sources, matches) {
            let message = format!("`{source}` is denied by `{}`", rule.value.as_str());
            self.forbid(RuleName::SourcesDeny, rule.spot, message);
        }
        // Both lists are checked: an entry in `allow` does not lift a denial, whatever the order of the policies.
        if let Some(spot) = not_allowed(&policy.sources, matches) {
            self.forbid(
                RuleName::SourcesAllow,
                spot,
                format!("`{source}` is not allowed"),
            );
        }
    }

    fn resources(&mut self) {
        let (policy, content) = (self.policy, self.content);
        let Some(source) = content.source else {
            return;
        };
        let version = content.version.as_ref();
        let tags = version.into_iter().flat_map(|version| &version.tags);
        let labels = version
            .map(|version| &version.label)
            .into_iter()
            .chain(tags);
        let labels: Vec<VersionLabel> = labels.cloned().collect();
        let located = LocatedContent {
            source,
            paths: &content.paths,
            labels: &labels,
            commit: version.and_then(|version| version.commit.as_ref()),
        };
        for rule in &policy.resources_deny {
            if !rule.value.pattern.matches(&located) {
                continue;
            }
            let denied = format!("denied by `{}`", rule.value.pattern.as_str());
            let message = match &rule.value.reason {
                Some(reason) => format!("{denied}: {reason}"),
                None => denied,
            };
            self.forbid(RuleName::ResourcesDeny, rule.spot, message);
        }
    }

    fn types(&mut self) {
        let policy = self.policy;
        for kind in &self.content.types {
            let is_it = |other: &ResourceType| other == kind;
            if let Some(rule) = denied(&policy.types, is_it) {
                self.forbid(RuleName::TypesDeny, rule.spot, format!("{kind} are denied"));
            }
            if let Some(spot) = not_allowed(&policy.types, is_it) {
                self.forbid(
                    RuleName::TypesAllow,
                    spot,
                    format!("{kind} are not allowed"),
                );
            }
        }
    }

    fn tools(&mut self) {
        let policy = self.policy;
        for tool in &self.content.tools {
            let is_it = |other: &String| other == tool;
            if let Some(rule) = denied(&policy.tools, is_it) {
                self.forbid(
                    RuleName::ToolsDeny,
                    rule.spot,
                    format!("the tool `{tool}` is denied"),
                );
            }
            if let Some(spot) = not_allowed(&policy.tools, is_it) {
                let message = format!("the tool `{tool}` is not allowed");
                self.forbid(RuleName::ToolsAllow, spot, message);
            }
        }
    }

    fn servers(&mut self) {
        let (policy, set) = (self.policy, &self.content.capabilities);
        if let Some(allowed) = &policy.allow_hosts {
            for host in &set.connects {
                // An unknown host may be any, so no list allows it.
                let fits = |pattern: &HostPattern| is_known_host(host) && pattern.matches(host);
                if !allowed.allows(fits) {
                    let message = format!("connecting to `{host}` is not allowed");
                    self.forbid(RuleName::AllowHosts, allowed.spot, message);
                }
            }
        }
        if let Some(allowed) = &policy.allow_commands {
            for command in &set.server_commands {
                if !allowed.allows(|words| allows_command(words, command)) {
                    let message = format!("the server command `{command}` is not allowed");
                    self.forbid(RuleName::AllowCommands, allowed.spot, message);
                }
            }
        }
    }

    fn executables(&mut self) {
        let Some(rule) = &self.policy.executables else {
            return;
        };
        // Other modes are decided with the approvals; here only the mode that no approval can lift.
        if rule.value != ExecutableMode::Deny {
            return;
        }
        for command in &self.content.capabilities.runs {
            self.forbid(
                RuleName::ExecutablesMode,
                rule.spot,
                format!("it runs `{command}`"),
            );
        }
    }

    fn versions(&mut self) {
        let Some(version) = &self.content.version else {
            return;
        };
        let policy = self.policy;
        if let Some(rule) = &policy.pinned_only
            && rule.value
            && version.is_branch
        {
            let message = format!("`{}` is a branch", version.label);
            self.forbid(RuleName::PinnedOnly, rule.spot, message);
        }
        if let Some(rule) = &policy.min_release_age
            && !version.age.reaches(rule.value.seconds)
        {
            let required = duration(rule.value.seconds);
            let problem = version.age.too_young(&version.label);
            let message = format!("{problem}, and {required} are required");
            self.forbid(RuleName::MinReleaseAge, rule.spot, message);
        }
    }

    fn permissions(&mut self) {
        let set = &self.content.capabilities;
        for rule in &self.policy.permissions_deny {
            if let Some(permission) = granted_permission(set, &rule.value) {
                let message = format!("it has the permission `{permission}`");
                self.forbid(RuleName::PermissionsDeny, rule.spot, message);
            }
        }
    }

    /// Nothing that comes from git can prove who published it, so a required signature is always missing.
    fn signatures(&mut self) {
        let Some(source) = self.content.source else {
            return;
        };
        let mut rules = self.policy.signatures.iter();
        if let Some(rule) = rules.find(|rule| rule.value.matches(source)) {
            let message = format!("`{source}` has no signature that agpm can verify");
            self.forbid(RuleName::SignaturesRequire, rule.spot, message);
        }
    }
}

fn denied<T>(rules: &AllowDeny<T>, matches: impl Fn(&T) -> bool) -> Option<&PolicyRule<T>> {
    rules.deny.iter().find(|rule| matches(&rule.value))
}

/// The list that does not allow it.
fn not_allowed<T>(rules: &AllowDeny<T>, matches: impl Fn(&T) -> bool) -> Option<SourceSpan> {
    let allowed = rules.allow.as_ref()?;
    (!allowed.allows(matches)).then_some(allowed.spot)
}

/// Whether it is a host, and not a URL without one.
fn is_known_host(host: &str) -> bool {
    host_of(&format!("https://{host}/")).known() == Some(host)
}

/// The rules that a denied permission means.
fn denied_rules(denied: &str) -> Vec<ToolRule> {
    ToolRule::parse(denied).in_reference_words()
}

/// The permission that a denied one names, as the content has it.
fn granted_permission(set: &CapabilitySet, denied: &str) -> Option<String> {
    if set.permissions().any(|mode| mode == denied) {
        return Some(denied.to_owned());
    }
    let denied = denied_rules(denied);
    let everything = ToolRule::parse("*");
    let access: Vec<&ToolAccess> = set.accesses().collect();
    let is_free = |access: &&ToolAccess| !matches!(access, ToolAccess::Listed(_));
    // Without a list nothing was granted by name: only `*` names what the content has.
    // An agent without a tool list may use every tool, which is the widest permission, although none is written.
    if denied.contains(&everything) && access.iter().any(is_free) {
        return Some("all tools".to_owned());
    }
    let listed = access.into_iter().filter_map(|access| match access {
        ToolAccess::Listed(rules) => Some(rules),
        ToolAccess::Unlimited | ToolAccess::Session => None,
    });
    let unasked: Vec<ToolRule> = set.unasked_rules().collect();
    let mut permissions = listed.flatten().chain(&set.granted).chain(&unasked);
    permissions
        .find(|rule| denied.iter().any(|denied| violates(rule, denied)))
        .map(ToString::to_string)
}

/// A rule violates what it includes. It also violates a denial of some uses if it is within it; a denial of all uses
/// forbids the tool without limits, not every limited use of it.
fn violates(rule: &ToolRule, denied: &ToolRule) -> bool {
    rule.covers(denied) || denied.is_limited() && denied.covers(rule)
}

/// A duration in its largest whole unit.
pub fn duration(seconds: u64) -> String {
    let units = [
        (86_400, "day"),
        (3_600, "hour"),
        (60, "minute"),
        (1, "second"),
    ];
    let largest = units.into_iter().find(|(length, _)| seconds >= *length);
    let (length, unit) = largest.unwrap_or((1, "second"));
    let count = seconds / length;
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use agpm_text::{Format, parse_alone};
    use proptest::prelude::*;

    use super::*;
    use crate::reading::{read_resource, read_servers};
    use agpm_text::to_value;

    fn policy(text: &str) -> Policy {
        let parsed = parse_alone(text, Format::Toml);
        let (policy, mistakes) = Policy::read(&parsed.document);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        policy
    }

    fn content(kind: ResourceType, capabilities: CapabilitySet) -> JudgedContent<'static> {
        JudgedContent {
            types: vec![kind],
            tools: vec!["claude-code".to_owned()],
            capabilities,
            ..JudgedContent::new(format!("{kind}/x"))
        }
    }

    fn agent(front: &str) -> JudgedContent<'static> {
        let text = format!("---\n{front}\n---\n");
        let set = read_resource(ResourceType::Agents, "x.md", &text).set;
        content(ResourceType::Agents, set)
    }

    fn server(json: &str) -> JudgedContent<'static> {
        let parsed = parse_alone(json, Format::Json);
        let value = to_value(parsed.document.root().unwrap());
        let set = read_servers("x", &value).set;
        content(ResourceType::McpServers, set)
    }

    fn version(label: &str) -> JudgedVersion {
        JudgedVersion {
            label: VersionLabel::new(label),
            tags: Vec::new(),
            commit: None,
            is_branch: false,
            age: ReleaseAge::Unknown,
        }
    }

    fn rules(policy_text: &str, content: &JudgedContent<'_>) -> Vec<&'static str> {
        let found = judge(&policy(policy_text), content);
        found
            .into_iter()
            .map(|violation| violation.rule.as_str())
            .collect()
    }

    #[test]
    fn an_absent_tool_list_violates_only_everything() {
        let denies = |rule: &str| format!("[permissions]\ndeny = [{rule:?}]");
        for (rule, front, expected) in [
            ("Bash(*)", "name: a", false),
            ("*", "name: a", true),
            ("Bash(*)", "tools: Bash", true),
            ("Bash", "tools: Bash(*)", true),
            ("Bash(*)", "tools: Bash(git:*)", false),
            ("Bash(rm:*)", "tools: Bash(rm -rf:*)", true),
            ("Bash(rm:*)", "tools: Bash", true),
            ("Bash(rm:*)", "tools: Read", false),
            (
                "bypassPermissions",
                "permissionMode: bypassPermissions",
                true,
            ),
        ] {
            let found = rules(&denies(rule), &agent(front));
            assert_eq!(!found.is_empty(), expected, "{rule} {front}");
        }
    }

    #[test]
    fn every_file_of_a_layer_is_judged_by_its_own_list() {
        let mut layer = agent("name: free");
        layer.capabilities = layer.capabilities.in_part("agents/a");
        let second = agent("tools: Bash(*)").capabilities;
        let second = second.in_part("agents/b");
        layer.capabilities.absorb(second);
        for rule in ["Bash(*)", "*"] {
            let text = format!("[permissions]\ndeny = [{rule:?}]");
            assert_eq!(rules(&text, &layer), ["permissions.deny"], "{rule}");
        }
        assert!(rules("[permissions]\ndeny = [\"Write\"]", &layer).is_empty());
    }

    #[test]
    fn commands_are_allowed_by_their_first_words() {
        let text = "[mcp]\nallow-commands = [\"npx @corp/*\", \"uvx\"]\nallow-hosts = [\"*.corp\"]";
        for (json, expected) in [
            (
                r#"{"command": "npx", "args": ["@corp/search", "--all"]}"#,
                vec![],
            ),
            (
                r#"{"command": "npx", "args": ["evil"]}"#,
                vec!["mcp.allow-commands"],
            ),
            (
                r#"{"command": "npxx", "args": ["@corp/x"]}"#,
                vec!["mcp.allow-commands"],
            ),
            (r#"{"command": "uvx", "args": ["anything"]}"#, vec![]),
            (r#"{"url": "https://api.corp/mcp"}"#, vec![]),
            (
                r#"{"url": "https://api.corp.evil.com/mcp"}"#,
                vec!["mcp.allow-hosts"],
            ),
        ] {
            assert_eq!(rules(text, &server(json)), expected, "{json}");
        }
    }

    #[test]
    fn denied_resources_are_named_with_the_reason() {
        let text = "[resources]\ndeny = [{ match = \"github:acme/agents//agents/x.md@<1.4\", reason = \"CVE-1\" }]";
        let source = SourceAddress::parse("git@github.com:Acme/Agents.git").unwrap();
        let judged = |label: &str, tags: &[&str], path: &str| {
            let mut content = agent("name: a");
            content.source = Some(&source);
            content.paths = vec![path.to_owned()];
            content.version = Some(JudgedVersion {
                tags: tags.iter().map(|tag| VersionLabel::new(tag)).collect(),
                ..version(label)
            });
            let found = judge(&policy(text), &content).into_iter();
            found.map(|one| one.message).collect::<Vec<_>>()
        };
        let denied = ["denied by `github:acme/agents//agents/x.md@<1.4`: CVE-1"];
        assert_eq!(judged("v1.3.0", &[], "agents/x.md"), denied);
        // A branch or a commit that is a denied version.
        assert_eq!(judged("main", &["v1.3.0"], "agents/x.md"), denied);
        assert!(judged("v1.4.0", &[], "agents/x.md").is_empty());
        assert!(judged("v1.3.0", &[], "agents/y.md").is_empty());
    }

    #[test]
    fn a_host_that_cannot_be_told_is_not_allowed() {
        let text = "[mcp]\nallow-hosts = [\"*\"]";
        let connecting = |host: &str| {
            let mut content = agent("name: a");
            content.capabilities.connects.insert(host.to_owned());
            content
        };
        assert!(rules(text, &connecting("api.corp")).is_empty());
        for url in [
            "${EVIL}/x.corp",
            "https:/evil.com/x.corp",
            "https://${EVIL}.corp",
        ] {
            assert_eq!(rules(text, &connecting(url)), ["mcp.allow-hosts"], "{url}");
        }
    }

    #[test]
    fn an_empty_list_allows_nothing() {
        assert_eq!(
            rules("[types]\nallow = []", &agent("name: a")),
            ["types.allow"]
        );
        assert_eq!(
            rules("[tools]\nallow = [\"codex\"]", &agent("name: a")),
            ["tools.allow"]
        );
    }

    #[test]
    fn young_versions_and_branches_are_refused() {
        let mut young = agent("name: a");
        young.version = Some(JudgedVersion {
            is_branch: false,
            age: ReleaseAge::Seconds(3_600),
            ..version("v1.0.0")
        });
        let text = "[versions]\nmin-release-age = \"7d\"\npinned-only = true";
        let found = judge(&policy(text), &young);
        assert_eq!(
            found[0].message,
            "v1.0.0 was released 1 hour ago, and 7 days are required"
        );
        young.version = Some(JudgedVersion {
            is_branch: true,
            age: ReleaseAge::Unknown,
            ..version("main")
        });
        // A date that is not known could be today's.
        assert_eq!(
            rules(text, &young),
            ["versions.pinned-only", "versions.min-release-age"]
        );
    }

    #[test]
    fn requirements_name_what_is_missing() {
        let policy = policy("[require]\n\"agents/x\" = \"^2\"\n\"skills/y\" = \"^1\"");
        let mut old = agent("name: a");
        old.version = Some(JudgedVersion {
            is_branch: false,
            age: ReleaseAge::Unknown,
            ..version("v1.4.0")
        });
        let found = missing_requirements(&policy, &[old]);
        let found: Vec<String> = found.into_iter().map(|one| one.message).collect();
        assert_eq!(
            found,
            [
                "agents/x ^2 is required, and v1.4.0 is installed",
                "skills/y ^1 is required"
            ]
        );
    }

    #[test]
    fn transitive_resources_are_not_in_the_manifest() {
        let policy = policy("[require]\n\"agents/x\" = \"^1\"");
        let mut content = agent("name: a");
        content.version = Some(JudgedVersion {
            is_branch: false,
            age: ReleaseAge::Unknown,
            ..version("v1.4.0")
        });
        assert!(missing_requirements(&policy, std::slice::from_ref(&content)).is_empty());
        content.chain.push("agents/parent".to_owned());
        let found = missing_requirements(&policy, &[content]);
        assert_eq!(found[0].message, "agents/x ^1 is required");
    }

    #[test]
    fn only_an_installed_version_of_the_resource_meets_a_requirement() {
        let policy = policy("[require]\n\"agents/x\" = \"^2\"");
        for (label, mode, expected) in [
            ("v2.0.0", InstallMode::Write, true),
            ("v2.0.0", InstallMode::InPlace, true),
            ("v2.0.0", InstallMode::ResolveOnly, false),
            ("x-v2.0.0", InstallMode::Write, true),
            ("x--v2.0.0", InstallMode::Write, true),
            ("agents/x/v2.0.0", InstallMode::Write, true),
            ("agents/x-v2.0.0", InstallMode::Write, true),
            ("x@2.0.0", InstallMode::Write, true),
            ("evil-v2.0.0", InstallMode::Write, false),
            ("evil/x/v2.0.0", InstallMode::Write, false),
            ("skills/x/v2.0.0", InstallMode::Write, false),
            ("main", InstallMode::Write, false),
        ] {
            let mut content = agent("name: a");
            content.version = Some(version(label));
            content.mode = mode;
            let is_met = missing_requirements(&policy, &[content]).is_empty();
            assert_eq!(is_met, expected, "{label} {mode:?}");
        }
    }

    fn any_policy() -> impl Strategy<Value = String> {
        let sections = prop::sample::subsequence(
            vec![
                "[types]\ndeny = [\"agents\"]\n",
                "[tools]\nallow = [\"codex\"]\n",
                "[executables]\nmode = \"deny\"\n",
                "[executables]\nmode = \"allow\"\n",
                "[mcp]\nallow-commands = [\"uvx\"]\n",
                "[permissions]\ndeny = [\"*\"]\n",
                "[require]\n\"skills/y\" = \"^1\"\n",
            ],
            1,
        );
        sections.prop_map(|sections| sections.concat())
    }

    proptest! {
        #[test]
        fn another_policy_never_allows_more(first in any_policy(), second in any_policy()) {
            let contents = [agent("tools: Bash"), server(r#"{"command": "npx"}"#)];
            let allowed = |policies: &[Policy]| {
                policies.iter().all(|policy| {
                    contents.iter().all(|content| judge(policy, content).is_empty())
                        && missing_requirements(policy, &contents).is_empty()
                })
            };
            let (first, second) = (policy(&first), policy(&second));
            let alone = allowed(std::slice::from_ref(&first));
            prop_assert!(alone || !allowed(&[first, second]));
        }
    }
}
