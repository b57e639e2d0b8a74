//! The new content of every file, by path.

use std::collections::BTreeMap;

use agpm_compose::RenderedResource;
use agpm_layers::LayeredFile;
use agpm_model::{FileMode, RelativePath};

/// The new content and mode of a file.
#[derive(Clone, Copy)]
pub(crate) struct NewContent<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) mode: FileMode,
}

/// The new content of every file, by path.
pub(crate) struct NewContents<'a>(BTreeMap<&'a RelativePath, NewContent<'a>>);

impl<'a> NewContents<'a> {
    /// The files of resources and layers.
    pub(crate) fn of(resources: &'a [RenderedResource], layers: &'a [LayeredFile]) -> Self {
        let mut contents: BTreeMap<&RelativePath, NewContent<'_>> = BTreeMap::new();
        for file in layers {
            let (bytes, mode) = (file.bytes.as_slice(), file.mode);
            contents.insert(&file.path, NewContent { bytes, mode });
        }
        for file in resources.iter().flat_map(|resource| &resource.output.files) {
            let (bytes, mode) = (file.bytes.get(), file.mode);
            contents.insert(&file.path, NewContent { bytes, mode });
        }
        NewContents(contents)
    }

    /// The new content of a file.
    pub(crate) fn get(&self, path: &RelativePath) -> Option<NewContent<'a>> {
        self.0.get(path).copied()
    }
}
