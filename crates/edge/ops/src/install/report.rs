//! What an install tells, as fields and as lines.

use std::collections::BTreeMap;

use agpm_diag::{mask_words, visible};
use agpm_model::{Pin, PinId, SourceName};
use agpm_plan::{Action, Change};
use agpm_text::{Pointer, Value};

use crate::install::request::{
    Capability, CapabilityKind, Conversion, Fate, FateKind, InstallReport, LockChange, Moved,
    PlanDetail, Program, RequiredBy, Writing,
};

impl InstallReport {
    /// As fields of a document.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let change = |change: &Change| {
            let place = inner(change).map(|place| ("key", Value::from(place.to_string())));
            let said = [
                ("action", word(change.action).into()),
                ("path", change.path.as_str().into()),
                ("resource", change.owner.as_str().into()),
                ("reason", change.reason.words().into()),
            ];
            Value::map(said.into_iter().chain(place))
        };
        let lock = match (self.lock, self.writing) {
            (LockChange::Unchanged, _) => "unchanged",
            (LockChange::Written, Writing::Apply) => "written",
            (LockChange::Written, Writing::Show) => "would-be-written",
            (LockChange::Pending, _) => "not-written",
        };
        vec![
            ("dry_run", (self.writing == Writing::Show).into()),
            (
                "changes",
                Value::List(self.changes.iter().map(change).collect()),
            ),
            ("moved", Value::list(self.moved.iter().map(moved_value))),
            (
                "programs",
                Value::list(self.programs.iter().map(program_value)),
            ),
            ("reads", Value::list(self.reads.iter().map(String::as_str))),
            (
                "conversions",
                Value::list(self.conversions.iter().map(conversion_value)),
            ),
            ("unchanged", self.unchanged.into()),
            ("lock", lock.into()),
        ]
    }

    /// One line for each change, program and field that is worth a word.
    pub fn lines(&self, detail: PlanDetail) -> Vec<String> {
        let moved = moved_lines(&self.moved, detail).into_iter();
        let changes = change_lines(&self.changes, detail);
        let mut programs: Vec<String> = self.programs.iter().flat_map(program_lines).collect();
        // A server of a layer may be in the files of several tools.
        programs.dedup();
        let is_shown =
            |one: &&Conversion| detail == PlanDetail::Files || self.changes_resource(&one.resource);
        let conversions = self.conversions.iter().filter(is_shown);
        let fates: Vec<FieldNote<'_>> = conversions
            .flat_map(|one| field_notes(one, self.writing))
            .collect();
        let fates = note_lines(&fates, detail);
        let reads = self.reads_line().into_iter();
        counted_lines(
            moved
                .chain(changes)
                .chain(programs)
                .chain(reads)
                .chain(fates),
        )
    }

    /// One line for all that is read outside of the project, where something changes.
    fn reads_line(&self) -> Option<String> {
        let is_worth_a_line = !self.reads.is_empty() && self.changes_something();
        is_worth_a_line.then(|| format!("reads  {}  (outside the project)", self.reads.join(", ")))
    }

    /// Whether files of a resource are new or other ones.
    fn changes_resource(&self, resource: &str) -> bool {
        let is_written = |action| matches!(action, Action::Create | Action::Update);
        self.changes
            .iter()
            .any(|change| change.owner.as_str() == resource && is_written(change.action))
    }

    /// How many files became what, in one line.
    pub fn summary(&self) -> String {
        let files = match self.writing {
            Writing::Apply => self.done(),
            Writing::Show => self.would_do(),
        };
        let lock = match (self.lock, self.writing) {
            (LockChange::Unchanged, _) => "",
            (LockChange::Written, Writing::Apply) => "; agpm.lock written",
            (LockChange::Written, Writing::Show) => "; agpm.lock would be written",
            (LockChange::Pending, _) => "; agpm.lock not written",
        };
        let refused = match self.refused {
            0 => String::new(),
            count => format!("; {count} in the way, so that nothing would be written"),
        };
        format!("{files}{lock}{refused}")
    }

    fn count(&self, action: Action) -> usize {
        self.changes
            .iter()
            .filter(|change| change.action == action)
            .count()
    }

    fn done(&self) -> String {
        let counts = [
            (self.count(Action::Create), "installed"),
            (self.count(Action::Update), "updated"),
            (self.count(Action::Remove), "removed"),
            (self.count(Action::Adopt), "adopted"),
            (self.count(Action::Keep), "skipped (modified locally)"),
            (self.count(Action::Release), "left in place"),
            (self.unchanged, "unchanged"),
        ];
        let some = counts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = some
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        if parts.is_empty() {
            "nothing to install".to_owned()
        } else {
            parts.join(", ")
        }
    }

    fn would_do(&self) -> String {
        let verbs = [
            (Action::Create, "install"),
            (Action::Update, "update"),
            (Action::Remove, "remove"),
            (Action::Adopt, "adopt"),
            (Action::Keep, "skip"),
            (Action::Release, "leave"),
        ];
        let some = verbs
            .iter()
            .map(|(action, verb)| (self.count(*action), *action, *verb));
        let part = |(count, action, verb): (usize, Action, &str)| match action {
            Action::Keep => format!("{verb} {count} (modified locally)"),
            Action::Release => format!("{verb} {count} in place"),
            _ => format!("{verb} {count}"),
        };
        let parts: Vec<String> = some.filter(|(count, ..)| *count > 0).map(part).collect();
        let unchanged = match self.unchanged {
            0 => String::new(),
            count => format!(" ({count} unchanged)"),
        };
        match parts.is_empty() {
            true => format!("Nothing would change{unchanged}"),
            false => format!("Would {}{unchanged}", parts.join(", ")),
        }
    }
}

