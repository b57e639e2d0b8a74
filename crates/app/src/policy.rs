//! `policy show` and `policy check`.

use agpm_diag::{Failure, Notes, Outcome};
use agpm_model::{Manifest, PolicyRow};
use agpm_trust::{PolicyCheckReport, PolicyReport, PolicyRuleReport};

use crate::install::judge_project;
use crate::install::policies::ProjectPolicies;
use crate::project::gather::{ManifestFiles, Project};
use crate::project::policy_cache::refresh_policies;
use crate::project::policy_files::policy_files;
use crate::project::world::{ManifestUse, World};

/// Shows every rule that applies, with the file and line that define it.
pub fn policy_show(world: &World) -> Outcome<PolicyReport> {
    let mut notes = Notes::default();
    let result = show(world, &mut notes);
    notes.outcome(result)
}

fn show(world: &World, notes: &mut Notes) -> Result<PolicyReport, Failure> {
    let environment = &world.environment;
    refresh_policies(world, notes)?;
    let files = ManifestFiles::find(environment, ManifestUse::Nearest)?;
    let policies = match files {
        Some(files) => ProjectPolicies::of(&mut Project::of(world, files, notes)?, notes)?,
        None => ProjectPolicies::read(policy_files(environment)?, &Manifest::default(), notes)?,
    };
    let report = |row: PolicyRow| {
        let spot = row.spot;
        PolicyRuleReport {
            rule: row.rule,
            value: row.value,
            file: notes.sources.get(spot.source).name.clone(),
            line: notes.sources.line(spot.source, spot.span.start),
        }
    };
    let rules = policies.set().rows().into_iter().map(report).collect();
    Ok(PolicyReport { rules })
}

/// Checks everything to be installed against all policies, without installing it.
pub fn policy_check(world: &World) -> Outcome<PolicyCheckReport> {
    let mut notes = Notes::default();
    let result = judge_project(world, &mut notes);
    notes.outcome(result)
}
