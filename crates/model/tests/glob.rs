//! File patterns compared with `globset`, and their intended differences.
#![allow(clippy::unwrap_used)]

use agpm_model::{Glob, GlobError};
use globset::GlobBuilder;
use proptest::prelude::*;

fn matches(pattern: &str, path: &str) -> bool {
    Glob::new(pattern).unwrap().is_match(path)
}

fn oracle(pattern: &str) -> Option<globset::GlobMatcher> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.ok().map(|glob| glob.compile_matcher())
}

fn pattern_pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "c.md",
        "/",
        "/",
        "*",
        "?",
        "**",
        "/**/",
        "[ab]",
        "[a-c]",
        "[]-]",
        "{a,b}",
        "{a/b,c}",
        "{a,{b,?}}",
        "{*.md,a*}",
        "\\*",
        "\\{",
        ",",
        "-",
        "]",
    ]);
    // For `globset`, `**/` matches every file; here, a pattern with a slash at its end names directories.
    prop::collection::vec(piece, 0..7)
        .prop_map(|pieces| pieces.concat())
        .prop_map(|pattern| pattern.trim_end_matches('/').to_owned())
}

fn relative_paths() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "a", "b", "ab", "aa", "c.md", "a.md", "*", "{", "]", ",", "-",
    ]);
    prop::collection::vec(name, 1..5).prop_map(|names| names.join("/"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn patterns_match_as_in_globset(pattern in pattern_pieces(), path in relative_paths()) {
        let ours = Glob::new(&pattern);
        match oracle(&pattern) {
            Some(theirs) => prop_assert_eq!(
                ours.unwrap().is_match(&path), theirs.is_match(&path), "{} {}", pattern, path
            ),
            None => prop_assert!(ours.is_err(), "{}", pattern),
        }
    }

    #[test]
    fn no_pattern_panics(pattern in r"[ab/*?\[\]{},!^\\-]{0,12}", path in r"[ab/]{0,8}") {
        let ours = Glob::new(&pattern).map(|glob| glob.is_match(&path));
        prop_assert_eq!(ours.is_ok(), oracle(&pattern).is_some(), "{}", pattern);
    }
}

#[test]
fn invalid_patterns_say_why() {
    for (pattern, error) in [
        ("[ab", GlobError::UnclosedClass),
        ("[b-a]", GlobError::InvalidRange('b', 'a')),
        ("{a,b", GlobError::UnclosedAlternatives),
        ("a}", GlobError::UnopenedAlternatives),
        ("a\\", GlobError::DanglingEscape),
    ] {
        assert_eq!(Glob::new(pattern).unwrap_err(), error, "{pattern}");
    }
    assert_eq!(
        Glob::new(&"{".repeat(10_000)).unwrap_err(),
        GlobError::TooLong
    );
    assert_eq!(Glob::new(&"{".repeat(100)).unwrap_err(), GlobError::TooDeep);
}

/// `globset` lets `[!a]` match `/`, reads `?` as one byte and drops the empty alternative.
#[test]
fn differences_from_globset_are_deliberate() {
    assert!(!matches("a[!b]c", "a/c"));
    assert!(matches("a[!b]c", "adc"));
    assert!(matches("?.md", "é.md"));
    assert!(matches("docs{,/api}/*.md", "docs/a.md"));
    assert!(matches("docs{,/api}/*.md", "docs/api/a.md"));
}

/// Each star could match in many ways; backtracking would not terminate.
#[test]
fn a_hostile_pattern_takes_no_longer_than_its_length_times_the_path() {
    let pattern = "a*".repeat(1000) + "b";
    assert!(!matches(&pattern, &"a".repeat(4000)));
}
