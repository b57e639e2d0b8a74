/// The directories that relative paths start from, absolute and with `/`.
#[derive(Clone, Copy, Debug)]
pub struct BaseDirectories<'a> {
    /// The directory of the manifest.
    pub project: &'a str,
    /// The user's home.
    pub home: Option<&'a str>,
}

impl BaseDirectories<'_> {
    /// A path as a manifest writes it: from its own directory, from home, or absolute.
    pub(super) fn written(&self, path: &str) -> String {
        let full = self.full(path);
        let below = |directory: &str| below(&full, &clean(directory)).map(str::to_owned);
        match (below(self.project), self.home.and_then(below)) {
            (Some(inner), _) if inner.is_empty() => ".".to_owned(),
            (Some(inner), _) => inner,
            (_, Some(inner)) => format!("~/{inner}"),
            _ => full,
        }
    }

    /// Whether a path is the manifest's directory; agent-manager writes `HOME` for home.
    pub(super) fn is_project(&self, path: &str) -> bool {
        let named = match (path.strip_prefix("HOME"), self.home) {
            (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
                format!("{home}{rest}")
            }
            _ => path.to_owned(),
        };
        self.full(&named) == clean(self.project)
    }

    fn full(&self, path: &str) -> String {
        let path = path.replace('\\', "/");
        let home = match path.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                self.home.map(|home| (home, rest))
            }
            _ => None,
        };
        match home {
            Some((home, rest)) => clean(&format!("{home}{rest}")),
            None if is_absolute(&path) => clean(&path),
            None => clean(&format!("{}/{path}", self.project)),
        }
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.as_bytes().get(1) == Some(&b':')
}

/// Removes `.`, `..`, and doubled or final slashes.
fn clean(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() {
        Some(rest)
    } else {
        rest.strip_prefix('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDERS: BaseDirectories<'_> = BaseDirectories {
        project: "/home/ann/shop",
        home: Some("/home/ann"),
    };

    #[test]
    fn a_path_is_written_from_the_nearest_directory() {
        for (path, written) in [
            ("/home/ann/shop/team", "team"),
            ("/home/ann/shop/", "."),
            ("/home/ann/shopping", "~/shopping"),
            ("/home/ann/../ann//a/./b", "~/a/b"),
            ("~/config", "~/config"),
            ("~", "~/"),
            ("~bob/config", "~bob/config"),
            ("/srv/config", "/srv/config"),
            ("team", "team"),
            ("../team", "~/team"),
            ("C:\\config\\x", "C:/config/x"),
        ] {
            assert_eq!(FOLDERS.written(path), written, "{path}");
        }
        let homeless = BaseDirectories {
            home: None,
            ..FOLDERS
        };
        assert_eq!(homeless.written("/home/ann/x"), "/home/ann/x");
        assert_eq!(homeless.written("~/x"), "~/x");
    }

    #[test]
    fn the_directory_of_the_manifest_has_many_names() {
        for (path, is) in [
            ("/home/ann/shop", true),
            ("HOME/shop/", true),
            ("~/shop", true),
            ("HOMES/shop", false),
            ("HOME", false),
            ("/home/ann", false),
        ] {
            assert_eq!(FOLDERS.is_project(path), is, "{path}");
        }
    }
}
