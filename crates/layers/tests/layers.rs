//! What is decided of layers, without a disk, a source or a program.
#![allow(clippy::unwrap_used)]

use agpm_diag::{Failure, SourceMap};
use agpm_layers::{
    FileStack, LayerLock, LayerPinning, LayerSnapshot, LayeredFile, MergeProgram, PinChoice,
    RequiredVersion, SkipReason, SnapshotFile, enters, included_file, layers_as_locked,
    locked_layers, refuse_clashes, refuse_missing, refuse_own_directories, rows, stacks,
};
use agpm_merge::RawFile;
use agpm_model::{
    Checksum, FileMode, InstallScope, Layer, LayerLocation, LayerName, LockedCapabilitySet,
    LockedLayer, Lockfile, Manifest, ManifestTexts, MergeDriver, Owner, Pin, PinSource,
    RelativePath, Revision, SectionEntry, SourceName, Strategy, VersionLabel,
};
use agpm_resolve::UpdateScope;
use agpm_testkit::MemoryFiles;
use agpm_text::{Format, NodeRef, parse_alone};

const COMMIT: &str = "1111111111111111111111111111111111111111";

const MANIFEST: &str = r#"
[sources]
shared = "https://host/shared.git"

[[layers]]
name = "org"
source = "shared"
version = "^1.0"
include = ["**"]

[[layers]]
name = "me"
path = "layers/me"
include = ["docs/"]
"#;

fn manifest(text: &str) -> Manifest {
    let document = parse_alone(text.to_owned(), Format::Toml).document;
    let entries = |section: &str| {
        let section = document.root().and_then(|root| root.get(section));
        section
            .into_iter()
            .flat_map(NodeRef::entries)
            .map(|(key, value)| SectionEntry { key, value })
            .collect()
    };
    let (manifest, wrong) = Manifest::read(&ManifestTexts {
        scope: InstallScope::Project,
        project: &document,
        manifest: &document,
        bases: &[],
        private: None,
        config: None,
        entries: &entries,
        syntax_errors: &[],
    });
    assert!(wrong.is_empty(), "{wrong:?}");
    manifest
}

fn snapshot<'m>(layer: &'m Layer, files: &[(&str, &str)]) -> LayerSnapshot<'m> {
    let file = |(path, text): &(&str, &str)| SnapshotFile {
        path: RelativePath::new(path).unwrap(),
        shown: format!("{}/{path}", layer.name),
        bytes: text.as_bytes().to_vec(),
        mode: FileMode::Plain,
    };
    LayerSnapshot {
        layer,
        shown: layer.name.to_string(),
        directory: None,
        pin: None,
        checksum: Checksum::of(b"now"),
        files: files.iter().map(file).collect(),
        skipped: Vec::new(),
        watched: None,
    }
}

fn pin(requirement: &str) -> Pin {
    Pin {
        source: PinSource::Named(SourceName::new("shared").unwrap()),
        requirement: Some(requirement.to_owned()),
        version: VersionLabel::new("v1.2.0"),
        commit: COMMIT.parse::<Revision>().unwrap(),
    }
}

fn locked(name: &str, pin: Option<Pin>) -> LockedLayer {
    LockedLayer {
        name: LayerName::new(name).unwrap(),
        pin,
        checksum: Checksum::of(b"now"),
        capabilities: LockedCapabilitySet::None,
    }
}

fn lockfile(requirement: &str) -> Lockfile {
    Lockfile {
        layers: vec![locked("org", Some(pin(requirement))), locked("me", None)],
        ..Lockfile::default()
    }
}

/// Reverses the bytes of the highest file.
struct Reverse;

impl MergeProgram for Reverse {
    fn merge(
        &self,
        _: &MergeDriver,
        strategy: &str,
        mut files: Vec<RawFile>,
    ) -> Result<RawFile, Failure> {
        let mut file = files.pop().unwrap();
        file.bytes.reverse();
        file.display_name = strategy.to_owned();
        Ok(file)
    }
}

