//! The rules between crates, checked on their `Cargo.toml` files.

use std::fs;
use std::path::Path;

use agpm_diag::SourceMap;
use agpm_text::{Document, Format, Limits, NodeRef, parse};
use agpm_tools::{OWN_TOOL, REFERENCE_TOOL, TOOLS};

use crate::{environment, platforms};

/// Every crate, with the crates that it may depend on. A new crate gets a line here. Its directory is its name without
/// `agpm-`.
const CRATES: &[(&str, &[&str])] = &[
    ("agpm-diag", &[]),
    ("agpm-text", &["agpm-diag"]),
    ("agpm-tools", &[]),
    ("agpm-model", &["agpm-diag", "agpm-text", "agpm-tools"]),
    ("agpm-merge", &["agpm-diag", "agpm-text", "agpm-model"]),
    (
        "agpm-persona",
        &["agpm-diag", "agpm-text", "agpm-model", "agpm-merge"],
    ),
    (
        "agpm-catalog",
        &["agpm-diag", "agpm-text", "agpm-model", "agpm-merge"],
    ),
    (
        "agpm-trust",
        &["agpm-diag", "agpm-text", "agpm-tools", "agpm-model"],
    ),
    (
        "agpm-render",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-tools",
            "agpm-model",
            "agpm-trust",
        ],
    ),
    (
        "agpm-plan",
        &["agpm-diag", "agpm-text", "agpm-tools", "agpm-model"],
    ),
    (
        "agpm-resolve",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-tools",
            "agpm-model",
            "agpm-trust",
            "agpm-render",
        ],
    ),
    (
        "agpm-compose",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-tools",
            "agpm-model",
            "agpm-merge",
            "agpm-trust",
            "agpm-render",
            "agpm-plan",
            "agpm-resolve",
        ],
    ),
    (
        "agpm-layers",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-model",
            "agpm-merge",
            "agpm-plan",
            "agpm-resolve",
        ],
    ),
    (
        "agpm-adopt",
        &["agpm-diag", "agpm-text", "agpm-tools", "agpm-model"],
    ),
    ("agpm-store", &["agpm-diag", "agpm-text", "agpm-model"]),
    ("agpm-source", &["agpm-model", "agpm-store"]),
    (
        "agpm-bottle",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-model",
            "agpm-merge",
            "agpm-store",
        ],
    ),
    (
        "agpm-app",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-tools",
            "agpm-model",
            "agpm-merge",
            "agpm-persona",
            "agpm-catalog",
            "agpm-trust",
            "agpm-render",
            "agpm-plan",
            "agpm-resolve",
            "agpm-compose",
            "agpm-layers",
            "agpm-adopt",
            "agpm-store",
            "agpm-source",
            "agpm-bottle",
        ],
    ),
    (
        "agpm-report",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-model",
            "agpm-merge",
            "agpm-persona",
            "agpm-catalog",
            "agpm-trust",
            "agpm-render",
            "agpm-plan",
            "agpm-resolve",
            "agpm-layers",
            "agpm-adopt",
            "agpm-bottle",
            "agpm-app",
        ],
    ),
    (
        "agpm-mcp",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-model",
            "agpm-merge",
            "agpm-persona",
            "agpm-catalog",
            "agpm-bottle",
            "agpm-app",
            "agpm-report",
        ],
    ),
    (
        "agpm",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-model",
            "agpm-merge",
            "agpm-persona",
            "agpm-catalog",
            "agpm-trust",
            "agpm-plan",
            "agpm-resolve",
            "agpm-adopt",
            "agpm-bottle",
            "agpm-app",
            "agpm-report",
            "agpm-mcp",
        ],
    ),
    ("agpm-testkit", &["agpm-diag", "agpm-text", "agpm-model"]),
    (
        "agpm-xtask",
        &[
            "agpm-diag",
            "agpm-text",
            "agpm-tools",
            "agpm-model",
            "agpm-persona",
            "agpm-bottle",
            "agpm-report",
            "agpm",
        ],
    ),
];

/// For tests only, so the tests of any crate may use it.
const TESTKIT: &str = "agpm-testkit";

/// Libraries, by how their names begin, that only some crates may know.
struct ReservedLibrary {
    what: &'static str,
    libraries: &'static [&'static str],
    owners: &'static [&'static str],
}

