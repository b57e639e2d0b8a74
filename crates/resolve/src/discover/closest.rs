use std::cmp::Reverse;

use agpm_diag::nearest;

use crate::discover::candidate::Candidate;
use crate::discover::matching::SearchQuery;

/// The candidates whose names or descriptions are most like a name, best first: one that is spelled almost the same, then
/// those that a search finds.
pub fn closest<'c>(candidates: &'c [Candidate], name: &str, most: usize) -> Vec<&'c Candidate> {
    let names = candidates.iter().map(|one| one.name.as_str());
    let similar = nearest(name, names);
    let query = SearchQuery::parse(&name.replace(['/', ':', '-', '_'], " "));
    let mut found: Vec<_> = candidates
        .iter()
        .filter_map(|one| {
            let about = one.description.as_deref().unwrap_or_default();
            let is_similar = similar == Some(one.name.as_str());
            let score = query.score(&one.name, about);
            (is_similar || score.is_some()).then_some((Reverse(is_similar), Reverse(score), one))
        })
        .collect();
    found.sort_by_key(|(similar, score, _)| (*similar, *score));
    let mut closest: Vec<&Candidate> = Vec::new();
    for (.., one) in found {
        if !closest.iter().any(|other| other.id() == one.id()) {
            closest.push(one);
        }
    }
    closest.truncate(most);
    closest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::candidate::{CandidateType, PluginMembership, PluginPlacement};

    #[test]
    fn names_that_are_spelled_alike_precede_those_that_a_search_finds() {
        let candidate = |name: &str, about: &str| Candidate {
            kind: CandidateType::Agent,
            name: name.to_owned(),
            declared_name: None,
            path: name.to_owned(),
            description: Some(about.to_owned()),
            membership: PluginMembership::Standalone,
            location: PluginPlacement::Here,
        };
        let all = [
            candidate("README", ""),
            candidate("api-architect", "Designs services in TypeScript"),
            candidate("typescript-mcp-expert", ""),
            candidate("typescript-mcp-expert", ""),
            candidate("typescrit", ""),
            candidate("rust-expert", ""),
        ];
        let names = |name: &str, most| -> Vec<&str> {
            let found = closest(&all, name, most);
            found.into_iter().map(|one| one.name.as_str()).collect()
        };
        assert_eq!(
            names("typescript", 5),
            ["typescrit", "typescript-mcp-expert", "api-architect"]
        );
        assert_eq!(names("typescript", 1), ["typescrit"]);
        assert_eq!(names("zzz", 5), Vec::<&str>::new());
    }
}
