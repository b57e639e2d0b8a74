//! Everything that one resource lets a tool do, and how two versions of it differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use agpm_diag::{mask_line, mask_words};
use agpm_model::{Checksum, Owner, RESOURCE_TYPES, ResourceType};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::server_command::ServerCommand;
use crate::tool_rule::ToolRule;

/// The tools that a resource may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolAccess {
    /// Every tool: an agent without `tools`.
    Unlimited,
    /// The tools of the session, for a skill without `allowed-tools`: nothing is limited, and nothing is allowed without
    /// asking.
    Session,
    /// Only the given rules.
    Listed(BTreeSet<ToolRule>),
}

impl ToolAccess {
    /// The rules of `self` that go beyond `before`.
    fn beyond(&self, before: &ToolAccess) -> Option<String> {
        let nothing = BTreeSet::new();
        match (before, self) {
            (ToolAccess::Unlimited, _) | (ToolAccess::Session, ToolAccess::Session) => None,
            (ToolAccess::Listed(before), ToolAccess::Listed(after)) => new_rules(before, after),
            // A list in a command or a skill grants tools without asking, so every rule in it is new compared with
            // no list at all.
            (ToolAccess::Session, ToolAccess::Listed(after)) => new_rules(&nothing, after),
            (ToolAccess::Session, ToolAccess::Unlimited) => Some(self.to_string()),
            // The list of a skill only grants, so nothing is new without it.
            (ToolAccess::Listed(_), ToolAccess::Session) => None,
            // The list of an agent limits it. Dropping it is the largest increase there can be, although the file got
            // shorter.
            (ToolAccess::Listed(before), ToolAccess::Unlimited) => {
                let everything = ToolRule::parse("*");
                let is_all = before.iter().any(|rule| rule.covers(&everything));
                (!is_all).then(|| self.to_string())
            }
        }
    }

    /// As a string, with the rules that `before` has too in front.
    pub(crate) fn shown_after(&self, before: &ToolAccess) -> String {
        match (before, self) {
            (ToolAccess::Listed(before), ToolAccess::Listed(after)) if !after.is_empty() => {
                let common = after.intersection(before);
                let rules: Vec<String> = common
                    .chain(after.difference(before))
                    .map(ToString::to_string)
                    .collect();
                rules.join(", ")
            }
            _ => self.to_string(),
        }
    }

    fn union(self, other: ToolAccess) -> ToolAccess {
        match (self, other) {
            (ToolAccess::Listed(mut left), ToolAccess::Listed(right)) => {
                left.extend(right);
                ToolAccess::Listed(left)
            }
            (ToolAccess::Session, ToolAccess::Session) => ToolAccess::Session,
            // The widest of the two: a union that is too narrow would hide an increase.
            _ => ToolAccess::Unlimited,
        }
    }
}

fn new_rules(before: &BTreeSet<ToolRule>, after: &BTreeSet<ToolRule>) -> Option<String> {
    // Compared by coverage and not by spelling: `Bash(git:*)` already allows `Bash(git status)`.
    let is_new = |rule: &&ToolRule| {
        !before.contains(*rule) && !before.iter().any(|existing| existing.covers(rule))
    };
    let new: Vec<String> = after
        .iter()
        .filter(is_new)
        .map(ToString::to_string)
        .collect();
    (!new.is_empty()).then(|| new.join(", "))
}

const ALL_TOOLS: &str = "all tools";

impl fmt::Display for ToolAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolAccess::Unlimited | ToolAccess::Session => f.write_str(ALL_TOOLS),
            ToolAccess::Listed(rules) if rules.is_empty() => f.write_str("no tools"),
            ToolAccess::Listed(rules) => {
                let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
                f.write_str(&rules.join(", "))
            }
        }
    }
}

impl Serialize for ToolAccess {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            ToolAccess::Unlimited => serializer.serialize_str("all"),
            ToolAccess::Session => serializer.serialize_str("session"),
            ToolAccess::Listed(rules) => rules.serialize(serializer),
        }
    }
}

