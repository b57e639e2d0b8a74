//! The result of an install or its dry run: one line for each change, and a summary.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use agpm_app::install::{
    ConvertedResource, InstallReport, LockChange, ReportedProgram, RequiredBy, ResourceCount,
    ResourceCounts, ResourceOutcome, SourceFileState, UpdatedPin,
};
use agpm_app::project::write_mode::WriteMode;
use agpm_diag::counted;
use agpm_diag::{mask_words, visible};
use agpm_model::{LOCK_NAME, Owner, PRIVATE_LOCK_NAME, PinId, RelativePath};
use agpm_plan::{ChangeAction, ChangeReason, PlannedChange};
use agpm_render::{FieldOutcome, FieldOutcomeKind};
use agpm_trust::{Capability, CapabilityChange};

use crate::diagnostics::{ColorMode, DetailLevel};
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::{LineStyle, StyledLine, StyledPiece, draw_lines};

/// The report as text or as a document.
pub fn render(report: InstallReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    RenderedReport::DoneLines(styled_lines(
        &report,
        context.pen.detail,
        context.screen.elapsed,
    ))
}

/// The report as people read it.
pub fn text(report: &InstallReport, detail: DetailLevel) -> String {
    draw_lines(&styled_lines(report, detail, None), ColorMode::Plain)
}

/// Returns the text with colors, and with the duration on a terminal.
pub(crate) fn styled_lines(
    report: &InstallReport,
    detail: DetailLevel,
    elapsed: Option<Duration>,
) -> Vec<StyledLine> {
    let mut styled: Vec<StyledLine> = lines(report, detail)
        .iter()
        .map(|line| styled_line(line))
        .collect();
    styled.push(StyledLine::plain(summary(report, elapsed)));
    styled
}

/// A line whose first word, a sign or a verb, is colored.
fn styled_line(line: &str) -> StyledLine {
    let (word, rest) = line.split_at(line.find(' ').unwrap_or(0));
    let style = match word {
        "+" => LineStyle::Added,
        "-" => LineStyle::Removed,
        "~" | "!" | "runs" | "connects" | "permission" | "increase" => LineStyle::Changed,
        "converts" | "reads" => LineStyle::Identity,
        _ => LineStyle::Plain,
    };
    StyledLine::of([StyledPiece::new(word, style), StyledPiece::plain(rest)])
}

/// One line for each change, program and notable field.
fn lines(report: &InstallReport, detail: DetailLevel) -> Vec<String> {
    let (changed, plain) = moved_with_changes(report);
    let moved = changed.iter().map(|(moved, change)| {
        let mut words = vec![moved.id.to_string()];
        words.push(format!("{} -> {}", moved.from(), moved.to()));
        words.extend(crate::capabilities::difference(change));
        crate::one_line(&words.join("  "))
    });
    let moved = moved.chain(moved_lines(&plain, detail));
    let changes = change_lines(report, detail);
    let mut programs: Vec<String> = report.programs.iter().flat_map(program_lines).collect();
    // A server may be in the files of several tools.
    let mut seen = BTreeSet::new();
    programs.retain(|line| seen.insert(line.clone()));
    let increases = report.capabilities.iter();
    let is_shown_above =
        |change: &CapabilityChange| changed.iter().any(|(_, listed)| listed.id == change.id);
    let increases = increases.filter(|change| {
        change.before.is_some() && !change.increase.is_empty() && !is_shown_above(change)
    });
    let increases =
        increases.map(|change| format!("increase  {}", crate::capabilities::line(change)));
    let written = written_files(report);
    let is_shown = |converted: &&ConvertedResource| {
        let file = converted
            .target
            .as_ref()
            .map(|target| (&converted.resource, target));
        let is_written = file.is_some_and(|file| written.contains(&file));
        // A field that is new in the source may be dropped, and then no file changes.
        let is_new = is_written || converted.source == SourceFileState::Changed;
        detail == DetailLevel::All || is_new
    };
    let conversions = report.conversions.iter().filter(is_shown);
    let outcomes: Vec<FieldNote<'_>> = conversions
        .flat_map(|converted| field_notes(converted, report.writing))
        .collect();
    let outcomes = note_lines(&outcomes, detail);
    let reads = reads_line(report).into_iter();
    counted_lines(
        moved
            .chain(changes)
            .chain(programs)
            .chain(increases)
            .chain(reads)
            .chain(outcomes),
    )
}

/// Returns one line for everything that is read outside of the project, if something changes.
fn reads_line(report: &InstallReport) -> Option<String> {
    let is_worth_a_line = !report.reads.is_empty() && report.changes_something();
    is_worth_a_line.then(|| format!("reads  {}  (outside the project)", report.reads.join(", ")))
}

