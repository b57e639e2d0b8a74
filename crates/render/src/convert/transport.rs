//! A server as authors write it: its transport and settings.

use agpm_text::Value;
use agpm_tools::{ServerFormat, server_formats};

use super::outcome::ConvertError;
use super::parts::{entries, is_map, text_of, texts_of};

/// How to reach a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ServerTransport {
    /// A program to start.
    Local {
        /// The program.
        command: String,
        /// The arguments of the command.
        args: Vec<String>,
    },
    /// An HTTP URL.
    Http(String),
    /// A URL with server-sent events.
    Sse(String),
    /// A WebSocket URL.
    Socket(String),
}

/// A server, independent of the original format.
#[derive(Clone, Debug)]
pub(super) struct McpServer {
    pub(super) transport: ServerTransport,
    /// Environment variables of the program.
    pub(super) env: Vec<(String, String)>,
    /// Headers of HTTP requests.
    pub(super) headers: Vec<(String, String)>,
    pub(super) directory: Option<String>,
    pub(super) state: ServerState,
    /// All other keys.
    pub(super) rest: Vec<(String, Value)>,
}

/// Whether a server is enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ServerState {
    On,
    Off,
}

/// Keys with the same meaning in all formats.
const COMMON_KEYS: [&str; 8] = [
    "type", "command", "args", "url", "headers", "cwd", "enabled", "disabled",
];

/// Whether a key is read into a field of [`McpServer`].
pub(super) fn is_read(key: &str) -> bool {
    COMMON_KEYS.contains(&key)
        || server_formats().any(|format| key == format.env || key == format.urls.http)
}

/// The key of a server's HTTP URL in some tool's format.
pub(super) fn http_key(server: &Value) -> Option<&'static str> {
    let mut keys = server_formats().map(|format| format.urls.http);
    keys.find(|key| *key != "url" && server.get(key).is_some())
}

/// The key of a server's environment.
pub(super) fn env_key(server: &Value) -> &'static str {
    let mut keys = server_formats().map(|format| format.env);
    keys.find(|key| server.get(key).is_some()).unwrap_or("env")
}

/// Whether a server is in the format of a tool with one list for a command line. Others have `type: local` too, with a
/// string as the command.
pub(super) fn is_command_list(server: &Value) -> bool {
    let kind = server.get("type").and_then(Value::as_str);
    matches!(server.get("command"), Some(Value::List(_))) || kind == Some("remote")
}

/// Whether a tool with one list for a command line accepts a server as written.
pub(super) fn is_valid_list(format: &ServerFormat, server: &Value) -> bool {
    let is = |key: &str, fits: fn(&Value) -> bool| server.get(key).is_none_or(fits);
    let flag = |value: &Value| matches!(value, Value::Bool(_));
    let text = |value: &Value| value.as_str().is_some();
    let texts = |value: &Value| {
        is_map(value)
            && entries(value)
                .iter()
                .all(|(_, text)| text.as_str().is_some())
    };
    let count = |value: &Value| {
        value
            .to_json()
            .trim()
            .parse::<u64>()
            .is_ok_and(|count| count > 0)
    };
    let oauth = |value: &Value| is_map(value) || *value == Value::Bool(false);
    let words = |value: &Value| matches!(value, Value::List(words) if words.iter().all(|word| word.as_str().is_some()));
    let shared = is("enabled", flag) && is("timeout", count);
    let kind = server.get("type").and_then(Value::as_str);
    if kind.is_none() {
        false
    } else if kind == format.types.local {
        let command = server.get("command").is_some_and(words);
        shared && command && is("cwd", text) && is(format.env, texts)
    } else {
        let url = server.get(format.urls.http).is_some_and(text);
        let is_remote = kind == format.types.http && url;
        shared && is_remote && is("headers", texts) && is("oauth", oauth)
    }
}

impl McpServer {
    pub(super) fn read(name: &str, value: &Value) -> Result<Self, ConvertError> {
        let reader = ServerReader { name, value };
        if !is_map(value) {
            return Err(reader.wrong(
                "is not an object",
                "write `{\"command\": \"npx\", \"args\": […]}`",
            ));
        }
        let rest = entries(value).iter().filter(|(key, _)| !is_read(key));
        Ok(McpServer {
            transport: reader.transport()?,
            env: reader.texts(env_key(value))?,
            headers: reader.texts("headers")?,
            directory: value.get("cwd").and_then(text_of),
            state: reader.state(),
            rest: rest.cloned().collect(),
        })
    }
}

struct ServerReader<'a> {
    name: &'a str,
    value: &'a Value,
}

impl ServerReader<'_> {
    fn wrong(&self, problem: &str, help: &'static str) -> ConvertError {
        ConvertError::new(format!("the server `{}` {problem}", self.name), help)
    }

    fn state(&self) -> ServerState {
        let is = |key: &str, expected: bool| matches!(self.value.get(key), Some(Value::Bool(found)) if *found == expected);
        if is("enabled", false) || is("disabled", true) {
            ServerState::Off
        } else {
            ServerState::On
        }
    }

    fn transport(&self) -> Result<ServerTransport, ConvertError> {
        let text = |key: &str| {
            self.value
                .get(key)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
        };
        let kind = text("type").unwrap_or_default();
        if self.value.get("command").is_some() {
            return self.local();
        }
        match (http_key(self.value).and_then(text), text("url"), kind) {
            (Some(url), ..) => Ok(ServerTransport::Http(url.to_owned())),
            (None, Some(url), "sse") => Ok(ServerTransport::Sse(url.to_owned())),
            (None, Some(url), "ws" | "websocket") => Ok(ServerTransport::Socket(url.to_owned())),
            (None, Some(url), _) => Ok(ServerTransport::Http(url.to_owned())),
            (None, None, _) => Err(self.wrong(
                "has no `command` and no `url`",
                "write `\"command\": \"npx\"` with its `args`, or `\"url\": \"https://…\"`",
            )),
        }
    }

    fn local(&self) -> Result<ServerTransport, ConvertError> {
        let help = "write `\"command\": \"npx\", \"args\": [\"-y\", \"…\"]`";
        let args = self.value.get("args").map_or(Some(Vec::new()), texts_of);
        let Some(mut args) = args else {
            return Err(self.wrong("has `args` that are not a list of strings", help));
        };
        let command = match self.value.get("command") {
            Some(Value::String(command)) => Some(command.clone()),
            Some(list) => texts_of(list)
                .filter(|parts| !parts.is_empty())
                .map(|mut parts| {
                    args.splice(0..0, parts.split_off(1));
                    parts.remove(0)
                }),
            None => None,
        };
        match command.filter(|command| !command.is_empty()) {
            Some(command) => Ok(ServerTransport::Local { command, args }),
            None => Err(self.wrong(
                "has a `command` that is neither a string nor a list of strings",
                help,
            )),
        }
    }

    fn texts(&self, key: &str) -> Result<Vec<(String, String)>, ConvertError> {
        let Some(value) = self.value.get(key) else {
            return Ok(Vec::new());
        };
        let pairs = entries(value)
            .iter()
            .map(|(name, value)| Some((name.clone(), text_of(value)?)));
        pairs
            .collect::<Option<Vec<_>>>()
            .filter(|_| is_map(value))
            .ok_or_else(|| {
                self.wrong(
                    &format!("has `{key}` that is not an object of strings"),
                    "write `{\"NAME\": \"value\"}`",
                )
            })
    }
}
