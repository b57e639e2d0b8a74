//! Everything that one resource lets a tool do, and how two versions of it differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use agpm_model::{Checksum, Owner, ResourceType};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::tool_rule::ToolRule;

/// The tools that a resource may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolAccess {
    /// Every tool: an agent without `tools`.
    Unlimited,
    /// The tools of the session, for a skill without `allowed-tools`. Nothing is limited, and nothing is allowed
    /// without asking: replacing it by a list allows more in one way, and replacing a list by it allows more in the
    /// other.
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
            // Dropping the list is the largest increase there can be, although the file got shorter.
            (ToolAccess::Listed(before), ToolAccess::Unlimited | ToolAccess::Session) => {
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
    let is_new = |rule: &&ToolRule| !before.iter().any(|existing| existing.covers(rule));
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

/// Everything that one resource, or one layer, lets a tool do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CapabilitySet {
    /// Commands and files that are run.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub runs: BTreeSet<RunCommand>,
    /// The subset of the commands that start MCP servers.
    #[serde(skip)]
    pub server_commands: BTreeSet<String>,
    /// Hosts that are connected to.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub connects: BTreeSet<String>,
    /// The allowed tools; `None` for a resource without tools, such as a hook.
    #[serde(skip_serializing_if = "limits_nothing")]
    pub tools: Option<ToolAccess>,
    /// The tools of agents, skills and commands of a layer, by file: one set holds them all.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub file_tools: BTreeMap<String, ToolAccess>,
    /// The subset of the files that are agents.
    #[serde(skip)]
    pub agent_files: BTreeSet<String>,
    /// Tools that may be used without asking.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub granted: BTreeSet<ToolRule>,
    /// Modes in which a tool works without asking.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub permission: BTreeSet<String>,
    /// Forbidden tools; one entry less is a permission more.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub denied: BTreeSet<ToolRule>,
    /// Names of variables that a server or a hook receives.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub env: BTreeSet<String>,
    /// Bytes of text that a tool always reads, by file.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub instructs: BTreeMap<String, usize>,
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
}

