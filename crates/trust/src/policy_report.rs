//! The reports of `policy show` and `policy check`.

use agpm_model::RuleName;
use serde::Serialize;

/// The extent of a check against the policies.
#[derive(Debug, Serialize)]
pub struct PolicyCheckReport {
    /// The number of policies that apply.
    pub policies: usize,
    /// The number of checked resources and layers.
    pub checked: usize,
}

/// The policies that apply.
#[derive(Debug, Serialize)]
pub struct PolicyReport {
    /// Every rule, from near to far.
    pub rules: Vec<PolicyRuleReport>,
}

/// One rule of a policy.
#[derive(Debug, Serialize)]
pub struct PolicyRuleReport {
    /// The key.
    pub rule: RuleName,
    /// The value of the policy rule report.
    pub value: String,
    /// The file.
    pub file: String,
    /// The line, from one.
    pub line: usize,
}
