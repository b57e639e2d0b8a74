//! Errors of the file system, as failures with help.

use std::io;

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
            StoreProblem::Unwritable(cause) => {
                let usual =
                    "check the owner and permissions of the directory, and the space on the disk";
                (
                    FailureKind::Errors,
                    &codes::IO_UNREADABLE,
                    help_for(cause, usual),
                )
            }
            StoreProblem::Other(cause) => {
                let usual = "check permissions and the disk";
                (
                    FailureKind::Errors,
                    &codes::IO_UNREADABLE,
                    help_for(cause, usual),
                )
            }
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

/// The way out of an error of the system, if there is a better one than the usual advice.
fn help_for(cause: &io::Error, usual: &'static str) -> &'static str {
    match cause.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space, then run the command again"
        }
        // A transaction moves complete files into place, and no system moves files between file systems at once.
        io::ErrorKind::CrossesDevices => {
            "mount the whole project instead of a directory in it, then run the command again"
        }
        _ => usual,
    }
}

impl From<DriverError> for Failure {
    fn from(error: DriverError) -> Self {
        let diagnostic = Diagnostic::new(&codes::MERGE_DRIVER, error.to_string())
            .help("the executable gets the lower file as %base and the higher as %new, prints the result and exits with 0");
        Failure::new(FailureKind::Errors, diagnostic)
    }
}
