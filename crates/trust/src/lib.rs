//! Capabilities of a resource or a layer, the difference between two versions, and the rules of policies.
//!
//! Knows no manifest and no disk: strings and values are handed in.

mod audit;
mod capability;
mod capability_query;
mod capability_set;
mod change;
mod command_pattern;
mod host;
mod judge;
mod locked_set;
mod loosening;
mod policy_report;
mod policy_set;
mod reading;
mod server_command;
mod tool_rule;
mod tool_words;
mod wildcard;

pub use audit::{
    AUDIT_RULES, AuditExample, AuditFinding, AuditRule, AuditScanner, NamedThing, confusable_names,
    plain_http_findings, rule_named, scan,
};
pub use capability::{Capability, CapabilityKind};
pub use capability_query::{CapabilityMatch, CapabilityQuery, CapabilityWay};
pub use capability_set::{
    CapabilityIncrease, CapabilityName, CapabilitySet, PartCapabilities, RunCommand, ToolAccess,
    is_unasked,
};
pub use change::{CapabilityChange, IncreaseApproval};
pub use host::{ServerHost, host_of};
pub use judge::{
    JudgedContent, JudgedVersion, ReleaseAge, Violation, duration, judge, missing_requirements,
};
pub use loosening::loosened_rules;
pub use policy_report::{PolicyCheckReport, PolicyReport, PolicyRuleReport};
pub use policy_set::{PlacedPolicy, PolicyLocation, PolicySet};
pub use reading::{
    CapabilityReading, is_script, read_config, read_config_value, read_foreign_config, read_hooks,
    read_resource, read_servers, unreadable, with_readable_front_matter,
};
pub use server_command::ServerCommand;
pub use tool_rule::ToolRule;
