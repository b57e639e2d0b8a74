//! A merged persona, or a list of all.

use agpm_persona::{PersonaRow, PersonasReport, ProfileKinds, ProfileReport, markdown};
use agpm_text::{Format, Value, print, to_json};

use crate::diagnostics::one_line;
use crate::rendering::{RenderContext, RenderedReport, to_yaml};
use crate::table::{plain_rows, table_lines};

const HEAD: [&str; 3] = ["Persona", "Kinds", "Directories"];

/// How a profile is printed, unless a JSON document is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileForm {
    /// A profile as a JSON document, a list as a table.
    Plain,
    /// As a YAML document.
    Yaml,
    /// As a page to read.
    Markdown,
}

/// A merged persona; its name is the title of a page.
pub fn render(
    report: &ProfileReport,
    slug: &str,
    kinds: ProfileKinds,
    form: ProfileForm,
) -> RenderedReport {
    let value = &report.value;
    match (form, kinds, value) {
        (ProfileForm::Plain, ..) => RenderedReport::Data(value.to_json()),
        (ProfileForm::Yaml, ..) => {
            RenderedReport::Data(print(value, Format::Yaml).unwrap_or_else(|_| value.to_json()))
        }
        (ProfileForm::Markdown, ProfileKinds::All, Value::Map(kinds)) => {
            let pages = kinds
                .iter()
                .filter(|(_, value)| !matches!(value, Value::Null))
                .map(|(kind, value)| markdown(value, &format!("{slug}: {kind}")));
            RenderedReport::Text(pages.collect::<Vec<_>>().join("\n"))
        }
        (ProfileForm::Markdown, ..) => RenderedReport::Text(markdown(value, slug)),
    }
}

/// All personas that can be seen.
pub fn render_list(
    report: &PersonasReport,
    form: ProfileForm,
    context: &RenderContext<'_>,
) -> RenderedReport {
    match form {
        _ if context.json => RenderedReport::Data(to_json(report)),
        ProfileForm::Plain if report.personas.is_empty() => RenderedReport::Empty(
            "No personas in `.clia/agents` of this directory and its parents.",
        ),
        ProfileForm::Plain => {
            let rows = plain_rows(&rows(report));
            RenderedReport::Lines(table_lines(&HEAD, &rows, context.screen.width))
        }
        ProfileForm::Yaml => RenderedReport::Data(to_yaml(report)),
        ProfileForm::Markdown => RenderedReport::Text(markdown_table(&rows(report))),
    }
}

fn rows(report: &PersonasReport) -> Vec<Vec<String>> {
    report.personas.iter().map(row).collect()
}

fn row(row: &PersonaRow) -> Vec<String> {
    let kinds: Vec<&str> = row.kinds.iter().map(|kind| kind.word()).collect();
    vec![
        one_line(row.slug.as_str()),
        kinds.join(", "),
        one_line(&row.levels.join(", ")),
    ]
}

fn markdown_table(rows: &[Vec<String>]) -> String {
    let head = HEAD.map(str::to_owned);
    let rule = HEAD.map(|_| "---".to_owned());
    let rows: String = rows.iter().map(|row| markdown_row(row)).collect();
    format!("{}{}{rows}", markdown_row(&head), markdown_row(&rule))
}

fn markdown_row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}
