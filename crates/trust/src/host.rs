//! The host that a client connects to for a URL of a server or a hook.

use std::fmt;

use url::{Host, Url};

/// The schemes of the URLs that clients connect to.
const CONNECTING_SCHEMES: [&str; 4] = ["http", "https", "ws", "wss"];

/// The host of a URL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ServerHost {
    /// A name or an IP, as browsers write it: in lower case, with punycode, without a dot at the end.
    Known(String),
    /// The host depends on a variable, or the URL is invalid.
    Unknown,
}

impl ServerHost {
    /// The host, if it is known.
    pub fn known(&self) -> Option<&str> {
        match self {
            ServerHost::Known(host) => Some(host),
            ServerHost::Unknown => None,
        }
    }
}

impl fmt::Display for ServerHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.known().unwrap_or("an unknown host"))
    }
}

/// The host of a URL, read as the parser of a browser reads it: most clients use that parser.
pub fn host_of(url: &str) -> ServerHost {
    // A variable may hold `@`, `/` or a whole host, so nothing is known of a URL with one before its path.
    if has_variable(before_path(url)) {
        return ServerHost::Unknown;
    }
    let Ok(url) = Url::parse(url) else {
        return ServerHost::Unknown;
    };
    match url.host() {
        Some(host) if CONNECTING_SCHEMES.contains(&url.scheme()) => {
            ServerHost::Known(normal_host(&host))
        }
        _ => ServerHost::Unknown,
    }
}

/// A host in the form in which hosts are compared.
pub(crate) fn normal_host<S: AsRef<str>>(host: &Host<S>) -> String {
    match host {
        // `api.corp.` is the absolute name of `api.corp`.
        Host::Domain(name) => name.as_ref().trim_end_matches('.').to_owned(),
        Host::Ipv4(address) => address.to_string(),
        // `::ffff:10.0.0.1` is how a program with IPv6 sockets names an IPv4 host.
        Host::Ipv6(address) => match address.to_ipv4_mapped() {
            Some(address) => address.to_string(),
            None => format!("[{address}]"),
        },
    }
}

/// Whether text has a variable in the syntax of some client: `${VAR}`, `$VAR`, `{env:VAR}`, `%VAR%`.
fn has_variable(text: &str) -> bool {
    let is_hex = |at: usize| text.as_bytes().get(at).is_some_and(u8::is_ascii_hexdigit);
    let is_sign = |(at, c): (usize, char)| match c {
        '$' | '{' | '}' => true,
        // Two hexadecimal digits after it are an escape.
        '%' => !is_hex(at + 1) || !is_hex(at + 2),
        _ => false,
    };
    text.char_indices().any(is_sign)
}

/// The scheme, the user, the host and the port.
fn before_path(url: &str) -> &str {
    let is_slash = |c: char| c == '/' || c == '\\';
    // `https:host`, `https:/host` and `https:///host` have the same host for a browser.
    let scheme = url.find(':').map_or(0, |at| at + 1);
    let slashes = url[scheme..].find(|c| !is_slash(c)).unwrap_or_default();
    let from = scheme + slashes;
    let end = url[from..].find(|c| is_slash(c) || c == '?' || c == '#');
    &url[..end.map_or(url.len(), |end| from + end)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_those_that_a_browser_connects_to() {
        for (url, host) in [
            ("https://api.corp/mcp", "api.corp"),
            ("https://API.Corp:8443/mcp", "api.corp"),
            ("https://user:pw@api.corp/mcp", "api.corp"),
            ("https://api.corp./mcp", "api.corp"),
            ("wss://api.corp", "api.corp"),
            ("https://api.corp/${TENANT}/mcp?key=${KEY}", "api.corp"),
            ("https:/evil.com/x.corp", "evil.com"),
            ("https:evil.com/x.corp", "evil.com"),
            ("https:\\\\evil.com\\x.corp", "evil.com"),
            ("https:///evil.com/x.corp", "evil.com"),
            ("https://evil.com\\@a.corp/", "evil.com"),
            ("https://evil.com\\.corp/", "evil.com"),
            ("https://evil.com?@a.corp/", "evil.com"),
            ("https://evil.com#@a.corp/", "evil.com"),
            ("https://a.corp@evil.com/", "evil.com"),
            ("https://a.corp:443@evil.com/", "evil.com"),
            ("https://a.corp@b.corp@evil.com/", "evil.com"),
            ("ht\ntps://evil.com\t/.corp", "evil.com"),
            ("https://e\tvil.com/", "evil.com"),
            (" https://evil.com/ ", "evil.com"),
            ("https://ｅｖｉｌ。com/", "evil.com"),
            ("https://evil%2ecom/", "evil.com"),
            ("https://a%40b:p%25w@api.corp/", "api.corp"),
            ("https://bücher.corp/", "xn--bcher-kva.corp"),
            ("https://0x7f.1/", "127.0.0.1"),
            ("https://2130706433/", "127.0.0.1"),
            ("https://[::1]:8080/", "[::1]"),
            ("https://[0:0:0:0:0:0:0:1]/", "[::1]"),
            ("https://[::ffff:127.0.0.1]/", "127.0.0.1"),
            ("https://[::ffff:7f00:1]/", "127.0.0.1"),
        ] {
            assert_eq!(host_of(url), ServerHost::Known(host.to_owned()), "{url}");
        }
    }

    #[test]
    fn a_host_that_cannot_be_told_is_unknown() {
        for url in [
            "",
            "api.corp/mcp",
            "//api.corp/mcp",
            "/mcp",
            "https://",
            "https:///",
            "https://a b.corp/",
            "https://a.corp:port/",
            "https://a.corp:99999/",
            "https://[::1/",
            "https://[v1.a]/",
            "https://10.0.0.256/",
            "https://%zz.corp/",
            "https://evil.com%2f.corp/",
            "${URL}",
            "${EVIL}/x.corp",
            "https://${EVIL}.corp",
            "https://$EVIL.corp/",
            "https://{env:EVIL}.corp/",
            "https://%EVIL%.corp/",
            "https://a.corp:${PORT}/",
            "https://${USER}@a.corp/",
            "${SCHEME}://a.corp/",
            "https:/${EVIL}/a.corp",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "mailto:a@a.corp",
            "unix://a.corp/socket",
        ] {
            assert_eq!(host_of(url), ServerHost::Unknown, "{url}");
        }
    }
}
