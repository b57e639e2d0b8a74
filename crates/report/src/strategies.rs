//! Strategies with an example each.

use agpm_diag::command_line;
use agpm_merge::{
    BuiltInStrategy, CustomStrategy, StrategiesReport, StrategyExample, StrategyPage,
};

use crate::rendering::{RenderContext, RenderedReport};

/// The strategies that were requested, and with all of them the operations.
pub fn render(report: StrategiesReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let pages: Vec<String> = report.strategies.iter().map(page).collect();
    let mut out = pages.join("\n");
    if !report.operations.is_empty() {
        out.push_str(
            "\nOperations for rules (`--rule /POINTER=OPERATION`, or `rules` in the manifest):\n",
        );
    }
    for operation in &report.operations {
        out.push_str(&format!("  {:<11} {}\n", operation.name, operation.does));
    }
    RenderedReport::Text(out)
}

fn page(page: &StrategyPage) -> String {
    let (head, example) = match page {
        StrategyPage::BuiltIn(strategy) => (built_in(strategy), &strategy.example),
        StrategyPage::Custom(strategy) => (custom(strategy), &strategy.example),
    };
    let StrategyExample {
        lower,
        higher,
        result,
    } = example;
    format!(
        "{head}  example:\n    lower   {lower}\n    higher  {higher}\n    result  {}\n",
        result.trim_end()
    )
}

fn built_in(strategy: &BuiltInStrategy) -> String {
    format!(
        "{}: {}\n  objects: {}\n  lists:   {}\n  values:  {}\n",
        strategy.name, strategy.purpose, strategy.maps, strategy.lists, strategy.values
    )
}

fn custom(strategy: &CustomStrategy) -> String {
    let mut out = format!("{}: defined in the manifest\n", strategy.name);
    if strategy.command.is_none() {
        out.push_str(&format!(
            "  objects: {}\n  lists:   {}\n",
            strategy.maps, strategy.lists
        ));
    }
    for pointer in &strategy.unset {
        out.push_str(&format!("  unset:   {pointer}\n"));
    }
    for (pattern, operation) in &strategy.rules {
        let operation = operation.as_deref().unwrap_or("as around");
        out.push_str(&format!("  {pattern}: {operation}\n"));
    }
    if let Some(command) = &strategy.command {
        let command = command_line(command.iter().map(String::as_str));
        out.push_str(&format!("  runs: {command}\n"));
    }
    out
}
