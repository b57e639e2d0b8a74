use std::process::ExitCode;

use agpm_app::catalog::{CatalogRead, CatalogRequest, CatalogSelection, catalog, catalog_show};
use agpm_app::project::world::World;
use agpm_catalog::{CatalogMode, EntryFilter as CatalogFilter, ShadowedRows};
use agpm_report::RenderedReport;
use agpm_report::catalog::{CatalogForm, FileView};

use crate::args::{CatalogArgs, CatalogCommand, CatalogFormat, CatalogLayerArgs, ModeArg};
use crate::formats::{two_formats, word};
use crate::output::Output;

pub(crate) fn run(world: &World, args: CatalogArgs, output: &mut Output) -> ExitCode {
    if let Some(CatalogCommand::Show {
        name,
        kind,
        path,
        layers,
    }) = args.command
    {
        let request = CatalogRead {
            selection: layers.options(),
            name,
            kind: kind.map(|kind| kind.kind()),
        };
        let view = if path {
            FileView::Path
        } else {
            FileView::Content
        };
        return output.finish(catalog_show(world, &request), |file, context| {
            agpm_report::catalog::render_file(file, view, context)
        });
    }
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != CatalogFormat::Json)
    {
        return output.finish(two_formats::<()>(&word(other)), |(), _| {
            RenderedReport::Text(String::new())
        });
    }
    output.json |= args.format == Some(CatalogFormat::Json);
    let form = match args.format {
        Some(CatalogFormat::Csv) => CatalogForm::Csv,
        Some(CatalogFormat::Table | CatalogFormat::Json) | None => CatalogForm::Table,
    };
    let request = CatalogRequest {
        selection: args.layers.options(),
        filter: CatalogFilter {
            kind: args.kind.map(|kind| kind.kind()),
            module: args.module,
        },
        shadowed: if args.all {
            ShadowedRows::Listed
        } else {
            ShadowedRows::Hidden
        },
    };
    let mut outcome = catalog(world, &request);
    if let (true, Ok(report)) = (output.is_verbose(), &outcome.result) {
        outcome.log.extend(report.origins(&outcome.sources));
    }
    output.finish(outcome, |report, context| {
        agpm_report::catalog::render(report, form, context)
    })
}

impl CatalogLayerArgs {
    /// Returns the layers for a request.
    pub(crate) fn options(self) -> CatalogSelection {
        let mode = match self.mode {
            ModeArg::Auto => CatalogMode::Auto,
            ModeArg::Local => CatalogMode::Local,
            ModeArg::User => CatalogMode::User,
            ModeArg::Strict => CatalogMode::Strict,
        };
        CatalogSelection {
            mode,
            remotes: self.remote,
        }
    }
}
