//! Converts MCP servers from a file to the entries that tools read.

use agpm_model::{EntryNode, NodeLocation, ServerFile};
use agpm_text::{Format, Pointer, Value};
use agpm_tools::{
    CommandLine, CopiedServers, FileSyntax, NamedVariables, OTHER_SERVER_LIMITS, REFERENCE_TOOL,
    RemoteServers, ServerFormat, ServerSwitch, StringPart, VariableSyntax, Variables,
    server_formats, string_parts,
};

use super::outcome::{ConvertError, ConvertedEntries, FieldOutcomeKind, FieldOutcomes};
use super::parts::{METADATA, entries, is_map, without};
use super::plain_text::holds;
use super::plugin;
use super::transport::{
    McpServer, ServerState, ServerTransport, env_key, http_key, is_command_list, is_read,
    is_valid_list,
};
use super::variables::{VariableLoss, spell};

/// Entries of a tool's server configuration for one server file; `rename` maps names of servers to new ones.
pub fn server_entries(
    format: &ServerFormat,
    name: &str,
    file: &Value,
    rename: &[(String, String)],
) -> Result<ConvertedEntries, ConvertError> {
    let mut outcomes = FieldOutcomes::default();
    let mut nodes = Vec::new();
    let servers = renamed(named(name, file, &mut outcomes)?, rename)?;
    refuse_only_urls(format, name, &servers)?;
    for (name, server) in servers {
        let location = NodeLocation::Key(Pointer::root().child(format.key).child(&name));
        let value = convert_server(format, &name, &server, &mut outcomes)?;
        nodes.extend(value.map(|value| EntryNode { location, value }));
    }
    Ok(ConvertedEntries {
        nodes,
        outcomes: outcomes.sorted(),
    })
}

/// Refuses a file of which a tool without URLs would get nothing.
fn refuse_only_urls(
    format: &ServerFormat,
    name: &str,
    servers: &[(String, Value)],
) -> Result<(), ConvertError> {
    let mut commands = servers.iter().map(|(_, server)| server.get("command"));
    let has_only_urls = !servers.is_empty() && commands.all(|command| command.is_none());
    if format.remote == RemoteServers::Unsupported && has_only_urls {
        return Err(ConvertError::new(
            format!("the tool only runs commands, and `{name}` has only URLs"),
            "set `tools` of the entry to other tools",
        ));
    }
    Ok(())
}

/// The servers of a file with their names.
fn named(
    name: &str,
    file: &Value,
    outcomes: &mut FieldOutcomes,
) -> Result<Vec<(String, Value)>, ConvertError> {
    let (key, servers) = match ServerFile::of(file) {
        ServerFile::Wrapped { key, servers } => (Some(key), servers),
        ServerFile::Bare(servers) => (None, servers),
        ServerFile::Single(server) => {
            let server_value = if is_map(server) {
                without(server, &METADATA)
            } else {
                server.clone()
            };
            return Ok(vec![(name.to_owned(), server_value)]);
        }
    };
    let Some(key) = key else {
        let servers = entries(servers)
            .iter()
            .filter(|(key, _)| !ServerFile::is_file_key(key));
        return Ok(servers.cloned().collect());
    };
    if !is_map(servers) {
        let message = format!("`{key}` of `{name}` is not an object");
        return Err(ConvertError::new(
            message,
            "write `\"mcpServers\": {\"NAME\": {\"command\": …}}`",
        ));
    }
    for (sibling, _) in entries(file).iter().filter(|(sibling, _)| sibling != key) {
        if !METADATA.contains(&sibling.as_str()) {
            outcomes.add(
                sibling,
                FieldOutcomeKind::Dropped,
                format!("only `{key}` of a file are used"),
            );
        }
    }
    Ok(entries(servers).to_vec())
}

/// Renames servers as in the manifest; each new name needs its server.
fn renamed(
    servers: Vec<(String, Value)>,
    names: &[(String, String)],
) -> Result<Vec<(String, Value)>, ConvertError> {
    let new_name = |name: &str| {
        names
            .iter()
            .find(|(from, _)| from == name)
            .map(|(_, to)| to.clone())
    };
    let servers: Vec<(String, Value)> = servers
        .into_iter()
        .map(|(name, server)| (new_name(&name).unwrap_or(name), server))
        .collect();
    for (at, (name, _)) in servers.iter().enumerate() {
        if servers[..at].iter().any(|(other, _)| other == name) {
            let message = format!("`rename` gives two servers the name `{name}`");
            return Err(ConvertError::new(
                message,
                "give each server of the file its own name",
            ));
        }
    }
    Ok(servers)
}

