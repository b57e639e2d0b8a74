//! Reads the value of a key by the effect in its row.

use std::collections::BTreeSet;

use agpm_text::{Pointer, Value};
use agpm_tools::{FRONT_MATTER_KEYS, HARMLESS_VARIABLES, KeyEffect, REFERENCE_TOOLS, ToolReach};

use super::CapabilityReader;
use super::commands::{command_line, command_of};
use super::keys::{KeyPlace, UnknownKeys, is_empty, shown_value};
use crate::server_command::ServerCommand;
use crate::tool_rule::ToolRule;

impl CapabilityReader {
    pub(super) fn apply(&mut self, effect: KeyEffect, value: &Value, place: &KeyPlace<'_>) {
        let at = place.at;
        match effect {
            KeyEffect::Harmless => {}
            // Without a value the tool behaves as if the key was absent.
            _ if matches!(value, Value::Null) => {}
            KeyEffect::Program => {
                let arguments = place.siblings.iter().find(|(key, _)| key == "args");
                let line = match value {
                    Value::Map(_) => command_of(value),
                    value => command_line(value, arguments.map(|(_, arguments)| arguments)),
                };
                self.command(line, value, place);
            }
            KeyEffect::Runs => self.command(command_of(value), value, place),
            KeyEffect::Hooks => self.declared(value, place, |reader| reader.hooks(value, None, at)),
            KeyEffect::Servers => self.declared(value, place, |reader| reader.servers(value, at)),
            KeyEffect::Packages => self.packages(value, place),
            KeyEffect::Connects => match strings(value) {
                Some(urls) => urls
                    .iter()
                    .for_each(|url| self.connects(url, place.event, at)),
                None => self.unknown(value, at),
            },
            KeyEffect::Variables | KeyEffect::VariableNames | KeyEffect::Headers => {
                self.variables(effect, value, at);
            }
            KeyEffect::Environment => self.environment(value, at),
            KeyEffect::Allows => match rules_of(value) {
                Some(rules) => self.grant(rules),
                None => self.unknown(value, at),
            },
            KeyEffect::Denies => match rules_of(value) {
                Some(rules) => self.set().denied.extend(rules),
                None => self.unknown(value, at),
            },
            KeyEffect::Asks => match rules_of(value) {
                Some(rules) => self.set().asks.extend(rules),
                None => self.unknown(value, at),
            },
            KeyEffect::Protects => {
                let key = at.steps().join(".");
                let line = format!("{key} = {}", shown_value(None, value));
                self.set().protections.insert(line);
            }
            KeyEffect::Limits => self.limits(value),
            KeyEffect::ReadOnly => {
                if *value == Value::Bool(true) {
                    self.limit_to_reading();
                }
            }
            KeyEffect::AllowsOfServer | KeyEffect::LimitsOfServer | KeyEffect::DeniesOfServer => {
                self.server_tools(effect, value, place);
            }
            KeyEffect::Permissions => self.permissions(value),
            KeyEffect::Mode(careful) => self.mode(value, careful, at),
            KeyEffect::Unprotects(when) => self.switch(value, when, at),
            KeyEffect::Instructs => self.always_read(value, at),
            KeyEffect::Agents => self.agents(value, at),
            KeyEffect::Commands => self.templates(value, at),
        }
    }

    fn command(&mut self, line: Option<String>, value: &Value, place: &KeyPlace<'_>) {
        match (line, value) {
            (Some(line), _) => {
                if place.server.is_some() {
                    let arguments = place.siblings.iter().find(|(key, _)| key == "args");
                    let words = ServerCommand::of_values(value, arguments.map(|(_, value)| value));
                    self.set().server_commands.extend(words);
                }
                self.runs(&line, place.event, place.at);
                if let Some(env) = value.get("env") {
                    self.variables(KeyEffect::Variables, env, place.at);
                }
            }
            // Several commands for one key: each with its own keys.
            (None, Value::List(_) | Value::Map(_)) => {
                let before = self.reading.found.len();
                self.hooks(value, place.event, place.at);
                if self.reading.found.len() == before && !is_empty(value) {
                    self.unknown(value, place.at);
                }
            }
            (None, Value::String(_)) => {}
            (None, _) => self.unknown(value, place.at),
        }
    }

    /// Reads hooks or servers. A value that has none of them is shown as it is.
    fn declared(
        &mut self,
        value: &Value,
        place: &KeyPlace<'_>,
        read: impl FnOnce(&mut CapabilityReader),
    ) {
        let before = self.reading.found.len();
        read(self);
        if self.reading.found.len() == before && !is_empty(value) {
            let key = place
                .at
                .steps()
                .last()
                .map(String::as_str)
                .unwrap_or_default();
            let line = format!("{key}: {}", shown_value(None, value));
            self.runs(&line, place.event, place.at);
        }
    }

