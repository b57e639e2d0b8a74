//! Credentials as docker and other container programs keep them: in files, or in helpers that these name.

use std::io::Cursor;
use std::path::{Path, PathBuf};

use agpm_store::{StoreError, StoreProblem};
use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential_from_reader};

/// More than any file with credentials.
const LARGEST_FILE: u64 = 16 << 20;
/// The name under which credentials of Docker Hub are kept.
const DOCKER_HUB: &str = "https://index.docker.io/v1/";

/// A credential for a server. It has no `Debug`: it must not be printed.
pub(crate) enum Credential {
    Password {
        user: String,
        password: String,
    },
    /// A token that the server of tokens exchanges.
    RefreshToken(String),
}

/// Why credentials could not be read. Messages contain no secrets.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CredentialFailure {
    #[error("the credentials in `{path}` cannot be read: {reason}")]
    Unreadable { path: String, reason: String },
    #[error("the credential helper that `{path}` names for `{server}` failed: {reason}")]
    Helper {
        path: String,
        server: String,
        reason: String,
    },
}

/// Returns the credential for a repository from the first file that has one. A file may have one for a part of the
/// server, as in `HOST/NAMESPACE`, which comes before the one of the server.
pub(crate) fn find_credential(
    files: &[PathBuf],
    server: &str,
    repository: &str,
) -> Result<Option<Credential>, CredentialFailure> {
    for file in files {
        let bytes = match agpm_store::read(file, LARGEST_FILE) {
            Ok(bytes) => bytes,
            Err(StoreError {
                problem: StoreProblem::NotFound | StoreProblem::NotFile,
                ..
            }) => continue,
            Err(error) => return Err(unreadable(file, &error.problem.to_string())),
        };
        for name in names_of(server, repository) {
            if let Some(found) = credential_in(file, &bytes, &name)? {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// The names under which a credential may be kept, most specific first.
fn names_of(server: &str, repository: &str) -> Vec<String> {
    if matches!(
        server,
        "docker.io" | "index.docker.io" | "registry-1.docker.io"
    ) {
        return vec![DOCKER_HUB.to_owned()];
    }
    let mut names = Vec::new();
    let mut path = repository.trim_matches('/');
    while !path.is_empty() {
        names.push(format!("{server}/{path}"));
        path = path.rsplit_once('/').map_or("", |(above, _)| above);
    }
    names.push(server.to_owned());
    names
}

fn credential_in(
    file: &Path,
    bytes: &[u8],
    name: &str,
) -> Result<Option<Credential>, CredentialFailure> {
    use CredentialRetrievalError as Problem;
    let helper_failed = |reason: &str| CredentialFailure::Helper {
        path: file.display().to_string(),
        server: name.to_owned(),
        reason: reason.to_owned(),
    };
    match get_credential_from_reader(Cursor::new(bytes), name) {
        Ok(DockerCredential::UsernamePassword(user, password)) => {
            Ok(Some(Credential::Password { user, password }))
        }
        Ok(DockerCredential::IdentityToken(token)) => Ok(Some(Credential::RefreshToken(token))),
        Err(Problem::NoCredentialConfigured) => Ok(None),
        Err(Problem::HelperFailure { stdout, stderr, .. }) => {
            // A helper says on either stream that it has nothing for this server. Its standard output is not shown: it
            // may hold a part of an answer.
            let said = format!("{stdout}{stderr}").to_ascii_lowercase();
            if said.contains("not found") {
                return Ok(None);
            }
            let first = stderr.lines().next().unwrap_or_default();
            Err(helper_failed(first))
        }
        Err(Problem::HelperCommunicationError) => Err(helper_failed("it cannot be run")),
        Err(Problem::MalformedHelperResponse) => Err(helper_failed("its answer is not valid")),
        Err(Problem::ConfigReadError) => Err(unreadable(file, "it is not valid JSON")),
        Err(Problem::CredentialDecodingError) => Err(unreadable(
            file,
            &format!("`auth` of `{name}` is not valid"),
        )),
        Err(Problem::CredentialMismatchError) => {
            let reason = format!("`auth` of `{name}` does not match its `username`");
            Err(unreadable(file, &reason))
        }
        Err(Problem::ConfigNotFound) => Ok(None),
    }
}

fn unreadable(file: &Path, reason: &str) -> CredentialFailure {
    CredentialFailure::Unreadable {
        path: file.display().to_string(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_may_be_for_a_part_of_a_server() {
        assert_eq!(
            names_of("h:1", "a/b/c"),
            ["h:1/a/b/c", "h:1/a/b", "h:1/a", "h:1"]
        );
        assert_eq!(names_of("h", ""), ["h"]);
        assert_eq!(names_of("docker.io", "a/b"), [DOCKER_HUB]);
    }
}
