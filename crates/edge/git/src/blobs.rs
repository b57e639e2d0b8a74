use std::collections::HashMap;

use agpm_model::ObjectId;

use crate::error::GitError;
use crate::fetch::Wanted;
use crate::reader::{Answer, Question};
use crate::remote::Remote;

/// The contents read so far.
type Found = HashMap<ObjectId, Vec<u8>>;

impl Remote {
    /// The contents of files, in the order asked for; those that are missing are fetched in one go.
    pub fn read_blobs(
        &self,
        wanted: &[ObjectId],
        progress: &dyn Fn(usize),
    ) -> Result<Vec<Vec<u8>>, GitError> {
        let mut found = Found::with_capacity(wanted.len());
        if let Err(error) = self.gather(wanted, &mut found, progress) {
            self.rebuild_after(error)?;
            self.gather(wanted, &mut found, progress)?;
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

    fn gather(
        &self,
        wanted: &[ObjectId],
        found: &mut Found,
        progress: &dyn Fn(usize),
    ) -> Result<(), GitError> {
        if self.read_into(wanted, found, progress)?.is_empty() {
            return Ok(());
        }
        self.refuse_offline()?;
        let held = self.shelf.hold()?;
        // Somebody else may have fetched them while we waited.
        let missing = self.read_into(wanted, found, progress)?;
        if let Some(first) = missing.first() {
            self.shelf.prepare(&self.shelf.objects(), first, &held)?;
            self.fetch(&self.shelf.objects(), Wanted::Blobs(&missing))?;
        }
        match self.read_into(&missing, found, progress)?.first() {
            None => Ok(()),
            Some(id) => Err(self.missing(id)),
        }
    }

    /// Reads what is in the cache and not read yet; the rest is returned, each once.
    fn read_into(
        &self,
        wanted: &[ObjectId],
        found: &mut Found,
        progress: &dyn Fn(usize),
    ) -> Result<Vec<ObjectId>, GitError> {
        let mut unread: Vec<&ObjectId> = wanted.iter().filter(|id| !found.contains_key(*id)).collect();
        unread.sort();
        unread.dedup();
        let names: Vec<String> = unread.iter().map(|id| id.to_string()).collect();
        let (mut missing, mut too_large) = (Vec::new(), None);
        self.ask(Question::Content, &names, &mut |at, answer| match answer {
            Answer::Found { kind, content, .. } if kind == "blob" => {
                found.insert(unread[at].clone(), content);
                progress(found.len());
            }
            Answer::TooLarge { id, size } => too_large = Some(self.too_large(id, size)),
            _ => missing.push(unread[at].clone()),
        })?;
        too_large.map_or(Ok(missing), Err)
    }
}
