//! URLs as browsers show them: a file or directory of a repository at a branch, tag or commit.

/// What a browser shows of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrowserUrl {
    /// The URL of the repository.
    pub repository: String,
    /// The branch, tag or commit. A name with `/` is cut at the first one: which names exist only the repository knows.
    pub reference: String,
    /// The path from the root of the repository.
    pub path: String,
}

/// What is between the repository and the reference, at GitHub and at GitLab.
const MARKS: [&str; 4] = ["/-/tree/", "/-/blob/", "/tree/", "/blob/"];

impl BrowserUrl {
    /// Reads a URL; nothing if it does not show a path of a repository.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.split(['?', '#']).next().unwrap_or(text);
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"))?;
        let mark = MARKS.iter().find(|mark| rest.contains(*mark))?;
        let (repository, shown) = rest.split_once(mark)?;
        let (reference, path) = shown.split_once('/')?;
        let path = path.trim_end_matches('/');
        let good = repository.split('/').count() >= 3 && !reference.is_empty() && !path.is_empty();
        good.then(|| BrowserUrl {
            repository: format!("https://{repository}"),
            reference: reference.to_owned(),
            path: path.to_owned(),
        })
    }
}

/// What a repository is called: the last part of its URL.
pub fn repository_name(url: &str) -> &str {
    let url = plain(url);
    url.rsplit(['/', ':'])
        .next()
        .filter(|name| !name.is_empty())
        .unwrap_or("source")
}

/// Whether two URLs are of one repository: a `.git` or `/` at the end says nothing.
pub fn same_repository(first: &str, second: &str) -> bool {
    plain(first).eq_ignore_ascii_case(plain(second))
}

fn plain(url: &str) -> &str {
    let url = url.trim_end_matches('/');
    url.strip_suffix(".git").unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_url_is_a_repository_a_reference_and_a_path() {
        let read = |text: &str| {
            BrowserUrl::parse(text).map(|url| [url.repository, url.reference, url.path])
        };
        for (text, expected) in [
            (
                "https://github.com/o/r/tree/main/skills/x",
                Some(["https://github.com/o/r", "main", "skills/x"]),
            ),
            (
                "https://github.com/o/r/blob/v1.0.0/agents/a.md?plain=1#L3",
                Some(["https://github.com/o/r", "v1.0.0", "agents/a.md"]),
            ),
            (
                "https://gitlab.com/g/s/r/-/tree/main/skills/x/",
                Some(["https://gitlab.com/g/s/r", "main", "skills/x"]),
            ),
            ("https://github.com/o/r", None),
            ("https://github.com/o/r/tree/main", None),
            ("https://github.com/tree/main/x", None),
            ("git@github.com:o/r.git", None),
        ] {
            assert_eq!(
                read(text),
                expected.map(|parts| parts.map(str::to_owned)),
                "{text}"
            );
        }
    }

    #[test]
    fn a_repository_has_one_name_however_it_is_written() {
        assert_eq!(repository_name("https://github.com/o/skills.git"), "skills");
        assert_eq!(repository_name("git@github.com:o/skills"), "skills");
        assert!(same_repository(
            "https://github.com/O/r.git",
            "https://github.com/o/r/"
        ));
        assert!(!same_repository(
            "https://github.com/o/r",
            "ssh://github.com/o/r"
        ));
    }
}
