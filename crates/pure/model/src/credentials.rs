//! Locations where people and programs keep credentials. Nothing of a project has any business there: what agpm reads may
//! end up before a model.

use agpm_tools::TOOLS;

/// A location by the last directories of its path and, at the end, a file or directory; everything in a directory belongs to it.
/// Small letters: on some disks case makes no difference.
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

/// Files that hold credentials wherever they are.
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

/// Whether a full path, with `/`, is a location for credentials or in one.
pub fn is_credential_path(path: &str) -> bool {
    let lower = path.replace('\\', "/").to_lowercase();
    let parts: Vec<&str> = lower
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let in_place = |place: &&[&str]| parts.windows(place.len()).any(|window| window == *place);
    parts.last().is_some_and(|name| FILES.contains(name))
        || PLACES.iter().any(in_place)
        || TOOLS
            .iter()
            .flat_map(|tool| tool.credentials.items)
            .any(in_place)
        || SYSTEM.iter().any(|place| parts.starts_with(place))
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