impl<'d> Deserialize<'d> for ToolAccess {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum WrittenAccess {
            Word(String),
            Rules(BTreeSet<ToolRule>),
        }
        Ok(match WrittenAccess::deserialize(deserializer)? {
            WrittenAccess::Word(word) if word == "session" => ToolAccess::Session,
            // An unknown value of a newer version is read as everything, which can only report too much.
            WrittenAccess::Word(_) => ToolAccess::Unlimited,
            WrittenAccess::Rules(rules) => ToolAccess::Listed(rules),
        })
    }
}

/// A command that a tool runs, or a file that can be run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunCommand {
    /// The whole command line, or the path of the file.
    pub command: String,
    /// The event that starts it, if it is a hook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
}

impl fmt::Display for RunCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.event {
            Some(event) => write!(f, "{} ({event})", self.command),
            None => f.write_str(&self.command),
        }
    }
}

/// The end of a permission to use a tool without asking, of an agent: its list of tools only limits it.
pub(crate) const UNASKED: &str = " without asking";

/// Whether a permission is one to use a tool without asking, and no mode.
pub fn is_unasked(permission: &str) -> bool {
    permission.ends_with(UNASKED)
}

/// Everything that one resource, or one layer, lets a tool do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CapabilitySet {
    /// Commands and files that are run.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub runs: BTreeSet<RunCommand>,
    /// The subset of the commands that start MCP servers, in words.
    #[serde(skip)]
    pub server_commands: BTreeSet<ServerCommand>,
    /// Hosts that are connected to, and URLs whose host is not known.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub connects: BTreeSet<String>,
    /// The URLs whose host is not known.
    #[serde(skip)]
    pub unknown_hosts: BTreeSet<String>,
    /// The allowed tools; `None` for a resource without tools, such as a hook.
    #[serde(skip_serializing_if = "limits_nothing")]
    pub tools: Option<ToolAccess>,
    /// Tools that may be used without asking.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub granted: BTreeSet<ToolRule>,
    /// Modes in which a tool works without asking.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub permission: BTreeSet<String>,
    /// Forbidden tools; one entry less is a permission more.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub denied: BTreeSet<ToolRule>,
    /// Tools whose use a person confirms; one entry less is a permission more, unless it is denied.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub asks: BTreeSet<ToolRule>,
    /// Settings that hold a tool back, such as its sandbox; one less is a permission more.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub protections: BTreeSet<String>,
    /// Names of variables that a server or a hook receives.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub env: BTreeSet<String>,
    /// Bytes of text that a tool always reads, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub instructs: BTreeMap<String, usize>,
    /// Settings whose effect is not known, as `KEY = VALUE`.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub sets: BTreeSet<String>,
    /// The tools of each part of a plugin, or of each resource in a layer, by `TYPE/NAME`: what one of them may
    /// do must not hide what another one gains.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, PartCapabilities>,
}

/// The tools of one part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PartCapabilities {
    /// The allowed tools.
    #[serde(skip_serializing_if = "limits_nothing")]
    pub tools: Option<ToolAccess>,
    /// Modes in which it works without asking.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub permission: BTreeSet<String>,
    /// Forbidden tools.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub denied: BTreeSet<ToolRule>,
}

impl PartCapabilities {
    fn is_empty(&self) -> bool {
        let limits = matches!(self.tools, Some(ToolAccess::Listed(_)));
        !limits && self.permission.is_empty() && self.denied.is_empty()
    }

    fn absorb(&mut self, other: PartCapabilities) {
        self.tools = match (self.tools.take(), other.tools) {
            (Some(left), Some(right)) => Some(left.union(right)),
            (left, right) => left.or(right),
        };
        self.permission.extend(other.permission);
        self.denied.extend(other.denied);
    }
}

/// The session's own tools are the default.
fn limits_nothing(tools: &Option<ToolAccess>) -> bool {
    matches!(tools, None | Some(ToolAccess::Session))
}

