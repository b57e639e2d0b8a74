//! The resources of a source, as one string that is searched without being parsed first.
//!
//! A header line, then one line for each resource, with tabs between the fields. Fifty thousand lines are read and matched
//! faster than any parsed form of them could be built.

use crate::discover::candidate::{Candidate, CandidateType};
use crate::discover::description::plain_line;
use crate::discover::matching::{Score, SearchQuery};

// An index of another format is rebuilt, never migrated: everything in it can be read from the source again.
const FORMAT: &str = "agpm-index-1";

/// The inputs of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexHeader {
    /// The URL of the source, without secrets.
    pub url: String,
    /// The commit; empty for a directory.
    pub commit: String,
}

/// A resource in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexRow<'i> {
    /// The type.
    pub kind: CandidateType,
    /// The name of the resource.
    pub name: &'i str,
    /// Its path; empty for the root.
    pub path: &'i str,
    /// The plugin that it belongs to; empty for none.
    pub plugin: &'i str,
    /// The newest version; empty for none.
    pub version: &'i str,
    /// The description of the resource.
    pub description: &'i str,
}

/// The index of a source.
#[derive(Clone, Copy, Debug)]
pub struct SearchIndex<'i> {
    lines: &'i str,
}

impl<'i> SearchIndex<'i> {
    /// The text of an index.
    pub fn encode<'c>(
        header: &IndexHeader,
        rows: impl IntoIterator<Item = (&'c Candidate, String)>,
    ) -> String {
        let mut text = format!("{FORMAT}\t{}\t{}\n", plain_line(&header.url), header.commit);
        for (candidate, version) in rows {
            let plugin = candidate.membership.plugin().unwrap_or_default();
            let description = candidate.description.as_deref().unwrap_or_default();
            let fields = [
                &candidate.name,
                &candidate.path,
                plugin,
                &version,
                description,
            ];
            text.push_str(candidate.kind.singular());
            for field in fields {
                text.push('\t');
                text.push_str(&plain_line(field));
            }
            text.push('\n');
        }
        text
    }

    /// Parses an index; `None` if it is not in this format.
    pub fn decode(text: &'i str) -> Option<(IndexHeader, SearchIndex<'i>)> {
        let (first, lines) = text.split_once('\n')?;
        let mut fields = first.split('\t');
        if fields.next() != Some(FORMAT) {
            return None;
        }
        let header = IndexHeader {
            url: fields.next()?.to_owned(),
            commit: fields.next()?.to_owned(),
        };
        Some((header, SearchIndex { lines }))
    }

    /// The resources that fit, with how well, in the order of the source.
    pub fn search(self, query: &SearchQuery) -> impl Iterator<Item = (Score, IndexRow<'i>)> {
        self.lines.lines().filter_map(move |line| {
            let mut fields = line.splitn(6, '\t');
            let kind = fields.next()?;
            let name = fields.next()?;
            let (path, plugin, version) = (fields.next()?, fields.next()?, fields.next()?);
            let description = fields.next()?;
            let score = query.score(name, description)?;
            let row = IndexRow {
                kind: CandidateType::named(kind)?,
                name,
                path,
                plugin,
                version,
                description,
            };
            Some((score, row))
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::discover::candidate::{PluginMembership, PluginPlacement};

    #[test]
    fn encoded_secrets_are_found() {
        let candidate = Candidate {
            kind: CandidateType::Skill,
            name: "pdf".to_owned(),
            declared_name: None,
            path: "skills/p\tdf".to_owned(),
            description: Some("Reads\nfiles".to_owned()),
            membership: PluginMembership::Part("kit".to_owned()),
            location: PluginPlacement::Here,
        };
        let header = IndexHeader {
            url: "https://h/o/r".to_owned(),
            commit: "abc".to_owned(),
        };
        let text = SearchIndex::encode(&header, [(&candidate, "v1.0.0".to_owned())]);
        let (read, index) = SearchIndex::decode(&text).unwrap();
        assert_eq!(read, header);
        let found: Vec<_> = index
            .search(&SearchQuery::parse("pdf"))
            .map(|(_, row)| row)
            .collect();
        let row = IndexRow {
            kind: CandidateType::Skill,
            name: "pdf",
            path: "skills/p df",
            plugin: "kit",
            version: "v1.0.0",
            description: "Reads files",
        };
        assert_eq!(found, [row]);
        assert!(SearchIndex::decode("other\n").is_none());
        assert!(SearchIndex::decode("").is_none());
    }
}
