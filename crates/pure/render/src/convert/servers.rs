//! MCP servers: one file as authors write it, into the entries that tools read.

use agpm_model::{EntryForm, EntryNode, Place, ServerFile};
use agpm_text::{Format, Pointer, Value};

use super::front::holds;
use super::parts::{METADATA, entries, is_map, quoted, without};
use super::server_forms::{
    CLAUDE, CODEX, CURSOR, Command, GEMINI, GUARDS, OPENCODE, Off, ServerForm, VS_CODE,
};
use super::transport::{KEYS, Server, State, Transport, is_opencodes, is_valid_opencode};
use super::variables::{Loss, Piece, Spelling, pieces, spell};
use super::{ConvertError, Entries, FateKind, Fates, plugin};

/// Entries of a tool's server configuration for one server file; `rename` gives servers other names.
pub fn server_entries(
    form: EntryForm,
    name: &str,
    file: &Value,
    rename: &[(String, String)],
) -> Result<Entries, ConvertError> {
    let own = match form {
        EntryForm::ClaudeServers => &CLAUDE,
        EntryForm::OpenCodeServers => &OPENCODE,
        EntryForm::CodexServers => &CODEX,
        EntryForm::CursorServers => &CURSOR,
        EntryForm::GeminiServers => &GEMINI,
        EntryForm::VsCodeServers => &VS_CODE,
        _ => {
            return Err(ConvertError::new(
                "this is no place for servers",
                "choose another tool for the server",
            ));
        }
    };
    let mut fates = Fates::default();
    let mut nodes = Vec::new();
    for (name, server) in renamed(named(name, file, &mut fates)?, rename)? {
        let place = Place::Key(Pointer::root().child(own.below).child(&name));
        let value = one(form, own, &name, &server, &mut fates)?;
        nodes.extend(value.map(|value| EntryNode { place, value }));
    }
    Ok(Entries {
        nodes,
        fates: fates.sorted(),
    })
}

/// The servers of a file with their names.
fn named(
    name: &str,
    file: &Value,
    fates: &mut Fates,
) -> Result<Vec<(String, Value)>, ConvertError> {
    let (key, servers) = match ServerFile::of(file) {
        ServerFile::Wrapped { key, servers } => (Some(key), servers),
        ServerFile::Bare(servers) => (None, servers),
        ServerFile::Single(server) => {
            let own = if is_map(server) {
                without(server, &METADATA)
            } else {
                server.clone()
            };
            return Ok(vec![(name.to_owned(), own)]);
        }
    };
    let Some(key) = key else {
        let servers = entries(servers)
            .iter()
            .filter(|(key, _)| !ServerFile::is_file_key(key));
        return Ok(servers.cloned().collect());
    };
    if !is_map(servers) {
        let message = format!("`{key}` of `{name}` is no map");
        return Err(ConvertError::new(
            message,
            "write `\"mcpServers\": {\"NAME\": {\"command\": …}}`",
        ));
    }
    for (other, _) in entries(file).iter().filter(|(other, _)| other != key) {
        if !METADATA.contains(&other.as_str()) {
            fates.add(
                other,
                FateKind::Dropped,
                format!("only `{key}` of a file are taken"),
            );
        }
    }
    Ok(entries(servers).to_vec())
}

/// Gives servers the names that the manifest has for them; each new name needs its server.
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
    let servers = named(name, file, &mut Fates::default()).unwrap_or_default();
    servers.into_iter().map(|(name, _)| name).collect()
}

/// A server for Claude Code, which has no switch of its own: one that is switched off is left out.
fn as_written(
    name: &str,
    written: &Value,
    fates: &mut Fates,
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
        fates.add(name, FateKind::Dropped, "it is switched off, and left out");
        return Ok(None);
    }
    let server = without(written, &["enabled", "disabled"]);
    // Claude Code skips a URL without a type.
    let untyped = written.get("type").is_none() && written.get("command").is_none();
    let kind = [("type".to_owned(), Value::from("http"))]
        .into_iter()
        .filter(|_| untyped);
    Ok(Some(Value::Map(
        kind.chain(entries(&server).iter().cloned()).collect(),
    )))
}

/// Whether Claude Code reads a server as it is written: nothing in it is another tool's.
fn is_claudes(written: &Value) -> bool {
    let foreign = GUARDS
        .iter()
        .chain(&["httpUrl", "environment"])
        .any(|key| written.get(key).is_some());
    let kind = written.get("type").and_then(Value::as_str);
    !foreign && !is_opencodes(written) && !matches!(kind, Some("local" | "remote"))
}

/// One server there; `None` if it cannot be there as its author wants it.
fn one(
    form: EntryForm,
    own: &ServerForm,
    name: &str,
    written: &Value,
    fates: &mut Fates,
) -> Result<Option<Value>, ConvertError> {
    let server = Server::read(name, written)?;
    plugin::refuse_variables("server", name, written)?;
    if form == EntryForm::ClaudeServers && is_claudes(written) {
        return as_written(name, written, fates);
    }
    if form == EntryForm::OpenCodeServers && is_valid_opencode(written) {
        return Ok(Some(written.clone()));
    }
    let mut writer = Writer {
        form: own,
        name,
        written,
        fates,
        out: Vec::new(),
    };
    Ok(writer.write(&server).then_some(Value::Map(writer.out)))
}

