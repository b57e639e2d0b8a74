//! Outcomes on a machine that does not cooperate: many processes at once, full and read-only disks, clocks that jump,
//! and a cache that goes. Everything that a system cannot do here is skipped with a message.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use agpm_testkit::Sandbox;

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const AGENTS: usize = 40;

/// A project of a source with two releases.
struct Machine {
    sandbox: Sandbox,
}

impl Machine {
    fn new() -> Self {
        let machine = Machine {
            sandbox: Sandbox::new(PROGRAM),
        };
        let source = machine.path("source");
        fs::create_dir_all(source.join("agents")).unwrap();
        fs::create_dir_all(machine.path("project")).unwrap();
        machine.git(&["init", "-q", "-b", "main"]);
        for release in ["v1.0.0", "v1.1.0"] {
            for number in 0..AGENTS {
                let text = format!(
                    "---\nname: a{number}\n---\n{release}\n{}\n",
                    "x".repeat(2000)
                );
                fs::write(source.join(format!("agents/a{number}.md")), text).unwrap();
            }
            machine.git(&["add", "-A"]);
            machine.git(&["commit", "-q", "-m", release]);
            machine.git(&["tag", release]);
        }
        machine.require("=1.0.0");
        machine
    }

    fn path(&self, inner: &str) -> PathBuf {
        self.sandbox.work().join(inner)
    }

    fn project(&self) -> PathBuf {
        self.path("project")
    }

    fn git(&self, words: &[&str]) {
        let mut command = self.sandbox.command("git");
        let identity = ["-c", "user.name=u", "-c", "user.email=u@localhost"];
        command.current_dir(self.path("source")).args(identity);
        assert!(command.args(words).status().unwrap().success(), "{words:?}");
    }

    /// Writes the manifest.
    fn require(&self, version: &str) {
        let source = self.path("source").display().to_string();
        let text = format!(
            "[sources]\ns = \"{source}\"\n\n[agents]\nall = {{ source = \"s\", path = \"agents/*.md\", version = \"{version}\" }}\n"
        );
        fs::write(self.project().join("agpm.toml"), text).unwrap();
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.sandbox.command(PROGRAM);
        command.current_dir(self.project()).args(words);
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    fn good(&self, words: &[&str]) {
        let output = self.run(words);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{words:?}\n{}",
            text_of(&output)
        );
    }

    /// Runs a shell script in a namespace of its own, where it may mount; `None` where the system does not allow that.
    fn run_mounting(&self, script: &str) -> Option<Output> {
        let namespace = |script: &str| {
            let mut command = self.sandbox.command("unshare");
            command.current_dir(self.project());
            command.args(["-Urm", "sh", "-c", script, "sh", PROGRAM]);
            command.output().ok()
        };
        let can_mount = namespace("mount -t tmpfs -o size=64k none /mnt");
        if can_mount.is_none_or(|output| !output.status.success()) {
            eprintln!("skipped: this system does not let a test mount a file system");
            return None;
        }
        namespace(script)
    }
}

