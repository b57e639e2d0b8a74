//! Bills of materials in the formats that others read.

mod creator;
mod cyclonedx;
mod spdx;

use agpm_app::sbom::SbomReport;

use crate::rendering::RenderedReport;

/// The format of a bill of materials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SbomForm {
    /// CycloneDX 1.6, as JSON.
    CycloneDx,
    /// SPDX 2.3, as JSON.
    Spdx,
}

/// The document; it is JSON in any case.
pub fn render(report: &SbomReport, form: SbomForm) -> RenderedReport {
    RenderedReport::Data(match form {
        SbomForm::CycloneDx => cyclonedx::document(report),
        SbomForm::Spdx => spdx::document(report),
    })
}
