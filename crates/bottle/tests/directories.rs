//! Files of home and the working directory.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    missing_docs
)]

use std::os::unix::fs::{PermissionsExt, symlink};

use agpm_bottle::{BottleName, Manifest, ManifestError, UnitKind};
use agpm_testkit::Sandbox;

const BASE: &str = "---\nimage: base\n---\n";

fn sandbox(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new("agpm");
    files
        .iter()
        .for_each(|(path, text)| sandbox.write(path, text));
    sandbox
}

fn load(sandbox: &Sandbox) -> Result<Manifest, ManifestError> {
    Manifest::from_md_dirs(&sandbox.home(), &sandbox.work())
}

fn good(sandbox: &Sandbox) -> Manifest {
    load(sandbox).unwrap_or_else(|error| panic!("{error}"))
}

/// The code and message of every error, without the sandbox's own paths.
fn findings(sandbox: &Sandbox) -> Vec<String> {
    let home = sandbox.home().display().to_string();
    let Err(error) = load(sandbox) else {
        panic!("no mistake")
    };
    assert!(
        error.diagnostics.iter().all(|d| d.help.is_some()),
        "{error}"
    );
    error
        .to_string()
        .replace(&home, "~")
        .lines()
        .map(str::to_owned)
        .collect()
}

fn names(manifest: &Manifest, kind: UnitKind) -> Vec<&str> {
    manifest.names(kind).map(BottleName::as_str).collect()
}

#[test]
fn agents_of_the_project_stand_for_those_of_home_whole() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/base.md", BASE),
        (
            "~/.bot-bottle/agents/dev.md",
            "---\nbottle: base\nskills: [a]\nenv: {A: '1'}\n---\nHome.\n",
        ),
        ("~/.bot-bottle/agents/only.md", "---\nbottle: base\n---\n"),
        (
            ".bot-bottle/agents/dev.md",
            "---\nbottle: base\n---\nProject.\n",
        ),
    ]);
    let manifest = good(&sandbox);
    assert_eq!(names(&manifest, UnitKind::Agent), ["dev", "only"]);
    let dev = manifest.effective_agent("dev").unwrap();
    assert_eq!(
        (dev.prompt.as_str(), dev.skills.len(), dev.bottle.env.len()),
        ("Project.", 0, 0)
    );
    assert_eq!(
        manifest.file(UnitKind::Agent, "dev"),
        Some(".bot-bottle/agents/dev.md")
    );
    // An overridden agent has no effect, not even through its errors.
    sandbox.write("~/.bot-bottle/agents/dev.md", "---\nbottel: base\n---\n");
    good(&sandbox);
}

#[test]
fn bottles_of_the_project_are_ignored_with_a_note() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/base.md", BASE),
        (".bot-bottle/bottles/base.md", "---\nimage: evil\n---\n"),
        (".bot-bottle/bottles/broken.md", "---\n: [\n"),
    ]);
    let manifest = good(&sandbox);
    assert_eq!(
        manifest.bottle("base").unwrap().image.as_deref(),
        Some("base")
    );
    assert_eq!(names(&manifest, UnitKind::Bottle), ["base"]);
    let codes: Vec<&str> = manifest.notes().iter().map(|note| note.code.name).collect();
    assert_eq!(codes, ["bottle/ignored-folder"]);
}

#[test]
fn in_home_itself_nothing_is_ignored_or_read_twice() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/base.md", BASE),
        ("~/.bot-bottle/agents/dev.md", "---\nbottle: base\n---\n"),
    ]);
    symlink(sandbox.home(), sandbox.work().join("link")).unwrap();
    for directory in [sandbox.home(), sandbox.work().join("link")] {
        let manifest = Manifest::from_md_dirs(&sandbox.home(), &directory).unwrap();
        assert!(manifest.notes().is_empty(), "{directory:?}");
        assert_eq!(names(&manifest, UnitKind::Agent), ["dev"]);
    }
    sandbox.write("~/bot-bottle.json", "{}");
    let error = Manifest::from_md_dirs(&sandbox.home(), &sandbox.work().join("link")).unwrap_err();
    assert_eq!(error.diagnostics.len(), 1, "{error}");
    // A project whose directory is a symlink to the one in home.
    std::fs::remove_file(sandbox.home().join("bot-bottle.json")).unwrap();
    symlink(
        sandbox.home().join(".bot-bottle"),
        sandbox.work().join(".bot-bottle"),
    )
    .unwrap();
    assert!(good(&sandbox).notes().is_empty());
}

