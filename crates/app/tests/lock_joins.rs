//! Law: for random pairs of branches, the joined lockfile equals a fresh resolution with the higher pins, or both fail
//! with the same explanation.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

mod memory;

use std::collections::BTreeMap;

use agpm_app::install::{InstallRequest, install};
use agpm_model::{LockEntry, Lockfile, VersionLabel, VersionRequirement};
use agpm_text::{Format, parse_alone};

use memory::MemoryProject;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
const VERSIONS: [&str; 7] = [
    "v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0", "v2.0.0", "v2.1.0", "v3.0.0",
];
const REQUIREMENTS: [&str; 6] = ["^1", "~1.2", ">=1.1, <3", "^2", "*", "v1.3.0"];
const PATHS: [&str; 4] = ["agents/a.md", "agents/b.md", "agents/c.md", "agents/d.md"];

/// A generator of numbers, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// The requirements of a branch, and the versions that it is locked at.
#[derive(Clone, Debug)]
struct Branch {
    requirements: BTreeMap<&'static str, &'static str>,
    versions: BTreeMap<&'static str, &'static str>,
}

impl Branch {
    fn random(numbers: &mut Numbers) -> Self {
        let mut branch = Branch {
            requirements: BTreeMap::new(),
            versions: BTreeMap::new(),
        };
        for name in NAMES {
            // A branch without dependencies has no lockfile.
            if name != "b" && numbers.below(4) == 0 {
                continue;
            }
            let required = REQUIREMENTS[numbers.below(REQUIREMENTS.len())];
            let fitting: Vec<&str> = VERSIONS
                .into_iter()
                .filter(|version| is_allowed(required, version))
                .collect();
            branch.requirements.insert(name, required);
            branch
                .versions
                .insert(name, fitting[numbers.below(fitting.len())]);
        }
        branch
    }

    /// The lockfile of the branch; `None` if its requirements contradict each other.
    fn lock(&self) -> Option<String> {
        // Pins stay while the requirement allows them, so exact requirements set them.
        let project = project(&self.versions);
        installed(&project)?;
        project
            .sandbox
            .write("agpm.toml", manifest(&self.requirements));
        installed(&project)?;
        Some(project.sandbox.read("agpm.lock"))
    }
}

fn is_allowed(required: &str, version: &str) -> bool {
    let required = VersionRequirement::parse(required).unwrap();
    required.allows(&VersionLabel::new(version))
}

fn manifest(requirements: &BTreeMap<&str, &str>) -> String {
    let mut text = "[sources]\nshared = \"https://shared.invalid/shared\"\n\n[agents]\n".to_owned();
    for (name, required) in requirements {
        text.push_str(&format!(
            "{name} = {{ source = \"shared\", path = \"agents/{name}.md\", version = \"{required}\" }}\n"
        ));
    }
    text
}

fn project(requirements: &BTreeMap<&str, &str>) -> MemoryProject {
    let project = MemoryProject::new(&manifest(requirements));
    let mut releases = Vec::new();
    for version in VERSIONS {
        // Each release of `a` requires `d` of the same major version.
        let major = &version[1..2];
        let needs = format!(
            "---\ndependencies:\n  agents:\n    - path: d.md\n      version: \"^{major}\"\n---\na {version}\n"
        );
        let text_of = |path: &str| match path {
            "agents/a.md" => needs.clone(),
            path => format!("{path} {version}\n"),
        };
        let files = PATHS.map(|path| (path, text_of(path))).to_vec();
        releases.push((version, files));
    }
    project.publish(&releases);
    project
}

/// Installs a project; `None` if that fails.
fn installed(project: &MemoryProject) -> Option<()> {
    install(&project.world(), &InstallRequest::PLAIN)
        .result
        .ok()
        .map(drop)
}

/// The messages of a failed install, or the lockfile.
fn outcome(project: &MemoryProject) -> Result<String, Vec<String>> {
    let outcome = install(&project.world(), &InstallRequest::PLAIN);
    if outcome.result.is_ok() {
        return Ok(project.sandbox.read("agpm.lock"));
    }
    let messages = outcome.diagnostics.into_iter();
    let errors = messages.filter(|found| found.code.name != "lock/joined");
    Err(errors.map(|found| found.message).collect())
}

fn parsed(text: &str) -> Lockfile {
    let document = parse_alone(text.to_owned(), Format::Toml).document;
    let (lock, mistakes) = Lockfile::read(&document);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    lock
}

/// Of every resource, the higher of the pins that the merged manifest allows.
fn higher_pins(sides: &[Lockfile; 2], merged: &BTreeMap<&str, &str>) -> Lockfile {
    let mut best: BTreeMap<String, LockEntry> = BTreeMap::new();
    let [ours, theirs] = sides;
    for entry in ours.entries.iter().chain(&theirs.entries) {
        let name = entry.name.to_string();
        let is_both = sides
            .iter()
            .all(|lock| lock.entries.iter().any(|one| one.name == entry.name));
        let required = merged.get(name.as_str());
        let version = entry.version().unwrap();
        let fits = required.is_none_or(|required| is_allowed(required, version.as_str()));
        let is_lower = best
            .get(&name)
            .is_some_and(|other| other.version() >= Some(version));
        if (fits || !is_both) && !is_lower {
            best.insert(name, entry.clone());
        }
    }
    Lockfile {
        entries: best.into_values().collect(),
        ..ours.clone()
    }
}

fn check_pairs(seed: u64, pairs: usize) {
    let mut numbers = Numbers(seed);
    let (mut joined, mut explained) = (0, 0);
    while joined + explained < pairs {
        let branches = [Branch::random(&mut numbers), Branch::random(&mut numbers)];
        let [Some(ours), Some(theirs)] = branches.each_ref().map(Branch::lock) else {
            continue;
        };
        let mut merged = BTreeMap::new();
        for name in NAMES {
            let side = &branches[numbers.below(2)];
            if let Some(required) = side.requirements.get(name) {
                merged.insert(name, *required);
            }
        }
        let conflicted = project(&merged);
        let text = format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> theirs\n");
        conflicted.sandbox.write("agpm.lock", &text);
        let fresh = project(&merged);
        let higher = higher_pins(&[parsed(&ours), parsed(&theirs)], &merged);
        fresh.sandbox.write("agpm.lock", higher.to_text());
        let (found, expected) = (outcome(&conflicted), outcome(&fresh));
        assert_eq!(found, expected, "{branches:?} merged as {merged:?}");
        match found {
            Ok(_) => joined += 1,
            // The file stays, so nothing of either branch is lost.
            Err(messages) => {
                assert!(!messages.is_empty());
                assert_eq!(conflicted.sandbox.read("agpm.lock"), text);
                explained += 1;
            }
        }
    }
    assert!(joined > explained, "{joined} joined, {explained} explained");
}

#[test]
fn a_joined_lockfile_is_a_fresh_resolution_with_the_higher_pins() {
    check_pairs(1, 40);
}

#[test]
#[ignore = "the long form, for a soak run"]
fn ten_thousand_pairs_of_branches_are_joined() {
    check_pairs(2, 10_000);
}
