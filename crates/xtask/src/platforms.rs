//! Operating systems are named in one module of a crate, `platform`, which therefore lists everything that differs.

use std::path::Path;
use std::{fs, io};

use crate::measure::source::{SourceToken, product_files};

/// Words of code that only one operating system understands.
const SYSTEM_WORDS: &[&str] = &[
    "unix",
    "rustix",
    "target_os",
    "target_vendor",
    "target_family",
];

/// Crates that no user runs.
const DEVELOPMENT: &[&str] = &["testkit", "xtask"];

/// Files outside of the modules `platform` whose product code names an operating system.
pub(crate) fn outside_platform(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join("crates"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if DEVELOPMENT.contains(&name.as_str()) {
            continue;
        }
        for file in product_files(&entry.path().join("src"))? {
            let is_platform =
                file.path.starts_with("platform") || file.path == Path::new("platform.rs");
            if is_platform {
                continue;
            }
            if let Some(token) = system_word(&file.tokens) {
                found.push(format!(
                    "crates/{name}/src/{}:{} names `{}`: only the module `platform` may",
                    file.path.display(),
                    file.line_at(token.start),
                    token.text
                ));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn system_word(tokens: &[SourceToken]) -> Option<&SourceToken> {
    for (index, token) in tokens.iter().enumerate() {
        if SYSTEM_WORDS.contains(&token.text.as_str()) {
            return Some(token);
        }
        // Slices have a method of this name, so only `cfg(windows)` and `os::windows` are meant.
        let before = index.checked_sub(2).and_then(|at| tokens.get(at));
        let is_system = before.is_some_and(|before| ["cfg", "os"].contains(&before.text.as_str()));
        if token.text == "windows" && is_system {
            return Some(token);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::source::SourceFile;

    #[test]
    fn words_of_systems_are_found_in_product_code_only() {
        for (text, expected) in [
            ("#[cfg(unix)] fn a() {}", Some("unix")),
            ("#[cfg(windows)] fn a() {}", Some("windows")),
            ("use std::os::windows::fs::MetadataExt;", Some("windows")),
            ("use rustix::fs::access;", Some("rustix")),
            (
                "fn a() -> bool { cfg!(target_os = \"linux\") }",
                Some("target_os"),
            ),
            ("fn a(b: &[u8]) { b.windows(2); }", None),
            (
                "#[cfg(test)] mod tests { use std::os::unix::fs::symlink; }",
                None,
            ),
            ("const A: &str = \"unix\";", None),
        ] {
            let file = SourceFile::parse(Path::new("a.rs"), text).unwrap();
            let found = system_word(&file.tokens).map(|token| token.text.as_str());
            assert_eq!(found, expected, "{text}");
        }
    }
}
