//! Detects templates.

use agpm_diag::has_errors;
use agpm_text::{Format, NodeRef, markdown_body, parse_alone};

/// Whether Markdown is a template: its front matter decides; without a setting, a tag that mentions one of agpm's
/// names.
pub fn is_template(text: &str) -> bool {
    if !has_tags(text) {
        return false;
    }
    // Most strings do not mention templates, and need not be parsed.
    if !text.contains("templating") {
        return mentions_agpm(text);
    }
    let parsed = parse_alone(text, Format::Markdown);
    let setting = if has_errors(&parsed.diagnostics) {
        // Text with invalid YAML may still have the setting on one line.
        templating_line(&text[..text.len() - markdown_body(text).len()])
    } else {
        parsed.document.root().and_then(templating)
    };
    setting.unwrap_or_else(|| mentions_agpm(text))
}

/// The template setting in a line of front matter; `false` if lines contradict each other.
fn templating_line(front: &str) -> Option<bool> {
    let word = |line: &str| {
        let setting = line
            .trim()
            .trim_start_matches("agpm.")
            .strip_prefix("templating:")?;
        setting.split('#').next()?.trim().parse::<bool>().ok()
    };
    let words: Vec<bool> = front.lines().filter_map(word).collect();
    [false, true].into_iter().find(|word| words.contains(word))
}

/// The template setting in front matter; `false` if it contradicts itself.
pub fn templating(root: NodeRef<'_>) -> Option<bool> {
    let nested = root.get("agpm").and_then(|agpm| agpm.get("templating"));
    let words = [nested, root.get("agpm.templating")].map(|word| word.and_then(NodeRef::as_bool));
    [false, true]
        .into_iter()
        .find(|word| words.contains(&Some(*word)))
}

/// Whether text contains a template tag.
pub fn has_tags(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// Whether a template tag mentions one of agpm's names. Text with `{{ agpm.project.* }}`, which is invalid in
/// templates, documents templates and is not one itself.
fn mentions_agpm(text: &str) -> bool {
    let mut mentioned = false;
    let mut rest = text;
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        let close = if rest[at..].starts_with("{{") {
            "}}"
        } else {
            "%}"
        };
        let end = rest[at..].find(close).map_or(rest.len(), |end| at + end);
        let tag = &rest[at..end];
        if tag.contains("agpm.") {
            if has_wildcard(tag) {
                return false;
            }
            mentioned = true;
        }
        rest = &rest[(end + close.len()).min(rest.len())..];
    }
    mentioned
}

/// Whether one of agpm's names ends in `.*`.
fn has_wildcard(tag: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let ends_in_wildcard = |(at, _): (usize, &str)| {
        let rest = tag[at..].trim_start_matches(is_name);
        rest.starts_with('*') && tag[..tag.len() - rest.len()].ends_with('.')
    };
    tag.match_indices("agpm.").any(ends_in_wildcard)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_has_the_last_word() {
        assert!(is_template("{{ agpm.project.x }}"));
        assert!(!is_template("{{ other }}"));
        assert!(!is_template(
            "---\nagpm:\n  templating: false\n---\n{{ agpm.project.x }}"
        ));
        assert!(!is_template(
            "---\nagpm.templating: false\nagpm:\n  templating: true\n---\n{{ agpm.project.x }}"
        ));
        assert!(is_template("---\nagpm.templating: true\n---\n{{ other }}"));
        let odd = "---\nname: Use this: when\nagpm:\n  templating: WORD # why\n---\n{{ agpm.project.x }}{{ y }}";
        assert!(!is_template(&odd.replace("WORD", "false")));
        assert!(is_template(
            &odd.replace("WORD", "true").replace("agpm.project.", "")
        ));
    }

    #[test]
    fn only_tags_that_mention_us_count() {
        for (text, expected) in [
            ("{{ agpm.project.x }}", true),
            ("{% if agpm.project.x %}", true),
            ("agpm.project {{ other }}", false),
            ("{{ other }} agpm. {{", false),
            ("{{ a }} {{ agpm.x", true),
            (
                "write {{ agpm.project.x }}, or any {{ agpm.project.* }}",
                false,
            ),
            ("{{ agpm.project.x }} and {{ other.* }}", true),
            ("{{ agpm.project.x | replace(from=\".*\", to=\"\") }}", true),
            ("", false),
        ] {
            assert_eq!(mentions_agpm(text), expected, "{text}");
        }
    }
}
