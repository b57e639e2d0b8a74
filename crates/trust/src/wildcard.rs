//! Patterns with `*`, and which of them include which.

/// The characters that a `*` matches; `**` always crosses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wildcard {
    CrossesAll,
    StaysInSegment,
}

/// Whether everything that the pattern `inner` matches is matched by `outer`. A wildcard of `inner` is included only
/// where a wildcard of `outer` takes it in, which never says yes to too much.
// A rule is compared with a rule, not with a command: the answer must hold for every command that the inner one
// allows.
pub(crate) fn includes(outer: &str, inner: &str, wildcard: Wildcard) -> bool {
    let outer: Vec<char> = outer.chars().collect();
    let inner: Vec<char> = inner.chars().collect();
    // Row by row over `outer`: which lengths of `inner` are matched so far.
    let mut reached = vec![false; inner.len() + 1];
    reached[0] = true;
    let mut at = 0;
    while at < outer.len() {
        let doubled = outer[at] == '*' && outer.get(at + 1) == Some(&'*');
        let mut next = vec![false; inner.len() + 1];
        if outer[at] == '*' {
            let crosses = doubled || wildcard == Wildcard::CrossesAll;
            let mut open = false;
            for end in 0..=inner.len() {
                if end > 0 && !crosses && stops(&inner, end - 1) {
                    open = false;
                }
                open |= reached[end];
                next[end] = open;
            }
        } else {
            for end in 1..=inner.len() {
                next[end] = reached[end - 1] && inner[end - 1] == outer[at];
            }
        }
        reached = next;
        at += if doubled { 2 } else { 1 };
    }
    reached[inner.len()]
}

/// Whether a wildcard that stays in its segment ends before this character of the inner pattern.
fn stops(inner: &[char], at: usize) -> bool {
    let is_star = |at: usize| inner.get(at) == Some(&'*');
    let part_of_double = is_star(at) && (is_star(at + 1) || at > 0 && is_star(at - 1));
    inner[at] == '/' || part_of_double
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All strings over a small alphabet.
    fn strings(longest: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut last = all.clone();
        for _ in 0..longest {
            let longer = |text: &String| ["a", "b", "/"].map(|c| text.clone() + c);
            last = last.iter().flat_map(longer).collect();
            all.extend(last.clone());
        }
        all
    }

    proptest::proptest! {
        #[test]
        fn an_included_pattern_matches_nothing_more(
            outer in "[ab/*]{0,5}",
            inner in "[ab/*]{0,5}",
            crosses in proptest::bool::ANY,
        ) {
            let wildcard = if crosses { Wildcard::CrossesAll } else { Wildcard::StaysInSegment };
            if includes(&outer, &inner, wildcard) {
                for text in strings(5) {
                    let is_inner = includes(&inner, &text, wildcard);
                    proptest::prop_assert!(!is_inner || includes(&outer, &text, wildcard), "{text}");
                }
            }
        }
    }
}
