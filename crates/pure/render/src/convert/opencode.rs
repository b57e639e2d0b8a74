//! OpenCode's agents: the bytes stay, but for fields that OpenCode does not take as Claude Code writes them.
//!
//! Tried with OpenCode itself: `tools` as a text or list, and colours by name, make it refuse its whole configuration.

use agpm_text::{Format, Kind, NodeRef, Value, to_value};

use super::agent_tools::names;
use super::front::document;
use super::{ConvertError, Converted, FateKind, Fates};

/// Claude Code's tools and the key of OpenCode's `permission` that stands for each.
const PERMISSIONS: &[(&[&str], &str)] = &[
    (&["Read", "NotebookRead"], "read"),
    (&["Write", "Edit", "MultiEdit", "NotebookEdit"], "edit"),
    (&["Bash", "BashOutput", "KillShell"], "bash"),
    (&["Grep"], "grep"),
    (&["Glob"], "glob"),
    (&["LS"], "list"),
    (&["WebFetch"], "webfetch"),
    (&["WebSearch"], "websearch"),
    (&["TodoWrite", "TodoRead"], "todowrite"),
    (&["Task", "Agent"], "task"),
    (&["Skill"], "skill"),
];

const COLOURS: [&str; 7] = ["primary", "secondary", "accent", "success", "warning", "error", "info"];

/// The text with what OpenCode would refuse said in its own way.
pub(super) fn convert(text: &str) -> Result<Converted, ConvertError> {
    let mut fates = Fates::default();
    let same = |fates: Fates| Converted { text: text.to_owned(), fates: fates.sorted() };
    // Front matter that does not read is not ours to mend.
    let Ok(document) = document(text, Format::Markdown) else { return Ok(same(fates)) };
    let Some(head) = document.root().filter(|head| head.kind() == Kind::Map) else { return Ok(same(fates)) };
    let mut fields: Vec<(String, Value)> =
        head.entries().map(|(key, value)| (key.content().to_owned(), to_value(value))).collect();
    let permission = permission(head, &mut fates);
    if !permission.is_empty() && head.get("permission").is_none() {
        fields.push(("permission".to_owned(), Value::Map(permission)));
    }
    fields.retain(|(key, value)| match key.as_str() {
        "tools" => matches!(value, Value::Map(_) | Value::Null),
        "color" => is_colour(value, &mut fates),
        _ => true,
    });
    tell_rest(head, &mut fates);
    let text = match document.rewrite(&Value::Map(fields)) {
        Ok(rewritten) => rewritten.to_string(),
        Err(error) => {
            return Err(ConvertError::new(error.to_string(), "write the front matter in a plainer way"));
        }
    };
    Ok(Converted { text, fates: fates.sorted() })
}

/// What Claude Code's limits come to in OpenCode's `permission`, and their fates.
fn permission(head: NodeRef<'_>, fates: &mut Fates) -> Vec<(String, Value)> {
    let mut out: Vec<(String, Value)> = Vec::new();
    let own = head.get("permission").is_some();
    let limit = |key: &str| head.get(key).filter(|node| !matches!(node.kind(), Kind::Map | Kind::Null));
    if let Some(tools) = limit("tools") {
        let (known, unknown) = keys(&names(&to_value(tools)));
        match own {
            true => fates.add("tools", FateKind::Dropped, "its own `permission` counts"),
            false if unknown.is_empty() => fates.add("tools", FateKind::Approximated, "as `permission`"),
            false => {
                let note = format!("as `permission`, without {}", unknown.join(", "));
                fates.add("tools", FateKind::Approximated, note);
            }
        }
        out.push(("*".to_owned(), "deny".into()));
        out.extend(known.into_iter().map(|key| (key, "allow".into())));
    }
    if let Some(forbidden) = limit("disallowedTools") {
        let (known, unknown) = keys(&names(&to_value(forbidden)));
        let kind = match own || !unknown.is_empty() {
            true => FateKind::Widened,
            false => FateKind::Approximated,
        };
        fates.add("disallowedTools", kind, "as `permission`, as far as OpenCode has the tools");
        out.retain(|(key, _)| !known.contains(key));
        out.extend(known.into_iter().map(|key| (key, "deny".into())));
    }
    out
}

/// OpenCode's keys for Claude Code's tools, and the tools that have none; one that is limited by a pattern has none.
fn keys(tools: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for tool in tools {
        let row = PERMISSIONS.iter().find(|(names, _)| names.contains(&tool.as_str()));
        let server = tool.strip_prefix("mcp__").map(|rest| rest.replace("__", "_"));
        match row.map(|(_, key)| (*key).to_owned()).or(server) {
            Some(key) if !known.contains(&key) => known.push(key),
            Some(_) => {}
            None => unknown.push(format!("`{tool}`")),
        }
    }
    (known, unknown)
}

fn is_colour(value: &Value, fates: &mut Fates) -> bool {
    let good = value.as_str().is_none_or(|colour| colour.starts_with('#') || COLOURS.contains(&colour));
    if !good {
        fates.add("color", FateKind::Dropped, "OpenCode takes `#rrggbb`, and few names");
    }
    good
}

/// What stays in the file and says nothing there.
fn tell_rest(head: NodeRef<'_>, fates: &mut Fates) {
    if head.get("permissionMode").and_then(NodeRef::as_str) == Some("plan") {
        fates.add("permissionMode", FateKind::Widened, "OpenCode limits an agent by `permission`");
    }
    if head.get("model").and_then(NodeRef::as_str).is_some_and(|model| !model.contains('/')) {
        fates.add("model", FateKind::Approximated, "OpenCode names models as `provider/model`");
    }
    let unread = [("hooks", FateKind::Widened), ("isolation", FateKind::Widened)];
    let narrower =
        ["mcpServers", "skills", "maxTurns", "memory", "effort"].map(|field| (field, FateKind::Dropped));
    for (field, kind) in unread.into_iter().chain(narrower) {
        if head.get(field).is_some() {
            fates.add(field, kind, "OpenCode does not read it");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(text: &str) -> (String, Vec<String>) {
        let converted = convert(text).unwrap_or_else(|error| panic!("{error}"));
        let fates = converted.fates.into_iter().map(|fate| format!("{} {:?}", fate.field, fate.kind));
        (converted.text, fates.collect())
    }

    #[test]
    fn what_opencode_takes_stays_to_the_byte() {
        for text in [
            "---\ndescription: d   # why\nmodel: a/b\ntools: {write: false}\ncolor: '#00ff00'\n---\nx\n",
            "---\nname: n\n---\n",
            "no head\n",
            "---\ndescription: one: two\n---\n",
        ] {
            assert_eq!(converted(text), (text.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn limits_become_permissions() {
        let text =
            "---\ndescription: d # why\ntools: Read, Grep, Bash(git:*)\nmodel: opus\ncolor: blue\n---\nx\n";
        let expected = "---\ndescription: d # why\nmodel: opus\npermission:\n  \"*\": deny\n  read: allow\n  grep: allow\n---\nx\n";
        let fates = ["color Dropped", "model Approximated", "tools Approximated"].map(str::to_owned);
        assert_eq!(converted(text), (expected.to_owned(), fates.to_vec()));
        let (text, fates) = converted("---\ndisallowedTools: [Write, Odd]\npermissionMode: plan\n---\n");
        assert!(text.contains("edit: deny"), "{text}");
        assert_eq!(fates, ["disallowedTools Widened", "permissionMode Widened"]);
    }
}
