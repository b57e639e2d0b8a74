//! The policy of an organization: `policy.toml`, or `[policy]` of a manifest. Every applicable policy is checked
//! separately, so another one can only be more restrictive.

use std::fmt;

use agpm_diag::{Diagnostic, SourceSpan, codes};
use agpm_text::{Document, NodeKind, NodeRef};
use serde::{Serialize, Serializer};

use crate::audit_settings::{AUDIT_LEVELS, AuditLevel};
use crate::check::{Check, spot};
use crate::host_pattern::HostPattern;
use crate::pin::ResourceId;
use crate::policy_tables::{
    AUDIT, EXECUTABLES, MCP, PERMISSIONS, POLICY, RESOURCE_DENIAL, RESOURCES, SIGNATURES, SOURCES,
    TOOLS, TYPES, VERSIONS,
};
use crate::repository_pattern::RepositoryPattern;
use crate::resource::{RESOURCE_TYPES, ResourceType};
use crate::resource_pattern::ResourcePattern;
use crate::schema::SchemaTable;
use crate::version::VersionRequirement;

/// One value of a policy, with its position.
#[derive(Clone, Debug)]
pub struct PolicyRule<T> {
    /// The value.
    pub value: T,
    /// The position of the value in its file.
    pub spot: SourceSpan,
}

/// An allow list; an empty one allows nothing.
#[derive(Clone, Debug)]
pub struct AllowList<T> {
    /// Allowed values.
    pub rules: Vec<PolicyRule<T>>,
    /// The position of the list in its file.
    pub spot: SourceSpan,
}

impl<T> AllowList<T> {
    /// Whether a rule of the list matches.
    pub fn allows(&self, fits: impl Fn(&T) -> bool) -> bool {
        self.rules.iter().any(|rule| fits(&rule.value))
    }
}

/// Allowed and denied names.
#[derive(Clone, Debug)]
pub struct AllowDeny<T> {
    /// The allowed names; `None` allows all that are not denied.
    pub allow: Option<AllowList<T>>,
    /// Denied values, which win over allowed ones.
    pub deny: Vec<PolicyRule<T>>,
}

impl<T> Default for AllowDeny<T> {
    fn default() -> Self {
        AllowDeny {
            allow: None,
            deny: Vec::new(),
        }
    }
}

/// A resource that must be in the manifest.
#[derive(Clone, Debug)]
pub struct RequiredResource {
    /// The resource.
    pub id: ResourceId,
    /// The allowed versions.
    pub requirement: VersionRequirement,
}

/// Resources that may not be installed.
#[derive(Clone, Debug)]
pub struct ResourceDenial {
    /// The resources.
    pub pattern: ResourcePattern,
    /// Why they are denied.
    pub reason: Option<String>,
}

/// The treatment of executable content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExecutableMode {
    /// The same as without a policy.
    Allow,
    /// Resources in the manifest need approval too.
    Approve,
    /// Executable content is not installed.
    Deny,
}

/// The treatment of a run whose policy cannot be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnUnreachable {
    /// The run stops.
    Stop,
    /// The run continues with a warning.
    Warn,
}

/// The modes with their names.
pub const EXECUTABLE_MODES: [(&str, ExecutableMode); 3] = [
    ("allow", ExecutableMode::Allow),
    ("approve", ExecutableMode::Approve),
    ("deny", ExecutableMode::Deny),
];
const ON_UNREACHABLE: [(&str, OnUnreachable); 2] =
    [("stop", OnUnreachable::Stop), ("warn", OnUnreachable::Warn)];

