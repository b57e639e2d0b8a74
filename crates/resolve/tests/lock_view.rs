//! The meaning of command-line arguments in a lockfile.

use std::path::{Path, PathBuf};

use agpm_model::{Lockfile, Manifest};
use agpm_resolve::LockView;
use agpm_text::{Format, parse_alone};

/// A project in `/project` with these resources for Claude Code.
fn view_of(ids: &[&str]) -> LockView {
    let entry = |id: &&str| {
        let (kind, name) = id.split_once('/').expect("an id");
        format!(
            "[[{kind}]]\nname = \"{name}\"\npath = \"{id}.md\"\n\
             installed_at = \".claude/{id}.md\"\ntool = \"claude-code\"\n"
        )
    };
    let entries: String = ids.iter().map(entry).collect();
    let text = format!("version = 1\n{entries}");
    let (lock, mistakes) = Lockfile::read(&parse_alone(text, Format::Toml).document);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    LockView::of(lock, &Manifest::default(), PathBuf::from("/project"))
}

#[test]
fn a_name_of_two_types_needs_its_type() {
    let view = view_of(&["agents/reviewer", "commands/reviewer"]);
    let failure = view.find("reviewer").expect_err("two types have it");
    let message = failure.diagnostic.expect("a message").message;
    assert_eq!(
        message,
        "`reviewer` could be `agents/reviewer` or `commands/reviewer`"
    );
    for word in ["commands/reviewer", "command:reviewer"] {
        assert_eq!(view.find(word).expect("one"), [1], "{word}");
    }
}

#[test]
fn a_wrong_type_is_corrected_by_the_name() {
    let view = view_of(&["agents/reviewer"]);
    let failure = view.find("skills/reviewer").expect_err("no skill");
    let help = failure.diagnostic.and_then(|found| found.help);
    assert_eq!(help.as_deref(), Some("did you mean `agents/reviewer`?"));
}

#[test]
fn a_path_is_seen_from_the_working_directory_and_from_the_project() {
    let view = view_of(&["agents/reviewer"]);
    let inside = Path::new("/project/.claude");
    assert_eq!(view.at_path(inside, "agents/reviewer.md"), [0]);
    assert_eq!(view.at_path(inside, ".claude/agents/reviewer.md"), [0]);
    assert!(view.at_path(inside, "agents/reviewer.md/more").is_empty());
}