fn moved_value(moved: &Moved) -> Value {
    Value::map([
        ("id", moved.id.to_string().into()),
        ("resource", moved.id.to_string().into()),
        ("from", moved.from().into()),
        ("to", moved.to().into()),
        (
            "source",
            moved.new.source.name().map(SourceName::as_str).into(),
        ),
        ("url", moved.url.as_deref().into()),
        ("old", pinned_value(&moved.old)),
        ("new", pinned_value(&moved.new)),
        (
            "changelog",
            Value::list(moved.changelog.iter().map(String::as_str)),
        ),
    ])
}

fn pinned_value(pinned: &Pin) -> Value {
    Value::map([
        ("version", pinned.version.as_str().into()),
        ("commit", pinned.commit.as_str().into()),
    ])
}

/// One line for each resource whose version moved; one for all that moved alike, such as those of a branch.
fn moved_lines(moved: &[Moved], detail: PlanDetail) -> Vec<String> {
    let mut steps: BTreeMap<(String, String), Vec<&PinId>> = BTreeMap::new();
    for one in moved {
        let alike = steps.entry((one.from(), one.to())).or_default();
        alike.push(&one.id);
    }
    let mut lines = Vec::new();
    for one in moved {
        let (id, from, to) = (&one.id, one.from(), one.to());
        let step = format!("{from} -> {to}");
        match steps.get(&(from, to)).map(Vec::as_slice) {
            Some([first, second, rest @ ..])
                if rest.len() + 2 > MOST_RESOURCES && detail == PlanDetail::Resources =>
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

fn change_lines(changes: &[Change], detail: PlanDetail) -> Vec<String> {
    if detail == PlanDetail::Files {
        return changes.iter().map(line).collect();
    }
    let runs = changes.chunk_by(is_one_run);
    runs.flat_map(|run| match run {
        [first, .., last] if run.len() > MOST_FILES => vec![run_line(first, last, run.len())],
        run => run.iter().map(line).collect(),
    })
    .collect()
}

/// Whether two changes, one after the other, are the same change to two files of one resource.
/// Edited files, keys of shared files and files of layers each count by themselves.
fn is_one_run(first: &Change, second: &Change) -> bool {
    let is_alike = first.action == second.action
        && first.owner == second.owner
        && first.reason.words() == second.reason.words();
    let is_file = |change: &Change| inner(change).is_none() && change.action != Action::Keep;
    let is_layer = first.owner.as_str().starts_with("layers/");
    is_alike
        && is_file(first)
        && is_file(second)
        && !is_layer
        && common_folder(first, second).is_some()
}

/// The folder that two files share below the folder of a tool. Paths are in order, so that the first and the last of a run
/// share what all of them do.
fn common_folder<'c>(first: &'c Change, last: &Change) -> Option<&'c str> {
    let (one, other) = (first.path.as_str(), last.path.as_str());
    let same = one
        .bytes()
        .zip(other.bytes())
        .take_while(|(left, right)| left == right)
        .count();
    let (folder, _) = one.get(..same)?.rsplit_once('/')?;
    folder.contains('/').then_some(folder)
}

fn run_line(first: &Change, last: &Change, files: usize) -> String {
    let folder = common_folder(first, last).unwrap_or_default();
    let (sign, reason) = (sign(first.action), first.reason.words());
    format!(
        "{sign} {folder}/  {}: {reason} ({files} files)",
        first.owner
    )
}

/// Items of one list are told alike: once, with their number.
fn counted_lines(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut told: Vec<(String, usize)> = Vec::new();
    for line in lines {
        match told.last_mut().filter(|(last, _)| *last == line) {
            Some((_, count)) => *count += 1,
            None => told.push((line, 1)),
        }
    }
    let shown = |(line, count): (String, usize)| match count {
        1 => line,
        _ => format!("{line} ({count} items)"),
    };
    told.into_iter().map(shown).collect()
}

fn program_value(program: &Program) -> Value {
    let of_program = program
        .capabilities
        .iter()
        .filter(|one| one.kind != CapabilityKind::Permission);
    let capability = |one: &Capability| {
        Value::map([
            ("kind", Value::from(one.kind.word())),
            ("value", one.value.as_str().into()),
            ("event", one.event.as_deref().into()),
        ])
    };
    Value::map([
        ("resource", Value::from(program.resource.as_str())),
        ("unit", program.unit.as_str().into()),
        (
            "runs",
            Value::list(of_program.map(|one| one.value.as_str())),
        ),
        (
            "capabilities",
            Value::list(program.capabilities.iter().map(capability)),
        ),
        ("direct", (program.required == RequiredBy::Manifest).into()),
    ])
}

fn conversion_value(conversion: &Conversion) -> Value {
    let field = |fate: &Fate| {
        Value::map([
            ("field", Value::from(fate.field.as_str())),
            ("fate", fate.kind.word().into()),
            ("note", fate.note.as_str().into()),
        ])
    };
    Value::map([
        ("resource", Value::from(conversion.resource.as_str())),
        ("tool", conversion.tool.as_str().into()),
        ("fields", Value::list(conversion.fates.iter().map(field))),
    ])
}

/// What a tool would do, each command in full with every character visible.
fn program_lines(program: &Program) -> Vec<String> {
    let line = |one: &Capability| {
        let event = one
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
            // The manifest may hold secrets of the user; what others wrote is shown to the last character.
            RequiredBy::Manifest => mask_words(&one.value),
            RequiredBy::Resource => one.value.clone(),
        };
        format!(
            "{}  {}  ({}{event}{transitive})",
            one.kind.word(),
            visible(&value),
            program.resource
        )
    };
    program.capabilities.iter().map(line).collect()
}