/// The kinds of capabilities, by the names that users read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CapabilityName {
    /// Runs a command.
    Runs,
    /// Connects to a host.
    Connects,
    /// Uses tools.
    Tools,
    /// Works without asking.
    Permission,
    /// Receives variables.
    Env,
    /// Is always read.
    Instructs,
    /// Forbids tools.
    Denies,
    /// Has a person confirm the use of tools.
    Asks,
    /// Holds a tool back in another way.
    Protects,
    /// Changes a setting whose effect is not known.
    Sets,
}

impl CapabilityName {
    const ALL: [CapabilityName; 10] = [
        CapabilityName::Runs,
        CapabilityName::Connects,
        CapabilityName::Tools,
        CapabilityName::Permission,
        CapabilityName::Env,
        CapabilityName::Instructs,
        CapabilityName::Denies,
        CapabilityName::Asks,
        CapabilityName::Protects,
        CapabilityName::Sets,
    ];

    /// The kind of capability with this name.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        CapabilityName::ALL
            .into_iter()
            .find(|one| one.word() == word)
    }

    fn word(self) -> &'static str {
        match self {
            CapabilityName::Runs => "runs",
            CapabilityName::Connects => "connects",
            CapabilityName::Tools => "tools",
            CapabilityName::Permission => "permission",
            CapabilityName::Env => "env",
            CapabilityName::Instructs => "instructs",
            CapabilityName::Denies => "denies",
            CapabilityName::Asks => "asks",
            CapabilityName::Protects => "protects",
            CapabilityName::Sets => "sets",
        }
    }
}

impl fmt::Display for CapabilityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// One thing that a resource may do now and could not do before.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CapabilityIncrease {
    /// The kind of capability.
    pub capability: CapabilityName,
    /// The command, host, rule, mode, variable or file.
    pub value: String,
}

impl fmt::Display for CapabilityIncrease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The value names the tools itself where it is not a list of rules.
        match (self.capability, self.value.as_str()) {
            (CapabilityName::Tools, ALL_TOOLS) => f.write_str(ALL_TOOLS),
            (capability, value) => write!(f, "{capability} {value}"),
        }
    }
}

impl CapabilitySet {
    /// The set of a resource of this type without any statement about its capabilities.
    pub fn default_of(id: &Owner) -> Self {
        let tools = id.resource().map(|id| ToolAccess::unstated(id.kind));
        CapabilitySet {
            tools: tools.flatten(),
            ..CapabilitySet::default()
        }
    }

    /// Whether a tool gets nothing to do from it. Free use of tools is what a resource has without saying so.
    pub fn is_empty(&self) -> bool {
        let harmless = CapabilitySet {
            tools: self.tools.clone(),
            parts: self.parts.clone(),
            ..CapabilitySet::default()
        };
        *self == harmless
            && !matches!(self.tools, Some(ToolAccess::Listed(_)))
            && self.parts.values().all(PartCapabilities::is_empty)
    }

    /// The same set as one resource in a layer, or one part of a plugin, has it.
    pub fn in_part(mut self, part: &str) -> Self {
        let own = PartCapabilities {
            tools: self.tools.take(),
            permission: std::mem::take(&mut self.permission),
            denied: std::mem::take(&mut self.denied),
        };
        self.part(part).absorb(own);
        self
    }

    /// Adds a limit of tools to a part.
    pub(crate) fn limit_part(&mut self, part: &str, rules: BTreeSet<ToolRule>) {
        self.part(part).absorb(PartCapabilities {
            tools: Some(ToolAccess::Listed(rules)),
            ..PartCapabilities::default()
        });
    }

    fn part(&mut self, part: &str) -> &mut PartCapabilities {
        self.parts.entry(part.to_owned()).or_default()
    }

    /// The type of a part, by its `TYPE/NAME`.
    pub(crate) fn type_of_part(part: &str) -> Option<ResourceType> {
        let (kind, _) = part.split_once('/')?;
        RESOURCE_TYPES.into_iter().find(|one| one.plural() == kind)
    }

