//! What an install tells, as fields and as lines.

use agpm_plan::{Action, Change};
use agpm_text::{Pointer, Value};

use crate::install::request::{
    Conversion, Fate, FateKind, InstallReport, LockChange, Moved, Program, Writing,
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
        let moved = |moved: &Moved| {
            Value::map([
                ("resource", moved.resource.as_str().into()),
                ("from", moved.from.as_str().into()),
                ("to", moved.to.as_str().into()),
            ])
        };
        vec![
            ("dry_run", (self.writing == Writing::Show).into()),
            ("changes", Value::List(self.changes.iter().map(change).collect())),
            ("moved", Value::List(self.moved.iter().map(moved).collect())),
            ("programs", Value::list(self.programs.iter().map(program_value))),
            ("conversions", Value::list(self.conversions.iter().map(conversion_value))),
            ("unchanged", self.unchanged.into()),
            ("lock", lock.into()),
        ]
    }

    /// One line for each change, program and field that is worth a word.
    pub fn lines(&self) -> Vec<String> {
        let moved =
            self.moved.iter().map(|moved| format!("{}  {} -> {}", moved.resource, moved.from, moved.to));
        let changes = self.changes.iter().map(line);
        let programs = self.programs.iter().map(program_line);
        let fates = self.conversions.iter().flat_map(|one| fate_lines(one, self.writing));
        counted_lines(moved.chain(changes).chain(programs).chain(fates))
    }

    /// How many files became what, in one line.
    pub fn summary(&self) -> String {
        let count = |action| self.changes.iter().filter(|change| change.action == action).count();
        let counts = [
            (count(Action::Create), "installed"),
            (count(Action::Update), "updated"),
            (count(Action::Remove), "removed"),
            (count(Action::Adopt), "adopted"),
            (count(Action::Keep), "kept although edited"),
            (count(Action::Release), "left in place"),
            (self.unchanged, "unchanged"),
        ];
        let parts: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        let files = if parts.is_empty() { "nothing to install".to_owned() } else { parts.join(", ") };
        let lock = match (self.lock, self.writing) {
            (LockChange::Unchanged, _) => "",
            (LockChange::Written, Writing::Apply) => "; agpm.lock written",
            (LockChange::Written, Writing::Show) => "; agpm.lock would be written",
            (LockChange::Pending, _) => "; agpm.lock not written",
        };
        let tense = if self.writing == Writing::Show { "would be: " } else { "" };
        let refused = match self.refused {
            0 => String::new(),
            count => format!("; {count} in the way, so that nothing would be written"),
        };
        format!("{tense}{files}{lock}{refused}")
    }
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
    Value::map([
        ("resource", Value::from(program.resource.as_str())),
        ("unit", program.unit.as_str().into()),
        ("runs", Value::list(program.runs.iter().map(String::as_str))),
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

/// A program that comes along, and what it would run.
fn program_line(program: &Program) -> String {
    let runs: Vec<String> = program.runs.iter().map(|run| format!("`{run}`")).collect();
    let runs = if runs.is_empty() { String::new() } else { format!(", and runs {}", runs.join(", ")) };
    format!("* {} ({}) comes along{runs}", program.resource, program.unit)
}

/// What became of the fields of a resource; what is kept is told only in a plan.
fn fate_lines(conversion: &Conversion, writing: Writing) -> Vec<String> {
    let told = |fate: &&Fate| writing == Writing::Show || fate.kind != FateKind::Exact;
    let line = |fate: &Fate| {
        let note = if fate.note.is_empty() { String::new() } else { format!(": {}", fate.note) };
        format!(
            "= {} for {}: {} {}{note}",
            conversion.resource,
            conversion.tool,
            fate.field,
            fate.kind.word()
        )
    };
    conversion.fates.iter().filter(told).map(line).collect()
}

/// The place inside a file that is not the file as a whole.
fn inner(change: &Change) -> Option<&Pointer> {
    change.place.as_ref().filter(|place| !place.steps().is_empty())
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

fn line(change: &Change) -> String {
    let sign = match change.action {
        Action::Create => '+',
        Action::Update => '~',
        Action::Remove => '-',
        Action::Keep => '!',
        Action::Adopt | Action::Release => ' ',
    };
    let place = inner(change).map(|place| format!(" {place}")).unwrap_or_default();
    format!("{sign} {}{place}  {}: {}", change.path, change.owner, change.reason.words())
}
