//! Revisions by name, some of which are looked up only when one is needed.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Index;
use std::sync::{Arc, OnceLock};

use crate::digest::Revision;

/// Finds the revision of a name that a source listed without one.
///
/// It never fails: a source that does not answer returns a placeholder, and fails when that revision is fetched. A
/// solver would otherwise take an unanswered question for a missing version, and choose an older one.
pub trait RevisionLookup: Debug + Send + Sync {
    /// Returns the revision that the name has now.
    fn revision_of(&self, name: &str) -> Revision;

    /// Returns whether a revision is the answer of the source, and not a placeholder.
    fn is_answer(&self, revision: &Revision) -> bool;
}

/// The revisions of tags or branches by name.
///
/// git lists both at once. Other sources list names, and each revision costs a request, so it is looked up once, when it
/// is first needed.
#[derive(Clone, Debug, Default)]
pub struct NamedRevisions {
    by_name: BTreeMap<String, OnceLock<Revision>>,
    lookup: Option<Arc<dyn RevisionLookup>>,
}

impl NamedRevisions {
    /// Names whose revisions are looked up when they are needed.
    pub fn looked_up(
        names: impl IntoIterator<Item = String>,
        lookup: Arc<dyn RevisionLookup>,
    ) -> Self {
        let unknown = names.into_iter().map(|name| (name, OnceLock::new()));
        NamedRevisions {
            by_name: unknown.collect(),
            lookup: Some(lookup),
        }
    }

    /// Adds or replaces the revision of a name.
    pub fn insert(&mut self, name: String, revision: Revision) {
        self.by_name.insert(name, OnceLock::from(revision));
    }

    /// The revision of a name, which is looked up if necessary.
    pub fn get(&self, name: &str) -> Option<&Revision> {
        let revision = self.by_name.get(name)?;
        match &self.lookup {
            Some(lookup) => Some(revision.get_or_init(|| lookup.revision_of(name))),
            None => revision.get(),
        }
    }

    /// The revision of a name, if the source answers.
    pub fn get_answered(&self, name: &str) -> Option<&Revision> {
        let revision = self.get(name)?;
        let lookup = self.lookup.as_ref();
        Some(revision).filter(|revision| lookup.is_none_or(|lookup| lookup.is_answer(revision)))
    }

    /// Whether the name exists.
    pub fn contains_key(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// All names, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &String> + Clone {
        self.by_name.keys()
    }

    /// The names whose revisions are known already, with them.
    pub fn known(&self) -> impl Iterator<Item = (&String, &Revision)> {
        let known = self.by_name.iter();
        known.filter_map(|(name, revision)| Some((name, revision.get()?)))
    }

    /// The revision of a name if it is known already.
    pub fn known_revision(&self, name: &str) -> Option<&Revision> {
        self.by_name.get(name)?.get()
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether it has no names.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}

impl PartialEq for NamedRevisions {
    fn eq(&self, other: &Self) -> bool {
        self.by_name == other.by_name
    }
}

impl Eq for NamedRevisions {}

impl Index<&str> for NamedRevisions {
    type Output = Revision;

    fn index(&self, name: &str) -> &Revision {
        self.get(name).expect("the name is one of the keys")
    }
}

impl FromIterator<(String, Revision)> for NamedRevisions {
    fn from_iter<I: IntoIterator<Item = (String, Revision)>>(all: I) -> Self {
        let known = all.into_iter();
        NamedRevisions {
            by_name: known
                .map(|(name, revision)| (name, OnceLock::from(revision)))
                .collect(),
            lookup: None,
        }
    }
}

impl<const N: usize> From<[(String, Revision); N]> for NamedRevisions {
    fn from(all: [(String, Revision); N]) -> Self {
        all.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Mutex;

    use super::*;

    #[derive(Debug, Default)]
    struct CountedLookup(Mutex<Vec<String>>);

    impl RevisionLookup for CountedLookup {
        fn revision_of(&self, name: &str) -> Revision {
            self.0.lock().unwrap().push(name.to_owned());
            "ab".repeat(20).parse().unwrap()
        }

        fn is_answer(&self, _: &Revision) -> bool {
            false
        }
    }

    #[test]
    fn a_revision_is_looked_up_once_and_only_when_it_is_needed() {
        let lookup = Arc::new(CountedLookup::default());
        let names = ["v1", "v2"].map(str::to_owned);
        let revisions = NamedRevisions::looked_up(names, Arc::clone(&lookup) as Arc<_>);
        assert_eq!(revisions.keys().collect::<Vec<_>>(), ["v1", "v2"]);
        assert_eq!(revisions.known().count(), 0);
        assert!(revisions.get("v3").is_none() && lookup.0.lock().unwrap().is_empty());
        assert_eq!(revisions.get("v2"), revisions.get("v2"));
        assert_eq!(*lookup.0.lock().unwrap(), ["v2"]);
        assert_eq!(revisions.known().count(), 1);
        assert!(revisions.get_answered("v2").is_none());
        assert!(revisions.known_revision("v1").is_none());
    }
}
