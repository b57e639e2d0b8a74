//! The index of a site, version 0.2.0 of the discovery of Agent Skills.

use serde::{Deserialize, Serialize};

/// The path of the index on a server.
pub(crate) const INDEX_PATH: &str = "/.well-known/agent-skills/index.json";
/// The schema of an index (agentskills/agentskills, pull request 254, checked 2026-11).
pub(crate) const SITE_SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// The index of a site.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SiteIndex {
    #[serde(rename = "$schema", default)]
    pub(crate) schema: String,
    #[serde(default)]
    pub(crate) skills: Vec<SiteEntry>,
}

/// A skill of a site.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct SiteEntry {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: SiteEntryType,
    #[serde(default)]
    pub(crate) description: String,
    /// Relative to the index.
    pub(crate) url: String,
    pub(crate) digest: String,
}

/// The form in which a skill is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SiteEntryType {
    SkillMd,
    Archive,
}

impl SiteIndex {
    /// Parses an index. Entries of unknown types are left out, as the specification wants.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct RawIndex {
            #[serde(rename = "$schema", default)]
            schema: String,
            skills: Vec<serde_json::Value>,
        }
        let raw: RawIndex = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if !raw.schema.is_empty() && !raw.schema.contains("/discovery/0.2.") {
            return Err(format!(
                "its schema is {}, and agpm reads 0.2.0",
                crate::http::printable(&raw.schema)
            ));
        }
        let mut skills = Vec::new();
        for value in raw.skills {
            let is_known = matches!(
                value.get("type").and_then(serde_json::Value::as_str),
                Some("skill-md" | "archive")
            );
            if is_known {
                let entry = serde_json::from_value(value).map_err(|error| error.to_string())?;
                skills.push(entry);
            }
        }
        skills.sort();
        Ok(SiteIndex {
            schema: raw.schema,
            skills,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_unknown_types_are_left_out() {
        let text = format!(
            "{{\"$schema\":\"{SITE_SCHEMA}\",\"skills\":[\
             {{\"name\":\"b\",\"type\":\"archive\",\"description\":\"x\",\"url\":\"b.zip\",\"digest\":\"sha256:0\"}},\
             {{\"name\":\"a\",\"type\":\"skill-md\",\"url\":\"a.md\",\"digest\":\"sha256:1\",\"more\":1}},\
             {{\"type\":\"later\"}}]}}"
        );
        let index = SiteIndex::parse(text.as_bytes()).unwrap();
        let names: Vec<&str> = index.skills.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        for bad in [
            "",
            "[]",
            "{\"$schema\":\"https://x/discovery/9.0.0/schema.json\"}",
            "{\"skills\":[{\"type\":\"archive\"}]}",
        ] {
            assert!(SiteIndex::parse(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
