//! The results of searching and browsing, the best first.

use std::cmp::Reverse;

use agpm_model::{SourceVersions, VersionLabel, newest_tag};
use serde::Serialize;

use crate::discover::candidate::{Candidate, CandidateType};
use crate::discover::index::{IndexRow, SearchIndex};
use crate::discover::matching::{Score, SearchQuery};

/// The default number of displayed results.
const DEFAULT_LIMIT: usize = 50;

/// The resources to search for.
#[derive(Clone, Debug)]
pub struct ResultFilter {
    /// The query for names and descriptions.
    pub query: SearchQuery,
    /// Only this type.
    pub kind: Option<CandidateType>,
    /// The maximum number of results.
    pub limit: Option<usize>,
}

impl ResultFilter {
    fn is_kind(&self, kind: CandidateType) -> bool {
        self.kind.is_none_or(|selected| selected == kind)
    }
}

/// A resource that fits.
#[derive(Clone, Debug, Serialize)]
pub struct FoundResource {
    /// `TYPE/NAME`.
    pub id: String,
    /// The type.
    #[serde(rename = "type")]
    pub kind: CandidateType,
    /// The name of the found resource.
    pub name: String,
    /// The source of the found resource.
    pub source: String,
    /// The URL of the source, without secrets.
    pub url: String,
    /// Its path in the source; `.` for the root.
    pub path: String,
    /// The newest version; nothing without tags.
    pub version: Option<String>,
    /// The plugin that it belongs to.
    pub plugin: Option<String>,
    /// The description of the found resource.
    pub description: Option<String>,
}

/// The results of a search.
#[derive(Clone, Debug, Serialize)]
pub struct SearchReport {
    /// The words of the query.
    #[serde(skip)]
    pub query: String,
    /// The best first.
    pub resources: Vec<FoundResource>,
    /// The number of all matches.
    pub total: usize,
    /// The number of sources.
    pub sources: usize,
}

/// The index of a source.
#[derive(Clone, Debug)]
pub struct StoredIndex {
    /// The name of the source.
    pub source: String,
    /// Its URL, without secrets.
    pub url: String,
    /// The index as its text.
    pub text: String,
}

impl SearchReport {
    /// Searches the indexes of so many sources; one that cannot be read has nothing.
    pub fn of(indexes: &[StoredIndex], sources: usize, filter: &ResultFilter) -> Self {
        let mut found: Vec<Hit<'_>> = Vec::new();
        for stored in indexes {
            let Some((_, index)) = SearchIndex::decode(&stored.text) else {
                continue;
            };
            let rows = index.search(&filter.query);
            let rows = rows.filter(|(_, row)| filter.is_kind(row.kind));
            found.extend(rows.map(|(score, row)| Hit { score, stored, row }));
        }
        found.sort_by(|left, right| {
            let order = right.score.cmp(&left.score);
            order.then_with(|| left.name_and_source().cmp(&right.name_and_source()))
        });
        let limit = filter.limit.unwrap_or(DEFAULT_LIMIT);
        SearchReport {
            total: found.len(),
            resources: found.iter().take(limit).map(Hit::resource).collect(),
            query: filter.query.to_string(),
            sources,
        }
    }
}

struct Hit<'i> {
    score: Score,
    stored: &'i StoredIndex,
    row: IndexRow<'i>,
}

impl Hit<'_> {
    fn name_and_source(&self) -> [&str; 2] {
        [self.row.name, &self.stored.source]
    }

    fn resource(&self) -> FoundResource {
        let row = &self.row;
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        FoundResource {
            id: format!("{}/{}", row.kind.plural(), row.name),
            kind: row.kind,
            name: row.name.to_owned(),
            source: self.stored.source.clone(),
            url: self.stored.url.clone(),
            path: some(row.path).unwrap_or_else(|| ".".to_owned()),
            version: some(row.version),
            plugin: some(row.plugin),
            description: some(row.description),
        }
    }
}

/// A resource of a source.
#[derive(Clone, Debug, Serialize)]
pub struct OfferedResource {
    /// `TYPE/NAME`.
    pub id: String,
    /// The type.
    #[serde(rename = "type")]
    pub kind: CandidateType,
    /// The name of the offered resource.
    pub name: String,
    /// The description of the offered resource.
    pub description: Option<String>,
    /// The newest version; nothing without tags.
    pub version: Option<String>,
    /// Its path in the source; `.` for the root.
    pub path: String,
    /// The plugin that it belongs to.
    pub plugin: Option<String>,
}