/// The files that are created or updated, with the resources that they belong to.
fn written_files(report: &InstallReport) -> HashSet<(&Owner, &RelativePath)> {
    let is_written = |change: &&PlannedChange| {
        matches!(
            change.action,
            ChangeAction::Create | ChangeAction::Update | ChangeAction::Merge
        )
    };
    let changes = report.changes.iter().filter(is_written);
    changes
        .map(|change| (&change.owner, &change.path))
        .collect()
}

/// Returns the summary in one line.
fn summary(report: &InstallReport, elapsed: Option<Duration>) -> String {
    let ResourceCounts { changed, unchanged } = &report.counts;
    let parts: Vec<String> = OUTCOMES
        .iter()
        .filter_map(|words| {
            let count = changed.get(&words.outcome)?;
            let verb = match report.writing {
                WriteMode::Apply => words.done,
                WriteMode::Show => words.planned,
            };
            Some(format!(
                "{verb} {}{}",
                counted_resources(count),
                words.reason
            ))
        })
        .collect();
    let is_empty = unchanged.resources + unchanged.layer_files == 0;
    let unchanged = match unchanged.resources {
        _ if is_empty => String::new(),
        _ if parts.is_empty() => format!(" ({})", counted_resources(unchanged)),
        0 => String::new(),
        count => format!(", {count} unchanged"),
    };
    let disabled = match report.disabled {
        0 => String::new(),
        count => format!(", {count} disabled"),
    };
    let changes = match (parts.is_empty(), report.writing) {
        (true, WriteMode::Apply) if is_empty => "Nothing to install".to_owned(),
        (true, WriteMode::Apply) => "Everything is up to date".to_owned(),
        (true, WriteMode::Show) => "Nothing would change".to_owned(),
        (false, WriteMode::Apply) => capitalized(&parts.join(", ")),
        (false, WriteMode::Show) => format!("Would {}", parts.join(", ")),
    };
    let elapsed = elapsed.map(|time| format!(" in {}", shown_duration(time)));
    let lock = shown_lock(LOCK_NAME, report.lock);
    let private_lock = shown_lock(PRIVATE_LOCK_NAME, report.private_lock);
    let refused = match report.refused {
        0 => String::new(),
        count => format!("; {count} conflicting, so nothing would be written"),
    };
    format!(
        "{changes}{}{unchanged}{disabled}{lock}{private_lock}{refused}",
        elapsed.unwrap_or_default()
    )
}

/// Returns what happens to a lockfile, after a semicolon.
fn shown_lock(name: &str, change: LockChange) -> String {
    let what = match change {
        LockChange::Unchanged => return String::new(),
        LockChange::Written => "written",
        LockChange::WouldBeWritten => "would be written",
        LockChange::NotWritten => "not written",
        LockChange::Removed => "removed",
        LockChange::WouldBeRemoved => "would be removed",
    };
    format!("; {name} {what}")
}

/// The words for an outcome.
struct OutcomeWords {
    outcome: ResourceOutcome,
    done: &'static str,
    planned: &'static str,
    reason: &'static str,
}

/// In the order of the summary.
const OUTCOMES: [OutcomeWords; 7] = [
    OutcomeWords {
        outcome: ResourceOutcome::Installed,
        done: "installed",
        planned: "install",
        reason: "",
    },
    OutcomeWords {
        outcome: ResourceOutcome::Updated,
        done: "updated",
        planned: "update",
        reason: "",
    },
    OutcomeWords {
        outcome: ResourceOutcome::Merged,
        done: "merged",
        planned: "merge",
        reason: "",
    },
    OutcomeWords {
        outcome: ResourceOutcome::Removed,
        done: "removed",
        planned: "remove",
        reason: "",
    },
    OutcomeWords {
        outcome: ResourceOutcome::Adopted,
        done: "adopted",
        planned: "adopt",
        reason: "",
    },
    OutcomeWords {
        outcome: ResourceOutcome::Skipped,
        done: "skipped",
        planned: "skip",
        reason: " (modified locally)",
    },
    OutcomeWords {
        outcome: ResourceOutcome::Released,
        done: "left in place",
        planned: "leave in place",
        reason: "",
    },
];

/// Formats resources with the number of their files, if it differs, and files of layers.
fn counted_resources(count: &ResourceCount) -> String {
    let files = if count.files == 0 || count.files == count.resources {
        String::new()
    } else {
        format!(" ({})", counted(count.files, "file", "files"))
    };
    let resources = counted(count.resources, "resource", "resources");
    let layered = counted(count.layer_files, "layer file", "layer files");
    match (count.resources, count.layer_files) {
        (0, 1..) => layered,
        (_, 0) => format!("{resources}{files}"),
        _ => format!("{resources}{files} and {layered}"),
    }
}

