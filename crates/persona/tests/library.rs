//! Which documents make up a persona, on files in memory.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use agpm_diag::{Failure, FailureKind, Notes};
use agpm_model::OutsideReads;
use agpm_persona::{
    LevelSearch, PersonaKind, PersonaLevels, PersonaLibrary, ProfileAddition, ProfileKinds,
};
use agpm_testkit::MemoryFiles;

const GIT: (&str, &str) = ("/repo/.git/HEAD", "");
const TOP: &str = "/repo/.clia/agents/ada/ada@top.agent.triad.json";
const LOW: &str = "/repo/app/.clia/agents/ada/ada@app.agent.triad.json";

fn search(directory: &str) -> LevelSearch {
    LevelSearch {
        working_directory: directory.into(),
        directory: directory.into(),
        ceiling: None,
        submodules: Vec::new(),
    }
}

fn library<'f>(
    files: &'f MemoryFiles,
    search: LevelSearch,
    notes: &mut Notes,
) -> PersonaLibrary<'f> {
    PersonaLibrary::open(
        PersonaLevels::find(files, search, notes),
        OutsideReads::Allowed,
    )
}

/// The title of the agent document of `ada`, and the codes of what was found.
fn title(files: &MemoryFiles, search: LevelSearch) -> (Result<String, Failure>, Vec<&'static str>) {
    let mut notes = Notes::default();
    let mut library = library(files, search, &mut notes);
    let kinds = ProfileKinds::One(PersonaKind::Agent);
    let profile = library.profile("ada", kinds, &[ProfileAddition::Chain], &mut notes);
    let title = profile.map(|profile| {
        let title = profile.value.get("title").and_then(|title| title.as_str());
        title.unwrap_or_default().to_owned()
    });
    let codes = notes.diagnostics.iter().map(|found| found.code.name);
    (title, codes.collect())
}

fn named(text: &str) -> String {
    format!("{{\"title\": \"{text}\"}}")
}

fn good(files: &MemoryFiles, directory: &str) -> String {
    let (title, codes) = title(files, search(directory));
    assert_eq!(codes, Vec::<&str>::new());
    title.unwrap()
}

#[test]
fn the_nearest_level_wins_up_to_the_outermost_repository() {
    let (top, low, above) = (named("top"), named("low"), named("above"));
    let files = MemoryFiles::new([
        GIT,
        (TOP, &top),
        (LOW, &low),
        ("/.clia/agents/ada/ada@x.agent.triad.json", &above),
    ]);
    assert_eq!(good(&files, "/repo/app"), "low");
    assert_eq!(good(&files, "/repo"), "top");
    let ceiling = Some("/repo/app".into());
    let below = LevelSearch {
        ceiling,
        ..search("/repo/app/src")
    };
    assert_eq!(title(&files, below).0.unwrap(), "low");
    let nowhere = title(&files, search("/elsewhere")).0;
    assert_eq!(nowhere.unwrap_err().kind, FailureKind::NotFound);
}

#[test]
fn a_directory_of_another_user_is_ignored() {
    let (top, low) = (named("top"), "{}");
    let files = MemoryFiles::new([GIT, (TOP, &top), (LOW, low)]).foreign("/repo/.clia");
    let (title, codes) = title(&files, search("/repo/app"));
    assert_eq!((title.unwrap().as_str(), codes), ("", vec!["trust/owner"]));
}

#[test]
fn submodules_rank_directly_below_the_repository_that_holds_them() {
    let (module, top) = (named("module"), "{}");
    let files = MemoryFiles::new([
        GIT,
        (TOP, top),
        ("/repo/sub/.git", ""),
        ("/repo/sub/.clia/agents/ada/a.agent.triad.json", &module),
    ]);
    let with = LevelSearch {
        submodules: vec!["/repo/sub".into(), "/repo/none".into()],
        ..search("/repo")
    };
    assert_eq!(title(&files, with).0.unwrap(), "module");
    assert_eq!(good(&files, "/repo"), "");
}

#[test]
fn a_parent_ranks_below_the_document_that_inherits_it() {
    let heir = "{\"inherits\": [\"shared/a.json\", \"shared/b.json\"]}";
    let (a, b) = (named("a"), named("b"));
    let files = MemoryFiles::new([
        GIT,
        (TOP, heir),
        ("/repo/shared/a.json", &a),
        ("/repo/shared/b.json", &b),
    ]);
    assert_eq!(good(&files, "/repo/app"), "b");
}

