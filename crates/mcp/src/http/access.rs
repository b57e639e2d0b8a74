//! Access to the server: each request has the token. The SDK checks `Host` and `Origin`.

use bytes::Bytes;
use http::header::{AUTHORIZATION, CONNECTION, HeaderName, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use tokio::time::timeout;

use crate::http::body::READ_PATIENCE;
use crate::http::response::HttpResponse;
use crate::options::AccessToken;

const PATH: &str = "/mcp";
/// The scheme of the token, in any letter case.
const SCHEME: &[u8] = b"Bearer ";
/// The most bytes that are read of a body without use.
const LONGEST_UNUSED_BODY: usize = 64 << 10;

/// The checks that a request must pass before its body is read.
pub(super) struct AccessRules {
    pub(super) token: AccessToken,
}

impl AccessRules {
    /// The response to a request that is not allowed.
    pub(super) fn refusal(&self, path: &str, headers: &HeaderMap) -> Option<HttpResponse> {
        if !self.knows_token(headers) {
            let text = "the token is missing or wrong: send `Authorization: Bearer TOKEN`\n";
            let mut response = refused(StatusCode::UNAUTHORIZED, text);
            let scheme = HeaderValue::from_static("Bearer");
            response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
            Some(response)
        } else if path != PATH {
            Some(refused(StatusCode::NOT_FOUND, "the server is at /mcp\n"))
        } else {
            None
        }
    }

    // Other users of the machine reach loopback ports too, so the token is required even there.
    fn knows_token(&self, headers: &HeaderMap) -> bool {
        let shown = single(headers, &AUTHORIZATION)
            .and_then(|value| value.as_bytes().split_at_checked(SCHEME.len()));
        shown.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case(SCHEME) && self.token.is(token)
        })
    }
}

fn single<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn refused(status: StatusCode, text: &'static str) -> HttpResponse {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    // The rest of a long body would be read as the next request.
    let close = HeaderValue::from_static("close");
    response.headers_mut().insert(CONNECTION, close);
    response
}

/// Reads the body of a request that is refused.
// A client that is still sending when the connection closes may never see the reason.
pub(super) async fn drain_body(body: Incoming) {
    let body = Limited::new(body, LONGEST_UNUSED_BODY).collect();
    let _ = timeout(READ_PATIENCE, body).await;
}
