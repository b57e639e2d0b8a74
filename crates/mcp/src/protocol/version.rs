//! Versions of the protocol, and the metadata in which requests of the newest version state their version.

use serde_json::{Map, Value as Json, json};

use crate::protocol::error::{ErrorData, PARAMETERS, PROTOCOL_VERSION};

/// The supported versions, oldest first. A version is a date, so versions compare as strings.
pub(crate) const VERSIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    STATELESS,
];
/// The first version without `initialize`: each request carries its version in `_meta`.
pub(crate) const STATELESS: &str = "2026-07-28";
/// The newest version with `initialize`.
const NEWEST_WITH_INITIALIZE: &str = "2025-11-25";

const PROTOCOL_VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CLIENT_CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";
pub(crate) const SUBSCRIPTION_ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";

pub(crate) fn is_supported(version: &str) -> bool {
    VERSIONS.contains(&version)
}

/// Whether clients of this version state it in every request instead of sending `initialize`.
pub(crate) fn is_stateless(version: &str) -> bool {
    version >= STATELESS
}

/// The version for a session, given the one that `initialize` names.
pub(crate) fn negotiate(requested: &str) -> &'static str {
    let known = VERSIONS.into_iter().find(|version| *version == requested);
    known
        .filter(|version| !is_stateless(version))
        .unwrap_or(NEWEST_WITH_INITIALIZE)
}

/// The parts of a request's `_meta` that the server uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct RequestMeta {
    pub(crate) version: Option<String>,
    has_capabilities: bool,
}

impl RequestMeta {
    pub(crate) fn read(meta: &Map<String, Json>) -> Self {
        let version = meta.get(PROTOCOL_VERSION_KEY).and_then(Json::as_str);
        RequestMeta {
            version: version.map(str::to_owned),
            has_capabilities: meta
                .get(CLIENT_CAPABILITIES_KEY)
                .is_some_and(Json::is_object),
        }
    }

    /// Whether the request is complete without a session.
    pub(crate) fn is_complete(&self) -> bool {
        self.version.is_some() && self.has_capabilities
    }

    pub(crate) fn require_complete(&self) -> Result<(), ErrorData> {
        if self.is_complete() {
            return Ok(());
        }
        Err(PARAMETERS.error(self.missing_fields()))
    }

    /// The message about required fields that are missing.
    pub(crate) fn missing_fields(&self) -> String {
        let version = self.version.is_none().then_some(PROTOCOL_VERSION_KEY);
        let capabilities = (!self.has_capabilities).then_some(CLIENT_CAPABILITIES_KEY);
        let missing: Vec<&str> = version.into_iter().chain(capabilities).collect();
        format!("`_meta` has no valid {}", missing.join(" and "))
    }

    pub(crate) fn require_supported_version(&self) -> Result<(), ErrorData> {
        match &self.version {
            Some(version) if !is_supported(version) => {
                let data = json!({
                    "requested": version,
                    "supported": VERSIONS,
                    "code": PROTOCOL_VERSION.code.name,
                });
                Err(PROTOCOL_VERSION
                    .with_data(format!("unsupported protocol version `{version}`"), data))
            }
            _ => Ok(()),
        }
    }
}
