//! Capability sets in lockfiles: one string for each capability, for readable diffs.

use std::collections::BTreeSet;

use agpm_model::{Checksum, Owner, ResourceType};

use crate::capability_set::{
    CapabilityIncrease, CapabilityName, CapabilitySet, PartCapabilities, RunCommand, ToolAccess,
};
use crate::tool_rule::ToolRule;

/// An empty list of tools.
const NO_TOOLS: &str = "none";

impl CapabilitySet {
    /// The set as a lockfile has it: sorted, without secrets.
    pub fn to_locked(&self) -> Vec<String> {
        let mut lines = BTreeSet::new();
        let mut add = |name: CapabilityName, value: &str| {
            lines.insert(format!("{name} {value}"));
        };
        // Whatever is not a rule of tools is an increase over nothing.
        let others = CapabilitySet {
            tools: None,
            granted: BTreeSet::new(),
            parts: Default::default(),
            ..self.clone()
        };
        for CapabilityIncrease { capability, value } in
            others.increases_over(&CapabilitySet::default())
        {
            add(capability, &value);
        }
        for rule in tool_lines(self.tools.as_ref()) {
            add(CapabilityName::Tools, &rule);
        }
        for rule in &self.granted {
            add(CapabilityName::Tools, &rule.to_string());
        }
        for rule in &self.denied {
            add(CapabilityName::Denies, &rule.to_string());
        }
        for rule in &self.asks {
            add(CapabilityName::Asks, &rule.to_string());
        }
        for protection in &self.protections {
            add(CapabilityName::Protects, protection);
        }
        for (part, capabilities) in &self.parts {
            for rule in tool_lines(capabilities.tools.as_ref()) {
                add(CapabilityName::Tools, &format!("{rule} ({part})"));
            }
            for mode in &capabilities.permission {
                add(CapabilityName::Permission, &format!("{mode} ({part})"));
            }
            for rule in &capabilities.denied {
                add(CapabilityName::Denies, &format!("{rule} ({part})"));
            }
        }
        lines.into_iter().collect()
    }

    /// The set that a lockfile has for an id. Capabilities that only a newer program knows are left out, so it
    /// has to be approved again.
    pub fn from_locked(id: &Owner, lines: &[String]) -> Self {
        let mut set = CapabilitySet::default_of(id);
        let limits = id.resource().map(|id| id.kind);
        for line in lines {
            let Some((name, value)) = line.split_once(' ') else {
                continue;
            };
            let value = value.to_owned();
            match CapabilityName::of_word(name) {
                Some(CapabilityName::Runs) => {
                    set.runs.insert(RunCommand {
                        command: value,
                        event: None,
                    });
                }
                Some(CapabilityName::Connects) => drop(set.connects.insert(value)),
                Some(CapabilityName::Env) => drop(set.env.insert(value)),
                Some(CapabilityName::Instructs) => drop(set.instructs.insert(value, 0)),
                Some(CapabilityName::Sets) => drop(set.sets.insert(value)),
                Some(CapabilityName::Asks) => drop(set.asks.insert(ToolRule::parse(&value))),
                Some(CapabilityName::Protects) => drop(set.protections.insert(value)),
                Some(name) => set.add_rule(name, &value, limits),
                None => {}
            }
        }
        set
    }

    /// Adds what a line says about tools, of the whole resource or of one part.
    fn add_rule(&mut self, name: CapabilityName, value: &str, kind: Option<ResourceType>) {
        if let Some((value, part)) = of_part(value) {
            let of_part = self.parts.entry(part.to_owned()).or_default();
            let PartCapabilities {
                tools,
                permission,
                denied,
            } = of_part;
            match name {
                CapabilityName::Tools => add_listed(tools, value),
                CapabilityName::Permission => drop(permission.insert(value.to_owned())),
                _ => drop(denied.insert(ToolRule::parse(value))),
            }
            return;
        }
        let has_list = matches!(
            kind,
            Some(ResourceType::Agents | ResourceType::Skills | ResourceType::Commands)
        );
        match name {
            CapabilityName::Tools if has_list => add_listed(&mut self.tools, value),
            CapabilityName::Tools => drop(self.granted.insert(ToolRule::parse(value))),
            CapabilityName::Permission => drop(self.permission.insert(value.to_owned())),
            _ => drop(self.denied.insert(ToolRule::parse(value))),
        }
    }

