//! The merge policy of persona documents.

use agpm_merge::{Composition, MergePolicy, ReferencePolicy};
use agpm_model::{
    EmptyRule, IdentityField, ItemRule, ListIdentity, ListRule, MergeOperation, PointerRule,
    Strategy, TextProjection,
};

/// How sections and similar objects read as plain text.
pub(crate) const TEXT: TextProjection = TextProjection {
    title: &["title", "name", "slug", "id", "key"],
    items: &["items"],
    item: &["text", "title", "name", "label"],
};

/// Lists of strings or of maps with a title and items.
pub(crate) const TITLED: &[&str] = &[
    "sections",
    "checklists",
    "horizons",
    "milestones",
    "backlog",
];

/// Lists whose items have an identity; the item of the highest document is used as a whole.
const SELECTED: &[(&str, ListIdentity)] = &[
    ("/contributionMix/primary", by(&[&[&["type"]]])),
    ("/contributionMix/secondary", by(&[&[&["type"]]])),
    ("/focusDomains", by(&[&[&["identifier"]]])),
];

/// Lists whose items are identified by some fields, and whose other fields are filled from lower documents.
const UNITED: &[(&str, ListIdentity)] = &[
    ("/links", by(&[&[&["title"]], &[&["url"]]])),
    ("/entries", by(&[&[&["timestamp"]], &[&["title"]]])),
];

/// Keys that come from one document as a whole.
const WHOLE: &[&str] = &["/notes", "/extensions"];

const fn by(fields: &'static [IdentityField]) -> ListIdentity {
    ListIdentity {
        fields,
        projection: None,
    }
}

/// How the documents of one persona are combined: scalars are the highest that is not blank, lists are united, maps
/// merge, and the tables above define the exceptions. Problems with a reference are reported, and the reference is
/// skipped.
// A profile is for reading, so one unreadable document must not make a persona unavailable. A bottle is a security
// boundary and has the opposite policy.
pub fn policy() -> MergePolicy {
    let titled = ListIdentity {
        fields: &[&[&["slug", "id", "key"], &["title"]]],
        projection: Some(TEXT),
    };
    let titled = TITLED
        .iter()
        .map(|name| (format!("/{name}"), unite(titled, ItemRule::Deep)));
    let united = UNITED
        .iter()
        .map(|(place, identity)| ((*place).to_owned(), unite(*identity, ItemRule::Deep)));
    let selected = SELECTED
        .iter()
        .map(|(place, identity)| ((*place).to_owned(), unite(*identity, ItemRule::Replace)));
    let whole = WHOLE
        .iter()
        .map(|place| ((*place).to_owned(), MergeOperation::Replace));
    let rules = titled
        .chain(united)
        .chain(selected)
        .chain(whole)
        .map(|(place, operation)| PointerRule {
            pattern: place.parse().expect("a good pattern"),
            operation: Some(operation),
            empty: EmptyRule::Blank,
        });
    let strategy = Strategy {
        name: "persona".to_owned(),
        lists: ListRule::By(unite(ListIdentity::WHOLE, ItemRule::Replace)),
        empty: EmptyRule::Blank,
        rules: rules.collect(),
        ..Strategy::default()
    };
    MergePolicy {
        composition: Composition::Merge(strategy),
        references: ReferencePolicy::LENIENT,
    }
}

fn unite(identity: ListIdentity, items: ItemRule) -> MergeOperation {
    MergeOperation::Unite { identity, items }
}
