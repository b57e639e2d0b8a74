//! CycloneDX 1.6.

use agpm_app::sbom::{License, Requiring, SbomComponent, SbomReport, package_url, repository_iri};
use agpm_text::to_json;
use serde::Serialize;

use crate::sbom::creator::CREATOR_VERSION;

/// The id of the project itself.
const PROJECT: &str = "project";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    bom_format: &'static str,
    spec_version: &'static str,
    serial_number: String,
    version: usize,
    metadata: Metadata<'a>,
    components: Vec<Component<'a>>,
    dependencies: Vec<Dependency<'a>>,
}

#[derive(Serialize)]
struct Metadata<'a> {
    tools: Tools,
    component: Root<'a>,
}

#[derive(Serialize)]
struct Tools {
    components: [Tool; 1],
}

#[derive(Serialize)]
struct Tool {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Root<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "bom-ref")]
    id: &'static str,
    name: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Component<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "bom-ref")]
    id: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<LicenseChoice<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    purl: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    external_references: Vec<Reference>,
    properties: Vec<Property<'a>>,
}

#[derive(Serialize)]
struct Hash {
    alg: &'static str,
    content: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LicenseChoice<'a> {
    Expression { expression: &'a str },
    Named { license: NamedLicense<'a> },
}

#[derive(Serialize)]
struct NamedLicense<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Reference {
    #[serde(rename = "type")]
    kind: &'static str,
    url: String,
}

#[derive(Serialize)]
struct Property<'a> {
    name: &'static str,
    value: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Dependency<'a> {
    #[serde(rename = "ref")]
    id: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<&'a str>,
}

pub(super) fn document(report: &SbomReport) -> String {
    let mut dependencies = vec![Dependency {
        id: PROJECT,
        depends_on: report
            .components
            .iter()
            .filter(|component| component.requiring == Requiring::Manifest)
            .map(|component| component.id.as_str())
            .collect(),
    }];
    dependencies.extend(report.components.iter().map(|component| Dependency {
        id: &component.id,
        depends_on: component.needs.iter().map(String::as_str).collect(),
    }));
    to_json(&Document {
        schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
        bom_format: "CycloneDX",
        spec_version: "1.6",
        serial_number: format!("urn:uuid:{}", uuid(&report.digest.digits())),
        version: 1,
        metadata: Metadata {
            tools: Tools {
                components: [Tool {
                    kind: "application",
                    name: "agpm",
                    version: CREATOR_VERSION,
                }],
            },
            component: Root {
                kind: "application",
                id: PROJECT,
                name: &report.name,
            },
        },
        components: report.components.iter().map(component).collect(),
        dependencies,
    })
}

fn component(component: &SbomComponent) -> Component<'_> {
    let url = component.url.as_deref();
    let license = component.license.as_ref().map(|license| match license {
        License::Expression(expression) => LicenseChoice::Expression {
            expression: expression.as_str(),
        },
        License::Words(name) => LicenseChoice::Named {
            license: NamedLicense {
                name: name.as_str(),
            },
        },
    });
    Component {
        // A file of the project is not a package of anybody.
        kind: if component.commit.is_some() {
            "library"
        } else {
            "file"
        },
        id: &component.id,
        name: &component.name,
        version: component.version.as_deref(),
        hashes: component
            .checksum
            .iter()
            .map(|checksum| Hash {
                alg: "SHA-256",
                content: checksum.digits(),
            })
            .collect(),
        licenses: license.into_iter().collect(),
        purl: package_url(component),
        external_references: url
            .map(|url| Reference {
                kind: "vcs",
                url: repository_iri(url),
            })
            .into_iter()
            .collect(),
        properties: properties(component),
    }
}

fn properties(component: &SbomComponent) -> Vec<Property<'_>> {
    let mut properties = vec![Property {
        name: "agpm:type",
        value: &component.kind,
    }];
    let single = [
        (
            "agpm:commit",
            component.commit.as_ref().map(|commit| commit.as_str()),
        ),
        ("agpm:path", component.path.as_deref()),
        ("agpm:requirement", component.requirement.as_deref()),
    ];
    for (name, value) in single {
        properties.extend(value.map(|value| Property { name, value }));
    }
    for tool in &component.tools {
        properties.push(Property {
            name: "agpm:tool",
            value: tool,
        });
    }
    for capability in &component.capabilities {
        properties.push(Property {
            name: "agpm:capability",
            value: capability,
        });
    }
    properties
}

/// A UUID from the first digits of a checksum, marked as one that an application defines (version 8).
fn uuid(digits: &str) -> String {
    format!(
        "{}-{}-8{}-a{}-{}",
        &digits[..8],
        &digits[8..12],
        &digits[13..16],
        &digits[17..20],
        &digits[20..32]
    )
}
