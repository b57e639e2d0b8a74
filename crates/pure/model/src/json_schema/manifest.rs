//! `agpm.toml`.

use agpm_text::Value;

use crate::json_schema::{
    Key, WORD, any_of, by_word, described, document, extended, list_of, matching, named, of_type,
    reference, relative_path, required, strategies, table, table_without, without, words_or_own,
};
use crate::manifest::{
    CATALOG, DEPENDENCY, LAYER, LINEAGE, MANIFEST_SECTIONS, ONLY_WITH_SOURCE, RESOURCE,
    SERVER_KEYS, TOOL,
};
use crate::resource::{RESOURCE_TYPES, ResourceType};
use crate::tool::Tools;

/// The schema of a manifest.
pub fn manifest_schema() -> Value {
    let keys = SECTIONS
        .iter()
        .map(|(name, says, value)| (*name, *says, value()));
    let resources = RESOURCE_TYPES.map(|kind| (kind.plural(), says_of(kind), resources(kind)));
    let body = table(&MANIFEST_SECTIONS, keys.chain(resources).collect());
    let mut definitions = vec![
        ("dependency", dependency()),
        ("mcp-server", server()),
        ("layer", layer()),
        ("tool", tool()),
        ("tool-name", tool_name()),
        ("tool-place", tool_place()),
        ("version", version()),
    ];
    definitions.extend(strategies::definitions());
    let says = "What a project or a user wants to have installed, and from where.";
    document("agpm.toml", says, body, definitions)
}

/// A section: its name, what it says, and what it must be.
type Section = (&'static str, &'static str, fn() -> Value);

/// The sections besides those of resources.
const SECTIONS: &[Section] = &[
    (
        "sources",
        "Places that packages come from, by name: an address as git takes it, or a folder.",
        || named(matching(WORD)),
    ),
    (
        "project",
        "Free variables for templates, which know them as `agpm.project`.",
        || of_type("object"),
    ),
    (
        "default-tools",
        "The tool that each kind of resource is for, unless its entry says otherwise.",
        || by_word(kinds(), |_| reference("tool-name")),
    ),
    (
        "tools",
        "Changes to the tools that are known, and tools of your own.",
        || named(reference("tool")),
    ),
    (
        "patch",
        "Fields that are set in resources, by kind and name.",
        || by_word(kinds(), |_| named(of_type("object"))),
    ),
    (
        "layers",
        "Places that contribute files, lowest rank first; the highest rank wins.",
        || list_of(reference("layer")),
    ),
    (
        "merge",
        "How files of several layers merge, by file name, path or pattern.",
        strategies::merge,
    ),
    (
        "strategies",
        "Merge strategies of your own, by name.",
        strategies::own,
    ),
    ("catalog", "What the catalog is made of.", || {
        let says =
            "Repositories that contribute, highest rank first: `NAME|git+URL[#REF][:/FOLDER]`.";
        table(&CATALOG, vec![("remotes", says, list_of(matching(WORD)))])
    }),
    ("lineage", "What holds for personas.", || {
        let says = "The document that active personas have to inherit, from the manifest's folder.";
        table(&LINEAGE, vec![("root", says, of_type("string"))])
    }),
    (
        "allow-executables",
        "What may bring programs along: patterns over `TYPE/NAME`, or `source:NAME`.",
        || list_of(of_type("string")),
    ),
];

fn kinds() -> [&'static str; RESOURCE_TYPES.len()] {
    RESOURCE_TYPES.map(ResourceType::plural)
}

fn says_of(kind: ResourceType) -> &'static str {
    match kind {
        ResourceType::Agents => "Agents: Markdown files that describe one.",
        ResourceType::Snippets => "Snippets: texts that others include.",
        ResourceType::Commands => "Slash commands.",
        ResourceType::Scripts => "Programs, such as those that hooks call.",
        ResourceType::Hooks => "Hooks, merged into the files of their tool.",
        ResourceType::McpServers => "MCP servers, merged into the files of their tool.",
        ResourceType::Skills => "Skills: folders with a `SKILL.md`.",
    }
}

fn resources(kind: ResourceType) -> Value {
    let table = if kind == ResourceType::McpServers {
        "mcp-server"
    } else {
        "dependency"
    };
    let path = described(
        "The path of a local file or folder, or a pattern.",
        matching(WORD),
    );
    named(any_of([path, reference(table)]))
}

fn dependency() -> Value {
    let only_servers: Vec<&str> = SERVER_KEYS.into_iter().chain(["rename"]).collect();
    let table = table_without(&DEPENDENCY, &only_servers, dependency_keys());
    extended(table, from_path())
}

