//! Tracks which rules may still match further down.

use agpm_model::{
    EmptyRule, MergeOperation, PatternProgress, PointerPattern, PointerRule, Strategy,
};

/// The rules and deletions of a strategy, prepared for descending.
pub(crate) struct RuleSet<'s> {
    rules: Vec<&'s PointerRule>,
    unset: Vec<PointerPattern>,
    empty: EmptyRule,
}

/// The rules that may still match under a pointer.
#[derive(Clone, Debug, Default)]
pub(crate) struct PendingRules {
    rules: Vec<(usize, PatternProgress)>,
    unset: Vec<(usize, PatternProgress)>,
}

impl<'s> RuleSet<'s> {
    /// Sorts rules by specificity, so the first match applies; of equal ones the last one wins.
    pub(crate) fn new(strategy: &'s Strategy) -> Self {
        let mut rules: Vec<&PointerRule> = strategy.rules.iter().rev().collect();
        rules.sort_by_key(|rule| std::cmp::Reverse(rule.pattern.specificity()));
        let unset = strategy.unset.iter().map(PointerPattern::literal).collect();
        RuleSet {
            rules,
            unset,
            empty: strategy.empty,
        }
    }

    pub(crate) fn start(&self) -> PendingRules {
        PendingRules {
            rules: self
                .rules
                .iter()
                .enumerate()
                .map(|(at, rule)| (at, rule.pattern.start()))
                .collect(),
            unset: self
                .unset
                .iter()
                .enumerate()
                .map(|(at, pattern)| (at, pattern.start()))
                .collect(),
        }
    }

    pub(crate) fn step(&self, reach: &PendingRules, step: &str) -> PendingRules {
        let rules = reach.rules.iter();
        let unset = reach.unset.iter();
        PendingRules {
            rules: rules
                .filter_map(|(at, m)| Some((*at, self.rules[*at].pattern.step(m, step)?)))
                .collect(),
            unset: unset
                .filter_map(|(at, m)| Some((*at, self.unset[*at].step(m, step)?)))
                .collect(),
        }
    }

    /// The rules for this pointer: the one that decides the operation, and the treatment of empty containers.
    pub(crate) fn here(
        &self,
        reach: &PendingRules,
    ) -> (Option<(usize, &'s MergeOperation)>, EmptyRule) {
        let matching = reach
            .rules
            .iter()
            .filter(|(at, m)| self.rules[*at].pattern.is_match(m));
        let rules = matching.map(|(at, _)| (*at, self.rules[*at]));
        let operation = rules
            .clone()
            .find_map(|(at, rule)| Some((at, rule.operation.as_ref()?)));
        let empty = rules
            .map(|(_, rule)| rule.empty)
            .find(|empty| *empty != EmptyRule::Value);
        (operation, empty.unwrap_or(self.empty))
    }

    /// The deletion that matches this pointer.
    pub(crate) fn unset_here(&self, reach: &PendingRules) -> Option<usize> {
        reach
            .unset
            .iter()
            .find(|(at, m)| self.unset[*at].is_match(m))
            .map(|(at, _)| *at)
    }
}

impl PendingRules {
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.unset.is_empty()
    }

    /// Only rules that are more specific than this one, and all deletions.
    pub(crate) fn more_specific_than(&self, rule: usize) -> PendingRules {
        let rules = self
            .rules
            .iter()
            .filter(|(at, _)| *at < rule)
            .cloned()
            .collect();
        PendingRules {
            rules,
            unset: self.unset.clone(),
        }
    }

    pub(crate) fn may_unset(&self) -> bool {
        !self.unset.is_empty()
    }
}
