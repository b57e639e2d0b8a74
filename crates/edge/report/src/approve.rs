//! The programs of a project, and whether they may run.

use agpm_ops::ProjectPrograms;

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport};

/// One line for each program.
pub fn lines(programs: &ProjectPrograms) -> String {
    programs
        .lines()
        .iter()
        .map(|line| format!("{}\n", one_line(line)))
        .collect()
}

/// Programs that were approved just now.
pub fn render_approved(programs: ProjectPrograms, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&programs);
    }
    let count = programs.programs.len();
    let noun = if count == 1 { "program" } else { "programs" };
    RenderedReport::Text(format!(
        "{}Approved {count} {noun} for this project\n",
        lines(&programs)
    ))
}

/// Programs that need no approval.
pub fn render_known(programs: ProjectPrograms, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&programs);
    }
    let summary = if programs.programs.is_empty() {
        "No executables to approve"
    } else {
        "Already approved"
    };
    RenderedReport::Text(format!("{}{summary}\n", lines(&programs)))
}
