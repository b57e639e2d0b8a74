//! Names of JSON Schemas: kinds of files, and the JSON of commands.

use std::str::FromStr;

use agpm_bottle::{UnitKind, json_schema as unit_schema};
use agpm_diag::nearest;
use agpm_persona::PERSONA_SCHEMA;
use agpm_report::outputs::{output_commands, output_schema};
use agpm_text::Value;

/// A file that has a schema.
struct FileSchemaRow {
    name: &'static str,
    make: fn() -> Value,
}

const FILES: [FileSchemaRow; 6] = [
    FileSchemaRow {
        name: "manifest",
        make: || agpm_model::MANIFEST_SCHEMA.to_json_schema(),
    },
    FileSchemaRow {
        name: "lock",
        make: || agpm_model::LOCK_SCHEMA.to_json_schema(),
    },
    FileSchemaRow {
        name: "policy",
        make: || agpm_model::POLICY_SCHEMA.to_json_schema(),
    },
    FileSchemaRow {
        name: "bottle",
        make: || unit_schema(UnitKind::Bottle),
    },
    FileSchemaRow {
        name: "agent",
        make: || unit_schema(UnitKind::Agent),
    },
    FileSchemaRow {
        name: "persona",
        make: || PERSONA_SCHEMA.to_json_schema(),
    },
];

/// The prefix of a command's name.
const OUTPUT: &str = "output/";

/// The name of a schema as typed: a kind of file, or `output/COMMAND`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaName(String);

impl SchemaName {
    /// Returns all names. The words of a command are joined by `/`.
    pub(crate) fn all() -> Vec<SchemaName> {
        let files = FILES.iter().map(|file| file.name.to_owned());
        let outputs = output_commands().into_iter();
        let outputs = outputs.map(|command| format!("{OUTPUT}{}", command.replacen(' ', "/", 1)));
        files.chain(outputs).map(SchemaName).collect()
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Prints the schema, with and without `--json` the same, because it is JSON.
    pub(crate) fn schema(&self) -> Value {
        let file = FILES.iter().find(|file| file.name == self.0);
        let output = || {
            let words = self.0.strip_prefix(OUTPUT)?;
            output_schema(&words.replacen('/', " ", 1))
        };
        let schema = file.map(|file| (file.make)()).or_else(output);
        schema.expect("a name that was read is one of those that have a schema")
    }
}

impl FromStr for SchemaName {
    type Err = String;

    /// Accepts a space or a hyphen between the words of a command too.
    fn from_str(text: &str) -> Result<Self, String> {
        let all = SchemaName::all();
        let named = |text: &str| all.iter().find(|name| name.0 == text).cloned();
        let joined = |text: &str| text.replacen([' ', '-'], "/", 1);
        let found = named(text).or_else(|| named(&joined(text)));
        found.ok_or_else(|| {
            let names = all.iter().map(SchemaName::as_str);
            match nearest(text, names) {
                Some(near) => format!("did you mean `{near}`?"),
                // All forty names would hide the six common ones.
                None => {
                    let files: Vec<String> = FILES
                        .iter()
                        .map(|file| format!("`{}`", file.name))
                        .collect();
                    format!("use {} or `{OUTPUT}COMMAND`", files.join(", "))
                }
            }
        })
    }
}
