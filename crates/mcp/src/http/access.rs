//! Access to the server: each request has the token, and none comes from a web page of another host.

use crate::http::reader::{Headers, RequestHead, header_text};
use crate::http::response::{Header, Response};
use crate::options::AccessToken;

const PATH: &str = "/mcp";
/// The scheme of the token, in any letter case.
const SCHEME: &[u8] = b"Bearer ";
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The checks that a request must pass before its body is read.
pub(super) struct AccessRules {
    pub(super) token: AccessToken,
    pub(super) port: u16,
}

impl AccessRules {
    /// The response to a request that is not allowed.
    pub(super) fn refusal(&self, head: &RequestHead) -> Option<Response> {
        if !self.is_own_host(&head.headers) || !is_own_origin(&head.headers) {
            let text = "only requests from this machine, by its own name, are allowed\n";
            Some(Response::text(403, text))
        } else if !self.knows_token(&head.headers) {
            let text = "the token is missing or wrong: send `Authorization: Bearer TOKEN`\n";
            let mut response = Response::text(401, text);
            response
                .headers
                .push(Header::new("www-authenticate", "Bearer"));
            Some(response)
        } else if head.path != PATH {
            Some(Response::text(404, "the server is at /mcp\n"))
        } else {
            None
        }
    }

    // A web page can resolve its own name to 127.0.0.1 (DNS rebinding). Its requests then have a foreign `Host`.
    fn is_own_host(&self, headers: &Headers) -> bool {
        let host = headers.single("host").and_then(header_text);
        host.is_some_and(|host| {
            let port = host
                .rsplit_once(':')
                .and_then(|(_, port)| port.parse().ok());
            is_loopback(host) && port == Some(self.port)
        })
    }

    // Other users of the machine reach loopback ports too, so the token is required even there.
    fn knows_token(&self, headers: &Headers) -> bool {
        let shown = headers
            .single("authorization")
            .and_then(|value| value.split_at_checked(SCHEME.len()));
        shown.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case(SCHEME) && self.token.is(token)
        })
    }
}

/// Programs send no origin. Pages of this machine have an origin on this machine.
fn is_own_origin(headers: &Headers) -> bool {
    headers.all("origin").all(|origin| {
        header_text(origin)
            .and_then(|origin| origin.strip_prefix("http://"))
            .is_some_and(is_loopback)
    })
}

/// Whether an authority, with or without a port, is a name of this machine.
fn is_loopback(authority: &str) -> bool {
    LOOPBACK
        .iter()
        .any(|name| match authority.strip_prefix(name) {
            Some("") => true,
            Some(rest) => rest
                .strip_prefix(':')
                .is_some_and(|port| port.parse::<u16>().is_ok()),
            None => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        for own in ["127.0.0.1", "localhost:80", "[::1]:8080", "127.0.0.1:1"] {
            assert!(is_loopback(own), "{own}");
        }
        for other in [
            "",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "localhost:",
            "localhost:x",
            "evil:80",
            "127.0.0.1@evil",
        ] {
            assert!(!is_loopback(other), "{other}");
        }
    }
}
