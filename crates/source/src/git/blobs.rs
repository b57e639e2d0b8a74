use std::collections::HashMap;

use agpm_model::Revision as ObjectId;

use crate::git::error::GitError;
use crate::git::fetch::FetchTarget;
use crate::git::locking::locked;
use crate::git::reader::{ObjectQuery, ObjectReply};
use crate::git::remote::RemoteRepository;
use crate::git::stderr::{is_missing_on_server, refuses_bare_ids};

/// The contents read so far.
type Found = HashMap<ObjectId, Vec<u8>>;

impl RemoteRepository {
    /// Makes files available; missing ones are fetched in one request.
    pub fn fetch_blobs(&self, wanted: &[ObjectId]) -> Result<(), GitError> {
        locked(&self.wanted_blobs).extend(wanted.iter().cloned());
        let (_, missing) = self.measure(wanted)?;
        self.fetch_missing_blobs(&missing)
    }

    /// Reads files that [`RemoteRepository::fetch_blobs`] made available, in the requested order.
    pub fn read_blobs(&self, wanted: &[ObjectId]) -> Result<Vec<Vec<u8>>, GitError> {
        let mut found = Found::with_capacity(wanted.len());
        if let Err(error) = self.gather(wanted, &mut found) {
            // The source does not have it. Fetching everything again would end with the same answer.
            if matches!(error, GitError::MissingObject { .. }) {
                return Err(error);
            }
            self.rebuild_after(error)?;
            self.gather(wanted, &mut found)?;
        }
        let mut contents: Vec<Vec<u8>> = Vec::with_capacity(wanted.len());
        let mut first = HashMap::new();
        for (at, id) in wanted.iter().enumerate() {
            let content = match first.get(id) {
                Some(earlier) => contents.get::<usize>(*earlier).cloned(),
                None => found.remove(id),
            };
            first.entry(id).or_insert(at);
            contents.push(content.ok_or_else(|| self.missing(id))?);
        }
        Ok(contents)
    }

    /// Returns the total size of files that [`RemoteRepository::fetch_blobs`] made available.
    pub fn measure_blobs(&self, wanted: &[ObjectId]) -> Result<u64, GitError> {
        Ok(self
            .blob_sizes(wanted)?
            .into_iter()
            .fold(0, u64::saturating_add))
    }

    /// Returns the size of each file.
    pub(crate) fn blob_sizes(&self, wanted: &[ObjectId]) -> Result<Vec<u64>, GitError> {
        let (mut sizes, missing) = self.measure(wanted)?;
        if !missing.is_empty() {
            self.fetch_again(&missing)?;
            sizes = self.measure(wanted)?.0;
        }
        Ok(sizes)
    }

    /// Fetches files again that were made available before and are gone, because another process removed the copy.
    fn fetch_again(&self, missing: &[ObjectId]) -> Result<(), GitError> {
        // A file that was never requested is a mistake of the caller. Fetching it here would hide that each read costs a
        // request.
        let wanted = locked(&self.wanted_blobs);
        if let Some(unwanted) = missing.iter().find(|id| !wanted.contains(*id)) {
            return Err(self.missing(unwanted));
        }
        drop(wanted);
        self.fetch_missing_blobs(missing)
    }

    fn measure(&self, wanted: &[ObjectId]) -> Result<(Vec<u64>, Vec<ObjectId>), GitError> {
        let names: Vec<String> = wanted.iter().map(ObjectId::to_string).collect();
        let (mut sizes, mut missing) = (vec![0; wanted.len()], Vec::new());
        self.ask(ObjectQuery::Kind, &names, &mut |at, answer| match answer {
            ObjectReply::Found { size, .. } | ObjectReply::TooLarge { size, .. } => {
                sizes[at] = size
            }
            ObjectReply::Missing => missing.push(wanted[at].clone()),
        })?;
        Ok((sizes, missing))
    }

    fn gather(&self, wanted: &[ObjectId], found: &mut Found) -> Result<(), GitError> {
        let missing = self.read_into(wanted, found)?;
        if missing.is_empty() {
            return Ok(());
        }
        self.fetch_again(&missing)?;
        match self.read_into(&missing, found)?.first() {
            None => Ok(()),
            Some(id) => {
                Err(self.broken(&format!("{id} cannot be read from its copy in the cache")))
            }
        }
    }

    fn fetch_missing_blobs(&self, missing: &[ObjectId]) -> Result<(), GitError> {
        if missing.is_empty() {
            return Ok(());
        }
        self.refuse_offline()?;
        // Locked only if something is missing: reads of a complete cache never wait for another process.
        let lock = self.source_cache.hold()?;
        // Another thread or process may have fetched them in the meantime.
        let (_, missing) = self.measure(missing)?;
        let Some(first) = missing.first() else {
            return Ok(());
        };
        let repository = self.source_cache.objects();
        self.source_cache.prepare(&repository, first, &lock)?;
        match self.fetch(&repository, FetchTarget::Blobs(&missing)) {
            // Older servers send only what they list. A complete clone is slow, and is the only way to read from them.
            Err(error) if refuses_bare_ids(&error) => self.fetch_everything(first, &lock),
            Err(error) if is_missing_on_server(&error) => {
                let text = error.to_string();
                Err(self.missing(
                    missing
                        .iter()
                        .find(|id| text.contains(id.as_str()))
                        .unwrap_or(first),
                ))
            }
            fetched => fetched,
        }
    }

    /// Reads the objects in the cache that were not read yet, and returns the missing ones without duplicates.
    fn read_into(&self, wanted: &[ObjectId], found: &mut Found) -> Result<Vec<ObjectId>, GitError> {
        let mut unread: Vec<&ObjectId> = wanted
            .iter()
            .filter(|id| !found.contains_key(*id))
            .collect();
        // Sorted and without duplicates: content under many paths is read once, in an order that does not depend on the
        // caller.
        unread.sort();
        unread.dedup();
        let names: Vec<String> = unread.iter().map(|id| id.to_string()).collect();
        let (mut missing, mut unfit) = (Vec::new(), None);
        self.ask(
            ObjectQuery::Content,
            &names,
            &mut |at, answer| match answer {
                ObjectReply::Found { kind, content, .. } if kind == "blob" => {
                    found.insert(unread[at].clone(), content);
                }
                // An object of another kind, such as a tree, where a file is expected.
                ObjectReply::Found { id, .. } => unfit = Some(self.missing(&id)),
                ObjectReply::TooLarge { id, size } => unfit = Some(self.too_large(id, size)),
                ObjectReply::Missing => missing.push(unread[at].clone()),
            },
        )?;
        unfit.map_or(Ok(missing), Err)
    }
}
