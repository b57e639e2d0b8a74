use std::process::ExitCode;

use agpm_ops::{
    CatalogFile, CatalogFilter, CatalogMode, CatalogPlaces, CatalogRead, CatalogReport, CatalogRequest,
    CatalogRow, Shadowed, World, catalog, catalog_show,
};
use clap::ValueEnum;

use crate::args::{CatalogArgs, CatalogCommand, CatalogFormat, ModeArg, PlacesArgs};
use crate::commands::table::table;
use crate::commands::two_formats;
use crate::draw::one_line;
use crate::output::{Output, Rendering, Shown};

/// Columns that say in a few words what an entry is, best first.
const TITLES: [&str; 3] = ["title", "displayName", "description"];
/// Longer ones would push everything else aside.
const LONGEST_TITLE: usize = 60;

pub(crate) fn run(world: &World, args: CatalogArgs, output: &mut Output) -> ExitCode {
    if let Some(CatalogCommand::Show { name, kind, path, places }) = args.one {
        let request = CatalogRead { places: places.places(), name, kind: kind.map(|kind| kind.kind()) };
        let wanted = if path { Wanted::Path } else { Wanted::Content };
        return output.finish(catalog_show(world, &request), |file, shown| render_file(file, wanted, shown));
    }
    if let Some(other) = args.format.filter(|format| output.json && *format != CatalogFormat::Json) {
        let other = other.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        return output.finish(two_formats::<()>(&other), |(), _| Rendering::Text(String::new()));
    }
    output.json |= args.format == Some(CatalogFormat::Json);
    let format = args.format.unwrap_or(CatalogFormat::Table);
    let request = CatalogRequest {
        places: args.places.places(),
        filter: CatalogFilter { kind: args.kind.map(|kind| kind.kind()), module: args.module },
        shadowed: if args.all { Shadowed::Listed } else { Shadowed::Hidden },
    };
    let mut outcome = catalog(world, &request);
    if let (true, Ok(report)) = (output.is_verbose(), &outcome.result) {
        outcome.log.extend(report.origins(&outcome.sources));
    }
    output.finish(outcome, |report, shown| render(report, format, shown))
}

/// What is shown of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Content,
    Path,
}

fn render_file(file: CatalogFile, wanted: Wanted, shown: &Shown<'_>) -> Rendering {
    match wanted {
        _ if shown.json => shown.report(file.fields()),
        Wanted::Path => Rendering::Data(format!("{}\n", file.path.display())),
        Wanted::Content => Rendering::Bytes(file.bytes),
    }
}

fn render(report: CatalogReport, format: CatalogFormat, shown: &Shown<'_>) -> Rendering {
    match format {
        _ if shown.json => shown.report(report.fields()),
        CatalogFormat::Csv => Rendering::Stream(Box::new(move |out| {
            report.each_csv_piece(|piece| out.write_all(piece.as_bytes()))
        })),
        _ if report.rows().len() == 0 => Rendering::Text(String::new()),
        _ => Rendering::Text(drawn(&report)),
    }
}

/// As a table.
pub(crate) fn drawn(report: &CatalogReport) -> String {
    let all = report.rows().any(|row| row.shadowed_by().is_some());
    let mut head = vec!["Kind", "Module", "Name", "Title", "Layer"];
    head.extend(all.then_some("Shadowed by"));
    let cells = |row: CatalogRow<'_>| {
        let by = all.then(|| row.shadowed_by().unwrap_or_default());
        let entry = row.row();
        let texts = [entry.kind().singular(), entry.module(), entry.name(), &title(row)].map(one_line);
        texts.into_iter().chain([one_line(&row.layer())]).chain(by).collect()
    };
    let rows: Vec<Vec<String>> = report.rows().map(cells).collect();
    table(&head, &rows)
}

fn title(row: CatalogRow<'_>) -> String {
    let said = TITLES.iter().filter_map(|column| row.row().get(column)).find(|text| !text.trim().is_empty());
    let text = said.unwrap_or_default();
    match text.chars().count() > LONGEST_TITLE {
        true => text.chars().take(LONGEST_TITLE).chain(['…']).collect(),
        false => text.to_owned(),
    }
}

impl PlacesArgs {
    /// As a request has them.
    pub(crate) fn places(self) -> CatalogPlaces {
        let mode = match self.mode {
            ModeArg::Auto => CatalogMode::Auto,
            ModeArg::Local => CatalogMode::Local,
            ModeArg::User => CatalogMode::User,
            ModeArg::Strict => CatalogMode::Strict,
        };
        CatalogPlaces { mode, remotes: self.remote }
    }
}
