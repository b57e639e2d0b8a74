//! The one place that knows how the catalog is asked.

use agpm_ops::{Outcome, World};
use serde_json::Value as Json;

use crate::answer::Failed;

/// A kind of the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CatalogKind {
    Agent,
    Workflow,
    Task,
    Tool,
    Skill,
}

impl CatalogKind {
    pub(crate) const ALL: [CatalogKind; 5] =
        [CatalogKind::Agent, CatalogKind::Workflow, CatalogKind::Task, CatalogKind::Tool, CatalogKind::Skill];

    pub(crate) fn singular(self) -> &'static str {
        match self {
            CatalogKind::Agent => "agent",
            CatalogKind::Workflow => "workflow",
            CatalogKind::Task => "task",
            CatalogKind::Tool => "tool",
            CatalogKind::Skill => "skill",
        }
    }

    pub(crate) fn named(word: &str) -> Option<Self> {
        let word = word.strip_suffix('s').unwrap_or(word);
        CatalogKind::ALL.into_iter().find(|kind| kind.singular() == word)
    }
}

/// A row of the catalog that counts.
#[derive(Debug)]
pub(crate) struct CatalogRow {
    pub(crate) kind: CatalogKind,
    pub(crate) module: String,
    pub(crate) name: String,
    /// What people call it.
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    /// The file, as it is written in the row.
    pub(crate) path: String,
    /// As the reports of `ops` have it.
    pub(crate) value: Json,
}

impl CatalogRow {
    /// `MODULE/NAME`, or the name alone.
    pub(crate) fn reference(&self) -> String {
        if self.module.is_empty() { self.name.clone() } else { format!("{}/{}", self.module, self.name) }
    }
}

/// The catalog as it was when it was read.
#[derive(Debug, Default)]
pub(crate) struct CatalogView {
    pub(crate) rows: Vec<CatalogRow>,
    /// What is wrong with it.
    pub(crate) diagnostics: Vec<Json>,
}

impl CatalogView {
    pub(crate) fn open(_world: &World) -> Result<Self, Failed> {
        Ok(CatalogView::default())
    }

    /// Whether its files are as they were; only looks at them.
    pub(crate) fn is_current(&self) -> bool {
        true
    }

    /// The row of that name, `[MODULE/]NAME`.
    pub(crate) fn find(&self, kind: CatalogKind, reference: &str) -> Result<&CatalogRow, Failed> {
        let fits = |row: &&CatalogRow| row.kind == kind && row.reference() == reference;
        self.rows.iter().find(fits).ok_or_else(|| not_found(kind, reference))
    }

    /// The row of that module and name.
    pub(crate) fn entry(&self, kind: CatalogKind, module: &str, name: &str) -> Result<&CatalogRow, Failed> {
        let fits = |row: &&CatalogRow| row.kind == kind && row.module == module && row.name == name;
        self.rows.iter().find(fits).ok_or_else(|| not_found(kind, name))
    }

    /// The bytes of a row's file.
    pub(crate) fn read(&self, row: &CatalogRow, _limit: u64) -> Result<Vec<u8>, Failed> {
        Err(not_found(row.kind, &row.reference()))
    }

    /// All rows of a kind as a manifest.
    pub(crate) fn csv(&self, _kind: CatalogKind) -> String {
        String::new()
    }
}

fn not_found(kind: CatalogKind, name: &str) -> Failed {
    use agpm_diag::{Diagnostic, codes};
    let message = format!("there is no {} `{name}`", kind.singular());
    let outcome: Outcome<()> =
        Outcome::failed(agpm_ops::FailureKind::NotFound, Diagnostic::new(&codes::NAME_UNKNOWN, message));
    match crate::answer::told(outcome) {
        Err(failed) => failed,
        Ok(_) => unreachable!("a failure is one"),
    }
}