const RESERVED: &[ReservedLibrary] = &[
    ReservedLibrary {
        what: "a format library",
        libraries: &["toml", "saphyr", "yaml", "serde_yaml", "json", "csv"],
        owners: &["agpm-text"],
    },
    // The messages of the MCP server and of registries are JSON.
    ReservedLibrary {
        what: "a format library",
        libraries: &["serde_json"],
        owners: &["agpm-text", "agpm-mcp", "agpm-source"],
    },
    ReservedLibrary {
        what: "a library of the network and its archives",
        libraries: &[
            "ureq",
            "rustls",
            "reqwest",
            "docker_credential",
            "tar",
            "flate2",
            "zip",
            "zstd",
        ],
        owners: &["agpm-source"],
    },
    ReservedLibrary {
        what: "a file-system library",
        libraries: &["cap-", "fs-err", "tempfile", "walkdir", "ignore", "reflink"],
        owners: &["agpm-store", "agpm-testkit"],
    },
    // The SDK of the MCP server needs a runtime (ADR 27). Everything else blocks.
    ReservedLibrary {
        what: "an async runtime",
        libraries: &["tokio", "async-", "smol", "futures", "hyper", "rmcp"],
        owners: &["agpm-mcp"],
    },
];

/// Crates that touch the world. Clippy reads only the nearest `clippy.toml` upward, so their own one replaces the bans of
/// the root; it says which of them it lifts, and why.
const TOUCH_THE_WORLD: &[&str] = &[
    "agpm-store",
    "agpm-source",
    "agpm-mcp",
    "agpm",
    "agpm-testkit",
    "agpm-xtask",
];

/// A dependency that only one module of a crate may use: the directory of the sources, the dependency, the module.
const CONFINED: &[(&str, &str, &str)] = &[("bottle/src", "agpm_store", "loader")];

/// Crates that only read projects. Every write needs the lock of the project, so they must not name its type.
const READERS: &[&str] = &["app/src/project"];
const PROJECT_LOCK: &str = "ProjectLock";

/// The parts of `app` that call the store on the real disk, and why they need more than a port of `World`. Everything else
/// in `app` decides on values, so it is tested without a disk.
const STORE_USERS: &[(&str, &[&str])] = &[
    (
        "reads the files of a project, its state and the user's configuration",
        &[
            "project",
            "lineage",
            "catalog",
            "offers",
            "watch.rs",
            "installed.rs",
            "drift/disk_record.rs",
            "drift/unexpected.rs",
        ],
    ),
    (
        "locks the project and writes a transaction",
        &[
            "install/mod.rs",
            "install/run.rs",
            "install/changes.rs",
            "install/writing.rs",
            "install/preview.rs",
            "install/up_to_date.rs",
            "install/rendering.rs",
            "install/locked_state.rs",
            "add/proposing.rs",
            "change.rs",
            "config",
            "demo.rs",
            "gitignore.rs",
            "import",
            "init",
            "install/edits.rs",
            "install/kept_bases.rs",
            "install/shared_edits.rs",
            "patch",
            "resolve",
            "undo",
            "written.rs",
        ],
    ),
    (
        "reads and replaces the files that git names to a merge driver",
        &["lock_merge.rs"],
    ),
    (
        "compares or lists files on the disk",
        &[
            "blame.rs",
            "bottle.rs",
            "cache",
            "ci",
            "diff/project_at_ref.rs",
            "diff/project_state.rs",
            "doctor",
            "explain/file_contributions.rs",
            "explain/mod.rs",
            "report",
            "sbom",
            "explain/project.rs",
            "search.rs",
            "validate/mod.rs",
            "verify/mod.rs",
            "audit",
            "can",
        ],
    ),
];

const TABLES: &[&str] = &["dependencies", "build-dependencies", "dev-dependencies"];

/// Every violation, each in one line that names the crate.
pub(crate) fn violations(root: &Path) -> Vec<String> {
    let mut found = unlisted(root);
    for (name, allowed) in CRATES {
        let directory = directory_of(name);
        let path = format!("crates/{directory}/Cargo.toml");
        match fs::read_to_string(root.join(&path)) {
            Ok(text) => found.extend(check(&path, &text, name, allowed)),
            Err(error) => found.push(format!("{path}: {error}")),
        }
        if !TOUCH_THE_WORLD.contains(name) {
            found.extend(lifted_bans(root, directory));
        }
    }
    for (directory, library, module) in CONFINED {
        let sources = root.join("crates").join(directory);
        found.extend(files_naming(&sources, library, module).into_iter().map(|file| {
            format!(
                "crates/{directory}/{file} knows `{library}`, which only the module `{module}` may"
            )
        }));
    }
    for directory in READERS {
        let sources = root.join("crates").join(directory);
        found.extend(
            files_naming(&sources, PROJECT_LOCK, "")
                .into_iter()
                .map(|file| {
                    format!(
                        "crates/{directory}/{file} names `{PROJECT_LOCK}`: only use cases write"
                    )
                }),
        );
    }
    found.extend(unexpected_store_users(root));
    found.extend(
        CONVERTERS
            .iter()
            .flat_map(|directory| named_tools(root, directory)),
    );
    let undocumented = environment::undocumented(root);
    found.extend(undocumented.unwrap_or_else(|error| vec![error.to_string()]));
    let outside = platforms::outside_platform(root);
    found.extend(outside.unwrap_or_else(|error| vec![error.to_string()]));
    found
}