/// Formats a duration in tenths of a second, or in milliseconds if that would be zero.
fn shown_duration(time: Duration) -> String {
    if time < Duration::from_millis(100) {
        format!("{}ms", time.as_millis())
    } else {
        format!("{:.1}s", time.as_secs_f64())
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// For a dry run: version changes with changed capabilities, as `diff` shows them, and the others.
fn moved_with_changes(
    report: &InstallReport,
) -> (Vec<(&UpdatedPin, &CapabilityChange)>, Vec<&UpdatedPin>) {
    let mut changed = Vec::new();
    let mut plain = Vec::new();
    for moved in &report.moved {
        let id = moved.id.to_string();
        let change = report.capabilities.iter().find(|change| {
            report.writing == WriteMode::Show
                && change.before.is_some()
                && change.id.to_string() == id
        });
        match change {
            Some(change) => changed.push((moved, change)),
            None => plain.push(moved),
        }
    }
    (changed, plain)
}

/// Returns one line for each updated resource, or one for all with the same change, such as those of a branch.
fn moved_lines(moved: &[&UpdatedPin], detail: DetailLevel) -> Vec<String> {
    let mut steps: BTreeMap<(String, String), Vec<&PinId>> = BTreeMap::new();
    for pin in moved {
        let alike = steps.entry((pin.from(), pin.to())).or_default();
        alike.push(&pin.id);
    }
    let mut lines = Vec::new();
    for pin in moved {
        let (id, from, to) = (&pin.id, pin.from(), pin.to());
        let step = format!("{from} -> {to}");
        match steps.get(&(from, to)).map(Vec::as_slice) {
            Some([first, second, rest @ ..])
                if rest.len() + 2 > MOST_RESOURCES && detail == DetailLevel::Folded =>
            {
                // The others are in the line of the first.
                if id == *first {
                    let more = rest.len();
                    lines.push(format!("{first}, {second} and {more} more  {step}"));
                }
            }
            _ => lines.push(format!("{id}  {step}")),
        }
    }
    lines
}

/// A resource with more files than this has one line for all of them.
const MOST_FILES: usize = 3;

fn change_lines(report: &InstallReport, detail: DetailLevel) -> Vec<String> {
    let (changes, moved) = (&report.changes, report.moved.as_slice());
    let one = |change: &PlannedChange| line(change, &reason(change, moved));
    if detail == DetailLevel::All {
        return changes.iter().map(one).collect();
    }
    // A warning names each skipped file.
    let changes: Vec<PlannedChange> = changes
        .iter()
        .filter(|change| change.action != ChangeAction::Keep)
        .cloned()
        .collect();
    let runs = changes.chunk_by(is_one_run);
    runs.flat_map(|run| match run {
        [first, .., last] if run.len() > MOST_FILES => {
            vec![run_line(first, last, &reason(first, moved), run.len())]
        }
        run => run.iter().map(one).collect(),
    })
    .collect()
}

/// The reason for a change. A file that another version lacks was not removed from the manifest.
fn reason(change: &PlannedChange, moved: &[UpdatedPin]) -> String {
    let mut pins = moved.iter();
    let pin = pins.find(|pin| {
        change.reason == ChangeReason::Unasked && is_part_of(&change.owner, &pin.id.to_string())
    });
    pin.map_or_else(
        || change.reason.words().to_owned(),
        |pin| format!("not in {}", pin.to()),
    )
}

/// Whether an owner is a resource or layer, or several layers with it.
fn is_part_of(owner: &Owner, id: &str) -> bool {
    let owner = owner.to_string();
    let layers = owner
        .strip_prefix("layers/")
        .zip(id.strip_prefix("layers/"));
    owner == id || layers.is_some_and(|(layers, name)| layers.split('+').any(|one| one == name))
}

/// Returns whether two consecutive changes are the same change to two files of one resource. Edited files, keys of
/// shared files and files of layers are listed individually.
fn is_one_run(first: &PlannedChange, second: &PlannedChange) -> bool {
    let is_alike = first.action == second.action
        && first.owner == second.owner
        && first.reason.words() == second.reason.words();
    let is_file = |change: &PlannedChange| {
        change.inner_pointer().is_none() && change.action != ChangeAction::Keep
    };
    let is_layer = first.owner.layers().is_some();
    is_alike
        && is_file(first)
        && is_file(second)
        && !is_layer
        && common_directory(first, second).is_some()
}

/// Returns the common directory of two files inside the directory of a tool. Paths are sorted, so the first and the
/// last of a run share what all of them do.
fn common_directory<'c>(first: &'c PlannedChange, last: &PlannedChange) -> Option<&'c str> {
    let (path, other) = (first.path.as_str(), last.path.as_str());
    let same = path
        .bytes()
        .zip(other.bytes())
        .take_while(|(left, right)| left == right)
        .count();
    let (directory, _) = path.get(..same)?.rsplit_once('/')?;
    directory.contains('/').then_some(directory)
}

