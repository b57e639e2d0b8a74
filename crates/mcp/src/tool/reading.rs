//! `read`: one item with its content.

use agpm_catalog::EntryKind;
use rmcp::model::CallToolResult;
use serde_json::{Value as Json, json};

use crate::answer::{OperationFailure, ToolAnswer, succeeded};
use crate::kind::ItemKind;
use crate::protocol::error::PARAMETERS;

use crate::resources::{ResourceContent, content_of, entry};
use crate::shared::SharedState;
use crate::uri::ResourceUri;

pub(super) fn read(shared: &SharedState, kind: Option<ItemKind>, name: &str) -> ToolAnswer {
    let Some(kind) = kind else {
        return Ok(of_catalog(shared, None, name));
    };
    let address = match kind {
        ItemKind::Catalog(kind) => return Ok(of_catalog(shared, Some(kind), name)),
        ItemKind::Installed(Some(kind)) => ResourceUri::Installed(kind, name.to_owned()),
        ItemKind::Installed(None) => {
            let help = "add the type, as in `installed/agents`";
            return Err(PARAMETERS.with_help("`installed` needs a type", help));
        }
        other => ResourceUri::Named(other, name.to_owned()),
    };
    Ok(content_of(shared, &address).map(|content| answer(&kind.word(), name, &address, content)))
}

/// Reads a row of the catalog. The name may lack its module; the result has the full name.
fn of_catalog(
    shared: &SharedState,
    kind: Option<EntryKind>,
    name: &str,
) -> Result<CallToolResult, OperationFailure> {
    let (kind, content) = entry(shared, kind, name)?;
    let cell = |key: &str| {
        content
            .about
            .as_ref()
            .and_then(|about| about[key].as_str())
            .unwrap_or_default()
    };
    let uri = ResourceUri::Entry(kind, cell("module").to_owned(), cell("name").to_owned());
    Ok(answer(kind.singular(), name, &uri, content))
}

fn answer(kind: &str, name: &str, uri: &ResourceUri, content: ResourceContent) -> CallToolResult {
    let mut value = json!({ "ok": true, "kind": kind, "name": name, "mimeType": content.mime });
    if let Some(uri) = uri.uri() {
        value["uri"] = uri.into();
    }
    if let Some(about) = content.about {
        value["value"] = about;
    }
    let text = match String::from_utf8(content.bytes) {
        Ok(text) => {
            value["text"] = text.as_str().into();
            text
        }
        Err(error) => {
            let size = error.as_bytes().len();
            value["size"] = size.into();
            format!("{size} bytes of binary data; read them as a resource\n")
        }
    };
    value["diagnostics"] = Json::Array(content.diagnostics);
    succeeded(value, text)
}
