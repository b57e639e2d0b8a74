//! The resources of a source, grouped by plugin; and the results of a search.

use std::collections::BTreeMap;

use agpm_diag::command_line;
use agpm_resolve::discover::BrowseReport;
use agpm_resolve::discover::{FoundResource, OfferedResource, SearchReport};

use crate::diagnostics::{ColorMode, one_line};
use crate::rendering::{RenderContext, RenderedReport};
use crate::styled::draw_lines;
use crate::table::{column_lines, cut, plain_rows};

/// Letters of a description in a list.
const MOST_LETTERS: usize = 100;

/// The report as text or as a document; `width` is that of the terminal, if there is one.
pub fn render(
    report: BrowseReport,
    width: Option<usize>,
    context: &RenderContext<'_>,
) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    if !report.repositories.is_empty() {
        let more = more_line(report.total, report.repositories.len());
        let urls = report.repositories.iter();
        let urls: String = urls.map(|url| format!("{}\n", one_line(url))).collect();
        return RenderedReport::Text(format!("{urls}{more}"));
    }
    if report.resources.is_empty() {
        let searched = report.url.as_ref().unwrap_or(&report.source);
        let searched = match searched.as_str() {
            "" => "the current directory".to_owned(),
            url => one_line(url),
        };
        return RenderedReport::Text(format!("No resources found in {searched}\n"));
    }
    let mut standalone: Vec<Vec<String>> = Vec::new();
    let mut parts: BTreeMap<&str, Vec<Vec<String>>> = BTreeMap::new();
    for resource in &report.resources {
        match &resource.plugin {
            Some(plugin) => parts.entry(plugin).or_default().push(row(resource, "  ")),
            None => standalone.push(row(resource, "")),
        }
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in standalone {
        let plugin = line[0].strip_prefix("plugins/").map(str::to_owned);
        rows.push(line);
        let own = plugin.and_then(|plugin| parts.remove(plugin.as_str()));
        rows.extend(own.into_iter().flatten());
    }
    // Parts of a plugin that is not listed, because it does not match the search.
    for (plugin, own) in parts {
        let heading = [
            format!("plugins/{plugin}"),
            String::new(),
            String::new(),
            String::new(),
        ];
        rows.push(heading.to_vec());
        rows.extend(own);
    }
    let version = report
        .version
        .as_ref()
        .map(|version| format!(" at {}", one_line(version.as_str())));
    let more = more_line(report.total, report.resources.len());
    let location = report.url.as_ref().unwrap_or(&report.source);
    RenderedReport::Text(format!(
        "{}{}\n{}{more}",
        one_line(location),
        version.unwrap_or_default(),
        cut_table(&rows, width)
    ))
}

fn row(resource: &OfferedResource, indent: &str) -> Vec<String> {
    vec![
        format!("{indent}{}", one_line(&resource.id)),
        one_line(resource.version.as_deref().unwrap_or("-")),
        one_line(&resource.path),
        description(resource.description.as_deref()),
    ]
}

/// The beginning of a description: some have a page of text.
fn description(text: Option<&str>) -> String {
    cut(&one_line(text.unwrap_or_default()), MOST_LETTERS)
}

/// The results of a search, as text or as a document.
pub fn render_search(
    report: SearchReport,
    width: Option<usize>,
    context: &RenderContext<'_>,
) -> RenderedReport {
    if context.json {
        return context.document(&report);
    }
    if report.sources == 0 {
        let command = command_line(["agpm", "browse", WELL_KNOWN, &report.query]);
        let text = format!(
            "No sources to search. To look into a repository, run `{command}`; \
             `agpm config add-source` makes one searchable\n"
        );
        return RenderedReport::Text(text);
    }
    let Some(best) = report.resources.first() else {
        return RenderedReport::Text("No resources found\n".to_owned());
    };
    let row = |resource: &FoundResource| {
        vec![
            one_line(&resource.id),
            one_line(&resource.source),
            one_line(resource.version.as_deref().unwrap_or("-")),
            one_line(&resource.path),
            description(resource.description.as_deref()),
        ]
    };
    let rows: Vec<Vec<String>> = report.resources.iter().map(row).collect();
    let more = more_line(report.total, report.resources.len());
    let add = add_command(best, &report.resources);
    RenderedReport::Text(format!(
        "{}{more}To add the first, run `{add}`\n",
        cut_table(&rows, width)
    ))
}

/// A repository that newcomers can look into.
const WELL_KNOWN: &str = "anthropics/skills";

/// The command that adds a resource: by its name, or by its path where its source has the name more than once.
fn add_command(resource: &FoundResource, all: &[FoundResource]) -> String {
    let is_same =
        |other: &&FoundResource| other.source == resource.source && other.name == resource.name;
    if all.iter().filter(is_same).count() > 1 && resource.path != "." {
        let address = format!("{}:{}", resource.source, resource.path);
        command_line(["agpm", "add", &address])
    } else {
        command_line(["agpm", "add", &resource.source, &resource.name])
    }
}

fn more_line(total: usize, shown: usize) -> String {
    match total - shown {
        0 => String::new(),
        more => format!("{more} more; show them with `--limit {total}`\n"),
    }
}

/// Columns that fit the terminal; long cells are cut with `…`.
fn cut_table(rows: &[Vec<String>], width: Option<usize>) -> String {
    draw_lines(&column_lines(&plain_rows(rows), width), ColorMode::Plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_where_a_terminal_ends() {
        let rows = vec![vec!["agents/a".to_owned(), "x".repeat(200)]];
        for width in [60, 80, 120] {
            let cut = cut_table(&rows, Some(width));
            assert_eq!(cut.trim_end().chars().count(), width);
            assert!(cut.ends_with("…\n"));
        }
        assert_eq!(cut_table(&rows, None).trim_end().len(), 210);
    }
}
