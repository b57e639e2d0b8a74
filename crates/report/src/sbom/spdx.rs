//! SPDX 2.3.

use std::collections::{BTreeMap, BTreeSet};

use agpm_app::sbom::{
    License, Requiring, SbomComponent, SbomReport, download_location, package_url,
};
use agpm_app::utc_time::utc_time;
use agpm_text::to_json;
use serde::Serialize;

use crate::sbom::creator::CREATOR_VERSION;

const DOCUMENT: &str = "SPDXRef-DOCUMENT";
const PROJECT: &str = "SPDXRef-project";
const UNKNOWN: &str = "NOASSERTION";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    spdx_version: &'static str,
    data_license: &'static str,
    #[serde(rename = "SPDXID")]
    id: &'static str,
    name: &'a str,
    document_namespace: String,
    creation_info: CreationInfo,
    packages: Vec<Package<'a>>,
    relationships: Vec<Relationship>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    has_extracted_licensing_infos: Vec<ExtractedLicense>,
}

#[derive(Serialize)]
struct CreationInfo {
    created: String,
    creators: [String; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Package<'a> {
    #[serde(rename = "SPDXID")]
    id: String,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version_info: Option<&'a str>,
    download_location: String,
    files_analyzed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checksums: Vec<PackageChecksum>,
    license_concluded: &'static str,
    license_declared: String,
    copyright_text: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    external_refs: Vec<ExternalReference>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PackageChecksum {
    algorithm: &'static str,
    checksum_value: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExternalReference {
    reference_category: &'static str,
    reference_type: &'static str,
    reference_locator: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Relationship {
    spdx_element_id: String,
    relationship_type: &'static str,
    related_spdx_element: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExtractedLicense {
    license_id: String,
    extracted_text: String,
    name: String,
}

pub(super) fn document(report: &SbomReport) -> String {
    let ids = element_ids(&report.components);
    let licenses = license_references(&report.components);
    let mut packages = vec![Package {
        id: PROJECT.to_owned(),
        name: &report.name,
        version_info: None,
        download_location: UNKNOWN.to_owned(),
        files_analyzed: false,
        checksums: Vec::new(),
        license_concluded: UNKNOWN,
        license_declared: UNKNOWN.to_owned(),
        copyright_text: UNKNOWN,
        external_refs: Vec::new(),
        comment: None,
    }];
    let mut relationships = vec![relationship(DOCUMENT, "DESCRIBES", PROJECT)];
    for component in &report.components {
        let id = &ids[component.id.as_str()];
        packages.push(package(component, id, &licenses));
        if component.requiring == Requiring::Manifest {
            relationships.push(relationship(PROJECT, "DEPENDS_ON", id));
        }
        for need in &component.needs {
            if let Some(need) = ids.get(need.as_str()) {
                relationships.push(relationship(id, "DEPENDS_ON", need));
            }
        }
    }
    let extracted = licenses.iter().map(|(words, id)| ExtractedLicense {
        license_id: id.clone(),
        extracted_text: (*words).to_owned(),
        name: (*words).to_owned(),
    });
    to_json(&Document {
        spdx_version: "SPDX-2.3",
        data_license: "CC0-1.0",
        id: DOCUMENT,
        name: &report.name,
        document_namespace: format!("https://spdx.org/spdxdocs/agpm-{}", report.digest.digits()),
        creation_info: CreationInfo {
            created: utc_time(report.created),
            creators: [format!("Tool: agpm-{CREATOR_VERSION}")],
        },
        packages,
        relationships,
        has_extracted_licensing_infos: extracted.collect(),
    })
}

fn relationship(from: &str, kind: &'static str, to: &str) -> Relationship {
    Relationship {
        spdx_element_id: from.to_owned(),
        relationship_type: kind,
        related_spdx_element: to.to_owned(),
    }
}

fn package<'a>(
    component: &'a SbomComponent,
    id: &str,
    licenses: &BTreeMap<&str, String>,
) -> Package<'a> {
    let license = component.license.as_ref().map(|license| match license {
        License::Expression(expression) => expression.clone(),
        License::Words(words) => licenses[words.as_str()].clone(),
    });
    let mut comment = vec![format!("agpm type: {}", component.kind)];
    if let Some(commit) = &component.commit {
        comment.push(format!("commit: {commit}"));
    }
    if let Some(path) = &component.path {
        comment.push(format!("path: {path}"));
    }
    for capability in &component.capabilities {
        comment.push(format!("capability: {capability}"));
    }
    Package {
        id: id.to_owned(),
        name: &component.name,
        version_info: component.version.as_deref(),
        download_location: download_location(component).unwrap_or_else(|| UNKNOWN.to_owned()),
        files_analyzed: false,
        checksums: component
            .checksum
            .iter()
            .map(|checksum| PackageChecksum {
                algorithm: "SHA256",
                checksum_value: checksum.digits(),
            })
            .collect(),
        license_concluded: UNKNOWN,
        license_declared: license.unwrap_or_else(|| UNKNOWN.to_owned()),
        copyright_text: UNKNOWN,
        external_refs: package_url(component)
            .map(|purl| ExternalReference {
                reference_category: "PACKAGE-MANAGER",
                reference_type: "purl",
                reference_locator: purl,
            })
            .into_iter()
            .collect(),
        comment: Some(comment.join("\n")),
    }
}

/// Ids may have letters, digits, dots and hyphens only; two that become equal get numbers.
fn element_ids(components: &[SbomComponent]) -> BTreeMap<&str, String> {
    let mut taken: BTreeSet<String> = BTreeSet::from([DOCUMENT.to_owned(), PROJECT.to_owned()]);
    let mut ids = BTreeMap::new();
    for component in components {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '.' {
                c
            } else {
                '-'
            }
        };
        let base: String = component.id.chars().map(plain).collect();
        let base = format!("SPDXRef-{base}");
        let mut id = base.clone();
        let mut number = 2;
        while !taken.insert(id.clone()) {
            id = format!("{base}-{number}");
            number += 1;
        }
        ids.insert(component.id.as_str(), id);
    }
    ids
}

/// References for licenses that SPDX does not know, by their words.
fn license_references(components: &[SbomComponent]) -> BTreeMap<&str, String> {
    let mut words: BTreeSet<&str> = BTreeSet::new();
    for component in components {
        if let Some(License::Words(text)) = &component.license {
            words.insert(text);
        }
    }
    let numbered = words.into_iter().enumerate();
    numbered
        .map(|(number, words)| (words, format!("LicenseRef-{}", number + 1)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_become_equal_get_numbers() {
        let component = |id: &str| SbomComponent {
            id: id.to_owned(),
            ..SbomComponent::default()
        };
        let components = [component("skills/a_b"), component("skills/a-b")];
        let ids = element_ids(&components);
        assert_eq!(ids["skills/a_b"], "SPDXRef-skills-a-b");
        assert_eq!(ids["skills/a-b"], "SPDXRef-skills-a-b-2");
    }
}
