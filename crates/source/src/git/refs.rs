//! The listing of `git ls-remote --symref`.

use agpm_model::{Revision as ObjectId, SourceVersions};

/// Parses a listing; refs other than branches and tags are skipped.
pub(crate) fn parse(listing: &str) -> SourceVersions {
    let mut versions = SourceVersions::default();
    for (value, name) in listing.lines().filter_map(|line| line.split_once('\t')) {
        add(&mut versions, value, name);
    }
    versions
}

fn add(versions: &mut SourceVersions, value: &str, name: &str) {
    if name == "HEAD" {
        if let Some(branch) = value.strip_prefix("ref: refs/heads/") {
            versions.default_branch = Some(branch.to_owned());
        }
        return;
    }
    let Ok(id) = value.parse::<ObjectId>() else {
        return;
    };
    // The line with `^{}` follows the one of the tag itself, and has the commit that an annotated tag points at.
    let tagged = name
        .strip_suffix("^{}")
        .and_then(|name| Some((name, versions.tags.get(name.strip_prefix("refs/tags/")?)?)));
    match tagged.map(|(name, object)| (name, object.clone())) {
        Some((name, object)) => add_ref(versions, name, object, Some(id)),
        None => add_ref(versions, name, id, None),
    }
}

/// Adds a branch or a tag; `peeled` is the commit of an annotated tag. Other refs are skipped.
pub(crate) fn add_ref(
    versions: &mut SourceVersions,
    name: &str,
    id: ObjectId,
    peeled: Option<ObjectId>,
) {
    if let Some(branch) = name.strip_prefix("refs/heads/") {
        versions.branches.insert(branch.to_owned(), id);
    } else if let Some(tag) = name.strip_prefix("refs/tags/") {
        let commit = match peeled {
            Some(commit) => {
                versions.annotated.insert(tag.to_owned(), id);
                commit
            }
            None => id,
        };
        versions.tags.insert(tag.to_owned(), commit);
    }
}

/// Prints the listing without the skipped refs.
pub(crate) fn listing(versions: &SourceVersions) -> String {
    let head = versions
        .default_branch
        .iter()
        .map(|branch| format!("ref: refs/heads/{branch}\tHEAD\n"));
    let branches = versions
        .branches
        .known()
        .map(|(name, id)| format!("{id}\trefs/heads/{name}\n"));
    let tag = |(name, id): (&String, &ObjectId)| match versions.annotated.get(name) {
        Some(object) => {
            format!("{object}\trefs/tags/{name}\n{id}\trefs/tags/{name}^{{}}\n")
        }
        None => format!("{id}\trefs/tags/{name}\n"),
    };
    let tags = versions.tags.known().map(tag);
    head.chain(branches).chain(tags).collect()
}

/// The commits of all refs.
pub(crate) fn commits(versions: &SourceVersions) -> impl Iterator<Item = &ObjectId> {
    let named = versions.branches.known().chain(versions.tags.known());
    named.map(|(_, id)| id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_peeled_and_the_listing_reads_back() {
        let (first, second) = ("1".repeat(40), "2".repeat(40));
        let refs = parse(&format!(
            "ref: refs/heads/main\tHEAD\n{first}\tHEAD\n{first}\trefs/heads/main\n{first}\trefs/pull/1\n\
             {second}\trefs/tags/v1\n{first}\trefs/tags/v1^{{}}\n{second}\trefs/tags/v2\nodd\trefs/tags/v3\n"
        ));
        assert_eq!(refs.default_branch.as_deref(), Some("main"));
        assert_eq!(refs.tags["v1"].as_str(), first);
        assert_eq!(refs.annotated["v1"].as_str(), second);
        assert_eq!(refs.annotated.len(), 1);
        assert_eq!(refs.tags["v2"].as_str(), second);
        assert_eq!((refs.branches.len(), refs.tags.len()), (1, 2));
        assert_eq!(parse(&listing(&refs)), refs);
    }
}
