//! The explanation, as commands print it.

use agpm_diag::Code;
use agpm_merge::Provenance;
use agpm_text::Pointer;
use serde::Serialize;

use crate::explain::ExplainedResource;
use crate::explain::{ExplainSubject, NamedSubject};

/// The explanation.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ExplainReport {
    /// The page of a code.
    Page(CodePage),
    /// The origin of values.
    Values(ExplainedValues),
}

/// A code and what it means.
#[derive(Debug, Serialize)]
pub struct CodePage {
    /// The stable word.
    pub code: &'static str,
    /// Its severity, unless a strict command raises it.
    pub severity: String,
    /// Its meaning, in one sentence.
    pub summary: &'static str,
    /// The page in Markdown.
    pub page: &'static str,
}

impl CodePage {
    /// The page of a code.
    pub fn of(code: &'static Code) -> Self {
        CodePage {
            code: code.name,
            severity: code.severity.to_string(),
            summary: code.parsed().summary,
            page: code.page,
        }
    }
}

/// The origin of values.
#[derive(Debug, Serialize)]
pub struct ExplainedValues {
    /// The subject.
    #[serde(flatten)]
    pub name: NamedSubject,
    /// The location in it.
    pub pointer: Pointer,
    /// More facts, if it is a resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<Box<ExplainedResource>>,
    /// The origin of each value.
    #[serde(flatten)]
    pub provenance: Provenance,
}

impl ExplainedValues {
    /// The values of an installed resource.
    pub fn of_resource(
        resource: ExplainedResource,
        pointer: Pointer,
        provenance: Provenance,
    ) -> Self {
        let name = NamedSubject {
            subject: ExplainSubject::Resource(resource.kind),
            name: resource.identity.name.clone(),
        };
        ExplainedValues {
            name,
            pointer,
            resource: Some(Box::new(resource)),
            provenance,
        }
    }

    /// The values of anything else.
    pub fn of_subject(name: NamedSubject, pointer: Pointer, provenance: Provenance) -> Self {
        ExplainedValues {
            name,
            pointer,
            resource: None,
            provenance,
        }
    }
}