#[test]
fn invalid_references_are_reported_and_left_out() {
    for (inherits, code) in [
        ("gone.json", "lineage/missing-parent"),
        ("../.ssh/id_rsa", "trust/credentials"),
        ("https://x/y.json", "lineage/remote-parent"),
        ("bad.json", "lineage/unreadable"),
        (&TOP["/repo/".len()..], "lineage/cycle"),
    ] {
        let heir = format!("{{\"title\": \"own\", \"inherits\": [\"{inherits}\"]}}");
        let files = MemoryFiles::new([
            GIT,
            (TOP, &heir),
            ("/repo/bad.json", "{"),
            ("/.ssh/id_rsa", "{}"),
        ]);
        let (title, codes) = title(&files, search("/repo"));
        assert_eq!(
            (title.unwrap().as_str(), codes),
            ("own", vec![code]),
            "{inherits}"
        );
    }
}

#[test]
fn a_symlink_may_not_lead_out_of_its_repository() {
    let outside = named("outside");
    let files = MemoryFiles::new([GIT, ("/other/a.json", &outside)]).link(TOP, "/other/a.json");
    let (title, codes) = title(&files, search("/repo"));
    assert!(title.is_err());
    assert_eq!(codes, ["lineage/outside"]);
}

#[test]
fn nothing_outside_is_read_for_a_model() {
    let heir = "{\"title\": \"own\", \"inherits\": [\"../other/a.json\"]}";
    let outside = named("outside");
    let files = MemoryFiles::new([GIT, (TOP, heir), ("/other/a.json", &outside)]);
    let mut notes = Notes::default();
    let levels = PersonaLevels::find(&files, search("/repo"), &mut notes);
    let mut library = PersonaLibrary::open(levels, OutsideReads::Refused);
    assert!(library.merge_named("ada", &mut notes).is_ok());
    assert_eq!(notes.diagnostics[0].code.name, "lineage/outside");
}

#[test]
fn of_two_documents_of_a_kind_the_first_by_name_applies() {
    let (first, second) = (named("first"), named("second"));
    let files = MemoryFiles::new([
        GIT,
        ("/repo/.clia/agents/ada/a.agent.triad.json", &first),
        ("/repo/.clia/agents/ada/b.agent.triad.json", &second),
        ("/repo/.clia/agents/Ada/c.agent.triad.json", "{}"),
    ]);
    let (title, codes) = title(&files, search("/repo"));
    assert_eq!(title.unwrap(), "first");
    assert_eq!(codes, ["lineage/case", "lineage/two-documents"]);
}

#[test]
fn unreadable_files_are_left_out() {
    let low = named("low");
    let files = MemoryFiles::new([GIT, (TOP, "{}"), (LOW, &low)]).unreadable(TOP);
    let (title, codes) = title(&files, search("/repo/app"));
    assert_eq!(title.unwrap(), "low");
    assert_eq!(codes, ["lineage/unreadable"]);
}

#[test]
fn the_list_names_kinds_and_levels() {
    let agency = "/repo/app/.clia/agents/ada/x.agency.triad.json";
    let archived = "/repo/.clia/agents/legacy-imports/x.agent.triad.json";
    let files = MemoryFiles::new([GIT, (TOP, "{}"), (agency, "{}"), (archived, "{}")]);
    let mut notes = Notes::default();
    let library = library(&files, search("/repo/app"), &mut notes);
    let rows = library.rows(&mut notes).personas;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].kinds, [PersonaKind::Agent, PersonaKind::Agency]);
    assert_eq!(rows[0].levels, [".", "app"]);
}

#[test]
fn an_active_persona_needs_a_root() {
    let active = "{\"status\": \"Active\"}";
    let files = MemoryFiles::new([GIT, (TOP, active)]);
    let mut notes = Notes::default();
    let mut open = library(&files, search("/repo"), &mut notes);
    assert_eq!(
        open.lint(Some(Path::new("/repo/rules.json")), &mut notes),
        1
    );
    let codes: Vec<&str> = notes
        .diagnostics
        .iter()
        .map(|found| found.code.name)
        .collect();
    assert_eq!(codes, ["lineage/missing-parent", "lineage/no-root"]);
    let mut notes = Notes::default();
    let mut open = library(&files, search("/repo"), &mut notes);
    open.lint(Some(Path::new(TOP)), &mut notes);
    assert!(notes.diagnostics.is_empty());
}