fn text_of(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

/// The installed agents that have the text of a release.
fn installed(project: &Path, release: &str) -> usize {
    let files = fs::read_dir(project.join(".claude/agents"));
    let texts = files.into_iter().flatten().flatten();
    let texts = texts.filter_map(|file| fs::read_to_string(file.path()).ok());
    texts.filter(|text| text.contains(release)).count()
}

#[test]
fn eight_processes_of_mixed_commands_leave_a_whole_project() {
    let machine = Machine::new();
    fs::write(machine.project().join("AGENTS.md"), "my own text\n").unwrap();
    let commands: [&[&str]; 8] = [
        &["install"],
        &["update"],
        &["add", "-y", "s:agents/a1.md@=1.0.0", "--name", "one"],
        &["remove", "agents/one"],
        &["undo"],
        &["verify"],
        &["cache", "clean", "--all"],
        &["status"],
    ];
    for _ in 0..3 {
        let start = |words: &&[&str]| -> Child {
            let mut command = machine.command(words);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        };
        let children: Vec<Child> = commands.iter().map(start).collect();
        for (child, words) in children.into_iter().zip(commands) {
            let output = child.wait_with_output().unwrap();
            let text = text_of(&output);
            let code = output.status.code();
            assert!(matches!(code, Some(0..=6)), "{words:?} {code:?}\n{text}");
            // A clear outcome: an error has a code, and a reader can act on it.
            let is_explained = code == Some(0) || text.contains("error[") || words[0] == "verify";
            assert!(is_explained, "{words:?} {code:?}\n{text}");
        }
    }
    machine.require("^1.0");
    machine.good(&["update"]);
    machine.good(&["verify"]);
    assert_eq!(installed(&machine.project(), "v1.1.0"), AGENTS);
    let own = fs::read_to_string(machine.project().join("AGENTS.md")).unwrap();
    assert_eq!(own, "my own text\n");
}

#[test]
fn a_full_disk_changes_nothing_and_space_is_all_that_is_missing() {
    let machine = Machine::new();
    machine.good(&["install"]);
    machine.require("^1.0");
    // Both versions do not fit, and neither does the transaction with the new one.
    let script = "mount -t tmpfs -o size=300k none /mnt && cp -r . /mnt && cd /mnt \
                  && \"$1\" install; echo first $? && \"$1\" verify -q; echo verify $?; \
                  grep -l v1.0.0 .claude/agents/* | wc -l; \
                  mount -o remount,size=20m /mnt && \"$1\" update && \"$1\" verify && grep -l v1.1.0 .claude/agents/* | wc -l";
    let Some(output) = machine.run_mounting(script) else {
        return;
    };
    let text = text_of(&output);
    let lines: Vec<&str> = text.lines().collect();
    for line in [
        "first 1",
        " = help: free some space, then run the command again",
        "40",
    ] {
        assert!(lines.contains(&line), "no `{line}`:\n{text}");
    }
    let counts = lines.iter().filter(|line| **line == "40").count();
    assert_eq!(counts, 2, "{text}");
    assert!(text.contains("the disk is full"), "{text}");
}

#[test]
fn read_only_directories_are_named_and_nothing_is_half_done() {
    let machine = Machine::new();
    machine.good(&["install"]);
    machine.require("^1.0");
    let script = "mount --bind . /mnt && mount -o remount,ro,bind /mnt && cd /mnt \
                  && \"$1\" update; echo update $?; \"$1\" list > /dev/null; echo list $?";
    let Some(output) = machine.run_mounting(script) else {
        return;
    };
    let text = text_of(&output);
    assert!(text.contains("read-only file system"), "{text}");
    assert!(
        text.contains("update 1") && text.contains("list 0"),
        "{text}"
    );
    let mounted = "mount --bind .claude .claude && \"$1\" update; echo update $?";
    let text = machine
        .run_mounting(mounted)
        .as_ref()
        .map(text_of)
        .unwrap_or_default();
    assert!(
        text.contains("on another file system than the project"),
        "{text}"
    );
    assert!(text.contains("update 1"), "{text}");
    assert_eq!(installed(&machine.project(), "v1.0.0"), AGENTS);
    machine.good(&["update"]);
    assert_eq!(installed(&machine.project(), "v1.1.0"), AGENTS);
}

#[test]
fn a_file_size_limit_changes_nothing() {
    let machine = Machine::new();
    let mut command = machine.sandbox.command("sh");
    let script = "trap '' XFSZ; ulimit -f 4; \"$1\" install";
    command.current_dir(machine.project());
    let output = command
        .args(["-c", script, "sh", PROGRAM])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text_of(&output));
    assert!(text_of(&output).contains("error["), "{}", text_of(&output));
    assert_eq!(installed(&machine.project(), "v1"), 0);
    assert!(!machine.project().join("agpm.lock").exists());
    machine.good(&["install"]);
    assert_eq!(installed(&machine.project(), "v1.0.0"), AGENTS);
}

#[test]
fn a_clock_that_jumps_changes_no_outcome() {
    let library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
    if !Path::new(library).exists() {
        eprintln!("skipped: libfaketime is not installed");
        return;
    }
    let machine = Machine::new();
    let times = [
        "2001-01-01 00:00:00",
        "2037-01-01 00:00:00",
        "1970-01-02 00:00:00",
    ];
    let commands: [&[&str]; 8] = [
        &["install"],
        &["install"],
        &["install", "--frozen"],
        &["update"],
        &["cache", "clean"],
        &["verify"],
        &["undo"],
        &["install", "--force"],
    ];
    for time in times {
        for words in commands {
            let mut command = machine.command(words);
            command.env("LD_PRELOAD", library).env("FAKETIME", time);
            let output = command.output().unwrap();
            assert_eq!(
                output.status.code(),
                Some(0),
                "{time} {words:?}\n{}",
                text_of(&output)
            );
        }
    }
    machine.good(&["verify"]);
    assert_eq!(installed(&machine.project(), "v1.0.0"), AGENTS);
}

#[test]
fn a_cache_that_goes_is_filled_again() {
    let machine = Machine::new();
    let cache = machine.sandbox.work().parent().unwrap().join("cache");
    let commands: [&[&str]; 9] = [
        &["install"],
        &["install", "--frozen"],
        &["verify"],
        &["list"],
        &["outdated"],
        &["ci"],
        &["update"],
        &["status"],
        &["diff"],
    ];
    for words in commands {
        let _ = fs::remove_dir_all(&cache);
        machine.good(words);
    }
    fs::rename(machine.path("source"), machine.path("gone")).unwrap();
    let _ = fs::remove_dir_all(&cache);
    fs::remove_file(machine.project().join(".claude/agents/a1.md")).unwrap();
    let output = machine.run(&["install", "--frozen"]);
    assert_eq!(output.status.code(), Some(4), "{}", text_of(&output));
    assert!(text_of(&output).contains("error["), "{}", text_of(&output));
    assert_eq!(installed(&machine.project(), "v1.0.0"), AGENTS - 1);
    fs::rename(machine.path("gone"), machine.path("source")).unwrap();
    machine.good(&["install", "--frozen"]);
    assert_eq!(installed(&machine.project(), "v1.0.0"), AGENTS);
}
