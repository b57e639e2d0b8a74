//! The rules of policies that a change removes or loosens.

use std::collections::BTreeSet;

use agpm_model::{Policy, PolicyRow, RuleName};

/// The rules of `before` that `after` does not keep, together. A stricter rule in place of another one keeps it.
pub fn loosened_rules(before: &[Policy], after: &[Policy]) -> Vec<PolicyRow> {
    let rows: Vec<PolicyRow> = after.iter().flat_map(Policy::rows).collect();
    let mut loosened: Vec<PolicyRow> = Vec::new();
    for row in before.iter().flat_map(Policy::rows) {
        let same_rule = rows.iter().filter(|one| one.rule == row.rule);
        let is_kept = !restricts(&row) || same_rule.into_iter().any(|one| keeps(one, &row));
        let is_known = |one: &PolicyRow| one.rule == row.rule && one.value == row.value;
        if !is_kept && !loosened.iter().any(is_known) {
            loosened.push(row);
        }
    }
    loosened
}

/// Whether a rule forbids anything at all.
fn restricts(row: &PolicyRow) -> bool {
    match row.rule {
        RuleName::OnUnreachable => false,
        RuleName::PinnedOnly => row.value == "true",
        RuleName::ExecutablesMode => row.value != "allow",
        _ => true,
    }
}

/// Whether a rule forbids everything that another one of the same name forbids.
fn keeps(after: &PolicyRow, before: &PolicyRow) -> bool {
    match before.rule {
        RuleName::SourcesAllow
        | RuleName::TypesAllow
        | RuleName::ToolsAllow
        | RuleName::AllowHosts
        | RuleName::AllowCommands => values(after).is_subset(&values(before)),
        RuleName::ExecutablesMode => after.value == "deny" || after.value == before.value,
        RuleName::MinReleaseAge => age_of(after) >= age_of(before),
        _ => after.value == before.value,
    }
}

fn values(row: &PolicyRow) -> BTreeSet<&str> {
    row.value
        .split(", ")
        .filter(|one| !one.is_empty())
        .collect()
}

fn age_of(row: &PolicyRow) -> Option<u64> {
    agpm_model::parse_age(&row.value)
}

#[cfg(test)]
mod tests {
    use agpm_text::{Format, parse_alone};
    use proptest::prelude::*;

    use super::*;

    fn policy(text: &str) -> Policy {
        let (policy, mistakes) = Policy::read(&parse_alone(text, Format::Toml).document);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        policy
    }

    fn loosened(before: &str, after: &str) -> Vec<&'static str> {
        let found = loosened_rules(&[policy(before)], &[policy(after)]);
        found.into_iter().map(|row| row.rule.as_str()).collect()
    }

    #[test]
    fn what_forbids_less_is_loosened() {
        for (before, after, expected) in [
            ("[types]\ndeny = [\"hooks\"]", "", "types.deny"),
            (
                "[types]\ndeny = [\"hooks\"]",
                "[types]\ndeny = []",
                "types.deny",
            ),
            (
                "[types]\nallow = [\"agents\"]",
                "[types]\nallow = [\"agents\", \"hooks\"]",
                "types.allow",
            ),
            ("[types]\nallow = []", "", "types.allow"),
            (
                "[executables]\nmode = \"deny\"",
                "[executables]\nmode = \"approve\"",
                "executables.mode",
            ),
            (
                "[versions]\nmin-release-age = \"7d\"",
                "[versions]\nmin-release-age = \"1d\"",
                "versions.min-release-age",
            ),
            (
                "[versions]\npinned-only = true",
                "[versions]\npinned-only = false",
                "versions.pinned-only",
            ),
            (
                "[require]\n\"skills/x\" = \"^2\"",
                "[require]\n\"skills/x\" = \"^1\"",
                "require",
            ),
            (
                "[resources]\ndeny = [{ match = \"github:a/b\" }]",
                "",
                "resources.deny",
            ),
        ] {
            assert_eq!(loosened(before, after), [expected], "{before} {after}");
        }
    }

    #[test]
    fn what_forbids_as_much_or_more_is_not() {
        for (before, after) in [
            ("", "[types]\ndeny = [\"hooks\"]"),
            (
                "[types]\ndeny = [\"hooks\"]",
                "[types]\ndeny = [\"agents\", \"hooks\"]",
            ),
            (
                "[types]\nallow = [\"agents\", \"hooks\"]",
                "[types]\nallow = [\"agents\"]",
            ),
            ("[types]\nallow = [\"agents\"]", "[types]\nallow = []"),
            (
                "[executables]\nmode = \"approve\"",
                "[executables]\nmode = \"deny\"",
            ),
            ("[executables]\nmode = \"allow\"", ""),
            (
                "[versions]\nmin-release-age = \"7d\"",
                "[versions]\nmin-release-age = \"2w\"",
            ),
            ("[versions]\npinned-only = false", ""),
            ("on-unreachable = \"stop\"", ""),
        ] {
            assert!(loosened(before, after).is_empty(), "{before} {after}");
        }
    }

    proptest! {
        #[test]
        fn a_further_policy_loosens_nothing(first in 0usize..4, second in 0usize..4) {
            let texts = ["", "[types]\nallow = []", "[mcp]\nallow-hosts = [\"a\"]", "[versions]\npinned-only = true"];
            let (first, second) = (policy(texts[first]), policy(texts[second]));
            prop_assert!(loosened_rules(std::slice::from_ref(&first), &[first.clone(), second]).is_empty());
        }
    }
}
