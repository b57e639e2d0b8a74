//! All policies that apply, from near to far, and what happens where one of them cannot be read.

use agpm_model::{AuditLevel, ExecutableMode, OnUnreachable, Policy, PolicyRow, ResourceDenial};

use crate::judge::{JudgedContent, ReleaseAge, Violation, judge, missing_requirements};

/// The location of a policy, from near to far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PolicyLocation {
    /// The machine's.
    Machine,
    /// The one that `AGPM_POLICY` names.
    Variable,
    /// The user's configuration.
    User,
    /// A base of the manifest.
    Base,
    /// The manifest itself.
    Project,
    /// The one that `--policy` names.
    Argument,
}

impl PolicyLocation {
    /// Whether it belongs to this machine or its user, and not to what is installed.
    fn is_of_machine(self) -> bool {
        match self {
            PolicyLocation::Machine | PolicyLocation::Variable | PolicyLocation::User => true,
            PolicyLocation::Base | PolicyLocation::Project | PolicyLocation::Argument => false,
        }
    }
}

/// A policy in its location.
#[derive(Clone, Debug)]
pub struct PlacedPolicy {
    /// The location of the policy.
    pub location: PolicyLocation,
    /// The policy.
    pub policy: Policy,
}

/// All policies that apply.
#[derive(Clone, Debug, Default)]
pub struct PolicySet {
    /// From near to far; those of one location in the order in which they were found.
    policies: Vec<PlacedPolicy>,
}

impl PolicySet {
    /// Puts policies in order.
    pub fn new(mut policies: Vec<PlacedPolicy>) -> Self {
        policies.sort_by_key(|placed| placed.location);
        PolicySet { policies }
    }

    /// Whether a run may continue without a policy that cannot be read: only if this machine or its user allows it. A
    /// project, its base or a command could be written by the person who wants to avoid the policy.
    pub fn tolerates_missing(&self) -> bool {
        let warns = |placed: &PlacedPolicy| {
            let answer = placed.policy.on_unreachable.as_ref();
            placed.location.is_of_machine()
                && answer.is_some_and(|rule| rule.value == OnUnreachable::Warn)
        };
        self.policies.iter().any(warns)
    }

    /// Every rule, from near to far.
    pub fn rows(&self) -> Vec<PolicyRow> {
        self.iter().flat_map(Policy::rows).collect()
    }

    /// The number of policies that apply.
    pub fn count(&self) -> usize {
        self.policies.len()
    }

    /// The strictest mode for content that runs something.
    pub fn executable_mode(&self) -> ExecutableMode {
        let modes = self.iter().filter_map(|policy| policy.executables.as_ref());
        let strictest = modes.map(|rule| rule.value).max();
        strictest.unwrap_or(ExecutableMode::Allow)
    }

    /// The severity from which policies forbid findings of the audit; `None` if no policy sets it.
    pub fn audit_level(&self) -> Option<AuditLevel> {
        let levels = self.iter().filter_map(|policy| policy.audit_level.as_ref());
        levels.map(|rule| rule.value).min()
    }

    /// The minimum age of versions for all policies, in seconds; `None` if no policy sets it.
    pub fn min_release_age(&self) -> Option<u64> {
        let ages = self
            .iter()
            .filter_map(|policy| policy.min_release_age.as_ref());
        ages.map(|rule| rule.value.seconds).max()
    }

    /// Whether a policy denies resources, some by version.
    pub fn denies_resources(&self) -> bool {
        self.resource_denials().next().is_some()
    }

    /// The resources that the policies deny.
    pub fn resource_denials(&self) -> impl Iterator<Item = &ResourceDenial> {
        let rules = self.iter().flat_map(|policy| &policy.resources_deny);
        rules.map(|rule| &rule.value)
    }

    /// Everything that one of the policies forbids, or requires and does not find.
    pub fn violations(&self, contents: &[JudgedContent<'_>]) -> Vec<Violation> {
        let mut found = Vec::new();
        for policy in self.iter() {
            found.extend(contents.iter().flat_map(|content| judge(policy, content)));
            found.extend(missing_requirements(policy, contents));
        }
        found
    }

    /// The violations of the policies by versions of bases. A policy in a base does not judge their age: one with a minimum
    /// age would refuse every new version of itself.
    pub fn base_violations(&self, bases: &[JudgedContent<'_>]) -> Vec<Violation> {
        let mut found = Vec::new();
        for PlacedPolicy { location, policy } in &self.policies {
            for base in bases {
                let mut base = base.clone();
                if let Some(version) = &mut base.version
                    && *location == PolicyLocation::Base
                {
                    version.age = ReleaseAge::NotJudged;
                }
                found.extend(judge(policy, &base));
            }
        }
        found
    }

    fn iter(&self) -> impl Iterator<Item = &Policy> {
        self.policies.iter().map(|placed| &placed.policy)
    }
}

#[cfg(test)]
mod tests {
    use agpm_text::{Format, parse_alone};

    use super::*;

    fn placed(location: PolicyLocation, text: &str) -> PlacedPolicy {
        let (policy, mistakes) = Policy::read(&parse_alone(text, Format::Toml).document);
        assert!(mistakes.is_empty(), "{mistakes:?}");
        PlacedPolicy { location, policy }
    }

    #[test]
    fn only_the_machine_and_its_user_let_a_run_go_on_without_a_policy() {
        for (location, expected) in [
            (PolicyLocation::Machine, true),
            (PolicyLocation::Variable, true),
            (PolicyLocation::User, true),
            (PolicyLocation::Base, false),
            (PolicyLocation::Project, false),
            (PolicyLocation::Argument, false),
        ] {
            for (answer, is_warning) in [("warn", true), ("stop", false)] {
                let text = format!("on-unreachable = \"{answer}\"");
                let set = PolicySet::new(vec![placed(location, &text)]);
                let tolerates = set.tolerates_missing();
                assert_eq!(tolerates, expected && is_warning, "{location:?} {answer}");
            }
        }
    }

    #[test]
    fn rules_are_shown_from_near_to_far_and_the_strictest_holds() {
        let set = PolicySet::new(vec![
            placed(PolicyLocation::Argument, "[executables]\nmode = \"allow\""),
            placed(
                PolicyLocation::Project,
                "[versions]\nmin-release-age = \"1d\"",
            ),
            placed(PolicyLocation::Base, "[versions]\nmin-release-age = \"7d\""),
            placed(PolicyLocation::Machine, "[executables]\nmode = \"deny\""),
        ]);
        let values: Vec<String> = set.rows().into_iter().map(|row| row.value).collect();
        assert_eq!(values, ["deny", "7d", "1d", "allow"]);
        assert_eq!(set.executable_mode(), ExecutableMode::Deny);
        assert_eq!(set.min_release_age(), Some(7 * 86_400));
    }
}
