//! Programs that come along with what is asked for need the user's word.

use agpm_diag::{Diagnostic, Severity, codes};
use agpm_model::{FileMode, Manifest, ResourceType};
use agpm_plan::{Entry, Ledger};

use crate::failure::{Failure, FailureKind, Notes};
use crate::install::{Executables, InstallRequest, Program, Writing};
use crate::packages::made::{Made, MadeEntries, MadeFile};
use crate::packages::resolve::ResolvedEntry;

/// Kinds that tools run.
const RUN: [ResourceType; 3] = [ResourceType::Scripts, ResourceType::Hooks, ResourceType::McpServers];

/// Everything that can be run and that only other resources ask for.
pub(crate) fn brought_along(entries: &[ResolvedEntry], made: &[Made]) -> Vec<Program> {
    let brought = entries.iter().zip(made).filter(|(resolved, _)| resolved.entry.root.is_none());
    brought.filter(|(resolved, _)| is_program(resolved)).map(program).collect()
}

/// A file that can be run is a program, whatever it is called.
fn is_program(resolved: &ResolvedEntry) -> bool {
    let executable = || resolved.resource.files().any(|file| file.mode == FileMode::Executable);
    RUN.contains(&resolved.entry.kind) || executable()
}

/// Refuses programs that only other resources ask for, unless the user allows them; a run that only shows goes on.
pub(crate) fn check(
    manifest: &Manifest,
    (entries, made): (&[ResolvedEntry], &[Made]),
    ledger: &Ledger,
    request: InstallRequest,
    notes: &mut Notes,
) -> Result<(), Failure> {
    let listed = |entry: &Entry| {
        let mut allowed = manifest.allow_executables.iter();
        allowed.any(|allowed| allowed.allows(entry.kind, &entry.name, &entry.unit))
    };
    let concerned = |(resolved, made): &(&ResolvedEntry, &Made)| {
        let entry = &resolved.entry;
        entry.root.is_none() && is_program(resolved) && !listed(entry) && !is_installed(made, ledger)
    };
    let refused: Vec<Program> = entries.iter().zip(made).filter(concerned).map(program).collect();
    if refused.is_empty() || request.executables == Executables::Allowed {
        return Ok(());
    }
    let list: Vec<String> = refused.iter().map(described).collect();
    let message =
        format!("programs would come along that the manifest does not ask for: {}", list.join(", "));
    let help = "look at them, then add `allow-executables = [\"TYPE/NAME\"]` to the top of the manifest, or run with \
                `--allow-executables`";
    let mut diagnostic = Diagnostic::new(&codes::PACKAGE_EXECUTABLE, message).help(help);
    match request.writing {
        Writing::Apply => Err(Failure::new(FailureKind::Refused, diagnostic)),
        Writing::Show => {
            diagnostic.severity = Severity::Warning;
            notes.diagnostics.push(diagnostic);
            Ok(())
        }
    }
}

/// What is installed here just as it is was allowed here: one word is enough, until it changes.
fn is_installed(made: &Made, ledger: &Ledger) -> bool {
    let file = |file: &MadeFile| {
        ledger.files.get(&file.path).is_some_and(|owned| owned.checksum == file.bytes.checksum())
    };
    let entries = |entries: &MadeEntries| {
        let owned = ledger.shared.get(&entries.file);
        owned.is_some_and(|owned| entries.nodes.iter().all(|node| owned.holds(node)))
    };
    let nothing = made.files.is_empty() && made.entries.is_none();
    nothing || made.files.iter().all(file) && made.entries.iter().all(entries)
}

fn program((resolved, made): (&ResolvedEntry, &Made)) -> Program {
    Program { resource: resolved.label(), unit: resolved.entry.unit.to_string(), runs: made.runs.clone() }
}

fn described(program: &Program) -> String {
    let runs: Vec<String> = program.runs.iter().map(|run| format!(" runs `{run}`")).collect();
    format!("{} ({}){}", program.resource, program.unit, runs.join(","))
}