#[test]
fn the_old_format_is_refused_in_all_four_places() {
    for path in [
        "~/bot-bottle.json",
        "~/.bot-bottle/bot-bottle.json",
        "bot-bottle.json",
        ".bot-bottle/bot-bottle.json",
    ] {
        let sandbox = sandbox(&[(path, "{}")]);
        let expected = "error[bottle/legacy-file]: `bot-bottle.json` is the old format, which is no longer read";
        assert_eq!(findings(&sandbox), [format!("{expected} ({path})")]);
    }
}

#[test]
fn only_markdown_files_that_are_not_hidden_count() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/base.md", BASE),
        ("~/.bot-bottle/bottles/.hidden.md", "---\nnonsense\n"),
        ("~/.bot-bottle/bottles/.md", "---\nnonsense\n"),
        ("~/.bot-bottle/bottles/notes.txt", "x"),
        ("~/.bot-bottle/bottles/old.md~", "x"),
        ("~/.bot-bottle/bottles/deeper/other.md", "---\nnonsense\n"),
        ("~/.bot-bottle/README.md", "---\nnonsense\n"),
    ]);
    symlink(
        sandbox.home().join(".bot-bottle/bottles/base.md"),
        sandbox.home().join(".bot-bottle/bottles/link.md"),
    )
    .unwrap();
    let manifest = good(&sandbox);
    assert_eq!(names(&manifest, UnitKind::Bottle), ["base", "link"]);
    assert_eq!(
        manifest.bottle("link").unwrap().image.as_deref(),
        Some("base")
    );
    assert_eq!(
        good(&Sandbox::new("agpm")).count(UnitKind::Bottle),
        0,
        "no folder at all"
    );
}

#[test]
fn texts_may_have_a_byte_order_mark_and_other_line_ends_and_nothing_to_say() {
    let sandbox = sandbox(&[
        (
            "~/.bot-bottle/bottles/bom.md",
            "\u{feff}---\nimage: i\n---\n",
        ),
        (
            "~/.bot-bottle/bottles/crlf.md",
            "---\r\nimage: i\r\nenv:\r\n  A: x\r\n---\r\nbody\r\n",
        ),
        ("~/.bot-bottle/bottles/only.md", "---\n---\n"),
        ("~/.bot-bottle/bottles/open.md", "\u{feff}--- \n---"),
        (
            "~/.bot-bottle/bottles/remark.md",
            "---\n# nothing yet\n---\nJust text.\n",
        ),
        (
            "~/.bot-bottle/agents/a.md",
            "\u{feff}---\r\nbottle: crlf\r\n---\r\n\r\nOne.\r\nTwo.\r\n",
        ),
    ]);
    let manifest = good(&sandbox);
    assert_eq!(manifest.bottle("bom").unwrap().image.as_deref(), Some("i"));
    assert_eq!(manifest.bottle("crlf").unwrap().env["A"], "x");
    assert_eq!(manifest.bottle("only").unwrap().env.len(), 0);
    assert_eq!(manifest.agent("a").unwrap().prompt, "One.\r\nTwo.");
}

#[test]
fn a_file_without_front_matter_is_a_mistake() {
    for text in [
        "",
        "\u{feff}",
        "\n",
        "\n---\nbottle: b\n---\n",
        " ---\nbottle: b\n---\n",
        "----\nbottle: b\n----\n",
        "+++\nbottle = 'b'\n+++\n",
        "bottle: b\n",
        "Just text.\n\n---\n",
    ] {
        let sandbox = sandbox(&[
            ("~/.bot-bottle/bottles/b.md", text),
            ("~/.bot-bottle/bottles/child.md", "---\nextends: b\n---\n"),
            ("~/.bot-bottle/agents/a.md", text),
            ("~/.bot-bottle/agents/other.md", "---\nbottle: b\n---\n"),
        ]);
        let expected = [("bottles", "b"), ("agents", "a")].map(|(directory, name)| {
            let message = format!("`{name}.md` has no front matter: its first line must be `---`");
            format!("error[bottle/value]: {message} (~/.bot-bottle/{directory}/{name}.md:1)")
        });
        assert_eq!(findings(&sandbox), expected, "{text:?}");
    }
}

