//! Changes of an entry that the manifest has already.

use agpm_diag::{Diagnostic, Failure, codes};
use agpm_model::{
    Address, Dependency, Manifest, PartNames, Requirement, ToolName, VersionRequirement,
};
use agpm_text::{Document, Edit, NodeKind, Pointer, Value};
use serde::Serialize;

use crate::manifest::EntryContext;
use crate::manifest::OfferOrigin;
use crate::manifest::edit;

/// An entry that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChangedResource {
    /// `TYPE/NAME`.
    pub id: String,
    /// The changes, as in `^1 -> v1.0.0` and `tools + gemini`.
    pub changes: Vec<String>,
}

/// A change of an entry, to be written.
#[derive(Clone, Debug)]
pub struct EntryChange {
    /// The entry.
    at: Pointer,
    /// The requirement that it has.
    before: String,
    /// Its new values; a key without one is removed.
    values: Vec<(&'static str, Option<Value>)>,
    /// The change as the report has it.
    pub report: ChangedResource,
}

impl EntryChange {
    /// The changes that bring an entry in line with what a command names; `None` if it is already.
    pub fn of(
        context: &EntryContext<'_>,
        found: &Dependency,
        manifest: &Manifest,
    ) -> Option<EntryChange> {
        let mut change = EntryChange::without_values(found);
        if matches!(context.origin, OfferOrigin::Source(_)) {
            change.require(found, context.requirement);
        }
        change.add_tools(found, context.options.tools, manifest);
        change.set_destination(found, context);
        change.choose_parts(found, context);
        (!change.values.is_empty()).then_some(change)
    }

    /// The change of a requirement; `None` if the entry has it already.
    pub fn of_requirement(
        found: &Dependency,
        required: &VersionRequirement,
    ) -> Option<EntryChange> {
        let mut change = EntryChange::without_values(found);
        change.require(found, Some(required));
        (!change.values.is_empty()).then_some(change)
    }

    fn without_values(found: &Dependency) -> EntryChange {
        EntryChange {
            at: Pointer::root()
                .child(found.kind.plural())
                .child(found.name.as_str()),
            before: String::new(),
            values: Vec::new(),
            report: ChangedResource {
                id: found.id().to_string(),
                changes: Vec::new(),
            },
        }
    }

    fn require(&mut self, found: &Dependency, required: Option<&VersionRequirement>) {
        let marketplace = found.marketplace.as_ref();
        let existing = marketplace.map_or(&found.requirement, |own| &own.requirement);
        let Some(required) = required.filter(|one| one.as_str() != existing.as_str()) else {
            return;
        };
        let required = required.as_str();
        let before = match existing {
            Requirement::Only => "no version",
            existing => existing.as_str(),
        };
        self.before = existing.as_str().to_owned();
        self.report.changes.push(format!("{before} -> {required}"));
        self.values.extend([
            ("version", Some(Value::from(required))),
            ("branch", None),
            ("rev", None),
        ]);
    }

    /// Adds tools to those that the entry has, which may be the defaults of its type.
    fn add_tools(&mut self, found: &Dependency, named: &[String], manifest: &Manifest) {
        let existing = match found.tools.as_slice() {
            [] => manifest.tools.defaults_for(found.kind),
            tools => tools,
        };
        let is_new = |tool: &&String| !existing.iter().any(|one| one.as_str() == tool.as_str());
        let new: Vec<&str> = named.iter().filter(is_new).map(String::as_str).collect();
        if new.is_empty() {
            return;
        }
        let all = existing.iter().map(ToolName::as_str).chain(new.clone());
        self.report
            .changes
            .push(format!("tools + {}", new.join(", ")));
        self.values
            .extend([("tool", None), ("tools", Some(Value::list(all)))]);
    }

    fn set_destination(&mut self, found: &Dependency, context: &EntryContext<'_>) {
        let options = &context.options;
        let pairs = [
            ("target", options.target, found.target.as_ref()),
            ("filename", options.filename, found.filename.as_ref()),
        ];
        for (key, named, existing) in pairs {
            let existing = existing.map(|path| path.as_str());
            if let Some(named) = named.filter(|named| existing != Some(*named)) {
                self.report.changes.push(format!("{key} = {named}"));
                self.values.push((key, Some(Value::from(named))));
            }
        }
    }

    fn choose_parts(&mut self, found: &Dependency, context: &EntryContext<'_>) {
        if context.options.names == PartNames::Prefixed && found.parts.names == PartNames::Own {
            self.report.changes.push("prefix = true".to_owned());
            self.values.push(("prefix", Some(Value::from(true))));
        }
        let parts = found.parts.exclude.iter().map(ToString::to_string);
        let matches = found.exclude.iter().map(|one| one.name.clone());
        let before: Vec<String> = parts.chain(matches).collect();
        let named = context.options.exclude.iter();
        let new: Vec<&String> = named.filter(|one| !before.contains(*one)).collect();
        if !new.is_empty() {
            let all = before.iter().chain(new.iter().copied()).map(String::as_str);
            let text: Vec<&str> = new.iter().map(|one| one.as_str()).collect();
            self.report
                .changes
                .push(format!("exclude + {}", text.join(", ")));
            self.values.push(("exclude", Some(Value::list(all))));
        }
    }