    /// The tools of the resource and of each part.
    pub fn accesses(&self) -> impl Iterator<Item = &ToolAccess> {
        let parts = self.parts.values().filter_map(|part| part.tools.as_ref());
        self.tools.iter().chain(parts)
    }

    /// The modes of the resource and of each part.
    pub fn permissions(&self) -> impl Iterator<Item = &str> {
        let parts = self.parts.values().flat_map(|part| &part.permission);
        self.permission.iter().chain(parts).map(String::as_str)
    }

    /// The tools that an agent may use without asking.
    pub fn unasked_rules(&self) -> impl Iterator<Item = ToolRule> {
        let modes = self.permissions();
        modes.filter_map(|mode| mode.strip_suffix(UNASKED).map(ToolRule::parse))
    }

    /// Adds a command or a file that no event starts.
    pub fn add_command(&mut self, command: String) {
        self.runs.insert(RunCommand {
            command,
            event: None,
        });
    }

    /// Leaves out a command or a file that no event starts.
    pub fn remove_command(&mut self, command: &str) {
        self.runs
            .retain(|run| run.event.is_some() || run.command != command);
    }

    /// All items of the set, sorted. Tools of the session are not listed.
    pub fn items(&self) -> Vec<CapabilityIncrease> {
        let mut nothing = CapabilitySet::default();
        if !limits_nothing(&self.tools) {
            nothing.tools = Some(ToolAccess::Listed(BTreeSet::new()));
        }
        self.increases_over(&nothing)
    }

    /// The capabilities of this set beyond `before`, sorted.
    pub fn increases_over(&self, before: &CapabilitySet) -> Vec<CapabilityIncrease> {
        let mut found = Vec::new();
        let mut add = |capability, value: String| {
            found.push(CapabilityIncrease { capability, value });
        };
        for command in self.shown_runs().difference(&before.shown_runs()) {
            add(CapabilityName::Runs, command.clone());
        }
        for host in self.shown_connects().difference(&before.shown_connects()) {
            add(CapabilityName::Connects, host.clone());
        }
        if let (Some(before), Some(after)) = (&before.tools, &self.tools)
            && let Some(new) = after.beyond(before)
        {
            add(CapabilityName::Tools, new);
        }
        let is_granted = |rule: &&ToolRule| {
            let mut granted = before.granted.iter().chain(before.listed_grants());
            !before.granted.contains(*rule) && !granted.any(|existing| existing.covers(rule))
        };
        for rule in self.granted.iter().filter(is_granted) {
            add(CapabilityName::Tools, rule.to_string());
        }
        for mode in new_modes(&before.permission, &self.permission) {
            add(CapabilityName::Permission, mode);
        }
        // A denial that disappears is an increase too, and the easiest one to overlook in a diff.
        for rule in lost_denials(&before.denied, &self.denied) {
            add(
                CapabilityName::Permission,
                format!("no longer denies {rule}"),
            );
        }
        let confirmed: BTreeSet<ToolRule> = self.asks.union(&self.denied).cloned().collect();
        for rule in lost_denials(&before.asks, &confirmed) {
            let lost = format!("no longer asks before {rule}");
            add(CapabilityName::Permission, lost);
        }
        for protection in before.protections.difference(&self.protections) {
            add(
                CapabilityName::Permission,
                format!("no longer has {protection}"),
            );
        }
        for (part, now) in &self.parts {
            let existing = before.parts.get(part);
            for (capability, value) in now.beyond(part, existing) {
                add(capability, format!("{value} ({part})"));
            }
        }
        for name in self.env.difference(&before.env) {
            add(CapabilityName::Env, name.clone());
        }
        // Longer instructions of a known name are not an increase: every edit would need an approval, and approvals
        // would become a habit.
        let is_new = |file: &&String| !before.instructs.contains_key(*file);
        for file in self.instructs.keys().filter(is_new) {
            add(CapabilityName::Instructs, file.clone());
        }
        for setting in self.sets.difference(&before.sets) {
            add(CapabilityName::Sets, setting.clone());
        }
        found.sort();
        found
    }

