//! Serializes reports and internal state with serde.

use std::fmt::{self, Display};
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{self, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::tree::{Number, Pointer, Value};

/// Serializes to JSON, indented by two spaces, with a final newline, like [`Value::to_json`].
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    let mut text = serde_json::to_string_pretty(value)
        .expect("what the program says has strings for keys, and no part of it fails");
    text.push('\n');
    text
}

/// The reason why an internal file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OwnFileError {
    /// A newer program wrote it: it is valid and must stay unchanged.
    #[error("it was written by a newer version of agpm")]
    Newer,
    /// No version wrote it.
    #[error("{0}")]
    Broken(String),
}

/// Parses the output of [`to_json`], where `VERSION` is that of its [`FormatVersion`].
pub fn from_json<'b, T: Deserialize<'b>, const VERSION: u32>(
    bytes: &'b [u8],
) -> Result<T, OwnFileError> {
    #[derive(serde::Deserialize)]
    struct AnyVersion {
        version: u32,
    }
    serde_json::from_slice(bytes).map_err(|error| {
        match serde_json::from_slice::<AnyVersion>(bytes) {
            Ok(any) if any.version > VERSION => OwnFileError::Newer,
            _ => OwnFileError::Broken(error.to_string()),
        }
    })
}

/// The field `version` of an internal file. A new format has the next number, and its reader gets a function that
/// converts the previous format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FormatVersion<const VERSION: u32>;

impl<const VERSION: u32> Serialize for FormatVersion<VERSION> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(VERSION)
    }
}

impl<'d, const VERSION: u32> Deserialize<'d> for FormatVersion<VERSION> {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            version if version == VERSION => Ok(FormatVersion),
            other => Err(de::Error::custom(format!("its version is {other}"))),
        }
    }
}

/// Deserializes a value from a string, for types that cannot hold every string.
pub fn parsed<'d, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'d>,
{
    struct Spelled<T>(PhantomData<T>);

    impl<T: FromStr<Err: Display>> Visitor<'_> for Spelled<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
            text.parse().map_err(E::custom)
        }
    }
    deserializer.deserialize_str(Spelled(PhantomData))
}

/// Serializes pairs as an object in their order; for `serialize_with`.
pub fn pairs<K: Serialize, V: Serialize, S: Serializer>(
    pairs: &[(K, V)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(key, value)| (key, value)))
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Number(number) => number.serialize(serializer),
            Value::String(text) | Value::DateTime(text) => serializer.serialize_str(text),
            Value::List(items) => serializer.collect_seq(items),
            Value::Map(entries) => pairs(entries, serializer),
        }
    }
}

impl Serialize for Number {
    /// Digit by digit: a number in a user's file may exceed the machine's number types.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !self.is_finite() {
            // JSON cannot represent these.
            return serializer.serialize_str(self.as_str());
        }
        RawValue::from_string(self.as_str().to_owned())
            .map_err(ser::Error::custom)?
            .serialize(serializer)
    }
}

impl<'d> Deserialize<'d> for Pointer {
    fn deserialize<D: Deserializer<'d>>(deserializer: D) -> Result<Self, D::Error> {
        parsed(deserializer)
    }
}

impl Serialize for Pointer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Format, parse_alone, to_value};

    fn read(text: &str, format: Format) -> Value {
        to_value(parse_alone(text, format).document.root().unwrap())
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let number = prop_oneof![
            any::<i64>().prop_map(|number| number.to_string()),
            Just("1.10".to_owned()),
            Just("6.02e23".to_owned()),
            Just("123456789012345678901234567890".to_owned()),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            number.prop_map(|text| read(&text, Format::Json)),
            any::<String>().prop_map(Value::String),
            "[\\x00-\\x1f\"\\\\\\x7fäé🦀]{0,9}".prop_map(Value::String),
            Just(Value::DateTime("2026-01-01T00:00:00Z".to_owned())),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
                prop::collection::vec((any::<String>(), inner), 0..6).prop_map(Value::Map),
            ]
        })
    }

    proptest! {
        #[test]
        fn both_printers_give_the_same_bytes(value in any_value()) {
            prop_assert_eq!(to_json(&value), value.to_json());
        }
    }

    #[test]
    fn fields_keep_their_order_and_pointers_are_strings() {
        #[derive(serde::Serialize)]
        struct Report {
            z: Vec<usize>,
            a: Option<Pointer>,
            none: Option<u8>,
            empty: Vec<Value>,
        }
        let report = Report {
            z: vec![1],
            a: Some(Pointer::root().child("a/b").child("~")),
            none: None,
            empty: Vec::new(),
        };
        let text = "{\n  \"z\": [\n    1\n  ],\n  \"a\": \"/a~1b/~0\",\n  \"none\": null,\n  \"empty\": []\n}\n";
        assert_eq!(to_json(&report), text);
    }

    #[test]
    fn a_file_of_a_newer_version_is_reported_from_a_broken_one() {
        #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        struct File {
            version: FormatVersion<2>,
            names: Vec<String>,
        }
        let file = File {
            version: FormatVersion,
            names: vec!["a".to_owned()],
        };
        let text = to_json(&file);
        assert_eq!(from_json::<File, 2>(text.as_bytes()), Ok(file));
        let newer = r#"{"version": 3, "names": {"a": 1}}"#;
        assert_eq!(
            from_json::<File, 2>(newer.as_bytes()),
            Err(OwnFileError::Newer)
        );
        for broken in ["", "{}", "[]", r#"{"version": 1}"#, r#"{"version": 2}"#] {
            let read = from_json::<File, 2>(broken.as_bytes());
            assert!(matches!(read, Err(OwnFileError::Broken(_))), "{broken}");
        }
    }

    #[test]
    fn numbers_that_json_lacks_are_strings() {
        let table = read("a = -inf", Format::Toml);
        assert_eq!(to_json(&table), "{\n  \"a\": \"-inf\"\n}\n");
    }
}
