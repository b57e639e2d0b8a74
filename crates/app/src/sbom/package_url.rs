//! Package URLs, and the locations that package managers download from.

use crate::sbom::component::SbomComponent;

/// The host and path of a repository URL: of `https://HOST/PATH.git`, `ssh://git@HOST/PATH` or `git@HOST:PATH`.
struct RepositoryUrl {
    host: String,
    path: String,
}

impl RepositoryUrl {
    fn parse(url: &str) -> Option<Self> {
        let rest = match url.split_once("://") {
            Some(("https" | "http" | "ssh" | "git", rest)) => rest.to_owned(),
            Some(_) => return None,
            None => {
                let (host, path) = url.split_once(':')?;
                if !host.contains('@') || path.starts_with('/') {
                    return None;
                }
                format!("{host}/{path}")
            }
        };
        let (authority, path) = rest.split_once('/')?;
        let host = authority.rsplit('@').next().unwrap_or(authority);
        let path = path.trim_end_matches('/').trim_end_matches(".git");
        (!host.is_empty() && !path.is_empty()).then(|| RepositoryUrl {
            host: host.to_lowercase(),
            path: path.to_owned(),
        })
    }
}

/// The URL of a repository as an IRI: `git@HOST:PATH` is none.
pub fn repository_iri(url: &str) -> String {
    match url.split_once(':') {
        Some((host, path)) if host.contains('@') && !url.contains("://") => {
            format!("ssh://{host}/{path}")
        }
        _ => url.replace(' ', "%20"),
    }
}

/// The package URL of a component; `None` for a local one.
pub fn package_url(component: &SbomComponent) -> Option<String> {
    let url = component.url.as_deref()?;
    let repository = RepositoryUrl::parse(url)?;
    let commit = component.commit.as_ref()?;
    let path = component.path.as_deref().unwrap_or_default();
    let path = path.trim_matches('/');
    let subpath = match path {
        "" | "." => String::new(),
        path => format!("#{}", encoded(path)),
    };
    // These types are registered for their hosts, and their names have no case.
    let kind = match repository.host.as_str() {
        "github.com" => Some("github"),
        "bitbucket.org" => Some("bitbucket"),
        _ => None,
    };
    if let Some(kind) = kind {
        let path = encoded(&repository.path.to_lowercase());
        return Some(format!("pkg:{kind}/{path}@{commit}{subpath}"));
    }
    let location = download_location(component)?;
    let location = location.split('#').next().unwrap_or_default();
    let name = repository.path.rsplit('/').next().unwrap_or_default();
    Some(format!(
        "pkg:generic/{}@{commit}?vcs_url={}{subpath}",
        encoded(name),
        encoded_value(location),
    ))
}

/// The location that a component is fetched from, as SPDX writes it; `None` for a local one.
pub fn download_location(component: &SbomComponent) -> Option<String> {
    let url = component.url.as_deref()?;
    let repository = RepositoryUrl::parse(url)?;
    let commit = component.commit.as_ref()?;
    let path = component.path.as_deref().unwrap_or_default();
    let path = match path.trim_matches('/') {
        "" | "." => String::new(),
        path => format!("#{}", encoded(path)),
    };
    let scheme = match url.split_once("://") {
        Some((scheme, _)) => scheme,
        None => "ssh",
    };
    let user = if scheme == "ssh" { "git@" } else { "" };
    let RepositoryUrl { host, path: name } = repository;
    Some(format!(
        "git+{scheme}://{user}{host}/{}@{commit}{path}",
        encoded(&name)
    ))
}

/// Percent-encodes a path, whose slashes stay.
fn encoded(path: &str) -> String {
    encode(path, b"-._~/")
}

/// Percent-encodes the value of a qualifier.
fn encoded_value(value: &str) -> String {
    encode(value, b"-._~/:")
}

fn encode(text: &str, kept: &[u8]) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn component(url: &str, path: &str) -> SbomComponent {
        SbomComponent {
            url: Some(url.to_owned()),
            path: Some(path.to_owned()),
            commit: COMMIT.parse().ok(),
            ..SbomComponent::default()
        }
    }

    #[test]
    fn hosts_with_a_type_have_it() {
        for (url, path, expected) in [
            (
                "https://github.com/Anthropics/skills.git",
                "skills/pdf",
                format!("pkg:github/anthropics/skills@{COMMIT}#skills/pdf"),
            ),
            (
                "git@github.com:acme/agents.git",
                ".",
                format!("pkg:github/acme/agents@{COMMIT}"),
            ),
            (
                "https://git.corp/a b/agents",
                "x",
                format!(
                    "pkg:generic/agents@{COMMIT}?vcs_url=git%2Bhttps://git.corp/a%2520b/agents%40{COMMIT}#x"
                ),
            ),
        ] {
            assert_eq!(package_url(&component(url, path)), Some(expected), "{url}");
        }
    }

    #[test]
    fn local_sources_have_no_address() {
        for url in ["../library", "/srv/library", "file:///srv/library"] {
            assert_eq!(package_url(&component(url, "x")), None, "{url}");
            assert_eq!(download_location(&component(url, "x")), None, "{url}");
        }
    }

    #[test]
    fn the_location_names_scheme_commit_and_path() {
        for (url, expected) in [
            (
                "https://github.com/acme/agents.git",
                format!("git+https://github.com/acme/agents@{COMMIT}#skills/pdf"),
            ),
            (
                "git@github.com:acme/agents.git",
                format!("git+ssh://git@github.com/acme/agents@{COMMIT}#skills/pdf"),
            ),
        ] {
            let location = download_location(&component(url, "skills/pdf"));
            assert_eq!(location, Some(expected), "{url}");
        }
    }
}
