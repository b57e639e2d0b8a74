//! Agent Plugins 1.0: closed files, and what a client does with those that break the rules.

use std::collections::BTreeSet;
use std::net::IpAddr;

use agpm_diag::{Diagnostic, Severity, codes};
use agpm_model::{SKILL_FILE, standard_violation};
use agpm_text::{Document, NodeKind, NodeRef, Value, to_value};

use crate::plugin::manifest::PluginManifest;
use crate::plugin::parts::{PartFinder, joined};
use crate::plugin::reader::PluginFileReader;

const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const MANIFEST_KEYS: [&str; 10] = [
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "extensions",
];
const AUTHOR_KEYS: [&str; 3] = ["name", "email", "url"];
const LOCAL_SERVER_KEYS: [&str; 5] = ["type", "command", "args", "env", "cwd"];
const REMOTE_SERVER_KEYS: [&str; 3] = ["type", "url", "headers"];
const SERVERS_FILE: &str = "mcp.json";
const SERVERS_SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json";
const SKILLS: &str = "skills";
const ROOT: &str = "${PLUGIN_ROOT}";
const DATA: &str = "${PLUGIN_DATA}";
/// Variables that a client sets for servers itself.
const RESERVED_VARIABLES: [&str; 2] = ["PLUGIN_ROOT", "PLUGIN_DATA"];
const LONGEST_NAME: usize = 64;

/// Reads the manifest: an unknown key is a warning, everything else rejects the plugin.
pub(crate) fn read_manifest(root: NodeRef<'_>, reader: &mut PluginFileReader) -> PluginManifest {
    for (key, _) in root.entries() {
        if !MANIFEST_KEYS.contains(&key.content()) {
            let message = format!("unknown key `{}`", key.content());
            reader.warn(key, message, "it is ignored");
        }
    }
    if let Some(schema) = reader.required(root, "$schema")
        && schema != SCHEMA
    {
        let message = format!("`$schema` is `{schema}`");
        let help = format!("agpm reads Agent Plugins 1.0: `{SCHEMA}`");
        reader.error(root, message, &help);
    }
    let name = reader.required(root, "name");
    if let Some(name) = name.filter(|name| !is_name(name)) {
        let message = format!("invalid plugin name `{name}`");
        let help = "names are lowercase letters and digits with single `-` or `.` between them";
        reader.error(root, message, help);
    }
    for key in ["homepage", "repository", "license"] {
        reader.string(root, key);
    }
    if let Some(author) = root.get("author") {
        read_author(author, reader);
    }
    if let Some(extensions) = root
        .get("extensions")
        .filter(|node| node.kind() != NodeKind::Map)
    {
        let message = format!("`extensions` is {}", extensions.kind().word());
        reader.warn(extensions, message, "it is ignored");
    }
    if let Some(keywords) = root.get("keywords") {
        match keywords.kind() {
            NodeKind::List => drop(reader.strings(keywords, "keywords")),
            _ => reader.wrong_kind(keywords, "keywords", "a list of strings"),
        }
    }
    PluginManifest {
        name: name.map(str::to_owned),
        version: reader.string(root, "version").map(str::to_owned),
        description: reader.string(root, "description").map(str::to_owned),
        ..PluginManifest::default()
    }
}

/// The author is closed, unlike the manifest: an unknown key is an error.
fn read_author(author: NodeRef<'_>, reader: &mut PluginFileReader) {
    if !reader.is_map(author, "author") {
        return;
    }
    for (key, _) in author.entries() {
        if !AUTHOR_KEYS.contains(&key.content()) {
            let message = format!("unknown key `{}` in `author`", key.content());
            let help = format!("authors have only `{}`", AUTHOR_KEYS.join("`, `"));
            reader.error(key, message, &help);
        }
    }
    for key in AUTHOR_KEYS {
        reader.string(author, key);
    }
}

/// Lowercase letters and digits, with single `-` and `.` inside.
fn is_name(name: &str) -> bool {
    let is_inner = |c: char| matches!(c, '.' | '-');
    let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || is_inner(c);
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.chars().all(is_allowed)
        && !name.starts_with(is_inner)
        && !name.ends_with(is_inner)
        && !name.contains("--")
        && !name.contains("..")
}

/// Skills and servers; those that break the rules are skipped with a warning.
pub(crate) fn find_parts(reading: &mut PartFinder<'_, '_>) {
    if reading.tree.has_file(SKILLS) {
        skip(reading, "skills", "`skills` is not a directory");
    }
    for name in reading.skill_directories(SKILLS) {
        let directory = joined(SKILLS, &name);
        match skill_problem(reading, &directory, &name) {
            None => reading.add_skill(&directory),
            Some(why) => skip(reading, &format!("the skill `{name}`"), &why),
        }
    }
    match servers_document(reading) {
        Ok(None) => {}
        Ok(Some(document)) => find_servers(reading, &document),
        Err(why) => skip(
            reading,
            "all MCP servers",
            &format!("`{SERVERS_FILE}` {why}"),
        ),
    }
}

