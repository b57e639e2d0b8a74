//! The capabilities of a resource or a layer now, compared with those that were locked.

use agpm_model::Owner;
use serde::Serialize;

use crate::capability_set::{CapabilityIncrease, CapabilityName, CapabilitySet};

/// One resource or layer whose capabilities are new, or that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CapabilityChange {
    /// `TYPE/NAME`, or `layers/NAME`.
    pub id: Owner,
    /// The locked set; `None` for something new, or if the set is no longer available.
    pub before: Option<CapabilitySet>,
    /// The set that it has now.
    pub after: CapabilitySet,
    /// The capabilities of `after` beyond `before`.
    pub increase: Vec<CapabilityIncrease>,
}

impl CapabilityChange {
    /// The change from `before`, which may be unknown, to `after`.
    pub fn new(id: Owner, before: Option<CapabilitySet>, after: CapabilitySet) -> Self {
        let usual = CapabilitySet::default_of(&id);
        let increase = after.increases_over(before.as_ref().unwrap_or(&usual));
        CapabilityChange {
            id,
            before,
            after,
            increase,
        }
    }

    /// The capabilities of `before` that `after` lacks.
    pub fn decrease(&self) -> Vec<CapabilityIncrease> {
        let before = self.before.as_ref();
        before.map_or_else(Vec::new, |before| before.increases_over(&self.after))
    }

    /// The tools before and after, if they differ and each is one list.
    pub fn tools(&self) -> Option<(String, String)> {
        let before = self.before.as_ref()?.tools.as_ref()?;
        let after = self.after.tools.as_ref()?;
        (before != after).then(|| (before.to_string(), after.shown_after(before)))
    }

    /// The increases that an approval does not cover.
    pub fn unapproved(&self, approval: IncreaseApproval) -> Vec<&CapabilityIncrease> {
        let is_open = |one: &&CapabilityIncrease| match approval {
            IncreaseApproval::Nothing => true,
            IncreaseApproval::Runs => one.capability != CapabilityName::Runs,
            IncreaseApproval::Everything => false,
        };
        self.increase.iter().filter(is_open).collect()
    }
}

/// The approved increases of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncreaseApproval {
    /// No increase is approved.
    Nothing,
    /// Commands and files that run, as `allow-executables` has it.
    Runs,
    /// All increases are approved.
    Everything,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capability_set::ToolAccess;
    use crate::tool_rule::ToolRule;

    fn skill_with(rules: &str, command: &str) -> CapabilitySet {
        let rules = ToolRule::parse_list(rules).into_iter().collect();
        let mut set = CapabilitySet {
            tools: Some(ToolAccess::Listed(rules)),
            ..CapabilitySet::default()
        };
        set.add_command(command.to_owned());
        set
    }

    #[test]
    fn permission_to_run_covers_no_tools() {
        let before = skill_with("Read", "a.sh");
        let after = skill_with("Read, Bash(*)", "b.sh");
        let change = CapabilityChange::new(Owner::from("skills/pdf"), Some(before), after);
        let open = |approval| {
            let open = change.unapproved(approval).into_iter();
            open.map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            open(IncreaseApproval::Nothing),
            ["runs b.sh", "tools Bash(*)"]
        );
        assert_eq!(open(IncreaseApproval::Runs), ["tools Bash(*)"]);
        assert!(open(IncreaseApproval::Everything).is_empty());
    }

    #[test]
    fn incomparable_capabilities_are_an_increase() {
        let after = skill_with("Read", "a.sh");
        let change = CapabilityChange::new(Owner::from("skills/pdf"), None, after);
        let found: Vec<String> = change.increase.iter().map(ToString::to_string).collect();
        assert_eq!(found, ["runs a.sh", "tools Read"]);
    }
}