/// A policy.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The repositories that resources and layers may come from.
    pub sources: AllowDeny<RepositoryPattern>,
    /// The types of resources that may be installed.
    pub types: AllowDeny<ResourceType>,
    /// Resources that may not be installed.
    pub resources_deny: Vec<PolicyRule<ResourceDenial>>,
    /// The tools that may get resources, by name.
    pub tools: AllowDeny<String>,
    /// Hosts that may be connected to.
    pub allow_hosts: Option<AllowList<HostPattern>>,
    /// Allowed prefixes of server command lines.
    pub allow_commands: Option<AllowList<String>>,
    /// The treatment of executable content.
    pub executables: Option<PolicyRule<ExecutableMode>>,
    /// Whether branches are refused.
    pub pinned_only: Option<PolicyRule<bool>>,
    /// The minimum age of a version.
    pub min_release_age: Option<PolicyRule<ReleaseAge>>,
    /// Denied permission modes and rules of tools.
    pub permissions_deny: Vec<PolicyRule<String>>,
    /// Resources that must be in the manifest, with their allowed versions.
    pub require: Vec<PolicyRule<RequiredResource>>,
    /// Repositories that must be signed.
    pub signatures: Vec<PolicyRule<RepositoryPattern>>,
    /// The severity from which findings of an audit are errors.
    pub audit_level: Option<PolicyRule<AuditLevel>>,
    /// The treatment of a run whose remote policies cannot be reached.
    pub on_unreachable: Option<PolicyRule<OnUnreachable>>,
}

impl Policy {
    /// Parses `policy.toml`; mistakes are in the diagnostics, and a policy with mistakes must not be used.
    pub fn read(document: &Document) -> (Policy, Vec<Diagnostic>) {
        match document.root() {
            Some(root) => Policy::of_table(root),
            None => (Policy::default(), Vec::new()),
        }
    }

    /// Parses the `[policy]` table of a manifest.
    pub fn of_table(table: NodeRef<'_>) -> (Policy, Vec<Diagnostic>) {
        let mut reader = PolicyReader::default();
        let policy = reader.policy(table);
        let diagnostics = reader.check.into_diagnostics().into_iter();
        (policy, diagnostics.map(of_policy).collect())
    }
}

/// The key of a rule in a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RuleName {
    /// `sources.allow`
    SourcesAllow,
    /// `sources.deny`
    SourcesDeny,
    /// `types.allow`
    TypesAllow,
    /// `types.deny`
    TypesDeny,
    /// `resources.deny`
    ResourcesDeny,
    /// `tools.allow`
    ToolsAllow,
    /// `tools.deny`
    ToolsDeny,
    /// `mcp.allow-hosts`
    AllowHosts,
    /// `mcp.allow-commands`
    AllowCommands,
    /// `executables.mode`
    ExecutablesMode,
    /// `versions.pinned-only`
    PinnedOnly,
    /// `versions.min-release-age`
    MinReleaseAge,
    /// `permissions.deny`
    PermissionsDeny,
    /// `require`
    Require,
    /// `signatures.require`
    SignaturesRequire,
    /// `audit.level`
    AuditLevel,
    /// `on-unreachable`
    OnUnreachable,
}

impl RuleName {
    /// The key in the file, with `.` between table and key.
    pub fn as_str(self) -> &'static str {
        match self {
            RuleName::SourcesAllow => "sources.allow",
            RuleName::SourcesDeny => "sources.deny",
            RuleName::TypesAllow => "types.allow",
            RuleName::TypesDeny => "types.deny",
            RuleName::ResourcesDeny => "resources.deny",
            RuleName::ToolsAllow => "tools.allow",
            RuleName::ToolsDeny => "tools.deny",
            RuleName::AllowHosts => "mcp.allow-hosts",
            RuleName::AllowCommands => "mcp.allow-commands",
            RuleName::ExecutablesMode => "executables.mode",
            RuleName::PinnedOnly => "versions.pinned-only",
            RuleName::MinReleaseAge => "versions.min-release-age",
            RuleName::PermissionsDeny => "permissions.deny",
            RuleName::Require => "require",
            RuleName::SignaturesRequire => "signatures.require",
            RuleName::AuditLevel => "audit.level",
            RuleName::OnUnreachable => "on-unreachable",
        }
    }
}

impl fmt::Display for RuleName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl Serialize for RuleName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// One rule, as users read it.
#[derive(Clone, Debug)]
pub struct PolicyRow {
    /// The key.
    pub rule: RuleName,
    /// The value that the policy sets.
    pub value: String,
    /// The position of the rule.
    pub spot: SourceSpan,
}

