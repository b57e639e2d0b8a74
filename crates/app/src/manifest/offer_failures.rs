//! The errors where an argument does not lead to one thing to add.

use std::collections::BTreeSet;

use agpm_diag::{
    Diagnostic, Failure, FailureKind, TypedCommand, codes, counted, nearest, unknown_name,
};
use agpm_model::VersionLabel;
use agpm_resolve::discover::{Candidate, CandidateType, closest, shell_comment};

use crate::manifest::AddressWords;

/// Letters of a description in a list.
const MOST_LETTERS: usize = 100;
/// Rows of a list; `agpm browse` shows all.
const MOST_ROWS: usize = 10;
/// Names that are offered for one that is not found.
const MOST_NEAR: usize = 5;
/// The option that no longer fits once one candidate is named.
const ALL: &str = "--all";

impl AddressWords {
    /// The failure of an ambiguous choice, with a command for each candidate.
    pub fn several(&self, message: String, all: &[&Candidate], typed: &TypedCommand) -> Failure {
        let help = if self.names.is_empty() {
            "run one of these commands, or add `--all`"
        } else {
            "run one of these commands"
        };
        let shown = all.iter().take(MOST_ROWS);
        let lines = shown.map(|one| {
            let about = one.description.as_ref();
            let about = about.map(|text| format!("  {}", shell_comment(text, MOST_LETTERS)));
            let command = typed.with_words(&self.words(one, all), ALL);
            format!("{command}{}", about.unwrap_or_default())
        });
        let more = all.len().saturating_sub(MOST_ROWS);
        let more = (more > 0).then(|| format!("… and {more} more: {}", self.browse(typed, None)));
        let diagnostic = Diagnostic::new(&codes::ADD_SEVERAL, message)
            .details(lines.chain(more))
            .help(help);
        Failure::new(FailureKind::NotFound, diagnostic)
    }

    /// The arguments that mean one candidate: its name, or its path where others have that name too.
    fn words(&self, one: &Candidate, all: &[&Candidate]) -> Vec<String> {
        let same = |other: &&&Candidate| other.name == one.name;
        let id = one.id();
        let is_alone = all.iter().filter(same).count() == 1;
        let is_only_of_type = all.iter().filter(|other| other.id() == id).count() == 1;
        let by_path = self.with_path(&one.path).filter(|_| !one.path.is_empty());
        match (is_alone, is_only_of_type, by_path) {
            (true, _, _) => vec![self.typed.clone(), one.name.clone()],
            (false, false, Some(path)) => vec![path],
            (false, _, _) => vec![self.typed.clone(), id],
        }
    }

    /// The command that lists the resources of the URL.
    fn browse(&self, typed: &TypedCommand, query: Option<&str>) -> String {
        let words = ["browse", self.typed.as_str()].into_iter().chain(query);
        typed.sibling(words)
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
    pub fn unknown_resource(
        &self,
        name: &str,
        branch: Option<&str>,
        all: &[Candidate],
        typed: &TypedCommand,
    ) -> Failure {
        let newer = branch.map(|branch| format!("; `@{branch}` after the URL checks that branch"));
        let noun = format!("resource in `{}` called", self.typed);
        let help = self.near(name, all, typed) + &newer.unwrap_or_default();
        unknown_name(&noun, name, Some(help))
    }

    /// The names that are most like one that was not found, and where to look for others.
    fn near(&self, name: &str, all: &[Candidate], typed: &TypedCommand) -> String {
        if let Some(near) = nearest(name, all.iter().map(|one| one.name.as_str())) {
            return format!("did you mean `{near}`?");
        }
        let names: BTreeSet<&str> = all.iter().map(|one| one.name.as_str()).collect();
        if names.len() <= MOST_NEAR {
            return format!("it has: {}", quoted(names));
        }
        let found = closest(all, name, MOST_NEAR);
        if found.is_empty() {
            let count = counted(all.len(), "resource", "resources");
            let browse = self.browse(typed, None);
            return format!("none of its {count} is similar; `{browse}` lists them");
        }
        let names = quoted(found.iter().map(|one| one.name.as_str()));
        let browse = self.browse(typed, Some(name));
        format!("the best matches are {names}; `{browse}` shows more")
    }
}

fn quoted<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use agpm_model::Manifest;
    use agpm_resolve::discover::{PluginMembership, PluginPlacement};