/// Where files get the formats of tools. What is known of one tool belongs into its own file.
const CONVERTERS: &[&str] = &["crates/render/src/convert", "crates/plan/src"];

/// Files in a directory that name a tool outside of tests. The reference tool may be named: messages do.
fn named_tools(root: &Path, directory: &str) -> Vec<String> {
    let Ok(entries) = fs::read_dir(root.join(directory)) else {
        return vec![format!("{directory}: there are no converters here")];
    };
    let mut found = Vec::new();
    for entry in entries.flatten().filter(|entry| entry.path().is_file()) {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let name = entry.file_name().to_string_lossy().into_owned();
        found.extend(named_tool(&text).map(|tool| {
            format!("{directory}/{name} names the tool `{tool}`: its own file in crates/tools may")
        }));
    }
    found.sort();
    found
}

/// A tool that the code before the tests names. `agents` and `agpm` are words of everything.
fn named_tool(text: &str) -> Option<&'static str> {
    let code = text
        .split("#[cfg(test)]")
        .next()
        .unwrap_or(text)
        .to_lowercase();
    let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric()).collect();
    let mut names = TOOLS.iter().map(|tool| tool.name);
    names.find(|name| {
        !["agents", OWN_TOOL.name, REFERENCE_TOOL.name].contains(name) && words.contains(name)
    })
}

/// Source files that name a crate and do not belong to the module that may.
fn files_naming(sources: &Path, library: &str, module: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(sources).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.trim_end_matches(".rs") == module {
            continue;
        }
        if entry.path().is_dir() {
            let inner = files_naming(&entry.path(), library, "");
            found.extend(inner.into_iter().map(|file| format!("{name}/{file}")));
        } else if fs::read_to_string(entry.path()).is_ok_and(|text| text.contains(library)) {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Files of `app` that name the store and are not in the table.
fn unexpected_store_users(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for file in files_naming(&root.join("crates/app/src"), "agpm_store", "") {
        let is_listed = STORE_USERS
            .iter()
            .flat_map(|(_, paths)| paths.iter())
            .any(|path| file == *path || file.starts_with(&format!("{path}/")));
        if !is_listed {
            found.push(format!(
                "crates/app/src/{file} names `agpm_store`: use a port of `World`, or give the reason in STORE_USERS"
            ));
        }
    }
    found
}

/// The directory of a crate in `crates/`.
fn directory_of(package: &str) -> &str {
    match package {
        "agpm" => "cli",
        _ => package.trim_start_matches("agpm-"),
    }
}

fn lifted_bans(root: &Path, directory: &str) -> Option<String> {
    for name in ["clippy.toml", ".clippy.toml"] {
        if root.join("crates").join(directory).join(name).exists() {
            return Some(format!(
                "crates/{directory}/{name} lifts the bans of the root"
            ));
        }
    }
    None
}

/// Returns crate directories without a line in the table.
fn unlisted(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join("crates"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let directory = entry.file_name().to_string_lossy().into_owned();
        if CRATES
            .iter()
            .any(|(name, _)| directory_of(name) == directory)
        {
            continue;
        }
        found.push(format!(
            "crates/{directory}: not listed in crates/xtask/src/house.rs, so its dependencies are not checked"
        ));
    }
    found.sort();
    found
}

fn check(path: &str, text: &str, name: &str, allowed: &[&str]) -> Vec<String> {
    let source = SourceMap::default().add(path, text);
    let parsed = parse(source, text, Format::Toml, Limits::default());
    let mut found: Vec<String> = parsed
        .diagnostics
        .iter()
        .map(|d| format!("{path}: {}", d.message))
        .collect();
    let document = parsed.document;
    if string_at(&document, &["package", "name"]) != Some(name) {
        found.push(format!("{path}: the package is not called `{name}`"));
    }
    if node_at(&document, &["lints", "workspace"]).and_then(NodeRef::as_bool) != Some(true) {
        found.push(format!("{path}: `[lints]` lacks `workspace = true`"));
    }
    for (table, dependency) in dependencies(&document) {
        found.extend(
            forbidden(name, allowed, table, &dependency).map(|why| format!("{path}: {why}")),
        );
    }
    found
}

/// Why a crate may not have this dependency.
fn forbidden(name: &str, allowed: &[&str], table: &str, dependency: &str) -> Option<String> {
    let tests = table == "dev-dependencies";
    if dependency == "agpm" || dependency.starts_with("agpm-") {
        let good = allowed.contains(&dependency) || (tests && dependency == TESTKIT);
        return (!good)
            .then(|| format!("`{name}` must not depend on `{dependency}`: arrows go down only"));
    }
    let is_one = |reserved: &&ReservedLibrary| {
        reserved
            .libraries
            .iter()
            .any(|start| dependency.starts_with(start))
    };
    let reserved = RESERVED
        .iter()
        .find(is_one)
        .filter(|reserved| !reserved.owners.contains(&name))?;
    let owners = reserved.owners.join(" and ");
    Some(format!(
        "`{name}` must not depend on `{dependency}`, {}: only {owners} may",
        reserved.what
    ))
}

/// Returns every dependency with its table, including those of single targets. A renamed one is listed by its package.
fn dependencies(document: &Document) -> Vec<(&'static str, String)> {
    let targets = node_at(document, &["target"])
        .into_iter()
        .flat_map(NodeRef::entries)
        .map(|(_, table)| table);
    let mut found = Vec::new();
    for node in document.root().into_iter().chain(targets) {
        for table in TABLES {
            for (key, value) in node.get(table).into_iter().flat_map(NodeRef::entries) {
                let package = value
                    .get("package")
                    .and_then(NodeRef::as_str)
                    .unwrap_or(key.content());
                found.push((*table, package.to_owned()));
            }
        }
    }
    found
}

fn node_at<'a>(document: &'a Document, steps: &[&str]) -> Option<NodeRef<'a>> {
    steps
        .iter()
        .try_fold(document.root()?, |node, step| node.get(step))
}

