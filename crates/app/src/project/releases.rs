//! Chooses the best version of a source, with the minimum release age of policies.

use agpm_diag::{Diagnostic, codes};
use agpm_model::{Requirement, ResolvedVersion, VersionLabel};
use agpm_resolve::ReleaseLimit;
use agpm_source::{Source, SourceError, resolve, resolve_all};

/// The best version that a requirement allows.
pub(crate) struct BestVersion {
    /// The version, with its commit.
    pub version: ResolvedVersion,
    /// The newest version, if it is too young.
    skipped: Option<VersionLabel>,
}

impl BestVersion {
    /// Returns the note that a newer version exists and is too young.
    pub(crate) fn note(&self, label: &str) -> Option<Diagnostic> {
        let skipped = self.skipped.as_ref()?;
        let message = format!(
            "{label} stays at {}: {skipped} is too young",
            self.version.label
        );
        let help = "a policy requires a minimum release age; `agpm policy show` names it";
        Some(Diagnostic::new(&codes::POLICY_RELEASE_AGE, message).help(help))
    }
}

/// Returns the best version that a requirement allows and that is old enough. If none is old enough, or if the
/// requirement is not a range, it returns the newest: the policies are checked later and report it.
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
