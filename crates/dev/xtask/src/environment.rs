//! The environment variables that agpm reads, as a page, and a check that none is missing there.

use std::io;
use std::path::Path;

use crate::measure::source::product_files;
use crate::references::NOTE;

struct Variable {
    name: &'static str,
    effect: &'static str,
}

const VARIABLES: &[Variable] = &[
    Variable {
        name: "AGPM_CACHE_DIR",
        effect: "The cache directory, like `--cache-dir`. Default: `agpm` in `XDG_CACHE_HOME`",
    },
    Variable {
        name: "AGPM_CONFIG",
        effect: "Your configuration file, like `--config`. Default: `agpm/config.toml` in `XDG_CONFIG_HOME`",
    },
    Variable {
        name: "AGPM_MCP_TOKEN",
        effect: "The bearer token of `agpm serve mcp --http`. Default: a generated token, printed at startup",
    },
    Variable {
        name: "AGPM_NO_PROGRESS",
        effect: "If set and not `0` or `false`, no progress bars, like `--no-progress`",
    },
    Variable {
        name: "AGPM_OFFLINE",
        effect: "If set and not `0` or `false`, no network access, like `--offline`",
    },
    Variable {
        name: "AGPM_POLICY",
        effect: "The file or URL of the policy that replaces `/etc/agpm/policy.toml`",
    },
    Variable {
        name: "AGENT_MANAGER_CONFIG_DIR",
        effect: "The directory of `config.yaml` for `agpm import agent-manager`. Default: `~/.agent-manager`",
    },
    Variable {
        name: "HOME",
        effect: "Your home directory. `USERPROFILE` is used if `HOME` is not set. Must be absolute",
    },
    Variable {
        name: "NO_COLOR",
        effect: "If set and not empty, no colors, unless `--color always` is given",
    },
    Variable {
        name: "PATH",
        effect: "Where `git` and installed AI coding clients are found",
    },
    Variable {
        name: "USERPROFILE",
        effect: "See `HOME`",
    },
    Variable {
        name: "XDG_CACHE_HOME",
        effect: "The parent of the cache directory. Default: `~/.cache`",
    },
    Variable {
        name: "XDG_CONFIG_HOME",
        effect: "The parent of the directory with `config.toml`, the user manifest and `policy.toml`. Default: `~/.config`",
    },
    Variable {
        name: "XDG_STATE_HOME",
        effect: "The parent of the directory with approvals and the state of your home directory. Default: `~/.local/state`",
    },
];

pub(crate) fn page() -> String {
    let rows = VARIABLES
        .iter()
        .map(|Variable { name, effect }| format!("| `{name}` | {effect} |\n"));
    format!(
        "# Environment variables\n\n{NOTE}\n\nA command-line option takes precedence over its variable. git's own variables and\n\
         configuration apply to repositories.\n\n| variable | effect |\n|---|---|\n{}",
        rows.collect::<String>()
    )
}

/// Variables that the command line reads and the page lacks. Only that crate reads the environment.
pub(crate) fn undocumented(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for file in product_files(&root.join("crates/edge/cli/src"))? {
        let literals = file.tokens.iter().filter_map(|token| literal(&token.text));
        let names = literals.filter(|text| is_variable(text));
        let missing = names.filter(|name| VARIABLES.iter().all(|known| known.name != *name));
        found.extend(missing.map(|name| {
            format!(
                "crates/edge/cli/src/{} reads `{name}`, which crates/dev/xtask/src/environment.rs does not list",
                file.path.display()
            )
        }));
    }
    Ok(found)
}

fn literal(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"')
}

/// Literals of the command line with this shape are all names of variables.
fn is_variable(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_uppercase() || c == '_';
    text.contains('_') && text.len() > 3 && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_are_recognized() {
        assert!(is_variable("NO_COLOR"));
        assert!(!is_variable("FILE"));
        assert!(!is_variable("_"));
        assert!(!is_variable("Not_One"));
    }

    #[test]
    fn variables_are_sorted_by_name_after_those_of_agpm() {
        let is_own = |name: &str| !name.starts_with("AGPM_");
        let key = |variable: &Variable| (is_own(variable.name), variable.name);
        assert!(VARIABLES.is_sorted_by_key(key));
    }
}
