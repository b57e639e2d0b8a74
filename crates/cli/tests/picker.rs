//! The picker of `add` and the question of `init`, on a pseudo-terminal.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use agpm_testkit::{Repository, Sandbox};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{InputModes, LocalModes, OutputModes, tcgetattr};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// A program on a pseudo-terminal.
struct Session {
    child: Child,
    keys: File,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Session {
    fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&master).unwrap();
        unlockpt(&master).unwrap();
        let name = ptsname(&master, Vec::new()).unwrap();
        let slave = || -> OwnedFd {
            let flags = OFlags::RDWR | OFlags::NOCTTY;
            open(name.as_c_str(), flags, Mode::empty()).unwrap()
        };
        let mut command = sandbox.command(PROGRAM);
        command
            .current_dir(sandbox.work().join("project"))
            .env("TERM", "xterm")
            .args(arguments)
            .stdin(Stdio::from(slave()))
            .stdout(Stdio::from(slave()))
            .stderr(Stdio::from(slave()));
        let child = command.spawn().unwrap();
        drop(command);
        let keys = File::from(master);
        let mut output = keys.try_clone().unwrap();
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Session {
            child,
            keys,
            screen,
            seen: String::new(),
        }
    }

    /// Waits until the screen has shown a text since the last call.
    fn wait_for(&mut self, text: &str) {
        let end = Instant::now() + Duration::from_secs(60);
        while !self.seen.contains(text) {
            let left = end.saturating_duration_since(Instant::now());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.seen += &String::from_utf8_lossy(&bytes),
                Err(_) => panic!("no `{text}` in\n{}", self.seen),
            }
        }
        self.seen.clear();
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// How the terminal treats keys.
    fn modes(&self) -> (InputModes, OutputModes, LocalModes) {
        let modes = tcgetattr(&self.keys).unwrap();
        (modes.input_modes, modes.output_modes, modes.local_modes)
    }

    /// Waits for the end of the program, and checks that it left the terminal as it was.
    fn code(mut self, before: (InputModes, OutputModes, LocalModes)) -> Option<i32> {
        let code = self.child.wait().unwrap().code();
        assert_eq!(self.modes(), before);
        code
    }
}

fn library() -> (Sandbox, String) {
    let sandbox = Sandbox::new(PROGRAM);
    let mut source = Repository::init(&sandbox, "lib");
    let agent = |name: &str| format!("---\nname: {name}\ndescription: About {name}\n---\nText.\n");
    source.commit(&[
        ("agents/alpha.md", &agent("alpha")),
        ("agents/beta.md", &agent("beta")),
        ("agents/gamma.md", &agent("gamma")),
    ]);
    let url = source.url();
    sandbox.write("project/.keep", "");
    (sandbox, url)
}

#[test]
fn several_are_selected_with_space_and_confirmed_with_enter() {
    let (sandbox, url) = library();
    let mut session = Session::start(&sandbox, &["add", &url]);
    let usual = session.modes();
    session.wait_for("3 of 3");
    let raw = session.modes();
    assert!(
        !raw.2
            .intersects(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG)
    );
    session.press("gam");
    session.wait_for("1 of 3");
    session.press(" ");
    session.wait_for("1 selected");
    assert_eq!(session.modes(), raw, "held between keys");
    session.press("\u{7f}\u{7f}\u{7f}");
    session.wait_for("3 of 3, 1 selected");
    session.press(" ");
    session.wait_for("2 selected");
    session.press("\r");
    // Nothing shows which tools the project is for.
    session.wait_for("Tools of this project");
    session.press("\r");
    session.wait_for("Added agents/gamma");
    assert_eq!(session.code(usual), Some(0));
    let manifest = sandbox.read("project/agpm.toml");
    assert!(
        manifest.contains("alpha =") && manifest.contains("gamma ="),
        "{manifest}"
    );
    assert!(!manifest.contains("beta ="), "{manifest}");

    let mut again = Session::start(&sandbox, &["add", &url]);
    again.wait_for("agents/alpha  (installed)");
    again.press("\u{3}");
    assert_eq!(again.code(usual), Some(2));
    assert_eq!(sandbox.read("project/agpm.toml"), manifest);
}

#[test]
fn an_increase_is_asked_about_and_approved_with_y() {
    for (key, code) in [("y", Some(0)), ("n", Some(6))] {
        let sandbox = Sandbox::new(PROGRAM);
        sandbox.write(
            "project/agpm.toml",
            "[[layers]]\nname = \"team\"\npath = \"../team\"\n",
        );
        sandbox.write("team/.claude/settings.json", "{}\n");
        let mut first = Session::start(&sandbox, &["install"]);
        let usual = first.modes();
        first.wait_for("Installed 1 ");
        assert_eq!(first.code(usual), Some(0));
        let settings = "{\"permissions\": {\"allow\": [\"Bash(*)\"]}}\n";
        sandbox.write("team/.claude/settings.json", settings);
        let mut session = Session::start(&sandbox, &["install"]);
        session.wait_for("layers/team  + tools Bash(*)");
        session.press(key);
        assert_eq!(session.code(usual), code);
        let written = sandbox.work().join("project/.claude/settings.json");
        assert_eq!(
            std::fs::read_to_string(written).is_ok_and(|text| text.contains("Bash(*)")),
            code == Some(0)
        );
    }
}

#[test]
fn yes_never_asks() {
    let (sandbox, url) = library();
    let mut session = Session::start(&sandbox, &["add", &url, "--yes"]);
    let usual = session.modes();
    session.wait_for("has 3 resources");
    assert_eq!(session.code(usual), Some(3));
}

const QUESTION: &str = "Manage these files with agpm? They stay as they are [y/N]";

fn project_with_an_agent() -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("project/.claude/agents/own.md", "Own.\n");
    sandbox
}

#[test]
fn init_offers_to_adopt_and_does_it_for_y() {
    for (key, is_adopted) in [("y", true), ("n", false)] {
        let sandbox = project_with_an_agent();
        let mut session = Session::start(&sandbox, &["init"]);
        let usual = session.modes();
        session.wait_for(QUESTION);
        session.press(key);
        session.wait_for("Wrote");
        assert_eq!(session.code(usual), Some(0));
        let manifest = sandbox.read("project/agpm.toml");
        assert_eq!(
            manifest.contains("in-place = true"),
            is_adopted,
            "{manifest}"
        );
    }
    let sandbox = project_with_an_agent();
    let mut session = Session::start(&sandbox, &["init"]);
    let usual = session.modes();
    session.wait_for(QUESTION);
    session.press("\u{3}");
    assert_eq!(session.code(usual), Some(2));
    assert!(!sandbox.work().join("project/agpm.toml").exists());
}

#[test]
fn init_asks_nothing_where_it_is_reported_so_or_finds_nothing() {
    for arguments in [&["init", "--yes"][..], &["init", "--bare"]] {
        let sandbox = project_with_an_agent();
        let mut session = Session::start(&sandbox, arguments);
        let usual = session.modes();
        session.wait_for("Wrote");
        assert_eq!(session.code(usual), Some(0));
    }
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("project/.keep", "");
    let mut session = Session::start(&sandbox, &["init"]);
    let usual = session.modes();
    session.wait_for("Wrote");
    assert_eq!(session.code(usual), Some(0));
}
