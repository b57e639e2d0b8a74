//! Output on a terminal: colors, widths, durations, steps; and output in a pipe.
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
use std::process::Stdio;

use agpm_testkit::Sandbox;
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

fn demo() -> Sandbox {
    let sandbox = Sandbox::standing_in(PROGRAM, "project");
    let demo = sandbox.run_line("agpm demo .");
    assert_eq!(demo.code, Some(0), "{demo}");
    sandbox
}

/// Returns the output on a terminal with this number of columns after these keys.
fn on_terminal(sandbox: &Sandbox, columns: u16, line: &str, keys: &str) -> String {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&master, size).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = || -> OwnedFd {
        let flags = OFlags::RDWR | OFlags::NOCTTY;
        open(name.as_c_str(), flags, Mode::empty()).unwrap()
    };
    let mut command = sandbox.command(PROGRAM);
    command
        .env("TERM", "xterm")
        .env("AGPM_NO_PROGRESS", "1")
        .args(line.split(' ').skip(1))
        .stdin(Stdio::from(slave()))
        .stdout(Stdio::from(slave()))
        .stderr(Stdio::from(slave()));
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut terminal = File::from(master);
    terminal.write_all(keys.as_bytes()).unwrap();
    let mut seen = Vec::new();
    // The other side is gone when the command ends, which is an error here.
    let _ = terminal.read_to_end(&mut seen);
    assert!(child.wait().unwrap().success(), "{line}");
    String::from_utf8_lossy(&seen).replace("\r\n", "\n")
}

/// A text without its escape codes.
fn without_colors(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once('m').map_or(part, |(_, rest)| rest));
    rest.fold(first, |text, rest| text + rest)
}

#[test]
fn colors_are_used_where_they_are_wanted() {
    let sandbox = demo();
    for line in [
        "agpm list",
        "agpm tree",
        "agpm doctor",
        "agpm layers",
        "agpm outdated",
    ] {
        let colored = |name: &str, value: &str, arguments: &str| {
            let mut command = sandbox.command(PROGRAM);
            let words = line.split(' ').skip(1);
            command.args(words).args(arguments.split_whitespace());
            command.env(name, value);
            sandbox.output(command).stdout.contains("\u{1b}[")
        };
        assert!(!colored("NOTHING", "1", ""), "{line}");
        assert!(colored("NOTHING", "1", "--color always"), "{line}");
        assert!(colored("CLICOLOR_FORCE", "1", ""), "{line}");
        assert!(!colored("CLICOLOR_FORCE", "0", ""), "{line}");
        assert!(!colored("CLICOLOR_FORCE", "1", "--color never"), "{line}");
        let screen = on_terminal(&sandbox, 120, line, "");
        assert!(screen.contains("\u{1b}["), "{line}\n{screen}");
    }
}

#[test]
fn help_has_colors_where_they_are_wanted() {
    let sandbox = demo();
    for line in ["agpm --help", "agpm install --help", "agpm help add"] {
        let plain = sandbox.run_line(line).stdout;
        assert!(!plain.contains('\u{1b}'), "{plain}");
        for flag in ["--color always", "--color=always"] {
            let colored = sandbox.run_line(&format!("{line} {flag}")).stdout;
            assert!(colored.contains("\u{1b}["), "{line} {flag}");
            assert_eq!(without_colors(&colored), plain, "{line} {flag}");
        }
    }
    let wrong = sandbox.run_line("agpm --color always instal").stderr;
    assert!(wrong.contains("\u{1b}["), "{wrong}");
    assert!(
        without_colors(&wrong).starts_with("error[usage]:"),
        "{wrong}"
    );
}

#[test]
fn a_plan_has_colors_too() {
    let sandbox = demo();
    sandbox.run_line("agpm undo");
    let plan = sandbox
        .run_line("agpm --color always install --dry-run")
        .stdout;
    assert!(
        plan.contains("\u{1b}[32m+\u{1b}[0m .claude/agents/reviewer.md"),
        "{plan}"
    );
    assert!(plan.contains("\u{1b}[33mruns\u{1b}[0m"), "{plan}");
}

#[test]
fn tables_know_the_width_of_a_terminal_and_are_whole_in_a_pipe() {
    let sandbox = demo();
    for line in [
        "agpm list",
        "agpm outdated --all",
        "agpm catalog --all",
        "agpm layers",
        "agpm doctor",
        "agpm browse library",
        "agpm search e",
    ] {
        let piped = sandbox.run_line(line).stdout;
        assert!(!piped.contains('…'), "{piped}");
        for columns in [60, 80] {
            let screen = without_colors(&on_terminal(&sandbox, columns, line, ""));
            let table = screen.lines().take_while(|line| !line.is_empty());
            for row in table {
                assert!(row.chars().count() <= usize::from(columns), "{line}: {row}");
            }
        }
        let wide = without_colors(&on_terminal(&sandbox, 200, line, ""));
        let first = piped.lines().next().unwrap();
        assert!(wide.contains(first), "{line}\n{wide}\n{piped}");
    }
}

