//! Common helpers of tests of shared files.
#![allow(dead_code, clippy::unwrap_used, clippy::panic, missing_docs)]

pub(crate) mod layer;

use agpm_diag::{SourceMap, has_errors};
use agpm_model::{Checksum, EntryNode, FileMode, NodeLocation, ObservedPath, RelativePath};
use agpm_plan::{
    ChangeAction, ChangeReason, DesiredNode, FileOutcome, Ledger, LedgerFile, NodeError, NodePlan,
    OnEqualUserValue, OverwriteRule, OwnedNodes, SharedFile, plan_nodes,
};
use agpm_text::{Document, Format, LazyDocument, Limits, Value, parse, to_value};

pub(crate) fn read(text: &str, format: Format) -> Document {
    let parsed = parse(
        SourceMap::default().add("x", text),
        text,
        format,
        Limits::default(),
    );
    assert!(
        !has_errors(&parsed.diagnostics),
        "{text}\n{:?}",
        parsed.diagnostics
    );
    parsed.document
}

pub(crate) fn value(json: &str) -> Value {
    to_value(read(json, Format::Jsonc).root().unwrap())
}

pub(crate) fn key(at: &str, json: &str, owner: &str) -> DesiredNode {
    desired(NodeLocation::Key(at.parse().unwrap()), json, owner)
}

pub(crate) fn item(at: &str, json: &str, owner: &str) -> DesiredNode {
    desired(NodeLocation::Item(at.parse().unwrap()), json, owner)
}

pub(crate) fn default(at: &str, json: &str, owner: &str) -> DesiredNode {
    desired(NodeLocation::Default(at.parse().unwrap()), json, owner)
}

pub(crate) fn desired(location: NodeLocation, json: &str, owner: &str) -> DesiredNode {
    DesiredNode {
        node: EntryNode {
            location,
            value: value(json),
        },
        owner: owner.into(),
        on_equal: OnEqualUserValue::Adopt,
    }
}

/// A file, its managed nodes, and its format.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) text: Option<String>,
    pub(crate) owned: Option<OwnedNodes>,
    pub(crate) format: Format,
}

impl File {
    pub(crate) fn new(text: &str, format: Format) -> Self {
        File {
            text: Some(text.to_owned()),
            owned: None,
            format,
        }
    }

    pub(crate) fn json(text: &str) -> Self {
        File::new(text, Format::Jsonc)
    }

    pub(crate) fn missing(format: Format) -> Self {
        File {
            text: None,
            owned: None,
            format,
        }
    }

    pub(crate) fn plan(
        &self,
        desired: &[DesiredNode],
        overwrite: OverwriteRule,
    ) -> Result<NodePlan, NodeError> {
        self.plan_on(None, desired, overwrite)
    }

    /// Plans on top of a text of the layers.
    pub(crate) fn plan_on(
        &self,
        base: Option<&Document>,
        desired: &[DesiredNode],
        overwrite: OverwriteRule,
    ) -> Result<NodePlan, NodeError> {
        let base = base.map(unread);
        let document = self.text.as_ref().map(|text| read(text, self.format));
        let file =
            |text: &String| ObservedPath::file(Checksum::of(text.as_bytes()), FileMode::Plain);
        plan_nodes(&SharedFile {
            path: &RelativePath::new("folder/file").unwrap(),
            format: self.format,
            before: self.text.as_ref().map_or(ObservedPath::Missing, file),
            document: document.as_ref(),
            desired,
            owned: self.owned.as_ref(),
            base: base.as_ref(),
            merged: None,
            overwrite,
        })
    }

    /// Applies a plan, which must have no refusals, and checks that the next one is empty.
    pub(crate) fn get(&mut self, desired: &[DesiredNode], overwrite: OverwriteRule) -> NodePlan {
        self.get_on(None, desired, overwrite)
    }

    /// Applies a plan on top of a text of the layers.
    pub(crate) fn get_on(
        &mut self,
        base: Option<&Document>,
        desired: &[DesiredNode],
        overwrite: OverwriteRule,
    ) -> NodePlan {
        let plan = self.plan_on(base, desired, overwrite).unwrap();
        assert_eq!(plan.refusals, [], "{self:?}");
        match &plan.outcome {
            FileOutcome::Unchanged => {}
            FileOutcome::Write(text) => self.text = Some(text.clone()),
            FileOutcome::Remove => self.text = None,
        }
        self.owned = plan.owned.clone();
        self.reread();
        let again = self.plan_on(base, desired, overwrite).unwrap();
        assert_eq!(again.outcome, FileOutcome::Unchanged, "{self:?}");
        assert_eq!(again.owned, self.owned, "{self:?}");
        assert!(
            again
                .changes
                .iter()
                .all(|change| change.action == ChangeAction::Keep),
            "{again:?}"
        );
        plan
    }

    /// Writes the ledger and reads it again.
    pub(crate) fn reread(&mut self) {
        let path = RelativePath::new("folder/file").unwrap();
        let entries = self
            .owned
            .iter()
            .map(|owned| (path.clone(), owned.clone()))
            .collect();
        let ledger = Ledger {
            shared: entries,
            ..Ledger::default()
        };
        let text = ledger.to_text();
        let back = Ledger::read(text.as_bytes()).unwrap();
        assert_eq!(back, ledger);
        let file = LedgerFile::read_file(text.as_bytes()).unwrap();
        let seen: Vec<_> = file.shared.values().map(|nodes| nodes.seen).collect();
        let left: Vec<_> = self.owned.iter().map(|owned| owned.seen).collect();
        assert_eq!((file.count(), seen), (ledger.count(), left));
    }

    pub(crate) fn now(&self) -> &str {
        self.text.as_deref().unwrap()
    }

    pub(crate) fn edit(&mut self, from: &str, to: &str) {
        let text = self.now();
        assert!(text.contains(from), "{from}\n{text}");
        self.text = Some(text.replacen(from, to, 1));
    }

    pub(crate) fn at(&self, pointer: &str) -> Option<Value> {
        read(self.now(), self.format)
            .at(&pointer.parse().unwrap())
            .map(to_value)
    }
}

/// The changes of a plan in short form.
pub(crate) fn shown_changes(plan: &NodePlan) -> Vec<(ChangeAction, ChangeReason)> {
    plan.changes
        .iter()
        .map(|change| (change.action, change.reason))
        .collect()
}

/// Choices, one after the other.
pub(crate) struct Tape<'t> {
    pub(crate) bytes: &'t [u8],
    pub(crate) at: usize,
}

impl Tape<'_> {
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        let byte = self.bytes.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        from[usize::from(byte) % from.len()]
    }
}

/// A document that is parsed on demand.
pub(crate) fn unread(document: &Document) -> LazyDocument {
    LazyDocument::new(document.text().clone(), document.format())
}
