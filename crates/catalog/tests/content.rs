//! Where catalogs are, which files their rows have, and how lists are written, on files in memory.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use agpm_catalog::{
    CatalogContent, CatalogDiscovery, CatalogLayer, CatalogRow, EntryFilter, EntryReference,
    LayerKind, ReadManifests, RowWriter, ShadowedRows, UnparsedManifest, refuse_other_remotes,
    typed_remotes,
};
use agpm_diag::{FailureKind, Notes};
use agpm_model::{CatalogRemote, Lockfile, MachineFiles, Manifest};
use agpm_testkit::MemoryFiles;
use agpm_text::to_json;

const AGENTS: &str = "/home/me/project/bmad/_cfg/agent-manifest.csv";
const PROJECT: &str = "/home/me/project";

fn layer(files: &MemoryFiles, kind: LayerKind, directory: &str) -> CatalogLayer {
    CatalogLayer {
        kind,
        remote: None,
        directory: directory.into(),
        real: files.real_path(Path::new(directory)),
    }
}

/// The catalog of the project and of home, highest first, and every path that it depends on.
fn open<'f>(files: &'f MemoryFiles, notes: &mut Notes) -> (CatalogContent<'f>, Vec<PathBuf>) {
    let mut marked = Vec::new();
    let mut discovery = CatalogDiscovery {
        files,
        here: Path::new(PROJECT),
        mark: &mut |path| marked.push(path.to_owned()),
    };
    let home = Path::new("/home/me");
    let project = discovery.project_directory(Path::new("/home/me/project/src"), Some(home));
    let mut layers: Vec<CatalogLayer> = project
        .iter()
        .map(|directory| layer(files, LayerKind::Project, directory.to_str().unwrap()))
        .collect();
    layers.push(layer(files, LayerKind::User, "/home/me"));
    let mut read = ReadManifests::default();
    for (at, layer) in layers.iter().enumerate() {
        for file in discovery.manifests(at, layer, notes) {
            let bytes = files.read(&layer.directory.join(&file.path));
            let unparsed = read.add_manifest_bytes(file, bytes, &layers, notes);
            if let Some(parsed) = unparsed.map(UnparsedManifest::parse) {
                read.add(parsed, &layers, notes);
            }
        }
    }
    let content = CatalogContent::new(files, Path::new(PROJECT), layers, read, notes);
    (content, marked)
}

fn codes(notes: &Notes) -> Vec<&'static str> {
    notes
        .diagnostics
        .iter()
        .map(|found| found.code.name)
        .collect()
}

fn awkward() -> MemoryFiles {
    let agents = "name,layer,module,path,title,description,canonicalId\n\
        pm,own,bmm,bmad/bmm/agents/pm.md,\"a \"\"quote\"\"\nand a line\",\u{1f9ed}\tx\n\
        gone,,,bmad/bmm/agents/gone.md\n\
        PM,,bmm,bmad/bmm/agents/PM.md\n\
        out,,bmm,../x.md\n\
        nowhere,,bmm\n\
        folder,,bmm,bmad/bmm\n\
        linked,,bmm,bmad/bmm/agents/linked.md\n\
        away,,bmm,bmad/bmm/agents/away.md\n";
    let skills = "name,module,path,canonicalId\n\
        help,core,_bmad/core/help/SKILL.md,bmad-help\n\
        hop,core,_bmad/core/hop/SKILL.md,../bmad-help\n\
        own,core,bmad/core/skills/own,bmad-help\n";
    MemoryFiles::new([
        (AGENTS, agents),
        ("/home/me/project/bmad/_cfg/skill-manifest.csv", skills),
        ("/home/me/project/bmad/bmm/agents/pm.md", "pm"),
        ("/home/me/project/.claude/skills/bmad-help/SKILL.md", "help"),
        ("/home/me/project/bmad/core/skills/own/SKILL.md", "own"),
        ("/home/me/outside.md", "outside"),
        (
            "/home/me/.bmad/_cfg/agent-manifest.csv",
            "name,module,path\npm,bmm,agents/pm.md\n",
        ),
    ])
    .link("/home/me/project/bmad/bmm/agents/linked.md", "pm.md")
    .link(
        "/home/me/project/bmad/bmm/agents/away.md",
        "/home/me/outside.md",
    )
}