    fn packages(&mut self, value: &Value, place: &KeyPlace<'_>) {
        let Value::List(items) = value else {
            return self.unknown(value, place.at);
        };
        for item in items {
            // A package may be in a list with its options.
            let name = match item {
                Value::List(parts) => parts.first().and_then(Value::as_str),
                other => other.as_str(),
            };
            match name {
                Some(name) => self.runs(&format!("package {name}"), place.event, place.at),
                None => self.unknown(item, place.at),
            }
        }
    }

    pub(super) fn variables(&mut self, effect: KeyEffect, value: &Value, at: &Pointer) {
        let names: Vec<String> = match (effect, value) {
            (KeyEffect::Headers, Value::Map(entries)) => entries
                .iter()
                .filter_map(|(_, header)| header.as_str())
                .flat_map(referenced_variables)
                .collect(),
            (KeyEffect::Headers, Value::String(path)) => referenced_variables(path),
            (KeyEffect::Variables, Value::Map(entries)) => {
                entries.iter().map(|(name, _)| name.clone()).collect()
            }
            (KeyEffect::VariableNames, Value::Map(entries)) => entries
                .iter()
                .filter_map(|(_, name)| name.as_str().map(str::to_owned))
                .collect(),
            (_, Value::List(items)) => items.iter().filter_map(variable_name).collect(),
            (_, Value::String(name)) => vec![name.clone()],
            _ => return self.unknown(value, at),
        };
        self.set().env.extend(names);
    }

    /// Variables of the tool itself change what it runs, trusts or reaches, so their values count.
    fn environment(&mut self, value: &Value, at: &Pointer) {
        let Value::Map(entries) = value else {
            return self.unknown(value, at);
        };
        for (name, value) in entries {
            if !HARMLESS_VARIABLES.contains(&name.as_str()) {
                self.unknown(value, &at.child(name));
            }
        }
    }

    fn limits(&mut self, value: &Value) {
        match value {
            // OpenCode: each tool with whether it may be used.
            Value::Map(entries) => {
                let is_flag = |(_, flag): &(String, Value)| matches!(flag, Value::Bool(_));
                if !entries.iter().all(is_flag) {
                    return self.permissions(value);
                }
                let with = |flag: bool| {
                    let chosen = entries
                        .iter()
                        .filter(move |(_, value)| *value == Value::Bool(flag));
                    chosen
                        .flat_map(|(tool, _)| ToolRule::parse(tool).in_reference_words())
                        .collect::<BTreeSet<ToolRule>>()
                };
                let denied = with(false);
                if denied.contains(&ToolRule::parse("*")) {
                    return self.limit(with(true));
                }
                self.set().denied.extend(denied);
            }
            // No limit is stated.
            Value::String(text) if text.trim().is_empty() => {}
            value => {
                if let Some(rules) = rules_of(value) {
                    self.limit(rules);
                }
            }
        }
    }

    fn limit_to_reading(&mut self) {
        let looks = REFERENCE_TOOLS
            .iter()
            .filter(|tool| tool.reach == ToolReach::Looks);
        self.limit(looks.map(|tool| ToolRule::parse(tool.names[0])).collect());
    }

    fn server_tools(&mut self, effect: KeyEffect, value: &Value, place: &KeyPlace<'_>) {
        let server = place.server.unwrap_or_default();
        let rule = |tool: &str| match tool {
            "*" => ToolRule::parse(&format!("mcp__{server}")),
            tool => ToolRule::parse(&format!("mcp__{server}__{tool}")),
        };
        let rules: BTreeSet<ToolRule> = match (effect, value) {
            (KeyEffect::AllowsOfServer, Value::Bool(true)) => BTreeSet::from([rule("*")]),
            (KeyEffect::AllowsOfServer, Value::Bool(false)) => return,
            _ => match strings(value) {
                Some(tools) => tools.iter().map(|tool| rule(tool)).collect(),
                None => return self.unknown(value, place.at),
            },
        };
        match effect {
            KeyEffect::AllowsOfServer => self.grant(rules),
            KeyEffect::DeniesOfServer => self.set().denied.extend(rules),
            _ => {
                let is_all = rules.contains(&rule("*"));
                if !is_all {
                    let part = format!("mcp-servers/{server}");
                    self.set().limit_part(&part, rules);
                }
            }
        }
    }

    /// `{ "bash": "allow", "edit": { "*.md": "deny" } }`, or one answer for everything.
    fn permissions(&mut self, value: &Value) {
        if let Value::List(rules) = value {
            return rules.iter().for_each(|rule| self.permission_rule(rule));
        }
        let everything = [("*".to_owned(), value.clone())];
        let entries: &[(String, Value)] = match value {
            Value::Map(entries) => entries,
            _ => &everything,
        };
        for (tool, value) in entries {
            let every_use = [("*".to_owned(), value.clone())];
            let uses: &[(String, Value)] = match value {
                Value::Map(uses) => uses,
                _ => &every_use,
            };
            for (pattern, answer) in uses {
                let rule = match pattern.as_str() {
                    "*" => tool.clone(),
                    pattern => format!("{tool}({pattern})"),
                };
                let rules = ToolRule::parse(&rule).in_reference_words();
                match answer {
                    Value::Bool(true) => self.grant(rules.into_iter().collect()),
                    Value::Bool(false) => self.set().denied.extend(rules),
                    answer => match answer.as_str() {
                        Some("allow") => self.grant(rules.into_iter().collect()),
                        Some("deny") => self.set().denied.extend(rules),
                        _ => {}
                    },
                }
            }
        }
    }