#[test]
fn a_duplicate_key_hides_no_other_mistake() {
    let sandbox = sandbox(&[
        (
            "~/.bot-bottle/bottles/b.md",
            "---\nimage: a\nimage: b\nextends: gone\nimgae: x\nenv: {A: 1}\n---\n",
        ),
        (
            "~/.bot-bottle/agents/a.md",
            "---\nskills: []\nskills: [x]\nbottle: none\n---\n",
        ),
    ]);
    let found = findings(&sandbox);
    let codes: Vec<&str> = found
        .iter()
        .map(|line| line.split(['[', ']']).nth(1).unwrap())
        .collect();
    let expected = [
        "text/duplicate-key",
        "bottle/extends",
        "bottle/unknown-key",
        "bottle/value",
        "text/duplicate-key",
        "bottle/unknown-bottle",
    ];
    assert_eq!(codes, expected, "{found:#?}");
}

#[test]
fn an_old_file_is_reported_once_and_also_as_a_link_to_nothing() {
    let sandbox = sandbox(&[("~/.bot-bottle/bot-bottle.json", "{}")]);
    let error =
        Manifest::from_md_dirs(&sandbox.home(), &sandbox.home().join(".bot-bottle")).unwrap_err();
    assert_eq!(error.diagnostics.len(), 1, "{error}");
    symlink("gone", sandbox.work().join("bot-bottle.json")).unwrap();
    let found = findings(&sandbox);
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(
        found[1].ends_with("which is no longer read (bot-bottle.json)"),
        "{found:#?}"
    );
}

#[test]
fn a_directory_of_the_project_without_bottles_is_not_worth_a_note() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/base.md", BASE),
        (".bot-bottle/bottles/.gitkeep", ""),
        (".bot-bottle/bottles/.hidden.md", ""),
        (".bot-bottle/bottles/notes.txt", ""),
    ]);
    assert!(good(&sandbox).notes().is_empty());
}

#[test]
fn errors_of_a_file_hide_no_others() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/agents/body.md", "---\n---\nNo keys.\n"),
        ("~/.bot-bottle/agents/lost.md", "---\nbottle: bsae\n---\n"),
        (
            "~/.bot-bottle/agents/prompt.md",
            "---\nbottle: base\nprompt: x\n---\n",
        ),
        ("~/.bot-bottle/bottles/base.md", BASE),
        (
            "~/.bot-bottle/bottles/child.md",
            "---\nextends: list\nimgae: x\n---\n",
        ),
        ("~/.bot-bottle/bottles/heir.md", "---\nextends: open\n---\n"),
        ("~/.bot-bottle/bottles/list.md", "---\n- a\n---\n"),
        (
            "~/.bot-bottle/bottles/number.md",
            "---\nenv:\n  PORT: 80\n---\n",
        ),
        ("~/.bot-bottle/bottles/open.md", "---\nimage: i\n"),
        ("~/.bot-bottle/bottles/tab.md", "---\nenv:\n\tA: x\n---\n"),
        (
            "~/.bot-bottle/bottles/twice.md",
            "---\nimage: a\nimage: b\n---\n",
        ),
    ]);
    std::fs::write(
        sandbox.home().join(".bot-bottle/bottles/latin.md"),
        b"---\nimage: \xe9\n---\n",
    )
    .unwrap();
    let found = findings(&sandbox);
    let codes: Vec<(&str, &str)> = found
        .iter()
        .map(|line| {
            let code = line.split(['[', ']']).nth(1).unwrap();
            let file = line
                .rsplit('/')
                .next()
                .unwrap()
                .split(['.', ':'])
                .next()
                .unwrap();
            (code, file)
        })
        .collect();
    let expected = [
        ("bottle/unknown-key", "child"),
        ("text/encoding", "latin"),
        ("bottle/value", "list"),
        ("bottle/value", "number"),
        ("markdown/fence", "open"),
        ("yaml/syntax", "tab"),
        ("text/duplicate-key", "twice"),
        ("bottle/value", "body"),
        ("bottle/unknown-bottle", "lost"),
        ("bottle/unknown-key", "prompt"),
    ];
    assert_eq!(codes, expected, "{found:#?}");
}

