//! Laws of the plan: it changes only what it may, produces the desired state, and is empty afterwards.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use agpm_model::{Checksum, FileMode, ObservedPath, RelativePath};
use agpm_plan::{
    Author, ChangeAction, DesiredFile, DesiredState, Ledger, Observation, OnEqualUserValue,
    OverwriteRule, OwnedFile, Plan,
};
use proptest::prelude::*;

type Disk = BTreeMap<RelativePath, ObservedPath>;

fn path(number: u8) -> RelativePath {
    RelativePath::new(&format!("folder/{number}.md")).unwrap()
}

fn sum(number: u8) -> Checksum {
    Checksum::of(&[number])
}

fn mode() -> impl Strategy<Value = FileMode> {
    prop::sample::select(vec![FileMode::Plain, FileMode::Executable])
}

fn desired() -> impl Strategy<Value = Vec<DesiredFile>> {
    prop::collection::btree_map(0u8..6, (0u8..3, mode()), 0..5).prop_map(|files| {
        let file = |(at, (content, mode))| DesiredFile {
            path: path(at),
            bytes: vec![content].into(),
            checksum: sum(content),
            source: sum(content),
            mode,
            owner: "x".into(),
            on_equal: OnEqualUserValue::Adopt,
            is_empty_document: false,
        };
        files.into_iter().map(file).collect()
    })
}

fn disk() -> impl Strategy<Value = Disk> {
    let now = prop_oneof![
        4 => (0u8..3, mode()).prop_map(|(content, mode)| ObservedPath::file(sum(content), mode)),
        1 => Just(ObservedPath::Directory),
    ];
    prop::collection::btree_map(0u8..6, now, 0..5)
        .prop_map(|files| files.into_iter().map(|(at, now)| (path(at), now)).collect())
}

fn ledger() -> impl Strategy<Value = Ledger> {
    let author = prop::sample::select(vec![Author::Agpm, Author::User]);
    prop::collection::btree_map(0u8..6, (0u8..3, mode(), author), 0..5).prop_map(|files| {
        let owned = |(at, (content, mode, author))| {
            (
                path(at),
                OwnedFile {
                    checksum: sum(content),
                    source: None,
                    mode,
                    owner: "x".into(),
                    author,
                    base: None,
                    conflict: None,
                },
            )
        };
        Ledger {
            files: files.into_iter().map(owned).collect(),
            ..Ledger::default()
        }
    })
}

fn overwrite() -> impl Strategy<Value = OverwriteRule> {
    prop::sample::select(vec![
        OverwriteRule::Nothing,
        OverwriteRule::Unowned,
        OverwriteRule::Everything,
    ])
}

fn plan(desired: &[DesiredFile], disk: &Disk, ledger: &Ledger, overwrite: OverwriteRule) -> Plan {
    let mut state = DesiredState::default();
    for file in desired {
        state.add_file(file.clone()).unwrap();
    }
    let mut observation = Observation::default();
    for (path, now) in disk {
        observation.add(path.clone(), *now);
    }
    agpm_plan::plan(&state, &observation, ledger, overwrite, &|paths, one| {
        paths.into_iter().map(one).collect()
    })
    .unwrap()
}

/// The disk after a plan.
fn applied(disk: &Disk, desired: &[DesiredFile], plan: &Plan) -> Disk {
    let mut disk = disk.clone();
    for change in &plan.changes {
        match change.action {
            ChangeAction::Keep | ChangeAction::Adopt | ChangeAction::Release => {}
            ChangeAction::Remove => drop(disk.remove(&change.path)),
            ChangeAction::Create | ChangeAction::Update | ChangeAction::Merge => {
                let file = desired
                    .iter()
                    .find(|file| file.path == change.path)
                    .unwrap();
                disk.insert(
                    change.path.clone(),
                    ObservedPath::file(file.checksum, file.mode),
                );
            }
        }
    }
    disk
}

proptest! {
    #[test]
    fn a_plan_that_was_carried_out_is_followed_by_an_empty_one(
        desired in desired(), disk in disk(), ledger in ledger(), overwrite in overwrite(),
    ) {
        let first = plan(&desired, &disk, &ledger, overwrite);
        if first.refusals.is_empty() {
            let after = applied(&disk, &desired, &first);
            let second = plan(&desired, &after, &first.ledger, overwrite);
            prop_assert!(second.is_empty() && second.refusals.is_empty(), "{first:?}\n{second:?}");
            prop_assert_eq!(&second.ledger, &first.ledger);
        }
    }

    #[test]
    fn unmanaged_and_edited_files_are_not_changed_without_approval(
        desired in desired(), disk in disk(), ledger in ledger(),
    ) {
        let plan = plan(&desired, &disk, &ledger, OverwriteRule::Nothing);
        for change in plan.changes.iter().filter(|change| change.action.changes_disk()) {
            let owned = ledger.files.get(&change.path);
            let desired_file = desired.iter().find(|file| file.path == change.path);
            match disk.get(&change.path) {
                None | Some(ObservedPath::Missing) => prop_assert_eq!(change.action, ChangeAction::Create),
                Some(ObservedPath::Directory | ObservedPath::Symlink | ObservedPath::Special) => prop_assert!(false, "{:?}", change),
                Some(ObservedPath::File(now)) => {
                    let as_we_left_it = owned.is_some_and(|owned| owned.checksum == now.checksum);
                    let same_bytes = desired_file.is_some_and(|desired_file| desired_file.checksum == now.checksum);
                    prop_assert!(as_we_left_it || same_bytes, "{:?}", change);
                }
            }
        }
    }

    #[test]
    fn everything_is_decided_and_forced_plans_get_what_was_asked(
        desired in desired(), disk in disk(), ledger in ledger(),
    ) {
        let plan = plan(&desired, &disk, &ledger, OverwriteRule::Everything);
        let after = applied(&disk, &desired, &plan);
        for file in &desired {
            let refused = plan.refusals.iter().any(|refusal| refusal.path == file.path);
            let is_written = after.get(&file.path) == Some(&ObservedPath::file(file.checksum, file.mode));
            prop_assert!(refused != is_written, "{:?}", file);
        }
        for (path, owned) in &ledger.files {
            if owned.author == Author::Agpm && desired.iter().all(|file| file.path != *path) {
                prop_assert!(!matches!(after.get(path), Some(ObservedPath::File(..))), "{}", path);
            }
        }
    }

    #[test]
    fn installing_and_removing_leaves_every_byte_of_the_user(desired in desired(), disk in disk()) {
        let installed = plan(&desired, &disk, &Ledger::default(), OverwriteRule::Nothing);
        if installed.refusals.is_empty() {
            let between = applied(&disk, &desired, &installed);
            let removed = plan(&[], &between, &installed.ledger, OverwriteRule::Nothing);
            let after = applied(&between, &[], &removed);
            let bytes = |disk: &Disk| -> BTreeMap<RelativePath, Option<Checksum>> {
                disk.iter().map(|(path, now)| (path.clone(), now.checksum())).collect()
            };
            let existing: Disk = disk.into_iter().filter(|(_, now)| *now != ObservedPath::Missing).collect();
            prop_assert_eq!(bytes(&after), bytes(&existing));
        }
    }

    #[test]
    fn a_ledger_reads_back(mut ledger in ledger(), inputs in prop::option::of(0u8..9), reads in 0u8..3) {
        ledger.inputs = inputs.map(sum);
        ledger.reads = (0..reads).map(|number| (format!("../{number} \"é\".md"), sum(number))).collect();
        let text = ledger.to_text();
        prop_assert_eq!(Ledger::read(text.as_bytes()).unwrap(), ledger);
    }
}
