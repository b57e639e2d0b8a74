//! The messages of a failing git, cleaned for display and classified.

use agpm_model::SourceAddress;

use crate::git::error::GitError;

/// The beginnings of lines that report progress.
const PROGRESS: &[&str] = &[
    "remote: Enumerating",
    "remote: Counting",
    "remote: Compressing",
    "remote: Total",
    "Receiving objects",
    "Resolving deltas",
    "Updating files",
    "From ",
    "* [new",
    "warning: filtering not recognized",
];

const MOST_LINES: usize = 8;
const MOST_CHARACTERS: usize = 400;

/// Phrases of git, ssh, curl and servers, most decisive first.
const REFUSED: &[&str] = &[
    "authentication failed",
    "could not read username",
    "could not read password",
    "terminal prompts disabled",
    "permission denied",
    "host key verification failed",
    "returned error: 401",
    "returned error: 403",
    "invalid credentials",
    "dubious ownership",
];
/// A repository that lost objects breaks a connection like a bad network does, but names the cause.
const DAMAGED: &[&str] = &[
    "repository corruption",
    "does not match index",
    "is corrupt",
    "object file is empty",
    "packfile is truncated",
];
const CUT_OFF: &[&str] = &[
    "early eof",
    "unexpected disconnect",
    "rpc failed",
    "could not resolve",
    "connection refused",
    "connection reset",
    "connection timed out",
    "operation timed out",
    "network is unreachable",
    "no route to host",
    "unable to connect",
    "failed to connect",
    "operation too slow",
    "empty reply",
    "ssl certificate",
    "ssl connect",
    "ssl_",
    "tls connect",
    "certificate verif",
    "gnutls",
    "schannel",
    "returned error: 5",
    "returned error: 429",
];
const ABSENT: &[&str] = &[
    "not found",
    "does not appear to be a git repository",
    "not a git repository",
    "is this a git repository",
    "does not exist",
    "repository not exported",
    "no such file or directory",
    "returned error: 404",
    "returned error: 410",
];
const UNREACHED: &[&str] = &["could not read from remote", "hung up", "unable to access"];

/// Phrases with which a server refuses a commit by its id, or git reports that about a server of plain files.
const BARE_IDS: &[&str] = &["unadvertised object", "not valid", "dumb http transport"];

/// Classifies the failure of a call.
pub(crate) fn classify_failure(address: &SourceAddress, stderr: &str) -> GitError {
    let reason = clean(address, stderr);
    let address = address.to_string();
    // Words in the name of the repository mean nothing.
    let lower = reason.replace(&address, "").to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    // Refusals first: many servers add "not found" to them in order not to reveal private repositories, but the user
    // needs to know about the credentials.
    if has(REFUSED) {
        GitError::AuthRefused { address, reason }
    } else if has(DAMAGED) {
        GitError::Damaged { address, reason }
    // A dropped connection before "not found": git may print both, and a retry helps only with the first.
    } else if has(CUT_OFF) {
        GitError::Unreachable { address, reason }
    } else if has(ABSENT) {
        GitError::NotFound { address, reason }
    } else if has(UNREACHED) {
        GitError::Unreachable { address, reason }
    } else {
        GitError::Broken { address, reason }
    }
}

/// Returns whether the server sends only the objects that it lists.
pub(crate) fn refuses_bare_ids(error: &GitError) -> bool {
    matches!(error, GitError::Broken { reason, .. } if BARE_IDS.iter().any(|words| reason.contains(words)))
}

/// Returns whether the server does not have a requested object.
pub(crate) fn is_missing_on_server(error: &GitError) -> bool {
    matches!(error, GitError::Broken { reason, .. } if reason.contains("not our ref"))
}

fn clean(address: &SourceAddress, stderr: &str) -> String {
    // The text comes from a server, so control characters are removed. Git repeats the URL in its errors, with the
    // token in it.
    let scrubbed = address.scrub(stderr);
    let lines = scrubbed
        .split(['\n', '\r'])
        .map(|line| line.replace(char::is_control, " ").trim().to_owned());
    let is_message =
        |line: &String| !line.is_empty() && !PROGRESS.iter().any(|start| line.starts_with(start));
    let mut lines: Vec<String> = lines.filter(is_message).collect();
    lines.dedup();
    let messages: Vec<String> = lines
        .iter()
        .take(MOST_LINES)
        .map(|line| short(line))
        .collect();
    if messages.is_empty() {
        "git printed no message".to_owned()
    } else {
        messages.join("; ")
    }
}

fn short(line: &str) -> String {
    line.chars().take(MOST_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_is_understood() {
        let address = SourceAddress::parse("https://me:hunter2@h/x").unwrap();
        let meaning = |stderr: &str| classify_failure(&address, stderr);
        assert!(matches!(
            meaning("fatal: could not read Username for 'https://h': terminal prompts disabled"),
            GitError::AuthRefused { .. }
        ));
        assert!(matches!(
            meaning(
                "fatal: '/x' does not appear to be a git repository\nfatal: Could not read from remote"
            ),
            GitError::NotFound { .. }
        ));
        assert!(matches!(
            meaning(
                "ssh: connect to host h: Connection refused\nfatal: Could not read from remote"
            ),
            GitError::Unreachable { .. }
        ));
        let named = SourceAddress::parse("https://h/ssl_not-found").unwrap();
        let odd = super::classify_failure(&named, "fatal: 'https://h/ssl_not-found' is odd");
        assert!(matches!(odd, GitError::Broken { .. }), "{odd}");
        assert!(matches!(meaning("fatal: odd"), GitError::Broken { .. }));
        assert!(matches!(
            meaning(
                "remote: aborting due to possible repository corruption on the remote side.\nfatal: early EOF"
            ),
            GitError::Damaged { .. }
        ));
        assert!(is_missing_on_server(&meaning(
            "fatal: remote error: upload-pack: not our ref 12"
        )));
    }

    #[test]
    fn shown_output_of_git_has_no_secrets_progress_or_control_characters() {
        let address = SourceAddress::parse("https://me:hunter2@h/x").unwrap();
        let cleaned = clean(
            &address,
            "remote: Counting objects: 5\rReceiving objects: 3%\rremote: \u{1b}[31mhi hunter2\n\
             fatal: 'https://me:hunter2@h/x/'\n",
        );
        assert_eq!(cleaned, "remote:  [31mhi ***; fatal: 'https://h/x/'");
    }
}