/// The candidates of a source that fit, best first if something is looked for, and how many there are in all.
#[derive(Debug)]
pub struct FittingCandidates {
    /// As many as are shown.
    pub resources: Vec<OfferedResource>,
    /// The number of all matches.
    pub total: usize,
}

impl FittingCandidates {
    /// Filters and ranks candidates; only a source with tags has versions.
    pub fn of(
        candidates: &[Candidate],
        versions: Option<&SourceVersions>,
        filter: &ResultFilter,
    ) -> Self {
        let mut found: Vec<(Score, &Candidate)> = candidates
            .iter()
            .filter(|one| filter.is_kind(one.kind))
            .filter_map(|one| {
                let about = one.description.as_deref().unwrap_or_default();
                Some((filter.query.score(&one.name, about)?, one))
            })
            .collect();
        if !filter.query.is_empty() {
            found.sort_by_key(|(score, _)| Reverse(*score));
        }
        let limit = filter.limit.unwrap_or(usize::MAX);
        let page = found.iter().take(limit);
        FittingCandidates {
            total: found.len(),
            resources: page.map(|(_, one)| offered(one, versions)).collect(),
        }
    }
}

fn offered(one: &Candidate, versions: Option<&SourceVersions>) -> OfferedResource {
    let is_root = one.path.is_empty();
    OfferedResource {
        id: one.id(),
        kind: one.kind,
        name: one.name.clone(),
        description: one.description.clone(),
        version: versions.and_then(|versions| newest_version(one, versions)),
        path: if is_root { "." } else { &one.path }.to_owned(),
        plugin: one.membership.plugin().map(str::to_owned),
    }
}

/// The newest version of a candidate, by its own tags or by those of the whole source.
pub fn newest_version(one: &Candidate, versions: &SourceVersions) -> Option<String> {
    let names = [one.id(), one.name.clone(), one.path.clone()];
    let tag = newest_tag(versions.tags.keys().map(String::as_str), &names)?;
    Some(tag.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::candidate::{PluginMembership, PluginPlacement};
    use crate::discover::index::IndexHeader;

    fn candidate(kind: CandidateType, name: &str) -> Candidate {
        Candidate {
            kind,
            name: name.to_owned(),
            declared_name: None,
            path: String::new(),
            description: None,
            membership: PluginMembership::Standalone,
            location: PluginPlacement::Here,
        }
    }

    fn index(source: &str, names: &[&str]) -> StoredIndex {
        let header = IndexHeader {
            url: String::new(),
            commit: String::new(),
        };
        let agent = CandidateType::named("agent").expect("a type");
        let candidates: Vec<Candidate> = names.iter().map(|name| candidate(agent, name)).collect();
        let rows = candidates.iter().map(|one| (one, String::new()));
        StoredIndex {
            source: source.to_owned(),
            url: String::new(),
            text: SearchIndex::encode(&header, rows),
        }
    }

    #[test]
    fn the_best_hits_of_all_sources_come_first_and_ties_are_sorted() {
        let indexes = [
            index("b", &["review", "reviewer"]),
            index("a", &["review", "writer"]),
        ];
        let filter = ResultFilter {
            query: SearchQuery::parse("review"),
            kind: None,
            limit: Some(2),
        };
        let report = SearchReport::of(&indexes, 2, &filter);
        assert_eq!(report.total, 3);
        let found = report.resources.iter();
        let found: Vec<String> = found
            .map(|one| format!("{}:{}", one.source, one.name))
            .collect();
        assert_eq!(found, ["a:review", "b:review"]);
    }
}

/// The result of `browse`.
#[derive(Clone, Debug, Serialize)]
pub struct BrowseReport {
    /// The name of the source in the manifest, or the name that `add` would give it.
    pub source: String,
    /// The URL without secrets; `None` for a directory.
    pub url: Option<String>,
    /// The tag or branch that was read.
    pub version: Option<VersionLabel>,
    /// The resources that match; the best match comes first if there is a query.
    pub resources: Vec<OfferedResource>,
    /// The number of matches before the limit was applied.
    pub total: usize,
    /// The URLs of the repositories, if the URL is a directory of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<String>,
}