fn run_line(first: &PlannedChange, last: &PlannedChange, reason: &str, files: usize) -> String {
    let directory = common_directory(first, last).unwrap_or_default();
    let sign = sign(first.action);
    format!(
        "{sign} {directory}/  {}: {reason} ({files} files)",
        first.owner
    )
}

/// Returns identical lines once, with their number.
fn counted_lines(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut lines_with_counts: Vec<(String, usize)> = Vec::new();
    for line in lines {
        match lines_with_counts
            .last_mut()
            .filter(|(last, _)| *last == line)
        {
            Some((_, count)) => *count += 1,
            None => lines_with_counts.push((line, 1)),
        }
    }
    let with_count = |(line, count): (String, usize)| match count {
        1 => line,
        _ => format!("{line} ({count} items)"),
    };
    lines_with_counts.into_iter().map(with_count).collect()
}

/// Returns the commands that a tool would run, in full and with every character visible.
fn program_lines(program: &ReportedProgram) -> Vec<String> {
    let line = |capability: &Capability| {
        let event = capability
            .event
            .as_ref()
            .map(|event| format!(", {}", visible(event)))
            .unwrap_or_default();
        let transitive = if program.required == RequiredBy::Resource {
            ", transitive"
        } else {
            ""
        };
        let value = match program.required {
            // The manifest may contain secrets of the user; commands of others are shown completely.
            RequiredBy::Manifest => mask_words(&capability.value),
            RequiredBy::Resource => capability.value.clone(),
        };
        format!(
            "{}  {}  ({}{event}{transitive})",
            capability.kind.word(),
            visible(&value),
            program.resource
        )
    };
    program.capabilities.iter().map(line).collect()
}

/// The conversion of one field of a resource.
#[derive(Clone, Copy)]
struct FieldNote<'r> {
    resource: &'r Owner,
    tool: &'r str,
    outcome: &'r FieldOutcome,
}

/// The conversions of the fields of a resource; kept fields are shown only in a plan.
fn field_notes(conversion: &ConvertedResource, writing: WriteMode) -> Vec<FieldNote<'_>> {
    let is_shown = |outcome: &&FieldOutcome| {
        writing == WriteMode::Show || outcome.kind != FieldOutcomeKind::Exact
    };
    let (resource, tool) = (&conversion.resource, conversion.tool.as_str());
    conversion
        .outcomes
        .iter()
        .filter(is_shown)
        .map(|outcome| FieldNote {
            resource,
            tool,
            outcome,
        })
        .collect()
}

/// A note that more resources than this share has one line for all of them.
const MOST_RESOURCES: usize = 3;

/// One line for each distinct conversion: the same field with the same result for one tool.
fn note_lines(notes: &[FieldNote<'_>], detail: DetailLevel) -> Vec<String> {
    let mut alike: BTreeMap<ConversionGroup<'_>, Vec<&FieldNote<'_>>> = BTreeMap::new();
    for note in notes {
        alike.entry(note.group()).or_default().push(note);
    }
    let mut lines = Vec::new();
    for note in notes {
        let group = note.group();
        let same = alike.get(&group).map(Vec::as_slice).unwrap_or_default();
        let resources: BTreeSet<&Owner> = same.iter().map(|note| note.resource).collect();
        if resources.len() <= MOST_RESOURCES || detail == DetailLevel::All {
            let line = format!("converts  {} {}", note.resource, note.text());
            // A resource with two files for one tool has its conversions twice.
            lines.extend(Some(line).filter(|line| lines.last() != Some(line)));
        } else if same.first().is_some_and(|first| std::ptr::eq(*first, note)) {
            // The others are in the line of the first.
            lines.push(group.line(&resources, same));
        }
    }
    lines
}

/// A conversion, whatever the resource and the reason.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ConversionGroup<'r> {
    tool: &'r str,
    /// Without the name of a server or an event.
    field: &'r str,
    kind: FieldOutcomeKind,
}

