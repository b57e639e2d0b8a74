//! The body of a `POST`: one message, read whole within limits.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Incoming;
use rmcp::ErrorData;
use rmcp::model::{JsonRpcError, JsonRpcMessage, RequestId};
use tokio::time::timeout;

use crate::http::response::{HttpResponse, error_response};
use crate::protocol::error::{MALFORMED, TOO_LARGE};
use crate::protocol::message::{ParsedMessage, parse_message};

/// The time for a whole head, and for a whole body.
pub(super) const READ_PATIENCE: Duration = Duration::from_secs(10);
/// The largest body of a message.
pub(super) const LONGEST_BODY: usize = 16 << 20;

pub(super) struct ReceivedMessage {
    pub(super) bytes: Bytes,
    pub(super) request_id: Option<RequestId>,
}

/// Reads a message, or returns the response to a body that is none.
pub(super) async fn read_message(body: Incoming) -> Result<ReceivedMessage, HttpResponse> {
    let collected = timeout(READ_PATIENCE, Limited::new(body, LONGEST_BODY).collect()).await;
    let bytes = match collected {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let error = TOO_LARGE.error(format!("a message has at most {LONGEST_BODY} bytes"));
            return Err(refused(StatusCode::PAYLOAD_TOO_LARGE, error));
        }
        Ok(Err(_)) | Err(_) => {
            let error = MALFORMED.error("the message is incomplete");
            return Err(refused(StatusCode::REQUEST_TIMEOUT, error));
        }
    };
    match parse_message(&bytes) {
        ParsedMessage::Message(message) => {
            let request_id = match *message {
                JsonRpcMessage::Request(request) => Some(request.id),
                _ => None,
            };
            Ok(ReceivedMessage { bytes, request_id })
        }
        ParsedMessage::Refused(answer) => Err(error_response(StatusCode::BAD_REQUEST, &answer)),
        ParsedMessage::Nothing => {
            let error = MALFORMED.error("the message is empty or not a notification");
            Err(refused(StatusCode::BAD_REQUEST, error))
        }
    }
}

fn refused(status: StatusCode, error: ErrorData) -> HttpResponse {
    error_response(status, &JsonRpcError::new(None, error))
}
