//! Who asked for a resource, chain by chain.

use agpm_ops::{Asked, Link, WhyReport};

use crate::rendering::{RenderContext, Rendering};

/// The chains as trees, or as a document.
pub fn render(report: WhyReport, context: &RenderContext<'_>) -> Rendering {
    if context.json {
        return context.document(&report);
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
    if asked.required.chains.is_empty() {
        return format!("{}\nnothing asks for it any more\n", asked.title);
    }
    let more = if asked.required.more {
        "\nand longer chains, which are left out\n"
    } else {
        ""
    };
    let chains: Vec<String> = asked
        .required
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
