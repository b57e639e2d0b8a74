//! Variables of the environment.

use std::path::PathBuf;

/// The path that an environment variable holds, if it is set.
pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

/// A variable of the environment that agpm reads.
#[derive(Debug)]
pub struct EnvironmentVariable {
    /// The name of the environment variable.
    pub name: &'static str,
    /// Its effect, in Markdown.
    pub effect: &'static str,
}

/// All of them, for the reference and the manual pages.
pub const ENVIRONMENT_VARIABLES: &[EnvironmentVariable] = &[
    EnvironmentVariable {
        name: "AGPM_CACHE_DIR",
        effect: "The cache directory, like `--cache-dir`. Default: `agpm` in `XDG_CACHE_HOME`",
    },
    EnvironmentVariable {
        name: "AGPM_CONFIG",
        effect: "Your configuration file, like `--config`. Default: `agpm/config.toml` in `XDG_CONFIG_HOME`",
    },
    EnvironmentVariable {
        name: "AGPM_MCP_TOKEN",
        effect: "The bearer token of `agpm serve mcp --http`. Default: a generated token, printed at startup",
    },
    EnvironmentVariable {
        name: "AGPM_NO_PROGRESS",
        effect: "If set and not `0` or `false`, no progress bars, like `--no-progress`",
    },
    EnvironmentVariable {
        name: "AGPM_OFFLINE",
        effect: "If set and not `0` or `false`, no network access, like `--offline`",
    },
    EnvironmentVariable {
        name: "AGPM_POLICY",
        effect: "The file or URL of a policy that applies in addition to the others",
    },
    EnvironmentVariable {
        name: "AGENT_MANAGER_CONFIG_DIR",
        effect: "The directory of `config.yaml` for `agpm import agent-manager`. Default: `~/.agent-manager`",
    },
    EnvironmentVariable {
        name: "CLICOLOR_FORCE",
        effect: "If set and not `0`, colors where the output is not a terminal, unless `NO_COLOR` is set or `--color` is given",
    },
    EnvironmentVariable {
        name: "DOCKER_CONFIG",
        effect: "The directory of a `config.json` with credentials for registries",
    },
    EnvironmentVariable {
        name: "HOME",
        effect: "Your home directory. `USERPROFILE` is used if `HOME` is not set. Must be absolute",
    },
    EnvironmentVariable {
        name: "HTTPS_PROXY",
        effect: "The proxy for registries and static sites, except the hosts in `NO_PROXY`",
    },
    EnvironmentVariable {
        name: "NO_COLOR",
        effect: "If set and not empty, no colors, unless `--color always` is given",
    },
    EnvironmentVariable {
        name: "NO_PROXY",
        effect: "Hosts that are contacted without the proxy",
    },
    EnvironmentVariable {
        name: "PATH",
        effect: "Where `git` and installed AI coding clients are found",
    },
    EnvironmentVariable {
        name: "REGISTRY_AUTH_FILE",
        effect: "A file with credentials for registries, searched before those of docker and podman",
    },
    EnvironmentVariable {
        name: "SOURCE_DATE_EPOCH",
        effect: "The time that `agpm publish` writes into artifacts, and `agpm sbom` into SPDX documents, in seconds since 1970. Default: none, and 0",
    },
    EnvironmentVariable {
        name: "SSL_CERT_FILE",
        effect: "The certificates that registries and static sites are checked with, instead of those of the system",
    },
    EnvironmentVariable {
        name: "USERPROFILE",
        effect: "See `HOME`",
    },
    EnvironmentVariable {
        name: "XDG_CACHE_HOME",
        effect: "The parent of the cache directory. Default: `~/.cache`",
    },
    EnvironmentVariable {
        name: "XDG_CONFIG_HOME",
        effect: "The parent of the directory with `config.toml`, the user manifest and `policy.toml`. Default: `~/.config`",
    },
    EnvironmentVariable {
        name: "XDG_RUNTIME_DIR",
        effect: "The parent of `containers/auth.json` with credentials for registries",
    },
    EnvironmentVariable {
        name: "XDG_STATE_HOME",
        effect: "The parent of the directory with approvals and the state of your home directory. Default: `~/.local/state`",
    },
];