    /// `{ "tool": "Bash", "action": "allow" }`. The limit in a rule is not understood, so the rule means every use.
    fn permission_rule(&mut self, rule: &Value) {
        let tool = rule.get("tool").and_then(Value::as_str);
        let rules = ToolRule::parse(tool.unwrap_or("*")).in_reference_words();
        let action = rule.get("action").and_then(Value::as_str);
        match action.unwrap_or_default() {
            "ask" => self.set().asks.extend(rules),
            "reject" if rule.get("matches").is_none() => self.set().denied.extend(rules),
            "reject" => {}
            _ => self.grant(rules.into_iter().collect()),
        }
        if let Some(program) = rule.get("to").and_then(Value::as_str) {
            self.runs(program, None, &Pointer::root());
        }
    }

    fn mode(&mut self, value: &Value, careful: &[&str], at: &Pointer) {
        match value.as_str() {
            Some(mode) if careful.contains(&mode) => {}
            Some(mode) => self.permission(mode, at),
            None => self.unknown(value, at),
        }
    }

    fn switch(&mut self, value: &Value, unprotects: bool, at: &Pointer) {
        let key = at.steps().join(".");
        match value {
            Value::Bool(on) if *on != unprotects => {
                if !unprotects {
                    self.set().protections.insert(key);
                }
            }
            Value::Bool(true) => self.permission(&key, at),
            Value::Bool(false) => {
                let protection = key.strip_suffix(".enabled").unwrap_or(&key);
                self.permission(&format!("{protection} off"), at);
            }
            other => self.unknown(other, at),
        }
    }

    fn always_read(&mut self, value: &Value, at: &Pointer) {
        match value {
            Value::List(items) => {
                for text in items.iter().filter_map(Value::as_str) {
                    self.set().instructs.insert(text.to_owned(), text.len());
                }
            }
            Value::String(text) => {
                let key = at.steps().join(".");
                self.set().instructs.insert(key, text.len());
            }
            other => self.unknown(other, at),
        }
    }

    fn agents(&mut self, value: &Value, at: &Pointer) {
        let Value::Map(agents) = value else {
            return self.unknown(value, at);
        };
        for (name, agent) in agents {
            let at = at.child(name);
            self.nested(&format!("agents/{name}"), |reader| {
                let place = KeyPlace::top(&at);
                reader.read_keys(agent, FRONT_MATTER_KEYS, UnknownKeys::Free, &place);
            });
        }
    }

    fn templates(&mut self, value: &Value, at: &Pointer) {
        let Value::Map(commands) = value else {
            return self.unknown(value, at);
        };
        for (name, command) in commands {
            for key in ["template", "prompt"] {
                if let Some(text) = command.get(key).and_then(Value::as_str) {
                    self.inline_commands(text, super::inline::Prefix::Any, &at.child(name));
                }
            }
        }
    }
}

/// The rules of a list, or of a string that lists them, in the words of the reference; `None` for other values.
fn rules_of(value: &Value) -> Option<BTreeSet<ToolRule>> {
    let rules = match value {
        Value::String(text) => ToolRule::parse_list(text),
        Value::List(items) => {
            let texts = items.iter().filter_map(Value::as_str);
            texts.map(ToolRule::parse).collect()
        }
        // Of each, whether it is allowed: VS Code.
        Value::Map(entries) => {
            let is_on =
                |(_, value): &&(String, Value)| !matches!(value, Value::Bool(false) | Value::Null);
            let on = entries.iter().filter(is_on);
            on.map(|(text, _)| ToolRule::parse(text)).collect()
        }
        _ => return None,
    };
    let rules = rules.iter().flat_map(ToolRule::in_reference_words);
    Some(rules.collect())
}

/// The strings of a list, or the only one; `None` for other values.
fn strings(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::List(items) => {
            let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
            texts.collect()
        }
        _ => None,
    }
}

fn variable_name(item: &Value) -> Option<String> {
    let name = item.as_str().or_else(|| item.get("name")?.as_str())?;
    Some(name.to_owned())
}

/// The variables that a string refers to: `${NAME}`, `${env:NAME}`, `{env:NAME}`.
fn referenced_variables(text: &str) -> Vec<String> {
    let opened = text.split('{').skip(1);
    let name = |rest: &str| {
        let (inner, _) = rest.split_once('}')?;
        let inner = inner.strip_prefix("env:").unwrap_or(inner);
        // VS Code asks the user for it.
        if inner.starts_with("input:") {
            return None;
        }
        let name = inner.split([':', '-']).next().unwrap_or(inner);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
    };
    opened.filter_map(name).collect()
}