fn folded(manifest: &Manifest, snapshots: Vec<LayerSnapshot<'_>>) -> Vec<LayeredFile> {
    let default = Strategy::default();
    let stacks: Vec<FileStack<'_>> = stacks(manifest, &default, snapshots);
    let mut sources = SourceMap::default();
    let files = stacks.into_iter().map(|stack| {
        let folded = stack.unfolded(&mut sources).fold(&Reverse);
        assert!(folded.diagnostics.is_empty(), "{:?}", folded.diagnostics);
        folded.file.unwrap().unwrap()
    });
    files.collect()
}

#[test]
fn a_locked_version_stays_as_long_as_it_fits() {
    let manifest = manifest(MANIFEST);
    let org = &manifest.layers[0];
    let LayerLocation::Source(source, requirement) = &org.location else {
        unreachable!("it names a source");
    };
    let required = RequiredVersion {
        source,
        requirement,
    };
    let choice = |lock: &Lockfile, moving: &UpdateScope, used: LayerLock| {
        let pinning = LayerPinning::of(&manifest, Some(lock), moving).used_as(used);
        pinning.choice(org, &required)
    };
    let (fits, other) = (lockfile("^1.0"), lockfile("^2.0"));
    let (stay, all) = (UpdateScope::Nothing, UpdateScope::Everything);
    let locked = PinChoice::Locked(pin("^1.0"));
    assert_eq!(choice(&fits, &stay, LayerLock::Pins).unwrap(), locked);
    assert_eq!(
        choice(&fits, &all, LayerLock::Pins).unwrap(),
        PinChoice::Best
    );
    assert_eq!(
        choice(&other, &stay, LayerLock::Pins).unwrap(),
        PinChoice::Best
    );
    assert_eq!(choice(&fits, &all, LayerLock::Alone).unwrap(), locked);
    assert!(choice(&other, &stay, LayerLock::Alone).is_err());
    let was = PinChoice::Locked(pin("^2.0"));
    assert_eq!(choice(&other, &stay, LayerLock::AsItWas).unwrap(), was);
}

#[test]
fn every_byte_is_checked_where_the_lockfile_alone_applies() {
    let manifest = manifest(MANIFEST);
    let lock = lockfile("^1.0");
    let mut me = snapshot(&manifest.layers[1], &[]);
    let check = |snapshot: &LayerSnapshot<'_>, used| {
        let pinning = LayerPinning::of(&manifest, Some(&lock), &UpdateScope::Nothing).used_as(used);
        pinning.check(snapshot).is_ok()
    };
    assert!(check(&me, LayerLock::Alone));
    me.checksum = Checksum::of(b"other");
    assert!(!check(&me, LayerLock::Alone) && check(&me, LayerLock::Pins));
}

#[test]
fn manifest_and_lockfile_agree_in_names_order_and_requirements() {
    let manifest = manifest(MANIFEST);
    let good = lockfile("^1.0");
    let mut swapped = good.clone();
    swapped.layers.reverse();
    let mut more = good.clone();
    more.layers.push(locked("gone", None));
    let agrees = |lock: &Lockfile| layers_as_locked(&manifest, lock, |_| true).is_ok();
    assert!(agrees(&good));
    for lock in [swapped, more, lockfile("^2.0")] {
        assert!(!agrees(&lock));
    }
    // A directory without versions has no pin.
    assert!(layers_as_locked(&manifest, &lockfile("^2.0"), |_| false).is_ok());
}

#[test]
fn a_layer_that_does_not_exist_here_stays_locked() {
    let manifest = manifest(MANIFEST);
    let lock = lockfile("^1.0");
    let snapshots = [snapshot(&manifest.layers[1], &[])];
    assert!(refuse_missing(&manifest, &snapshots, &lock).is_err());
    let names = locked_layers(&manifest, &snapshots, &lock);
    assert_eq!(names, lock.layers);
    let report = rows(&manifest, &snapshots).layers;
    assert_eq!(
        (report[0].rank, report[0].place.as_str()),
        (1, "shared@^1.0")
    );
    assert!(report[0].state.is_none() && report[1].state.is_some());
}