fn find_servers(reading: &mut PartFinder<'_, '_>, document: &Document) {
    let servers = document.root().and_then(|root| root.get("mcpServers"));
    for (name, server) in servers.into_iter().flat_map(NodeRef::entries) {
        let name = name.content();
        match server_problem(server) {
            None => reading.add_server(SERVERS_FILE, name, as_reference(server)),
            Some(why) => skip(reading, &format!("the MCP server `{name}`"), &why),
        }
    }
}

/// The file of servers if there is one, or the reason why it disables all servers.
fn servers_document(reading: &mut PartFinder<'_, '_>) -> Result<Option<Document>, String> {
    if !reading.tree.has(SERVERS_FILE) {
        return Ok(None);
    }
    if !reading.tree.has_file(SERVERS_FILE) {
        return Err("is not a file".to_owned());
    }
    // An error in it disables the servers, and nothing else.
    let reported = reading.notes.diagnostics.len();
    let document = reading
        .tree
        .strict_json(SERVERS_FILE, reading.context, reading.notes);
    let mut errors = reading.notes.diagnostics.split_off(reported).into_iter();
    let Some(document) = document else {
        let cause = errors.next().map_or(String::new(), |found| found.message);
        return Err(format!("is not valid JSON: {cause}"));
    };
    let Some(root) = document.root() else {
        return Err("is empty".to_owned());
    };
    match top_level_problem(root) {
        Some(why) => Err(why),
        None => Ok(Some(document)),
    }
}

fn top_level_problem(root: NodeRef<'_>) -> Option<String> {
    if root.kind() != NodeKind::Map {
        return Some(format!("is {}", root.kind().word()));
    }
    let is_unknown = |key: &&str| !["$schema", "mcpServers"].contains(key);
    if let Some(key) = root
        .entries()
        .map(|(key, _)| key.content())
        .find(is_unknown)
    {
        return Some(format!("has the unknown key `{key}`"));
    }
    match root.get("$schema").map(NodeRef::as_str) {
        Some(Some(SERVERS_SCHEMA)) => {}
        Some(Some(other)) => return Some(format!("has the unknown `$schema` `{other}`")),
        Some(None) => return Some("has a `$schema` that is not a string".to_owned()),
        None => return Some("has no `$schema`".to_owned()),
    }
    match root.get("mcpServers").map(NodeRef::kind) {
        Some(NodeKind::Map) => None,
        Some(kind) => Some(format!("has `mcpServers` that is {}", kind.word())),
        None => Some("has no `mcpServers`".to_owned()),
    }
}

fn skip(reading: &mut PartFinder<'_, '_>, subject: &str, why: &str) {
    let message = format!(
        "plugin `{}`: skipped {subject}: {why}",
        reading.context.name
    );
    let mut found = Diagnostic::new(&codes::PLUGIN_SKIPPED, message);
    found.severity = Severity::Warning;
    reading
        .notes
        .diagnostics
        .push(found.help("report it to the plugin's author"));
}

fn skill_problem(reading: &mut PartFinder<'_, '_>, directory: &str, name: &str) -> Option<String> {
    let Some(document) = reading.front_matter(&joined(directory, SKILL_FILE)) else {
        return Some("its front matter cannot be read".to_owned());
    };
    standard_violation(document.root()?, name)
}

/// The reason why a server is not started.
fn server_problem(server: NodeRef<'_>) -> Option<String> {
    if server.kind() != NodeKind::Map {
        return Some("it is not an object".to_owned());
    }
    let kind = server.get("type").and_then(NodeRef::as_str);
    let keys: &[&str] = match kind {
        Some("stdio") => &LOCAL_SERVER_KEYS,
        Some("streamable-http" | "sse") => &REMOTE_SERVER_KEYS,
        _ => return Some("its `type` is not `stdio`, `streamable-http` or `sse`".to_owned()),
    };
    let mut fields = server.entries().map(|(key, _)| key.content());
    if let Some(field) = fields.find(|field| !keys.contains(field)) {
        let kind = kind.unwrap_or_default();
        return Some(format!("servers of type `{kind}` have no key `{field}`"));
    }
    match kind {
        Some("stdio") => local_server_problem(server),
        _ => remote_server_problem(server),
    }
}

fn local_server_problem(server: NodeRef<'_>) -> Option<String> {
    match server.get("command").map(NodeRef::as_str) {
        None => return Some("it has no `command`".to_owned()),
        Some(None) => return Some("its `command` is not a string".to_owned()),
        Some(Some(command)) if !is_command(command) => {
            return Some(format!("`{command}` is not one executable"));
        }
        Some(Some(_)) => {}
    }
    let is_list_of_strings = |node: NodeRef<'_>| {
        node.kind() == NodeKind::List && node.items().all(|item| item.as_str().is_some())
    };
    if server
        .get("args")
        .is_some_and(|args| !is_list_of_strings(args))
    {
        return Some("its `args` is not a list of strings".to_owned());
    }
    if let Some(env) = server.get("env") {
        if !is_map_of_strings(env) {
            return Some("its `env` is not an object of strings".to_owned());
        }
        let mut names = env.entries().map(|(name, _)| name.content());
        if let Some(name) = names.find(|name| RESERVED_VARIABLES.contains(name)) {
            return Some(format!("its `env` sets `{name}`, which only clients set"));
        }
    }
    let cwd = server.get("cwd")?;
    match cwd.as_str() {
        None => Some("its `cwd` is not a string".to_owned()),
        Some(text) if is_cwd(text) => None,
        Some(text) => Some(format!("its `cwd` `{text}` is outside the plugin")),
    }
}

