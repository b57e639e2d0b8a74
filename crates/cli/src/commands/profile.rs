use std::process::ExitCode;

use agpm_app::lineage::{LineageScope, ProfileRequest, SubmoduleScope, personas, profile};
use agpm_app::project::world::World;
use agpm_diag::WarningPolicy;
use agpm_persona::{PersonaKind, ProfileAddition, ProfileKinds};
use agpm_report::RenderedReport;
use agpm_report::profile::ProfileForm;

use crate::args::{ProfileArgs, ProfileFormat, ProfileKind};
use crate::formats::{two_formats, word};
use crate::output::Output;

pub(crate) fn run(world: &World, args: ProfileArgs, output: &mut Output) -> ExitCode {
    if let Some(other) = args
        .format
        .filter(|format| output.json && *format != ProfileFormat::Json)
    {
        return output.finish(two_formats::<()>(&word(other)), |(), _| {
            RenderedReport::Text(String::new())
        });
    }
    output.json |= args.format == Some(ProfileFormat::Json);
    let form = match args.format {
        Some(ProfileFormat::Yaml) => ProfileForm::Yaml,
        Some(ProfileFormat::Md) => ProfileForm::Markdown,
        Some(ProfileFormat::Json) | None => ProfileForm::Plain,
    };
    let submodules = if args.submodules {
        SubmoduleScope::All
    } else {
        SubmoduleScope::Own
    };
    let scope = LineageScope {
        path: args.path,
        ceiling: args.ceiling,
        submodules,
    };
    let warnings = if args.strict {
        WarningPolicy::Stop
    } else {
        WarningPolicy::Report
    };
    let Some(slug) = args.slug else {
        return output.finish(personas(world, &scope, warnings), |report, context| {
            agpm_report::profile::render_list(&report, form, context)
        });
    };
    let kinds = match args.kind {
        ProfileKind::Agent => ProfileKinds::One(PersonaKind::Agent),
        ProfileKind::Agenda => ProfileKinds::One(PersonaKind::Agenda),
        ProfileKind::Agency => ProfileKinds::One(PersonaKind::Agency),
        ProfileKind::All => ProfileKinds::All,
    };
    let requested = [
        (args.root_chain, ProfileAddition::Chain),
        (args.with_sources, ProfileAddition::Sources),
        (args.projections, ProfileAddition::Projections),
    ];
    let additions = requested
        .into_iter()
        .filter(|(requested, _)| *requested)
        .map(|(_, addition)| addition)
        .collect();
    let request = ProfileRequest {
        slug,
        kinds,
        scope,
        additions,
        warnings,
    };
    output.finish(profile(world, &request), |report, _| {
        agpm_report::profile::render(&report, &request.slug, kinds, form)
    })
}