impl ConversionGroup<'_> {
    fn line(&self, resources: &BTreeSet<&Owner>, same: &[&FieldNote<'_>]) -> String {
        let notes: BTreeSet<&str> = same.iter().map(|note| note.outcome.note.as_str()).collect();
        let note = match (notes.first(), notes.len()) {
            (None | Some(&""), 1) => String::new(),
            (Some(note), 1) => format!(": {note}"),
            (_, count) => format!(" for {count} reasons; `-v` shows them"),
        };
        let first: Vec<String> = resources.iter().take(2).map(ToString::to_string).collect();
        format!(
            "converts  {} and {} more for {}: {} {}{note}",
            first.join(", "),
            resources.len() - first.len(),
            self.tool,
            self.field,
            self.kind.word()
        )
    }
}

impl<'r> FieldNote<'r> {
    fn group(&self) -> ConversionGroup<'r> {
        let field = self.outcome.field.as_str();
        ConversionGroup {
            tool: self.tool,
            field: field.rsplit('.').next().unwrap_or(field),
            kind: self.outcome.kind,
        }
    }

    /// The text without the resource.
    fn text(&self) -> String {
        let FieldOutcome { field, kind, note } = self.outcome;
        let note = if note.is_empty() {
            String::new()
        } else {
            format!(": {note}")
        };
        format!("for {}: {field} {}{note}", self.tool, kind.word())
    }
}

fn sign(action: ChangeAction) -> char {
    match action {
        ChangeAction::Create => '+',
        ChangeAction::Update | ChangeAction::Merge => '~',
        ChangeAction::Remove => '-',
        ChangeAction::Keep => '!',
        ChangeAction::Adopt | ChangeAction::Release => ' ',
    }
}

fn line(change: &PlannedChange, reason: &str) -> String {
    let sign = sign(change.action);
    let pointer = change
        .inner_pointer()
        .map(|pointer| format!(" {pointer}"))
        .unwrap_or_default();
    format!(
        "{sign} {}{pointer}  {}: {reason}",
        change.path, change.owner
    )
}

#[cfg(test)]
mod tests {
    use agpm_app::install::InstalledOwners;
    use agpm_model::ObservedPath;
    use agpm_model::RelativePath;

    use super::*;

    fn created(path: &str, owner: &str) -> PlannedChange {
        PlannedChange {
            block: None,
            action: ChangeAction::Create,
            path: RelativePath::new(path).unwrap(),
            owner: owner.into(),
            reason: ChangeReason::New,
            pointer: None,
            before: ObservedPath::Missing,
            content: None,
        }
    }

    fn report(changes: Vec<PlannedChange>) -> InstallReport {
        InstallReport {
            writing: WriteMode::Show,
            moved: Vec::new(),
            capabilities: Vec::new(),
            programs: Vec::new(),
            reads: Vec::new(),
            conversions: Vec::new(),
            unchanged: 2,
            counts: InstalledOwners {
                resources: ["skills/pdf", "agents/a", "agents/b"]
                    .map(Into::into)
                    .into(),
                ..InstalledOwners::default()
            }
            .count(&changes),
            changes,
            disabled: 0,
            lock: LockChange::WouldBeWritten,
            private_lock: LockChange::Unchanged,
            refused: 0,
        }
    }

    #[test]
    fn many_files_of_one_resource_are_one_line_unless_all_are_wanted() {
        let file = |name: &str| created(&format!(".claude/skills/pdf/{name}"), "skills/pdf");
        let report = report(["a", "b", "c", "d"].map(file).to_vec());
        let folded = "+ .claude/skills/pdf/  skills/pdf: new (4 files)\n\
            Would install 1 resource (4 files), 2 unchanged; agpm.lock would be written\n";
        assert_eq!(text(&report, DetailLevel::Folded), folded);
        assert_eq!(text(&report, DetailLevel::All).lines().count(), 5);
    }

    #[test]
    fn layers_are_named_alone_or_together() {
        for (owner, id, expected) in [
            ("layers/org", "layers/org", true),
            ("layers/org+team", "layers/team", true),
            ("layers/org+team", "layers/tea", false),
            ("agents/org", "layers/org", false),
            ("skills/x", "skills/x", true),
        ] {
            assert_eq!(
                is_part_of(&Owner::from(owner), id),
                expected,
                "{owner} {id}"
            );
        }
    }

    #[test]
    fn nothing_in_a_line_can_act_on_a_terminal() {
        let report = report(vec![created(".claude/agents/a.md", "agents/\u{1b}[2Ja")]);
        assert!(!text(&report, DetailLevel::Folded).contains('\u{1b}'));
    }
}
