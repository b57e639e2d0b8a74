//! One file out of the same file in several layers: its bytes, and what is ours in it.

use agpm_diag::{Diagnostic, Failure, SourceMap, codes, has_errors};
use agpm_merge::{LayerFile, MergedFile, Part, UnparsedFile, merge_files};
use agpm_model::{LayerName, Owner, RelativePath, Strategy};
use agpm_plan::{DesiredNode, Twin};
use agpm_text::{Format, Unread};

use crate::approve::ProgramPermit;
use crate::layers::folding::Keys;
use crate::merge::{RawFile, drive};

/// What a file is made of.
pub(super) enum Content {
    /// Bytes of one layer that nobody needs to understand.
    Plain(Vec<u8>),
    /// Files that are parsed and merged.
    Files(Vec<UnparsedFile>),
    /// Files that a program merges, and the right to run it.
    Driven(Vec<RawFile>, ProgramPermit),
}

/// What is to become of it.
pub(super) struct Recipe<'m> {
    pub(super) path: RelativePath,
    pub(super) strategy: &'m Strategy,
    /// The layers that it comes from.
    pub(super) owner: Owner,
}

/// The bytes of a file, and what is ours in it.
type ResourceOutput = (Vec<u8>, Option<Keys>);

/// Whether a file has keys that can be owned one by one.
pub(super) fn is_structured(path: &RelativePath) -> bool {
    let format = Format::of_file(path.file_name());
    matches!(
        format,
        Some(Format::Json | Format::Jsonc | Format::Yaml | Format::Toml)
    )
}

impl Recipe<'_> {
    /// Makes a file; nothing if what is found forbids it.
    pub(super) fn make(
        &self,
        content: Content,
        found: &mut Vec<Diagnostic>,
    ) -> Result<Option<ResourceOutput>, Failure> {
        match content {
            Content::Plain(bytes) => Ok(Some((bytes, None))),
            Content::Driven(files, permit) => self.drive(files, &permit).map(Some),
            Content::Files(unparsed) => Ok(self.merge(unparsed, found)),
        }
    }

    fn merge(
        &self,
        unparsed: Vec<UnparsedFile>,
        found: &mut Vec<Diagnostic>,
    ) -> Option<ResourceOutput> {
        let (files, wrong): (Vec<LayerFile>, Vec<_>) =
            unparsed.into_iter().map(UnparsedFile::parse).unzip();
        let wrong: Vec<Diagnostic> = wrong.into_iter().flatten().collect();
        if let ([only], true) = (files.as_slice(), is_only_odd(&wrong)) {
            return Some((only.bytes().to_vec(), None));
        }
        let is_broken = has_errors(&wrong);
        found.extend(wrong);
        let merged = merge_files(files, self.strategy, None).filter(|_| !is_broken)?;
        found.extend(merged.diagnostics.iter().cloned());
        match self.render(&merged) {
            Ok((made, warning)) => {
                found.extend(warning);
                Some(made)
            }
            Err(error) => {
                found.push(error);
                None
            }
        }
    }

    fn render(
        &self,
        merged: &MergedFile,
    ) -> Result<(ResourceOutput, Option<Diagnostic>), Diagnostic> {
        let (text, warning) = merged.render()?;
        let bytes = text.to_bytes();
        let keys = merged
            .parts(self.strategy)
            .and_then(|parts| self.keys(&bytes, parts));
        Ok(((bytes, keys), warning))
    }

    /// A program's result is a layer of its own, called as all that it was made of.
    fn drive(
        &self,
        files: Vec<RawFile>,
        permit: &ProgramPermit,
    ) -> Result<ResourceOutput, Failure> {
        let driver = self.strategy.driver.as_ref().expect("asked before");
        let result = drive(driver, permit, &self.strategy.name, files).map_err(|mut failure| {
            failure.diagnostic = failure
                .diagnostic
                .map(|found| found.in_file(self.path.as_str()));
            failure
        })?;
        let name = self
            .owner
            .layers()
            .and_then(|layers| LayerName::new(layers.as_str()).ok())
            .unwrap_or(result.layer);
        let mut sources = SourceMap::default();
        let (file, wrong) =
            LayerFile::read(name, self.path.as_str(), result.bytes.clone(), &mut sources);
        if let Some(first) = wrong.iter().find(|_| has_errors(&wrong)) {
            return Err(self.printed_nonsense(first));
        }
        let merged = merge_files(vec![file], self.strategy, None);
        let parts = merged.and_then(|merged| merged.parts(self.strategy));
        let keys = parts.and_then(|parts| self.keys(&result.bytes, parts));
        Ok((result.bytes, keys))
    }

    fn printed_nonsense(&self, wrong: &Diagnostic) -> Failure {
        let name = &self.strategy.name;
        let message = format!(
            "the program of the strategy `{name}` printed no good file: {}",
            wrong.message
        );
        let diagnostic = Diagnostic::new(&codes::MERGE_DRIVER, message).in_file(self.path.as_str());
        diagnostic
            .help("`agpm merge` with the files of the layers shows what it prints")
            .into()
    }

    fn keys(&self, bytes: &[u8], parts: Vec<Part>) -> Option<Keys> {
        let format = Format::of_file(self.path.file_name())?;
        let text = std::str::from_utf8(bytes).ok()?;
        let node = |part: Part| DesiredNode {
            node: part.node,
            owner: Owner::layer(&part.layer),
            twin: Twin::Left,
        };
        Some(Keys {
            text: Unread::new(text, format),
            nodes: parts.into_iter().map(node).collect(),
        })
    }
}

/// Whether a text is well-formed, but says things that have no keys: nothing is to be merged, so it is taken as it is.
fn is_only_odd(diagnostics: &[Diagnostic]) -> bool {
    let odd = [&codes::YAML_DOCUMENTS, &codes::YAML_TAG, &codes::YAML_KEY];
    !diagnostics.is_empty() && diagnostics.iter().all(|found| odd.contains(&found.code))
}
