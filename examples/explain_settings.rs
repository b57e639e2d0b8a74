//! Where every setting of a tool came from.
//!
//! Run it with `cargo run -p agpm-merge --example explain_settings`.
#![allow(clippy::print_stdout, clippy::disallowed_macros)]

use agpm_merge::{Engine, EngineError, MergedLayers};

const ORG: &str = "{
  // Nobody is asked about these.
  \"permissions\": {\"deny\": [\"rm\"]},
  \"model\": \"small\"
}
";
const ME: &str = "{\"permissions\": {\"deny\": [\"curl\"]}, \"model\": \"large\"}";

fn merged() -> Result<MergedLayers, EngineError> {
    Engine::builder()
        .layer("org", [("settings.jsonc", ORG)])
        .layer("me", [("settings.jsonc", ME)])
        .strategy("extend-lists")
        .merge()
}

/// The merged text, then a line for each value.
fn page(merged: &MergedLayers) -> Result<String, EngineError> {
    let mut page = String::new();
    for file in merged.files() {
        page.push_str(&file.text()?);
        for leaf in file.leaves() {
            let origin = format!("{}:{}", leaf.layer, leaf.line);
            page.push_str(&format!("{} comes from {origin}", leaf.pointer));
            for lower in &leaf.overrides {
                page.push_str(&format!(", over {}:{}", lower.layer, lower.line));
            }
            page.push('\n');
        }
    }
    Ok(page)
}

fn main() -> Result<(), EngineError> {
    println!("{}", page(&merged()?)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_its_layer_and_its_line() {
        let page = merged()
            .and_then(|merged| page(&merged))
            .expect("it merges");
        assert!(
            page.starts_with("{\n  // Nobody is asked about these.\n"),
            "{page}"
        );
        let lines: Vec<&str> = page.lines().rev().take(3).collect();
        assert_eq!(
            lines,
            [
                "/model comes from me:1, over org:4",
                "/permissions/deny/1 comes from me:1",
                "/permissions/deny/0 comes from org:3",
            ]
        );
    }
}
