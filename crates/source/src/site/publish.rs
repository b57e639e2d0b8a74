//! Writes skills as a static site.

use std::path::Path;

use agpm_model::{Checksum, SKILL_FILE};

use super::index::{INDEX_PATH, SITE_SCHEMA, SiteEntry, SiteEntryType, SiteIndex};
use crate::SourceError;
use crate::registry::{PublishedResource, files_of_skill, pack_files};

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenSite {
    /// The files with their sizes, relative to the root of the site.
    pub files: Vec<(String, u64)>,
    /// How many of them are new or changed.
    pub changed: usize,
}

/// Whether files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteWriting {
    /// They are.
    Write,
    /// They are only compared.
    Compare,
}

/// Writes skills into the root of a site, for any web server. The index comes last.
pub fn write_site(
    root: &Path,
    skills: &[PublishedResource],
    writing: SiteWriting,
) -> Result<WrittenSite, SourceError> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    let mut entries = Vec::new();
    let directory = INDEX_PATH
        .trim_start_matches('/')
        .trim_end_matches("/index.json");
    for skill in skills {
        let content = files_of_skill(skill, "");
        let (kind, url, bytes) = match content.as_slice() {
            [only] if only.path == SKILL_FILE => {
                let url = format!("{}/{SKILL_FILE}", skill.name);
                (SiteEntryType::SkillMd, url, only.bytes.clone())
            }
            content => {
                let packed = pack_files(content).map_err(|error| {
                    SourceError::Broken(format!("cannot pack `{}`: {error}", skill.name))
                })?;
                (
                    SiteEntryType::Archive,
                    format!("{}.tar.gz", skill.name),
                    packed,
                )
            }
        };
        entries.push(SiteEntry {
            name: skill.name.clone(),
            kind,
            description: skill.description.clone().unwrap_or_default(),
            url: url.clone(),
            digest: Checksum::of(&bytes).to_string(),
        });
        files.push((format!("{directory}/{url}"), bytes));
    }
    entries.sort();
    files.sort();
    let index = SiteIndex {
        schema: SITE_SCHEMA.to_owned(),
        skills: entries,
    };
    let mut index = serde_json::to_vec_pretty(&index).unwrap_or_default();
    index.push(b'\n');
    files.push((INDEX_PATH.trim_start_matches('/').to_owned(), index));
    let mut changed = 0;
    for (path, bytes) in &files {
        let full = root.join(path);
        let old = agpm_store::read(&full, bytes.len() as u64 + 1).ok();
        if old.as_ref() != Some(bytes) {
            changed += 1;
            if writing == SiteWriting::Write {
                agpm_store::write_atomically(&full, bytes)?;
            }
        }
    }
    let sizes = files.into_iter();
    Ok(WrittenSite {
        files: sizes
            .map(|(path, bytes)| (path, bytes.len() as u64))
            .collect(),
        changed,
    })
}
