//! The messages that are allowed before a session is open. The SDK ends there, where this refuses one message.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetMeta, JsonRpcError, JsonRpcMessage, JsonRpcRequest,
    ProtocolVersion,
};

use crate::protocol::error::{NOT_INITIALIZED, PARAMETERS};
use crate::protocol::method::INITIALIZE;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum SessionState {
    #[default]
    Closed,
    Open,
}

/// The treatment of a message.
pub(super) enum Verdict {
    /// The SDK handles it.
    Pass,
    Ignore,
    /// The client gets this answer.
    Refuse(JsonRpcError),
}

impl SessionState {
    /// Judges a message, and notices if it opens the session.
    pub(super) fn judge(&mut self, message: &ClientJsonRpcMessage) -> Verdict {
        if *self == SessionState::Open {
            return Verdict::Pass;
        }
        match message {
            JsonRpcMessage::Request(request) => self.judge_request(request),
            // It can belong to no request.
            _ => Verdict::Ignore,
        }
    }

    fn judge_request(&mut self, message: &JsonRpcRequest<ClientRequest>) -> Verdict {
        let request = &message.request;
        let error = match request {
            ClientRequest::PingRequest(_) => return Verdict::Pass,
            ClientRequest::InitializeRequest(_) => {
                *self = SessionState::Open;
                return Verdict::Pass;
            }
            // The SDK could not read its parameters.
            ClientRequest::CustomRequest(_) if request.method() == INITIALIZE => PARAMETERS
                .with_help(
                    "invalid parameters of `initialize`",
                    "it needs `protocolVersion`, `capabilities` and `clientInfo`",
                ),
            // Clients of the newest version state it in every request instead of sending `initialize`.
            _ => match request.get_meta().protocol_version() {
                Some(version) => {
                    if opens_session(request, &version) {
                        *self = SessionState::Open;
                    }
                    return Verdict::Pass;
                }
                None => {
                    let message = format!("`{}` came before `initialize`", request.method());
                    NOT_INITIALIZED.with_help(message, "start with `initialize`")
                }
            },
        };
        Verdict::Refuse(JsonRpcError::new(Some(message.id.clone()), error))
    }
}

/// Whether the SDK opens a session without `initialize` for a request that states this version.
fn opens_session(request: &ClientRequest, version: &ProtocolVersion) -> bool {
    let missing = request
        .get_meta()
        .missing_required_keys(&ProtocolVersion::V_2026_07_28);
    let is_discovery = matches!(request, ClientRequest::DiscoverRequest(_));
    missing.is_empty() && ProtocolVersion::KNOWN_VERSIONS.contains(version) && !is_discovery
}
