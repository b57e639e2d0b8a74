//! `version`, `branch` and `rev`: the required version of a source.

use agpm_text::NodeRef;

use crate::check::Check;
use crate::version::{DEFAULT_VERSION, Requirement, VersionRequirement, is_ref_name};

/// Keys that have a meaning only next to a `source`.
pub(crate) const ONLY_WITH_SOURCE: [&str; 3] = ["version", "branch", "rev"];

impl Check {
    /// A commit takes precedence over a branch, and a branch over a version.
    pub(crate) fn requirement(&mut self, table: NodeRef<'_>) -> Requirement {
        let version = table
            .get("version")
            .and_then(|node| self.version_requirement(node));
        let branch = table.get("branch").and_then(|node| self.branch(node));
        let rev = table.get("rev").and_then(|node| self.rev(node));
        let origin = table.get("source").or_else(|| table.get("marketplace"));
        match (origin, rev, branch, version) {
            (None, ..) => Requirement::Only,
            (_, Some(rev), ..) => Requirement::Rev(rev),
            (_, _, Some(branch), _) => Requirement::Branch(branch),
            (_, _, _, Some(version)) => Requirement::Version(version),
            _ => Requirement::Version(
                VersionRequirement::parse(DEFAULT_VERSION).expect("a good name"),
            ),
        }
    }

    /// Reports versions of something that has none.
    pub(crate) fn no_versions(&mut self, table: NodeRef<'_>, what: &str) {
        for key in ONLY_WITH_SOURCE {
            if let Some(node) = table.get(key) {
                let message = format!("{what} on this machine has no `{key}`");
                self.bad_value(node, message, "add `source`, or remove this key");
            }
        }
    }

    fn version_requirement(&mut self, node: NodeRef<'_>) -> Option<VersionRequirement> {
        let text = self.string(node, "`version`")?;
        let help = "write a tag such as `v1.2.0`, a range such as `^1.2` or `>=1.0, <2`, `latest`, or a branch";
        VersionRequirement::parse(text)
            .map_err(|error| self.bad_value(node, error.to_string(), help))
            .ok()
    }

    fn branch(&mut self, node: NodeRef<'_>) -> Option<String> {
        let text = self.string(node, "`branch`")?;
        if !is_ref_name(text) {
            self.bad_value(
                node,
                format!("`{text}` cannot be a branch"),
                "name a branch of the source",
            );
        }
        is_ref_name(text).then(|| text.to_owned())
    }

    fn rev(&mut self, node: NodeRef<'_>) -> Option<String> {
        let text = self.string(node, "`rev`")?;
        let good = (4..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
        if !good {
            let message = format!("`{text}` is not a commit");
            self.bad_value(
                node,
                message,
                "write a commit id, or at least its first four digits",
            );
        }
        good.then(|| text.to_ascii_lowercase())
    }
}
