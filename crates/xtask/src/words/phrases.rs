//! The banned phrases, with their replacements.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use super::finding::PhraseFinding;
use super::prose::ProseWord;

/// The kind of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextScope {
    /// A page for users.
    Guide,
    /// Any other document.
    Document,
    /// A string literal.
    String,
}

/// Words that follow each other. `|` separates alternatives for one word.
struct BannedPhrase {
    banned: &'static str,
    instead: &'static str,
    /// Longer phrases that are good although the banned one is in them.
    unless: &'static [&'static str],
}

const fn phrase(banned: &'static str, instead: &'static str) -> BannedPhrase {
    BannedPhrase {
        banned,
        instead,
        unless: &[],
    }
}

const fn except(
    banned: &'static str,
    instead: &'static str,
    unless: &'static [&'static str],
) -> BannedPhrase {
    BannedPhrase {
        banned,
        instead,
        unless,
    }
}

/// In the order of `docs/style.md`.
const PHRASES: &[BannedPhrase] = &[
    except(
        "is|are|was|were no",
        "is not a, invalid",
        &["is|are|was|were no longer", "there is|are no"],
    ),
    phrase("is|are|was|were there", "exists, is present"),
    phrase("is|are|was|were not there", "does not exist, not found"),
    phrase("isn't|aren't there", "does not exist, not found"),
    phrase(
        "there is|are|was|were no",
        "no such, does not exist, has no",
    ),
    except(
        "told|tells|tell",
        "reported, shown, prints",
        &[
            "cannot|can|could tell whether|which|if|apart",
            "not tell whether|which|if",
        ],
    ),
    except(
        "counts",
        "applies, wins, takes precedence; treated as",
        &[
            "counts of",
            "the counts",
            "counts the|each|every|how|all|it|resources|files|steps|bytes|characters",
        ],
    ),
    phrase("count as", "are treated as"),
    phrase(
        "stand|stands|stood in|beside|for|there|below|above|before|behind|next|at|on",
        "is in, is next to; represents, replaces",
    ),
    except("behind", "after; in", &["behind a"]),
    phrase("below the|a|an|its|it", "in, under"),
    phrase("folders|directories|files below", "in, under"),
    phrase("beside", "next to"),
    phrase("come|comes|came along", "is transitive, is pulled in by"),
    phrase("bring|brings|brought along", "pulls in"),
    phrase("your|a word", "approval; an override; silently"),
    phrase("has|have a|no say", "can override, is ignored"),
    phrase("asked for", "required by, in the manifest"),
    except(
        "ask|asks|asking for",
        "requires",
        &["ask|asks|asking for confirmation|approval|permission|values|a"],
    ),
    phrase("who|nobody|one asks", "the dependent"),
    phrase("ours|theirs|yours", "managed by agpm; your own; unmanaged"),
    except("we|us|our", "agpm, you, or the passive", &["not our ref"]),
    phrase("taken|takes|take for", "treated as"),
    phrase("so that", "so, to"),
    phrase("mend|mends|mended", "fix"),
    phrase("take|takes|taken|took away", "remove"),
    phrase("anew", "again, from scratch"),
    phrase("makes|make a|the file|folder|directory", "creates"),
    phrase("of your|its|their|his own", "custom; its own X; separate"),
    phrase("in the way", "already exists and is not managed"),
    phrase("fate|fates", "result"),
    phrase("texts", "strings"),
    except("a text", "a string", &["a text file|editor"]),
    phrase("list of text", "list of strings"),
    phrase("symbolic link|links", "symlink"),
    except(
        "address|addresses",
        "URL",
        &["email|mail address|addresses"],
    ),
    except("places", "paths, locations", &["decimal places"]),
    phrase(
        "a|the|its|this|that|which|same|another place",
        "a path, a location, a position",
    ),
    except("ending|endings", "extension", &["line ending|endings"]),
    phrase("folder|folders", "directory"),
    phrase("a|the map", "an object, a table"),
    phrase("maps of", "objects, tables"),
    phrase("nothing but|besides", "only"),
    phrase("no matter of", "is not a question of"),
    phrase("colour|colours|coloured", "color"),
    phrase("behaviour|behaviours", "behavior"),
    phrase("licence|licences", "license"),
    phrase("honour|honours|honoured", "honor"),
    phrase("neighbour|neighbours", "neighbor"),
    phrase("catalogue|catalogues", "catalog"),
    phrase("recognise|recognises|recognised", "recognize"),
];

/// Guides are for users: how the project tests itself is in CONTRIBUTING.
const GUIDE_PHRASES: &[BannedPhrase] = &[
    phrase("test suite", "nothing: leave it out"),
    phrase(
        "run|executed|checked by a|the test|tests",
        "nothing: leave it out",
    ),
];

const HEADLESS: &str = "a subject: \"Files that …\", \"The value …\"";

