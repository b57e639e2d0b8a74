//! What a resource or a layer lets a tool do, how two versions of it differ, and what policies allow.
//!
//! Knows no manifest and no disk: texts and values are handed in.

mod capability;
mod capability_set;
mod change;
mod extract;
mod judge;
mod policy_report;
mod policy_set;
mod tool_rule;
mod wildcard;

pub use capability::{
    Capability, CapabilityKind, capabilities_of, capabilities_of_markdown, runs_of,
};
pub use capability_set::{
    CapabilityIncrease, CapabilityName, CapabilitySet, RunCommand, ToolAccess,
};
pub use change::{CapabilityChange, IncreaseApproval};
pub use extract::{
    capability_set_of_instructions, capability_set_of_markdown, capability_set_of_value,
};
pub use judge::{
    JudgedContent, JudgedVersion, ReleaseAge, Violation, duration, judge, missing_requirements,
};
pub use policy_report::{PolicyCheckReport, PolicyReport, PolicyRuleReport};
pub use policy_set::{PlacedPolicy, PolicyPlace, PolicySet, UnreachablePolicy};
pub use tool_rule::ToolRule;
