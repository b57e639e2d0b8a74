use std::process::ExitCode;

use agpm_diag::command_line;
use agpm_model::OPERATIONS;
use agpm_ops::{
    StrategiesReport, StrategiesRequest, StrategyPage, World, strategies, success_value,
};

use crate::args::StrategiesArgs;
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: StrategiesArgs, output: &mut Output) -> ExitCode {
    output.finish(
        strategies(world, &StrategiesRequest { name: args.name }),
        render,
    )
}

fn render(report: StrategiesReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return Rendering::report(&success_value(
            report.fields(),
            shown.diagnostics,
            shown.sources,
        ));
    }
    let mut out = report.pages.iter().map(text).collect::<Vec<_>>().join("\n");
    if report.all {
        out.push_str(
            "\nOperations for rules (`--rule /POINTER=OPERATION`, or `rules` in the manifest):\n",
        );
        for (name, does) in OPERATIONS {
            out.push_str(&format!("  {name:<11} {does}\n"));
        }
    }
    Rendering::Text(out)
}

fn text(page: &StrategyPage) -> String {
    let (head, example) = match page {
        StrategyPage::BuiltIn(built_in) => {
            let [maps, lists, values] = built_in.table;
            let table = format!("  maps:   {maps}\n  lists:  {lists}\n  values: {values}\n");
            (
                format!("{}: {}\n{table}", built_in.name, built_in.purpose),
                built_in.example.map(str::to_owned),
            )
        }
        StrategyPage::Own(own) => {
            let strategy = &own.strategy;
            let mut head = format!("{}: defined in the manifest\n", strategy.name);
            if strategy.driver.is_none() {
                head.push_str(&format!(
                    "  maps:   {}\n  lists:  {}\n",
                    strategy.maps.words(),
                    strategy.lists
                ));
            }
            for pointer in &strategy.unset {
                head.push_str(&format!("  unset:  {pointer}\n"));
            }
            for rule in &own.strategy.rules {
                let operation = rule
                    .operation
                    .as_ref()
                    .map_or_else(|| "as around".to_owned(), ToString::to_string);
                head.push_str(&format!("  {}: {operation}\n", rule.pattern));
            }
            if let Some(driver) = &own.strategy.driver {
                head.push_str(&format!(
                    "  runs: {}\n",
                    command_line(driver.command.iter().map(String::as_str))
                ));
            }
            (head, own.example.clone())
        }
    };
    let [lower, higher, result] = example;
    format!(
        "{head}  example:\n    lower   {lower}\n    higher  {higher}\n    result  {}\n",
        result.trim_end()
    )
}
