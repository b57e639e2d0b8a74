use std::process::ExitCode;

use agpm_app::policy::{policy_check, policy_show};
use agpm_app::project::world::World;

use crate::args::PolicyCommand;
use crate::output::Output;

pub(crate) fn run(world: &World, what: &PolicyCommand, output: &mut Output) -> ExitCode {
    match what {
        PolicyCommand::Show(_) => {
            output.finish(policy_show(world), agpm_report::policy::render_rules)
        }
        PolicyCommand::Check(_) => {
            output.finish(policy_check(world), agpm_report::policy::render_check)
        }
    }
}