fn server() -> Value {
    let mut keys = dependency_keys();
    keys.extend([
        (
            "command",
            "The program that is the server.",
            of_type("string"),
        ),
        ("args", "Its arguments.", list_of(of_type("string"))),
        (
            "env",
            "Its environment variables.",
            named(of_type("string")),
        ),
        (
            "url",
            "The address of a server that runs elsewhere.",
            of_type("string"),
        ),
        (
            "rename",
            "Other names for servers of its file, by the names in the file.",
            named(matching(WORD)),
        ),
    ]);
    let inline = |key| extended(required(&[key]), without(&["source"]));
    extended(
        table(&DEPENDENCY, keys),
        any_of([from_path(), inline("command"), inline("url")]),
    )
}

/// What has a path has versions only with a source.
fn from_path() -> Value {
    let versions = ONLY_WITH_SOURCE.map(|key| (key, Value::list(["source"])));
    extended(
        required(&["path"]),
        Value::map([("dependentRequired", Value::map(versions))]),
    )
}

fn dependency_keys() -> Vec<Key> {
    let project = Value::map([("agpm", false.into()), ("project", of_type("object"))]);
    let variables = extended(of_type("object"), Value::map([("properties", project)]));
    let mut keys = vec![
        (
            "source",
            "The name of the source that it comes from.",
            matching(WORD),
        ),
        (
            "path",
            "The file or folder in the source, or on this machine without one; may be a pattern.",
            matching(WORD),
        ),
        ("tool", "The tool that it is for.", reference("tool-name")),
        (
            "target",
            "A folder below the tool's own for this kind.",
            relative_path(),
        ),
        (
            "filename",
            "The name of the installed file.",
            matching(r"^[^/\\]+$"),
        ),
        (
            "flatten",
            "Whether the folders of the source are left out at the target.",
            of_type("boolean"),
        ),
        (
            "exclude",
            "Names of matches of the pattern that are left out.",
            list_of(of_type("string")),
        ),
        (
            "install",
            "Whether it is written; `false` resolves and locks it only.",
            of_type("boolean"),
        ),
        (
            "template_vars",
            "Variables for its templates, over those of the project.",
            variables,
        ),
        (
            "allow-widening",
            "Tools in which it may do more than its author allows.",
            list_of(reference("tool-name")),
        ),
    ];
    keys.extend(version_keys());
    keys
}

fn version_keys() -> [Key; 3] {
    [
        (
            "version",
            "Which version of the source.",
            reference("version"),
        ),
        (
            "branch",
            "A branch of the source, instead of a version.",
            matching(WORD),
        ),
        (
            "rev",
            "A commit of the source, instead of a version or branch.",
            matching("^[0-9a-fA-F]{4,64}$"),
        ),
    ]
}

fn version() -> Value {
    let says =
        "A tag such as `v1.2.0`, a range such as `^1.2` or `>=1.0, <2`, `latest`, or a branch.";
    described(says, matching(WORD))
}

fn layer() -> Value {
    let inside = extended(
        of_type("string"),
        Value::map([(
            "not",
            Value::map([("pattern", r"^/|(^|/)\.\.(/|$)".into())]),
        )]),
    );
    let mut keys = vec![
        (
            "name",
            "What it is called; no two layers have one name.",
            matching(WORD),
        ),
        ("source", "The source whose files it has.", matching(WORD)),
        (
            "path",
            "The folder whose files it has, from the manifest's folder.",
            matching(WORD),
        ),
        ("root", "The sub-folder that counts.", relative_path()),
        (
            "include",
            "The files that count, from `root`, as paths and patterns.",
            list_of(inside),
        ),
    ];
    keys.extend(version_keys());
    let other: Vec<&str> = ["source"].into_iter().chain(ONLY_WITH_SOURCE).collect();
    let folder = extended(required(&["path"]), without(&other));
    let version = extended(required(&["source"]), without(&["path"]));
    extended(
        extended(table(&LAYER, keys), required(&["name"])),
        any_of([folder, version]),
    )
}

fn tool() -> Value {
    let resources = by_word(kinds(), |_| reference("tool-place"));
    table(
        &TOOL,
        vec![
            ("path", "Its folder in the project.", relative_path()),
            (
                "enabled",
                "Whether resources for it are installed.",
                of_type("boolean"),
            ),
            ("resources", "Where each kind of resource goes.", resources),
        ],
    )
}

fn tool_place() -> Value {
    let keys = vec![
        (
            "path",
            "The folder for its files, below the tool's own.",
            relative_path(),
        ),
        (
            "merge-target",
            "The file that its entries are merged into.",
            relative_path(),
        ),
        (
            "flatten",
            "Whether the folders of the source are left out.",
            of_type("boolean"),
        ),
    ];
    extended(
        table(&RESOURCE, keys),
        any_of([required(&["path"]), required(&["merge-target"])]),
    )
}

fn tool_name() -> Value {
    let tools = Tools::default();
    words_or_own(tools.iter().map(|tool| tool.name.as_str()))
}
