//! Locations where people and programs keep credentials. Projects must not access them, because a model may see
//! whatever agpm reads.

use agpm_tools::TOOLS;

/// A location, as the last components of its path; everything in a directory belongs to it. Lower case, because some
/// file systems ignore case.
const PLACES: &[&[&str]] = &[
    &[".ssh"],
    &[".gnupg"],
    &[".aws"],
    &[".azure"],
    &[".kube"],
    &[".oci"],
    &[".config", "gh"],
    &[".config", "hub"],
    &[".config", "glab-cli"],
    &[".config", "gcloud"],
    &[".config", "doctl"],
    &[".config", "op"],
    &[".config", "sops"],
    &[".config", "age"],
    &[".config", "rclone"],
    &[".config", "heroku"],
    &[".config", "github-copilot"],
    &[".config", "stripe"],
    &[".config", "netlify"],
    &[".config", "configstore"],
    &[".age"],
    &[".sops"],
    &[".fly"],
    &[".bitcoin"],
    &[".electrum"],
    &[".databrickscfg"],
    &[".snowflake"],
    &[".config", "git", "credentials"],
    &[".config", "containers", "auth.json"],
    &[".docker", "config.json"],
    &[".terraform.d", "credentials.tfrc.json"],
    &[".cargo", "credentials"],
    &[".cargo", "credentials.toml"],
    &[".gem", "credentials"],
    &[".m2", "settings.xml"],
    &[".m2", "settings-security.xml"],
    &[".gradle", "gradle.properties"],
    &[".password-store"],
    &[".local", "share", "keyrings"],
    &[".local", "share", "kwalletd"],
    &[".gnome2", "keyrings"],
    &["library", "keychains"],
    &["library", "cookies"],
    &[".mozilla"],
    &[".thunderbird"],
    &[".config", "google-chrome"],
    &[".config", "chromium"],
    &[".config", "bravesoftware"],
    &[".config", "microsoft-edge"],
    &[".config", "vivaldi"],
    &["library", "application support", "google", "chrome"],
    &["library", "application support", "firefox"],
    &["library", "application support", "bravesoftware"],
    &["appdata", "roaming", "mozilla"],
    &["appdata", "local", "google", "chrome"],
    &["appdata", "local", "microsoft", "edge"],
    &["appdata", "roaming", "microsoft", "credentials"],
    &["appdata", "local", "microsoft", "credentials"],
];

/// Names of files that hold credentials in any directory.
const FILES: &[&str] = &[
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".vault-token",
    ".boto",
    ".s3cfg",
    ".dockercfg",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ed25519_sk",
    "id_ecdsa_sk",
];

/// Locations of the system, from its root.
const SYSTEM: &[&[&str]] = &[
    &["etc", "shadow"],
    &["etc", "gshadow"],
    &["etc", "sudoers"],
    &["etc", "ssh"],
    &["proc"],
    &["run", "secrets"],
];

/// Whether a full path, with `/`, is at or in a location of credentials.
pub fn is_credential_path(path: &str) -> bool {
    let lower = path.replace('\\', "/").to_lowercase();
    let parts: Vec<&str> = lower
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let is_location = |location: &&[&str]| {
        parts
            .windows(location.len())
            .any(|window| window == *location)
    };
    parts.last().is_some_and(|name| FILES.contains(name))
        || PLACES.iter().any(is_location)
        || TOOLS
            .iter()
            .flat_map(|tool| tool.credentials.items)
            .any(is_location)
        || SYSTEM.iter().any(|location| parts.starts_with(location))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_for_credentials_are_known() {
        let secret = [
            "/home/u/.ssh",
            "/home/u/.ssh/id_rsa",
            "/home/u/.SSH/config",
            "/home/u/.docker/config.json",
            "/home/u/.config/gh/hosts.yml",
            "/home/u/.netrc",
            "/keys/id_ed25519",
            "C:\\Users\\u\\.aws\\credentials",
            "/Users/u/Library/Keychains/login.keychain-db",
            "/proc/self/environ",
            "/etc/shadow",
            "/etc/ssh/ssh_host_rsa_key",
            "/home/u/.config/rclone/rclone.conf",
            "/home/u/.config/github-copilot/apps.json",
        ];
        let plain = [
            "/home/u/project/ssh/config",
            "/home/u/.docker/contexts/x",
            "/home/u/.config/agpm/agpm.toml",
            "/home/u/docs/about.ssh.md",
            "/srv/etc/shadow",
            "/home/u/.claude/agents/a.md",
        ];
        for path in secret {
            assert!(is_credential_path(path), "{path}");
        }
        for path in plain {
            assert!(!is_credential_path(path), "{path}");
        }
    }
}