#[test]
fn durations_are_for_those_who_wait_at_a_terminal() {
    let sandbox = demo();
    let screen = without_colors(&on_terminal(&sandbox, 80, "agpm install", ""));
    assert!(screen.contains("Everything is up to date in "), "{screen}");
    let piped = sandbox.run_line("agpm install").stdout;
    assert_eq!(
        piped,
        "Everything is up to date (8 resources and 2 layer files)\n"
    );
}

#[test]
fn the_demonstration_goes_step_by_step_on_a_terminal() {
    let sandbox = Sandbox::new(PROGRAM);
    let outside = |sandbox: &Sandbox| -> Vec<String> {
        let listing = sandbox.listing();
        let lines = listing.lines().filter(|line| !line.contains("work/"));
        lines.map(str::to_owned).collect()
    };
    let before = outside(&sandbox);
    let piped = sandbox.run_line("agpm demo whole");
    assert_eq!(outside(&sandbox), before, "only its directory is written");
    for step in 1..=7 {
        assert!(piped.stdout.contains(&format!("[{step}/7] ")), "{piped}");
    }
    assert!(!piped.stdout.contains("Press Enter"), "{piped}");
    let steps: Vec<&str> = piped.stdout.split("\n[").collect();
    for step in &steps {
        // The last line of the screen asks to continue.
        assert!(step.trim().lines().count() <= 23, "{step}");
        assert!(step.contains("  agpm -C whole "), "{step}");
    }
    for shown in [
        "error[trust/increase]",
        "run `agpm -C whole update agents/reviewer --approve agents/reviewer`",
        "agents/reviewer  v1.0.0 -> v1.1.0  + runs git log",
        "Updated 1 resource",
        "failed   files  (1 finding)",
        "Undid transaction",
    ] {
        assert!(piped.stdout.contains(shown), "{shown}: {piped}");
    }
    // What it suggests at its end shows the update again.
    let next = sandbox.run_line("agpm -C whole diff --update");
    assert!(next.stdout.contains("+ runs git log"), "{next}");
    let screen = on_terminal(&sandbox, 80, "agpm demo staged", "\r\r\r\r\r\r");
    assert!(screen.contains("[7/7] "), "{screen}");
    assert_eq!(
        screen.matches("Press Enter to continue").count(),
        6,
        "{screen}"
    );
    let left = on_terminal(&sandbox, 80, "agpm demo left", "q");
    assert!(!left.contains("[2/7] "), "{left}");
}

#[test]
fn blame_shows_the_layer_of_each_line() {
    let sandbox = demo();
    let output = sandbox.run_line("agpm explain .claude/settings.json --blame");
    assert_eq!(output.code, Some(0), "{output}");
    let line_with = |text: &str| {
        let mut lines = output.stdout.lines();
        lines
            .find(|line| line.contains(text))
            .unwrap_or_else(|| panic!("{text}\n{output}"))
    };
    assert!(line_with("\"model\"").starts_with("personal  "), "{output}");
    assert!(line_with("Read(.env)").starts_with("org "), "{output}");
    assert!(output.stdout.starts_with("org       {"), "{output}");
    let json = sandbox.run_line("agpm --json explain .claude/settings.json --blame");
    assert!(json.stdout.contains("\"layer\": \"personal\""), "{json}");
    let resource = sandbox.run_line("agpm explain agents/reviewer --blame");
    assert_eq!(resource.code, Some(0), "{resource}");
    assert!(resource.stdout.contains("patch"), "{resource}");
    for line in [
        "agpm explain json/syntax --blame",
        "agpm explain .claude/settings.json /model --blame",
    ] {
        assert_eq!(sandbox.run_line(line).code, Some(2), "{line}");
    }
}

#[test]
fn a_code_is_explained_in_short_unless_all_is_wanted() {
    let sandbox = Sandbox::new(PROGRAM);
    let short = sandbox.run_line("agpm explain json/syntax").stdout;
    assert!(short.starts_with("error[json/syntax]\n"), "{short}");
    assert!(
        short.contains("`agpm explain json/syntax --full`"),
        "{short}"
    );
    assert!(short.lines().count() <= 24, "{short}");
    let full = sandbox.run_line("agpm explain json/syntax --full").stdout;
    assert!(full.contains("## Fails"), "{full}");
}

#[test]
fn a_server_on_a_terminal_says_that_it_waits() {
    let sandbox = Sandbox::new(PROGRAM);
    let screen = on_terminal(&sandbox, 80, "agpm serve mcp", "\u{4}");
    assert!(screen.contains("Waiting for an MCP client"), "{screen}");
    let piped = sandbox.run_line("agpm serve mcp");
    assert_eq!(piped.stderr, "", "{piped}");
}
