use std::process::ExitCode;

use agpm_app::can::{CanEvidence, CanReport, CanRequest, can};
use agpm_app::project::world::World;
use agpm_diag::{Diagnostic, FailureKind, Outcome, codes, has_errors};
use agpm_report::{RenderedReport, Verdict};
use agpm_trust::CapabilityQuery;

use crate::args::{CanCommand, CanProjects};
use crate::output::Output;

pub(crate) fn run(world: &World, command: CanCommand, output: &mut Output) -> ExitCode {
    let (query, projects) = match command {
        CanCommand::Run { program, projects } => (Ok(CapabilityQuery::run(&program)), projects),
        CanCommand::Connect { host, projects } => {
            let query = CapabilityQuery::connect(&host).map_err(|error| error.to_string());
            (query, projects)
        }
        CanCommand::Use { rule, projects } => (Ok(CapabilityQuery::use_tool(&rule)), projects),
        CanCommand::ReadEnv { name, projects } => (Ok(CapabilityQuery::ReadEnv(name)), projects),
        CanCommand::Instruct { projects } => (Ok(CapabilityQuery::Instruct), projects),
    };
    let query = match query {
        Ok(query) => query,
        Err(problem) => {
            let diagnostic = Diagnostic::new(&codes::USAGE, problem)
                .help("write a host such as `evil.example` or `*.example`");
            let outcome: Outcome<()> = Outcome::failed(FailureKind::Usage, diagnostic);
            return output.finish(outcome, |(), _| RenderedReport::Text(String::new()));
        }
    };
    let CanProjects {
        directories,
        from,
        locked,
    } = projects;
    let request = CanRequest {
        query,
        directories,
        from,
        evidence: if locked {
            CanEvidence::Locked
        } else {
            CanEvidence::Installed
        },
    };
    // A project that cannot be read may be one in which somebody can.
    let judge = |report: &CanReport, diagnostics: &[Diagnostic]| {
        if report.able.is_empty() && !has_errors(diagnostics) {
            Verdict::Good
        } else {
            Verdict::Findings
        }
    };
    output.finish_as(can(world, &request), judge, agpm_report::can::render)
}
