//! A short list of phrases and names that the style page bans, searched in documents, messages, comments and identifiers.

mod messages;

use std::path::{Path, PathBuf};
use std::{fs, io};

use regex_automata::meta::Regex;

use crate::measure::source::{SourceFile, product_files};
use crate::measure::{DEVELOPMENT, crate_directories};

/// A regular expression over text without code, another one for phrases around it that are good, and the replacement.
struct BannedPhrase(&'static str, &'static str, &'static str);

const PHRASES: &[BannedPhrase] = &[
    BannedPhrase(
        r"(is|are|was|were) no",
        r"(is|are|was|were) no longer",
        "is not a, invalid",
    ),
    BannedPhrase(
        r"there (is|are|was|were) no",
        "",
        "no such, does not exist, has no",
    ),
    BannedPhrase(
        r"(is|are|was|were)( not)? there",
        "",
        "exists, does not exist",
    ),
    BannedPhrase(r"told|tells", "", "reported, shown, prints"),
    BannedPhrase(
        r"counts",
        r"counts of|the counts|counts (the|each|every|how|all|it|resources|files|steps|bytes|characters)",
        "applies, wins, takes precedence",
    ),
    BannedPhrase(r"count as|take[ns]? for|takes for", "", "is treated as"),
    BannedPhrase(
        r"st(and|ands|ood) (in|beside|for|there|below|above|before|behind|next|at|on)",
        "",
        "is in, is next to; represents",
    ),
    BannedPhrase(r"behind", r"behind a", "after; in"),
    BannedPhrase(r"beside", "", "next to"),
    BannedPhrase(
        r"(below (the|a|an|its|it)|(folders|directories|files) below)",
        "",
        "in, under",
    ),
    BannedPhrase(
        r"(comes?|came|brings?|brought) along",
        "",
        "is transitive, is pulled in by",
    ),
    BannedPhrase(
        r"your word|a word|(has|have) (a|no) say",
        "",
        "approval; can override",
    ),
    BannedPhrase(
        r"asked for|(who|nobody|one) asks",
        "",
        "required by, in the manifest",
    ),
    BannedPhrase(
        r"ours|theirs|yours",
        "",
        "managed by agpm; your own; unmanaged",
    ),
    BannedPhrase(r"we|us|our", r"not our ref", "agpm, you, or the passive"),
    BannedPhrase(r"so that", "", "so, to"),
    BannedPhrase(
        r"mend(s|ed)?|anew|(take[ns]?|took) away",
        "",
        "fix, again, remove",
    ),
    BannedPhrase(
        r"of (your|its|their|his) own",
        "",
        "custom; its own X; separate",
    ),
    BannedPhrase(r"in the way", "", "already exists and is not managed"),
    BannedPhrase(
        r"fates?|texts|maps of|(a|the) map",
        "",
        "result, strings, objects, tables",
    ),
    BannedPhrase(r"address(es)?", r"(email|mail) address(es)?", "URL"),
    BannedPhrase(r"endings?", r"line endings?", "extension"),
    BannedPhrase(r"folders?", r"ignored-folder", "directory"),
    BannedPhrase(r"symbolic links?", "", "symlink"),
    BannedPhrase(
        r"colou?red|colours?|behaviours?|licences?|honour(s|ed)?|neighbours?|catalogues?|recogni[s]e[sd]?",
        r"colored",
        "American spelling",
    ),
];

/// Words of identifiers, separated by `_`, or whole identifiers.
const NAMES: &[&str] = &[
    "ours",
    "theirs",
    "told",
    "meant",
    "fulfil",
    "doomed",
    "fate",
    "anew",
    "mend",
    "take_in",
    "will_do",
    "is_home_of",
];

/// Where identifiers have git's names for the sides of a merge.
const KEPT_NAMES: &[&str] = &[
    "crates/app/src/lock_merge.rs",
    "crates/app/src/project/packages/locking.rs",
    "crates/cli/src/args/install.rs",
    "crates/cli/src/commands/lock.rs",
    "crates/report/src/lock_merge.rs",
    "crates/resolve/src/lock_join.rs",
    "crates/text/src/conflicts.rs",
];

pub(crate) fn violations(root: &Path) -> Vec<String> {
    match findings(root) {
        Ok(found) => found,
        Err(error) => vec![error.to_string()],
    }
}

fn findings(root: &Path) -> io::Result<Vec<String>> {
    let phrases = CompiledPhrases::new();
    let mut found = Vec::new();
    for path in documents(root)? {
        let text = fs::read_to_string(&path)?;
        let place = relative_path(root, &path);
        found.extend(phrases.find(&without_code(&text), &place, 1));
    }
    for directory in crate_directories(root)? {
        if DEVELOPMENT.iter().any(|name| directory.ends_with(name)) {
            continue;
        }
        let sources = directory.join("src");
        for file in product_files(&sources)? {
            let place = relative_path(root, &sources.join(&file.path));
            found.extend(in_code(&phrases, &file, &place));
        }
    }
    Ok(found)
}

fn in_code(phrases: &CompiledPhrases, file: &SourceFile, place: &str) -> Vec<String> {
    let mut found = Vec::new();
    for comment in &file.comments {
        found.extend(phrases.find(&without_code(&comment.text), place, comment.line));
    }
    for token in &file.tokens {
        let line = file.line_at(token.start);
        match messages::literal_text(&token.text) {
            Some(text) => found.extend(phrases.find(&without_placeholders(text), place, line)),
            None if is_banned_name(&token.text) && !is_kept(place) => {
                found.push(format!("{place}:{line}: the name `{}`", token.text));
            }
            None => {}
        }
    }
    found.extend(messages::too_long(file, place));
    found
}

fn is_kept(place: &str) -> bool {
    KEPT_NAMES.iter().any(|start| place.starts_with(start))
}

fn is_banned_name(name: &str) -> bool {
    NAMES.contains(&name) || name.split('_').any(|word| NAMES.contains(&word))
}

struct CompiledPhrases(Vec<(Regex, Option<Regex>, &'static str)>);

impl CompiledPhrases {
    fn new() -> Self {
        let mut compiled = Vec::new();
        for BannedPhrase(banned, good, instead) in PHRASES {
            let good = (!good.is_empty()).then(|| whole_words(good));
            compiled.push((whole_words(banned), good, *instead));
        }
        CompiledPhrases(compiled)
    }

    /// Every banned phrase in a text whose first line has this number.
    fn find(&self, text: &str, place: &str, first_line: usize) -> Vec<String> {
        let mut found = Vec::new();
        for (banned, good, instead) in &self.0 {
            for hit in banned.find_iter(text) {
                let phrase = &text[hit.range()];
                // Words in capitals are names, such as an element of JSON.
                let is_name = !phrase.chars().any(char::is_lowercase);
                let is_good = good.as_ref().is_some_and(|good| {
                    good.find_iter(text)
                        .any(|good| good.start() <= hit.start() && hit.end() <= good.end())
                });
                if is_name || is_good {
                    continue;
                }
                let line = first_line + text[..hit.start()].matches('\n').count();
                let phrase = phrase.replace('\n', " ");
                found.push(format!("{place}:{line}: \"{phrase}\": write {instead}"));
            }
        }
        found
    }
}

/// Words may be on two lines.
fn whole_words(pattern: &str) -> Regex {
    let pattern = format!(r"(?i-u)\b({})\b", pattern.replace(' ', r"\s+"));
    Regex::new(&pattern).expect("the patterns of the table are valid")
}

/// Markdown with `¶` in place of code, the targets of links and HTML comments, on the same lines.
fn without_code(text: &str) -> String {
    let code = Regex::new(r"(?s)```.*?```|<!--.*?-->|`[^`]*`|\]\([^)]*\)|(?m)^\|?[-| :]+$")
        .expect("the pattern is valid");
    replace_by_mark(&code, text)
}

/// A literal with `¶` in place of code and of what the program fills in.
fn without_placeholders(text: &str) -> String {
    let code = Regex::new(r"`[^`]*`|\{[^}]*\}|\\.").expect("the pattern is valid");
    replace_by_mark(&code, text)
}

fn replace_by_mark(code: &Regex, text: &str) -> String {
    let mut out = String::new();
    let mut end = 0;
    for hit in code.find_iter(text) {
        out.push_str(&text[end..hit.start()]);
        out.push('¶');
        out.extend(text[hit.range()].matches('\n'));
        end = hit.end();
    }
    out.push_str(&text[end..]);
    out
}

/// The prose of the repository. Generated references are checked as the strings that they come from.
fn documents(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut directories = vec![root.join("docs"), root.join("crates/diag/pages")];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else {
                found.push(path);
            }
        }
    }
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ] {
        found.push(root.join(name));
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    // The page that lists the banned phrases, and what is generated.
    found.retain(|path| {
        *path != root.join("docs/style.md") && !path.starts_with(root.join("docs/reference"))
    });
    found.sort();
    Ok(found)
}

fn relative_path(root: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(root).unwrap_or(path);
    inner.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        CompiledPhrases::new().find(&without_code(text), "a.md", 1)
    }

    #[test]
    fn phrases_are_found_across_lines_but_not_in_code() {
        assert_eq!(
            found("One.\nIt is\nno file."),
            ["a.md:2: \"is no\": write is not a, invalid"]
        );
        assert_eq!(
            found("It `is no` file, see [it](told.md).\n```\ntold\n```\n"),
            Vec::<String>::new()
        );
        assert_eq!(
            found("It is no longer used. Line endings."),
            Vec::<String>::new()
        );
    }

    #[test]
    fn strings_comments_and_names_are_read_and_tests_are_not() {
        let text = "/// It was told.\nfn f(theirs: u8) -> &'static str { \"was told `told`\" }\n#[test]\nfn t() { g(\"told\"); }\n";
        let file = SourceFile::parse(Path::new("x.rs"), text).expect("the text is Rust");
        let found = in_code(&CompiledPhrases::new(), &file, "x.rs");
        assert_eq!(
            found,
            [
                "x.rs:1: \"told\": write reported, shown, prints",
                "x.rs:2: the name `theirs`",
                "x.rs:2: \"told\": write reported, shown, prints",
            ]
        );
    }
}
