//! A server, and which URLs may be contacted without encryption because of it.

use std::sync::atomic::{AtomicU8, Ordering};

use agpm_model::Encryption;
use url::{Host, Url};

/// A server that a source names.
#[derive(Debug)]
pub(crate) struct HttpServer {
    host: String,
    port: Option<u16>,
    encryption: Encryption,
    /// How it was found to speak, as a `Speech`.
    speech: AtomicU8,
}

/// How a server speaks that may do so without encryption.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Speech {
    Unknown,
    Plain,
    Encrypted,
}

impl HttpServer {
    pub(crate) fn new(host: &str, port: Option<u16>, encryption: Encryption) -> Self {
        HttpServer {
            host: host.to_ascii_lowercase(),
            port,
            encryption,
            speech: AtomicU8::new(Speech::Unknown as u8),
        }
    }

    /// Records that the server answered over this scheme.
    pub(crate) fn remember_scheme(&self, url: &Url) {
        if self.is_own(url) {
            let speech = match url.scheme() {
                "https" => Speech::Encrypted,
                _ => Speech::Plain,
            };
            self.speech.store(speech as u8, Ordering::Relaxed);
        }
    }

    /// Returns the same URL over https, if nobody knows yet how the server speaks.
    pub(crate) fn encrypted_url(&self, url: &Url) -> Option<Url> {
        let is_unknown = self.speech.load(Ordering::Relaxed) == Speech::Unknown as u8;
        if !is_unknown || url.scheme() != "http" || !self.is_own(url) {
            return None;
        }
        Url::parse(&url.as_str().replacen("http://", "https://", 1)).ok()
    }

    fn is_own(&self, url: &Url) -> bool {
        url.host_str() == Some(self.host.as_str()) && url.port() == self.port
    }

    /// Host and port, as the files with credentials name them.
    pub(crate) fn authority(&self) -> String {
        match self.port {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.clone(),
        }
    }

    /// The start of its URLs. A server on this machine seldom has a certificate, so it is contacted without encryption
    /// first, unless it uses the port of https.
    pub(crate) fn base(&self) -> String {
        let may_be_plain = self.encryption == Encryption::Optional || is_loopback_host(&self.host);
        let is_encrypted = self.speech.load(Ordering::Relaxed) == Speech::Encrypted as u8;
        let scheme = if may_be_plain && !is_encrypted && self.port != Some(443) {
            "http"
        } else {
            "https"
        };
        format!("{scheme}://{}", self.authority())
    }

    /// Returns whether a URL may be requested: over https, on this machine, or on this server if the user allows it.
    pub(crate) fn allows(&self, url: &Url) -> bool {
        let is_own = url.host_str() == Some(self.host.as_str());
        match url.scheme() {
            "https" => true,
            "http" => is_loopback(url) || self.encryption == Encryption::Optional && is_own,
            _ => false,
        }
    }
}

/// Returns whether a URL is of this machine.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn is_loopback_host(host: &str) -> bool {
    Url::parse(&format!("http://{host}/")).is_ok_and(|url| is_loopback(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_tried_with_encryption_until_it_answered() {
        let server = HttpServer::new("127.0.0.1", Some(5000), Encryption::Required);
        let url = Url::parse("http://127.0.0.1:5000/v2/").unwrap();
        let other = Url::parse("http://127.0.0.1:5001/v2/").unwrap();
        let encrypted = server.encrypted_url(&url).unwrap();
        assert_eq!(encrypted.as_str(), "https://127.0.0.1:5000/v2/");
        assert!(server.encrypted_url(&other).is_none());
        server.remember_scheme(&encrypted);
        assert_eq!(server.base(), "https://127.0.0.1:5000");
        assert!(server.encrypted_url(&url).is_none());
    }

    #[test]
    fn only_this_machine_and_allowed_servers_are_contacted_without_encryption() {
        let server = |host, port, encryption| HttpServer::new(host, port, encryption);
        let (required, optional) = (Encryption::Required, Encryption::Optional);
        for (host, port, encryption, base) in [
            ("h", None, required, "https://h"),
            ("h", Some(5000), required, "https://h:5000"),
            ("h", Some(5000), optional, "http://h:5000"),
            ("localhost", Some(5000), required, "http://localhost:5000"),
            ("127.0.0.2", None, required, "http://127.0.0.2"),
            ("[::1]", Some(1), required, "http://[::1]:1"),
            ("127.0.0.1", Some(443), required, "https://127.0.0.1:443"),
        ] {
            assert_eq!(server(host, port, encryption).base(), base);
        }
        for (encryption, url, is_allowed) in [
            (required, "https://other/x", true),
            (required, "http://h/x", false),
            (optional, "http://h:9/x", true),
            (optional, "http://other/x", false),
            (required, "http://127.0.0.1:1/x", true),
            (optional, "ftp://h/x", false),
        ] {
            let url = Url::parse(url).unwrap();
            assert_eq!(
                server("h", None, encryption).allows(&url),
                is_allowed,
                "{url}"
            );
        }
    }
}
