//! The resources to install, as policies judge them.

use agpm_compose::{
    JudgedFile, RenderedResource, judged_layers, judged_list, judged_resources, judged_source,
    judged_version,
};
use agpm_diag::{Diagnostic, codes};
use agpm_layers::LayeredFile;
use agpm_manifest::LoadedBase;
use agpm_model::{
    BaseAddress, LockedLayer, LockedRemote, Manifest, Pin, RemoteBase, RepositoryBase, Requirement,
    RuleName, VersionLabel, VersionRequirement,
};
use agpm_resolve::ResolvedEntry;
use agpm_trust::{CapabilitySet, JudgedContent, PolicySet, ReleaseAge, Violation};

/// Everything that policies judge.
pub struct JudgedInstall<'a> {
    /// The manifest that requires them.
    pub manifest: &'a Manifest,
    /// The manifests that it extends.
    pub bases: &'a [LoadedBase],
    /// The resources.
    pub resources: &'a [RenderedResource],
    /// The files of layers.
    pub layer_files: &'a [LayeredFile],
    /// The versions of layers.
    pub layers: &'a [LockedLayer],
    /// The versions of the catalog's remotes.
    pub catalog: &'a [LockedRemote],
}

/// The ages of versions.
pub trait ReleaseAges {
    /// The age of a resource's version.
    fn of_resource(&self, resolved: &ResolvedEntry) -> ReleaseAge;

    /// The age of a layer's version.
    fn of_layer(&self, pin: &Pin) -> ReleaseAge;

    /// The age of a base's version.
    fn of_base(&self, base: &RepositoryBase, pin: &Pin) -> ReleaseAge;
}

impl JudgedInstall<'_> {
    /// The violations of the policies.
    pub fn violations(&self, policies: &PolicySet, ages: &dyn ReleaseAges) -> Vec<Diagnostic> {
        if policies.count() == 0 {
            return Vec::new();
        }
        // Finding a date reads the commit, so it is not done where no policy judges the age.
        let judges_age = policies.min_release_age().is_some();
        let needed_age = |age: &dyn Fn() -> ReleaseAge| {
            if judges_age {
                age()
            } else {
                ReleaseAge::Unknown
            }
        };
        let files: Vec<JudgedFile<'_>> = self.layer_files.iter().map(judged_file).collect();
        let age_of = |resolved: &ResolvedEntry| needed_age(&|| ages.of_resource(resolved));
        let mut contents = judged_resources(self.manifest, self.resources, &age_of);
        contents.extend(judged_layers(self.manifest, &files));
        contents.extend(self.layers.iter().filter_map(|layer| {
            let pin = layer.pin.as_ref()?;
            let age = needed_age(&|| ages.of_layer(pin));
            Some(JudgedContent {
                version: Some(judged_version(pin, age)),
                ..plain_content(layer.name.label())
            })
        }));
        contents.extend(self.bases.iter().filter_map(judged_base));
        contents.extend(self.catalog.iter().map(|remote| self.judged_remote(remote)));
        contents.extend(self.marketplaces());
        // Policies of a base do not judge its age, so its versions are judged apart.
        let base_versions = self.bases.iter().filter_map(|base| {
            let (repository, pin) = (repository_of(base)?, base.locked.pin.as_ref()?);
            let age = needed_age(&|| ages.of_base(repository, pin));
            Some(JudgedContent {
                version: Some(judged_version(pin, age)),
                ..plain_content(base.locked.name().label())
            })
        });
        let base_versions: Vec<JudgedContent<'_>> = base_versions.collect();
        let mut violations = policies.violations(&contents);
        violations.extend(policies.base_violations(&base_versions));
        violations.iter().map(report_violation).collect()
    }
}

impl<'a> JudgedInstall<'a> {
    fn judged_remote(&self, locked: &'a LockedRemote) -> JudgedContent<'a> {
        let remote = locked.remote();
        let requirement = remote.reference.as_deref();
        let requirement = requirement.and_then(|name| VersionRequirement::parse(name).ok());
        let requirement = requirement.map(Requirement::Version);
        let source = match &remote.base {
            RemoteBase::Source(name) => judged_source(self.manifest, name),
            RemoteBase::Address(address) => Some(address),
        };
        JudgedContent {
            source,
            version: Some(judged_list(requirement.as_ref(), &locked.pin().version)),
            ..plain_content(remote.label())
        }
    }

    /// The marketplaces that locate plugins of other sources; a plugin in its marketplace is checked itself.
    fn marketplaces(&self) -> impl Iterator<Item = JudgedContent<'a>> {
        self.manifest.dependencies.iter().filter_map(|dependency| {
            let plugin = dependency.marketplace.as_ref()?;
            let name = &plugin.plugin.marketplace;
            if dependency.unit.origin.source() == Some(name) {
                return None;
            }
            let source = judged_source(self.manifest, name);
            let label = VersionLabel::new(plugin.requirement.as_str());
            let is_pinned = plugin.pin.as_ref().is_some_and(|pin| pin.commit.is_some());
            Some(JudgedContent {
                source,
                version: is_pinned.then(|| judged_list(Some(&plugin.requirement), &label)),
                ..plain_content(dependency.id().to_string())
            })
        })
    }
}

/// A base in a repository has a source like everything that it brings.
fn judged_base(base: &LoadedBase) -> Option<JudgedContent<'_>> {
    Some(JudgedContent {
        source: Some(&repository_of(base)?.url),
        ..plain_content(base.locked.name().label())
    })
}

fn repository_of(base: &LoadedBase) -> Option<&RepositoryBase> {
    match &base.address {
        BaseAddress::Repository(repository) => Some(repository),
        BaseAddress::Directory(_) => None,
    }
}

fn plain_content(id: String) -> JudgedContent<'static> {
    JudgedContent {
        id,
        types: Vec::new(),
        tools: Vec::new(),
        source: None,
        version: None,
        capabilities: CapabilitySet::default(),
        chain: Vec::new(),
    }
}

fn judged_file(file: &LayeredFile) -> JudgedFile<'_> {
    JudgedFile {
        path: &file.path,
        bytes: &file.bytes,
        mode: file.mode,
        owner: &file.owner,
        nodes: file.keys.as_ref().map_or(&[], |keys| keys.nodes.as_slice()),
    }
}

fn report_violation(violation: &Violation) -> Diagnostic {
    let Violation {
        rule,
        message,
        id,
        chain,
        spot,
    } = violation;
    let title = match rule {
        RuleName::Require => format!("policy `{rule}` is not met"),
        _ => format!("policy `{rule}` forbids {id}"),
    };
    let diagnostic = Diagnostic::new(&codes::POLICY_VIOLATION, title).at_spot(*spot);
    let diagnostic = diagnostic.detail(message);
    let required = (!chain.is_empty()).then(|| format!("required by {}", chain.join(" -> ")));
    let help = match rule {
        RuleName::Require => "add it, or run `agpm policy show` to see which policy requires it",
        _ => "remove it, or run `agpm policy show` to see which policy sets the rule",
    };
    diagnostic.in_unit(id.clone()).details(required).help(help)
}
