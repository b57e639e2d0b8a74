//! Extracts the part of a changelog between two versions.

use semver::Version;

use crate::version::VersionLabel;

/// The lines of `changelog` about versions after `old` up to `new`; none if either tag has no version.
pub fn changelog_between<'t>(
    changelog: &'t str,
    old: &VersionLabel,
    new: &VersionLabel,
) -> Vec<&'t str> {
    let (Some(old), Some(new)) = (old.version(), new.version()) else {
        return Vec::new();
    };
    let mut lines = Vec::new();
    // The level of the heading whose section is included.
    let mut taken: Option<usize> = None;
    let mut in_fence = false;
    for line in changelog.lines() {
        in_fence ^= line.trim_start().starts_with("```");
        if let Some(heading) = ChangelogHeading::read(line).filter(|_| !in_fence) {
            taken = match heading.version {
                Some(version) => (version > *old && version <= *new).then_some(heading.level),
                // `### Fixed` belongs to its version, `## Unreleased` does not.
                None => taken.filter(|level| heading.level > *level),
            };
        }
        if taken.is_some() {
            lines.push(line.trim_end());
        }
    }
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

struct ChangelogHeading {
    level: usize,
    version: Option<Version>,
}

impl ChangelogHeading {
    fn read(line: &str) -> Option<Self> {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let text = line.get(level..)?;
        if !(1..=6).contains(&level) || !text.starts_with([' ', '\t']) {
            return None;
        }
        Some(ChangelogHeading {
            level,
            version: leading_version(text),
        })
    }
}

/// The version at the beginning of a heading, as in `[1.2.0] - 2026-01-31`, `Version 1.2.0` or `agents-v1.2.0`.
fn leading_version(text: &str) -> Option<Version> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let is_label = ["version", "release"].contains(&first.to_ascii_lowercase().as_str());
    let word = if is_label { words.next()? } else { first };
    let end = word.find("](").unwrap_or(word.len());
    let bare = word[..end].trim_matches(['[', ']', '(', ')', ':', '*', ',']);
    VersionLabel::new(bare).version().cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGELOG: &str = "\
# Changelog

## Unreleased
- not yet

## [1.2.0](https://example.invalid/1.2.0) - 2026-02-01
### Added
- a reviewer

```
## 0.9.0 in an example
```

## v1.1.0
- faster

## 1.0.0
- first
";

    fn between(old: &str, new: &str) -> Vec<&'static str> {
        changelog_between(CHANGELOG, &VersionLabel::new(old), &VersionLabel::new(new))
    }

    #[test]
    fn the_lines_after_the_old_version_up_to_the_new_one() {
        assert_eq!(between("v1.0.0", "v1.1.0"), ["## v1.1.0", "- faster"]);
        let all = between("1.0.0", "1.2.0");
        assert_eq!(
            all.first().copied(),
            Some("## [1.2.0](https://example.invalid/1.2.0) - 2026-02-01")
        );
        assert!(all.contains(&"### Added") && all.contains(&"## 0.9.0 in an example"));
        assert_eq!(all.last().copied(), Some("- faster"));
        assert!(!all.contains(&"- not yet") && !all.contains(&"- first"));
    }

    #[test]
    fn branches_and_older_versions_have_no_lines() {
        assert!(between("main", "main").is_empty());
        assert!(between("v1.2.0", "v1.0.0").is_empty());
        assert!(between("v1.2.0", "v1.2.0").is_empty());
    }

    #[test]
    fn headings_name_versions_in_several_ways() {
        for text in [
            "1.2.0",
            "[1.2.0]",
            "v1.2.0 (2026-01-01)",
            "Version 1.2.0",
            "**1.2.0**",
            "agents-v1.2.0:",
        ] {
            assert_eq!(
                leading_version(text),
                Version::parse("1.2.0").ok(),
                "{text}"
            );
        }
        assert_eq!(leading_version("Upgrade to 2.0.0"), None);
    }
}