    /// The digest that older programs locked instead of the set.
    pub fn older_digest(&self) -> Checksum {
        let mut lines: Vec<String> = Vec::new();
        let mut add = |name: &str, value: &str| {
            // A line break in a value must not look like another line.
            lines.push(format!("{name} {value:?}\n"));
        };
        self.runs
            .iter()
            .for_each(|run| add("runs", &run.to_string()));
        self.connects.iter().for_each(|host| add("connects", host));
        if let Some(ToolAccess::Listed(rules)) = &self.tools {
            add("tools", "");
            rules.iter().for_each(|rule| add("tool", &rule.to_string()));
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

/// One line for each rule of a list; no line where nothing is limited.
fn tool_lines(tools: Option<&ToolAccess>) -> Vec<String> {
    match tools {
        Some(ToolAccess::Listed(rules)) if rules.is_empty() => vec![NO_TOOLS.to_owned()],
        Some(ToolAccess::Listed(rules)) => rules.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}

fn add_listed(tools: &mut Option<ToolAccess>, value: &str) {
    if !matches!(tools, Some(ToolAccess::Listed(_))) {
        *tools = Some(ToolAccess::Listed(BTreeSet::new()));
    }
    if let Some(ToolAccess::Listed(rules)) = tools
        && value != NO_TOOLS
    {
        rules.insert(ToolRule::parse(value));
    }
}

/// A value and the part that it belongs to: `Bash (agents/x)`.
fn of_part(value: &str) -> Option<(&str, &str)> {
    let (value, part) = value.strip_suffix(')')?.rsplit_once(" (")?;
    CapabilitySet::type_of_part(part)?;
    Some((value, part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_model::{ResourceId, ResourceName};

    fn id(kind: ResourceType) -> Owner {
        Owner::from(ResourceId {
            kind,
            name: ResourceName::new("x").expect("a good name"),
        })
    }

    fn listed(rules: &str) -> Option<ToolAccess> {
        let rules = ToolRule::parse_list(rules).into_iter().collect();
        Some(ToolAccess::Listed(rules))
    }

    #[test]
    fn a_locked_set_reads_as_the_diff_prints_it() {
        let set = CapabilitySet {
            runs: BTreeSet::from([RunCommand {
                command: "curl x | sh".to_owned(),
                event: Some("PreToolUse".to_owned()),
            }]),
            connects: BTreeSet::from(["api.corp".to_owned()]),
            tools: listed("Read, Bash(git:*)"),
            permission: BTreeSet::from(["acceptEdits".to_owned()]),
            denied: BTreeSet::from([ToolRule::parse("Write")]),
            env: BTreeSet::from(["TOKEN".to_owned()]),
            sets: BTreeSet::from(["a.b = true".to_owned()]),
            ..CapabilitySet::default()
        };
        assert_eq!(
            set.to_locked(),
            [
                "connects api.corp",
                "denies Write",
                "env TOKEN",
                "permission acceptEdits",
                "runs curl x | sh (PreToolUse)",
                "sets a.b = true",
                "tools Bash(git:*)",
                "tools Read",
            ]
        );
    }

    #[test]
    fn what_is_locked_is_neither_more_nor_less() {
        let agent = CapabilitySet {
            tools: listed(""),
            permission: BTreeSet::from(["Bash without asking".to_owned()]),
            ..CapabilitySet::default()
        };
        let skill = CapabilitySet {
            tools: listed("Bash(git diff a, b), Read"),
            env: BTreeSet::from(["A".to_owned()]),
            ..CapabilitySet::default()
        };
        let plugin = CapabilitySet {
            granted: BTreeSet::from([ToolRule::parse("mcp__db")]),
            ..agent.clone().in_part("agents/a")
        };
        for (kind, set) in [
            (ResourceType::Agents, agent),
            (ResourceType::Skills, skill),
            (ResourceType::Plugins, plugin),
        ] {
            let id = id(kind);
            let read = CapabilitySet::from_locked(&id, &set.to_locked());
            assert_eq!(read.to_locked(), set.to_locked());
            assert_eq!(read.increases_over(&set), []);
            assert_eq!(set.increases_over(&read), []);
        }
    }
}
