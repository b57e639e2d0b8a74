//! Suggests valid forms of a URL, filled in with the user's input.

use std::fmt;

use super::hosts::DefaultHost;
use super::problem::AddressProblem;
use super::repository::is_word;
use crate::redact::without_passwords;

/// A suggested form of a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressForm {
    /// The suggestion; words in capitals are still to be chosen.
    pub text: String,
    /// The meaning of the URL form.
    pub meaning: &'static str,
}

impl fmt::Display for AddressForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({})", self.text, self.meaning)
    }
}

fn form(text: String, meaning: &'static str) -> AddressForm {
    AddressForm { text, meaning }
}

/// Forms that the user may have meant.
pub(super) fn forms_for(
    typed: &str,
    problem: &AddressProblem,
    host: &DefaultHost,
) -> Vec<AddressForm> {
    let near = match problem {
        AddressProblem::BareHost(text) => vec![
            form(format!("https://{text}"), "a repository"),
            form(format!("./{text}"), "a directory"),
        ],
        AddressProblem::Fragment(text) => vec![fragment_form(text)],
        AddressProblem::OtherPage(url) => page_forms(url),
        _ => Vec::new(),
    };
    if near.is_empty() {
        all_forms(&last_word(typed), host)
    } else {
        near
    }
}

fn all_forms(word: &str, host: &DefaultHost) -> Vec<AddressForm> {
    let meaning = if *host == DefaultHost::default() {
        "a repository on GitHub"
    } else {
        "a repository on the default host"
    };
    vec![
        form(format!("OWNER/{word}"), meaning),
        form(format!("gitlab:OWNER/{word}"), "a repository on that host"),
        form(format!("https://HOST/OWNER/{word}.git"), "a git URL"),
        form(format!("SOURCE:{word}"), "a path in a source"),
        form(format!("{word}@MARKETPLACE"), "a plugin"),
        form(format!("./{word}"), "a directory or file"),
    ]
}

/// The last part of the input that could be a name. Passwords are excluded.
fn last_word(typed: &str) -> String {
    let clean = without_passwords(typed);
    let mut parts = clean.split(['/', ':', '@', '#', '\\', ' ', '?', '&', '=']);
    let word = parts.rfind(|part| is_word(part));
    word.unwrap_or("NAME").to_owned()
}

/// Other programs put a version after `#`. In a URL that part may be anything, even a secret.
fn fragment_form(text: &str) -> AddressForm {
    let (address, version) = text.split_once('#').unwrap_or((text, ""));
    let version = match version {
        // A masked fragment must not appear in a suggestion.
        "" | "***" => "VERSION",
        version => version,
    };
    form(format!("{address}@{version}"), "that version")
}

/// The repository of a page, and the rest of its URL as a path.
fn page_forms(url: &str) -> Vec<AddressForm> {
    let Some((front, path)) = url.split_once("://") else {
        return Vec::new();
    };
    let mut parts = path.splitn(4, '/');
    let (Some(host), Some(owner), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
        return Vec::new();
    };
    let repository = format!("{front}://{host}/{owner}/{name}");
    let rest = parts
        .next()
        .map(|rest| rest.trim_matches('/'))
        .filter(|rest| !rest.is_empty());
    let with_path = rest.map(|rest| form(format!("{repository}//{rest}"), "a path in it"));
    std::iter::once(form(repository, "the repository"))
        .chain(with_path)
        .collect()
}