#[test]
fn a_list_as_text_is_what_its_rows_say() {
    let files = awkward();
    let (content, _) = open(&files, &mut Notes::default());
    for shadowed in [ShadowedRows::Hidden, ShadowedRows::Listed] {
        let listed = content.listed(&EntryFilter::default(), shadowed);
        let rows = || listed.iter().map(|row| content.reported(*row, shadowed));
        let writer = RowWriter::new(&content, "  ");
        let text = format!("[\n{}\n]\n", writer.piece(&mut rows()));
        assert_eq!(text, to_json(&rows().collect::<Vec<CatalogRow<'_>>>()));
    }
}

#[test]
fn a_row_has_its_file_inside_of_its_layer() {
    let files = awkward();
    let (content, _) = open(&files, &mut Notes::default());
    let path = |name: &str| {
        let file = content.entry_file(EntryReference {
            kind: None,
            text: name,
        });
        file.map(|file| file.path)
    };
    for (name, expected) in [
        ("pm", "bmad/bmm/agents/pm.md"),
        ("linked", "bmad/bmm/agents/linked.md"),
        ("help", ".claude/skills/bmad-help/SKILL.md"),
        ("own", "bmad/core/skills/own/SKILL.md"),
    ] {
        assert_eq!(path(name).unwrap(), expected);
    }
    for (name, kind) in [
        ("gone", FailureKind::Errors),
        ("nowhere", FailureKind::Errors),
        ("folder", FailureKind::Errors),
        ("hop", FailureKind::Errors),
        ("out", FailureKind::Refused),
        ("away", FailureKind::Refused),
        ("nobody", FailureKind::NotFound),
    ] {
        assert_eq!(path(name).unwrap_err().kind, kind, "{name}");
    }
}

#[test]
fn the_project_is_the_nearest_directory_that_is_not_home() {
    let home = ("/home/me/bmad/_cfg/agent-manifest.csv", "name\na\n");
    let above = ("/home/me/project/bmad/_cfg/agent-manifest.csv", "name\nb\n");
    let find = |files: &MemoryFiles| {
        let mut mark = |_: &Path| {};
        let mut discovery = CatalogDiscovery {
            files,
            here: Path::new(PROJECT),
            mark: &mut mark,
        };
        let start = Path::new("/home/me/project/src");
        discovery.project_directory(start, Some(Path::new("/home/me")))
    };
    assert_eq!(find(&MemoryFiles::new([home])), None);
    let both = MemoryFiles::new([home, above]);
    assert_eq!(find(&both), Some(PROJECT.into()));
    assert_eq!(find(&both.foreign("/home/me/project/bmad")), None);
}

#[test]
fn unreadable_files_are_left_out_and_reported() {
    let files = MemoryFiles::new([
        (AGENTS, "name,path\na,a.md\n"),
        ("/home/me/project/bmad/_cfg/skill-manifest.csv", "name\nb\n"),
        ("/home/me/.bmad/_cfg/agent-manifest.csv", "name\nc\n"),
    ])
    .unreadable(AGENTS)
    .unreadable("/home/me/.bmad");
    let mut notes = Notes::default();
    let (content, marked) = open(&files, &mut notes);
    assert_eq!(codes(&notes), ["catalog/malformed", "catalog/malformed"]);
    assert_eq!((content.files.len(), content.left_out.len()), (1, 1));
    assert!(marked.contains(&PathBuf::from(AGENTS)));
}

#[test]
fn rows_without_files_and_files_without_rows_are_reported() {
    let files = MemoryFiles::new([
        (
            AGENTS,
            "name,module,path\na,bmm,bmad/bmm/agents/a.md\nb,bmm,bmad/bmm/agents/b.md\n",
        ),
        ("/home/me/project/bmad/bmm/agents/a.md", ""),
        ("/home/me/project/bmad/bmm/agents/c.md", ""),
    ]);
    let mut notes = Notes::default();
    let (content, _) = open(&files, &mut notes);
    assert_eq!(content.lint(&mut notes), 2);
    assert_eq!(codes(&notes), ["catalog/missing-file", "catalog/unlisted"]);
}

#[test]
fn unfit_arguments_are_refused_by_their_kind() {
    let typed = |text: &str| typed_remotes(&Manifest::default(), &[text.to_owned()]);
    for (text, kind, words) in [
        (
            "https://h/o/r",
            FailureKind::Usage,
            "write `git+` before the URL",
        ),
        (
            "gti+https://h/x.git",
            FailureKind::Usage,
            "`git+https://host/org/repo.git`",
        ),
        ("community#-x", FailureKind::Usage, "after `#`"),
        ("community:/", FailureKind::Usage, "the path is empty"),
        (
            "community:/../x",
            FailureKind::Refused,
            "leaves its directory",
        ),
        ("git+https://h/r://etc", FailureKind::Refused, "absolute"),
        ("zzz", FailureKind::NotFound, "zzz"),
    ] {
        let failure = typed(text).unwrap_err();
        let found = failure.diagnostic.unwrap();
        let report = format!("{} {:?}", found.message, found.help);
        assert_eq!(failure.kind, kind, "{text}");
        assert!(report.contains(words), "{text}: {report}");
    }
    let shown = typed("git+https://me:tok3n@h/r").unwrap()[0].to_string();
    assert_eq!(shown, "git+https://h/r");
}

#[test]
fn the_lockfile_has_the_remotes_of_the_manifest() {
    let remote = CatalogRemote::parse("git+https://h/r").unwrap();
    let lock = Lockfile::default();
    assert!(refuse_other_remotes(&[], &lock).is_ok());
    assert!(refuse_other_remotes(&[remote], &lock).is_err());
}