impl Policy {
    /// All rules, in the order of the documentation.
    pub fn rows(&self) -> Vec<PolicyRow> {
        let mut rows = Vec::new();
        let pattern = |pattern: &RepositoryPattern| pattern.as_str().to_owned();
        rows.extend(list_row(
            RuleName::SourcesAllow,
            &self.sources.allow,
            pattern,
        ));
        rows.extend(deny_rows(
            RuleName::SourcesDeny,
            &self.sources.deny,
            pattern,
        ));
        let kind = |kind: &ResourceType| kind.to_string();
        rows.extend(list_row(RuleName::TypesAllow, &self.types.allow, kind));
        rows.extend(deny_rows(RuleName::TypesDeny, &self.types.deny, kind));
        rows.extend(deny_rows(
            RuleName::ResourcesDeny,
            &self.resources_deny,
            |denial| match &denial.reason {
                Some(reason) => format!("{}: {reason}", denial.pattern.as_str()),
                None => denial.pattern.as_str().to_owned(),
            },
        ));
        rows.extend(list_row(
            RuleName::ToolsAllow,
            &self.tools.allow,
            String::clone,
        ));
        rows.extend(deny_rows(
            RuleName::ToolsDeny,
            &self.tools.deny,
            String::clone,
        ));
        rows.extend(list_row(RuleName::AllowHosts, &self.allow_hosts, |host| {
            host.as_str().to_owned()
        }));
        rows.extend(list_row(
            RuleName::AllowCommands,
            &self.allow_commands,
            String::clone,
        ));
        rows.extend(deny_rows(
            RuleName::ExecutablesMode,
            &self.executables,
            |mode| word_of(&EXECUTABLE_MODES, *mode),
        ));
        rows.extend(deny_rows(
            RuleName::PinnedOnly,
            &self.pinned_only,
            ToString::to_string,
        ));
        rows.extend(deny_rows(
            RuleName::MinReleaseAge,
            &self.min_release_age,
            |age| age.written.clone(),
        ));
        rows.extend(deny_rows(
            RuleName::PermissionsDeny,
            &self.permissions_deny,
            String::clone,
        ));
        rows.extend(deny_rows(RuleName::Require, &self.require, |required| {
            format!("{} {}", required.id, required.requirement.as_str())
        }));
        rows.extend(deny_rows(
            RuleName::SignaturesRequire,
            &self.signatures,
            pattern,
        ));
        rows.extend(deny_rows(
            RuleName::AuditLevel,
            &self.audit_level,
            ToString::to_string,
        ));
        rows.extend(deny_rows(
            RuleName::OnUnreachable,
            &self.on_unreachable,
            |reaction| word_of(&ON_UNREACHABLE, *reaction),
        ));
        rows
    }
}

fn list_row<T>(
    rule: RuleName,
    list: &Option<AllowList<T>>,
    display: impl Fn(&T) -> String,
) -> Option<PolicyRow> {
    let list = list.as_ref()?;
    let values: Vec<String> = list.rules.iter().map(|rule| display(&rule.value)).collect();
    Some(PolicyRow {
        rule,
        value: values.join(", "),
        spot: list.spot,
    })
}

fn deny_rows<'r, T: 'r>(
    rule: RuleName,
    rules: impl IntoIterator<Item = &'r PolicyRule<T>>,
    display: impl Fn(&T) -> String,
) -> Vec<PolicyRow> {
    let row = |one: &PolicyRule<T>| PolicyRow {
        rule,
        value: display(&one.value),
        spot: one.spot,
    };
    rules.into_iter().map(row).collect()
}

fn word_of<T: PartialEq>(words: &[(&str, T)], value: T) -> String {
    let found = words.iter().find(|(_, one)| *one == value);
    found.map_or_else(String::new, |(word, _)| (*word).to_owned())
}

/// The keys and values are checked like those of the manifest, but mistakes in a policy have their own code.
fn of_policy(mut diagnostic: Diagnostic) -> Diagnostic {
    if diagnostic.code == &codes::MANIFEST_UNKNOWN_KEY {
        diagnostic.code = &codes::POLICY_UNKNOWN_KEY;
    } else if diagnostic.code == &codes::MANIFEST_VALUE {
        diagnostic.code = &codes::POLICY_VALUE;
    }
    diagnostic
}

