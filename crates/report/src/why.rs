//! The dependents of a resource, chain by chain.

use agpm_app::why::{ChainLink, RequiredResource, WhyReport};

use crate::rendering::{RenderContext, RenderedReport};

/// The chains as trees, or as a document.
pub fn render(report: WhyReport, context: &RenderContext<'_>) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    let resources: Vec<String> = report.resources.iter().map(resource).collect();
    RenderedReport::Text(resources.join("\n"))
}

fn resource(resource: &RequiredResource) -> String {
    let required = &resource.required;
    if required.chains.is_empty() {
        return format!("{}\nno longer required\n", resource.title);
    }
    let chains: Vec<String> = required.chains.iter().map(|links| chain(links)).collect();
    let more = if required.more {
        "\nand longer chains, which are not shown\n"
    } else {
        ""
    };
    format!("{}{more}", chains.join("\n"))
}

/// Prints each dependency under the one that requires it.
fn chain(links: &[ChainLink]) -> String {
    let mut out = String::new();
    for (level, link) in links.iter().enumerate() {
        let indent = match level {
            0 => String::new(),
            _ => format!("{}└─ ", "    ".repeat(level - 1)),
        };
        let verb = match level {
            0 => "required by the manifest",
            _ => "required",
        };
        let requirement = link.requirement.as_ref();
        let requirement = requirement.map(|text| format!(" as {text}"));
        out.push_str(&format!(
            "{indent}{}: {verb}{}\n",
            link.title,
            requirement.unwrap_or_default()
        ));
    }
    out
}
