//! Registries and image layouts as sources, through the program and against a registry that misbehaves.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

#[path = "../packages/support.rs"]
#[allow(
    dead_code,
    reason = "what packages need is more than what registries need"
)]
mod project;

mod dialects;
mod faults;
mod publishing;
mod real;
mod sites;
mod sources;

use agpm_testkit::{FakeLayer, FakeRegistry, TarEntry, tar_archive};
use project::Project;

const EMPTY: &str = "application/vnd.oci.empty.v1+json";
const SKILL: &str = "application/vnd.agentskills.skill.v1";
const SKILL_CONFIG: &str = "application/vnd.agentskills.skill.config.v1+json";
const SKILL_LAYER: &str = "application/vnd.agentskills.skill.content.v1.tar+gzip";

/// The text of a skill.
fn skill_text(name: &str, words: &str) -> String {
    format!("---\nname: {name}\ndescription: {words}\n---\n\n{words}\n")
}

/// Adds a skill as one artifact.
fn add_skill(registry: &FakeRegistry, repository: &str, tag: &str, words: &str) -> String {
    let name = repository.rsplit('/').next().unwrap();
    let (path, text) = (format!("{name}/SKILL.md"), skill_text(name, words));
    let layer = tar_archive(&[(&path, '0', &text)]);
    let layers = [FakeLayer::new(SKILL_LAYER, layer)];
    registry.add_artifact(repository, tag, [SKILL, SKILL_CONFIG], &layers)
}

/// Adds an artifact with one archive of any kind.
fn add_archive(registry: &FakeRegistry, repository: &str, tag: &str, entries: &[TarEntry<'_>]) {
    let layer = FakeLayer::new(
        "application/vnd.oci.image.layer.v1.tar",
        tar_archive(entries),
    );
    registry.add_artifact(repository, tag, [SKILL, EMPTY], &[layer]);
}

/// A project with the source `corp`.
fn project_with(url: &str, more: &str) -> Project {
    let project = Project::new();
    let text = format!("[sources]\ncorp = \"{url}\"\n{more}");
    project.sandbox.write("project/agpm.toml", text);
    project
}

/// A project with the skill `pdf` of a repository that is one.
fn pdf_project(registry: &FakeRegistry, version: &str) -> Project {
    let entry =
        format!("[skills]\npdf = {{ source = \"corp\", path = \".\", version = \"{version}\" }}\n");
    project_with(&registry.url("skills/pdf"), &entry)
}

const INSTALLED: &str = ".claude/skills/pdf/SKILL.md";
