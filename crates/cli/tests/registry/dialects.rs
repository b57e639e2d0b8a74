//! Artifacts that other programs made.

use agpm_testkit::{FakeLayer, FakeRegistry, digest_of, tar_archive};

use crate::{EMPTY, INSTALLED, SKILL, add_skill, pdf_project, project_with, skill_text};

const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
const IMAGE: &str = "application/vnd.oci.image.config.v1+json";
const FLUX: &str = "application/vnd.cncf.flux.config.v1+json";
const FLUX_LAYER: &str = "application/vnd.cncf.flux.content.v1.tar+gzip";

#[test]
fn artifacts_of_every_dialect_install() {
    let text = skill_text("pdf", "words");
    let wrapped = tar_archive(&[("pdf/", '5', ""), ("pdf/SKILL.md", '0', &text)]);
    let flat = tar_archive(&[("./SKILL.md", '0', &text), ("./x.sh", '0', "echo\n")]);
    let titled = FakeLayer {
        annotations: "{\"org.opencontainers.image.title\":\"SKILL.md\"}".to_owned(),
        ..FakeLayer::new("text/markdown", text.clone().into_bytes())
    };
    let unpacked = FakeLayer {
        annotations:
            "{\"org.opencontainers.image.title\":\"pdf\",\"io.deis.oras.content.unpack\":\"true\"}"
                .to_owned(),
        ..FakeLayer::new(
            "application/vnd.oci.image.layer.v1.tar+gzip",
            wrapped.clone(),
        )
    };
    for (types, layers) in [
        ([SKILL, EMPTY], vec![FakeLayer::new(LAYER, wrapped.clone())]),
        (
            ["dev.toolhive.skills.v1", IMAGE],
            vec![FakeLayer::new(LAYER, flat.clone())],
        ),
        (["", FLUX], vec![FakeLayer::new(FLUX_LAYER, flat.clone())]),
        (["", EMPTY], vec![titled]),
        (["application/vnd.acme.thing", EMPTY], vec![unpacked]),
        (["", IMAGE], vec![FakeLayer::new(LAYER, wrapped.clone())]),
    ] {
        let registry = FakeRegistry::start();
        registry.add_artifact("skills/pdf", "1.0.0", types, &layers);
        let project = pdf_project(&registry, "^1");
        project.good("install");
        assert_eq!(project.read(INSTALLED), text, "{types:?}");
    }
}

#[test]
fn of_an_image_the_files_of_agents_are_read_and_whiteouts_apply() {
    let registry = FakeRegistry::start();
    let text = skill_text("pdf", "second");
    let base = tar_archive(&[
        ("etc/passwd", '0', "root"),
        ("bin", '2', "/usr/bin"),
        ("skills/pdf/SKILL.md", '0', "old"),
        ("skills/pdf/gone.md", '0', "gone"),
        ("skills/old/SKILL.md", '0', "old"),
    ]);
    let top = tar_archive(&[
        ("skills/pdf/SKILL.md", '0', &text),
        ("skills/pdf/.wh.gone.md", '0', ""),
        ("skills/.wh.old", '0', ""),
    ]);
    let layers = [FakeLayer::new(LAYER, base), FakeLayer::new(LAYER, top)];
    registry.add_artifact("images/agents", "1.0.0", ["", IMAGE], &layers);
    let entry = "[skills]\npdf = { source = \"corp\", path = \"skills/pdf\", version = \"^1\" }\n";
    let project = project_with(&registry.url("images/agents"), entry);
    project.good("install");
    assert_eq!(project.read(INSTALLED), text);
    assert!(!project.exists(".claude/skills/pdf/gone.md"));
    let output = project.good("browse corp");
    assert!(!output.stdout.contains("skills/old"), "{output}");
}

#[test]
fn other_layers_are_an_error_that_names_the_artifact_type() {
    let registry = FakeRegistry::start();
    let layers = [FakeLayer::new("application/wasm", b"x".to_vec())];
    let types = [
        "application/vnd.acme.module.v1",
        "application/vnd.acme.config",
    ];
    registry.add_artifact("skills/pdf", "1.0.0", types, &layers);
    let project = pdf_project(&registry, "^1");
    project.refused("install", 1, &["application/vnd.acme.module.v1"]);
}

#[test]
fn of_an_index_the_first_known_manifest_is_read_and_the_index_is_locked() {
    let registry = FakeRegistry::start();
    let skill = add_skill(&registry, "skills/pdf", "", "words");
    let size = registry.blob(&skill).map_or(1, |bytes| bytes.len());
    let index = format!(
        "{{\"schemaVersion\":2,\"manifests\":[\
         {{\"mediaType\":\"m\",\"digest\":\"{}\",\"size\":1,\"artifactType\":\"application/vnd.other\"}},\
         {{\"mediaType\":\"m\",\"digest\":\"{skill}\",\"size\":{size}}}]}}",
        digest_of(b"other")
    );
    let digest = registry.add_manifest("skills/pdf", "1.0.0", &index);
    let project = pdf_project(&registry, "^1");
    project.good("install");
    assert!(project.read("agpm.lock").contains(&digest));
}

#[test]
fn a_collection_has_the_skills_that_it_refers_to() {
    let registry = FakeRegistry::start();
    let pdf = add_skill(&registry, "skills/pdf", "1.0.0", "words");
    let docx = add_skill(&registry, "skills/docx", "1.0.0", "other");
    let entry = |name: &str, digest: &str| {
        format!(
            "{{\"mediaType\":\"m\",\"digest\":\"{digest}\",\"size\":1,\"annotations\":{{\
             \"io.agentskills.skill.name\":\"{name}\",\
             \"io.agentskills.skill.ref\":\"{}/skills/{name}:1.0.0\"}}}}",
            registry.host()
        )
    };
    let index = format!(
        "{{\"schemaVersion\":2,\"artifactType\":\"application/vnd.agentskills.collection.v1\",\
         \"manifests\":[{},{}]}}",
        entry("pdf", &pdf),
        entry("docx", &docx)
    );
    registry.add_manifest("collections/all", "1.0.0", &index);
    let more = "[skills]\npdf = { source = \"corp\", path = \"pdf\", version = \"^1\" }\n";
    let project = project_with(&registry.url("collections/all"), more);
    project.good("install");
    assert!(project.read(INSTALLED).contains("words"));
    let output = project.good("browse corp");
    assert!(output.stdout.contains("skills/docx"), "{output}");
}
