use agpm_diag::did_you_mean;
use agpm_text::NodeRef;

/// Which keys a kind of map knows.
#[derive(Clone, Copy, Debug)]
pub struct Schema {
    /// What the map is called in messages.
    pub what: &'static str,
    /// Keys with a meaning here.
    pub owned: &'static [&'static str],
    /// Keys that belong to others and pass unread.
    pub passthrough: &'static [Passthrough],
    /// Whether keys that start with `x-` pass.
    pub extensions: bool,
}

/// A named list of keys that another program owns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passthrough {
    /// Whose keys these are, and of when.
    pub name: &'static str,
    /// The keys.
    pub keys: &'static [&'static str],
}

/// What a schema says of one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyClass {
    /// It has a meaning here.
    Owned,
    /// It is on the compatibility list of this name.
    Passthrough(&'static str),
    /// It starts with `x-`.
    Extension,
    /// It is a mistake.
    Unknown,
}

impl Schema {
    /// A schema of owned keys only.
    pub const fn strict(what: &'static str, owned: &'static [&'static str]) -> Self {
        Schema {
            what,
            owned,
            passthrough: &[],
            extensions: false,
        }
    }

    /// The keys of a map that are mistakes, each with what it was probably meant to be.
    pub fn unknown_keys<'n>(
        &self,
        map: NodeRef<'n>,
    ) -> impl Iterator<Item = (NodeRef<'n>, Option<String>)> {
        let unknown = map
            .entries()
            .map(|(key, _)| key)
            .filter(|key| self.classify(key.content()) == KeyClass::Unknown);
        unknown.map(|key| {
            (
                key,
                did_you_mean(key.content(), "its keys are", self.owned.iter().copied()),
            )
        })
    }

    /// What this schema says of `key`.
    pub fn classify(&self, key: &str) -> KeyClass {
        if self.owned.contains(&key) {
            return KeyClass::Owned;
        }
        if let Some(list) = self
            .passthrough
            .iter()
            .find(|list| list.keys.contains(&key))
        {
            return KeyClass::Passthrough(list.name);
        }
        if self.extensions && key.starts_with("x-") {
            KeyClass::Extension
        } else {
            KeyClass::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_owned_passed_extended_or_unknown() {
        const SCHEMA: Schema = Schema {
            what: "agent",
            owned: &["bottle"],
            passthrough: &[Passthrough {
                name: "claude-code 2.1",
                keys: &["model"],
            }],
            extensions: true,
        };
        assert_eq!(SCHEMA.classify("bottle"), KeyClass::Owned);
        assert_eq!(
            SCHEMA.classify("model"),
            KeyClass::Passthrough("claude-code 2.1")
        );
        assert_eq!(SCHEMA.classify("x-mine"), KeyClass::Extension);
        assert_eq!(SCHEMA.classify("modle"), KeyClass::Unknown);
    }
}
