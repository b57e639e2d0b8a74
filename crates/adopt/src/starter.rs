//! The manifest and the ignored lines that a project begins with.

use crate::found::ChosenTools;

/// The starter manifest.
pub const STARTER_MANIFEST: &str = include_str!("../starter/agpm.toml");
/// The commented choice of a minimum age for versions, for every manifest that agpm creates. It is not active: whoever adds
/// a repository that was tagged today wants that tag.
pub const COOLDOWN_CHOICE: &str = include_str!("../starter/cooldown.toml");
/// The comment that tools are named before.
const SOURCES_COMMENT: &str = "# Where packages come from";
/// Paths that must not be committed: the state belongs to one machine, and the private manifest to one person. Plugins
/// and snippets are installed files like those of tools.
const IGNORED: [&str; 5] = [
    ".agpm/*",
    "!.agpm/plugins/",
    "!.agpm/snippets/",
    "agpm.private.toml",
    "agpm.private.lock",
];

/// The starter manifest with the tools that were found.
pub fn starter_manifest(tooling: &ChosenTools) -> String {
    if tooling.tools.is_empty() {
        return STARTER_MANIFEST.to_owned();
    }
    let names: Vec<String> = tooling
        .tools
        .iter()
        .map(|name| format!("\"{name}\""))
        .collect();
    let lines = format!(
        "# The AI coding clients that resources are installed for.\n[project]\ntools = [{}]\n\n",
        names.join(", ")
    );
    STARTER_MANIFEST.replacen(SOURCES_COMMENT, &(lines + SOURCES_COMMENT), 1)
}

/// An ignore file with its missing lines; `None` if none is missing.
pub fn with_ignored_lines(bytes: Vec<u8>) -> Option<Vec<u8>> {
    with_lines(bytes, &IGNORED)
}

/// An ignore file with one more line; `None` if it has the line.
pub fn with_ignored_line(bytes: Vec<u8>, line: &str) -> Option<Vec<u8>> {
    with_lines(bytes, &[line])
}

fn with_lines(mut bytes: Vec<u8>, lines: &[&str]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let has = |line: &str| {
        text.lines().any(|existing| {
            existing
                .trim()
                .trim_start_matches('/')
                .trim_end_matches('/')
                == line.trim_end_matches('/')
        })
    };
    // Users who ignore the whole directory decided so: no other line can include anything in it again.
    let is_decided = has(".agpm");
    let is_written = |line: &str| has(line) || is_decided && line.contains(".agpm/");
    let missing: Vec<&&str> = lines.iter().filter(|line| !is_written(line)).collect();
    if missing.is_empty() {
        return None;
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if !text.is_empty() && !text.ends_with('\n') {
        bytes.extend_from_slice(newline.as_bytes());
    }
    for line in missing {
        bytes.extend_from_slice(line.as_bytes());
        bytes.extend_from_slice(newline.as_bytes());
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(text: &str) -> Option<String> {
        let bytes = with_ignored_lines(text.as_bytes().to_vec())?;
        String::from_utf8(bytes).ok()
    }

    #[test]
    fn lines_join_an_ignore_file_once_and_in_its_own_style() {
        let all = ignored("").expect("it lacks all");
        assert_eq!(ignored(&all), None);
        let windows = ignored("target\r\n").expect("it lacks all");
        assert!(windows.starts_with("target\r\n.agpm/*\r\n"), "{windows:?}");
        let unfinished = ignored("target").expect("it lacks all");
        assert!(
            unfinished.starts_with("target\n.agpm/*\n"),
            "{unfinished:?}"
        );
    }

    #[test]
    fn an_ignored_directory_gets_no_ignore_lines() {
        assert_eq!(
            ignored("/.agpm/\n").as_deref(),
            Some("/.agpm/\nagpm.private.toml\nagpm.private.lock\n")
        );
    }

    #[test]
    fn the_starter_offers_the_cooldown_that_every_new_manifest_has() {
        assert!(STARTER_MANIFEST.ends_with(COOLDOWN_CHOICE));
        let active = COOLDOWN_CHOICE
            .replace("\n# [", "\n[")
            .replace("\n# min", "\nmin");
        assert!(active.ends_with("\n[policy.versions]\nmin-release-age = \"7d\"\n"));
    }

    #[test]
    fn the_starter_names_the_tools_that_were_found() {
        let none = ChosenTools::default();
        assert_eq!(starter_manifest(&none), STARTER_MANIFEST);
        let mut found = ChosenTools::default();
        found.tools.push("codex");
        let text = starter_manifest(&found);
        assert!(text.contains("[project]\ntools = [\"codex\"]\n"), "{text}");
    }
}
