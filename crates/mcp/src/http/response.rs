//! Responses with errors.

use std::convert::Infallible;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use rmcp::model::JsonRpcError;

use crate::protocol::error::with_code;

pub(super) type HttpResponse = Response<BoxBody<Bytes, Infallible>>;

/// Adds a code to the error in a response of the SDK.
pub(super) async fn with_error_code(response: HttpResponse) -> HttpResponse {
    let is_json = response
        .headers()
        .get(CONTENT_TYPE)
        .is_some_and(|form| form == "application/json");
    if !is_json {
        return response;
    }
    let (head, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    let bytes = body.to_bytes();
    match serde_json::from_slice::<JsonRpcError>(&bytes) {
        Ok(JsonRpcError { id, error, .. }) => {
            error_response(head.status, &JsonRpcError::new(id, with_code(error)))
        }
        Err(_) => Response::from_parts(head, Full::new(bytes).boxed()),
    }
}

pub(super) fn error_response(status: StatusCode, error: &JsonRpcError) -> HttpResponse {
    let json = serde_json::to_vec(error).expect("because all keys of messages are strings");
    let mut response = Response::new(Full::new(Bytes::from(json)).boxed());
    *response.status_mut() = status;
    let form = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, form);
    response
}