/// What became of one field of a resource.
#[derive(Clone, Copy)]
struct FieldNote<'r> {
    resource: &'r str,
    tool: &'r str,
    fate: &'r Fate,
}

/// What became of the fields of a resource; what is kept is told only in a plan.
fn field_notes(conversion: &Conversion, writing: Writing) -> Vec<FieldNote<'_>> {
    let is_shown = |fate: &&Fate| writing == Writing::Show || fate.kind != FateKind::Exact;
    let (resource, tool) = (conversion.resource.as_str(), conversion.tool.as_str());
    conversion
        .fates
        .iter()
        .filter(is_shown)
        .map(|fate| FieldNote {
            resource,
            tool,
            fate,
        })
        .collect()
}

/// A note that more resources than this share has one line for all of them.
const MOST_RESOURCES: usize = 3;

fn note_lines(notes: &[FieldNote<'_>], detail: PlanDetail) -> Vec<String> {
    let mut alike: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for note in notes {
        alike.entry(note.text()).or_default().push(note.resource);
    }
    let mut lines = Vec::new();
    for note in notes {
        let text = note.text();
        match alike.get(&text).map(Vec::as_slice) {
            Some([first, second, rest @ ..])
                if rest.len() + 2 > MOST_RESOURCES && detail == PlanDetail::Resources =>
            {
                // The others are in the line of the first.
                if note.resource == *first {
                    lines.push(format!(
                        "= {first}, {second} and {} more {text}",
                        rest.len()
                    ));
                }
            }
            _ => lines.push(format!("= {} {text}", note.resource)),
        }
    }
    lines
}

impl FieldNote<'_> {
    /// What is said, whichever resource it is said of.
    fn text(&self) -> String {
        let Fate { field, kind, note } = self.fate;
        let note = if note.is_empty() {
            String::new()
        } else {
            format!(": {note}")
        };
        format!("for {}: {field} {}{note}", self.tool, kind.word())
    }
}

/// The place inside a file that is not the file as a whole.
fn inner(change: &Change) -> Option<&Pointer> {
    change
        .place
        .as_ref()
        .filter(|place| !place.steps().is_empty())
}

fn word(action: Action) -> &'static str {
    match action {
        Action::Create => "create",
        Action::Update => "update",
        Action::Remove => "remove",
        Action::Keep => "keep",
        Action::Adopt => "adopt",
        Action::Release => "release",
    }
}

fn sign(action: Action) -> char {
    match action {
        Action::Create => '+',
        Action::Update => '~',
        Action::Remove => '-',
        Action::Keep => '!',
        Action::Adopt | Action::Release => ' ',
    }
}

fn line(change: &Change) -> String {
    let sign = sign(change.action);
    let place = inner(change)
        .map(|place| format!(" {place}"))
        .unwrap_or_default();
    format!(
        "{sign} {}{place}  {}: {}",
        change.path,
        change.owner,
        change.reason.words()
    )
}
