//! What is on this machine, or in the manifest itself.

use std::path::Path;

use agpm_model::{Dependency, Extent, FileMode, ObjectId, Origin, SKILL_FILE, Unit};
use agpm_store as store;
use agpm_text::Value;

use crate::failure::Failure;
use crate::gather::limit;
use crate::packages::facts::File;
use crate::packages::fetch::raw::{
    DEEPEST, MOST_BYTES, MOST_FILES, Raw, Unfit, found_unit, said_twice, skill_path, too_large,
    twice,
};
use crate::packages::fetch::{Answered, Fetcher};

impl Fetcher<'_> {
    /// What is on this machine, below a folder or beside it, or in the manifest itself.
    pub(super) fn files(
        &self,
        folder: &Path,
        asked: &[(&Unit, &Option<ObjectId>)],
    ) -> Result<Answered, Failure> {
        let mut answered = Answered::default();
        for (unit, commit) in asked {
            let raw = match unit {
                Unit {
                    origin: Origin::Manifest,
                    ..
                } => self.inline(unit),
                unit if unit.path.is_pattern() => local_matches(folder, unit)?,
                Unit {
                    extent: Extent::Folder,
                    ..
                } => self.local_folder(folder, unit)?,
                unit => self.local_file(folder, unit)?,
            };
            answered
                .contents
                .push(((*unit).clone(), (*commit).clone(), raw));
        }
        Ok(answered)
    }

    fn inline(&self, unit: &Unit) -> Raw {
        let dependency = self
            .manifest
            .dependencies
            .iter()
            .find(|dependency| dependency.unit == *unit);
        let bytes = dependency.and_then(inline_bytes);
        bytes.map_or(Raw::Absent, |bytes| {
            Raw::File(File::new(bytes, FileMode::Plain))
        })
    }
}

/// What the manifest itself says of an MCP server.
pub(crate) fn inline_bytes(dependency: &Dependency) -> Option<Vec<u8>> {
    let Some(Value::Map(said)) = &dependency.server else {
        return None;
    };
    // An address says what it is, for tools that would take it for a program.
    let is_remote = said.iter().all(|(key, _)| key != "command");
    let kind = is_remote.then(|| ("type".to_owned(), Value::from("http")));
    let server = Value::Map(kind.into_iter().chain(said.iter().cloned()).collect());
    Some(server.to_json().into_bytes())
}

impl Fetcher<'_> {
    /// A file on this machine; nothing of a source is trusted, so that a link must not lead out of it.
    fn local_read(
        &self,
        folder: &Path,
        origin: &Origin,
        path: &str,
    ) -> Result<(Vec<u8>, FileMode), store::StoreError> {
        self.bounds.guard(&folder.join(path))?;
        match origin {
            Origin::Source(_) => store::read_below(folder, path, limit()),
            _ => store::read_with_mode(&folder.join(path), limit()),
        }
    }

    fn local_file(&self, folder: &Path, unit: &Unit) -> Result<Raw, Failure> {
        match self.local_read(folder, &unit.origin, unit.path.as_str()) {
            Ok((bytes, mode)) => Ok(Raw::File(File::new(bytes, mode))),
            Err(error)
                if matches!(
                    error.problem,
                    store::Problem::NotFound | store::Problem::IsFolder
                ) =>
            {
                Ok(Raw::Absent)
            }
            Err(error) => Err(error.seen_from(folder).into()),
        }
    }

    fn local_folder(&self, folder: &Path, unit: &Unit) -> Result<Raw, Failure> {
        let unfit = |why: String| Ok(Raw::Unfit(Unfit::Skill(why)));
        let skill = folder.join(unit.path.as_str());
        if !store::is_file(&skill.join(SKILL_FILE)) {
            return Ok(Raw::Absent);
        }
        let entries = store::entries_below(&skill, DEEPEST)?;
        if let Some((path, _)) = entries.iter().find(|(_, kind)| *kind != store::Below::File) {
            return unfit(format!("`{path}` is a symbolic link, or no file at all"));
        }
        if entries.len() > MOST_FILES {
            return unfit(format!("it has more than {MOST_FILES} files"));
        }
        let (mut files, mut size) = (Vec::new(), 0);
        for (path, _) in entries {
            let Ok(relative) = skill_path(&path) else {
                return unfit(format!("`{path}` is not a portable name"));
            };
            let (bytes, mode) = self
                .local_read(folder, &unit.origin, &format!("{}/{path}", unit.path))
                .map_err(|error| error.seen_from(folder))?;
            size += bytes.len() as u64;
            if size > MOST_BYTES {
                return unfit(too_large());
            }
            files.push((relative, File::new(bytes, mode)));
        }
        match twice(files.iter().map(|(path, _)| path)) {
            Some(path) => unfit(said_twice(&path)),
            None => Ok(Raw::Folder(files)),
        }
    }
}

fn local_matches(folder: &Path, unit: &Unit) -> Result<Raw, Failure> {
    let Ok(matcher) = unit.path.matcher() else {
        return Ok(Raw::Absent);
    };
    let start = unit.path.literal_folder();
    let files = store::files_below(&folder.join(start), DEEPEST)?;
    let full = |file: String| {
        if start.is_empty() {
            file
        } else {
            format!("{start}/{file}")
        }
    };
    let skill_of = |file: &str| {
        file.strip_suffix(SKILL_FILE)?
            .strip_suffix('/')
            .map(str::to_owned)
    };
    let paths = files
        .into_iter()
        .map(full)
        .filter_map(|file| match unit.extent {
            Extent::File => Some(file),
            Extent::Folder => skill_of(&file),
        });
    let paths = paths.filter(|path| matcher.is_match(path));
    Ok(Raw::Matches(
        paths.filter_map(|path| found_unit(unit, &path)).collect(),
    ))
}
