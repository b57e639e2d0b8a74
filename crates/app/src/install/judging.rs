//! The resources to install, as policies judge them.

use crate::manifest::LoadedBase;
use crate::manifest::MANIFEST_NAME;
use agpm_compose::{
    JudgedFile, RenderedResource, VersionFacts, judged_layers, judged_list, judged_resources,
    judged_source, judged_version,
};
use agpm_diag::{Diagnostic, codes};
use agpm_layers::LayeredFile;
use agpm_model::{
    AddressKind, BaseAddress, Layer, LayerName, LockedLayer, LockedRemote, MARKETPLACE_FILES,
    Manifest, Pin, RelativePath, RemoteBase, RepositoryBase, Requirement, RuleName, VersionLabel,
    VersionRequirement,
};
use agpm_resolve::ResolvedEntry;
use agpm_trust::{JudgedContent, JudgedVersion, PolicySet, ReleaseAge, Violation};

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

/// Facts about versions that only their sources know.
pub trait SourceFacts {
    /// The age of a resource's version.
    fn age_of_resource(&self, resolved: &ResolvedEntry) -> ReleaseAge;

    /// The age of a layer's version.
    fn age_of_layer(&self, pin: &Pin) -> ReleaseAge;

    /// The age of a base's version.
    fn age_of_base(&self, base: &RepositoryBase, pin: &Pin) -> ReleaseAge;

    /// The tags of the commit of a resource.
    fn tags_of_resource(&self, resolved: &ResolvedEntry) -> Vec<VersionLabel>;

    /// The tags of the commit of a layer.
    fn tags_of_layer(&self, pin: &Pin) -> Vec<VersionLabel>;

    /// The tags of the commit of a base.
    fn tags_of_base(&self, base: &RepositoryBase, pin: &Pin) -> Vec<VersionLabel>;
}

/// Reads only the facts that some policy judges: the date of a version is in its commit.
struct NeededFacts<'a> {
    facts: &'a dyn SourceFacts,
    judges_age: bool,
    judges_versions: bool,
}

impl NeededFacts<'_> {
    fn of(
        &self,
        age: impl Fn(&dyn SourceFacts) -> ReleaseAge,
        tags: impl Fn(&dyn SourceFacts) -> Vec<VersionLabel>,
    ) -> VersionFacts {
        let age = self.judges_age.then(|| age(self.facts));
        let tags = self.judges_versions.then(|| tags(self.facts));
        VersionFacts {
            age: age.unwrap_or(ReleaseAge::Unknown),
            tags: tags.unwrap_or_default(),
        }
    }
}

impl JudgedInstall<'_> {
    /// The violations of the policies.
    pub fn violations(&self, policies: &PolicySet, facts: &dyn SourceFacts) -> Vec<Diagnostic> {
        if policies.count() == 0 {
            return Vec::new();
        }
        let needed = NeededFacts {
            facts,
            judges_age: policies.min_release_age().is_some(),
            judges_versions: policies.denies_resources(),
        };
        let files: Vec<JudgedFile<'_>> = self.layer_files.iter().map(judged_file).collect();
        let facts_of = |resolved: &ResolvedEntry| {
            needed.of(
                |facts| facts.age_of_resource(resolved),
                |facts| facts.tags_of_resource(resolved),
            )
        };
        let mut contents = judged_resources(self.manifest, self.resources, &facts_of);
        contents.extend(judged_layers(self.manifest, &files));
        let layers = self.manifest.layers.iter();
        contents.extend(layers.map(|layer| self.judged_layer(layer, &needed)));
        contents.extend(self.catalog.iter().map(|remote| self.judged_remote(remote)));
        contents.extend(self.marketplaces());
        let bases = self.bases.iter();
        // Policies of a base do not judge its age, so bases are judged apart.
        let bases: Vec<JudgedContent<'_>> = bases
            .filter_map(|base| judged_base(base, &needed))
            .collect();
        let mut violations = policies.violations(&contents);
        violations.extend(policies.base_violations(&bases));
        violations.iter().map(report_violation).collect()
    }
}

