//! The programs of a project, and whether they may run.

use agpm_app::project::permits::ProjectPrograms;

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
    let count = programs.waiting.len();
    let summary = match (count, programs.programs.is_empty()) {
        (0, true) => "No executables to approve".to_owned(),
        (0, false) => "Already approved".to_owned(),
        (1, _) => "1 resource waits for approval".to_owned(),
        (count, _) => format!("{count} resources wait for approval"),
    };
    RenderedReport::Text(format!("{}{summary}\n", lines(&programs)))
}
