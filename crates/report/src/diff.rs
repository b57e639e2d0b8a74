//! The planned changes, as lines or as Markdown for a pull request.

use agpm_app::diff::DiffReport;
use agpm_app::install::UpdatedPin;
use agpm_diag::visible;
use agpm_model::{Owner, ResourceType};
use agpm_plan::{FileAction, FileDifference};
use agpm_trust::CapabilityChange;

use crate::capabilities;
use crate::command_scope::CommandScope;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine};

/// The text when nothing differs.
const NOTHING: &str = "No differences";

/// How differences are printed, unless they are a JSON document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffForm {
    /// Lines with the changes in them.
    Lines,
    /// One line for each file.
    Summary,
    /// Markdown.
    Markdown,
}

/// The differences in the form that was requested.
pub fn render(report: &DiffReport, form: DiffForm, context: &RenderContext<'_>) -> RenderedReport {
    match form {
        _ if context.json => context.document(report),
        DiffForm::Markdown => RenderedReport::Text(markdown(report)),
        _ if report.is_empty() => RenderedReport::Empty(NOTHING),
        DiffForm::Lines => RenderedReport::Lines(difference_lines(report, context.commands)),
        DiffForm::Summary => {
            let of_file = |file: &FileDifference, title: String| vec![summary(file, &title)];
            RenderedReport::Lines(lines(report, of_file, |_| Vec::new()))
        }
    }
}

/// All differences, with the changes in them.
pub(crate) fn difference_lines(report: &DiffReport, commands: &CommandScope) -> Vec<StyledLine> {
    lines(report, file_lines, |file| ways_out(file, commands))
}

/// The commands that keep and discard an edit.
fn ways_out(file: &FileDifference, commands: &CommandScope) -> Vec<StyledLine> {
    let can_save = |id: &&Owner| {
        let resource = id.resource();
        let has_none = [ResourceType::Plugins, ResourceType::Hooks];
        resource.is_some_and(|id| !has_none.contains(&id.kind))
    };
    let mut ways = Vec::new();
    for id in file.ids.iter().filter(can_save) {
        let command = commands.complete(&format!("agpm patch save {id}"));
        ways.push(format!("keep it: {command}"));
    }
    let command = commands.complete("agpm install --force");
    ways.push(format!("discard it: {command}"));
    let ways = ways.into_iter();
    ways.map(|way| StyledLine::plain(format!("  {way}")))
        .collect()
}

fn lines(
    report: &DiffReport,
    of_file: impl Fn(&FileDifference, String) -> Vec<StyledLine>,
    after_edit: impl Fn(&FileDifference) -> Vec<StyledLine>,
) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    for file in &report.edited {
        lines.extend(of_file(file, edited_title(file)));
        lines.extend(after_edit(file));
    }
    let changes = changed_ids(report);
    lines.extend(
        changes
            .iter()
            .map(|change| StyledLine::new(change.line(), change.style())),
    );
    for file in &report.files {
        lines.extend(of_file(file, title(file)));
    }
    if lines.is_empty() {
        lines.push(StyledLine::plain("agpm.lock would change"));
    }
    lines
}

/// The changes of one resource or layer: its version and its capabilities.
struct ChangedId<'r> {
    id: String,
    moved: Option<&'r UpdatedPin>,
    change: Option<&'r CapabilityChange>,
}

impl ChangedId<'_> {
    fn words(&self) -> Vec<String> {
        let version = self
            .moved
            .map(|moved| format!("{} -> {}", moved.from(), moved.to()));
        let capabilities = self.change.map(capabilities::difference);
        let words = capabilities.into_iter().flatten();
        version.into_iter().chain(words).collect()
    }

    fn line(&self) -> String {
        let mut words = vec![self.id.clone()];
        words.extend(self.words());
        words.join("  ")
    }

    fn style(&self) -> LineStyle {
        let has_increase = |change: &CapabilityChange| !change.increase.is_empty();
        if self.change.is_some_and(has_increase) {
            LineStyle::Changed
        } else {
            LineStyle::Plain
        }
    }
}

/// Returns the resources and layers whose version or capabilities change, increases first.
fn changed_ids(report: &DiffReport) -> Vec<ChangedId<'_>> {
    let mut ids: Vec<ChangedId<'_>> = Vec::new();
    for change in &report.capabilities {
        let id = change.id.to_string();
        let moved = report.moved.iter().find(|moved| moved.id.to_string() == id);
        ids.push(ChangedId {
            id,
            moved,
            change: Some(change),
        });
    }
    for moved in &report.moved {
        let id = moved.id.to_string();
        if !ids.iter().any(|changed| changed.id == id) {
            ids.push(ChangedId {
                id,
                moved: Some(moved),
                change: None,
            });
        }
    }
    ids.retain(|changed| !changed.words().is_empty());
    ids.sort_by_key(|changed| changed.style() != LineStyle::Changed);
    ids
}

fn file_lines(file: &FileDifference, title: String) -> Vec<StyledLine> {
    let mut lines = vec![StyledLine::new(title, LineStyle::Heading)];
    lines.extend(changed_lines(file));
    lines
}

