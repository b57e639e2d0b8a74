//! Typed values, for programs that start sandboxes. They are created from checked values.

use std::collections::BTreeMap;

use agpm_text::Value;

use crate::name::BottleName;

/// An effective bottle: its own settings and those of the bottles that it extends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bottle {
    /// The name of the bottle.
    pub name: BottleName,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// Git remotes by host.
    pub remotes: BTreeMap<String, GitEntry>,
    /// The author of commits.
    pub git_user: GitUser,
    /// The program that runs the agent.
    pub agent_provider: Option<AgentProvider>,
    /// The reachable hosts. `None` differs from an empty list of routes.
    pub egress: Option<EgressConfig>,
    /// The image of the sandbox.
    pub image: Option<String>,
    /// The working directory in the sandbox.
    pub workdir: Option<String>,
}

/// An agent as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// The name of the agent.
    pub name: BottleName,
    /// The name of the bottle that it runs in.
    pub bottle: BottleName,
    /// The skills that it has.
    pub skills: Vec<String>,
    /// The agent's own environment variables.
    pub env: BTreeMap<String, String>,
    /// The author of commits, if the agent sets one.
    pub git_user: GitUser,
    /// The prompt of the agent.
    pub prompt: String,
}

/// An agent merged with its bottle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveAgent {
    /// The name of the agent.
    pub name: BottleName,
    /// The bottle, overridden by the agent's own settings.
    pub bottle: Bottle,
    /// The skills that it has.
    pub skills: Vec<String>,
    /// The prompt of the agent.
    pub prompt: String,
}

/// A git remote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitEntry {
    /// The URL of the repository.
    pub url: String,
    /// The private key to log in with.
    pub identity_file: Option<String>,
    /// The public key of the host.
    pub known_host_key: Option<String>,
}

/// The author of commits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitUser {
    /// The name in commits.
    pub name: Option<String>,
    /// The URL in commits.
    pub email: Option<String>,
}

/// The program that runs an agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentProvider {
    /// The provider's program.
    pub name: String,
    /// The command to start.
    pub command: Option<String>,
    /// The arguments of the agent provider.
    pub args: Option<Vec<String>>,
    /// The model to use.
    pub model: Option<String>,
}

/// The hosts that can be reached from a sandbox.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EgressConfig {
    /// The hosts that can be reached.
    pub routes: Vec<EgressRoute>,
}

/// A host that can be reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EgressRoute {
    /// The host.
    pub host: String,
    /// The allowed HTTP methods; all if empty.
    pub methods: Option<Vec<String>>,
    /// The allowed paths; all if empty.
    pub paths: Option<Vec<String>>,
    /// How requests are authenticated.
    pub auth: Option<EgressAuth>,
    /// The proxy's policy for this route.
    pub pipelock: Option<PipelockRoutePolicy>,
}

/// How requests are authenticated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressAuth {
    /// The way the secret is sent.
    pub kind: AuthKind,
    /// The environment variable that holds the secret.
    pub env: String,
}

/// The way a secret is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthKind {
    /// `Authorization: Bearer …`
    Bearer,
    /// `Authorization: Basic …`
    Basic,
    /// In a custom header.
    Header,
}

/// The proxy's policy for a route.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PipelockRoutePolicy {
    /// Pass encrypted connections through without inspecting them.
    pub tls_passthrough: bool,
    /// Private URLs that are still allowed.
    pub ssrf_allow: Vec<String>,
}

impl Bottle {
    pub(crate) fn of(name: &BottleName, value: &Value) -> Self {
        let git = value.get("git");
        Bottle {
            name: name.clone(),
            env: texts_by_name(value.get("env")),
            remotes: entries(git.and_then(|git| git.get("remotes")))
                .map(|(host, remote)| (host.clone(), GitEntry::of(remote)))
                .collect(),
            git_user: GitUser::of(git),
            agent_provider: value.get("agent_provider").map(AgentProvider::of),
            egress: value.get("egress").map(EgressConfig::of),
            image: text(value, "image"),
            workdir: text(value, "workdir"),
        }
    }
}

impl Agent {
    pub(crate) fn of(name: &BottleName, bottle: &BottleName, prompt: &str, value: &Value) -> Self {
        Agent {
            name: name.clone(),
            bottle: bottle.clone(),
            skills: texts(value, "skills").unwrap_or_default(),
            env: texts_by_name(value.get("env")),
            git_user: GitUser::of(value.get("git")),
            prompt: prompt.to_owned(),
        }
    }
}

impl EffectiveAgent {
    /// Reads the flat value of an effective agent.
    pub(crate) fn of(name: &BottleName, bottle: &BottleName, value: &Value) -> Self {
        EffectiveAgent {
            name: name.clone(),
            bottle: Bottle::of(bottle, value),
            skills: texts(value, "skills").unwrap_or_default(),
            prompt: text(value, "prompt").unwrap_or_default(),
        }
    }
}

impl GitEntry {
    fn of(value: &Value) -> Self {
        GitEntry {
            url: text(value, "url").unwrap_or_default(),
            identity_file: text(value, "identity_file"),
            known_host_key: text(value, "known_host_key"),
        }
    }
}

impl GitUser {
    fn of(git: Option<&Value>) -> Self {
        let field = |key| text(git?.get("user")?, key);
        GitUser {
            name: field("name"),
            email: field("email"),
        }
    }
}

impl AgentProvider {
    fn of(value: &Value) -> Self {
        AgentProvider {
            name: text(value, "name").unwrap_or_default(),
            command: text(value, "command"),
            args: texts(value, "args"),
            model: text(value, "model"),
        }
    }
}

impl EgressConfig {
    fn of(value: &Value) -> Self {
        EgressConfig {
            routes: items(value.get("routes")).map(EgressRoute::of).collect(),
        }
    }
}

impl EgressRoute {
    fn of(value: &Value) -> Self {
        EgressRoute {
            host: text(value, "host").unwrap_or_default(),
            methods: texts(value, "methods"),
            paths: texts(value, "paths"),
            auth: value.get("auth").map(EgressAuth::of),
            pipelock: value.get("pipelock").map(PipelockRoutePolicy::of),
        }
    }
}

impl EgressAuth {
    fn of(value: &Value) -> Self {
        let kind = match value.get("type").and_then(Value::as_str) {
            Some("basic") => AuthKind::Basic,
            Some("header") => AuthKind::Header,
            _ => AuthKind::Bearer,
        };
        EgressAuth {
            kind,
            env: text(value, "env").unwrap_or_default(),
        }
    }
}

impl PipelockRoutePolicy {
    fn of(value: &Value) -> Self {
        PipelockRoutePolicy {
            tls_passthrough: matches!(value.get("tls_passthrough"), Some(Value::Bool(true))),
            ssrf_allow: texts(value, "ssrf_allow").unwrap_or_default(),
        }
    }
}

fn text(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_owned)
}

fn texts(value: &Value, key: &str) -> Option<Vec<String>> {
    let list = value.get(key)?;
    Some(
        items(Some(list))
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
    )
}

fn texts_by_name(value: Option<&Value>) -> BTreeMap<String, String> {
    entries(value)
        .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect()
}

fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    match value {
        Some(Value::List(items)) => &items[..],
        _ => &[],
    }
    .iter()
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = &(String, Value)> {
    match value {
        Some(Value::Map(entries)) => &entries[..],
        _ => &[],
    }
    .iter()
}
