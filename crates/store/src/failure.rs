//! Errors of the file system, as failures with help.

use agpm_diag::{Diagnostic, Failure, FailureKind, codes};

use crate::driver::DriverError;
use crate::error::{StoreError, StoreProblem};

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let (kind, code, help) = match &error.problem {
            StoreProblem::NotFound => (FailureKind::Errors, &codes::IO_NOT_FOUND, "check the path"),
            StoreProblem::IsDirectory => (
                FailureKind::Errors,
                &codes::IO_UNREADABLE,
                "use the path of a file in it",
            ),
            StoreProblem::TooLarge(_) => (
                FailureKind::Errors,
                &codes::TEXT_TOO_LARGE,
                "split the file",
            ),
            StoreProblem::Escapes => (
                FailureKind::Refused,
                &codes::IO_UNREADABLE,
                "agpm does not follow symlinks out of their directory",
            ),
            StoreProblem::Exists => (
                FailureKind::Refused,
                &codes::IO_EXISTS,
                "use a directory that is empty or does not exist",
            ),
            StoreProblem::NotFile | StoreProblem::Reserved => (
                FailureKind::Refused,
                &codes::IO_EXISTS,
                "choose another path for this file",
            ),
            StoreProblem::Credentials => (
                FailureKind::Refused,
                &codes::TRUST_CREDENTIALS,
                "use another path; if you need the file, copy it into the project",
            ),
            StoreProblem::Changed => (
                FailureKind::Refused,
                &codes::INSTALL_CHANGED,
                "run the command again",
            ),
            StoreProblem::Locked => (
                FailureKind::Refused,
                &codes::IO_EXISTS,
                "wait for the other process and run it again",
            ),
            StoreProblem::Damaged(_) => (
                FailureKind::Errors,
                &codes::IO_UNREADABLE,
                "nothing was changed; restore the file",
            ),
            StoreProblem::Unwritable(_) => (
                FailureKind::Errors,
                &codes::IO_UNREADABLE,
                "check the owner and permissions of the directory, and the space on the disk",
            ),
            StoreProblem::Other(_) => (
                FailureKind::Errors,
                &codes::IO_UNREADABLE,
                "check permissions and the disk",
            ),
        };
        let file = error.path.display().to_string();
        Failure::new(
            kind,
            Diagnostic::new(code, error.to_string())
                .in_file(file)
                .help(help),
        )
    }
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Self {
        let diagnostic = Diagnostic::new(&codes::MERGE_DRIVER, error.to_string())
            .help("the executable gets the lower file as %base and the higher as %new, prints the result and exits with 0");
        Failure::new(FailureKind::Errors, diagnostic)
    }
}
