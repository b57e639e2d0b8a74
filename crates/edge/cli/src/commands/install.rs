use std::process::ExitCode;

use agpm_ops::{
    Action, Change, Conversion, Executables, Fate, FateKind, Fidelity, InstallReport, InstallRequest,
    LockChange, LockUse, Moved, Overwrite, Program, Warnings, World, Writing, install,
};
use agpm_text::{Pointer, Value};

use crate::args::InstallArgs;
use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown, Verdict};

pub(crate) fn run(world: &World, args: &InstallArgs, output: &mut Output) -> ExitCode {
    let request = InstallRequest {
        lock: match (args.frozen, args.locked, args.no_lock) {
            (true, ..) => LockUse::Frozen,
            (_, true, _) => LockUse::Locked,
            (.., true) => LockUse::Unwritten,
            _ => LockUse::Update,
        },
        writing: if args.dry_run || args.check { Writing::Show } else { Writing::Apply },
        overwrite: match (args.force, args.adopt) {
            (true, _) => Overwrite::Everything,
            (_, true) => Overwrite::Unowned,
            _ => Overwrite::Nothing,
        },
        warnings: if args.strict { Warnings::Stop } else { Warnings::Tell },
        executables: if args.allow_executables { Executables::Allowed } else { Executables::AsManifest },
        fidelity: if args.strict_fidelity { Fidelity::Strict } else { Fidelity::Tell },
    };
    finish(install(world, &request), args.check, output)
}

/// Ends every command that makes the disk match.
pub(crate) fn finish(
    outcome: agpm_ops::Outcome<InstallReport>,
    check: bool,
    output: &mut Output,
) -> ExitCode {
    let judge =
        |report: &InstallReport, _: &[agpm_diag::Diagnostic]| match check && report.changes_something() {
            true => Verdict::Findings,
            false => Verdict::Good,
        };
    output.finish_as(outcome, judge, render)
}

fn render(report: InstallReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(fields(&report));
    }
    Rendering::Text(text(&report, shown))
}

pub(crate) fn text(report: &InstallReport, shown: &Shown<'_>) -> String {
    let moved =
        report.moved.iter().map(|moved| format!("{}  {} -> {}\n", moved.resource, moved.from, moved.to));
    let changes = report.changes.iter().map(line);
    let programs = report.programs.iter().map(program_line);
    let fates = report.conversions.iter().flat_map(|one| fate_lines(one, report.writing));
    let lines = moved.chain(changes).chain(programs).chain(fates);
    let lines = lines.map(|line| one_line(line.trim_end_matches('\n')));
    let lines: String = counted_lines(lines).collect();
    if shown.quiet { lines } else { format!("{lines}{}\n", summary(report)) }
}

/// Items of one list are told alike: once, with their number.
fn counted_lines(lines: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut told: Vec<(String, usize)> = Vec::new();
    for line in lines {
        match told.last_mut().filter(|(last, _)| *last == line) {
            Some((_, count)) => *count += 1,
            None => told.push((line, 1)),
        }
    }
    told.into_iter().map(|(line, count)| match count {
        1 => format!("{line}\n"),
        _ => format!("{line} ({count} items)\n"),
    })
}

pub(crate) fn fields(report: &InstallReport) -> Vec<(&'static str, Value)> {
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
    let lock = match (report.lock, report.writing) {
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
        ("dry_run", (report.writing == Writing::Show).into()),
        ("changes", Value::List(report.changes.iter().map(change).collect())),
        ("moved", Value::List(report.moved.iter().map(moved).collect())),
        ("programs", Value::list(report.programs.iter().map(program_value))),
        ("conversions", Value::list(report.conversions.iter().map(conversion_value))),
        ("unchanged", report.unchanged.into()),
        ("lock", lock.into()),
    ]
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
    format!("* {} ({}) comes along{runs}\n", program.resource, program.unit)
}

/// What became of the fields of a resource; what is kept is told only in a plan.
fn fate_lines(conversion: &Conversion, writing: Writing) -> Vec<String> {
    let told = |fate: &&Fate| writing == Writing::Show || fate.kind != FateKind::Exact;
    let line = |fate: &Fate| {
        let note = if fate.note.is_empty() { String::new() } else { format!(": {}", fate.note) };
        format!(
            "= {} for {}: {} {}{note}\n",
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
    }
}

fn line(change: &Change) -> String {
    let sign = match change.action {
        Action::Create => '+',
        Action::Update => '~',
        Action::Remove => '-',
        Action::Keep => '!',
    };
    let place = inner(change).map(|place| format!(" {place}")).unwrap_or_default();
    format!("{sign} {}{place}  {}: {}\n", change.path, change.owner, change.reason.words())
}

fn summary(report: &InstallReport) -> String {
    let count = |action| report.changes.iter().filter(|change| change.action == action).count();
    let counts = [
        (count(Action::Create), "installed"),
        (count(Action::Update), "updated"),
        (count(Action::Remove), "removed"),
        (count(Action::Keep), "kept although edited"),
        (report.unchanged, "unchanged"),
    ];
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let files = if parts.is_empty() { "nothing to install".to_owned() } else { parts.join(", ") };
    let lock = match (report.lock, report.writing) {
        (LockChange::Unchanged, _) => "",
        (LockChange::Written, Writing::Apply) => "; agpm.lock written",
        (LockChange::Written, Writing::Show) => "; agpm.lock would be written",
        (LockChange::Pending, _) => "; agpm.lock not written",
    };
    let tense = if report.writing == Writing::Show { "would be: " } else { "" };
    let refused = match report.refused {
        0 => String::new(),
        count => format!("; {count} in the way, so that nothing would be written"),
    };
    format!("{tense}{files}{lock}{refused}")
}