    use super::*;
    use crate::manifest::group_words;

    fn candidate(kind: CandidateType, name: &str, path: &str) -> Candidate {
        Candidate {
            kind,
            name: name.to_owned(),
            declared_name: None,
            path: path.to_owned(),
            description: Some("Draws; touch pwned $(id)".to_owned()),
            membership: PluginMembership::Standalone,
            location: PluginPlacement::Here,
        }
    }

    fn typed(words: &[&str]) -> TypedCommand {
        let texts = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        TypedCommand {
            verb: texts(&["add"]),
            words: texts(words),
            options: texts(&["--tool", "codex", "--all"]),
            project: texts(&["-C", "x"]),
            global: None,
            tail: Vec::new(),
        }
    }

    fn lines(all: &[Candidate]) -> Vec<String> {
        let words = ["acme/kit@v1".to_owned()];
        let group = group_words(&words, &Manifest::default()).unwrap().remove(0);
        let all: Vec<&Candidate> = all.iter().collect();
        let failure = group.several("several".to_owned(), &all, &typed(&["acme/kit@v1"]));
        failure.diagnostic.unwrap().details
    }

    #[test]
    fn commands_keep_the_options_and_nothing_of_a_description_acts_in_a_shell() {
        let all = [
            candidate(CandidateType::Skill, "art", "skills/art"),
            candidate(CandidateType::Agent, "art", "agents/art.md"),
            candidate(CandidateType::Agent, "pdf", "x/agents/pdf.md"),
            candidate(CandidateType::Agent, "pdf", "y/agents/pdf.md"),
        ];
        let about = "# Draws, touch pwned ‹id›";
        let command = |words: &str| format!("agpm -C x add {words} --tool codex  {about}");
        assert_eq!(
            lines(&all),
            [
                command("acme/kit@v1 skills/art"),
                command("acme/kit@v1 agents/art"),
                command("acme/kit/x/agents/pdf.md@v1"),
                command("acme/kit/y/agents/pdf.md@v1"),
            ]
        );
    }

    #[test]
    fn a_long_list_is_cut_and_names_the_command_that_shows_all() {
        let all: Vec<Candidate> = (0..92)
            .map(|at| candidate(CandidateType::Agent, &format!("a{at}"), &format!("a/{at}")))
            .collect();
        let lines = lines(&all);
        assert_eq!(lines.len(), 11);
        assert_eq!(lines[10], "… and 82 more: agpm -C x browse acme/kit@v1");
    }

    #[test]
    fn an_unknown_name_shows_the_best_matches() {
        let words = ["acme/kit".to_owned()];
        let group = group_words(&words, &Manifest::default()).unwrap().remove(0);
        let help = |name: &str, names: &[&str]| {
            let all: Vec<Candidate> = names
                .iter()
                .map(|name| Candidate {
                    description: None,
                    ..candidate(CandidateType::Agent, name, name)
                })
                .collect();
            let failure = group.unknown_resource(name, None, &all, &typed(&[]));
            failure.diagnostic.unwrap().help.unwrap()
        };
        let many = [
            "a-query", "b-query", "c-query", "dee", "eee", "f-query", "g-query", "h-query",
        ];
        assert_eq!(help("pdg", &["pdf", "x"]), "did you mean `pdf`?");
        assert_eq!(help("zzz", &["pdf", "x"]), "it has: `pdf`, `x`");
        assert_eq!(
            help("query", &many),
            "the best matches are `a-query`, `b-query`, `c-query`, `f-query`, `g-query`; \
             `agpm -C x browse acme/kit query` shows more"
        );
        assert_eq!(
            help("zzzz", &many),
            "none of its 8 resources is similar; `agpm -C x browse acme/kit` lists them"
        );
    }
}
