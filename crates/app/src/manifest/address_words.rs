//! Separates the arguments of `add` into URLs and names of resources.

use agpm_diag::{Failure, nearest};
use agpm_model::{Address, AddressContext, Manifest, VersionRequirement, masked_address};
use agpm_resolve::discover::CandidateType;

use crate::manifest::{not_an_address, usage};

/// A URL and the names that follow it.
pub struct AddressWords {
    /// The URL as it is typed, without secrets.
    pub typed: String,
    /// The parsed argument.
    pub address: Address,
    /// Names of resources in it.
    pub names: Vec<String>,
}

impl AddressWords {
    /// The URL with a path, as it can be typed; `None` if its form cannot have one.
    pub fn with_path(&self, path: &str) -> Option<String> {
        let inner = match &self.address {
            Address::Repository(found) => &found.inner,
            Address::Source(found) => &found.inner,
            Address::Browser(page) => {
                let (reference, _) = page.first_split();
                return Some(format!("{}//{path}@{reference}", page.url.redacted()));
            }
            Address::Local(_) => {
                return Some(format!("{}/{path}", self.typed.trim_end_matches('/')));
            }
            _ => return None,
        };
        let version = inner
            .requirement
            .as_ref()
            .map(|one| format!("@{}", one.as_str()));
        let version = version.unwrap_or_default();
        Some(match &self.address {
            Address::Source(found) => format!("{}:{path}{version}", found.name),
            _ => format!("{}{path}{version}", self.repository()?),
        })
    }

    /// The repository as it is typed, with what separates it from a path.
    fn repository(&self) -> Option<String> {
        let Address::Repository(found) = &self.address else {
            return None;
        };
        let nests = self.typed.starts_with("gitlab:") || self.typed.split("//").count() > 1;
        if self.typed.contains("://") || self.typed.contains('@') && self.typed.contains(".git") {
            return Some(format!("{}//", found.url.redacted().trim_end_matches('/')));
        }
        let typed = without_requirement(&self.typed, found.inner.requirement.as_ref());
        let path = found.inner.path.as_ref().map(|path| path.as_str());
        let base = path.and_then(|path| typed.strip_suffix(path));
        let base = base.unwrap_or(typed).trim_end_matches('/');
        Some(format!("{base}{}", if nests { "//" } else { "/" }))
    }

    /// The same URL with another requirement.
    fn requiring(&self, requirement: VersionRequirement) -> Result<Self, Failure> {
        let own = match &self.address {
            Address::Repository(found) => found.inner.requirement.as_ref(),
            Address::Source(found) => found.inner.requirement.as_ref(),
            _ => None,
        };
        let typed = without_requirement(&self.typed, own);
        let typed = format!("{typed}@{}", requirement.as_str());
        let Some(address) = self.address.requiring(requirement) else {
            let message = format!("`{}` is a URL or path without versions", self.typed);
            let help = "write the version into the URL, or leave it out".to_owned();
            return Err(usage(message, help));
        };
        Ok(AddressWords {
            typed,
            address,
            names: Vec::new(),
        })
    }
}

fn without_requirement<'t>(typed: &'t str, requirement: Option<&VersionRequirement>) -> &'t str {
    let stated = requirement.map(|one| format!("@{}", one.as_str()));
    let rest = stated.and_then(|stated| typed.strip_suffix(stated.as_str()));
    rest.unwrap_or(typed)
}

/// Reads a URL as this manifest understands it.
pub fn read_address(word: &str, manifest: &Manifest) -> Result<Address, Failure> {
    let is_source = |name: &str| manifest.sources.iter().any(|one| one.name.as_str() == name);
    let context = AddressContext {
        default_host: &manifest.default_host,
        is_source: &is_source,
    };
    Address::parse(word, &context).map_err(|error| not_an_address(word, &error))
}

/// The groups of arguments while they are read.
#[derive(Default)]
struct WordGroups {
    groups: Vec<AddressWords>,
    /// The group of the last URL that was typed.
    current: usize,
    /// URLs after which all names have separate versions: without other names, nothing else of them is meant.
    divided: Vec<usize>,
}

impl WordGroups {
    fn push(&mut self, group: AddressWords) {
        self.current = self.groups.len();
        self.groups.push(group);
    }

    /// Adds a name with a requirement to the group of its URL and requirement.
    fn push_name(&mut self, name: &str, requirement: VersionRequirement) -> Result<(), Failure> {
        let group = self.groups[self.current].requiring(requirement)?;
        self.divided.push(self.current);
        let mut same = self.groups.iter_mut();
        match same.find(|one| one.typed == group.typed) {
            Some(same) => same.names.push(name.to_owned()),
            None => self.groups.push(AddressWords {
                names: vec![name.to_owned()],
                ..group
            }),
        }
        Ok(())
    }

    fn finish(self) -> Vec<AddressWords> {
        let WordGroups {
            groups, divided, ..
        } = self;
        let is_selected =
            |(at, group): &(usize, AddressWords)| !group.names.is_empty() || !divided.contains(at);
        let groups = groups.into_iter().enumerate().filter(is_selected);
        groups.map(|(_, group)| group).collect()
    }
}