    /// The rules of a list that only grants.
    fn listed_grants(&self) -> impl Iterator<Item = &ToolRule> {
        let rules = match &self.tools {
            Some(ToolAccess::Listed(rules)) => Some(rules),
            _ => None,
        };
        rules.into_iter().flatten()
    }

    /// The commands as they are shown and locked: without secrets.
    fn shown_runs(&self) -> BTreeSet<String> {
        let runs = self.runs.iter();
        runs.map(|run| shown_command(&run.to_string())).collect()
    }

    fn shown_connects(&self) -> BTreeSet<String> {
        let connects = self.connects.iter();
        connects.map(|host| mask_line(host)).collect()
    }

    /// Adds what another part of the same resource may do.
    pub fn absorb(&mut self, other: CapabilitySet) {
        self.runs.extend(other.runs);
        self.server_commands.extend(other.server_commands);
        self.connects.extend(other.connects);
        self.unknown_hosts.extend(other.unknown_hosts);
        self.tools = match (self.tools.take(), other.tools) {
            (Some(left), Some(right)) => Some(left.union(right)),
            (left, right) => left.or(right),
        };
        self.granted.extend(other.granted);
        self.permission.extend(other.permission);
        self.denied.extend(other.denied);
        self.asks.extend(other.asks);
        self.protections.extend(other.protections);
        self.env.extend(other.env);
        self.instructs.extend(other.instructs);
        self.sets.extend(other.sets);
        for (part, capabilities) in other.parts {
            self.part(&part).absorb(capabilities);
        }
    }
}

impl PartCapabilities {
    /// The tools that a part gains; a new part is compared with one that has no lists.
    fn beyond(
        &self,
        part: &str,
        before: Option<&PartCapabilities>,
    ) -> Vec<(CapabilityName, String)> {
        let unstated = ToolAccess::unstated_of_part(part);
        let nothing = PartCapabilities::default();
        let before = before.unwrap_or(&nothing);
        let mut found = Vec::new();
        let tools = before.tools.as_ref().unwrap_or(&unstated);
        let now = self.tools.as_ref().unwrap_or(&unstated);
        found.extend(now.beyond(tools).map(|new| (CapabilityName::Tools, new)));
        let modes = new_modes(&before.permission, &self.permission);
        found.extend(
            modes
                .into_iter()
                .map(|mode| (CapabilityName::Permission, mode)),
        );
        let lost = lost_denials(&before.denied, &self.denied);
        found.extend(lost.map(|rule| {
            let lost = format!("no longer denies {rule}");
            (CapabilityName::Permission, lost)
        }));
        found
    }
}

impl ToolAccess {
    /// The tools of a resource that says nothing about them; `None` for types without tools.
    fn unstated(kind: ResourceType) -> Option<ToolAccess> {
        match kind {
            ResourceType::Agents => Some(ToolAccess::Unlimited),
            ResourceType::Skills | ResourceType::Commands => Some(ToolAccess::Session),
            _ => None,
        }
    }

    /// The tools of a part that says nothing about them. The list of a server limits which of its tools are used.
    pub(crate) fn unstated_of_part(part: &str) -> ToolAccess {
        match CapabilitySet::type_of_part(part) {
            Some(ResourceType::Agents | ResourceType::McpServers) => ToolAccess::Unlimited,
            _ => ToolAccess::Session,
        }
    }
}

/// A command without secrets. The digest distinguishes it from a command with other secrets, which are too long to be
/// guessed.
fn shown_command(command: &str) -> String {
    let masked = mask_words(command);
    if masked == command {
        return masked;
    }
    format!("{masked} ({})", Checksum::of(command.as_bytes()))
}