#[test]
fn a_prompt_in_the_front_matter_is_sent_to_the_body() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/b.md", BASE),
        (
            "~/.bot-bottle/agents/a.md",
            "---\nbottle: b\nprompt: x\n---\n",
        ),
    ]);
    let error = load(&sandbox).unwrap_err();
    assert_eq!(error.diagnostics[0].message, "an agent has no key `prompt`");
    let help = "in Markdown the body after the front matter is the prompt: write it there; the keys of an agent are `bottle`, `skills`, `env`, `git`, and in JSON `prompt`";
    assert_eq!(error.diagnostics[0].help.as_deref(), Some(help));
}

#[test]
fn links_directories_and_pipes_are_mistakes_and_nothing_waits_for_them() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/folder.md/x.md", ""),
        ("~/.bot-bottle/agents/a.md", "---\nbottle: loop\n---\n"),
    ]);
    let bottles = sandbox.home().join(".bot-bottle/bottles");
    symlink(bottles.join("loop.md"), bottles.join("loop.md")).unwrap();
    symlink("gone", bottles.join("dangling.md")).unwrap();
    assert!(
        sandbox
            .command("mkfifo")
            .arg(bottles.join("pipe.md"))
            .status()
            .unwrap()
            .success()
    );
    let found = findings(&sandbox);
    assert_eq!(found.len(), 4, "{found:#?}");
    for (line, file) in found.iter().zip(["dangling", "folder", "loop", "pipe"]) {
        assert!(
            line.starts_with("error[io/unreadable]") && line.ends_with(&format!("/{file}.md)")),
            "{line}"
        );
    }
}

#[test]
fn links_of_a_project_stay_in_it() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/b.md", BASE),
        (
            "~/.bot-bottle/agents/real.md",
            "---\nbottle: b\n---\nOf home.\n",
        ),
        ("~/notes.md", "---\nbottle: b\n---\nPrivate.\n"),
        ("prompts/inside.md", "---\nbottle: b\n---\nInside.\n"),
        (".bot-bottle/agents/plain.md", "---\nbottle: b\n---\n"),
    ]);
    let (home, work) = (sandbox.home(), sandbox.work().join(".bot-bottle/agents"));
    symlink("../../prompts/inside.md", work.join("inside.md")).unwrap();
    symlink(
        home.join("notes.md"),
        home.join(".bot-bottle/agents/linked.md"),
    )
    .unwrap();
    let manifest = good(&sandbox);
    assert_eq!(manifest.agent("inside").unwrap().prompt, "Inside.");
    assert_eq!(manifest.agent("linked").unwrap().prompt, "Private.");
    for (at, target) in ["../../../home/notes.md".into(), home.join("notes.md")]
        .iter()
        .enumerate()
    {
        symlink(target, work.join(format!("out{at}.md"))).unwrap();
        let message = format!("`.bot-bottle/agents/out{at}.md` is outside its directory");
        let expected = format!("error[resource/escape]: {message} (.bot-bottle/agents/out{at}.md)");
        assert_eq!(findings(&sandbox), [expected]);
        std::fs::remove_file(work.join(format!("out{at}.md"))).unwrap();
    }
}

#[test]
fn files_and_directories_that_must_not_be_read_are_mistakes() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/b.md", BASE),
        ("~/.bot-bottle/agents", "a file\n"),
    ]);
    let file = sandbox.home().join(".bot-bottle/bottles/b.md");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Root reads everything.
    let expected = if std::fs::read(&file).is_ok() { 1 } else { 2 };
    let found = findings(&sandbox);
    assert_eq!(found.len(), expected, "{found:#?}");
    assert!(
        found
            .iter()
            .all(|line| line.starts_with("error[io/unreadable]")),
        "{found:#?}"
    );
    assert!(
        found
            .iter()
            .any(|line| line.contains("/.bot-bottle/agents` is not a directory")),
        "{found:#?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn files_whose_names_differ_in_case_only_are_refused() {
    let sandbox = sandbox(&[
        ("~/.bot-bottle/bottles/dev.md", BASE),
        ("~/.bot-bottle/bottles/Dev.md", BASE),
    ]);
    let expected = "error[bottle/duplicate-name]: the bottles `Dev` and `dev` differ only in case \
                    (~/.bot-bottle/bottles/dev.md:1)";
    assert_eq!(findings(&sandbox), [expected]);
}
