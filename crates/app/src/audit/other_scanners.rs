//! Findings of other scanners, from SARIF files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use agpm_diag::{Diagnostic, Failure, Notes, Severity, codes, has_errors};
use agpm_model::{AuditSettings, Owner};
use agpm_store as store;
use agpm_text::{Format, Value, document_of, to_value};

use crate::project::reading::{display_path, limit};
use crate::project::world::Environment;

use crate::findings::AuditIssue;

/// The audited files, by their paths.
pub(super) struct InstalledPaths {
    /// The directory that installed paths are relative to.
    pub(super) root: PathBuf,
    working_directory: PathBuf,
    /// What the manifest excuses.
    pub(super) ignored: AuditSettings,
    installed: BTreeMap<String, Owner>,
    /// Files that were named, by their absolute paths.
    named: Vec<PathBuf>,
}

impl InstalledPaths {
    pub(super) fn new(working_directory: &Path) -> Self {
        InstalledPaths {
            root: working_directory.to_owned(),
            working_directory: working_directory.to_owned(),
            ignored: AuditSettings::default(),
            installed: BTreeMap::new(),
            named: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, path: String, owner: Owner) {
        self.installed.entry(path).or_insert(owner);
    }

    pub(super) fn add_files(&mut self, files: Vec<PathBuf>) {
        self.named.extend(files);
    }

    pub(super) fn count(&self) -> usize {
        self.installed.len()
    }

    /// The path and the owner of what a finding is about; `None` if it was not audited.
    fn find(&self, environment: &Environment, path: &str) -> Option<FoundPath> {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let candidates = [self.root.join(path), self.working_directory.join(path)];
        for absolute in candidates {
            let inner = absolute.strip_prefix(&self.root).ok();
            let inner = inner.map(|inner| inner.to_string_lossy().replace('\\', "/"));
            if let Some(inner) = inner
                && let Some(owner) = self.owner_at(&inner)
            {
                return Some(FoundPath {
                    path: inner,
                    owner: Some(owner.clone()),
                });
            }
            if self.named.iter().any(|file| file.starts_with(&absolute)) {
                return Some(FoundPath {
                    path: display_path(environment, &absolute),
                    owner: None,
                });
            }
        }
        None
    }

    /// The owner of a file, or of everything in a directory: scanners of skills report the directory.
    fn owner_at(&self, path: &str) -> Option<&Owner> {
        if let Some(owner) = self.installed.get(path) {
            return Some(owner);
        }
        let directory = format!("{path}/");
        let inside = self.installed.range(directory.clone()..);
        let mut owners = inside.take_while(|(file, _)| file.starts_with(&directory));
        let (_, first) = owners.next()?;
        owners.all(|(_, owner)| owner == first).then_some(first)
    }
}

struct FoundPath {
    path: String,
    owner: Option<Owner>,
}

/// Reads the findings about audited files.
pub(super) fn read_reports(
    environment: &Environment,
    files: &[PathBuf],
    paths: &InstalledPaths,
    notes: &mut Notes,
) -> Result<Vec<AuditIssue>, Failure> {
    let mut issues = Vec::new();
    for file in files {
        let name = display_path(environment, file);
        let bytes = store::read_regular(file, limit())
            .map_err(|error| error.seen_from(&environment.working_directory))?;
        let mut quiet = Notes::default();
        let document = document_of(name.clone(), bytes, Format::Json, &mut quiet);
        let is_json = !has_errors(&quiet.diagnostics);
        let root = document.ok().filter(|_| is_json);
        let root = root.as_ref().and_then(|document| document.root());
        let runs = root.map(to_value).ok_or("it is not JSON").and_then(runs_of);
        let runs = runs.map_err(|problem| not_sarif(&name, problem))?;
        let found = runs.iter().flat_map(results_of);
        let (about, elsewhere): (Vec<_>, Vec<_>) = found
            .map(|result| (paths.find(environment, &result.path), result))
            .partition(|(place, _)| place.is_some());
        if !elsewhere.is_empty() {
            notes.log.push(format!(
                "{name}: {} findings are not about audited files",
                elsewhere.len()
            ));
        }
        issues.extend(about.into_iter().filter_map(|(place, result)| {
            let place = place?;
            Some(AuditIssue {
                id: place.owner,
                path: place.path,
                ..result.issue
            })
        }));
    }
    Ok(issues)
}

fn not_sarif(name: &str, problem: &str) -> Diagnostic {
    Diagnostic::new(&codes::AUDIT_SARIF, format!("`{name}` is not SARIF 2.1"))
        .detail(problem)
        .in_file(name)
        .help("write the report again with the scanner's option for SARIF 2.1.0")
}

/// The runs of a document, if it is SARIF 2.1.
fn runs_of(document: Value) -> Result<Vec<Value>, &'static str> {
    let version = document.get("version").and_then(Value::as_str);
    if !version.is_some_and(|version| version == "2.1.0" || version.starts_with("2.1.")) {
        return Err("its `version` is not 2.1.0");
    }
    let Some(Value::List(runs)) = document.get("runs") else {
        return Err("it has no list `runs`");
    };
    let is_run = |run: &Value| tool_of(run).is_some();
    if !runs.iter().all(is_run) {
        return Err("a run has no `tool.driver.name`");
    }
    Ok(runs.clone())
}

fn tool_of(run: &Value) -> Option<&str> {
    run.get("tool")?.get("driver")?.get("name")?.as_str()
}