#[derive(Default)]
struct PolicyReader {
    check: Check,
}

impl PolicyReader {
    fn policy(&mut self, root: NodeRef<'_>) -> Policy {
        if !self.check.map(root, "a policy") {
            return Policy::default();
        }
        self.check.keys(root, &POLICY);
        let mut policy = Policy::default();
        if let Some(table) = self.table(root, "sources", &SOURCES) {
            policy.sources = self.allow_deny(table, repository);
        }
        if let Some(table) = self.table(root, "types", &TYPES) {
            policy.types = self.allow_deny(table, resource_type);
        }
        if let Some(table) = self.table(root, "resources", &RESOURCES) {
            policy.resources_deny = self.denied_resources(table);
        }
        if let Some(table) = self.table(root, "tools", &TOOLS) {
            policy.tools = self.allow_deny(table, any_string);
        }
        if let Some(table) = self.table(root, "mcp", &MCP) {
            policy.allow_hosts = self.allow_list(table, "allow-hosts", host);
            policy.allow_commands = self.allow_list(table, "allow-commands", any_string);
        }
        if let Some(table) = self.table(root, "executables", &EXECUTABLES) {
            policy.executables = self.word(table, "mode", &EXECUTABLE_MODES);
        }
        if let Some(table) = self.table(root, "versions", &VERSIONS) {
            policy.pinned_only = self.flag(table, "pinned-only");
            policy.min_release_age = self.age(table, "min-release-age");
        }
        if let Some(table) = self.table(root, "permissions", &PERMISSIONS) {
            policy.permissions_deny = self.list(table, "deny", any_string);
        }
        if let Some(table) = root.get("require") {
            policy.require = self.required_resources(table);
        }
        if let Some(table) = self.table(root, "signatures", &SIGNATURES) {
            policy.signatures = self.list(table, "require", repository);
        }
        if let Some(table) = self.table(root, "audit", &AUDIT) {
            policy.audit_level = self.word(table, "level", &AUDIT_LEVELS);
        }
        policy.on_unreachable = self.word(root, "on-unreachable", &ON_UNREACHABLE);
        policy
    }