fn string_at<'a>(document: &'a Document, steps: &[&str]) -> Option<&'a str> {
    node_at(document, steps).and_then(NodeRef::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(dependencies: &str) -> Vec<String> {
        let text = format!(
            "[package]\nname = \"agpm-model\"\n{dependencies}\n[lints]\nworkspace = true\n"
        );
        check(
            "Cargo.toml",
            &text,
            "agpm-model",
            &["agpm-diag", "agpm-text"],
        )
    }

    #[test]
    fn arrows_go_down_only() {
        assert_eq!(
            found("[dependencies]\nagpm-diag.workspace = true"),
            Vec::<String>::new()
        );
        assert_eq!(
            found("[dev-dependencies]\nagpm-testkit.workspace = true"),
            Vec::<String>::new()
        );
        for up in [
            "[dependencies]\nagpm-merge.workspace = true",
            "[dependencies]\nagpm-testkit.workspace = true",
            "[dependencies]\nother = { package = \"agpm-merge\", path = \"../merge\" }",
            "[dev-dependencies]\nagpm.workspace = true",
            "[target.'cfg(unix)'.dependencies]\nagpm-app.workspace = true",
        ] {
            assert_eq!(found(up).len(), 1, "{up}");
        }
    }

    #[test]
    fn reserved_libraries_stay_with_their_owners() {
        for library in [
            "toml_edit",
            "saphyr",
            "yaml-edit",
            "serde_json",
            "jsonc-parser",
            "csv",
            "cap-std",
            "tokio",
        ] {
            assert_eq!(
                found(&format!("[dependencies]\n{library} = \"1\"")).len(),
                1,
                "{library}"
            );
        }
        assert_eq!(
            found("[dependencies]\nglobset = \"1\""),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_crate_below_may_be_for_one_module() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bottle/src");
        assert_eq!(
            files_naming(&sources, "agpm_store", "loader"),
            Vec::<String>::new()
        );
        assert!(
            files_naming(&sources, "agpm_store", "model")
                .iter()
                .any(|file| file.starts_with("loader/"))
        );
    }

    #[test]
    fn readers_do_not_hold_the_lock_of_a_project() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(
            files_naming(&crates.join("app/src/project"), PROJECT_LOCK, ""),
            Vec::<String>::new()
        );
        assert!(!files_naming(&crates.join("app/src"), PROJECT_LOCK, "").is_empty());
    }

    #[test]
    fn converters_name_no_tool() {
        assert_eq!(named_tool("match tool { \"codex\" => 1 }"), Some("codex"));
        assert_eq!(named_tool("/// Gemini's names."), Some("gemini"));
        assert_eq!(named_tool("recognized Claude Code's agents"), None);
        assert_eq!(named_tool("x\n#[cfg(test)]\nfind(\"zed\")"), None);
    }

    #[test]
    fn lints_are_the_workspaces() {
        let text = "[package]\nname = \"agpm-diag\"\n";
        assert_eq!(check("Cargo.toml", text, "agpm-diag", &[]).len(), 1);
    }
}
