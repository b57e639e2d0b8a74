//! Findings about ignored documents and unusual directories.

use std::path::Path;

use agpm_diag::{Diagnostic, SourceId, codes};

use crate::document::{ChainLink, ParentReference};
use crate::kind::PersonaKind;
use crate::levels::{PersonaLevel, PersonaLevels};

impl PersonaLevels<'_> {
    pub(crate) fn two_documents(
        &self,
        first: &Path,
        ignored: &Path,
        kind: PersonaKind,
    ) -> Diagnostic {
        let (first, file) = (self.label(first), self.display_path(ignored));
        let message = format!("`{}` is ignored", self.label(ignored));
        let diagnostic = Diagnostic::new(&codes::LINEAGE_TWO_DOCUMENTS, message).in_file(file);
        diagnostic
            .detail(format!("`{first}` is the {kind} document of its directory"))
            .help("a directory has one document of each kind, the first by name: merge them, or move one")
    }

    /// Names in one directory that differ only in case.
    pub(crate) fn case(&self, level: &PersonaLevel, names: &[String]) -> Vec<Diagnostic> {
        let finding = |pair: &[String]| {
            let (first, ignored) = (&pair[0], &pair[1]);
            let message = format!("the personas `{first}` and `{ignored}` differ only in case");
            let diagnostic = Diagnostic::new(&codes::LINEAGE_CASE, message);
            let diagnostic = diagnostic.in_file(self.display_path(&level.agents().join(ignored)));
            diagnostic
                .help("rename one of them: on case-insensitive file systems they are one directory")
        };
        names.windows(2).map(finding).collect()
    }

    /// The finding about something that cannot be read.
    pub(crate) fn left_out_finding(&self, path: &Path, reason: &str, help: &str) -> Diagnostic {
        let message = format!("`{}` is ignored", self.label(path));
        let diagnostic = Diagnostic::new(&codes::LINEAGE_UNREADABLE, message);
        diagnostic
            .detail(reason)
            .in_file(self.display_path(path))
            .help(help)
    }

    pub(crate) fn leads_out(&self, path: &Path) -> Diagnostic {
        let message = format!("`{}` is ignored", self.label(path));
        let diagnostic =
            Diagnostic::new(&codes::LINEAGE_OUTSIDE, message).in_file(self.display_path(path));
        diagnostic
            .detail("it is a symlink out of its repository")
            .help("copy its target, or inherit the target by its path")
    }
}

pub(crate) fn remote_parent(
    source: SourceId,
    parent: &ParentReference,
    link: &ChainLink,
) -> Diagnostic {
    let message = format!("inherited URL `{}` is not loaded", parent.path);
    let diagnostic =
        Diagnostic::new(&codes::LINEAGE_REMOTE_PARENT, message).at(source, parent.span, "");
    diagnostic
        .in_layer(&link.layer)
        .detail(format!("inherited by `{}`", link.path))
        .help("copy it into the repository, and name it by its path")
}