    fn table<'n>(
        &mut self,
        root: NodeRef<'n>,
        name: &str,
        schema: &SchemaTable,
    ) -> Option<NodeRef<'n>> {
        let table = root.get(name)?;
        if !self.check.map(table, &format!("`[{name}]`")) {
            return None;
        }
        self.check.keys(table, schema);
        Some(table)
    }

    fn allow_deny<T>(&mut self, table: NodeRef<'_>, read: ReadValue<T>) -> AllowDeny<T> {
        AllowDeny {
            allow: self.allow_list(table, "allow", read),
            deny: self.list(table, "deny", read),
        }
    }

    fn allow_list<T>(
        &mut self,
        table: NodeRef<'_>,
        key: &str,
        read: ReadValue<T>,
    ) -> Option<AllowList<T>> {
        let node = table.get(key)?;
        Some(AllowList {
            rules: self.list(table, key, read),
            spot: spot(node),
        })
    }

    fn list<T>(&mut self, table: NodeRef<'_>, key: &str, read: ReadValue<T>) -> Vec<PolicyRule<T>> {
        let mut rules = Vec::new();
        let Some(node) = table.get(key) else {
            return rules;
        };
        for (item, text) in self.check.strings(node, &format!("`{key}`")) {
            match read(text) {
                Ok(value) => rules.push(rule(item, value)),
                Err(message) => self.invalid(item, text, &message),
            }
        }
        rules
    }

    fn invalid(&mut self, node: NodeRef<'_>, text: &str, message: &str) {
        let diagnostic = Diagnostic::new(&codes::POLICY_VALUE, format!("`{text}`: {message}"));
        self.check.report(diagnostic.at_spot(spot(node)));
    }

    fn word<T: Copy>(
        &mut self,
        table: NodeRef<'_>,
        key: &str,
        words: &[(&str, T)],
    ) -> Option<PolicyRule<T>> {
        let node = table.get(key)?;
        let value = self.check.word(node, &format!("`{key}`"), words)?;
        Some(rule(node, value))
    }

    fn flag(&mut self, table: NodeRef<'_>, key: &str) -> Option<PolicyRule<bool>> {
        let node = table.get(key)?;
        let value = self.check.flag(node, &format!("`{key}`"))?;
        Some(rule(node, value))
    }

    fn age(&mut self, table: NodeRef<'_>, key: &str) -> Option<PolicyRule<ReleaseAge>> {
        let node = table.get(key)?;
        let text = self.check.string(node, &format!("`{key}`"))?;
        match parse_age(text) {
            Some(seconds) => {
                let written = text.trim().to_owned();
                Some(rule(node, ReleaseAge { seconds, written }))
            }
            None => {
                self.invalid(
                    node,
                    text,
                    "write a number and a unit, such as `7d` or `12h`",
                );
                None
            }
        }
    }

    fn denied_resources(&mut self, table: NodeRef<'_>) -> Vec<PolicyRule<ResourceDenial>> {
        let mut rules = Vec::new();
        let Some(list) = table.get("deny") else {
            return rules;
        };
        if list.kind() != NodeKind::List {
            self.check.wrong_kind(list, "`deny`", "a list of tables");
        }
        for item in list.items() {
            if !self.check.map(item, "a denied resource") {
                continue;
            }
            self.check.keys(item, &RESOURCE_DENIAL);
            let Some(node) = item.get("match") else {
                let message = "a denied resource needs `match`".to_owned();
                let diagnostic = Diagnostic::new(&codes::POLICY_VALUE, message);
                self.check.report(diagnostic.at_spot(spot(item)));
                continue;
            };
            let reason = item.get("reason");
            let reason = reason.and_then(|node| self.check.string(node, "`reason`"));
            let Some(text) = self.check.string(node, "`match`") else {
                continue;
            };
            match ResourcePattern::parse(text) {
                Ok(pattern) => rules.push(rule(
                    node,
                    ResourceDenial {
                        pattern,
                        reason: reason.map(|text| text.trim().to_owned()),
                    },
                )),
                Err(error) => self.invalid(node, text, &error.to_string()),
            }
        }
        rules
    }

    fn required_resources(&mut self, table: NodeRef<'_>) -> Vec<PolicyRule<RequiredResource>> {
        if !self.check.map(table, "`[require]`") {
            return Vec::new();
        }
        let mut rules = Vec::new();
        for (key, value) in table.entries() {
            let id = ResourceId::parse(key.content());
            if id.is_none() {
                self.invalid(
                    key,
                    key.content(),
                    "write `TYPE/NAME`, such as `skills/pdf`",
                );
            }
            let Some(text) = self.check.string(value, "a requirement") else {
                continue;
            };
            match (id, VersionRequirement::parse(text)) {
                (Some(id), Ok(requirement)) => {
                    rules.push(rule(value, RequiredResource { id, requirement }));
                }
                (_, Err(error)) => self.invalid(value, text, &error.to_string()),
                (None, Ok(_)) => {}
            }
        }
        rules
    }
}

/// Parses a string, or returns the mistake.
type ReadValue<T> = fn(&str) -> Result<T, String>;

fn rule<T>(node: NodeRef<'_>, value: T) -> PolicyRule<T> {
    PolicyRule {
        value,
        spot: spot(node),
    }
}

fn repository(text: &str) -> Result<RepositoryPattern, String> {
    RepositoryPattern::parse(text).map_err(|error| error.to_string())
}

fn host(text: &str) -> Result<HostPattern, String> {
    HostPattern::parse(text).map_err(|error| error.to_string())
}

fn resource_type(text: &str) -> Result<ResourceType, String> {
    ResourceType::named(text).ok_or_else(unknown_type)
}

fn unknown_type() -> String {
    let names: Vec<&str> = RESOURCE_TYPES.iter().map(|kind| kind.plural()).collect();
    format!("unknown type; the types are {}", names.join(", "))
}

fn any_string(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        Err("write a name".to_owned())
    } else {
        Ok(text.to_owned())
    }
}

