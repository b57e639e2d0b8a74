//! Servers that are reached without encryption.

use crate::capability::CapabilityKind;
use crate::host::{ServerHost, host_of};
use crate::reading::{CapabilityReading, read_config, read_foreign_config};

use super::rule::{AuditFinding, AuditRule, Detection};
use super::rules::AUDIT_RULES;

/// The findings about servers and hooks that are reached without encryption, in the order of their URLs.
pub fn plain_http_findings(reading: &CapabilityReading) -> Vec<AuditFinding> {
    let urls = plain_http_servers(reading).into_iter();
    urls.map(|url| AuditFinding {
        rule: plain_http_rule(),
        line: 1,
        excerpt: agpm_diag::mask_line(&url),
        more: 0,
    })
    .collect()
}

/// The URLs of servers and hooks that are reached over the network without encryption.
fn plain_http_servers(reading: &CapabilityReading) -> Vec<String> {
    let connects = reading.found.iter();
    let connects = connects.filter(|one| one.kind == CapabilityKind::Connects);
    let urls = connects.map(|one| &one.value);
    urls.filter(|url| is_unencrypted(url)).cloned().collect()
}

fn is_unencrypted(url: &str) -> bool {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme.trim());
    let is_plain = ["http", "ws"]
        .iter()
        .any(|plain| scheme.eq_ignore_ascii_case(plain));
    is_plain && !is_loopback(&host_of(url))
}

fn is_loopback(host: &ServerHost) -> bool {
    let Some(host) = host.known() else {
        return false;
    };
    host == "localhost"
        || host.ends_with(".localhost")
        || host == "[::1]"
        || host.starts_with("127.")
}

/// The findings in a configuration file.
pub(super) fn http_findings(name: &str, bytes: &[u8]) -> Vec<AuditFinding> {
    // Most configuration files have no such URL, and parsing is slow.
    let has_scheme = |scheme: &[u8]| {
        bytes
            .windows(scheme.len())
            .any(|window| window.eq_ignore_ascii_case(scheme))
    };
    if !has_scheme(b"http:") && !has_scheme(b"ws:") && !has_scheme(b"\\u") {
        return Vec::new();
    }
    let reading = read_config(name, bytes).unwrap_or_else(|| read_foreign_config(name, bytes));
    let mut found = plain_http_findings(&reading);
    for (finding, url) in found.iter_mut().zip(plain_http_servers(&reading)) {
        finding.line = line_of(bytes, &url);
    }
    found
}

fn plain_http_rule() -> &'static AuditRule {
    AUDIT_RULES
        .iter()
        .find(|rule| matches!(rule.detection, Detection::PlainHttpServers))
        .expect("servers have a rule")
}

/// The line of a string, from one; the first line if it is written with escapes.
fn line_of(bytes: &[u8], string: &str) -> usize {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let has = |line: &[u8]| {
        line.windows(string.len())
            .any(|window| window == string.as_bytes())
    };
    lines.position(has).map_or(1, |number| number + 1)
}