fn changed_lines(file: &FileDifference) -> Vec<StyledLine> {
    let mut lines = Vec::new();
    lines.extend(file.fields.iter().map(|field| {
        let text = match (&field.before, &field.after) {
            (Some(old), Some(new)) => {
                format!("~ {}: {} -> {}", field.field, visible(old), visible(new))
            }
            (None, Some(new)) => format!("+ {}: {}", field.field, visible(new)),
            (old, None) => {
                let old = old.as_deref().unwrap_or_default();
                format!("- {}: {}", field.field, visible(old))
            }
        };
        StyledLine::new(text, LineStyle::Changed)
    }));
    match &file.diff {
        Some(diff) => lines.extend(diff.lines().map(diff_line)),
        None => lines.push(StyledLine::plain("not shown: binary or too large")),
    }
    lines
}

fn diff_line(line: &str) -> StyledLine {
    let style = match line.chars().next() {
        Some('+') if !line.starts_with("+++ ") => LineStyle::Added,
        Some('-') if !line.starts_with("--- ") => LineStyle::Removed,
        Some('@') => LineStyle::Changed,
        _ => LineStyle::Plain,
    };
    StyledLine::new(visible(line), style)
}

fn title(file: &FileDifference) -> String {
    let ids: Vec<String> = file.ids.iter().map(ToString::to_string).collect();
    format!("{} {}  {}", sign(file.action), file.path, ids.join(", "))
}

/// The title of a file that was edited since it was installed.
fn edited_title(file: &FileDifference) -> String {
    format!("! {}  modified locally", file.path)
}

fn summary(file: &FileDifference, title: &str) -> StyledLine {
    let style = match file.action {
        FileAction::Create => LineStyle::Added,
        FileAction::Remove => LineStyle::Removed,
        FileAction::Update => LineStyle::Changed,
    };
    let counts = format!("+{} -{}", file.added, file.removed);
    StyledLine::new(format!("{title}  {counts}"), style)
}

fn sign(action: FileAction) -> char {
    match action {
        FileAction::Create => '+',
        FileAction::Update => '~',
        FileAction::Remove => '-',
    }
}

/// Formats a pull request comment: a table of resources, then a collapsed section for each file.
fn markdown(report: &DiffReport) -> String {
    if report.is_empty() {
        return format!("{NOTHING}\n");
    }
    let mut text = String::new();
    let ids = changed_ids(report);
    if !ids.is_empty() {
        text.push_str("| resource | version | capabilities |\n|---|---|---|\n");
    }
    for changed in &ids {
        let version = changed
            .moved
            .map(|moved| format!("{} -> {}", moved.from(), moved.to()));
        let capabilities = changed
            .change
            .map(capabilities::difference)
            .unwrap_or_default();
        let cells: Vec<String> = capabilities.iter().map(|words| code(words)).collect();
        text.push_str(&format!(
            "| {} | {} | {} |\n",
            code(&changed.id),
            version.map(|version| code(&version)).unwrap_or_default(),
            cells.join("<br>")
        ));
    }
    for file in &report.edited {
        text.push_str(&markdown_file(file, " modified locally"));
    }
    for file in &report.files {
        text.push_str(&markdown_file(file, ""));
    }
    text
}

fn markdown_file(file: &FileDifference, state: &str) -> String {
    let lines: Vec<String> = changed_lines(file)
        .into_iter()
        .map(|line| line.text())
        .collect();
    let body = lines.join("\n");
    let fence = fence(&body);
    format!(
        "\n<details><summary><code>{}</code>{state} (+{} -{})</summary>\n\n{fence}diff\n{body}\n{fence}\n\n</details>\n",
        escaped(file.path.as_str()),
        file.added,
        file.removed
    )
}

/// Returns a fence that no line of the text can close.
fn fence(text: &str) -> String {
    let longest = text
        .lines()
        .map(|line| {
            let line = line.trim_start_matches(['+', '-', ' ']);
            line.chars().take_while(|c| *c == '`').count()
        })
        .max();
    "`".repeat(longest.unwrap_or_default().max(2) + 1)
}

/// Escapes untrusted text in a table cell, so nothing in it is Markdown or HTML.
fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '@' | '#' | '!' | '~' | '$' | ':' => {
                out.push_str(&format!("&#{};", c as u32));
            }
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_others_is_markdown_in_a_cell() {
        let hostile =
            "a | b `c` <script> [l](u) ![i](u) @user #1 **x** __y__ ~~z~~ $m$ :tada: \\ \n| d |";
        let cell = code(hostile);
        let inner = cell
            .strip_prefix("<code>")
            .and_then(|text| text.strip_suffix("</code>"));
        let inner = inner.unwrap_or_default();
        for c in "|`<>[]@*_~$:\\\n".chars() {
            assert!(!inner.contains(c), "{c:?} in {inner}");
        }
    }

    #[test]
    fn no_line_of_a_file_ends_the_fence() {
        for (text, expected) in [
            (" plain", "```"),
            ("+```\n ````", "`````"),
            ("   ```````", "````````"),
            ("-text ``````", "```"),
        ] {
            assert_eq!(fence(text), expected, "{text:?}");
        }
    }
}
