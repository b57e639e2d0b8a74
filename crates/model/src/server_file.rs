//! The formats in which authors write MCP servers to a JSON file.

use agpm_text::Value;
use agpm_tools::{REFERENCE_TOOL, server_formats};

/// Keys under which tools keep their servers, in search order: the reference's first, which no server is named after,
/// then the table from its end, because the early ones are common words.
fn wrappers() -> impl Iterator<Item = &'static str> {
    let others = server_formats().rev().map(|format| format.key);
    reference_wrapper().into_iter().chain(others)
}

fn reference_wrapper() -> Option<&'static str> {
    let servers = REFERENCE_TOOL.servers.as_ref();
    servers.map(|servers| servers.format.key)
}

/// Keys next to servers that belong to the file and not to a server.
const FILE_KEYS: [&str; 4] = ["$schema", "inputs", "dependencies", "agpm"];

/// A file with MCP servers, by its format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ServerFile<'v> {
    /// Named servers under a key.
    Wrapped {
        /// The key.
        key: &'static str,
        /// The servers under it.
        servers: &'v Value,
    },
    /// Named servers without a key around them.
    Bare(&'v Value),
    /// A single server without a name.
    Single(&'v Value),
}

impl<'v> ServerFile<'v> {
    /// Detects the format of a file.
    pub fn of(root: &'v Value) -> Self {
        let wrapper = wrappers().find_map(|key| Some((key, root.get(key)?)));
        match wrapper {
            // A server may be named like a wrapper.
            Some((key, servers))
                if reference_wrapper() == Some(key) || !is_server(servers) && !is_server(root) =>
            {
                ServerFile::Wrapped { key, servers }
            }
            _ if is_bare(root) => ServerFile::Bare(root),
            _ => ServerFile::Single(root),
        }
    }

    /// Whether a key next to servers belongs to the file.
    pub fn is_file_key(key: &str) -> bool {
        FILE_KEYS.contains(&key)
    }
}

/// Whether a value states how to reach a server.
fn is_server(value: &Value) -> bool {
    let urls = server_formats().map(|format| format.urls.http);
    urls.chain(["command"]).any(|key| value.get(key).is_some())
}

fn is_bare(root: &Value) -> bool {
    let Value::Map(entries) = root else {
        return false;
    };
    let mut servers = entries
        .iter()
        .filter(|(key, _)| !FILE_KEYS.contains(&key.as_str()))
        .peekable();
    servers.peek().is_some()
        && servers.all(|(_, value)| matches!(value, Value::Map(_)) && is_server(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(root: &Value) -> &'static str {
        match ServerFile::of(root) {
            ServerFile::Wrapped { key, .. } => key,
            ServerFile::Bare(_) => "bare",
            ServerFile::Single(_) => "single",
        }
    }

    #[test]
    fn shapes_are_recognized() {
        let server = || Value::map([("command", Value::from("x"))]);
        let named = |name: &'static str| Value::map([(name, server())]);
        assert_eq!(shape(&server()), "single");
        assert_eq!(shape(&named("github")), "bare");
        assert_eq!(shape(&named("mcp")), "bare");
        assert_eq!(
            shape(&Value::map([
                ("env", server()),
                ("command", Value::from("x"))
            ])),
            "single"
        );
        for key in wrappers() {
            assert_eq!(
                shape(&Value::map([
                    (key, named("a")),
                    ("inputs", Value::from("x"))
                ])),
                key
            );
        }
        assert_eq!(
            shape(&Value::map([("a", server()), ("b", Value::from("x"))])),
            "single"
        );
        assert_eq!(shape(&Value::Map(Vec::new())), "single");
    }
}
