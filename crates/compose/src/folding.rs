//! Messages about many resources: their number, and the first names.

use agpm_resolve::ResolvedEntry;
use std::collections::BTreeSet;

use agpm_model::ResourceType;

/// The number of names that are listed.
const NAMED: usize = 2;

/// `agents/x`, or `142 agents`.
pub(crate) fn counted(concerned: &[&ResolvedEntry]) -> String {
    let types: BTreeSet<ResourceType> = concerned
        .iter()
        .map(|resolved| resolved.entry.kind)
        .collect();
    match (concerned, types.first()) {
        ([one], _) => one.label(),
        (all, Some(only)) if types.len() == 1 => format!("{} {only}", all.len()),
        (all, _) => format!("{} resources", all.len()),
    }
}

/// `agents/a, agents/b, and 140 more`.
pub(crate) fn listed(concerned: &[&ResolvedEntry]) -> String {
    let names: Vec<String> = concerned.iter().map(|resolved| resolved.label()).collect();
    shortened(&names)
}

/// `a`, `a and b`, or `a, b and c`.
pub(crate) fn joined(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The first names, and the number of the others.
pub(crate) fn shortened(names: &[String]) -> String {
    match names.len().checked_sub(NAMED).filter(|more| *more > 0) {
        Some(more) => format!("{}, and {more} more", names[..NAMED].join(", ")),
        None => names.join(" and "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let names = |count: usize| (0..count).map(|name| name.to_string()).collect::<Vec<_>>();
        assert_eq!(shortened(&names(1)), "0");
        assert_eq!(shortened(&names(2)), "0 and 1");
        assert_eq!(shortened(&names(142)), "0, 1, and 140 more");
    }
}
