//! SARIF 2.1.0, the format of findings that code hosts and editors read.

use std::collections::BTreeSet;

use agpm_diag::{Severity, code_named};
use agpm_text::to_json;
use serde::Serialize;

/// The name of this program among scanners.
pub(crate) const OWN_TOOL_NAME: &str = "agpm";

/// The findings of one scanner.
pub(crate) struct SarifRun {
    pub(crate) tool: String,
    pub(crate) findings: Vec<SarifFinding>,
}

/// A finding with its location.
pub(crate) struct SarifFinding {
    pub(crate) rule: String,
    pub(crate) level: Severity,
    pub(crate) message: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
}

#[derive(Serialize)]
struct LogDocument {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: Vec<RunDocument>,
}

#[derive(Serialize)]
struct RunDocument {
    tool: ToolDocument,
    results: Vec<ResultDocument>,
}

#[derive(Serialize)]
struct ToolDocument {
    driver: DriverDocument,
}

#[derive(Serialize)]
struct DriverDocument {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'static str>,
    rules: Vec<RuleDocument>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleDocument {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_description: Option<MessageDocument>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultDocument {
    rule_id: String,
    level: &'static str,
    message: MessageDocument,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    locations: Vec<LocationDocument>,
}

#[derive(Serialize)]
struct MessageDocument {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LocationDocument {
    physical_location: PlaceDocument,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PlaceDocument {
    artifact_location: FileDocument,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<RegionDocument>,
}

#[derive(Serialize)]
struct FileDocument {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RegionDocument {
    start_line: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_column: Option<usize>,
}

/// The findings of all scanners as one document.
pub(crate) fn sarif_log(runs: Vec<SarifRun>) -> String {
    to_json(&LogDocument {
        schema: "https://json.schemastore.org/sarif-2.1.0.json",
        version: "2.1.0",
        runs: runs.into_iter().map(run_document).collect(),
    })
}

fn run_document(run: SarifRun) -> RunDocument {
    let SarifRun { tool, findings } = run;
    let is_own = tool == OWN_TOOL_NAME;
    let rules: BTreeSet<String> = findings
        .iter()
        .map(|finding| finding.rule.clone())
        .collect();
    let rule = |id: String| RuleDocument {
        short_description: code_named(&id)
            .filter(|_| is_own)
            .map(|code| MessageDocument {
                text: code.parsed().summary.to_owned(),
            }),
        id,
    };
    RunDocument {
        tool: ToolDocument {
            driver: DriverDocument {
                name: tool,
                version: is_own.then_some(env!("CARGO_PKG_VERSION")),
                rules: rules.into_iter().map(rule).collect(),
            },
        },
        results: findings.into_iter().map(result_document).collect(),
    }
}

fn result_document(finding: SarifFinding) -> ResultDocument {
    let SarifFinding {
        rule,
        level,
        message,
        file,
        line,
        column,
    } = finding;
    let location = file.map(|file| LocationDocument {
        physical_location: PlaceDocument {
            artifact_location: FileDocument { uri: uri(&file) },
            region: line.map(|start_line| RegionDocument {
                start_line,
                start_column: column,
            }),
        },
    });
    ResultDocument {
        rule_id: rule,
        level: match level {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: MessageDocument { text: message },
        locations: location.into_iter().collect(),
    }
}

/// A path as a relative URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
