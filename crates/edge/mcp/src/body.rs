//! The body of a request over HTTP: read whole within bounds, and judged as a line would be.

use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use tokio::time::timeout;

use crate::rpc_error::{MALFORMED, TOO_LARGE};
use crate::stdio::{ErrorReply, ParsedLine, parse_line};

/// An answer with a body of any kind.
pub(crate) type HttpAnswer = Response<BoxBody<Bytes, Infallible>>;

/// The largest body.
pub(crate) const LONGEST_BODY: usize = 16 << 20;
/// A body that has not arrived by then is not awaited.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request with its message, or what is answered to what is none.
pub(crate) async fn with_message(
    request: Request<Incoming>,
) -> Result<Request<Full<Bytes>>, HttpAnswer> {
    let (head, body) = request.into_parts();
    let bytes = match timeout(PATIENCE, Limited::new(body, LONGEST_BODY).collect()).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(error)) if error.is::<LengthLimitError>() => {
            let message = format!("a message has at most {LONGEST_BODY} bytes");
            return Err(refused(
                StatusCode::PAYLOAD_TOO_LARGE,
                &ErrorReply::without_id(TOO_LARGE.error(message)),
            ));
        }
        Ok(Err(_)) | Err(_) => {
            let refusal = ErrorReply::without_id(MALFORMED.error("the message is incomplete"));
            return Err(refused(StatusCode::REQUEST_TIMEOUT, &refusal));
        }
    };
    match parse_line(&bytes) {
        ParsedLine::Message(_) => Ok(Request::from_parts(head, Full::new(bytes))),
        ParsedLine::Refused(refusal) => Err(refused(StatusCode::BAD_REQUEST, &refusal)),
        ParsedLine::Nothing => {
            let refusal = ErrorReply::without_id(
                MALFORMED.error("the message is empty or not a notification"),
            );
            Err(refused(StatusCode::BAD_REQUEST, &refusal))
        }
    }
}

fn refused(status: StatusCode, refusal: &ErrorReply) -> HttpAnswer {
    let mut answer = Response::new(Full::new(Bytes::from(refusal.line())).boxed());
    *answer.status_mut() = status;
    answer
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    answer
}
