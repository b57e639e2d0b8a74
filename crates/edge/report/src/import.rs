//! What another program's configuration added to the manifest.

use agpm_model::Additions;
use agpm_ops::{ImportReport, Writing, counted};
use agpm_text::Value;

use crate::rendering::{RenderContext, Rendering};

/// What was added, or as a document.
pub fn render(report: ImportReport, context: &RenderContext<'_>) -> Rendering {
    if context.json {
        return context.document(&report);
    }
    let manifest = &report.manifest;
    match report.writing {
        _ if report.additions.is_empty() => {
            Rendering::Done(format!("nothing to add: {manifest} stays as it is\n"))
        }
        Writing::Apply => Rendering::Done(text(manifest, &report.additions)),
        _ => Rendering::Data(report.text),
    }
}

fn text(manifest: &str, additions: &Additions) -> String {
    let Additions {
        sources,
        layers,
        merge,
    } = additions;
    let mut out: String = layers
        .iter()
        .map(|layer| layer_line(&layer.table))
        .collect();
    out.extend(
        merge
            .iter()
            .map(|(files, value)| format!("merge {files}: {}\n", strategy(value))),
    );
    let counts = [
        (layers.len(), "layer", "layers"),
        (sources.len(), "source", "sources"),
        (merge.len(), "line of [merge]", "lines of [merge]"),
    ];
    let counts = counts.iter().filter(|(count, ..)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, one, many)| counted(*count, one, many))
        .collect();
    out.push_str(&format!(
        "{manifest} changed: {} added\n",
        counts.join(", ")
    ));
    if layers
        .iter()
        .any(|layer| layer.table.get("branch").is_some())
    {
        out.push_str(
            "check the branches: agent-manager follows the default branch, which need not be `main`\n",
        );
    }
    out.push_str("next: agpm install\n");
    out
}

fn layer_line(table: &Value) -> String {
    let said = |key: &str| table.get(key).and_then(Value::as_str);
    let place = match (said("path"), said("source"), said("branch")) {
        (Some(path), ..) => path.to_owned(),
        (_, source, branch) => {
            format!(
                "{}, branch {}",
                source.unwrap_or_default(),
                branch.unwrap_or_default()
            )
        }
    };
    format!("layer {}: {place}\n", said("name").unwrap_or_default())
}

/// The strategy that a line of `[merge]` names, or what it says of separators.
fn strategy(value: &Value) -> String {
    let separator = value
        .get("separator")
        .and_then(Value::as_str)
        .map(|word| format!("separator {word}"));
    separator
        .or_else(|| value.as_str().map(str::to_owned))
        .unwrap_or_default()
}
