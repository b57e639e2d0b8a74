//! `mergers`: the settings of agent-manager's mergers, by class.

use agpm_text::{NodeKind, NodeRef, Value};

use crate::import::findings::ImportFindings;

/// The classes of agent-manager, and the files that each one merges.
const MERGERS: &[(&str, &[&str])] = &[
    ("JsonMerger", &["*.json"]),
    ("YamlMerger", &["*.yaml", "*.yml"]),
    ("MarkdownMerger", &["*.md", "*.markdown"]),
    ("TextMerger", &["*.txt"]),
    ("CopyMerger", &[]),
];

/// Classes whose files have a strategy.
const STRUCTURED: &[&str] = &["JsonMerger", "YamlMerger"];

const SEPARATORS: &[(&str, &str)] = &[
    ("horizontal_rule", "rule"),
    ("heading", "heading"),
    ("comment", "comment"),
];

/// Names of strategies in lower case, without `Strategy` and non-letters.
const STRATEGIES: &[(&str, &str)] = &[
    ("deep", "deep"),
    ("merge", "deep"),
    ("extend", "extend-lists"),
    ("extendlist", "extend-lists"),
    ("extendlists", "extend-lists"),
    ("replace", "replace"),
    ("smart", "smart-lists"),
    ("smartlist", "smart-lists"),
    ("smartlists", "smart-lists"),
];

const STRATEGY_SETTINGS: &[&str] = &["strategy", "merge_strategy"];
/// Settings that control the layout of a merged file.
const LAYOUT: &[&str] = &["indent", "sort_keys", "width"];

pub(super) fn read(findings: &mut ImportFindings, mergers: NodeRef<'_>) -> Vec<(String, Value)> {
    if !matches!(mergers.kind(), NodeKind::Map | NodeKind::Null) {
        let message = format!("`mergers` is {}", mergers.kind().word());
        findings.malformed(mergers, message, "write an object with mergers as keys");
    }
    let mut lines: Vec<(String, Value)> = Vec::new();
    for (class, settings) in mergers.entries() {
        for (files, value) in merger(findings, class, settings) {
            if lines.iter().any(|(earlier, _)| *earlier == files) {
                let message = format!("another merger already handles `{files}`");
                findings.report_lost(class, message, "choose one of them in `[merge]`");
            } else {
                lines.push((files, value))
            }
        }
    }
    lines
}

fn merger(
    findings: &mut ImportFindings,
    class: NodeRef<'_>,
    settings: NodeRef<'_>,
) -> Vec<(String, Value)> {
    if let Some((_, files)) = MERGERS.iter().find(|(name, _)| *name == class.content()) {
        return built_in(findings, class, files, settings);
    }
    let Some((files, strategy)) = named_after(class.content()) else {
        let message = format!("the merger `{}` is a custom executable", class.content());
        let help = "set the strategy of its files in `[merge]`; `agpm strategies` lists them";
        findings.report_lost(class, message, help);
        return Vec::new();
    };
    let mut lines = built_in(findings, class, files, settings);
    if lines.is_empty() {
        lines = each(files, &strategy.into());
    }
    lines
}

/// The files and the strategy of a class such as `ExtendListJsonMerger`.
fn named_after(class: &str) -> Option<(&'static [&'static str], &'static str)> {
    let structured = MERGERS.iter().filter(|(name, _)| STRUCTURED.contains(name));
    structured
        .filter_map(|(name, files)| Some((*files, strategy(class.strip_suffix(name)?)?)))
        .next()
}

fn built_in(
    findings: &mut ImportFindings,
    class: NodeRef<'_>,
    files: &[&str],
    settings: NodeRef<'_>,
) -> Vec<(String, Value)> {
    if !matches!(settings.kind(), NodeKind::Map | NodeKind::Null) {
        let message = format!(
            "the settings of `{}` are {}",
            class.content(),
            settings.kind().word()
        );
        findings.malformed(settings, message, "write an object with settings as keys");
    }
    let mut value = None;
    for (setting, value_node) in settings.entries() {
        match merge_value(class.content(), setting.content(), value_node) {
            Some(converted) => value = Some(converted),
            None => report(findings, class, setting),
        }
    }
    value.map(|value| each(files, &value)).unwrap_or_default()
}

fn each(files: &[&str], value: &Value) -> Vec<(String, Value)> {
    files
        .iter()
        .map(|files| ((*files).to_owned(), value.clone()))
        .collect()
}

/// The value in `[merge]` for a setting.
fn merge_value(class: &str, setting: &str, value_node: NodeRef<'_>) -> Option<Value> {
    let word = value_node.as_str()?;
    if class == "MarkdownMerger" && setting == "separator_style" {
        let (_, separator) = SEPARATORS.iter().find(|(name, _)| *name == word)?;
        return Some(Value::map([("separator", Value::from(*separator))]));
    }
    let structured = STRUCTURED.iter().any(|name| class.ends_with(name));
    let named = structured && STRATEGY_SETTINGS.contains(&setting);
    named.then(|| strategy(word).map(Value::from))?
}

fn strategy(name: &str) -> Option<&'static str> {
    let letters: String = name.chars().filter(char::is_ascii_alphabetic).collect();
    let letters = letters.to_ascii_lowercase();
    let word = letters.strip_suffix("strategy").unwrap_or(&letters);
    STRATEGIES
        .iter()
        .find(|(strategy_name, _)| *strategy_name == word)
        .map(|(_, strategy)| *strategy)
}

fn report(findings: &mut ImportFindings, class: NodeRef<'_>, setting: NodeRef<'_>) {
    let message = format!(
        "the setting `{}` of `{}` has no counterpart",
        setting.content(),
        class.content()
    );
    let help = if LAYOUT.contains(&setting.content()) {
        "a merged file keeps the layout of its lowest layer"
    } else {
        "run `agpm strategies` to list the options of `[merge]`"
    };
    findings.report_lost(setting, message, help);
}
