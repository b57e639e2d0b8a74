//! The checksum of a node's value, in sixteen bytes.

use std::fmt;
use std::str::FromStr;

use agpm_model::{Checksum, ChecksumError};
use agpm_text::{NodeShape, TreeView};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest magnitude up to which floats represent every integer.
// Above it, two different integers can be the same float, so `1e20` and its neighbor must not be treated as equal.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The first half of a SHA-256, written as 32 digits: a ledger has thousands of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeSum(u128);

impl NodeSum {
    /// The checksum of a value, independent of key order and number spelling.
    pub fn of<'v>(view: impl TreeView<'v>) -> Self {
        let mut bytes = Vec::new();
        spell(view, &mut bytes);
        // Half a checksum: a ledger of 1,000 files with 20 nodes each stays at 1.2 MB, and a collision benefits nobody.
        NodeSum(Checksum::of(&bytes).first_half())
    }
}

/// Writes an unambiguous encoding of a value: a letter, and the length that follows.
fn spell<'v, V: TreeView<'v>>(view: V, out: &mut Vec<u8>) {
    match view.shape() {
        NodeShape::Null => out.push(b'n'),
        NodeShape::Bool(value) => out.push(if value { b't' } else { b'f' }),
        NodeShape::Integer(text) | NodeShape::Float(text) => {
            let number = canonical_number(view.shape());
            spell_text(b'#', number.as_deref().unwrap_or(text), out);
        }
        NodeShape::String(text) | NodeShape::DateTime(text) => spell_text(b's', text, out),
        NodeShape::List(count) => {
            spell_text(b'l', &count.to_string(), out);
            (0..count).for_each(|at| spell(view.item(at), out));
        }
        NodeShape::Map(count) => {
            spell_text(b'm', &count.to_string(), out);
            let mut entries: Vec<(&str, V)> = (0..count).map(|at| view.entry(at)).collect();
            entries.sort_by_key(|(key, _)| *key);
            for (key, value) in entries {
                spell_text(b'k', key, out);
                spell(value, out);
            }
        }
    }
}

fn spell_text(letter: u8, text: &str, out: &mut Vec<u8>) {
    out.push(letter);
    out.extend_from_slice(&text.len().to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

/// The number in a canonical spelling; `None` for integers that have only one spelling.
fn canonical_number(shape: NodeShape<'_>) -> Option<String> {
    let (NodeShape::Float(text) | NodeShape::Integer(text)) = shape else {
        return None;
    };
    let number: f64 = text.parse().ok()?;
    match shape {
        _ if number.fract() == 0.0 && number.abs() < LARGEST_EXACT => {
            Some((number as i64).to_string())
        }
        NodeShape::Float(_) => Some(number.to_string()),
        _ => None,
    }
}

impl FromStr for NodeSum {
    type Err = ChecksumError;

    fn from_str(text: &str) -> Result<Self, ChecksumError> {
        let good = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let number = good.then(|| u128::from_str_radix(text, 16).ok()).flatten();
        number.map(NodeSum).ok_or(ChecksumError)
    }
}

impl Serialize for NodeSum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'d> Deserialize<'d> for NodeSum {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        agpm_text::parsed(deserializer)
    }
}

impl fmt::Display for NodeSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for NodeSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
