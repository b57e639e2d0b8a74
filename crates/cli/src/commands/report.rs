use std::path::PathBuf;
use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::report::{
    KeptPolicies, KeptVersions, ReportRequest, ReportSubject, RowFilter, report,
};

use crate::args::ReportArgs;
use crate::output::Output;

pub(crate) fn run(world: &World, args: ReportArgs, output: &mut Output) -> ExitCode {
    let subject = match args.repos {
        Some(file) => ReportSubject::Repositories(file),
        None if args.directories.is_empty() => ReportSubject::Directories(vec![PathBuf::from(".")]),
        None => ReportSubject::Directories(args.directories),
    };
    let request = ReportRequest {
        subject,
        filter: RowFilter {
            versions: if args.outdated {
                KeptVersions::Outdated
            } else {
                KeptVersions::All
            },
            policies: if args.denied {
                KeptPolicies::Denied
            } else {
                KeptPolicies::All
            },
            signer: args.signer,
        },
    };
    output.finish(report(world, &request), |report, context| {
        agpm_report::fleet::render(&report, context)
    })
}