fn remote_server_problem(server: NodeRef<'_>) -> Option<String> {
    let url = match server.get("url").map(NodeRef::as_str) {
        None => return Some("it has no `url`".to_owned()),
        Some(None) => return Some("its `url` is not a string".to_owned()),
        Some(Some(url)) => url,
    };
    if let Some(why) = url_problem(url) {
        return Some(format!("its URL {why}"));
    }
    let headers = server.get("headers")?;
    if !is_map_of_strings(headers) {
        return Some("its `headers` is not an object of strings".to_owned());
    }
    let mut seen = BTreeSet::new();
    for (name, value) in headers.entries() {
        let name = name.content();
        if !is_header_name(name) || !is_header_value(value.content()) {
            return Some(format!("`{name}` is not a valid HTTP header"));
        }
        if !seen.insert(name.to_ascii_lowercase()) {
            return Some(format!("it has the header `{name}` twice"));
        }
    }
    None
}

fn is_map_of_strings(node: NodeRef<'_>) -> bool {
    let is_text = |(_, value): (NodeRef<'_>, NodeRef<'_>)| value.as_str().is_some();
    node.kind() == NodeKind::Map && node.entries().all(is_text)
}

fn is_header_name(name: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    !name.is_empty() && name.chars().all(is_token)
}

fn is_header_value(value: &str) -> bool {
    let is_allowed = |c: char| c == '\t' || !c.is_control();
    value.trim() == value && value.chars().all(is_allowed)
}

/// A bare name, or a path in the plugin.
fn is_command(command: &str) -> bool {
    match command.strip_prefix("./") {
        Some(path) => !path.is_empty() && stays_inside(path),
        None => {
            !command.is_empty()
                && !command.contains(['/', '\\'])
                && !command.contains(char::is_whitespace)
        }
    }
}

fn is_cwd(cwd: &str) -> bool {
    if let Some(path) = cwd.strip_prefix("./") {
        return stays_inside(path);
    }
    [ROOT, DATA].iter().any(|start| {
        let inner = cwd.strip_prefix(start);
        inner.is_some_and(|inner| inner.is_empty() || inner.starts_with('/') && stays_inside(inner))
    })
}

/// Whether a relative path never leaves its directory.
fn stays_inside(path: &str) -> bool {
    let mut depth = 0usize;
    path.split(['/', '\\']).all(|part| {
        let next = match part {
            "" | "." => Some(depth),
            ".." => depth.checked_sub(1),
            _ => Some(depth + 1),
        };
        depth = next.unwrap_or_default();
        next.is_some()
    })
}

/// The reason why a server with this URL is skipped.
fn url_problem(url: &str) -> Option<&'static str> {
    let lower = url.to_ascii_lowercase();
    let (is_secure, rest) = match (
        lower.strip_prefix("https://"),
        lower.strip_prefix("http://"),
    ) {
        (Some(rest), _) => (true, rest),
        (None, Some(rest)) => (false, rest),
        (None, None) => return Some("is not `https`"),
    };
    if url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some("contains a space or a control character");
    }
    if url.contains('#') {
        return Some("has a fragment");
    }
    let authority = rest.split(['/', '?', '\\']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some("contains a user name or a password");
    }
    let Some(host) = host_of(authority) else {
        return Some("has no valid host");
    };
    let is_loopback = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    (!is_secure && !is_loopback).then_some("is not `https`")
}

/// The host of a URL, without the brackets of IPv6.
fn host_of(authority: &str) -> Option<&str> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_port = match port.strip_prefix(':') {
        Some(port) => !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()),
        None => port.is_empty(),
    };
    (is_port && !host.is_empty()).then_some(host)
}

/// The server as other clients write it: paths through the variable, and in the plugin's directory.
fn as_reference(server: NodeRef<'_>) -> Value {
    let in_root = |text: &str| match text.strip_prefix("./") {
        Some("") => ROOT.to_owned(),
        Some(inner) => format!("{ROOT}/{inner}"),
        None => text.to_owned(),
    };
    let Value::Map(mut fields) = to_value(server) else {
        return Value::Null;
    };
    let is_local = fields
        .iter()
        .any(|(key, value)| key == "type" && value.as_str() == Some("stdio"));
    for (key, value) in &mut fields {
        match (key.as_str(), value.as_str()) {
            ("command" | "cwd", Some(text)) => *value = Value::String(in_root(text)),
            ("type", Some("streamable-http")) => *value = Value::from("http"),
            _ => {}
        }
    }
    if is_local && !fields.iter().any(|(key, _)| key == "cwd") {
        fields.push(("cwd".to_owned(), Value::from(ROOT)));
    }
    fields.retain(|(key, _)| key != "type" || !is_local);
    Value::Map(fields)
}
