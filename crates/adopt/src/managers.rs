//! Files of other managers, and what `agpm import` calls their formats.

/// A file by which another manager is recognized.
#[derive(Debug)]
pub struct ManagerFile {
    /// The manager.
    pub name: &'static str,
    /// Its file, from the project.
    pub path: &'static str,
    /// The key that marks the file as relevant to a manager.
    pub key: Option<&'static str>,
    /// The format of `agpm import`; nothing if it cannot be imported.
    pub format: Option<&'static str>,
}

const fn file(name: &'static str, path: &'static str, format: Option<&'static str>) -> ManagerFile {
    ManagerFile {
        name,
        path,
        key: None,
        format,
    }
}

/// All that are known.
pub static MANAGER_FILES: &[ManagerFile] = &[
    file("skills", "skills-lock.json", Some("skills-lock")),
    file("APM", "apm.yml", Some("apm")),
    file("APM", "apm.lock.yaml", Some("apm")),
    file("rulesync", "rulesync.jsonc", Some("rulesync")),
    file("rulesync", "rulesync.lock", Some("rulesync")),
    file("ruler", ".ruler/ruler.toml", Some("ruler")),
    ManagerFile {
        name: "Claude Code plugins",
        path: ".claude/settings.json",
        key: Some("enabledPlugins"),
        format: Some("claude"),
    },
    file("dotagents", "agents.toml", None),
    file("dotagents", "agents.lock", None),
    file("OpenPackage", "openpackage.yml", None),
    file("skillman", "skills.json", None),
];
