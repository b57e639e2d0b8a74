//! Reads the policies outside of the manifest.

use std::path::Path;

use agpm_diag::Failure;
use agpm_store as store;
use agpm_trust::PolicyLocation;

use crate::project::policy_cache::{POLICY_NAME, PolicyAddress, cached_policy, file_of_url};
use crate::project::reading::{display_path, limit};
use crate::project::world::Environment;

/// A policy outside of the manifest, unparsed.
#[derive(Clone, Debug)]
pub(crate) struct PolicyFile {
    /// The path or URL as shown to the user.
    pub label: String,
    /// The content; `None` if a policy that was named cannot be read.
    pub bytes: Option<Vec<u8>>,
    /// Where the policy comes from.
    pub location: PolicyLocation,
}

/// Reads the existing policies outside of the manifest, and those that the user named. A policy at a URL is read from
/// the cache.
pub(crate) fn policy_files(environment: &Environment) -> Result<Vec<PolicyFile>, Failure> {
    let mut files = Vec::new();
    let policies = &environment.policies;
    if let Some(path) = &policies.machine {
        files.extend(existing_file(environment, path, PolicyLocation::Machine));
    }
    if let Some(named) = &policies.variable {
        files.push(named_file(environment, named, PolicyLocation::Variable)?);
    }
    if let Some(directory) = &environment.config_directory {
        let path = directory.join(POLICY_NAME);
        files.extend(existing_file(environment, &path, PolicyLocation::User));
    }
    if let Some(named) = &policies.argument {
        files.push(named_file(environment, named, PolicyLocation::Argument)?);
    }
    Ok(files)
}

fn existing_file(
    environment: &Environment,
    path: &Path,
    location: PolicyLocation,
) -> Option<PolicyFile> {
    // One that exists and cannot be read is not the same as none.
    if !store::exists(path) && store::link_target(path).is_none() {
        return None;
    }
    Some(PolicyFile {
        label: display_path(environment, path),
        bytes: store::read(path, limit()).ok(),
        location,
    })
}

fn named_file(
    environment: &Environment,
    named: &str,
    location: PolicyLocation,
) -> Result<PolicyFile, Failure> {
    if let Some(address) = PolicyAddress::parse(named)? {
        return Ok(PolicyFile {
            label: address.to_string(),
            bytes: cached_policy(environment, &address).map(|cached| cached.text.into_bytes()),
            location,
        });
    }
    let path = file_of_url(named).unwrap_or(Path::new(named));
    let path = environment.resolve(path);
    Ok(PolicyFile {
        label: display_path(environment, &path),
        bytes: store::read(&path, limit()).ok(),
        location,
    })
}
