//! MCP servers, in the forms of all tools.

use agpm_model::ResourceType;
use agpm_text::{Pointer, Value};
use agpm_tools::{COMMON_KEYS, KeyEffect, SERVER_KEYS};

use super::keys::{KeyPlace, UnknownKeys, is_empty, shown_value};
use super::{CapabilityReader, CapabilityReading};

/// The capabilities of a server resource: one server with this name, or several by name.
pub fn read_servers(name: &str, value: &Value) -> CapabilityReading {
    let mut reader = CapabilityReader::new(Some(ResourceType::McpServers));
    reader.server_file(name, value);
    reader.finish()
}

impl CapabilityReader {
    fn server_file(&mut self, name: &str, value: &Value) {
        let root = Pointer::root();
        let Value::Map(entries) = value else {
            return self.servers(value, &root);
        };
        if entries.iter().any(|(key, _)| starts_server(key)) {
            return self.server(name, value, &root);
        }
        for (key, inner) in entries {
            let at = root.child(key);
            if is_server_list(key) {
                self.servers(inner, &at);
            } else if matches!(inner, Value::Map(_)) {
                self.server(key, inner, &at);
            } else if !is_free(key) && !matches!(inner, Value::Null) {
                self.unknown(inner, &at);
            }
        }
    }

    /// Servers by name, or a list of servers and of names of servers.
    pub(super) fn servers(&mut self, value: &Value, at: &Pointer) {
        match value {
            Value::Map(servers) => {
                for (name, server) in servers {
                    self.server(name, server, &at.child(name));
                }
            }
            Value::List(items) => {
                for (number, item) in items.iter().enumerate() {
                    let at = at.child(number.to_string());
                    match item {
                        Value::Map(entries)
                            if entries.iter().any(|(key, _)| starts_server(key)) =>
                        {
                            let name = item.get("name").and_then(Value::as_str);
                            self.server(name.unwrap_or_default(), item, &at);
                        }
                        Value::Map(_) => self.servers(item, &at),
                        // A name of a server that is defined elsewhere is shown with the whole list.
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn server(&mut self, name: &str, value: &Value, at: &Pointer) {
        match value {
            Value::Map(_) => {
                let place = KeyPlace {
                    server: Some(name),
                    ..KeyPlace::top(at)
                };
                self.read_keys(value, SERVER_KEYS, UnknownKeys::NeedApproval, &place);
            }
            other if is_empty(other) => {}
            other => {
                let line = format!("{name}: {}", shown_value(None, other));
                self.runs(&line, None, at);
            }
        }
    }
}

/// Whether only one server has such a key, and no list of servers.
fn starts_server(key: &str) -> bool {
    let mut rows = SERVER_KEYS.iter();
    rows.any(|row| {
        row.path == key && matches!(row.effect, KeyEffect::Program | KeyEffect::Connects)
    })
}

fn is_server_list(key: &str) -> bool {
    let mut rows = COMMON_KEYS.iter();
    rows.any(|row| row.path == key && row.effect == KeyEffect::Servers)
}

fn is_free(key: &str) -> bool {
    let mut rows = COMMON_KEYS.iter().chain(SERVER_KEYS);
    rows.any(|row| row.path == key && row.effect == KeyEffect::Harmless)
}
