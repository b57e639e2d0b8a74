//! Capabilities of a resource or a layer, the difference between two versions, and the rules of policies.
//!
//! Knows no manifest and no disk: strings and values are handed in.

mod capability;
mod capability_set;
mod change;
mod extract;
mod host;
mod judge;
mod policy_report;
mod policy_set;
mod server_command;
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
pub use host::{ServerHost, host_of};
pub use judge::{
    JudgedContent, JudgedVersion, ReleaseAge, Violation, duration, judge, missing_requirements,
};
pub use policy_report::{PolicyCheckReport, PolicyReport, PolicyRuleReport};
pub use policy_set::{PlacedPolicy, PolicyLocation, PolicySet, UnreachablePolicy};
pub use server_command::ServerCommand;
pub use tool_rule::ToolRule;