impl fmt::Display for CapabilityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CapabilityName::Runs => "runs",
            CapabilityName::Connects => "connects",
            CapabilityName::Tools => "tools",
            CapabilityName::Permission => "permission",
            CapabilityName::Env => "env",
            CapabilityName::Instructs => "instructs",
        })
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
        let tools = match id.resource().map(|id| id.kind) {
            Some(ResourceType::Agents) => Some(ToolAccess::Unlimited),
            Some(ResourceType::Skills | ResourceType::Commands) => Some(ToolAccess::Session),
            _ => None,
        };
        CapabilitySet {
            tools,
            ..CapabilitySet::default()
        }
    }

    /// The digest for the lockfile; `None` for a set without capabilities.
    pub fn locked_digest(&self) -> Option<Checksum> {
        // Most resources have no capabilities; without a digest their lockfile entries stay as short as before.
        (!self.is_empty()).then(|| self.digest())
    }

    /// Whether a tool gets nothing to do from it. Free use of tools is what a resource has without saying so.
    pub fn is_empty(&self) -> bool {
        let harmless = CapabilitySet {
            tools: self.tools.clone(),
            file_tools: self.file_tools.clone(),
            agent_files: self.agent_files.clone(),
            ..CapabilitySet::default()
        };
        let mut access = self.file_tools.values().chain(&self.tools);
        *self == harmless && !access.any(|tools| matches!(tools, ToolAccess::Listed(_)))
    }

    /// The same set as one file of a layer, or one part of a plugin, has it.
    pub fn of_file(mut self, path: &str, kind: Option<ResourceType>) -> Self {
        if kind == Some(ResourceType::Agents) {
            self.agent_files.insert(path.to_owned());
        }
        let tools = self.tools.take();
        self.file_tools
            .extend(tools.map(|tools| (path.to_owned(), tools)));
        self
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
        for command in self.runs.difference(&before.runs) {
            add(CapabilityName::Runs, command.to_string());
        }
        for host in self.connects.difference(&before.connects) {
            add(CapabilityName::Connects, host.clone());
        }
        if let Some(new) = self.new_tools(before) {
            add(CapabilityName::Tools, new);
        }
        for (file, tools) in &self.file_tools {
            // A new file is compared with one without a statement: a list limits an agent, and grants a command or a
            // skill the use of tools without asking.
            let unstated = if self.agent_files.contains(file) {
                &ToolAccess::Unlimited
            } else {
                &ToolAccess::Session
            };
            // By file and not for the plugin as a whole: one agent that may do everything must not hide what
            // another one gains.
            let existing = before.file_tools.get(file).unwrap_or(unstated);
            if let Some(new) = tools.beyond(existing) {
                add(CapabilityName::Tools, format!("{new} ({file})"));
            }
        }
        let is_granted =
            |rule: &&ToolRule| !before.granted.iter().any(|existing| existing.covers(rule));
        for rule in self.granted.iter().filter(is_granted) {
            add(CapabilityName::Tools, rule.to_string());
        }
        for mode in self.permission.difference(&before.permission) {
            add(CapabilityName::Permission, mode.clone());
        }
        let is_kept = |rule: &&ToolRule| self.denied.iter().any(|common| common.covers(rule));
        // A denial that disappears is an increase too, and the easiest one to overlook in a diff.
        for rule in before.denied.iter().filter(|rule| !is_kept(rule)) {
            add(
                CapabilityName::Permission,
                format!("no longer denies {rule}"),
            );
        }
        for name in self.env.difference(&before.env) {
            add(CapabilityName::Env, name.clone());
        }
        // Longer instructions in a known file are not an increase: every edit would need an approval, and approvals
        // would become a habit.
        let is_new = |file: &&String| !before.instructs.contains_key(*file);
        for file in self.instructs.keys().filter(is_new) {
            add(CapabilityName::Instructs, file.clone());
        }
        found.sort();
        found
    }

    fn new_tools(&self, before: &CapabilitySet) -> Option<String> {
        match (&before.tools, &self.tools) {
            (Some(before), Some(after)) => after.beyond(before),
            _ => None,
        }
    }

    /// Adds what another part of the same resource may do.
    pub fn absorb(&mut self, other: CapabilitySet) {
        self.runs.extend(other.runs);
        self.server_commands.extend(other.server_commands);
        self.connects.extend(other.connects);
        self.tools = match (self.tools.take(), other.tools) {
            (Some(left), Some(right)) => Some(left.union(right)),
            (left, right) => left.or(right),
        };
        self.file_tools.extend(other.file_tools);
        self.agent_files.extend(other.agent_files);
        self.granted.extend(other.granted);
        self.permission.extend(other.permission);
        self.denied.extend(other.denied);
        self.env.extend(other.env);
        self.instructs.extend(other.instructs);
    }

    /// Sizes are left out: longer instructions are not increase.
    fn digest(&self) -> Checksum {
        // The digest in the lockfile is the approval. The set itself is not stored: it can be computed again from the
        // locked commit, and a set from anywhere else could be forged.
        let mut lines: Vec<String> = Vec::new();
        let mut add = |name: &str, value: &str| {
            // A line break in a value must not look like another line.
            lines.push(format!("{name} {value:?}\n"));
        };
        self.runs
            .iter()
            .for_each(|run| add("runs", &run.to_string()));
        self.connects.iter().for_each(|host| add("connects", host));
        match &self.tools {
            Some(ToolAccess::Listed(rules)) => {
                // An empty list allows nothing, which differs from no list. The line keeps the two digests apart.
                add("tools", "");
                rules.iter().for_each(|rule| add("tool", &rule.to_string()));
            }
            Some(ToolAccess::Unlimited | ToolAccess::Session) | None => {}
        }
        for (file, tools) in &self.file_tools {
            if let ToolAccess::Listed(rules) = tools {
                add("tools of", file);
                rules.iter().for_each(|rule| add("tool", &rule.to_string()));
            }
        }
        self.granted
            .iter()
            .for_each(|rule| add("granted", &rule.to_string()));
        self.permission
            .iter()
            .for_each(|mode| add("permission", mode));
        self.denied
            .iter()
            .for_each(|rule| add("denied", &rule.to_string()));
        self.env.iter().for_each(|name| add("env", name));
        self.instructs
            .keys()
            .for_each(|file| add("instructs", file));
        Checksum::of(lines.concat().as_bytes())
    }
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
        assert_eq!(grants(&session, &listed("Read")), ["all tools"]);
        assert_eq!(grants(&listed("Bash"), &session), ["tools Bash"]);
        assert_eq!(
            grants(&listed("Bash"), &listed("Bash(git:*)")),
            ["tools Bash"]
        );
    }

    #[test]
    fn tools_of_a_new_file_are_an_increase_where_they_are_granted() {
        let file = |set: CapabilitySet, kind| set.of_file("x.md", Some(kind));
        let nothing = CapabilitySet::default();
        let command = file(listed("Bash(*)"), ResourceType::Commands);
        assert_eq!(grants(&command, &nothing), ["tools Bash(*) (x.md)"]);
        // A list takes tools from an agent.
        let agent = file(listed("Bash(*)"), ResourceType::Agents);
        assert!(grants(&agent, &nothing).is_empty());
        assert!(grants(&file(unlimited(), ResourceType::Agents), &nothing).is_empty());
        let wider = file(listed("Bash(*), Read"), ResourceType::Agents);
        assert_eq!(grants(&wider, &agent), ["tools Read (x.md)"]);
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
        assert_eq!(instructs(900).digest(), instructs(10).digest());
        assert_eq!(
            grants(&instructs(1), &CapabilitySet::default()),
            ["instructs AGENTS.md"]
        );
    }

    #[test]
    fn values_cannot_pretend_to_be_others_in_the_digest() {
        let runs = |commands: &[&str]| CapabilitySet {
            runs: commands
                .iter()
                .map(|command| RunCommand {
                    command: (*command).to_owned(),
                    event: None,
                })
                .collect(),
            ..CapabilitySet::default()
        };
        assert_ne!(
            runs(&["a", "b"]).digest(),
            runs(&["a\"\nruns \"b"]).digest()
        );
    }
}
