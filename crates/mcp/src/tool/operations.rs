//! The operations: each is a request to `ops` whose report is the answer.

use agpm_app::explain::{ExplainRequest, explain};
use agpm_app::install::{InstallReport, InstallRequest, install};
use agpm_app::project::merge_inputs::MergeInputs;
use agpm_app::project::world::{ManifestUse, ProgramUse, World};
use agpm_app::project::write_mode::WriteMode;
use agpm_app::status::status;
use agpm_app::update::{UpdateRequest, UpdateTarget, update};
use agpm_diag::Outcome;
use agpm_merge::SecretDisplay;
use agpm_report::DetailLevel;
use rmcp::ErrorData;
use rmcp::model::CallToolResult;

use crate::answer::{OperationFailure, annotate_report};
use crate::shared::{SharedState, WorkPool};
use crate::tool::arguments::ToolOperation;
use crate::tool::listing::list;
use crate::tool::reading::read;

impl ToolOperation {
    /// The pool for the work, by its duration.
    pub(crate) fn pool(&self) -> WorkPool {
        match self {
            ToolOperation::List(_) | ToolOperation::Read { .. } => WorkPool::Quick,
            _ => WorkPool::Slow,
        }
    }
}

/// Runs an operation.
pub(crate) fn run(
    shared: &SharedState,
    operation: &ToolOperation,
) -> Result<CallToolResult, ErrorData> {
    let world = &shared.world.sharing_sources();
    let answer = match operation {
        ToolOperation::List(listing) => list(shared, listing)?,
        ToolOperation::Read { kind, name } => read(shared, *kind, name)?,
        ToolOperation::Explain { what, pointer } => {
            annotate_report(explain(world, &explain_request(what, pointer.as_deref())))
                .map(|annotated| annotated.answer(&agpm_report::explain::text(&annotated.report)))
        }
        ToolOperation::Status => annotate_report(status(world))
            .map(|annotated| annotated.answer(&agpm_report::status::text(&annotated.report))),
        ToolOperation::Plan => installed(install(world, &dry_run_request())),
        ToolOperation::Install => {
            installed(install(&world_for_writing(world), &InstallRequest::PLAIN))
        }
        ToolOperation::Update { names } => {
            let request = UpdateRequest {
                names: names.clone(),
                target: UpdateTarget::Allowed,
                install: InstallRequest::PLAIN,
            };
            annotate_report(update(&world_for_writing(world), &request)).map(|annotated| {
                let text = agpm_report::update::text(&annotated.report, DetailLevel::Folded);
                annotated.answer(&text)
            })
        }
    };
    Ok(answer.unwrap_or_else(OperationFailure::answer))
}

/// With `--allow-write`, operations may run executables that were approved on this machine, as `agpm install` may.
fn world_for_writing(world: &World) -> World {
    let mut world = world.clone();
    world.environment.programs = ProgramUse::Approved;
    world
}

fn dry_run_request() -> InstallRequest {
    InstallRequest {
        writing: WriteMode::Show,
        ..InstallRequest::PLAIN
    }
}

fn installed(outcome: Outcome<InstallReport>) -> Result<CallToolResult, OperationFailure> {
    annotate_report(outcome).map(|annotated| {
        annotated.answer(&agpm_report::install::text(
            &annotated.report,
            DetailLevel::Folded,
        ))
    })
}

/// Secrets stay masked, since results go to a model.
fn explain_request(what: &str, pointer: Option<&str>) -> ExplainRequest {
    let inputs = MergeInputs {
        files: Vec::new(),
        layer_names: Vec::new(),
        strategy: None,
        rules: Vec::new(),
        manifest: ManifestUse::Nearest,
    };
    ExplainRequest {
        what: what.to_owned(),
        pointer: pointer.map(str::to_owned),
        inputs,
        json_file: None,
        secrets: SecretDisplay::Masked,
    }
}