#[test]
fn left_out_parts_have_a_reason() {
    let manifest = manifest(MANIFEST);
    let (all, some) = (&manifest.layers[0], &manifest.layers[1]);
    assert_eq!(included_file(all, "a/b.md").unwrap().as_str(), "a/b.md");
    for (layer, path, why) in [
        (all, ".git/config", SkipReason::Junk),
        (all, "agpm.toml", SkipReason::Own),
        (all, ".agpm/ledger.json", SkipReason::Own),
        (all, "con", SkipReason::Name),
        (some, "a.md", SkipReason::NotIncluded),
    ] {
        assert_eq!(included_file(layer, path), Err(why), "{path}");
    }
    assert!(included_file(all, ".agpm/snippets/a.md").is_ok());
    assert_eq!(enters(some, "docs/.git"), Err(SkipReason::Junk));
    assert_eq!(enters(some, "docs"), Ok(()));
}

#[test]
fn files_may_not_clash() {
    let manifest = manifest(MANIFEST);
    let [org, me] = &manifest.layers[..] else {
        unreachable!("there are two");
    };
    for (first, second, fits) in [
        ("a.json", "a.json", true),
        ("a.json", "A.json", false),
        ("a", "a/b", false),
    ] {
        let both = [snapshot(org, &[(first, "")]), snapshot(me, &[(second, "")])];
        assert_eq!(refuse_clashes(&both).is_ok(), fits, "{first} {second}");
    }
}

#[test]
fn nothing_is_installed_into_a_layer() {
    let manifest = manifest(MANIFEST);
    let files = MemoryFiles::new([("/project/layers/me/a.json", "")]);
    for (path, fits) in [("layers/me/x.json", false), ("layers/other.json", true)] {
        let mut me = snapshot(&manifest.layers[1], &[(path, "")]);
        me.directory = Some("/project/layers/me".into());
        let checked = refuse_own_directories(&files, &[me], "/project".as_ref());
        assert_eq!(checked.is_ok(), fits, "{path}");
    }
}

#[test]
fn a_file_belongs_to_its_layers_and_a_key_to_its_own() {
    let manifest = manifest(MANIFEST);
    let [org, me] = &manifest.layers[..] else {
        unreachable!("there are two");
    };
    let files = folded(
        &manifest,
        vec![
            snapshot(org, &[("a.json", "{\"x\": 1}"), ("b.bin", "org")]),
            snapshot(me, &[("a.json", "{\"y\": 2}")]),
        ],
    );
    let [json, plain] = &files[..] else {
        unreachable!("there are two paths");
    };
    assert_eq!(json.owner, Owner::from("layers/org+me"));
    let nodes = &json.keys.as_ref().unwrap().nodes;
    let owners: Vec<&Owner> = nodes.iter().map(|node| &node.owner).collect();
    assert_eq!(
        owners,
        [&Owner::from("layers/org"), &Owner::from("layers/me")]
    );
    assert_eq!((&*plain.bytes, plain.keys.is_none()), (&b"org"[..], true));
    assert!(!json.driven);
}

#[test]
fn a_program_merges_what_several_layers_have() {
    let program = r#"
        [merge]
        "*.txt" = "mine"

        [strategies.mine]
        command = ["merge", "%base", "%new"]
    "#;
    let text = format!("{MANIFEST}{program}");
    let manifest = manifest(&text);
    let [org, me] = &manifest.layers[..] else {
        unreachable!("there are two");
    };
    let files = folded(
        &manifest,
        vec![
            snapshot(org, &[("a.txt", "org"), ("b.txt", "alone")]),
            snapshot(me, &[("a.txt", "me")]),
        ],
    );
    let found: Vec<(&[u8], bool)> = files
        .iter()
        .map(|file| (&*file.bytes, file.driven))
        .collect();
    assert_eq!(found, [(&b"em"[..], true), (&b"alone"[..], false)]);
}
