//! The messages that are allowed before a session is open. The SDK gives up where this only refuses.

use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, GetMeta, JsonRpcMessage, JsonRpcRequest, ProtocolVersion,
};

use crate::rpc_error::{NOT_INITIALIZED, PARAMETERS};
use crate::stdio::message::ErrorReply;

const INITIALIZE: &str = "initialize";

/// Whether a session is open.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum SessionState {
    #[default]
    Closed,
    Open,
}

/// The treatment of a message.
pub(super) enum MessageVerdict {
    /// The SDK gets it.
    Pass,
    /// Nobody does.
    Ignore,
    /// The client is reported why not.
    Refuse(ErrorReply),
}

impl SessionState {
    /// Judges a message, and opens the session if that is what it does.
    pub(super) fn judge(&mut self, message: &ClientJsonRpcMessage) -> MessageVerdict {
        if *self == SessionState::Open {
            return MessageVerdict::Pass;
        }
        match message {
            JsonRpcMessage::Request(request) => self.judge_request(request),
            // An answer to nothing, or a notification about nothing.
            _ => MessageVerdict::Ignore,
        }
    }

    fn judge_request(&mut self, request: &JsonRpcRequest<ClientRequest>) -> MessageVerdict {
        let asked = &request.request;
        let refuse = |error| {
            MessageVerdict::Refuse(ErrorReply::of(request.id.clone().into_json_value(), error))
        };
        match asked {
            ClientRequest::PingRequest(_) => return MessageVerdict::Pass,
            ClientRequest::InitializeRequest(_) => {
                *self = SessionState::Open;
                return MessageVerdict::Pass;
            }
            ClientRequest::CustomRequest(_) if asked.method() == INITIALIZE => {
                return refuse(PARAMETERS.with_help(
                    "invalid parameters of `initialize`",
                    "it needs `protocolVersion`, `capabilities` and `clientInfo`",
                ));
            }
            _ => {}
        }
        // Later versions of the protocol have no `initialize`: each request states what it needs.
        let meta = asked.get_meta();
        let Some(version) = meta.protocol_version() else {
            let message = format!("`{}` came before `initialize`", asked.method());
            return refuse(NOT_INITIALIZED.with_help(message, "start with `initialize`"));
        };
        let complete = meta
            .missing_required_keys(&ProtocolVersion::V_2026_07_28)
            .is_empty();
        let known = ProtocolVersion::KNOWN_VERSIONS.contains(&version);
        if complete && known && !matches!(asked, ClientRequest::DiscoverRequest(_)) {
            *self = SessionState::Open;
        }
        MessageVerdict::Pass
    }
}
