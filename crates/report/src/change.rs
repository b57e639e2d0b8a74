//! A change of the manifest, and the install after it.

use agpm_app::change::ChangeReport;
use agpm_app::project::write_mode::WriteMode;
use agpm_diag::command_line;
use agpm_model::masked_address;

use crate::install;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::StyledLine;

/// A source that was added for dependencies of the user.
pub struct UserSource {
    /// The name of the source.
    pub name: String,
    /// Its URL, as it was typed.
    pub url: String,
}

impl UserSource {
    /// The sources of a user may be in two files, which serve different dependencies.
    fn line(&self) -> String {
        let url = masked_address(&self.url);
        let command = command_line(["agpm", "config", "add-source", &self.name, &url]);
        format!(
            "Only dependencies added with `-g` use this source. To use it in every project, run `{command}`"
        )
    }
}

/// The change as text or as a document.
pub fn render(report: ChangeReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let mut lines = vec![StyledLine::plain(done_line(&report))];
    if let Some(installed) = &report.installed {
        lines.extend(install::styled_lines(
            installed,
            context.pen.detail,
            context.screen.elapsed,
        ));
    }
    RenderedReport::DoneLines(lines)
}

/// Formats `remove agents/a` as "Removed agents/a from agpm.toml". The words of the change are those of `agpm undo
/// --list`.
fn done_line(report: &ChangeReport) -> String {
    let done = &report.done;
    let (verb, object) = done.split_once(' ').unwrap_or((done, ""));
    let known = VERBS.iter().find(|words| words.verb == verb);
    let Some(words) = known else {
        return format!("Changed {}: {done}", report.file);
    };
    let verb = match report.writing {
        WriteMode::Apply => words.done.to_owned(),
        WriteMode::Show => format!("Would {verb}"),
    };
    match &report.removed {
        Some(manifest) => format!("{verb} {object} and {manifest}, which requires nothing else"),
        None => format!("{verb} {object} {} {}", words.preposition, report.file),
    }
}

/// The words for a change of the manifest.
struct VerbWords {
    verb: &'static str,
    done: &'static str,
    preposition: &'static str,
}

const VERBS: [VerbWords; 4] = [
    VerbWords {
        verb: "add",
        done: "Added",
        preposition: "to",
    },
    VerbWords {
        verb: "replace",
        done: "Replaced",
        preposition: "in",
    },
    VerbWords {
        verb: "remove",
        done: "Removed",
        preposition: "from",
    },
    VerbWords {
        verb: "exclude",
        done: "Excluded",
        preposition: "in",
    },
];

/// The same for a new source.
pub fn render_source(
    report: ChangeReport,
    of_user: Option<&UserSource>,
    context: &RenderContext<'_>,
) -> RenderedReport {
    match (render(report, context), of_user) {
        (RenderedReport::DoneLines(mut lines), Some(source)) => {
            lines.push(StyledLine::plain(source.line()));
            RenderedReport::DoneLines(lines)
        }
        (rendering, _) => rendering,
    }
}