struct Writer<'a> {
    form: &'a ServerForm,
    name: &'a str,
    written: &'a Value,
    fates: &'a mut Fates,
    out: Vec<(String, Value)>,
}

impl Writer<'_> {
    /// Whether the server can be there at all; what it is like is in `out` then.
    fn write(&mut self, server: &Server) -> bool {
        if !self.can_be(server) {
            return false;
        }
        match &server.transport {
            Transport::Local { command, args } => self.local(command, args, server),
            Transport::Http(url) => self.remote(url, 1, server),
            Transport::Sse(url) | Transport::Socket(url) => self.remote(url, 2, server),
        }
        if server.state == State::Off {
            self.put("enabled", Value::Bool(false));
        }
        for key in ["type", "enabled", "disabled"]
            .into_iter()
            .filter(|key| self.written.get(key).is_some())
        {
            if !(key == "type"
                && matches!(server.transport, Transport::Sse(_))
                && self.form.urls[1].is_empty())
            {
                self.fate(key, FateKind::Exact, "");
            }
        }
        server
            .rest
            .iter()
            .for_each(|(key, value)| self.rest(key, value));
        self.unused();
        true
    }

    fn can_be(&mut self, server: &Server) -> bool {
        let socket = matches!(server.transport, Transport::Socket(_));
        let off = server.state == State::Off && self.form.off == Off::Absent;
        if socket {
            self.fate(
                "type",
                FateKind::Dropped,
                "sockets are unknown there: the server is left out",
            );
        }
        if off {
            let key = if self.written.get("disabled").is_some() {
                "disabled"
            } else {
                "enabled"
            };
            self.fate(
                key,
                FateKind::Dropped,
                "it is switched off, which cannot be said there: it is left out",
            );
        }
        !socket && !off
    }

    fn local(&mut self, command: &str, args: &[String], server: &Server) {
        self.put_type(0);
        let command = self.texts("command", &[command.to_owned()]);
        let args = self.texts("args", args);
        match self.form.command {
            Command::List => self.put("command", Value::list(command.into_iter().chain(args))),
            Command::Parts => {
                self.out.extend(
                    command
                        .into_iter()
                        .map(|command| ("command".to_owned(), Value::from(command))),
                );
                if !args.is_empty() {
                    self.put("args", Value::list(args));
                }
            }
        }
        self.env(&server.env);
        if let (Some(key), Some(folder)) = (self.form.folder, &server.folder) {
            let folder = self.texts("cwd", std::slice::from_ref(folder)).concat();
            self.put(key, Value::from(folder));
        }
    }

    fn remote(&mut self, url: &str, kind: usize, server: &Server) {
        self.put_type(kind);
        let key = if self.written.get("httpUrl").is_some() {
            "httpUrl"
        } else {
            "url"
        };
        let url = self.texts(key, &[url.to_owned()]).concat();
        let place = match self.form.urls[kind - 1] {
            "" => {
                self.fate(
                    "type",
                    FateKind::Approximated,
                    "a server that sends events is asked like any other",
                );
                self.form.urls[0]
            }
            place => place,
        };
        self.put(place, Value::from(url));
        self.headers(&server.headers);
    }

    fn put(&mut self, key: &str, value: Value) {
        self.out.push((key.to_owned(), value));
    }

    fn put_type(&mut self, kind: usize) {
        let word = self.form.types[kind];
        if !word.is_empty() {
            self.put("type", Value::from(word));
        }
    }

    fn fate(&mut self, key: &str, kind: FateKind, note: impl Into<String>) {
        self.fates.add(format!("{}.{key}", self.name), kind, note);
    }

    /// Texts of a field with variables as they are written there.
    fn texts(&mut self, key: &str, texts: &[String]) -> Vec<String> {
        let spelled = texts.iter().map(|text| spell(text, self.form.spelling));
        let (texts, losses): (Vec<String>, Vec<Loss>) = spelled.unzip();
        let loss = losses.into_iter().max().unwrap_or(Loss::None);
        if self.written.get(key).is_some() {
            self.lost(key, loss, &texts);
        }
        texts
    }

    fn lost(&mut self, key: &str, loss: Loss, texts: &[String]) {
        let file = self.form.spelling != Spelling::OpenCode
            && texts.iter().any(|text| text.contains("{file:"));
        match loss {
            _ if file => self.fate(
                key,
                FateKind::Approximated,
                "`{file:…}` is not replaced there",
            ),
            Loss::None => self.fate(key, FateKind::Exact, ""),
            loss => self.fate(key, FateKind::Approximated, loss.note()),
        }
    }

    /// A map of texts under a key there.
    fn map(&mut self, key: &str, there: &str, pairs: &[(String, String)]) {
        let texts: Vec<String> = pairs.iter().map(|(_, text)| text.clone()).collect();
        let texts = self.texts(key, &texts);
        let pairs = pairs
            .iter()
            .zip(texts)
            .map(|((name, _), text)| (name.clone(), Value::from(text)));
        if self.written.get(key).is_some() {
            self.put(there, Value::map(pairs.collect::<Vec<_>>()));
        }
    }

    fn env(&mut self, env: &[(String, String)]) {
        let key = if self.written.get("env").is_some() {
            "env"
        } else {
            "environment"
        };
        if self.form.spelling != Spelling::Never {
            return self.map(key, self.form.env, env);
        }
        let (mut passed, mut set, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (name, text) in env {
            match (pieces(text).as_slice(), spell(text, Spelling::Never)) {
                (
                    [
                        Piece::Variable {
                            name: other,
                            default,
                        },
                    ],
                    _,
                ) if other == name => {
                    passed.push(name.clone());
                    notes.extend(default.map(|_| format!("the default of `{name}` is not kept")));
                }
                (
                    [
                        Piece::Variable {
                            default: Some(default),
                            ..
                        },
                    ],
                    _,
                ) => {
                    set.push((name.clone(), Value::from(*default)));
                    notes.push(format!("`{name}` is always its default"));
                }
                (_, (text, Loss::None)) => set.push((name.clone(), Value::from(text))),
                _ => notes.push(format!("`{name}` has to be set where Codex is started")),
            }
        }
        self.told(key, &notes);
        self.put_filled("env", Value::Map(set));
        self.put_filled("env_vars", Value::list(passed));
    }

    fn headers(&mut self, headers: &[(String, String)]) {
        if self.form.spelling != Spelling::Never {
            return self.map("headers", "headers", headers);
        }
        let (mut sent, mut from_env, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (header, text) in headers {
            let bearer = header.eq_ignore_ascii_case("authorization");
            match pieces(text).as_slice() {
                [
                    Piece::Text(start),
                    Piece::Variable {
                        name,
                        default: None,
                    },
                ] if bearer && *start == "Bearer " => {
                    self.put("bearer_token_env_var", Value::from(*name));
                }
                [
                    Piece::Variable {
                        name,
                        default: None,
                    },
                ] => from_env.push((header.clone(), Value::from(*name))),
                [Piece::Text(_)] | [] => sent.push((header.clone(), Value::from(text.as_str()))),
                _ => notes.push(format!(
                    "{} cannot be put together there, and is not sent",
                    quoted([header])
                )),
            }
        }
        self.told("headers", &notes);
        self.put_filled("http_headers", Value::Map(sent));
        self.put_filled("env_http_headers", Value::Map(from_env));
    }

    fn told(&mut self, key: &str, notes: &[String]) {
        let kind = if notes.is_empty() {
            FateKind::Exact
        } else {
            FateKind::Approximated
        };
        if self.written.get(key).is_some() {
            self.fate(key, kind, notes.join("; "));
        }
    }

    fn put_filled(&mut self, key: &str, value: Value) {
        if !matches!(&value, Value::Map(entries) if entries.is_empty())
            && !matches!(&value, Value::List(items) if items.is_empty())
        {
            self.put(key, value);
        }
    }

    fn rest(&mut self, key: &str, value: &Value) {
        let renamed = self
            .form
            .renames
            .iter()
            .find(|(from, to)| *from == key && self.written.get(to).is_none());
        if matches!(value, Value::Null)
            || self.form.spelling == Spelling::Never && !holds(value, Format::Toml)
        {
            self.fate(
                key,
                FateKind::Dropped,
                "it is empty, or cannot be written there",
            );
        } else if self.form.passes.contains(&key)
            && !(key == "timeout" && is_opencodes(self.written))
        {
            self.put(key, value.clone());
            self.fate(key, FateKind::Exact, "");
        } else if let Some((_, to)) = renamed.filter(|_| !allows_all(value)) {
            self.put(to, value.clone());
            self.fate(key, FateKind::Exact, format!("it is called `{to}` there"));
        } else if GUARDS.contains(&key) && allows_all(value) {
            self.fate(
                key,
                FateKind::Exact,
                "all tools are allowed unless others are listed",
            );
        } else if GUARDS.contains(&key) {
            self.fate(
                key,
                FateKind::Widened,
                "it holds something back, and has no place there",
            );
        } else {
            self.fate(key, FateKind::Dropped, "it has no place there");
        }
    }

    /// Keys that mean nothing for a server that is reached this way, or there.
    fn unused(&mut self) {
        for key in KEYS
            .into_iter()
            .filter(|key| self.written.get(key).is_some())
        {
            let field = format!("{}.{key}", self.name);
            if !self.fates.0.iter().any(|fate| fate.field == field) {
                self.fates
                    .add(field, FateKind::Dropped, "it has no place there");
            }
        }
    }
}

/// `["*"]`, as Copilot writes a server without limits.
fn allows_all(value: &Value) -> bool {
    matches!(value, Value::List(items) if items.iter().any(|item| item.as_str() == Some("*")))
}