    /// The manifest with the change. An entry that is only a path becomes a table.
    pub fn applied_to(&self, document: &Document) -> Result<String, Failure> {
        let Some(node) = document.at(&self.at) else {
            return Ok(document.text().to_string());
        };
        match node.kind() {
            NodeKind::Map => self.edit_table(document),
            _ if Address::has_scheme(node.content()) => self.edit_url(document, node.content()),
            _ => {
                let set = self.values.iter();
                let set = set.filter_map(|(key, value)| Some((*key, value.clone()?)));
                let path = ("path", Value::from(node.content()));
                let value = Value::map([path].into_iter().chain(set));
                let at = self.at.clone();
                edit(document, &Edit::Set { at, value })
            }
        }
    }

    /// Changes the version of an entry that is a URL, which has no room for other settings.
    fn edit_url(&self, document: &Document, url: &str) -> Result<String, Failure> {
        let [("version", Some(version)), ("branch", None), ("rev", None)] = self.values.as_slice()
        else {
            return Err(self.no_room());
        };
        let before = format!("@{}", self.before);
        let bare = url.strip_suffix(before.as_str()).unwrap_or(url);
        let version = version.as_str().unwrap_or_default();
        let value = Value::from(format!("{bare}@{version}").as_str());
        let at = self.at.clone();
        edit(document, &Edit::Set { at, value })
    }

    fn edit_table(&self, document: &Document) -> Result<String, Failure> {
        let mut text = document.text().to_string();
        for (key, value) in &self.values {
            let document = crate::manifest::edit::parsed(text.clone());
            let at = self.at.child(*key);
            let exists = document.at(&at).is_some();
            let step = match value {
                Some(value) => Edit::Set {
                    at,
                    value: value.clone(),
                },
                None if exists => Edit::Remove { at },
                None => continue,
            };
            text = edit(&document, &step)?;
        }
        Ok(text)
    }

    /// The failure of an entry that is only a URL.
    fn no_room(&self) -> Failure {
        let id = &self.report.id;
        let message = format!("{id} is only a URL in the manifest, which has no other settings");
        let help = format!("run `agpm remove {id}`, and then this command again");
        Diagnostic::new(&codes::MANIFEST_VALUE, message)
            .help(help)
            .into()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::manifest::edit::parsed;

    fn changed(entry: &str, before: &str, values: Vec<(&'static str, Option<Value>)>) -> String {
        let change = EntryChange {
            at: Pointer::root().child("agents").child("a"),
            before: before.to_owned(),
            values,
            report: ChangedResource {
                id: "agents/a".to_owned(),
                changes: Vec::new(),
            },
        };
        let text = format!("[agents]\na = {entry} # mine\nb = \"b.md\"\n");
        match change.applied_to(&parsed(text)) {
            Ok(text) => text.lines().nth(1).unwrap_or_default().to_owned(),
            Err(failure) => failure.diagnostic.unwrap().message,
        }
    }

    #[test]
    fn every_form_of_an_entry_can_be_changed() {
        let version = || {
            let version = Some(Value::from("v1"));
            vec![("version", version), ("branch", None), ("rev", None)]
        };
        let tools = || {
            vec![
                ("tool", None),
                ("tools", Some(Value::list(["codex", "zed"]))),
            ]
        };
        assert_eq!(
            changed(
                "{ source = \"s\", path = \"a.md\", branch = \"dev\" }",
                "dev",
                version()
            ),
            "a = { source = \"s\", path = \"a.md\", version = \"v1\" } # mine"
        );
        assert_eq!(
            changed(
                "{ source = \"s\", path = \"a.md\", tool = \"zed\" }",
                "",
                tools()
            ),
            "a = { source = \"s\", path = \"a.md\", tools = [\"codex\", \"zed\"] } # mine"
        );
        assert_eq!(
            changed("\"./a.md\"", "", tools()),
            "a = { path = \"./a.md\", tools = [\"codex\", \"zed\"] } # mine"
        );
        assert_eq!(
            changed("\"github:o/r/a.md@^1\"", "^1", version()),
            "a = \"github:o/r/a.md@v1\" # mine"
        );
        assert_eq!(
            changed("\"github:o/r/a.md\"", "main", version()),
            "a = \"github:o/r/a.md@v1\" # mine"
        );
        assert!(changed("\"github:o/r/a.md\"", "main", tools()).contains("only a URL"));
    }
}
