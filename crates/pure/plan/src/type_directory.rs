//! The directory that a tool keeps a type of resource in.

use agpm_model::{Folder, RelativePath, Tool};

/// The path of a file from the directory of its tool and type; nothing if it is not in there.
pub fn path_in_type_folder<'p>(
    tool: &Tool,
    folder: &Folder,
    path: &'p RelativePath,
) -> Option<&'p str> {
    let Some(directory) = type_directory(tool, folder) else {
        return Some(path.as_str());
    };
    path.as_str()
        .strip_prefix(directory.as_str())?
        .strip_prefix('/')
}

/// The directory of a type, from the project: in the tool's own, or one that tools share. Nothing is the project's.
pub(crate) fn type_directory(tool: &Tool, folder: &Folder) -> Option<RelativePath> {
    match (folder, &tool.folder) {
        (Folder::Shared(folder), _) | (Folder::Own(Some(folder)), None) => Some(folder.clone()),
        (Folder::Own(Some(folder)), Some(own)) => Some(own.join(folder)),
        (Folder::Own(None), own) => own.clone(),
    }
}
