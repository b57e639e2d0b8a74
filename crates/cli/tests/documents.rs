//! Runs fixtures and documents as written.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

use std::path::{Path, PathBuf};

use agpm_testkit::{Sandbox, check_guide, each_fixture};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_guide_to_adding_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/adding.md"))
        .unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn fixtures_come_out_as_written() {
    each_fixture(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures"),
        PROGRAM,
    );
}

#[test]
fn the_guide_to_taking_over_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/taking-over.md"))
        .unwrap_or_else(|difference| panic!("{difference}"));
}

#[test]
fn the_guide_to_merging_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/merging.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_packages_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/packages.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_plugins_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/plugins.md"))
        .unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn the_guide_to_instructions_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/instructions.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_readme_says_what_happens() {
    let sandbox = Sandbox::new(PROGRAM);
    let demo = sandbox.run_line("agpm demo tour");
    assert_eq!(demo.code, Some(0), "{demo}");
    check_guide(&sandbox, &root().join("README.md")).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_picture_shows_what_happens() {
    let sandbox = Sandbox::new(PROGRAM);
    let demo = sandbox.run_line("agpm demo tour");
    assert_eq!(demo.code, Some(0), "{demo}");
    check_guide(&sandbox, &root().join("docs/images/quick-start.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_trust_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/trust.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_review_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/review.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_many_projects_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/fleet.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_workflow_of_the_guide_is_the_file_next_to_it() {
    let guide = std::fs::read_to_string(root().join("docs/review.md")).unwrap();
    let workflow = std::fs::read_to_string(root().join("docs/workflows/agpm-review.yml")).unwrap();
    assert!(guide.contains(&format!("```yaml\n{workflow}```\n")));
}

#[test]
fn the_guide_to_pipelines_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/ci.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_bases_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/bases.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_policies_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/policies.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_publishing_runs() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/publishing.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_the_audit_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/audit.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_capabilities_of_projects_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/can.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_servers_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/servers.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_content_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/content.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_layers_says_what_happens() {
    let sandbox = Sandbox::of_example(PROGRAM, &root().join("examples/layers"), "project");
    check_guide(&sandbox, &root().join("docs/layers.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_personas_says_what_happens() {
    check_guide(
        &Sandbox::standing_in(PROGRAM, "services/payments"),
        &root().join("docs/personas.md"),
    )
    .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_bottles_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/bottles.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_the_catalog_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/catalog.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn the_guide_to_the_server_says_what_happens() {
    check_guide(&Sandbox::new(PROGRAM), &root().join("docs/mcp.md"))
        .unwrap_or_else(|failure| panic!("{failure}"));
}