/// The banned phrases in a text, in its order.
pub(super) fn find(words: &[ProseWord], scope: TextScope, path: &str) -> Vec<PhraseFinding> {
    let mut found = Vec::new();
    for at in 0..words.len() {
        let hit = beginning_with(&words[at], scope).find(|phrase| is_banned(phrase, words, at));
        let headless = scope != TextScope::String && is_headless(words, at);
        let instead = match hit {
            Some(phrase) => phrase.instead,
            None if headless => HEADLESS,
            None => continue,
        };
        let length = hit.map_or(1, |phrase| phrase.banned.split(' ').count());
        let texts = words[at..at + length].iter().map(|word| word.text.as_str());
        found.push(PhraseFinding {
            path: path.to_owned(),
            line: words[at].line,
            phrase: texts.collect::<Vec<_>>().join(" "),
            instead,
        });
    }
    found
}

type PhraseIndex = HashMap<&'static str, Vec<&'static BannedPhrase>>;

/// The phrases that can begin with a word. Comparing every phrase at every word of the project would take ten seconds.
fn beginning_with(
    word: &ProseWord,
    scope: TextScope,
) -> impl Iterator<Item = &'static BannedPhrase> {
    static ALL: LazyLock<PhraseIndex> = LazyLock::new(|| by_first_word(PHRASES));
    static GUIDES: LazyLock<PhraseIndex> = LazyLock::new(|| by_first_word(GUIDE_PHRASES));
    let first = word.text.to_ascii_lowercase();
    let for_guides = (scope == TextScope::Guide).then(|| GUIDES.get(&*first));
    let phrases = ALL.get(&*first).into_iter().chain(for_guides.flatten());
    phrases.flatten().copied()
}

fn by_first_word(phrases: &'static [BannedPhrase]) -> PhraseIndex {
    let mut index = PhraseIndex::new();
    for phrase in phrases {
        let first = phrase.banned.split(' ').next().unwrap_or_default();
        for alternative in first.split('|') {
            index.entry(alternative).or_default().push(phrase);
        }
    }
    index
}

fn is_banned(phrase: &BannedPhrase, words: &[ProseWord], at: usize) -> bool {
    let end = at + phrase.banned.split(' ').count();
    matches_at(phrase.banned, words, at)
        && !phrase
            .unless
            .iter()
            .any(|good| covers(good, words, at..end))
}

/// Whether a longer phrase is written over these words.
fn covers(pattern: &str, words: &[ProseWord], range: Range<usize>) -> bool {
    let length = pattern.split(' ').count();
    let first = range.end.saturating_sub(length);
    (first..=range.start).any(|start| matches_at(pattern, words, start))
}

fn matches_at(pattern: &str, words: &[ProseWord], at: usize) -> bool {
    let mut patterns = pattern.split(' ').enumerate();
    patterns.all(|(offset, alternatives)| {
        words
            .get(at + offset)
            .is_some_and(|word| is_one_of(word, alternatives))
    })
}

/// Words in capitals are names, such as git's `HEAD` and an element of JSON.
fn is_one_of(word: &ProseWord, alternatives: &str) -> bool {
    let is_name = word.text.len() > 1 && !word.text.chars().any(char::is_lowercase);
    !is_name
        && alternatives
            .split('|')
            .any(|alternative| word.text.eq_ignore_ascii_case(alternative))
}

/// "What …" at the start of a sentence that is not a question.
fn is_headless(words: &[ProseWord], at: usize) -> bool {
    let before = words[..at]
        .iter()
        .rev()
        .find(|word| word.text != "#" && word.text != "-");
    let starts = before.is_none_or(ProseWord::ends_sentence);
    let mut rest = words[at..].iter();
    words[at].text == "What"
        && starts
        && rest
            .find(|word| word.is_mark() && word.ends_sentence())
            .is_none_or(|end| end.text != "?")
}

#[cfg(test)]
mod tests {
    use super::super::prose::markdown;
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let words = markdown(text);
        let findings = find(&words, TextScope::Guide, "a.md");
        findings.into_iter().map(|finding| finding.phrase).collect()
    }

    #[test]
    fn phrases_are_found_across_lines_and_not_across_punctuation() {
        assert_eq!(found("It is\nno file."), ["is no"]);
        assert_eq!(found("As it is, no file is needed."), Vec::<String>::new());
    }

    #[test]
    fn a_longer_phrase_can_be_good() {
        assert_eq!(found("It is no longer used."), Vec::<String>::new());
        assert_eq!(found("Git's line endings and HEAD"), Vec::<String>::new());
        assert_eq!(found("The counts of files"), Vec::<String>::new());
        assert_eq!(found("The file counts."), ["counts"]);
    }

    #[test]
    fn a_sentence_does_not_begin_with_what_unless_it_asks() {
        assert_eq!(found("One. What left the disk is gone."), ["What"]);
        assert_eq!(found("- What is new"), ["What"]);
        assert_eq!(found("## What is agpm?"), Vec::<String>::new());
        assert_eq!(found("See what is new."), Vec::<String>::new());
    }

    #[test]
    fn guides_do_not_mention_tests() {
        assert_eq!(found("Run by the tests."), ["Run by the tests"]);
        let words = markdown("Run by the tests.");
        assert!(find(&words, TextScope::Document, "a.md").is_empty());
    }

    #[test]
    fn each_phrase_names_a_replacement() {
        for BannedPhrase {
            banned, instead, ..
        } in PHRASES.iter().chain(GUIDE_PHRASES)
        {
            assert!(!banned.is_empty() && !instead.is_empty(), "{banned}");
        }
    }
}
