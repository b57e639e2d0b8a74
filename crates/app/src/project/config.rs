//! Reads the user configuration.

use std::sync::Arc;

use agpm_diag::{Failure, Notes, SourceSpan, Span};
use agpm_model::{ConfiguredSource, SourceDeclaration, SourceName, SourceScope, UserConfig};
use agpm_store::{StoreError, StoreProblem};
use agpm_text::{Document, Format, document_of};

use crate::project::reading::{display_path, limit};
use crate::project::world::Environment;

/// Reads the configuration; `None` if the file does not exist.
pub(crate) fn read_config(
    environment: &Environment,
    notes: &mut Notes,
) -> Result<Option<Arc<Document>>, Failure> {
    let Some(path) = environment.config_file() else {
        return Ok(None);
    };
    let bytes = match agpm_store::read(&path, limit()) {
        Err(StoreError {
            problem: StoreProblem::NotFound,
            ..
        }) => return Ok(None),
        read => read?,
    };
    let document = document_of(display_path(environment, &path), bytes, Format::Toml, notes)?;
    notes.check()?;
    Ok(Some(document))
}

/// Returns the sources that the user configured for all projects.
pub(crate) fn configured_sources(
    environment: &Environment,
    notes: &mut Notes,
) -> Result<Vec<SourceDeclaration>, Failure> {
    let Some(document) = read_config(environment, notes)? else {
        return Ok(Vec::new());
    };
    let spot = SourceSpan {
        source: document.source(),
        span: Span::at(0),
    };
    let source = |source: ConfiguredSource| {
        Some(SourceDeclaration {
            name: SourceName::new(&source.name).ok()?,
            address: source.address,
            scope: SourceScope::User,
            spot,
        })
    };
    let sources = UserConfig::of(Some(&document)).sources();
    Ok(sources.into_iter().filter_map(source).collect())
}