impl<'a> JudgedInstall<'a> {
    /// Where a layer comes from. Several layers may share a file, so what is in their files is judged by file.
    fn judged_layer(&self, layer: &Layer, facts: &NeededFacts<'_>) -> JudgedContent<'a> {
        let locked = self.layers.iter().find(|locked| locked.name == layer.name);
        let pin = locked.and_then(|locked| locked.pin.as_ref());
        let version = pin.map(|pin| {
            let facts = facts.of(
                |facts| facts.age_of_layer(pin),
                |facts| facts.tags_of_layer(pin),
            );
            judged_version(pin, facts)
        });
        let source = layer.location.source();
        let root = layer.root.as_ref();
        let files = self.layer_files.iter();
        let files = files.filter(|file| is_from_layer(file, &layer.name));
        JudgedContent {
            source: source.and_then(|name| judged_source(self.manifest, name)),
            paths: files
                .map(|file| path_in(root, file.path.as_str()))
                .collect(),
            version,
            ..JudgedContent::new(layer.name.label())
        }
    }

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
            paths: vec![path_in(remote.directory.as_ref(), "")],
            version: Some(JudgedVersion {
                commit: Some(locked.pin().commit.clone()),
                ..judged_list(requirement.as_ref(), &locked.pin().version)
            }),
            ..JudgedContent::new(remote.label())
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
                paths: MARKETPLACE_FILES.iter().map(ToString::to_string).collect(),
                version: is_pinned.then(|| judged_list(Some(&plugin.requirement), &label)),
                ..JudgedContent::new(dependency.id().to_string())
            })
        })
    }
}

/// A base in a repository has a source and a version like everything that it brings.
fn judged_base<'b>(base: &'b LoadedBase, facts: &NeededFacts<'_>) -> Option<JudgedContent<'b>> {
    let repository = repository_of(base)?;
    let version = base.locked.pin.as_ref().map(|pin| {
        let facts = facts.of(
            |facts| facts.age_of_base(repository, pin),
            |facts| facts.tags_of_base(repository, pin),
        );
        judged_version(pin, facts)
    });
    let path = match repository.directory.as_str() {
        "" => MANIFEST_NAME.to_owned(),
        directory => format!("{directory}/{MANIFEST_NAME}"),
    };
    // Local paths are the project's own affair.
    let is_directory = matches!(repository.url.kind(), AddressKind::Directory(_));
    Some(JudgedContent {
        source: (!is_directory).then_some(&repository.url),
        paths: vec![path],
        version,
        ..JudgedContent::new(base.locked.name().label())
    })
}

fn is_from_layer(file: &LayeredFile, name: &LayerName) -> bool {
    let nodes = file.keys.as_ref().map_or(&[][..], |keys| &keys.nodes);
    let owners = nodes.iter().map(|node| &node.owner).chain([&file.owner]);
    let mut sets = owners.filter_map(|owner| owner.layers());
    sets.any(|layers| layers.may_have(name))
}

/// A path under the directory of a repository that applies.
fn path_in(root: Option<&RelativePath>, path: &str) -> String {
    match root {
        Some(root) if path.is_empty() => root.to_string(),
        Some(root) => format!("{root}/{path}"),
        None => path.to_owned(),
    }
}

fn repository_of(base: &LoadedBase) -> Option<&RepositoryBase> {
    match &base.address {
        BaseAddress::Repository(repository) => Some(repository),
        BaseAddress::Directory(_) => None,
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
        RuleName::ResourcesDeny => "run `agpm update` if a later version is allowed, or remove it",
        RuleName::Require => "add it, or run `agpm policy show` to see which policy requires it",
        _ => "remove it, or run `agpm policy show` to see which policy sets the rule",
    };
    diagnostic.in_unit(id.clone()).details(required).help(help)
}