/// The names of the servers in a file, as authors wrote them.
pub fn server_names(name: &str, file: &Value) -> Vec<String> {
    let servers = named(name, file, &mut FieldOutcomes::default()).unwrap_or_default();
    servers.into_iter().map(|(name, _)| name).collect()
}

/// A server for the reference tool, which has no setting to disable one: disabled servers are dropped.
fn as_written(
    name: &str,
    written: &Value,
    outcomes: &mut FieldOutcomes,
) -> Result<Option<Value>, ConvertError> {
    let switch = |key: &str, off: bool| written.get(key) == Some(&Value::Bool(off));
    for key in ["enabled", "disabled"] {
        if written
            .get(key)
            .is_some_and(|value| !matches!(value, Value::Bool(_)))
        {
            let message = format!("`{key}` of the server `{name}` is neither true nor false");
            return Err(ConvertError::new(
                message,
                "write `true` or `false`, without quotes",
            ));
        }
    }
    if switch("enabled", false) || switch("disabled", true) {
        outcomes.add(name, FieldOutcomeKind::Dropped, "it is disabled");
        return Ok(None);
    }
    let server = without(written, &["enabled", "disabled"]);
    // The reference tool skips a URL without a type.
    let untyped = written.get("type").is_none() && written.get("command").is_none();
    let kind = [("type".to_owned(), Value::from("http"))]
        .into_iter()
        .filter(|_| untyped);
    Ok(Some(Value::Map(
        kind.chain(entries(&server).iter().cloned()).collect(),
    )))
}

/// Whether a key restricts servers in any tool: dropping it would allow more.
fn is_limit(key: &str) -> bool {
    OTHER_SERVER_LIMITS.contains(&key)
        || server_formats().any(|format| format.limits.contains(&key))
}

/// Whether the reference tool reads a server as written: nothing in it belongs to another tool.
fn is_reference(written: &Value) -> bool {
    let reference = REFERENCE_TOOL.servers.as_ref();
    let is_supported = |key: &str| {
        reference
            .is_some_and(|support| key == support.format.urls.http || key == support.format.env)
    };
    let is_foreign = |key: &str| is_limit(key) || is_address_or_env(key) && !is_supported(key);
    let has_foreign = entries(written).iter().any(|(key, _)| is_foreign(key));
    !has_foreign
        && !is_command_list(written)
        && !has_type_of_lists(written)
        && !has_foreign_type(written)
}

/// Whether `type` is a value that only other tools use for a URL.
fn has_foreign_type(written: &Value) -> bool {
    let kind = written.get("type").and_then(Value::as_str);
    let reference_types = REFERENCE_TOOL
        .servers
        .as_ref()
        .map(|reference_types| reference_types.format.types);
    let is_own =
        reference_types.is_some_and(|types| [types.local, types.http, types.sse].contains(&kind));
    let mut formats = server_formats();
    kind.is_some() && !is_own && formats.any(|format| format.types.http == kind)
}

fn is_address_or_env(key: &str) -> bool {
    server_formats().any(|format| key == format.urls.http || key == format.env)
}

/// Whether `type` is a value of tools that write a command line as one list.
fn has_type_of_lists(written: &Value) -> bool {
    let kind = written.get("type").and_then(Value::as_str);
    let mut lists = server_formats().filter(|format| format.command == CommandLine::List);
    kind.is_some() && lists.any(|format| [format.types.local, format.types.http].contains(&kind))
}

/// Converts one server; `None` if the tool cannot use it as intended.
fn convert_server(
    format: &ServerFormat,
    name: &str,
    written: &Value,
    outcomes: &mut FieldOutcomes,
) -> Result<Option<Value>, ConvertError> {
    let server = McpServer::read(name, written)?;
    plugin::refuse_variables("server", name, written)?;
    match format.copied {
        CopiedServers::Reference if is_reference(written) => {
            return as_written(name, written, outcomes);
        }
        CopiedServers::Valid if is_valid_list(format, written) => {
            return Ok(Some(written.clone()));
        }
        _ => {}
    }
    let mut writer = ServerWriter {
        format,
        name,
        written,
        outcomes,
        out: Vec::new(),
    };
    Ok(writer.write(&server).then_some(Value::Map(writer.out)))
}

