//! Reads single files of a commit without its other directories, for reports over many repositories.

use agpm_model::Revision as ObjectId;
use agpm_store::TemporaryDirectory;

use crate::git::error::GitError;
use crate::git::fetch::FetchTarget;
use crate::git::remote::RemoteRepository;
use crate::git::stderr::refuses_bare_ids;
use crate::git::tree::{TreeEntryKind, kind_of_mode};
use crate::git::worktree::objects_of_batch;

impl RemoteRepository {
    /// Reads files in the top directory of a commit; `None` for those that do not exist. A server that can filter sends
    /// that directory and these files, which is a few KiB for any repository. Nothing is kept.
    pub fn read_top_files(
        &self,
        commit: &ObjectId,
        names: &[&str],
    ) -> Result<Vec<Option<Vec<u8>>>, GitError> {
        self.refuse_offline()?;
        let directory = TemporaryDirectory::new()?;
        let repository = directory.path().join("top.git");
        {
            let lock = self.source_cache.hold()?;
            self.source_cache.prepare(&repository, commit, &lock)?;
        }
        let transfer = self.git.begin_transfer(self.address.redacted(), None);
        self.fetch_by_program(
            &repository,
            FetchTarget::TopDirectories(std::slice::from_ref(commit)),
        )?;
        let question = ["ls-tree", "-z", commit.as_str()];
        let listing = self.question(&repository, &question, String::new())?;
        let ids: Vec<Option<ObjectId>> = names
            .iter()
            .map(|name| file_in_listing(&listing, name))
            .collect();
        let wanted: Vec<ObjectId> = ids.iter().flatten().cloned().collect();
        if wanted.is_empty() {
            return Ok(vec![None; names.len()]);
        }
        match self.fetch_by_program(&repository, FetchTarget::Blobs(&wanted)) {
            // A server that sends no single objects sends the whole commit.
            Err(error) if refuses_bare_ids(&error) => {
                let whole = FetchTarget::WholeCommits(std::slice::from_ref(commit));
                self.fetch_by_program(&repository, whole)?;
            }
            fetched => fetched?,
        }
        drop(transfer);
        let input: String = wanted.iter().map(|id| format!("{id}\n")).collect();
        let output = self.question(&repository, &["cat-file", "--batch"], input)?;
        let found = objects_of_batch(&output).filter(|found| found.len() == wanted.len());
        let found = found.ok_or_else(|| self.broken("the files did not arrive"))?;
        let mut found = found.into_iter();
        let files = ids.into_iter();
        Ok(files
            .map(|id| id.and_then(|_| found.next().flatten()))
            .collect())
    }

    fn question(
        &self,
        repository: &std::path::Path,
        question: &[&str],
        input: String,
    ) -> Result<Vec<u8>, GitError> {
        let mut command = self.git.command()?;
        command.arg("--git-dir").arg(repository).args(question);
        self.run(command, input)
    }
}

/// The object of a file in a listing of `MODE TYPE OBJECT<tab>NAME<nul>`.
fn file_in_listing(listing: &[u8], name: &str) -> Option<ObjectId> {
    for line in listing.split(|byte| *byte == 0) {
        let line = String::from_utf8_lossy(line);
        let Some((fields, found)) = line.split_once('\t') else {
            continue;
        };
        let mut fields = fields.split(' ');
        let kind = fields.next().and_then(|mode| kind_of_mode(mode.as_bytes()));
        if found == name && matches!(kind, Some(TreeEntryKind::File | TreeEntryKind::Executable)) {
            return fields.next_back()?.parse().ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_name_are_found() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let listing = format!(
            "040000 tree {id}\tagpm.toml\x00120000 blob {id}\tlink\x00100644 blob {id}\tagpm.lock\x00"
        );
        let found = |name: &str| file_in_listing(listing.as_bytes(), name).is_some();
        assert_eq!(
            ["agpm.lock", "agpm.toml", "link", "other"].map(found),
            [true, false, false, false]
        );
    }
}
