//! `agpm strategies`: what there is to choose from.

use agpm_diag::{Failure, Notes, Outcome, SourceMap};
use agpm_merge::{LayerFile, merge_files};
use agpm_model::{BUILT_IN, BuiltIn, LayerName, OPERATIONS, Strategy};
use agpm_text::Value;

use crate::gather::Project;
use crate::world::{ManifestUse, World};

/// Which strategies.
#[derive(Clone, Debug)]
pub struct StrategiesRequest {
    /// One by name, or all.
    pub name: Option<String>,
}

/// Strategies with an example each.
#[derive(Debug)]
pub struct StrategiesReport {
    /// What was asked for.
    pub pages: Vec<StrategyPage>,
    /// Whether these are all.
    pub all: bool,
}

/// One strategy.
#[derive(Debug)]
pub enum StrategyPage {
    /// One that comes with the program.
    BuiltIn(&'static BuiltIn),
    /// One of the project's own.
    Own(Box<OwnStrategy>),
}

/// A strategy of the project, shown on an example.
#[derive(Debug)]
pub struct OwnStrategy {
    /// What the manifest says.
    pub strategy: Strategy,
    /// Lower document, higher document, result.
    pub example: [String; 3],
}

const EXAMPLE: [&str; 2] = [
    r#"{"name": "App", "features": ["auth", "api"], "servers": [{"id": "a", "port": 1}], "config": {"port": 8080}}"#,
    r#"{"features": ["ui", "auth"], "servers": [{"id": "a", "port": 2}], "config": {"host": "localhost"}}"#,
];

/// Lists strategies.
pub fn strategies(world: &World, request: &StrategiesRequest) -> Outcome<StrategiesReport> {
    let mut notes = Notes::default();
    let result = run(world, request, &mut notes);
    notes.outcome(result)
}

fn run(
    world: &World,
    request: &StrategiesRequest,
    notes: &mut Notes,
) -> Result<StrategiesReport, Failure> {
    let project = Project::load(&world.environment, ManifestUse::Nearest, notes)?;
    if let Some(name) = &request.name {
        project.strategy(name)?;
    }
    let wanted = |name: &str| request.name.as_deref().is_none_or(|wanted| wanted == name);
    let built_in = BUILT_IN
        .iter()
        .filter(|b| wanted(b.name))
        .map(StrategyPage::BuiltIn);
    let own = project
        .manifest
        .strategies
        .iter()
        .filter(|s| wanted(&s.name))
        .map(|s| StrategyPage::Own(Box::new(own(s))));
    Ok(StrategiesReport {
        pages: built_in.chain(own).collect(),
        all: request.name.is_none(),
    })
}

fn own(strategy: &Strategy) -> OwnStrategy {
    let [lower, higher] = EXAMPLE;
    let result = if strategy.driver.is_some() {
        "what the program prints".to_owned()
    } else {
        apply(strategy)
    };
    OwnStrategy {
        strategy: strategy.clone(),
        example: [lower.to_owned(), higher.to_owned(), result],
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
    let failed =
        |file: &agpm_merge::MergedFile| file.diagnostics.iter().map(|d| d.message.clone()).next();
    match merged {
        Some(file) if agpm_diag::has_errors(&file.diagnostics) => failed(&file).unwrap_or_default(),
        Some(file) => file.render().map_or_else(
            |d| d.message,
            |(text, _)| String::from_utf8_lossy(&text.to_bytes()).into_owned(),
        ),
        None => String::new(),
    }
}

impl StrategiesReport {
    /// The fields `strategies` and, with all of them, `operations`.
    pub fn fields(&self) -> Vec<(&'static str, Value)> {
        let mut fields = vec![("strategies", Value::list(self.pages.iter().map(page_value)))];
        if self.all {
            let operations = OPERATIONS.iter().map(|(name, what)| {
                Value::map([("name", Value::from(*name)), ("does", Value::from(*what))])
            });
            fields.push(("operations", Value::list(operations)));
        }
        fields
    }
}

fn page_value(page: &StrategyPage) -> Value {
    let example = |[lower, higher, result]: [&str; 3]| {
        Value::map([
            ("lower", Value::from(lower)),
            ("higher", higher.into()),
            ("result", result.into()),
        ])
    };
    match page {
        StrategyPage::BuiltIn(built_in) => {
            let [maps, lists, values] = built_in.table;
            Value::map([
                ("name", Value::from(built_in.name)),
                ("origin", "built-in".into()),
                ("maps", maps.into()),
                ("lists", lists.into()),
                ("values", values.into()),
                ("purpose", built_in.purpose.into()),
                ("example", example(built_in.example)),
            ])
        }
        StrategyPage::Own(own) => {
            let rules = own.strategy.rules.iter().map(|rule| {
                let operation = rule.operation.as_ref().map(ToString::to_string);
                (rule.pattern.to_string(), Value::from(operation))
            });
            let [lower, higher, result] = &own.example;
            Value::map([
                ("name", Value::from(own.strategy.name.as_str())),
                ("origin", "manifest".into()),
                ("maps", own.strategy.maps.words().into()),
                ("lists", own.strategy.lists.to_string().into()),
                ("rules", Value::map(rules)),
                (
                    "unset",
                    Value::list(own.strategy.unset.iter().map(ToString::to_string)),
                ),
                (
                    "command",
                    Value::from(own.strategy.driver.as_ref().map(|d| d.command.join(" "))),
                ),
                ("example", example([lower, higher, result])),
            ])
        }
    }
}
