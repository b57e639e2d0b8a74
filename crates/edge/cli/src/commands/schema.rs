use agpm_ops::{PERSONA_SCHEMA, UnitKind, unit_schema};
use agpm_text::Value;

use crate::args::SchemaOf;

/// The schema, bare with and without `--json`: it is JSON anyway.
pub(crate) fn of(what: SchemaOf) -> Value {
    match what {
        SchemaOf::Manifest => agpm_model::MANIFEST_SCHEMA.to_json_schema(),
        SchemaOf::Lock => agpm_model::LOCK_SCHEMA.to_json_schema(),
        SchemaOf::Policy => agpm_model::POLICY_SCHEMA.to_json_schema(),
        SchemaOf::Persona => PERSONA_SCHEMA.to_json_schema(),
        SchemaOf::Bottle => unit_schema(UnitKind::Bottle),
        SchemaOf::Agent => unit_schema(UnitKind::Agent),
    }
}
