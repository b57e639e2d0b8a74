use std::collections::BTreeMap;

use agpm_model::ObjectId;

/// What a source lists: its default branch, branches, and tags by the commit that they mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refs {
    /// The default branch.
    pub head: Option<String>,
    /// Branches.
    pub branches: BTreeMap<String, ObjectId>,
    /// Tags; an annotated one has the commit that it points at.
    pub tags: BTreeMap<String, ObjectId>,
}

impl Refs {
    /// Reads a listing as `git ls-remote --symref` prints it; other refs than branches and tags are passed over.
    pub(crate) fn parse(listing: &str) -> Self {
        let mut refs = Refs::default();
        for (value, name) in listing.lines().filter_map(|line| line.split_once('\t')) {
            refs.add(value, name);
        }
        refs
    }

    fn add(&mut self, value: &str, name: &str) {
        if name == "HEAD" {
            let branch = value.strip_prefix("ref: refs/heads/");
            self.head = branch.map(str::to_owned).or_else(|| self.head.take());
            return;
        }
        let Ok(id) = value.parse::<ObjectId>() else {
            return;
        };
        if let Some(branch) = name.strip_prefix("refs/heads/") {
            self.branches.insert(branch.to_owned(), id);
        } else if let Some(tag) = name.strip_prefix("refs/tags/") {
            // The line with `^{}` follows the one of the tag itself, and so it is the one that stays.
            self.tags.insert(tag.trim_end_matches("^{}").to_owned(), id);
        }
    }

    /// The listing again, with what was passed over left out.
    pub(crate) fn listing(&self) -> String {
        let head = self
            .head
            .iter()
            .map(|branch| format!("ref: refs/heads/{branch}\tHEAD\n"));
        let branches = self
            .branches
            .iter()
            .map(|(name, id)| format!("{id}\trefs/heads/{name}\n"));
        let tags = self
            .tags
            .iter()
            .map(|(name, id)| format!("{id}\trefs/tags/{name}\n"));
        head.chain(branches).chain(tags).collect()
    }

    /// Every commit listed.
    pub(crate) fn commits(&self) -> impl Iterator<Item = &ObjectId> {
        self.branches.values().chain(self.tags.values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_peeled_and_the_listing_reads_back() {
        let (one, two) = ("1".repeat(40), "2".repeat(40));
        let refs = Refs::parse(&format!(
            "ref: refs/heads/main\tHEAD\n{one}\tHEAD\n{one}\trefs/heads/main\n{one}\trefs/pull/1\n\
             {two}\trefs/tags/v1\n{one}\trefs/tags/v1^{{}}\n{two}\trefs/tags/v2\nodd\trefs/tags/v3\n"
        ));
        assert_eq!(refs.head.as_deref(), Some("main"));
        assert_eq!(refs.tags["v1"].as_str(), one);
        assert_eq!(refs.tags["v2"].as_str(), two);
        assert_eq!((refs.branches.len(), refs.tags.len()), (1, 2));
        assert_eq!(Refs::parse(&refs.listing()), refs);
    }
}
