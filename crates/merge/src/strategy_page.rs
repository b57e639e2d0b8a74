//! Strategies as users see them, each with an example.

use std::borrow::Cow;

use agpm_diag::{SourceMap, has_errors};
use agpm_model::{BUILT_IN, BuiltIn, LayerName, OPERATIONS, PointerRule, Strategy};
use agpm_text::Pointer;
use serde::{Serialize, Serializer};

use crate::file::{MergedFile, merge_files};
use crate::layer_file::LayerFile;

/// Strategies with an example each.
#[derive(Debug, Serialize)]
pub struct StrategiesReport {
    /// The named strategies, or all.
    pub strategies: Vec<StrategyPage>,
    /// The operations of rules, if no strategy was named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub operations: Vec<OperationRow>,
}

/// The page of a strategy.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum StrategyPage {
    /// A built-in strategy.
    BuiltIn(BuiltInStrategy),
    /// A strategy of the manifest.
    Custom(CustomStrategy),
}

/// A built-in strategy.
#[derive(Debug, Serialize)]
pub struct BuiltInStrategy {
    /// The name of the built-in strategy.
    pub name: &'static str,
    origin: &'static str,
    /// The treatment of maps.
    pub maps: &'static str,
    /// The treatment of lists.
    pub lists: &'static str,
    /// The treatment of values.
    pub values: &'static str,
    /// The files that it is meant for.
    pub purpose: &'static str,
    /// An example.
    pub example: StrategyExample,
}

/// A strategy of the manifest.
#[derive(Debug, Serialize)]
pub struct CustomStrategy {
    /// The name of the custom strategy.
    pub name: String,
    origin: &'static str,
    /// The treatment of maps.
    pub maps: &'static str,
    /// The treatment of lists, as in the manifest.
    pub lists: String,
    /// Rules by pattern; without an operation, the values merge like those around them.
    #[serde(serialize_with = "agpm_text::pairs")]
    pub rules: Vec<(String, Option<String>)>,
    /// Pointers that are deleted from the result.
    pub unset: Vec<Pointer>,
    /// An external program that merges instead.
    #[serde(serialize_with = "command_line")]
    pub command: Option<Vec<String>>,
    /// An example.
    pub example: StrategyExample,
}

/// Two documents and their merged result.
#[derive(Debug, Serialize)]
pub struct StrategyExample {
    /// The lower document.
    pub lower: &'static str,
    /// The higher document.
    pub higher: &'static str,
    /// The merged result.
    pub result: Cow<'static, str>,
}

/// An operation of rules.
#[derive(Debug, Serialize)]
pub struct OperationRow {
    /// The name of the operation.
    pub name: &'static str,
    /// The effect.
    pub does: &'static str,
}

fn command_line<S: Serializer>(
    command: &Option<Vec<String>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    command
        .as_ref()
        .map(|command| command.join(" "))
        .serialize(serializer)
}

const EXAMPLE: [&str; 2] = [
    r#"{"name": "App", "features": ["auth", "api"], "servers": [{"id": "a", "port": 1}], "config": {"port": 8080}}"#,
    r#"{"features": ["ui", "auth"], "servers": [{"id": "a", "port": 2}], "config": {"host": "localhost"}}"#,
];

/// The strategy with a name, or all of them and the operations of rules.
pub fn strategy_pages(custom: &[Strategy], name: Option<&str>) -> StrategiesReport {
    let is_selected = |candidate: &str| name.is_none_or(|name| name == candidate);
    let built_in = BUILT_IN
        .iter()
        .filter(|strategy| is_selected(strategy.name))
        .map(|strategy| StrategyPage::BuiltIn(built_in_page(strategy)));
    let custom = custom
        .iter()
        .filter(|strategy| is_selected(&strategy.name))
        .map(|strategy| StrategyPage::Custom(custom_page(strategy)));
    let operation = |(name, does): &(&'static str, &'static str)| OperationRow { name, does };
    let operations = OPERATIONS.iter().filter(|_| name.is_none());
    StrategiesReport {
        strategies: built_in.chain(custom).collect(),
        operations: operations.map(operation).collect(),
    }
}

fn built_in_page(strategy: &BuiltIn) -> BuiltInStrategy {
    let [maps, lists, values] = strategy.table;
    let [lower, higher, result] = strategy.example;
    BuiltInStrategy {
        name: strategy.name,
        origin: "built-in",
        maps,
        lists,
        values,
        purpose: strategy.purpose,
        example: StrategyExample {
            lower,
            higher,
            result: result.into(),
        },
    }
}

fn custom_page(strategy: &Strategy) -> CustomStrategy {
    let [lower, higher] = EXAMPLE;
    let rule = |rule: &PointerRule| {
        let operation = rule.operation.as_ref().map(ToString::to_string);
        (rule.pattern.to_string(), operation)
    };
    let result = match strategy.driver {
        Some(_) => "what the program prints".into(),
        None => apply(strategy).into(),
    };
    CustomStrategy {
        name: strategy.name.clone(),
        origin: "manifest",
        maps: strategy.maps.words(),
        lists: strategy.lists.to_string(),
        rules: strategy.rules.iter().map(rule).collect(),
        unset: strategy.unset.clone(),
        command: strategy.driver.as_ref().map(|one| one.command.clone()),
        example: StrategyExample {
            lower,
            higher,
            result,
        },
    }
}

fn apply(strategy: &Strategy) -> String {
    let mut sources = SourceMap::default();
    let names = ["lower", "higher"].map(|name| LayerName::new(name).expect("a good name"));
    let files = names.into_iter().zip(EXAMPLE);
    let files = files
        .map(|(name, text)| LayerFile::read(name, "x.json", text.into(), &mut sources).0)
        .collect();
    let merged = merge_files(files, strategy, None);
    let failed = |file: &MergedFile| file.diagnostics.iter().map(|d| d.message.clone()).next();
    match merged {
        Some(file) if has_errors(&file.diagnostics) => failed(&file).unwrap_or_default(),
        Some(file) => file.render().map_or_else(
            |d| d.message,
            |(text, _)| String::from_utf8_lossy(&text.to_bytes()).into_owned(),
        ),
        None => String::new(),
    }
}
