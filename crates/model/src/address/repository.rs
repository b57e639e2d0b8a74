//! Compares the URLs of repositories, and derives their names.

use super::source::{AddressKind, SourceAddress};

/// The name of a repository: the last part of its URL.
pub fn repository_name(url: &str) -> &str {
    let name = without_suffix(url).rsplit(['/', ':', '\\']).next();
    name.filter(|name| !name.is_empty()).unwrap_or("source")
}

/// The part of a URL before the name of the repository: its owner.
pub fn repository_owner(url: &str) -> Option<&str> {
    let url = without_suffix(url);
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    let mut parts = url.rsplit(['/', ':']).skip(1);
    parts.next().filter(|owner| !owner.is_empty())
}

/// The URL of a repository without secrets and without a redundant suffix.
pub(crate) fn repository_url(url: &SourceAddress) -> &str {
    without_suffix(url.redacted())
}

/// Whether two URLs are of one repository: `.git` and `/` at the end are ignored, and `git@host:path` is
/// `ssh://host/path`. https and ssh URLs differ, because credentials may grant access to different repositories.
pub fn same_repository(first: &SourceAddress, second: &SourceAddress) -> bool {
    canonical(first) == canonical(second)
}

/// The canonical form of all URLs of one repository, without secrets.
fn canonical(address: &SourceAddress) -> String {
    match (address.kind(), address.remote()) {
        // With a separate prefix: a directory named like a host must never equal a URL.
        (AddressKind::Directory(path), _) => format!("directory:{}", without_suffix(path)),
        (AddressKind::FileUrl(path), _) => format!("file:{}", without_suffix(path)),
        (AddressKind::Remote, remote) => remote.map_or_else(String::new, |remote| {
            format!("{}://{}", remote.scheme(), remote.location())
        }),
    }
}

fn without_suffix(url: &str) -> &str {
    let url = url.trim_end_matches('/');
    url.strip_suffix(".git").unwrap_or(url)
}

/// Whether text can be the name of an owner, repository, source, plugin or marketplace.
pub(super) fn is_word(text: &str) -> bool {
    let is_plain = |c: char| c.is_alphanumeric() || "._-+".contains(c);
    !text.is_empty() && text.chars().all(is_plain) && !text.starts_with(['.', '-'])
}

/// Whether text can be the name of a repository; `.github` is valid.
pub(super) fn is_repository(text: &str) -> bool {
    is_word(text.strip_prefix('.').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_repository_has_one_name_and_one_owner_however_it_is_written() {
        for (url, owner, name) in [
            ("https://github.com/o/skills.git", Some("o"), "skills"),
            ("git@github.com:o/skills", Some("o"), "skills"),
            ("git@github.com:skills", Some("git@github.com"), "skills"),
            ("https://gitlab.com/g/s/skills/", Some("s"), "skills"),
            ("file:///srv/skills.git", Some("srv"), "skills"),
            ("skills", None, "skills"),
            ("/", None, "source"),
        ] {
            assert_eq!(repository_name(url), name, "{url}");
            assert_eq!(repository_owner(url), owner, "{url}");
        }
    }

    #[test]
    fn equal_urls_are_one_repository_and_https_and_ssh_are_two() {
        let same = |first: &str, second: &str| {
            let parse = |text| SourceAddress::parse(text).unwrap();
            same_repository(&parse(first), &parse(second))
        };
        for (first, second) in [
            ("https://github.com/O/r.git", "https://github.com/o/r/"),
            ("https://token@h/o/r", "https://h/o/r"),
            ("https://www.github.com/o/r", "https://github.com/o/r"),
            ("https://H:443/o/r", "https://h/o/r"),
            ("git@h:o/r.git", "ssh://git@h/o/r"),
            ("git@h:/o/r", "ssh://h:22/o/r.git"),
            ("git@[::1]:o/r", "ssh://git@[::1]/o/r"),
            ("file:///srv/r.git", "file:///srv/r"),
        ] {
            assert!(same(first, second), "{first} {second}");
            assert!(same(second, first), "{second} {first}");
        }
        for (first, second) in [
            ("https://github.com/o/r", "ssh://git@github.com/o/r"),
            ("https://github.com/o/r", "git@github.com:o/r"),
            ("https://h/O/r", "https://h/o/r"),
            ("https://h/o/r", "http://h/o/r"),
            ("https://h:8443/o/r", "https://h/o/r"),
            ("https://h/o/r", "https://h/o/r2"),
            ("file:///srv/r", "/srv/r"),
        ] {
            assert!(!same(first, second), "{first} {second}");
        }
    }
}
