//! File patterns: their errors, limits, and the few rules that agpm chooses.
#![allow(clippy::unwrap_used)]

use agpm_model::{Glob, GlobError};
use proptest::prelude::*;

fn matches(pattern: &str, path: &str) -> bool {
    Glob::new(pattern).unwrap().is_match(path)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_pattern_panics(pattern in r"[ab/*?\[\]{},!^\\-]{0,12}", path in r"[ab/]{0,8}") {
        let _ = Glob::new(&pattern).map(|glob| glob.is_match(&path));
    }
}

#[test]
fn wildcards_stay_in_a_part_of_the_path() {
    for (pattern, path, expected) in [
        ("agents/*.md", "agents/a.md", true),
        ("agents/*.md", "agents/b/a.md", false),
        ("agents/?.md", "agents/a.md", true),
        ("agents/**", "agents/b/a.md", true),
        ("**/*.md", "a.md", true),
        ("a[b-d]c", "acc", true),
        ("{a,b/c}.md", "b/c.md", true),
        ("docs{,/api}/*.md", "docs/a.md", true),
        ("docs{,/api}/*.md", "docs/api/a.md", true),
        ("\\*.md", "*.md", true),
        ("\\*.md", "a.md", false),
    ] {
        assert_eq!(matches(pattern, path), expected, "{pattern} {path}");
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
    let long = "{".repeat(10_000);
    assert_eq!(Glob::new(&long).unwrap_err(), GlobError::TooLong);
}

#[test]
fn an_error_names_its_pattern() {
    let error = Glob::any_of(&["a", "[b", "c"]).unwrap_err();
    assert_eq!(error, (1, GlobError::UnclosedClass));
    let both = Glob::any_of(&["a", "b/*"]).unwrap();
    assert!(both.is_match("a") && both.is_match("b/c") && !both.is_match("c"));
}

#[test]
fn hostile_patterns_are_bounded() {
    let nested = "{a,".repeat(900) + &"}".repeat(900);
    let stars = "a*".repeat(1000) + "b";
    for pattern in [nested, stars] {
        match Glob::new(&pattern) {
            Ok(glob) => assert!(!glob.is_match(&"a".repeat(4000))),
            Err(error) => assert_eq!(error, GlobError::TooComplex),
        }
    }
}
