//! Who gave which lines of a file with blocks.

use agpm_diag::{Failure, Notes};
use agpm_merge::{BodyLines, Provenance};
use agpm_model::RelativePath;
use agpm_plan::{OwnedBlocks, read_block_file};
use agpm_store::ProjectStore;
use agpm_text::{BlockDocument, BlockSection};

use crate::explain::installed::YOURS;
use crate::explain::project::paths_of;
use crate::gather::ManifestFiles;
use crate::install::read_ledger;
use crate::reading::limit;
use crate::world::{ManifestUse, World};

/// The lines of a file with managed blocks; nothing for other files.
pub(super) fn explain_blocks(
    world: &World,
    file: &str,
    notes: &mut Notes,
) -> Result<Option<Provenance>, Failure> {
    let Some(files) = ManifestFiles::find(&world.environment, ManifestUse::Nearest)? else {
        return Ok(None);
    };
    let store: ProjectStore = files.store()?;
    let mut ledger = read_ledger(&store)?;
    for path in paths_of(&world.environment, files.root(), file).unwrap_or_default() {
        let Some(owned) = ledger.blocks.remove(&path) else {
            continue;
        };
        let Ok(bytes) = store.read(&path, limit()) else {
            continue;
        };
        let document = read_block_file(&path, bytes, notes)?;
        return Ok(Some(lines_of(&path, &document, &owned)));
    }
    Ok(None)
}

fn lines_of(path: &RelativePath, document: &BlockDocument, owned: &OwnedBlocks) -> Provenance {
    let lines = |section: BlockSection<'_>| {
        let block = section.block.and_then(|name| owned.get(name));
        BodyLines {
            lines: section.lines,
            layer: block.map_or(YOURS.to_owned(), |block| block.owner.to_string()),
            file: path.to_string(),
            from: section.lines,
        }
    };
    Provenance {
        body: document.sections().into_iter().map(lines).collect(),
        ..Provenance::default()
    }
}
