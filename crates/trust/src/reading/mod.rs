//! Reads what a file lets a tool do, as its tool would read it.
//!
//! The meaning of each key is a row of a table in `agpm_tools`. Unreadable content is judged by the most that it
//! could mean, never as empty.

mod commands;
mod config;
mod effects;
mod front_matter;
mod hooks;
mod inline;
mod keys;
mod scripts;
mod servers;

use std::collections::BTreeSet;

use agpm_model::ResourceType;
use agpm_text::Pointer;

use crate::capability::{Capability, CapabilityKind};
use crate::capability_set::{CapabilitySet, RunCommand, ToolAccess, UNASKED};
use crate::host::{ServerHost, host_of};
use crate::tool_rule::ToolRule;

pub use config::{read_config, read_config_value, read_foreign_config};
pub use front_matter::{read_resource, unreadable, with_readable_front_matter};
pub use hooks::read_hooks;
pub use scripts::is_script;
pub use servers::read_servers;

/// The capabilities of a file.
#[derive(Clone, Debug, Default)]
pub struct CapabilityReading {
    /// Everything that runs, connects or removes a protection, in the order of the file.
    pub found: Vec<Capability>,
    /// All of it as a set.
    pub set: CapabilitySet,
}

impl CapabilityReading {
    /// The commands and URLs, each once.
    pub fn runs(&self) -> Vec<String> {
        let mut values = Vec::new();
        for one in &self.found {
            let is_run = matches!(one.kind, CapabilityKind::Runs | CapabilityKind::Connects);
            if is_run && !values.contains(&one.value) {
                values.push(one.value.clone());
            }
        }
        values
    }
}

/// Collects capabilities while a file is read.
struct CapabilityReader {
    /// The type of the resource; `None` for a configuration file.
    kind: Option<ResourceType>,
    reading: CapabilityReading,
    seen: BTreeSet<(&'static str, String, Option<String>)>,
}

impl CapabilityReader {
    fn new(kind: Option<ResourceType>) -> Self {
        CapabilityReader {
            kind,
            reading: CapabilityReading::default(),
            seen: BTreeSet::new(),
        }
    }

    fn finish(self) -> CapabilityReading {
        self.reading
    }

    fn set(&mut self) -> &mut CapabilitySet {
        &mut self.reading.set
    }

    fn find(&mut self, kind: CapabilityKind, value: &str, event: Option<&str>, at: &Pointer) {
        let event = event.map(str::to_owned);
        if self
            .seen
            .insert((kind.word(), value.to_owned(), event.clone()))
        {
            self.reading.found.push(Capability {
                kind,
                value: value.to_owned(),
                event,
                pointer: at.clone(),
            });
        }
    }

    fn runs(&mut self, command: &str, event: Option<&str>, at: &Pointer) {
        if command.trim().is_empty() {
            return;
        }
        self.find(CapabilityKind::Runs, command, event, at);
        self.set().runs.insert(RunCommand {
            command: command.to_owned(),
            event: event.map(str::to_owned),
        });
    }

    fn connects(&mut self, url: &str, event: Option<&str>, at: &Pointer) {
        self.find(CapabilityKind::Connects, url, event, at);
        match host_of(url) {
            ServerHost::Known(host) => drop(self.set().connects.insert(host)),
            ServerHost::Unknown => {
                self.set().unknown_hosts.insert(url.to_owned());
                self.set().connects.insert(url.to_owned());
            }
        }
    }

    fn permission(&mut self, mode: &str, at: &Pointer) {
        self.find(CapabilityKind::Permission, mode, None, at);
        self.set().permission.insert(mode.to_owned());
    }

    fn sets(&mut self, key: &str, value: &str, at: &Pointer) {
        let line = format!("{key} = {value}");
        self.find(CapabilityKind::Sets, &line, None, at);
        self.set().sets.insert(line);
    }

    /// Tools that may be used without asking.
    fn grant(&mut self, rules: BTreeSet<ToolRule>) {
        match self.kind {
            // The list of an agent limits it, so what it may use without asking is kept apart.
            Some(ResourceType::Agents) => {
                let modes = rules.iter().map(|rule| format!("{rule}{UNASKED}"));
                self.set().permission.extend(modes);
            }
            Some(ResourceType::Skills | ResourceType::Commands) => {
                let listed = ToolAccess::Listed(rules);
                let tools = &mut self.set().tools;
                *tools = match tools.take() {
                    Some(ToolAccess::Listed(mut before)) => {
                        if let ToolAccess::Listed(rules) = listed {
                            before.extend(rules);
                        }
                        Some(ToolAccess::Listed(before))
                    }
                    _ => Some(listed),
                };
            }
            _ => self.set().granted.extend(rules),
        }
    }

    /// The only tools that may be used.
    fn limit(&mut self, rules: BTreeSet<ToolRule>) {
        if self.kind != Some(ResourceType::Agents) {
            return self.grant(rules);
        }
        let tools = &mut self.set().tools;
        // A client reads one of several lists, and which one is not known.
        *tools = Some(match tools.take() {
            Some(ToolAccess::Listed(mut before)) => {
                before.extend(rules);
                ToolAccess::Listed(before)
            }
            _ => ToolAccess::Listed(rules),
        });
    }

    /// Reads something of another type in the same file, and takes it in.
    fn nested(&mut self, part: &str, read: impl FnOnce(&mut CapabilityReader)) {
        let kind = CapabilitySet::type_of_part(part);
        let mut inner = CapabilityReader::new(kind);
        read(&mut inner);
        let CapabilityReading { found, set } = inner.finish();
        for one in found {
            let event = one.event.as_deref();
            self.find(one.kind, &one.value, event, &one.pointer);
        }
        self.set().absorb(set.in_part(part));
    }
}
