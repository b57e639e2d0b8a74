//! The kinds of items that can be listed and read: the values of the tool's `kind`.

use agpm_catalog::EntryKind;
use agpm_model::ResourceType;

/// A kind of item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    /// Rows of the catalog.
    Catalog(EntryKind),
    /// Installed resources: of one type, or of all.
    Installed(Option<ResourceType>),
    /// Personas.
    Persona,
    /// Bottles.
    Bottle,
    /// Agents that run in bottles.
    BottleAgent,
}

/// The word for installed resources.
pub(crate) const INSTALLED: &str = "installed";
const OTHERS: [(&str, &str, ItemKind); 3] = [
    ("persona", "personas", ItemKind::Persona),
    ("bottle", "bottles", ItemKind::Bottle),
    ("bottle-agent", "bottle-agents", ItemKind::BottleAgent),
];

impl ItemKind {
    /// The kind of that word, singular or plural.
    pub(crate) fn named(word: &str) -> Option<Self> {
        if let Some(inner) = word.strip_prefix(INSTALLED) {
            return match inner.strip_prefix('/') {
                None => inner.is_empty().then_some(ItemKind::Installed(None)),
                Some(inner) => {
                    ResourceType::named(inner).map(|kind| ItemKind::Installed(Some(kind)))
                }
            };
        }
        // The command line calls a persona a profile.
        let word = if matches!(word, "profile" | "profiles") {
            "persona"
        } else {
            word
        };
        let other = OTHERS
            .iter()
            .find(|(one, many, _)| *one == word || *many == word);
        other
            .map(|(.., kind)| *kind)
            .or_else(|| EntryKind::read(word).map(ItemKind::Catalog))
    }

    /// The word for the kind.
    pub(crate) fn word(self) -> String {
        match self {
            ItemKind::Catalog(kind) => kind.singular().to_owned(),
            ItemKind::Installed(None) => INSTALLED.to_owned(),
            ItemKind::Installed(Some(kind)) => format!("{INSTALLED}/{kind}"),
            other => OTHERS
                .iter()
                .find(|(.., kind)| *kind == other)
                .map_or("", |(word, ..)| word)
                .to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_mean_kinds_and_kinds_have_words() {
        let words = [
            "agent",
            "skill",
            "installed",
            "installed/mcp-servers",
            "persona",
            "bottle",
            "bottle-agent",
        ];
        for word in words {
            assert_eq!(
                ItemKind::named(word).map(ItemKind::word).as_deref(),
                Some(word)
            );
        }
        assert_eq!(ItemKind::named("agents"), ItemKind::named("agent"));
        assert_eq!(
            ItemKind::named("installed/agent"),
            ItemKind::named("installed/agents")
        );
        for wrong in [
            "",
            "installedx",
            "installed/",
            "installed/task",
            "Agent",
            "../agent",
        ] {
            assert_eq!(ItemKind::named(wrong), None, "{wrong}");
        }
    }
}
