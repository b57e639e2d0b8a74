//! Hosts whose names, paths and short forms are known.

/// A host with a short name in URLs.
pub(super) struct KnownHost {
    /// The prefix before `:`.
    pub(super) alias: &'static str,
    pub(super) host: &'static str,
    /// Further names of the same host, for networks that let only web ports pass.
    other_names: &'static [&'static str],
    pub(super) nesting: GroupNesting,
}

/// Whether a repository is always `OWNER/REPO`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GroupNesting {
    Flat,
    Nested,
}

pub(super) const KNOWN_HOSTS: [KnownHost; 4] = [
    KnownHost {
        alias: "github",
        host: "github.com",
        other_names: &["ssh.github.com"],
        nesting: GroupNesting::Flat,
    },
    KnownHost {
        alias: "gitlab",
        host: "gitlab.com",
        other_names: &["altssh.gitlab.com"],
        nesting: GroupNesting::Nested,
    },
    KnownHost {
        alias: "codeberg",
        host: "codeberg.org",
        other_names: &[],
        nesting: GroupNesting::Flat,
    },
    KnownHost {
        alias: "bitbucket",
        host: "bitbucket.org",
        other_names: &["altssh.bitbucket.org"],
        nesting: GroupNesting::Flat,
    },
];

/// The known host with a name, or with another name of it; `www.` is ignored.
pub(super) fn known_host(host: &str) -> Option<&'static KnownHost> {
    let host = host.to_ascii_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    KNOWN_HOSTS
        .iter()
        .find(|host_entry| host_entry.host == host || host_entry.other_names.contains(&host))
}

/// The host that a short name represents.
pub(crate) fn host_of_alias(alias: &str) -> Option<&'static str> {
    let host_entry = KNOWN_HOSTS
        .iter()
        .find(|host_entry| host_entry.alias == alias);
    host_entry.map(|host_entry| host_entry.host)
}
