//! The planned changes, as lines or as Markdown for a pull request.

use agpm_app::diff::{DiffReport, PinnedId, RefComparison};
use agpm_app::install::UpdatedPin;
use agpm_diag::{counted, visible};
use agpm_model::{Owner, ResourceType};
use agpm_plan::{FileAction, FileDifference};
use agpm_trust::CapabilityChange;

use crate::command_scope::CommandScope;
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine};
use crate::{capabilities, one_line};

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
    if let Some(from) = &report.from {
        let sources = source_lines(from).into_iter();
        lines.extend(sources.map(|line| StyledLine::new(line, LineStyle::Changed)));
    }
    for file in &report.files {
        lines.extend(of_file(file, title(file)));
    }
    if lines.is_empty() {
        lines.push(StyledLine::plain(only_lock(report)));
    }
    lines
}

/// The text when nothing but the lockfile differs.
fn only_lock(report: &DiffReport) -> &'static str {
    match report.from {
        Some(_) => "agpm.lock differs",
        None => "agpm.lock would change",
    }
}

/// The changes of one resource or layer: its version and its capabilities.
struct ChangedId<'r> {
    id: String,
    version: Option<VersionChange>,
    change: Option<&'r CapabilityChange>,
}

/// The change of a version, as people read it.
struct VersionChange {
    /// The versions.
    words: String,
    /// The commits, where the versions do not name them.
    commits: Option<String>,
}

impl VersionChange {
    fn text(&self) -> String {
        match &self.commits {
            Some(commits) => format!("{} ({commits})", self.words),
            None => self.words.clone(),
        }
    }
}

impl ChangedId<'_> {
    fn words(&self) -> Vec<String> {
        let version = self.version.as_ref().map(VersionChange::text);
        let capabilities = self.change.map(capabilities::difference);
        let words = capabilities.into_iter().flatten();
        version.into_iter().chain(words).collect()
    }

    fn line(&self) -> String {
        let mut words = vec![self.id.clone()];
        words.extend(self.words());
        one_line(&words.join("  "))
    }

    fn has_increase(&self) -> bool {
        self.change
            .is_some_and(|change| !change.increase.is_empty())
    }

    fn style(&self) -> LineStyle {
        if self.has_increase() {
            LineStyle::Changed
        } else {
            LineStyle::Plain
        }
    }

    /// Increases come first, then other capabilities, then versions alone.
    fn order(&self) -> (bool, bool) {
        (!self.has_increase(), self.change.is_none())
    }
}

/// Returns the resources and layers whose version or capabilities change, increases first.
fn changed_ids(report: &DiffReport) -> Vec<ChangedId<'_>> {
    let mut versions: Vec<(String, VersionChange)> = Vec::new();
    for moved in &report.moved {
        let version = match &report.from {
            Some(_) => moved_since(moved),
            None => VersionChange {
                words: format!("{} -> {}", moved.from(), moved.to()),
                commits: None,
            },
        };
        versions.push((moved.id.to_string(), version));
    }
    if let Some(from) = &report.from {
        let of = |pins: &[PinnedId], word: &str| {
            let versions = pins.iter().map(|pin| (pin.id.clone(), pinned(pin, word)));
            versions.collect::<Vec<_>>()
        };
        versions.extend(of(&from.added, "new"));
        versions.extend(of(&from.removed, "removed"));
    }
    let mut ids: Vec<ChangedId<'_>> = Vec::new();
    for change in &report.capabilities {
        ids.push(ChangedId {
            id: change.id.to_string(),
            version: None,
            change: Some(change),
        });
    }
    for (id, version) in versions {
        match ids.iter_mut().find(|changed| changed.id == id) {
            Some(changed) => changed.version = Some(version),
            None => ids.push(ChangedId {
                id,
                version: Some(version),
                change: None,
            }),
        }
    }
    ids.retain(|changed| !changed.words().is_empty());
    match report.from {
        Some(_) => ids.sort_by_key(ChangedId::order),
        None => ids.sort_by_key(|changed| !changed.has_increase()),
    }
    ids
}

/// A pin that moved since a ref, with both commits and, where it differs, with the source.
fn moved_since(moved: &UpdatedPin) -> VersionChange {
    let (old, new) = (&moved.old, &moved.new);
    let mut words = if old.version == new.version {
        new.version.to_string()
    } else {
        format!("{} -> {}", old.version, new.version)
    };
    if old.source != new.source {
        words.push_str(&format!(" from {} instead of {}", new.source, old.source));
    }
    let commits = format!("{} -> {}", old.commit.short(), new.commit.short());
    VersionChange {
        words,
        commits: (old.commit != new.commit).then_some(commits),
    }
}

/// Something that only one side has.
fn pinned(pin: &PinnedId, word: &str) -> VersionChange {
    let version = pin.version.as_ref();
    VersionChange {
        words: version.map_or(word.to_owned(), |version| format!("{word}: {version}")),
        commits: pin.commit.as_ref().map(|commit| commit.short().to_owned()),
    }
}

/// Sources whose URL changed since a ref.
fn source_lines(from: &RefComparison) -> Vec<String> {
    let lines = from.sources.iter().map(|source| {
        let url = |url: &Option<String>| url.clone().unwrap_or_else(|| "a directory".to_owned());
        let (before, after) = (url(&source.before), url(&source.after));
        one_line(&format!("source {}  {before} -> {after}", source.name))
    });
    lines.collect()
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

/// The longest comment that a forge accepts, with room for a signature. GitHub's limit is 65,536 characters.
const LONGEST_COMMENT: usize = 60_000;

/// Formats a pull request comment: a table of resources, then a collapsed section for each file.
fn markdown(report: &DiffReport) -> String {
    // A pipeline finds its own comment by the first line.
    let mut text = match &report.from {
        Some(from) => markdown_heading(report, from),
        None => String::new(),
    };
    if report.is_empty() {
        return format!("{text}{NOTHING}\n");
    }
    let ids = changed_ids(report);
    if !ids.is_empty() {
        text.push_str("| resource | version | capabilities |\n|---|---|---|\n");
    }
    for changed in &ids {
        let version = changed.version.as_ref().map(VersionChange::text);
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
    let mut sections: Vec<String> = Vec::new();
    let edited = report.edited.iter();
    sections.extend(edited.map(|file| markdown_file(file, " modified locally")));
    sections.extend(report.files.iter().map(|file| markdown_file(file, "")));
    let Some(from) = &report.from else {
        text.extend(sections);
        return text;
    };
    for line in source_lines(from) {
        text.push_str(&format!("\n{}\n", code(&line)));
    }
    // The table is never cut: a reviewer must see each increase.
    let mut left_out = 0;
    for section in sections {
        if text.len() + section.len() > LONGEST_COMMENT {
            left_out += 1;
        } else {
            text.push_str(&section);
        }
    }
    if left_out > 0 {
        let files = counted(left_out, "file is", "files are");
        let command = format!("agpm diff --from {}", from.reference);
        text.push_str(&format!("\n{files} not shown: run {}\n", code(&command)));
    }
    text
}

/// The first lines of a comment: what a reviewer has to decide.
fn markdown_heading(report: &DiffReport, from: &RefComparison) -> String {
    let grown = report.capabilities.iter();
    let grown = grown.filter(|change| !change.increase.is_empty()).count();
    let sentence = match grown {
        0 => "No resource can do more than before.".to_owned(),
        _ => format!(
            "**{} more than before.**",
            counted(grown, "resource can do", "resources can do")
        ),
    };
    format!(
        "<!-- agpm diff -->\n### Changes since {}\n\n{sentence}\n\n",
        code(&from.reference)
    )
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