/// A result, and the path that it is about.
struct ScannerResult {
    path: String,
    issue: AuditIssue,
}

fn results_of(run: &Value) -> Vec<ScannerResult> {
    let tool = tool_of(run).unwrap_or_default();
    let Some(Value::List(results)) = run.get("results") else {
        return Vec::new();
    };
    results
        .iter()
        .filter_map(|result| read_result(run, tool, result))
        .collect()
}

fn read_result(run: &Value, tool: &str, result: &Value) -> Option<ScannerResult> {
    // Whatever is not a failure, or was accepted in the scanner itself, is not a finding.
    let kind = result.get("kind").and_then(Value::as_str);
    let is_suppressed =
        matches!(result.get("suppressions"), Some(Value::List(list)) if !list.is_empty());
    if kind.is_some_and(|kind| kind != "fail") || is_suppressed {
        return None;
    }
    let rule_index = result.get("ruleIndex").and_then(number);
    let rules = run.get("tool")?.get("driver")?.get("rules");
    let rule_at = |index: usize| match rules {
        Some(Value::List(rules)) => rules.get(index),
        _ => None,
    };
    let reference = result.get("rule").and_then(|rule| rule.get("id"));
    let named = result.get("ruleId").or(reference).and_then(Value::as_str);
    let by_index = rule_index.and_then(rule_at);
    let id = named
        .or_else(|| by_index?.get("id")?.as_str())
        .unwrap_or("unknown");
    let definition = by_index.or_else(|| match rules {
        Some(Value::List(rules)) => {
            let mut rules = rules.iter();
            rules.find(|rule| rule.get("id").and_then(Value::as_str) == Some(id))
        }
        _ => None,
    });
    let default =
        definition.and_then(|rule| rule.get("defaultConfiguration")?.get("level")?.as_str());
    let level = result.get("level").and_then(Value::as_str).or(default);
    let severity = match level {
        Some("error") => Severity::Error,
        Some("note" | "none") => Severity::Note,
        _ => Severity::Warning,
    };
    let location = match result.get("locations")? {
        Value::List(locations) => locations.first()?.get("physicalLocation")?,
        _ => return None,
    };
    let uri = location.get("artifactLocation")?.get("uri")?.as_str()?;
    let line = location
        .get("region")
        .and_then(|region| region.get("startLine"));
    let message = result.get("message");
    let message = message.and_then(|message| message.get("text").or(message.get("markdown")));
    let words: Vec<&str> = message
        .and_then(Value::as_str)
        .unwrap_or("no message")
        .split_whitespace()
        .collect();
    Some(ScannerResult {
        path: path_of_uri(uri),
        issue: AuditIssue {
            severity,
            line: line.and_then(number),
            message: agpm_diag::mask_line(&words.join(" ")),
            ..AuditIssue::of_scanner(tool, id)
        },
    })
}

fn number(value: &Value) -> Option<usize> {
    match value {
        Value::Number(number) => number.as_str().parse().ok(),
        _ => None,
    }
}

/// The path of a URI of a file, or of a relative one.
fn path_of_uri(uri: &str) -> String {
    let path = match uri.strip_prefix("file://") {
        // `file://host/path` has a host, which is empty or this machine.
        Some(rest) => rest.find('/').map_or(rest, |at| &rest[at..]),
        None => uri,
    };
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agpm_text::parse_alone;

    fn runs(text: &str) -> Result<Vec<Value>, &'static str> {
        let parsed = parse_alone(text, Format::Json);
        runs_of(to_value(parsed.document.root().expect("a value")))
    }

    #[test]
    fn only_sarif_2_1_is_read() {
        assert!(runs(r#"{"version": "2.1.0", "runs": []}"#).is_ok());
        for text in [
            r#"{"version": "2.0.0", "runs": []}"#,
            r#"{"version": "2.1.0"}"#,
            r#"{"version": "2.1.0", "runs": [{}]}"#,
            "[]",
        ] {
            assert!(runs(text).is_err(), "{text}");
        }
    }

    #[test]
    fn results_have_rule_level_message_and_place() {
        let text = r#"{"version": "2.1.0", "runs": [{
            "tool": {"driver": {"name": "scanner", "rules": [
                {"id": "R1", "defaultConfiguration": {"level": "error"}}]}},
            "results": [
                {"ruleId": "R1", "message": {"text": "a\n b"}, "locations": [{"physicalLocation":
                    {"artifactLocation": {"uri": "a%20b/SKILL.md"}, "region": {"startLine": 3}}}]},
                {"ruleIndex": 0, "level": "note", "message": {"text": "c"}, "locations": [{"physicalLocation":
                    {"artifactLocation": {"uri": "file:///x/y"}}}]},
                {"ruleId": "R1", "kind": "pass", "message": {"text": "c"}},
                {"ruleId": "R1", "suppressions": [{"kind": "external"}], "message": {"text": "c"}}
            ]}]}"#;
        let runs = runs(text).expect("it is SARIF");
        let found: Vec<_> = runs
            .iter()
            .flat_map(results_of)
            .map(|one| {
                (
                    one.path,
                    one.issue.rule,
                    one.issue.severity,
                    one.issue.line,
                    one.issue.message,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (
                    "a b/SKILL.md".to_owned(),
                    "R1".to_owned(),
                    Severity::Error,
                    Some(3),
                    "a b".to_owned()
                ),
                (
                    "/x/y".to_owned(),
                    "R1".to_owned(),
                    Severity::Note,
                    None,
                    "c".to_owned()
                ),
            ]
        );
    }
}
