//! The description of the tool, kept short because clients put it into every prompt.

use std::sync::Arc;

use agpm_model::RESOURCE_TYPES;
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value as Json, json};

use crate::options::WriteAccess;
use crate::paging::PAGE;
use crate::tool::arguments::OPERATIONS;

pub(crate) const NAME: &str = "agpm";

const READS: &str = "Look up agents, workflows, tasks, tools and skills of the catalog, installed packages, personas and \
bottles. Operations: `list` (kind, module, query, all, limit, cursor), `read` one by kind and name, `explain` where a value \
comes from (what, pointer) or what an error code means, `status` of the project, `plan` what an install would do.";
const WRITES: &str =
    " `install` installs the resources of the manifest, `update` updates locked versions (names).";

/// Every argument with its schema; those of writing operations come last.
fn properties(writes: WriteAccess) -> Map<String, Json> {
    let operations: Vec<&str> = OPERATIONS
        .iter()
        .filter(|row| row.is_for(writes))
        .map(|row| row.word)
        .collect();
    let text = |description: &str| json!({ "type": "string", "description": description });
    let types = RESOURCE_TYPES.map(|kind| kind.plural()).join(", ");
    let rows = [
        ("operation", json!({ "type": "string", "enum": operations })),
        (
            "kind",
            text(&format!(
                "agent, workflow, task, tool or skill of the catalog; `installed` or `installed/TYPE` ({types}); persona; \
                 bottle; bottle-agent"
            )),
        ),
        (
            "module",
            text("list: only rows of this module; read: of this one"),
        ),
        (
            "query",
            text("list: only rows that contain this in any field"),
        ),
        (
            "all",
            json!({ "type": "boolean", "description": "list: include shadowed catalog rows" }),
        ),
        (
            "limit",
            json!({ "type": "integer", "minimum": 1, "default": PAGE }),
        ),
        ("cursor", text("list: `nextCursor` of the page before")),
        ("name", text("read: NAME or MODULE/NAME")),
        (
            "what",
            text(
                "explain: TYPE:NAME, file:PATH, catalog:MODULE/NAME, profile:SLUG, bottle:NAME or an error code",
            ),
        ),
        (
            "pointer",
            text("explain: a JSON Pointer, as in `/permissions/allow/0`"),
        ),
    ];
    let mut all: Map<String, Json> = rows
        .into_iter()
        .map(|(key, schema)| (key.to_owned(), schema))
        .collect();
    if writes == WriteAccess::Allowed {
        let names = json!({ "type": "array", "items": { "type": "string" }, "description": "update: only these" });
        all.insert("names".to_owned(), names);
    }
    all
}

/// The tool as it is listed.
pub(crate) fn tool(writes: WriteAccess) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": properties(writes),
        "required": ["operation"],
        "additionalProperties": false,
    });
    let (description, only_reads) = match writes {
        WriteAccess::Refused => (READS.to_owned(), true),
        WriteAccess::Allowed => (format!("{READS}{WRITES}"), false),
    };
    let annotations = ToolAnnotations::with_title("Agent packages")
        .read_only(only_reads)
        .destructive(!only_reads)
        .idempotent(true)
        .open_world(!only_reads);
    let schema = schema.as_object().cloned().unwrap_or_default();
    Tool::new(NAME, description, Arc::new(schema)).with_annotations(annotations)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A token is at least three characters of such text; most are longer.
    #[test]
    fn the_schema_is_small() {
        for writes in [WriteAccess::Refused, WriteAccess::Allowed] {
            let text = serde_json::to_string(&tool(writes)).unwrap();
            assert!(text.len() < 3000, "{} characters", text.len());
            assert_eq!(text.contains("\"install\""), writes == WriteAccess::Allowed);
        }
    }
}
