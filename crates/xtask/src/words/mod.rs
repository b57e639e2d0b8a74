//! Checks everything that users and contributors read for phrases that the style page bans.
//!
//! Documents have none, and messages are short. Strings and comments in the code have at most as many as recorded, and
//! the records only fall.

mod finding;
mod messages;
mod phrases;
mod prose;
mod records;

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::measure::source::{SourceFile, product_files};
use crate::measure::{DEVELOPMENT, crate_directories};
use finding::PhraseFinding;
use phrases::TextScope;

/// The findings that have one record.
struct RecordedArea {
    name: String,
    findings: Vec<PhraseFinding>,
}

/// Returns every finding of an area with more findings than recorded, one per line with its location and the
/// replacement.
pub(crate) fn violations(root: &Path) -> Vec<String> {
    match areas(root) {
        Ok(areas) => areas.iter().flat_map(violations_of).collect(),
        Err(error) => vec![error.to_string()],
    }
}

/// Every finding, then the number of each area beside its record.
pub(crate) fn report(root: &Path) -> io::Result<String> {
    let areas = areas(root)?;
    let findings = areas
        .iter()
        .flat_map(|area| &area.findings)
        .map(PhraseFinding::describe);
    let mut out: String = findings.map(|line| line + "\n").collect();
    for RecordedArea { name, findings } in &areas {
        let (count, record) = (findings.len(), records::record(name));
        out.push_str(&format!("{name}: {count} findings, {record} allowed\n"));
    }
    Ok(out)
}

fn violations_of(area: &RecordedArea) -> Vec<String> {
    let (count, record) = (area.findings.len(), records::record(&area.name));
    if count <= record {
        return Vec::new();
    }
    let mut lines: Vec<String> = area.findings.iter().map(PhraseFinding::describe).collect();
    lines.push(format!(
        "{}: {count} findings, {record} allowed (see docs/style.md)",
        area.name
    ));
    lines
}

fn areas(root: &Path) -> io::Result<Vec<RecordedArea>> {
    let code = code_files(root)?;
    Ok(vec![
        document_area(root, "documents", documents(root)?)?,
        document_area(root, "help", vec![root.join("docs/reference/cli.md")])?,
        code_area("strings", &code, string_findings),
        code_area("comments", &code, comment_findings),
        code_area("messages", &code, messages::find),
    ])
}

/// The prose of the repository. Generated references are checked as strings.
fn documents(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = markdown_files(&root.join("docs"))?;
    found.retain(|path| !path.starts_with(root.join("docs/reference")));
    found.extend(markdown_files(&root.join("crates/diag/pages"))?);
    found.extend(files_in(root)?.into_iter().filter(|path| is_markdown(path)));
    // The page that lists the banned phrases.
    found.retain(|path| *path != root.join("docs/style.md"));
    Ok(found)
}

fn document_area(root: &Path, name: &str, paths: Vec<PathBuf>) -> io::Result<RecordedArea> {
    let mut findings = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path)?;
        let is_guide = path.parent() == Some(&root.join("docs"));
        let scope = if is_guide {
            TextScope::Guide
        } else {
            TextScope::Document
        };
        let path = relative_path(root, &path);
        findings.extend(phrases::find(&prose::markdown(&text), scope, &path));
    }
    Ok(RecordedArea {
        name: name.to_owned(),
        findings,
    })
}

/// The product code of a file, and its path from the root.
struct CodeFile {
    path: String,
    source: SourceFile,
}

fn code_files(root: &Path) -> io::Result<Vec<CodeFile>> {
    let mut files = Vec::new();
    for directory in crate_directories(root)? {
        if DEVELOPMENT.iter().any(|name| directory.ends_with(name)) {
            continue;
        }
        let sources = directory.join("src");
        for source in product_files(&sources)? {
            let path = relative_path(root, &sources.join(&source.path));
            files.push(CodeFile { path, source });
        }
    }
    Ok(files)
}

/// All crates are one area: code moves between crates, and its strings and comments with it.
fn code_area(
    name: &str,
    files: &[CodeFile],
    find: fn(&SourceFile, &str) -> Vec<PhraseFinding>,
) -> RecordedArea {
    let findings = files.iter().flat_map(|file| find(&file.source, &file.path));
    RecordedArea {
        name: name.to_owned(),
        findings: findings.collect(),
    }
}

fn string_findings(file: &SourceFile, path: &str) -> Vec<PhraseFinding> {
    let mut findings = Vec::new();
    for token in &file.tokens {
        let Some(text) = prose::literal_text(&token.text) else {
            continue;
        };
        let words = prose::literal(text, file.line_at(token.start));
        findings.extend(phrases::find(&words, TextScope::String, path));
    }
    findings
}

/// Comments and documentation are prose, and their lines are those of the file.
fn comment_findings(file: &SourceFile, path: &str) -> Vec<PhraseFinding> {
    let mut findings = Vec::new();
    for comment in &file.comments {
        let mut words = prose::markdown(&comment.text);
        for word in &mut words {
            word.line += comment.line - 1;
        }
        findings.extend(phrases::find(&words, TextScope::Document, path));
    }
    findings
}

fn relative_path(root: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(root).unwrap_or(path);
    inner.to_string_lossy().into_owned()
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

fn files_in(directory: &Path) -> io::Result<Vec<PathBuf>> {
    Ok(entries(directory)?
        .into_iter()
        .filter(|path| path.is_file())
        .collect())
}

fn markdown_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = files_in(directory)?;
    found.retain(|path| is_markdown(path));
    for inner in entries(directory)? {
        if inner.is_dir() {
            found.extend(markdown_files(&inner)?);
        }
    }
    Ok(found)
}

/// Sorted, so two runs report the same lines in the same order.
fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        found.push(entry?.path());
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_and_comments_and_tests_are_not() {
        let text = "// told\n/// told\nfn f() -> &'static str { \"it was\\n told `told`\" }\n#[test]\nfn t() { g(\"was told\"); }\n";
        let file = SourceFile::parse(Path::new("x.rs"), text).expect("the text is Rust");
        let found: Vec<String> = string_findings(&file, "x.rs")
            .iter()
            .map(PhraseFinding::describe)
            .collect();
        assert_eq!(found, ["x.rs:3: \"told\": write reported, shown, prints"]);
    }

    #[test]
    fn comments_are_read_and_strings_and_tests_are_not() {
        let text = "//! It is\n//! no file.\n\n/// What it `told`.\n// A map.\nfn f() -> &'static str { \"\n// told\n\" }\n#[test]\n/// told\nfn t() {}\n";
        let file = SourceFile::parse(Path::new("x.rs"), text).expect("the text is Rust");
        let found: Vec<String> = comment_findings(&file, "x.rs")
            .iter()
            .map(PhraseFinding::describe)
            .collect();
        let expected = [
            "x.rs:1: \"is no\": write is not a, invalid",
            "x.rs:4: \"What\": write a subject: \"Files that …\", \"The value …\"",
            "x.rs:5: \"A map\": write an object, a table",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_area_fails_above_its_record_only() {
        let finding = || PhraseFinding {
            path: "a.md".to_owned(),
            line: 1,
            phrase: "told".to_owned(),
            instead: "reported",
        };
        let area = |count: usize| RecordedArea {
            name: "no such area".to_owned(),
            findings: (0..count).map(|_| finding()).collect(),
        };
        assert_eq!(violations_of(&area(0)), Vec::<String>::new());
        assert_eq!(violations_of(&area(1)).len(), 2);
    }
}
