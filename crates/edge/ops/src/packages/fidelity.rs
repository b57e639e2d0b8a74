//! What a tool's own form cannot say is told, and never permits more in silence.

use agpm_diag::{Diagnostic, Severity, codes};
use agpm_render::{Fate, FateKind};

use crate::failure::{Failure, Notes};
use crate::install::Fidelity;
use crate::packages::made::Made;
use crate::packages::resolve::ResolvedEntry;

/// Tells where more is permitted than the author wrote; if everything must be kept, every loss is an error.
pub(crate) fn check(
    entries: &[ResolvedEntry],
    made: &[Made],
    fidelity: Fidelity,
    notes: &mut Notes,
) -> Result<(), Failure> {
    for (resolved, made) in entries.iter().zip(made) {
        let told = |fate: &&Fate| match fidelity {
            Fidelity::Tell => fate.kind == FateKind::Widened,
            Fidelity::Strict => fate.kind != FateKind::Exact,
        };
        notes
            .diagnostics
            .extend(made.fates.iter().filter(told).map(|fate| finding(resolved, fate, fidelity)));
    }
    notes.check()
}

fn finding(resolved: &ResolvedEntry, fate: &Fate, fidelity: Fidelity) -> Diagnostic {
    let (name, tool) = (resolved.label(), &resolved.entry.tool);
    let message = format!("{name} for {tool}: `{}` is {}: {}", fate.field, fate.kind.word(), fate.note);
    let help = match fidelity {
        Fidelity::Tell => {
            "`agpm install --dry-run -v` shows every field; `--strict-fidelity` makes it an error"
        }
        Fidelity::Strict => {
            "use a tool that can say it, change the resource, or leave out `--strict-fidelity`"
        }
    };
    let mut diagnostic = Diagnostic::new(&codes::TOOL_FIDELITY, message).help(help);
    if fidelity == Fidelity::Strict {
        diagnostic.severity = Severity::Error;
    }
    diagnostic
}
