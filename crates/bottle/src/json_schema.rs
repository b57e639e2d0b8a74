//! The tables as JSON Schema, for editors.

use agpm_model::{FileSchema, ValueForm};
use agpm_text::Value;

use crate::kind::UnitKind;

/// The JSON Schema (draft 2020-12) of the front matter of a bottle or an agent.
pub fn json_schema(kind: UnitKind) -> Value {
    file_schema(kind).to_json_schema()
}

/// Returns the keys of a unit as data.
pub fn file_schema(kind: UnitKind) -> FileSchema {
    let about = match kind {
        UnitKind::Bottle => "The sandbox that agents run in",
        UnitKind::Agent => "An agent and the bottle that it runs in",
    };
    FileSchema {
        title: kind.word(),
        about,
        form: ValueForm::Table(kind.table()),
        definitions: &[],
    }
}