/// The age of a release, as a policy states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseAge {
    /// The age in seconds.
    pub seconds: u64,
    /// The text, such as `7d`.
    pub written: String,
}

/// The seconds of an age such as `7d`; `None` if it is invalid.
pub fn parse_age(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit = text.chars().last()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 604_800,
        _ => return None,
    };
    let number: u64 = text[..text.len() - unit.len_utf8()].trim().parse().ok()?;
    number.checked_mul(seconds)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use agpm_text::{Format, parse_alone};

    use super::*;

    fn read(text: &str) -> (Policy, Vec<String>) {
        let parsed = parse_alone(text, Format::Toml);
        let (policy, diagnostics) = Policy::read(&parsed.document);
        let display = |one: &Diagnostic| format!("{}: {}", one.code.name, one.message);
        (policy, diagnostics.iter().map(display).collect())
    }

    #[test]
    fn every_key_of_a_policy_is_read() {
        let (policy, mistakes) = read(
            r#"
on-unreachable = "warn"
[sources]
allow = ["github:corp/*", "https://git.corp/**"]
deny = ["github:evil/*"]
[types]
deny = ["hooks"]
[resources]
deny = [{ match = "github:acme/agents//skills/deploy@<1.4", reason = "CVE-1" }, { match = "github:acme/agents@3f2a91c" }]
[tools]
allow = ["claude-code", "codex"]
[mcp]
allow-hosts = ["*.corp"]
allow-commands = ["npx @corp/*", "uvx"]
[executables]
mode = "deny"
[versions]
pinned-only = true
min-release-age = "7d"
[permissions]
deny = ["bypassPermissions", "Bash(*)"]
[require]
"skills/secure-coding" = "^2"
[signatures]
require = ["https://git.corp/**"]
[audit]
level = "error"
"#,
        );
        assert_eq!(mistakes, [""; 0]);
        let denied = policy.rows().into_iter();
        let denied = denied.filter(|row| row.rule == RuleName::ResourcesDeny);
        let denied: Vec<String> = denied.map(|row| row.value).collect();
        assert_eq!(
            denied,
            [
                "github:acme/agents//skills/deploy@<1.4: CVE-1",
                "github:acme/agents@3f2a91c"
            ]
        );
        assert_eq!(policy.sources.allow.unwrap().rules.len(), 2);
        assert_eq!(policy.types.deny[0].value, ResourceType::Hooks);
        assert_eq!(policy.executables.unwrap().value, ExecutableMode::Deny);
        assert_eq!(policy.min_release_age.unwrap().value.seconds, 7 * 86_400);
        assert_eq!(
            policy.require[0].value.id.to_string(),
            "skills/secure-coding"
        );
        assert_eq!(policy.on_unreachable.unwrap().value, OnUnreachable::Warn);
    }

    #[test]
    fn all_mistakes_are_reported_at_once() {
        let (_, mistakes) = read(
            r#"
surprise = 1
[sources]
alow = []
allow = ["corp/*"]
[types]
deny = ["hokks"]
[resources]
deny = [{ match = "acme", reason = "x" }, { reason = "x" }, "x"]
[mcp]
allow-hosts = ["https://api.corp"]
[executables]
mode = "maybe"
[versions]
min-release-age = "soon"
[require]
"secure-coding" = "^2"
"skills/x" = "^^"
"#,
        );
        let codes: Vec<&str> = mistakes
            .iter()
            .map(|line| line.split_once(':').unwrap().0)
            .collect();
        assert_eq!(
            codes,
            [
                "policy/unknown-key",
                "policy/unknown-key",
                "policy/value",
                "policy/value",
                "policy/value",
                "policy/value",
                "policy/value",
                "policy/value",
                "policy/value",
                "policy/value",
                "policy/value",
                "policy/value",
            ],
            "{mistakes:#?}"
        );
    }

    #[test]
    fn ages_have_a_unit() {
        assert_eq!(parse_age("12h"), Some(43_200));
        assert_eq!(parse_age("2 w"), Some(1_209_600));
        for text in ["", "7", "d", "-1d", "7y", "99999999999999999999w"] {
            assert_eq!(parse_age(text), None, "{text}");
        }
    }
}
