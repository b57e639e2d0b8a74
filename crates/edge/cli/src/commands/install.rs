use std::process::ExitCode;

use agpm_ops::{
    Action, Change, Executables, InstallReport, InstallRequest, LockChange, LockUse, Moved, Overwrite,
    Warnings, World, Writing, install,
};
use agpm_text::Value;

use crate::args::InstallArgs;
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
    let lines: String = moved.chain(report.changes.iter().map(line)).collect();
    if shown.quiet { lines } else { format!("{lines}{}\n", summary(report)) }
}

pub(crate) fn fields(report: &InstallReport) -> Vec<(&'static str, Value)> {
    let change = |change: &Change| {
        Value::map([
            ("action", word(change.action).into()),
            ("path", change.path.as_str().into()),
            ("resource", change.owner.as_str().into()),
            ("reason", change.reason.words().into()),
        ])
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
        ("unchanged", report.unchanged.into()),
        ("lock", lock.into()),
    ]
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
    format!("{sign} {}  {}: {}\n", change.path, change.owner, change.reason.words())
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
    format!("{tense}{files}{lock}")
}