/// Modes that no earlier one covers.
fn new_modes(before: &BTreeSet<String>, after: &BTreeSet<String>) -> Vec<String> {
    let unasked = |mode: &String| mode.strip_suffix(UNASKED).map(ToolRule::parse);
    let existing: Vec<ToolRule> = before.iter().filter_map(unasked).collect();
    let is_new = |mode: &&String| match unasked(mode) {
        Some(rule) => !existing.iter().any(|existing| existing.covers(&rule)),
        None => !before.contains(*mode),
    };
    after.iter().filter(is_new).cloned().collect()
}

/// Denials of which nothing denies as much any more.
fn lost_denials<'r>(
    before: &'r BTreeSet<ToolRule>,
    after: &'r BTreeSet<ToolRule>,
) -> impl Iterator<Item = &'r ToolRule> {
    let is_kept =
        |rule: &&ToolRule| after.contains(*rule) || after.iter().any(|common| common.covers(rule));
    before.iter().filter(move |rule| !is_kept(rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(rules: &str) -> CapabilitySet {
        CapabilitySet {
            tools: Some(ToolAccess::Listed(
                ToolRule::parse_list(rules).into_iter().collect(),
            )),
            ..CapabilitySet::default()
        }
    }

    fn unlimited() -> CapabilitySet {
        CapabilitySet {
            tools: Some(ToolAccess::Unlimited),
            ..CapabilitySet::default()
        }
    }

    fn grants(after: &CapabilitySet, before: &CapabilitySet) -> Vec<String> {
        let increases = after.increases_over(before);
        increases.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn wider_tools_are_an_increase_and_narrower_ones_are_not() {
        assert_eq!(
            grants(&listed("Read, Bash(*)"), &listed("Read")),
            ["tools Bash(*)"]
        );
        assert_eq!(grants(&unlimited(), &listed("Read")), ["all tools"]);
        assert!(grants(&listed("Read"), &unlimited()).is_empty());
        assert!(grants(&listed("Bash(git push)"), &listed("Bash(git:*)")).is_empty());
        assert!(grants(&unlimited(), &listed("*")).is_empty());
        let session = CapabilitySet {
            tools: Some(ToolAccess::Session),
            ..CapabilitySet::default()
        };
        assert!(grants(&session, &listed("Read")).is_empty());
        assert_eq!(grants(&listed("Bash"), &session), ["tools Bash"]);
        assert_eq!(
            grants(&listed("Bash"), &listed("Bash(git:*)")),
            ["tools Bash"]
        );
    }

    #[test]
    fn tools_of_a_new_part_are_an_increase_where_they_are_granted() {
        let nothing = CapabilitySet::default();
        let command = listed("Bash(*)").in_part("commands/x");
        assert_eq!(grants(&command, &nothing), ["tools Bash(*) (commands/x)"]);
        // A list takes tools from an agent.
        let agent = listed("Bash(*)").in_part("agents/x");
        assert!(grants(&agent, &nothing).is_empty());
        assert!(grants(&unlimited().in_part("agents/x"), &nothing).is_empty());
        let wider = listed("Bash(*), Read").in_part("agents/x");
        assert_eq!(grants(&wider, &agent), ["tools Read (agents/x)"]);
    }

    #[test]
    fn fewer_denials_are_an_increase() {
        let denies = |rules: &str| CapabilitySet {
            denied: ToolRule::parse_list(rules).into_iter().collect(),
            ..CapabilitySet::default()
        };
        assert_eq!(
            grants(&denies("Read(.env)"), &denies("Read(.env), Bash(rm:*)")),
            ["permission no longer denies Bash(rm:*)"]
        );
        assert!(grants(&denies("Bash"), &denies("Bash(rm:*)")).is_empty());
    }

    #[test]
    fn longer_instructions_are_not_increase_and_new_ones_are() {
        let instructs = |size| CapabilitySet {
            instructs: BTreeMap::from([("AGENTS.md".to_owned(), size)]),
            ..CapabilitySet::default()
        };
        assert!(grants(&instructs(900), &instructs(10)).is_empty());
        assert_eq!(
            grants(&instructs(1), &CapabilitySet::default()),
            ["instructs AGENTS.md"]
        );
    }
}
