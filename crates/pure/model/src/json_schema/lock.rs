//! `agpm.lock`. Keys of other programs pass, as they do when it is read.

use agpm_text::Value;

use crate::json_schema::{
    Key, WORD, document, extended, list_of, matching, of_type, reference, required, table,
};
use crate::lock::{LOCK, LOCKED, LOCKED_LAYER, LOCKED_REMOTE, LOCKED_SOURCE, VERSION};
use crate::resource::{RESOURCE_TYPES, ResourceType};
use crate::schema::Schema;

const COMMIT: &str = "^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$";
const CHECKSUM: &str = "^sha256:[0-9a-fA-F]{64}$";

/// The schema of a lockfile.
pub fn lock_schema() -> Value {
    let version = Value::map([("const", VERSION.into())]);
    let body = open(
        &LOCK,
        vec![
            ("version", "The version of the format.", version),
            (
                "sources",
                "The sources in use, by name.",
                list_of(reference("source")),
            ),
            (
                "layers",
                "The layers, lowest first.",
                list_of(reference("layer")),
            ),
            (
                "catalog",
                "The remotes of the catalog, highest first.",
                list_of(reference("remote")),
            ),
        ],
    );
    let resources = RESOURCE_TYPES.map(|kind| {
        let entry = if kind == ResourceType::McpServers {
            "entry"
        } else {
            "file"
        };
        (kind.plural(), list_of(reference(entry)))
    });
    let body = with_properties(extended(body, required(&["version"])), resources);
    let file = extended(reference("entry"), required(&["path"]));
    let definitions = vec![
        ("source", source()),
        ("layer", layer()),
        ("remote", remote()),
        ("entry", entry()),
        ("file", file),
    ];
    document(
        "agpm.lock",
        "What was resolved, so that the next one gets the same.",
        body,
        definitions,
    )
}

fn source() -> Value {
    let keys = vec![
        ("name", "Its name in the manifest.", of_type("string")),
        ("url", "Its address, without secrets.", of_type("string")),
    ];
    extended(open(&LOCKED_SOURCE, keys), required(&["name"]))
}

fn layer() -> Value {
    let keys = vec![
        ("name", "Its name in the manifest.", of_type("string")),
        (
            "source",
            "The source that it is a version of.",
            of_type("string"),
        ),
        ("requirement", "What was asked for.", of_type("string")),
        (
            "version",
            "The tag or branch, or the commit as it was asked for.",
            of_type("string"),
        ),
        ("resolved_commit", "The commit.", matching(COMMIT)),
        (
            "checksum",
            "Of all its files that count.",
            matching(CHECKSUM),
        ),
    ];
    let pin = Value::list(["requirement", "version", "resolved_commit"]);
    let pinned = Value::map([("dependentRequired", Value::map([("source", pin)]))]);
    extended(
        extended(open(&LOCKED_LAYER, keys), required(&["name", "checksum"])),
        pinned,
    )
}

fn remote() -> Value {
    let keys = vec![
        (
            "remote",
            "What was asked for, without secrets.",
            matching(WORD),
        ),
        (
            "version",
            "The branch or tag, or the commit as it was asked for.",
            matching(WORD),
        ),
        ("resolved_commit", "The commit.", matching(COMMIT)),
    ];
    extended(
        open(&LOCKED_REMOTE, keys),
        required(&["remote", "version", "resolved_commit"]),
    )
}

fn entry() -> Value {
    let keys = vec![
        (
            "name",
            "The manifest's key, or the name that follows from the path.",
            of_type("string"),
        ),
        (
            "manifest_alias",
            "The manifest's key of the pattern that it matched.",
            of_type("string"),
        ),
        ("pattern", "That pattern.", of_type("string")),
        (
            "source",
            "The source that it comes from.",
            of_type("string"),
        ),
        (
            "path",
            "Where it is in the source, or on this machine.",
            of_type("string"),
        ),
        ("requirement", "What was asked for.", of_type("string")),
        (
            "version",
            "The tag or branch, or the commit as it was asked for.",
            of_type("string"),
        ),
        ("resolved_commit", "The commit.", of_type("string")),
        ("checksum", "Of the bytes in the source.", of_type("string")),
        ("installed_at", "Where it is installed.", of_type("string")),
        ("tool", "The tool that it is for.", of_type("string")),
        (
            "dependencies",
            "What it needs, as `TYPE/NAME@VERSION`.",
            list_of(of_type("string")),
        ),
        (
            "patches",
            "The fields that patches set.",
            list_of(of_type("string")),
        ),
        (
            "private_patches",
            "Those of them that are set for one user only.",
            list_of(of_type("string")),
        ),
        (
            "install",
            "`false` if it is resolved only.",
            of_type("boolean"),
        ),
    ];
    extended(open(&LOCKED, keys), required(&["name"]))
}

/// A table that may have other keys too.
fn open(schema: &Schema, keys: Vec<Key>) -> Value {
    match table(schema, keys) {
        Value::Map(entries) => Value::Map(
            entries
                .into_iter()
                .filter(|(key, _)| key != "additionalProperties")
                .collect(),
        ),
        other => other,
    }
}

fn with_properties<const N: usize>(mut table: Value, more: [(&'static str, Value); N]) -> Value {
    if let Value::Map(entries) = &mut table {
        for (_, properties) in entries.iter_mut().filter(|(key, _)| key == "properties") {
            *properties = extended(
                std::mem::replace(properties, Value::Null),
                Value::map(more.clone()),
            );
        }
    }
    table
}
