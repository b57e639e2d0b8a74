//! What a node says, in sixteen bytes.

use std::fmt;
use std::str::FromStr;

use agpm_model::{Checksum, ChecksumError};
use agpm_text::{Shape, Value, View, to_value};

/// Below it floats hold every whole number.
const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// The first half of a SHA-256, written as 32 digits: a ledger has thousands of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeSum(u128);

impl NodeSum {
    /// The same for equal values, whatever the order of keys and the spelling of numbers.
    pub(super) fn of<'v>(view: impl View<'v>) -> Self {
        NodeSum(Checksum::of(canonical(to_value(view)).to_json().as_bytes()).first_half())
    }
}

fn canonical(value: Value) -> Value {
    match value {
        Value::Map(mut entries) => {
            entries.sort_by(|(left, _), (right, _)| left.cmp(right));
            Value::map(entries.into_iter().map(|(key, value)| (key, canonical(value))))
        }
        Value::List(items) => Value::list(items.into_iter().map(canonical)),
        Value::Number(_) => canonical_number(&value).unwrap_or(value),
        other => other,
    }
}

/// The value whatever its spelling: whole ones as whole numbers, others in a form that no text has.
fn canonical_number(value: &Value) -> Option<Value> {
    let (Shape::Float(text) | Shape::Integer(text)) = value.shape() else { return None };
    let number: f64 = text.parse().ok()?;
    match value.shape() {
        _ if number.fract() == 0.0 && number.abs() < LARGEST_EXACT => Some(Value::from(number as i64)),
        Shape::Float(_) => Some(Value::map([("float", Value::from(number.to_string()))])),
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
