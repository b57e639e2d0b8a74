use strsim::osa_distance;

use crate::limits::{LONGEST_COMPARED, MOST_LISTED};

/// The candidate that `name` was probably meant to be.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    let lowered = beginning(name);
    // Of a short name one change leaves nothing that two names share by more than chance.
    let is_near = |distance: usize, candidate: &str| {
        let longer = name.chars().count().max(candidate.chars().count());
        distance <= allowed && (distance == 0 || distance * 2 < longer)
    };
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let by_distance = candidates
        .iter()
        .map(|candidate| (osa_distance(&lowered, &beginning(candidate)), candidate))
        .filter(|(distance, candidate)| is_near(*distance, candidate))
        .min()
        .map(|(_, candidate)| *candidate);
    by_distance.or_else(|| completed(&lowered, &candidates))
}

/// The only candidate that continues a name after a hyphen: `claude` is far from `claude-code` by letters alone.
fn completed<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let continues = |candidate: &&&str| {
        let rest = candidate.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('-'))
    };
    let mut found = candidates.iter().filter(continues);
    let only = found.next().filter(|_| !name.is_empty())?;
    found.next().is_none().then_some(*only)
}

/// "did you mean `x`?", or else the list of what there is.
pub fn did_you_mean<'a, I>(name: &str, label: &str, candidates: I) -> Option<String>
where
    I: IntoIterator<Item = &'a str> + Clone,
{
    if let Some(near) = nearest(name, candidates.clone()) {
        return Some(format!("did you mean `{near}`?"));
    }
    let all: Vec<String> = candidates
        .into_iter()
        .take(MOST_LISTED)
        .map(|c| format!("`{c}`"))
        .collect();
    (!all.is_empty()).then(|| format!("{label}: {}", all.join(", ")))
}

/// The compared part of a name, in lower case.
fn beginning(name: &str) -> String {
    name.to_lowercase().chars().take(LONGEST_COMPARED).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_near_name_and_no_far_one() {
        let names = ["deep", "extend-lists", "replace", "smart-lists"];
        assert_eq!(nearest("extnd-lists", names), Some("extend-lists"));
        assert_eq!(nearest("depe", names), Some("deep"));
        assert_eq!(nearest("Replace", names), Some("replace"));
        assert_eq!(nearest("union", names), None);
    }

    #[test]
    fn a_name_that_one_candidate_continues_is_near_it() {
        let tools = ["claude-code", "codex", "copilot", "copilot-cli"];
        assert_eq!(nearest("claude", tools), Some("claude-code"));
        assert_eq!(nearest("Claude", tools), Some("claude-code"));
        assert_eq!(nearest("x", ["x-a", "x-b"]), None);
        assert_eq!(nearest("", ["-a"]), None);
    }

    #[test]
    fn short_names_are_near_by_more_than_their_length() {
        for (name, candidate, expected) in [
            ("a", "b", None),
            ("a", "ab", None),
            ("ab", "xb", None),
            ("ab", "a", None),
            ("ab", "AB", Some("AB")),
            ("ci", "ci2", Some("ci2")),
            ("dve", "dev", Some("dev")),
            ("evn", "env", Some("env")),
        ] {
            assert_eq!(nearest(name, [candidate]), expected, "{name}");
        }
    }
}
