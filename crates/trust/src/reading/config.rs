//! Configuration files of tools.

use agpm_diag::has_errors;
use agpm_model::Checksum;
use agpm_text::{Format, Pointer, Value, parse_alone, to_value};
use agpm_tools::{COMMON_KEYS, ConfigKey, config_file, is_of_tool_directory};

use super::keys::{KeyPlace, UnknownKeys};
use super::{CapabilityReader, CapabilityReading};

/// The capabilities of a configuration file of a tool; `None` if no tool has such a file.
pub fn read_config(path: &str, bytes: &[u8]) -> Option<CapabilityReading> {
    Some(read_rows(path, bytes, config_file(path)?.keys))
}

/// The capabilities of a file that no table knows: hooks and servers are treated as such. Other keys are data, unless
/// the file is where a tool keeps its configuration.
pub fn read_foreign_config(path: &str, bytes: &[u8]) -> CapabilityReading {
    let mut reader = CapabilityReader::new(None);
    let unknown = if is_of_tool_directory(path) {
        UnknownKeys::NeedApproval
    } else {
        UnknownKeys::Free
    };
    if let Some(value) = value_of(path, bytes) {
        let root = Pointer::root();
        reader.read_keys(&value, COMMON_KEYS, unknown, &KeyPlace::top(&root));
    }
    reader.finish()
}

/// The capabilities of a part of a configuration file: some of its keys, in the objects that they are in.
pub fn read_config_value(path: &str, value: &Value) -> CapabilityReading {
    let mut reader = CapabilityReader::new(None);
    let (keys, unknown) = match config_file(path) {
        Some(file) => (file.keys, UnknownKeys::NeedApproval),
        None => (COMMON_KEYS, UnknownKeys::Free),
    };
    let root = Pointer::root();
    reader.read_keys(value, keys, unknown, &KeyPlace::top(&root));
    reader.finish()
}

fn read_rows(path: &str, bytes: &[u8], keys: &[ConfigKey]) -> CapabilityReading {
    let mut reader = CapabilityReader::new(None);
    let root = Pointer::root();
    match value_of(path, bytes) {
        Some(value) => {
            let place = KeyPlace::top(&root);
            reader.read_keys(&value, keys, UnknownKeys::NeedApproval, &place);
        }
        // A format of the tool's own, or one that only the tool understands.
        None => reader.sets(path, &Checksum::of(bytes).to_string(), &root),
    }
    reader.finish()
}

/// The value of a structured file; `None` if it cannot be read.
fn value_of(path: &str, bytes: &[u8]) -> Option<Value> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let format = match Format::of_file(name)? {
        Format::Json | Format::Jsonc => Format::Jsonc,
        format @ (Format::Yaml | Format::Toml) => format,
        Format::Markdown | Format::Csv => return None,
    };
    let text = String::from_utf8_lossy(bytes);
    let parsed = parse_alone(text.into_owned(), format);
    let value = parsed.document.root().map(to_value).unwrap_or(Value::Null);
    (!has_errors(&parsed.diagnostics)).then_some(value)
}
