//! The rules of policies, and the scope of a check against them.

use agpm_diag::counted;
use agpm_trust::{PolicyCheckReport, PolicyReport, PolicyRuleReport};

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport};

/// Every rule with its file and line.
pub fn render_rules(report: PolicyReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    if report.rules.is_empty() {
        return RenderedReport::Empty("No policy applies.");
    }
    let width = |length: fn(&PolicyRuleReport) -> usize| report.rules.iter().map(length).max();
    let rule_width = width(|rule| rule.rule.as_str().len()).unwrap_or_default();
    let value_width = width(|rule| rule.value.len()).unwrap_or_default();
    let line = |rule: &PolicyRuleReport| {
        let location = format!("{}:{}", one_line(&rule.file), rule.line);
        let value = one_line(&rule.value);
        format!(
            "{:<rule_width$}  {value:<value_width$}  {location}\n",
            rule.rule
        )
    };
    RenderedReport::Text(report.rules.iter().map(line).collect())
}

/// The number of checked resources.
pub fn render_check(report: PolicyCheckReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let checked = counted(report.checked, "resource", "resources");
    let policies = counted(report.policies, "policy", "policies");
    RenderedReport::Text(format!("Checked {checked} against {policies}\n"))
}
