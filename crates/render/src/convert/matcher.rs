//! Converts matchers of hooks.

use agpm_tools::{HookFormat, MatcherRule, MatcherSyntax};

use super::outcome::{FieldOutcomeKind, FieldOutcomes};
use super::parts::quoted;
use super::tool_names::translate;
use agpm_tools::server_tools::{ServerTool, read_reference};

/// A matcher, as the reference tool interprets it.
enum HookMatcher<'a> {
    /// Every event.
    All,
    /// Exactly these names.
    Names(Vec<&'a str>),
    /// A regular expression.
    Pattern,
}

impl<'a> HookMatcher<'a> {
    fn read(text: &'a str) -> Self {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_- ,|".contains(c);
        match text.trim() {
            // Three spellings of "always" in the wild. Read as a pattern they would be refused by tools that have
            // none.
            "" | "*" | ".*" => HookMatcher::All,
            text if text.chars().all(plain) => {
                let names = text
                    .split(['|', ','])
                    .map(str::trim)
                    .filter(|name| !name.is_empty());
                HookMatcher::Names(names.collect())
            }
            _ => HookMatcher::Pattern,
        }
    }
}

/// The target of a matcher, and the field for its outcome.
#[derive(Clone, Copy)]
pub(super) struct MatcherTarget<'a> {
    pub(super) rule: MatcherRule,
    pub(super) format: &'static HookFormat,
    /// The field that outcomes are reported for.
    pub(super) field: &'a str,
}

/// The target matchers for one of the reference, one for each entry; `None` matches everything. No entry at all means
/// that the hook would run where its author did not intend it.
pub(super) fn carry(
    text: Option<&str>,
    target: MatcherTarget<'_>,
    outcomes: &mut FieldOutcomes,
) -> Vec<Option<String>> {
    let Some(text) = text else { return vec![None] };
    let matcher = HookMatcher::read(text);
    if matches!(matcher, HookMatcher::All) || target.rule == MatcherRule::Ignored {
        outcomes.exact(target.field);
        return vec![None];
    }
    // Only the reference supports commas; all tools support `|`.
    let plain = match &matcher {
        HookMatcher::Names(names) => names.join("|"),
        _ => text.to_owned(),
    };
    match (target.rule, matcher) {
        (MatcherRule::Same, _) => {
            report_kept_matcher(target, Vec::new(), outcomes);
            vec![Some(plain)]
        }
        (MatcherRule::Tools, HookMatcher::Pattern)
            if target.format.matchers == MatcherSyntax::Reference =>
        {
            report_kept_matcher(target, Vec::new(), outcomes);
            vec![Some(plain)]
        }
        (MatcherRule::NewerVersions, _) => {
            report_kept_matcher(
                target,
                vec!["versions that ignore it run the hook each time".to_owned()],
                outcomes,
            );
            vec![Some(plain)]
        }
        (MatcherRule::Tools, HookMatcher::Names(names)) => tools(&names, target, outcomes),
        (MatcherRule::OneOf(words), HookMatcher::Names(names)) => {
            one_of(&names, words, target, outcomes)
        }
        // Without its matcher the hook would run on every tool call. Not running is the smaller surprise, and it is
        // reported.
        _ => refuse(
            target,
            "the tool does not support it, and without it the hook would run too often",
            outcomes,
        ),
    }
}

/// The outcome of a matcher that is kept.
fn report_kept_matcher(
    target: MatcherTarget<'_>,
    mut notes: Vec<String>,
    outcomes: &mut FieldOutcomes,
) {
    let caveat = target.format.caveat;
    notes.extend((!caveat.is_empty()).then(|| caveat.to_owned()));
    if notes.is_empty() {
        outcomes.exact(target.field);
    } else {
        outcomes.add(
            target.field,
            FieldOutcomeKind::Approximated,
            notes.join("; "),
        );
    }
}

fn refuse(
    target: MatcherTarget<'_>,
    note: &str,
    outcomes: &mut FieldOutcomes,
) -> Vec<Option<String>> {
    outcomes.add(target.field, FieldOutcomeKind::Dropped, note);
    Vec::new()
}

fn tools(
    names: &[&str],
    target: MatcherTarget<'_>,
    outcomes: &mut FieldOutcomes,
) -> Vec<Option<String>> {
    // Matchers compare names of tools, so the name of a server matches nothing.
    let (servers, tools): (Vec<&str>, Vec<&str>) = names
        .iter()
        .partition(|name| matches!(read_reference(name), Some(ServerTool::All(_))));
    let tools: Vec<String> = tools.into_iter().map(str::to_owned).collect();
    let mut found = translate(&tools, target.format.tool_names);
    found
        .left_out
        .extend(servers.into_iter().map(str::to_owned));
    if found.names.is_empty() {
        return refuse(
            target,
            &format!("the tool has no {}", quoted(&found.left_out)),
            outcomes,
        );
    }
    let mut notes = Vec::new();
    if !found.left_out.is_empty() {
        notes.push(format!(
            "it does not run for {}, which the tool does not know",
            quoted(&found.left_out)
        ));
    }
    if !found.more.is_empty() {
        notes.push(format!("it also runs for {}", quoted(&found.more)));
    }
    report_kept_matcher(target, notes, outcomes);
    let joined = found.names.join("|");
    vec![Some(match target.format.matchers {
        MatcherSyntax::Reference => names.join("|"),
        // These tools search inside the name: `Edit` alone would match `NotebookEdit` too.
        MatcherSyntax::Anchored => format!("^({joined})$"),
        MatcherSyntax::Joined => joined,
    })]
}

/// One entry for each name, because the tool compares whole names.
fn one_of(
    names: &[&str],
    words: &[&str],
    target: MatcherTarget<'_>,
    outcomes: &mut FieldOutcomes,
) -> Vec<Option<String>> {
    let (known, unknown): (Vec<&str>, Vec<&str>) =
        names.iter().partition(|name| words.contains(name));
    if known.is_empty() {
        return refuse(target, &format!("no {}", quoted(&unknown)), outcomes);
    }
    let missed = (!unknown.is_empty()).then(|| format!("it does not run for {}", quoted(&unknown)));
    report_kept_matcher(target, missed.into_iter().collect(), outcomes);
    known
        .into_iter()
        .map(|name| Some(name.to_owned()))
        .collect()
}
