//! The best version of a source, under the policies' limit on the age of releases.

use agpm_diag::{Diagnostic, codes};
use agpm_model::{Requirement, ResolvedVersion};
use agpm_resolve::ReleaseLimit;
use agpm_source::{Source, SourceError, resolve, resolve_all};

/// The best version that a requirement allows.
pub(crate) struct BestVersion {
    pub(crate) version: ResolvedVersion,
    /// The newest version, where it is too young.
    skipped: Option<String>,
}

impl BestVersion {
    /// The note that a newer version exists and is too young.
    pub(crate) fn note(&self, label: &str) -> Option<Diagnostic> {
        let skipped = self.skipped.as_ref()?;
        let message = format!(
            "{label} stays at {}: {skipped} is younger than a policy requires",
            self.version.label
        );
        let help = "`agpm policy show` names the policy";
        Some(Diagnostic::new(&codes::POLICY_RELEASE_AGE, message).help(help))
    }
}

/// The best version that a requirement allows and that is old enough. Where none is, or where the requirement leaves no
/// choice, this is the newest: the policies judge it.
pub(crate) fn best_version(
    source: &dyn Source,
    requirement: &Requirement,
    limit: Option<ReleaseLimit>,
) -> Result<Option<BestVersion>, SourceError> {
    let Some(newest) = resolve(source, requirement)? else {
        return Ok(None);
    };
    let Some(limit) = limit.filter(|_| requirement.is_range()) else {
        return Ok(Some(BestVersion {
            version: newest,
            skipped: None,
        }));
    };
    let allowed = resolve_all(source, &requirement.choices())?;
    let released = source.released(&allowed);
    let older = limit.first_old_enough(&allowed, &released);
    let older = older.filter(|version| version.revision != newest.revision);
    Ok(Some(match older {
        Some(version) => BestVersion {
            version: version.clone(),
            skipped: Some(newest.label),
        },
        None => BestVersion {
            version: newest,
            skipped: None,
        },
    }))
}
