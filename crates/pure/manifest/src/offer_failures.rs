//! The errors where an argument does not lead to one thing to add.

use std::collections::BTreeSet;

use agpm_diag::{
    Diagnostic, Failure, FailureKind, codes, command_line, did_you_mean, unknown_name,
};
use agpm_discover::{Candidate, CandidateType};
use agpm_model::VersionLabel;

use crate::address_words::AddressWords;

/// Letters of a description in a list.
const MOST_LETTERS: usize = 60;

impl AddressWords {
    /// The failure of an ambiguous choice, with a command for each candidate.
    pub fn several(&self, message: String, all: &[&Candidate]) -> Failure {
        let lines = all.iter().map(|one| {
            let about = one.description.as_ref();
            let about = about.map(|text| format!("  {}", cut(text, MOST_LETTERS)));
            format!("{}{}", self.command(one, all), about.unwrap_or_default())
        });
        let diagnostic = Diagnostic::new(&codes::ADD_SEVERAL, message)
            .details(lines)
            .help("run one of these commands, or add `--all`");
        Failure::new(FailureKind::NotFound, diagnostic)
    }

    /// The command that adds one candidate: by its name, or by its path where others have that name too.
    fn command(&self, one: &Candidate, all: &[&Candidate]) -> String {
        let same = |other: &&&Candidate| other.name == one.name;
        let id = one.id();
        let is_alone = all.iter().filter(same).count() == 1;
        let is_only_of_type = all.iter().filter(|other| other.id() == id).count() == 1;
        let mut words = vec!["agpm", "add"];
        let by_path = self.with_path(&one.path);
        match (is_alone, is_only_of_type, &by_path) {
            (true, _, _) => words.extend([self.typed.as_str(), one.name.as_str()]),
            (false, true, _) => words.extend([self.typed.as_str(), id.as_str()]),
            (false, false, Some(path)) => words.push(path),
            (false, false, None) => words.extend([self.typed.as_str(), id.as_str()]),
        }
        command_line(words)
    }

    /// The failure of a URL with nothing of the wanted type, at the tag, branch or commit that was looked at.
    pub fn nothing(
        &self,
        kind: Option<CandidateType>,
        label: Option<&VersionLabel>,
        all: &[Candidate],
    ) -> Failure {
        let at = label.map(|label| format!(" at `{label}`"));
        let at = at.unwrap_or_default();
        let (message, help) = match kind.filter(|_| !all.is_empty()) {
            Some(kind) => {
                let types: BTreeSet<&str> =
                    all.iter().map(|one| one.kind.plural()).collect();
                let types: Vec<&str> = types.into_iter().collect();
                (
                    format!("`{}` has no {}{at}", self.typed, kind.plural()),
                    format!("it has {}", types.join(", ")),
                )
            }
            None => (
                format!("`{}` has nothing to install{at}", self.typed),
                "agpm looked for `SKILL.md`, manifests of plugins and marketplaces, directories such as `agents/`, \
                 `commands/`, `rules/`, `hooks/` and `mcp-servers/`, and front matter"
                    .to_owned(),
            ),
        };
        Diagnostic::new(&codes::ADD_NOTHING, message)
            .help(help)
            .into()
    }

    /// The failure of a name that no candidate has; a branch may have what no version has yet.
    pub fn unknown_resource(&self, name: &str, branch: Option<&str>, all: &[Candidate]) -> Failure {
        let names: BTreeSet<&str> = all.iter().map(|one| one.name.as_str()).collect();
        let near = did_you_mean(name, "it has", names);
        let help = near.unwrap_or_else(|| format!("`agpm browse {}` lists all", self.typed));
        let newer = branch.map(|branch| format!("; `@{branch}` after the URL checks that branch"));
        let noun = format!("resource in `{}` called", self.typed);
        let help = help + &newer.unwrap_or_default();
        unknown_name(&noun, name, Some(help))
    }
}

/// The beginning of text.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_owned(),
    }
}
