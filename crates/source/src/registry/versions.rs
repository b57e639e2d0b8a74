//! Tags as versions and branches.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use agpm_model::{
    Checksum, NamedRevisions, Revision, RevisionLookup, SourceVersions, VersionLabel,
};

use super::cache::RepositoryCache;
use super::content::ContentStore;
use crate::SourceError;

/// The tag that registries give to the newest version.
const LATEST: &str = "latest";

/// Looks up the digests of tags, once each, and remembers them for offline use.
#[derive(Debug)]
pub(crate) struct TagLookup {
    store: Arc<dyn ContentStore>,
    cache: Arc<RepositoryCache>,
    /// Tags whose digest could not be looked up, by the placeholder that was returned instead.
    unanswered: Mutex<BTreeMap<Revision, String>>,
    /// Held while the record in the cache is replaced.
    recording: Mutex<()>,
}

impl TagLookup {
    pub(crate) fn new(store: Arc<dyn ContentStore>, cache: Arc<RepositoryCache>) -> Self {
        TagLookup {
            store,
            cache,
            unanswered: Mutex::default(),
            recording: Mutex::default(),
        }
    }

    /// Returns why a revision is a placeholder; `None` if it is not one.
    pub(crate) fn failure_of(&self, revision: &Revision) -> Option<SourceError> {
        let unanswered = self.unanswered.lock();
        let unanswered = unanswered.unwrap_or_else(PoisonError::into_inner);
        let tag = unanswered.get(revision)?.clone();
        drop(unanswered);
        Some(match self.store.digest_of(&tag) {
            Err(error) => error,
            Ok(_) => SourceError::Unreachable(format!(
                "`{}` did not answer for the tag `{tag}`",
                self.store.label()
            )),
        })
    }

    fn record(&self, tag: &str, digest: &Revision) {
        let _recording = self.recording.lock();
        let mut record = self.cache.tags().unwrap_or_default();
        let digest = Some(digest.to_string());
        if record.tags.get(tag) != Some(&digest) {
            record.tags.insert(tag.to_owned(), digest);
            // Only offline commands miss it.
            let _ = self.cache.remember_tags(&record);
        }
    }

    fn remembered(&self, tag: &str) -> Option<Revision> {
        self.cache.tags()?.tags.get(tag)?.as_ref()?.parse().ok()
    }
}

impl RevisionLookup for TagLookup {
    fn is_answer(&self, revision: &Revision) -> bool {
        let unanswered = self.unanswered.lock();
        !unanswered
            .unwrap_or_else(PoisonError::into_inner)
            .contains_key(revision)
    }

    fn revision_of(&self, name: &str) -> Revision {
        let tag = tag_of(name);
        if self.store.is_out_of_reach()
            && let Some(digest) = self.remembered(&tag)
        {
            return digest;
        }
        match self.store.digest_of(&tag) {
            Ok(digest) => {
                self.record(&tag, &digest);
                digest
            }
            Err(_) => {
                let label = self.store.label();
                let text = format!("no answer\0{label}\0{tag}");
                let placeholder = Revision::from(Checksum::of(text.as_bytes()));
                let unanswered = self.unanswered.lock();
                unanswered
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(placeholder.clone(), tag);
                placeholder
            }
        }
    }
}

/// Returns the versions that tags are. Tags that are not versions are branches, and `latest` is the default one.
pub(crate) fn versions_of(
    tags: impl Iterator<Item = String>,
    lookup: &Arc<TagLookup>,
) -> SourceVersions {
    let names = tags
        .filter(|tag| !is_reference(tag))
        .map(|tag| label_of(&tag));
    let is_version = |name: &String| VersionLabel::new(name).version().is_some();
    let (versions, branches): (Vec<String>, Vec<String>) = names.partition(is_version);
    let has_latest = branches.iter().any(|name| name == LATEST);
    let looked_up = |names: Vec<String>| {
        NamedRevisions::looked_up(names, Arc::clone(lookup) as Arc<dyn RevisionLookup>)
    };
    SourceVersions {
        default_branch: has_latest.then(|| LATEST.to_owned()),
        branches: looked_up(branches),
        tags: looked_up(versions),
        annotated: BTreeMap::new(),
    }
}

/// Tags that other programs use to attach things to a digest, such as signatures.
fn is_reference(tag: &str) -> bool {
    let digits = tag.strip_prefix("sha256-").and_then(|rest| rest.get(..64));
    digits.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// A tag has no `+`, so build metadata of a version follows a `_`.
fn label_of(tag: &str) -> String {
    if VersionLabel::new(tag).version().is_none() {
        let with_plus = tag.replacen('_', "+", 1);
        if VersionLabel::new(&with_plus).version().is_some() {
            return with_plus;
        }
    }
    tag.to_owned()
}

/// The tag of a version.
pub(crate) fn tag_of(version: &str) -> String {
    version.replace('+', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_metadata_is_kept_in_tags() {
        for (tag, label) in [
            ("1.0.0_build.5", "1.0.0+build.5"),
            ("v1.0.0-rc.1_x", "v1.0.0-rc.1+x"),
            ("1.0.0", "1.0.0"),
            ("a_b", "a_b"),
            ("pdf_1.0.0", "pdf_1.0.0"),
        ] {
            assert_eq!(label_of(tag), label);
            assert_eq!(tag_of(label), tag);
        }
    }

    #[test]
    fn signatures_are_not_versions() {
        let digits = "a".repeat(64);
        assert!(is_reference(&format!("sha256-{digits}")));
        assert!(is_reference(&format!("sha256-{digits}.sig")));
        assert!(!is_reference("sha256-abc"));
    }
}
