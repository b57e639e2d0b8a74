use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::sbom::{SbomRequest, sbom};
use agpm_report::sbom::SbomForm;

use crate::args::{SbomArgs, SbomFormat};
use crate::environment::variable;
use crate::output::Output;

/// The time of reproducible builds, in seconds since 1970.
const CREATION_TIME: &str = "SOURCE_DATE_EPOCH";

pub(crate) fn run(world: &World, args: SbomArgs, output: &mut Output) -> ExitCode {
    let form = match args.format {
        SbomFormat::Cyclonedx => SbomForm::CycloneDx,
        SbomFormat::Spdx => SbomForm::Spdx,
    };
    let created = variable(CREATION_TIME);
    let created = created
        .as_ref()
        .and_then(|text| text.to_str()?.parse().ok());
    let request = SbomRequest {
        name: args.name,
        created: created.unwrap_or_default(),
    };
    output.finish(sbom(world, &request), |report, _| {
        agpm_report::sbom::render(&report, form)
    })
}
