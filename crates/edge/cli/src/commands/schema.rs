use agpm_ops::{UnitKind, unit_schema};
use agpm_text::Value;

use crate::args::SchemaOf;

/// The schema, bare with and without `--json`: it is JSON anyway.
pub(crate) fn of(what: SchemaOf) -> Value {
    match what {
        SchemaOf::Manifest => agpm_model::manifest_schema(),
        SchemaOf::Lock => agpm_model::lock_schema(),
        SchemaOf::Policy => agpm_model::policy_schema(),
        SchemaOf::Bottle => unit_schema(UnitKind::Bottle),
        SchemaOf::Agent => unit_schema(UnitKind::Agent),
    }
}