struct ServerWriter<'a> {
    format: &'a ServerFormat,
    name: &'a str,
    written: &'a Value,
    outcomes: &'a mut FieldOutcomes,
    out: Vec<(String, Value)>,
}

impl ServerWriter<'_> {
    /// Whether the tool supports the server; if so, its entry is in `out`.
    fn write(&mut self, server: &McpServer) -> bool {
        if !self.can_be(server) {
            return false;
        }
        match &server.transport {
            ServerTransport::Local { command, args } => self.local(command, args, server),
            ServerTransport::Http(url) => {
                self.put_type(self.format.types.http);
                self.remote(url, self.format.urls.http, server);
            }
            ServerTransport::Sse(url) | ServerTransport::Socket(url) => {
                self.put_type(self.format.types.sse);
                self.remote(
                    url,
                    self.format.urls.sse.unwrap_or(self.format.urls.http),
                    server,
                );
            }
        }
        if server.state == ServerState::Off {
            match self.format.switch {
                ServerSwitch::Disabled => self.put("disabled", Value::Bool(true)),
                ServerSwitch::Enabled | ServerSwitch::Absent => {
                    self.put("enabled", Value::Bool(false));
                }
            }
        }
        for key in ["type", "enabled", "disabled"]
            .into_iter()
            .filter(|key| self.written.get(key).is_some())
        {
            let is_asked_like_others = key == "type"
                && matches!(server.transport, ServerTransport::Sse(_))
                && self.format.urls.sse.is_none();
            if is_asked_like_others {
                let note = "the tool uses SSE servers like HTTP servers";
                self.record_outcome(key, FieldOutcomeKind::Approximated, note);
            } else {
                self.record_outcome(key, FieldOutcomeKind::Exact, "");
            }
        }
        server
            .rest
            .iter()
            .for_each(|(key, value)| self.convert_other_key(key, value));
        self.unused();
        true
    }

    fn can_be(&mut self, server: &McpServer) -> bool {
        let socket = matches!(server.transport, ServerTransport::Socket(_));
        let off = server.state == ServerState::Off && self.format.switch == ServerSwitch::Absent;
        let is_local = matches!(server.transport, ServerTransport::Local { .. });
        let remote = self.format.remote == RemoteServers::Unsupported && !is_local && !socket;
        if remote {
            let key = http_key(self.written).unwrap_or("url");
            self.record_outcome(
                key,
                FieldOutcomeKind::Dropped,
                "the tool only runs commands, so it does not get the server",
            );
        }
        if socket {
            self.record_outcome(
                "type",
                FieldOutcomeKind::Dropped,
                "the tool does not support sockets, so it does not get the server",
            );
        }
        if off {
            let key = if self.written.get("disabled").is_some() {
                "disabled"
            } else {
                "enabled"
            };
            self.record_outcome(
                key,
                FieldOutcomeKind::Dropped,
                "the tool has no disabled servers, so it does not get this one",
            );
        }
        !socket && !off && !remote
    }

    fn local(&mut self, command: &str, args: &[String], server: &McpServer) {
        self.put_type(self.format.types.local);
        let command = self.texts("command", &[command.to_owned()]);
        let args = self.texts("args", args);
        if self.format.command == CommandLine::List {
            self.put("command", Value::list(command.into_iter().chain(args)));
        } else {
            let has_args = !args.is_empty() || self.format.command == CommandLine::PartsWithArgs;
            self.put("command", Value::from(command.concat()));
            let args = has_args.then(|| ("args".to_owned(), Value::list(args)));
            self.out.extend(args);
        }
        self.env(&server.env);
        if let (Some(key), Some(directory)) = (self.format.directory, &server.directory) {
            let directory = self.texts("cwd", std::slice::from_ref(directory)).concat();
            self.put(key, Value::from(directory));
        }
    }

    /// Writes a URL under the tool's key.
    fn remote(&mut self, url: &str, target_key: &str, server: &McpServer) {
        let key = http_key(self.written).unwrap_or("url");
        let url = self.texts(key, &[url.to_owned()]).concat();
        self.put(target_key, Value::from(url));
        self.headers(&server.headers);
    }

    fn put(&mut self, key: &str, value: Value) {
        self.out.push((key.to_owned(), value));
    }

    fn put_type(&mut self, word: Option<&str>) {
        if let Some(word) = word {
            self.put("type", Value::from(word));
        }
    }

    /// The tool's syntax for variables; none if the tool has separate fields for their names.
    fn syntax(&self) -> VariableSyntax {
        match self.format.variables {
            Variables::Replaced(syntax) => syntax,
            Variables::Named(_) => VariableSyntax::None,
        }
    }

    fn record_outcome(&mut self, key: &str, kind: FieldOutcomeKind, note: impl Into<String>) {
        self.outcomes
            .add(format!("{}.{key}", self.name), kind, note);
    }

    /// The strings of a field, with the tool's syntax for variables.
    fn texts(&mut self, key: &str, texts: &[String]) -> Vec<String> {
        let spelled = texts.iter().map(|text| spell(text, self.syntax()));
        let (texts, losses): (Vec<String>, Vec<VariableLoss>) = spelled.unzip();
        let loss = losses.into_iter().max().unwrap_or(VariableLoss::None);
        if self.written.get(key).is_some() {
            self.record_loss(key, loss, &texts);
        }
        texts
    }

    fn record_loss(&mut self, key: &str, loss: VariableLoss, texts: &[String]) {
        let file = self.syntax() != VariableSyntax::Braces
            && texts.iter().any(|text| text.contains("{file:"));
        match loss {
            _ if file => self.record_outcome(
                key,
                FieldOutcomeKind::Approximated,
                "the tool does not replace `{file:…}`",
            ),
            VariableLoss::None => self.record_outcome(key, FieldOutcomeKind::Exact, ""),
            loss => self.record_outcome(key, FieldOutcomeKind::Approximated, loss.note()),
        }
    }

    /// Writes an object of strings under the tool's key.
    fn map(&mut self, key: &str, target_key: &str, pairs: &[(String, String)]) {
        let texts: Vec<String> = pairs.iter().map(|(_, text)| text.clone()).collect();
        let texts = self.texts(key, &texts);
        let pairs = pairs
            .iter()
            .zip(texts)
            .map(|((name, _), text)| (name.clone(), Value::from(text)));
        if self.written.get(key).is_some() {
            self.put(target_key, Value::map(pairs.collect::<Vec<_>>()));
        }
    }

    fn env(&mut self, env: &[(String, String)]) {
        let key = env_key(self.written);
        match self.format.variables {
            Variables::Replaced(_) => self.map(key, self.format.env, env),
            Variables::Named(names) => self.named_env(key, env, names),
        }
    }

    fn named_env(&mut self, key: &str, env: &[(String, String)], names: NamedVariables) {
        let (mut passed, mut set, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (name, text) in env {
            match (
                string_parts(text).as_slice(),
                spell(text, VariableSyntax::None),
            ) {
                (
                    [
                        StringPart::Variable {
                            name: other,
                            default,
                        },
                    ],
                    _,
                ) if other == name && names.env_vars.is_some() => {
                    passed.push(name.clone());
                    notes.extend(default.map(|_| format!("the default of `{name}` is not kept")));
                }
                (
                    [
                        StringPart::Variable {
                            default: Some(default),
                            ..
                        },
                    ],
                    _,
                ) => {
                    set.push((name.clone(), Value::from(*default)));
                    notes.push(format!("`{name}` always has its default"));
                }
                (_, (text, VariableLoss::None)) => set.push((name.clone(), Value::from(text))),
                _ => notes.push(format!("`{name}` must be set where {} runs", names.title)),
            }
        }
        self.record_notes(key, &notes);
        self.put_filled(self.format.env, Value::Map(set));
        if let Some(key) = names.env_vars {
            self.put_filled(key, Value::list(passed));
        }
    }

    fn headers(&mut self, headers: &[(String, String)]) {
        match self.format.variables {
            Variables::Replaced(_) => self.map("headers", "headers", headers),
            Variables::Named(names) => self.named_headers(headers, names),
        }
    }

    fn named_headers(&mut self, headers: &[(String, String)], names: NamedVariables) {
        let mut sent = Vec::new();
        let mut from_env = Vec::new();
        for (header, text) in headers {
            let is_authorization = header.eq_ignore_ascii_case("authorization");
            let bearer = names.bearer.filter(|_| is_authorization);
            match (string_parts(text).as_slice(), bearer, names.env_headers) {
                (
                    [
                        StringPart::Text("Bearer "),
                        StringPart::Variable {
                            name,
                            default: None,
                        },
                    ],
                    Some(key),
                    _,
                ) => {
                    self.put(key, Value::from(*name));
                }
                (
                    [
                        StringPart::Variable {
                            name,
                            default: None,
                        },
                    ],
                    _,
                    Some(_),
                ) => {
                    from_env.push((header.clone(), Value::from(*name)));
                }
                ([StringPart::Text(_)] | [], ..) => {
                    sent.push((header.clone(), Value::from(text.as_str())));
                }
                _ => {
                    self.record_outcome(
                        &format!("headers.{header}"),
                        FieldOutcomeKind::Dropped,
                        "the tool cannot combine a variable with other text",
                    );
                }
            }
        }
        // Each lost header was recorded: the tool does support the others, if there are any.
        if !headers.is_empty() {
            self.record_outcome("headers", FieldOutcomeKind::Exact, "");
        }
        self.put_filled(names.headers, Value::Map(sent));
        if let Some(key) = names.env_headers {
            self.put_filled(key, Value::Map(from_env));
        }
    }

    fn record_notes(&mut self, key: &str, notes: &[String]) {
        let kind = if notes.is_empty() {
            FieldOutcomeKind::Exact
        } else {
            FieldOutcomeKind::Approximated
        };
        if self.written.get(key).is_some() {
            self.record_outcome(key, kind, notes.join("; "));
        }
    }

    fn put_filled(&mut self, key: &str, value: Value) {
        if !matches!(&value, Value::Map(entries) if entries.is_empty())
            && !matches!(&value, Value::List(items) if items.is_empty())
        {
            self.put(key, value);
        }
    }

    fn convert_other_key(&mut self, key: &str, value: &Value) {
        let renamed = self
            .format
            .renames
            .iter()
            .find(|(from, to)| *from == key && self.written.get(to).is_none());
        if matches!(value, Value::Null)
            || self.format.syntax == FileSyntax::Toml && !holds(value, Format::Toml)
        {
            self.record_outcome(
                key,
                FieldOutcomeKind::Dropped,
                "it is empty, or the tool cannot represent it",
            );
        } else if self.format.passes.contains(&key)
            && !(key == "timeout" && is_command_list(self.written))
        {
            self.put(key, value.clone());
            self.record_outcome(key, FieldOutcomeKind::Exact, "");
        } else if let Some((_, to)) = renamed.filter(|_| !allows_all(value)) {
            self.put(to, value.clone());
            self.record_outcome(
                key,
                FieldOutcomeKind::Exact,
                format!("the tool calls it `{to}`"),
            );
        } else if is_limit(key) && allows_all(value) {
            self.record_outcome(
                key,
                FieldOutcomeKind::Exact,
                "all tools are allowed unless others are listed",
            );
        } else if is_limit(key) {
            self.record_outcome(
                key,
                FieldOutcomeKind::Widened,
                "it restricts something, and the tool does not support it",
            );
        } else {
            self.record_outcome(
                key,
                FieldOutcomeKind::Dropped,
                "the tool does not support it",
            );
        }
    }

    /// Reports keys that have no meaning for this kind of server or tool.
    fn unused(&mut self) {
        for (key, _) in entries(self.written).iter().filter(|(key, _)| is_read(key)) {
            let field = format!("{}.{key}", self.name);
            if !self.outcomes.0.iter().any(|outcome| outcome.field == field) {
                self.outcomes.add(
                    field,
                    FieldOutcomeKind::Dropped,
                    "the tool does not support it",
                );
            }
        }
    }
}

/// `["*"]`, an explicit list without limits.
fn allows_all(value: &Value) -> bool {
    matches!(value, Value::List(items) if items.iter().any(|item| item.as_str() == Some("*")))
}
