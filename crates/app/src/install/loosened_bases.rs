//! Bases whose policies forbid less than before.

use agpm_diag::{Diagnostic, codes};
use agpm_model::{LockedBase, Policy};
use agpm_trust::loosened_rules;

use crate::install::UnapprovedRefusal;

/// The word that approves it.
pub const BASE_APPROVAL: &str = "base";

/// The refusal of bases that lose or loosen rules; `None` if they keep all of them. A base is content from elsewhere, and
/// its policy was a reason to extend it.
pub fn loosened_bases(before: &[Policy], after: &[Policy]) -> Option<UnapprovedRefusal> {
    let rows = loosened_rules(before, after);
    if rows.is_empty() {
        return None;
    }
    let lines = rows.iter().map(|row| format!("{} {}", row.rule, row.value));
    let message = "a base loosens its policy, which needs approval";
    Some(refusal(message, lines.collect()))
}

/// The refusal where the rules that a base had cannot be read.
pub fn unknown_base_policy(base: &LockedBase) -> UnapprovedRefusal {
    let message = "the former policy of a base cannot be read, so the update needs approval";
    refusal(message, vec![base.name().label()])
}

fn refusal(message: &str, details: Vec<String>) -> UnapprovedRefusal {
    let ids = vec![BASE_APPROVAL.to_owned()];
    let diagnostic = Diagnostic::new(&codes::POLICY_LOOSENED, message).details(details);
    UnapprovedRefusal {
        diagnostic,
        ids,
        manifest_way: None,
    }
}