/// A bare word that is first is a source; a later one is a source if one has that name, else a resource, with a
/// requirement after `@`.
pub fn group_words(words: &[String], manifest: &Manifest) -> Result<Vec<AddressWords>, Failure> {
    let is_source = |name: &str| manifest.sources.iter().any(|one| one.name.as_str() == name);
    let mut all = WordGroups::default();
    for word in words {
        if let Some(group) = all.groups.get_mut(all.current) {
            if is_name(word, &is_source) {
                group.names.push(word.clone());
                continue;
            }
            // After a plugin of a marketplace comes another one.
            let is_plugin = matches!(group.address, Address::Plugin(_));
            if let Some((name, requirement)) = word.split_once('@').filter(|_| !is_plugin)
                && is_name(name, &is_source)
                && !is_source(requirement)
                && let Ok(requirement) = VersionRequirement::parse(requirement)
            {
                all.push_name(name, requirement)?;
                continue;
            }
        }
        if all.groups.is_empty() && !is_source(word) {
            refuse_other_words(word)?;
        }
        all.push(AddressWords {
            typed: masked_address(word),
            address: read_address(word, manifest)?,
            names: Vec::new(),
        });
    }
    Ok(all.finish())
}

/// Refuses a first word that is a type or a misspelled subcommand.
fn refuse_other_words(word: &str) -> Result<(), Failure> {
    if let Some(kind) = CandidateType::named(word) {
        let message = format!("`{word}` is a resource type");
        let help = format!(
            "`agpm add OWNER/REPO --type {kind}` or `agpm add dep {kind} SOURCE:PATH` adds one"
        );
        return Err(usage(message, help));
    }
    // A longer word, such as `mysource`, is the name of a source that does not exist.
    let near = nearest(word, ["source", "dependency"]);
    match near.filter(|near| near.len().abs_diff(word.len()) <= 1) {
        Some(near) => {
            let message = format!("unrecognized subcommand `{word}`");
            Err(usage(message, format!("did you mean `{near}`?")))
        }
        None => Ok(()),
    }
}

/// Whether an argument after a URL names a resource in it: a bare name, `TYPE/NAME`, or a path in the directory of a type.
fn is_name(word: &str, is_source: &dyn Fn(&str) -> bool) -> bool {
    let is_type = |kind: &str| CandidateType::named(kind).is_some();
    let is_plain = |name: &str| !name.is_empty() && !name.contains(['/', ':', '@']);
    match (word.split_once('/'), word.split_once(':')) {
        (Some((kind, rest)), _) => is_type(kind) && rest.split('/').all(is_plain),
        // A source may be called like a type.
        (None, Some((kind, name))) => is_type(kind) && is_plain(name) && !is_source(kind),
        (None, None) => !is_source(word) && !word.contains('@') && !word.starts_with(['.', '~']),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn groups(words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let groups = group_words(&words, &Manifest::default()).unwrap();
        let show = |group: &AddressWords| format!("{} [{}]", group.typed, group.names.join(" "));
        groups.iter().map(show).collect()
    }

    #[test]
    fn a_name_may_have_its_own_requirement() {
        assert_eq!(groups(&["acme/kit", "a", "b"]), ["acme/kit [a b]"]);
        assert_eq!(groups(&["acme/kit", "a@main"]), ["acme/kit@main [a]"]);
        assert_eq!(
            groups(&["acme/kit", "hooks/guard/hooks.json"]),
            ["acme/kit [hooks/guard/hooks.json]"]
        );
        assert_eq!(
            groups(&["acme/kit@^1", "a@main", "b", "agents/c@main", "o/other"]),
            [
                "acme/kit@^1 [b]",
                "acme/kit@main [a agents/c]",
                "o/other []"
            ]
        );
        assert_eq!(
            groups(&["kit@corp", "bag@corp"]),
            ["kit@corp []", "bag@corp []"]
        );
        let page = [
            "https://github.com/o/r/tree/main/x".to_owned(),
            "a@v1".to_owned(),
        ];
        assert!(group_words(&page, &Manifest::default()).is_err());
    }

    #[test]
    fn a_path_is_added_in_the_form_of_the_url() {
        for (typed, expected) in [
            ("acme/kit", "acme/kit/agents/a.md"),
            ("acme/kit@^1", "acme/kit/agents/a.md@^1"),
            ("acme/kit/skills@v1", "acme/kit/agents/a.md@v1"),
            ("github:acme/kit", "github:acme/kit/agents/a.md"),
            ("gitlab:g/s/kit//x", "gitlab:g/s/kit//agents/a.md"),
            (
                "https://github.com/acme/kit.git",
                "https://github.com/acme/kit.git//agents/a.md",
            ),
            (
                "https://github.com/acme/kit/tree/dev/x",
                "https://github.com/acme/kit//agents/a.md@dev",
            ),
            (
                "git@github.com:acme/kit.git",
                "git@github.com:acme/kit.git//agents/a.md",
            ),
            ("./lib/", "./lib/agents/a.md"),
        ] {
            let words = [typed.to_owned()];
            let group = group_words(&words, &Manifest::default()).unwrap().remove(0);
            assert_eq!(group.with_path("agents/a.md").unwrap(), expected, "{typed}");
        }
    }
}
