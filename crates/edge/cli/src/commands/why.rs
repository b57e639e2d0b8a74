use std::process::ExitCode;

use agpm_ops::{Asked, Link, WhyReport, WhyRequest, World, why};

use crate::args::WhyArgs;
use crate::output::{Output, Rendering, Shown};

pub(crate) fn run(world: &World, args: WhyArgs, output: &mut Output) -> ExitCode {
    output.finish(why(world, &WhyRequest { name: args.name }), render)
}

fn render(report: WhyReport, shown: &Shown<'_>) -> Rendering {
    if shown.json {
        return shown.report(report.fields());
    }
    Rendering::Text(
        report
            .resources
            .iter()
            .map(asked)
            .collect::<Vec<_>>()
            .join("\n"),
    )
}

fn asked(asked: &Asked) -> String {
    if asked.chains.is_empty() {
        return format!("{}\nnothing asks for it any more\n", asked.title);
    }
    let more = if asked.more {
        "\nand longer chains, which are left out\n"
    } else {
        ""
    };
    let chains: Vec<String> = asked
        .chains
        .iter()
        .map(|chain| self::chain(chain))
        .collect();
    format!("{}{more}", chains.join("\n"))
}

fn chain(chain: &[Link]) -> String {
    let line = |(level, link): (usize, &Link)| {
        let indent = if level == 0 {
            String::new()
        } else {
            format!("{}└─ ", "    ".repeat(level - 1))
        };
        let asker = if level == 0 {
            "the manifest asks for it"
        } else {
            "needed"
        };
        let wish = link
            .requirement
            .as_ref()
            .map(|wish| format!(" as {wish}"))
            .unwrap_or_default();
        format!("{indent}{}: {asker}{wish}\n", link.title)
    };
    chain.iter().enumerate().map(line).collect()
}
