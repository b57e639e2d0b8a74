//! Programs of a project's manifest that agpm itself would run: each set of them needs this user's approval.

use std::path::Path;

use agpm_diag::{Diagnostic, codes, command_line, counted};
use agpm_model::{Checksum, Manifest, MergeDriver, ProgramAuthor, Strategy};
use agpm_text::{FormatVersion, OwnFileError, Value, from_json, to_json};
use serde::{Deserialize, Serialize};

const VERSION: u32 = 1;

/// The approvals of this machine.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct ApprovalFile {
    version: FormatVersion<VERSION>,
    approvals: Vec<RecordedApproval>,
}

#[derive(Debug, Serialize, Deserialize)]
struct RecordedApproval {
    /// The real path of the project.
    project: String,
    /// The digest of its programs.
    programs: Checksum,
}

impl ApprovalFile {
    /// Reads the file.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, OwnFileError> {
        from_json::<_, VERSION>(bytes)
    }

    /// The file's text.
    pub(crate) fn to_text(&self) -> String {
        to_json(self)
    }

    /// The digest of the programs that were approved for a project.
    pub(crate) fn digest(&self, project: &Path) -> Option<Checksum> {
        let mut approval = self.approvals.iter();
        let approval = approval.find(|approval| Path::new(&approval.project) == project)?;
        Some(approval.programs)
    }

    /// Approves the programs of a project instead of those before.
    pub(crate) fn approve(&mut self, project: &Path, programs: Checksum) {
        self.approvals
            // One approval for each project. Keeping older ones would let a project return to a command that was
            // replaced.
            .retain(|approval| Path::new(&approval.project) != project);
        self.approvals.push(RecordedApproval {
            project: project.display().to_string(),
            programs,
        });
        self.approvals
            .sort_by(|left, right| left.project.cmp(&right.project));
    }
}

/// A program that the manifest of a project names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ManifestProgram {
    /// The strategy that it belongs to.
    pub strategy: String,
    /// The program and its arguments.
    pub command: Vec<String>,
}

impl ManifestProgram {
    /// The command as one line, every character of it visible.
    pub fn line(&self) -> String {
        command_line(self.command.iter().map(String::as_str))
    }

    /// The same with the strategy that it belongs to.
    pub fn detail(&self) -> String {
        format!("runs  {}  (strategies.{})", self.line(), self.strategy)
    }
}

impl ManifestProgram {
    /// The executables of the project's own strategies.
    pub fn all_of(manifest: &Manifest) -> Vec<ManifestProgram> {
        let of_strategy = |strategy: &Strategy| {
            let driver = strategy.driver.as_ref();
            // Programs in the user's own configuration were chosen by this user and need no approval.
            let driver = driver.filter(|driver| driver.author == ProgramAuthor::Project)?;
            Some(ManifestProgram {
                strategy: strategy.name.clone(),
                command: driver.command.clone(),
            })
        };
        let mut programs: Vec<ManifestProgram> =
            manifest.strategies.iter().filter_map(of_strategy).collect();
        programs.sort_by(|left, right| left.strategy.cmp(&right.strategy));
        programs
    }

    /// Of the commands, and of every file of the project that one of them names: a script that changes is another
    /// program.
    pub fn digest(
        programs: &[ManifestProgram],
        content_of: &dyn Fn(&str) -> Option<Checksum>,
    ) -> Checksum {
        let part = |text: &String| {
            // The command may name a script of the project. Its content is part of the approval, or a pull could
            // change what runs without another question.
            let content = content_of(text).map(|content| content.to_string());
            Value::list([Value::from(text.as_str()), Value::from(content)])
        };
        let program = |one: &ManifestProgram| Value::list(one.command.iter().map(part));
        let all = Value::list(programs.iter().map(program));
        Checksum::of(all.to_json().as_bytes())
    }
}

/// The approval of a project's programs on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramApproval {
    /// Nothing is approved.
    Missing,
    /// Other programs were approved before.
    Outdated,
    /// They were approved as they are, or there are none.
    Given,
}

impl ProgramApproval {
    /// The approval of programs with a digest, given the one that was approved before.
    pub fn of(programs: &[ManifestProgram], digest: Checksum, approved: Option<Checksum>) -> Self {
        match approved {
            _ if programs.is_empty() => ProgramApproval::Given,
            Some(approval) if approval == digest => ProgramApproval::Given,
            Some(_) => ProgramApproval::Outdated,
            None => ProgramApproval::Missing,
        }
    }

    /// The finding about programs that may not run.
    pub fn finding(self, programs: &[ManifestProgram], manifest: &str) -> Diagnostic {
        let message = match self {
            ProgramApproval::Outdated => {
                "merge programs changed since their approval; the result is unknown".to_owned()
            }
            _ => format!(
                "{} approval; the result is unknown until then",
                counted(programs.len(), "merge program needs", "merge programs need")
            ),
        };
        let help =
            "review the commands, then run `agpm approve`; for one run, add `--approve programs`";
        Diagnostic::new(&codes::TRUST_PROGRAM, message)
            .details(programs.iter().map(ManifestProgram::detail))
            .in_file(manifest)
            .help(help)
    }
}

/// The finding about programs where none may run.
pub(crate) fn programs_never_run(drivers: &[&MergeDriver]) -> Diagnostic {
    let line = |one: &&MergeDriver| {
        let command = command_line(one.command.iter().map(String::as_str));
        format!("runs  {command}")
    };
    let mut lines: Vec<String> = drivers.iter().map(line).collect();
    lines.sort();
    lines.dedup();
    let message = "merge programs never run in the server; the result is unknown";
    let help = "review the commands, then run `agpm approve` and `agpm install` in a terminal";
    Diagnostic::new(&codes::TRUST_PROGRAM, message)
        .details(lines)
        .help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(command: &[&str]) -> ManifestProgram {
        ManifestProgram {
            strategy: "own".to_owned(),
            command: command.iter().map(|part| (*part).to_owned()).collect(),
        }
    }

    #[test]
    fn a_script_that_changes_is_another_program() {
        let programs = [program(&["sh", "merge.sh"])];
        let digest = |script: &'static [u8]| {
            let content_of = |name: &str| (name == "merge.sh").then(|| Checksum::of(script));
            ManifestProgram::digest(&programs, &content_of)
        };
        let approved = Some(digest(b"one"));
        let approval = |script| ProgramApproval::of(&programs, digest(script), approved);
        assert_eq!(approval(b"one"), ProgramApproval::Given);
        assert_eq!(approval(b"two"), ProgramApproval::Outdated);
        assert_eq!(
            ProgramApproval::of(&programs, digest(b"one"), None),
            ProgramApproval::Missing
        );
        assert_eq!(
            ProgramApproval::of(&[], digest(b"one"), None),
            ProgramApproval::Given
        );
    }

    #[test]
    fn words_of_one_command_are_not_those_of_two() {
        let digest = |programs: &[ManifestProgram]| ManifestProgram::digest(programs, &|_| None);
        assert_ne!(
            digest(&[program(&["a", "b"])]),
            digest(&[program(&["a"]), program(&["b"])])
        );
        assert_ne!(
            digest(&[program(&["a b"])]),
            digest(&[program(&["a", "b"])])
        );
    }

    #[test]
    fn an_approval_replaces_the_one_before_of_the_same_project() {
        let mut file = ApprovalFile::default();
        let (one, two) = (Checksum::of(b"one"), Checksum::of(b"two"));
        file.approve(Path::new("/b"), one);
        file.approve(Path::new("/a"), one);
        file.approve(Path::new("/b"), two);
        let read = ApprovalFile::read(file.to_text().as_bytes()).expect("its own text");
        assert_eq!(read.digest(Path::new("/a")), Some(one));
        assert_eq!(read.digest(Path::new("/b")), Some(two));
        assert_eq!(read.digest(Path::new("/c")), None);
        assert_eq!(read.approvals.len(), 2);
    }
}
