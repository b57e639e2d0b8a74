//! `undo`: the last change is reverted completely, and later commands work.
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]

use agpm_testkit::{CommandOutput, Repository, Sandbox};

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");

/// A source with two versions, in the second of which `new` is added and `a` differs.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "community");
    repository.commit(&[("agents/a.md", "one\n"), ("agents/old.md", "old\n")]);
    repository.tag("v1.0.0");
    repository.commit(&[("agents/a.md", "two\n"), ("agents/new.md", "new\n")]);
    repository.tag("v2.0.0");
    sandbox
}

fn manifest(sandbox: &Sandbox, version: &str, names: &[&str]) {
    let line = |name: &&str| {
        format!(
            "{name} = {{ source = \"s\", path = \"agents/{name}.md\", version = \"{version}\" }}\n"
        )
    };
    let agents: String = names.iter().map(line).collect();
    let url = format!("file://{}", sandbox.work().join("community").display());
    sandbox.write(
        "agpm.toml",
        format!("[sources]\ns = \"{url}\"\n[agents]\n{agents}"),
    );
}

fn run(sandbox: &Sandbox, line: &str, code: i32) -> CommandOutput {
    let output = sandbox.run_line(line);
    assert_eq!(output.code, Some(code), "{line}\n{output}");
    output
}

/// Reads the project: its files, the lockfile and the ledger.
fn state(sandbox: &Sandbox) -> Vec<Option<String>> {
    let names =
        ["agents/a.md", "agents/old.md", "agents/new.md"].map(|name| format!(".claude/{name}"));
    let all = names
        .into_iter()
        .chain(["agpm.lock".to_owned(), ".agpm/ledger.json".to_owned()]);
    all.map(|path| std::fs::read_to_string(sandbox.work().join(path)).ok())
        .collect()
}

fn two_installs(sandbox: &Sandbox) -> [Vec<Option<String>>; 2] {
    manifest(sandbox, "v1.0.0", &["a", "old"]);
    run(sandbox, "agpm install", 0);
    let first = state(sandbox);
    manifest(sandbox, "v2.0.0", &["a", "new"]);
    run(sandbox, "agpm install", 0);
    [first, state(sandbox)]
}

#[test]
fn an_install_is_taken_back_whole_and_can_be_done_again() {
    let sandbox = sandbox();
    let [first, second] = two_installs(&sandbox);
    assert_ne!(first, second);
    let expected = "\
restored .claude/agents/a.md
removed .claude/agents/new.md
restored .claude/agents/old.md
restored agpm.lock
Undid transaction 2 (install): 3 files restored, 1 removed
";
    let output = run(&sandbox, "agpm undo", 0);
    assert_eq!(
        (output.stdout.as_str(), output.stderr.as_str()),
        (expected, "")
    );
    assert_eq!(state(&sandbox), first);
    assert_eq!(run(&sandbox, "agpm verify", 0).stdout, "2 files verified\n");
    // The manifest still asks for the second version.
    run(&sandbox, "agpm install", 0);
    assert_eq!(state(&sandbox), second);
    run(&sandbox, "agpm undo", 0);
    manifest(&sandbox, "v1.0.0", &["a", "old"]);
    assert_eq!(
        run(&sandbox, "agpm install", 0).stdout,
        "Everything is up to date (2 resources)\n"
    );
    assert_eq!(state(&sandbox), first);
}

#[test]
fn everything_can_be_taken_back_one_by_one_and_then_there_is_nothing() {
    let sandbox = sandbox();
    two_installs(&sandbox);
    run(&sandbox, "agpm undo", 0);
    let json = run(&sandbox, "agpm undo --json", 0)
        .stdout
        .replace(['\n', ' '], "");
    assert!(
        json.starts_with("{\"ok\":true,\"undone\":{\"number\":1,\"time\":\"20"),
        "{json}"
    );
    let expected = "\"command\":\"install\",\"title\":\"install\",\"summary\":\"3filescreated\",\"files\":[{\"path\":\".claude/agents/a.md\",\"action\":\"removed\"}";
    assert!(json.contains(expected), "{json}");
    assert_eq!(state(&sandbox), [None, None, None, None, None]);
    assert!(!sandbox.work().join(".claude").exists());
    let before = sandbox.listing();
    let output = run(&sandbox, "agpm undo", 1);
    assert!(
        output
            .stderr
            .starts_with("error[undo/nothing]: nothing to undo"),
        "{output}"
    );
    assert!(
        run(&sandbox, "agpm undo --json", 1)
            .stdout
            .contains("\"code\": \"undo/nothing\"")
    );
    assert_eq!(run(&sandbox, "agpm undo --list", 0).stdout, "");
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn the_list_is_newest_first_and_writes_nothing() {
    let sandbox = sandbox();
    two_installs(&sandbox);
    let before = sandbox.listing();
    let expected = "\
2  TIME  install  1 file created, 2 updated, 1 removed
  updated .claude/agents/a.md
  created .claude/agents/new.md
  removed .claude/agents/old.md
  updated agpm.lock
1  TIME  install  3 files created
  created .claude/agents/a.md
  created .claude/agents/old.md
  created agpm.lock
";
    let listed = without_times(&run(&sandbox, "agpm undo --list", 0).stdout);
    assert_eq!(listed, expected);
    let json = run(&sandbox, "agpm undo --list --json", 0)
        .stdout
        .replace(['\n', ' '], "");
    assert!(
        json.starts_with("{\"ok\":true,\"history\":[{\"number\":2,\"time\":\"20"),
        "{json}"
    );
    let first = "\"files\":[{\"path\":\".claude/agents/a.md\",\"action\":\"updated\"}";
    assert!(json.contains(first), "{json}");
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn later_edits_are_kept_unless_forced() {
    let sandbox = sandbox();
    let [first, _] = two_installs(&sandbox);
    sandbox.write(".claude/agents/a.md", "mine\n");
    sandbox.write(".claude/agents/old.md", "mine too\n");
    let before = state(&sandbox);
    let preview = run(&sandbox, "agpm undo --dry-run", 0);
    assert_eq!(state(&sandbox), before);
    let forced = run(&sandbox, "agpm undo --dry-run --force", 0);
    assert!(!forced.stdout.contains("kept"), "{forced}");
    assert_eq!(
        preview.stderr.matches("warning[undo/edited]").count(),
        2,
        "{preview}"
    );
    let output = run(&sandbox, "agpm undo", 0);
    let expected = "\
removed .claude/agents/new.md
restored agpm.lock
kept .claude/agents/a.md (changed since)
kept .claude/agents/old.md (changed since)
Undid transaction 2 (install): 1 file restored, 1 removed
";
    assert_eq!(
        (output.stdout.as_str(), output.stderr.as_str()),
        (expected, "")
    );
    assert_eq!(preview.stdout, expected.replace("Undid", "Would undo"));
    assert_eq!(sandbox.read(".claude/agents/a.md"), "mine\n");
    assert_eq!(sandbox.read(".claude/agents/old.md"), "mine too\n");
    // Both are edits of the first version again.
    run(&sandbox, "agpm verify", 1);
    assert_eq!(state(&sandbox)[3..], first[3..]);
}

#[test]
fn with_force_later_edits_are_overwritten() {
    let sandbox = sandbox();
    let [first, _] = two_installs(&sandbox);
    sandbox.write(".claude/agents/a.md", "mine\n");
    sandbox.write(".claude/agents/old.md", "mine too\n");
    assert_eq!(run(&sandbox, "agpm -q undo --force", 0).stdout, "");
    assert_eq!(state(&sandbox), first);
}

/// The times of a list, which are never the same.
fn without_times(list: &str) -> String {
    let lines = list.lines().map(|line| {
        let fields: Vec<&str> = line.split("  ").collect();
        match fields.as_slice() {
            [number, time, rest @ ..] if number.parse::<u32>().is_ok() && time.len() == 16 => {
                format!("{number}  TIME  {}\n", rest.join("  "))
            }
            _ => format!("{line}\n"),
        }
    });
    lines.collect()
}

fn three_installs(sandbox: &Sandbox) -> Vec<Vec<Option<String>>> {
    let mut states = two_installs(sandbox).to_vec();
    run(sandbox, "agpm add dep agent s:agents/old.md@v1.0.0", 0);
    states.push(state(sandbox));
    states
}

#[test]
fn everything_since_a_transaction_is_taken_back() {
    let sandbox = sandbox();
    let states = three_installs(&sandbox);
    let output = run(&sandbox, "agpm undo 4", 3);
    let expected =
        "error[name/unknown]: unknown transaction `4`\n = help: transactions 1 to 3 can be undone";
    assert_eq!(output.stderr.trim_end(), expected);
    let preview = run(&sandbox, "agpm undo 2 --dry-run", 0);
    let before = sandbox.listing();
    assert!(
        preview
            .stdout
            .ends_with("Would undo transactions 2 to 3: 4 files restored, 1 removed\n"),
        "{preview}"
    );
    assert_eq!(sandbox.listing(), before);
    let output = run(&sandbox, "agpm undo 2", 0);
    assert!(
        output
            .stdout
            .ends_with("Undid transactions 2 to 3: 4 files restored, 1 removed\n"),
        "{output}"
    );
    assert_eq!(state(&sandbox), states[0]);
    let json = run(&sandbox, "agpm undo --list --json", 0).stdout;
    assert_eq!(json.matches("\"number\": ").count(), 1, "{json}");
    run(&sandbox, "agpm undo 2", 3);
    // An undo is not a transaction, so the next change has the next number.
    run(&sandbox, "agpm install", 0);
    assert_eq!(state(&sandbox), states[1]);
    run(&sandbox, "agpm undo 2", 0);
    run(&sandbox, "agpm undo 1", 0);
    assert_eq!(state(&sandbox), [None, None, None, None, None]);
}

#[test]
fn an_undo_of_several_that_was_killed_leaves_all_or_nothing() {
    let mut finished = 0;
    for at in 1..90 {
        let sandbox = sandbox();
        let states = three_installs(&sandbox);
        let mut command = sandbox.command(PROGRAM);
        command
            .args(["undo", "2"])
            .env("AGPM_STOP_AT_WRITE", at.to_string());
        if sandbox.output(command).code == Some(0) {
            assert!(finished > 3, "{finished}");
            assert_eq!(state(&sandbox), states[0]);
            return;
        }
        let committed = sandbox
            .work()
            .join(".agpm/transaction/journal.json")
            .exists();
        // Killed while it cleaned up, the undo is done.
        let again = sandbox.run_line("agpm undo 2");
        assert!(
            matches!(again.code, Some(0 | 3)),
            "killed at write {at}\n{again}"
        );
        assert_eq!(state(&sandbox), states[0], "killed at write {at}");
        run(&sandbox, "agpm undo 2", 3);
        finished += usize::from(committed);
    }
    panic!("it has fewer writes");
}

#[test]
fn an_undo_first_finishes_what_was_stopped() {
    let sandbox = sandbox();
    let [first, _] = two_installs(&sandbox);
    std::fs::create_dir(sandbox.work().join(".agpm/transaction")).unwrap();
    let output = run(&sandbox, "agpm undo", 0);
    assert!(
        output.stderr.starts_with("note[install/recovered]"),
        "{output}"
    );
    assert_eq!(state(&sandbox), first);
}

#[test]
fn a_change_of_the_manifest_is_taken_back_with_what_it_installed() {
    let sandbox = sandbox();
    manifest(&sandbox, "v1.0.0", &["a"]);
    run(&sandbox, "agpm install", 0);
    let (before, text) = (state(&sandbox), sandbox.read("agpm.toml"));
    run(&sandbox, "agpm add dep agent s:agents/old.md@v1.0.0", 0);
    assert_ne!(state(&sandbox), before);
    let output = run(&sandbox, "agpm undo", 0);
    assert!(output.stdout.contains("restored agpm.toml\n"), "{output}");
    assert_eq!((state(&sandbox), sandbox.read("agpm.toml")), (before, text));
    assert_eq!(
        run(&sandbox, "agpm install", 0).stdout,
        "Everything is up to date (1 resource)\n"
    );
}

/// Tools write to their own files all the time, so an edit there must not block `undo`.
#[test]
fn only_our_entries_leave_a_file_that_was_edited_since() {
    let sandbox = Sandbox::new(PROGRAM);
    let servers = |version: &str| {
        format!(
            "[mcp-servers]\nfs = {{ command = \"npx\", args = [\"{version}\"] }}\nother = {{ command = \"o\" }}\n"
        )
    };
    sandbox.write(
        ".mcp.json",
        "{\"mcpServers\": {\"mine\": {\"command\": \"m\"}}}\n",
    );
    sandbox.write(
        "agpm.toml",
        "[mcp-servers]\nfs = { command = \"npx\", args = [\"1\"] }\n",
    );
    run(&sandbox, "agpm install", 0);
    sandbox.write("agpm.toml", servers("2"));
    run(&sandbox, "agpm install", 0);
    let edited = sandbox
        .read(".mcp.json")
        .replace("\"m\"", "\"mine, edited\"");
    sandbox.write(".mcp.json", &edited);
    run(&sandbox, "agpm undo", 0);
    let now = sandbox.read(".mcp.json");
    assert_eq!(
        now,
        edited
            .replace("\"2\"", "\"1\"")
            .replace(", \"other\": {\"command\": \"o\"}", ""),
        "{now}"
    );
    run(&sandbox, "agpm undo", 0);
    assert_eq!(
        sandbox.read(".mcp.json"),
        "{\"mcpServers\": {\"mine\": {\"command\": \"mine, edited\"}}}\n"
    );
}

#[test]
fn an_install_in_between_does_not_make_an_edit_forgotten() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write(
        ".mcp.json",
        "{\"mcpServers\": {\"mine\": {\"command\": \"m\"}}}\n",
    );
    sandbox.write("agpm.toml", "[mcp-servers]\nfs = { command = \"npx\" }\n");
    run(&sandbox, "agpm install", 0);
    let edited = sandbox
        .read(".mcp.json")
        .replace("\"m\"", "\"mine, edited\"");
    sandbox.write(".mcp.json", &edited);
    run(&sandbox, "agpm install", 0);
    run(&sandbox, "agpm undo", 0);
    assert_eq!(
        sandbox.read(".mcp.json"),
        "{\"mcpServers\": {\"mine\": {\"command\": \"mine, edited\"}}}\n"
    );
}

#[test]
fn a_shared_file_that_does_not_read_is_reported() {
    let sandbox = Sandbox::new(PROGRAM);
    sandbox.write("agpm.toml", "[mcp-servers]\nfs = { command = \"npx\" }\n");
    run(&sandbox, "agpm install", 0);
    sandbox.write(".mcp.json", "{ not json");
    let output = run(&sandbox, "agpm undo", 1);
    assert!(output.stderr.contains(".mcp.json"), "{output}");
    assert_eq!(sandbox.read(".mcp.json"), "{ not json");
}

/// The next run finishes the interrupted one; it must not revert one more.
#[test]
fn an_undo_that_was_killed_is_finished_and_not_repeated() {
    let mut finished = 0;
    for at in 1..60 {
        let sandbox = sandbox();
        let [first, _] = two_installs(&sandbox);
        let mut command = sandbox.command(PROGRAM);
        command
            .arg("undo")
            .env("AGPM_STOP_AT_WRITE", at.to_string());
        if sandbox.output(command).code == Some(0) {
            assert!(finished > 3, "{finished}");
            return;
        }
        let committed = sandbox
            .work()
            .join(".agpm/transaction/journal.json")
            .exists();
        run(&sandbox, "agpm undo", 0);
        if committed {
            assert_eq!(state(&sandbox), first, "killed at write {at}");
            finished += 1;
        }
    }
}

#[test]
fn a_dry_run_shows_what_an_undo_would_do_and_what_would_be_in_the_way() {
    let sandbox = sandbox();
    two_installs(&sandbox);
    let before = sandbox.listing();
    let output = run(&sandbox, "agpm undo --dry-run", 0);
    let last = "Would undo transaction 2 (install): 3 files restored, 1 removed\n";
    assert!(output.stdout.ends_with(last), "{output}");
    let json = run(&sandbox, "agpm undo --dry-run --json", 0).stdout;
    assert!(json.contains("\"would_undo\": {"), "{json}");
    sandbox.write(".claude/agents/a.md", "mine\n");
    let output = run(&sandbox, "agpm undo --dry-run", 0);
    let kept = "kept .claude/agents/a.md (changed since)\n";
    assert!(output.stdout.contains(kept), "{output}");
    run(&sandbox, "agpm undo --dry-run --force", 0);
    sandbox.write(".claude/agents/a.md", "two\n");
    assert_eq!(sandbox.listing(), before);
}

#[test]
fn a_manifest_that_was_edited_after_init_stays() {
    for line in ["agpm undo", "agpm undo --force"] {
        let sandbox = Sandbox::new(PROGRAM);
        run(&sandbox, "agpm init", 0);
        let edited = format!("{}# mine\n", sandbox.read("agpm.toml"));
        sandbox.write("agpm.toml", &edited);
        let output = run(&sandbox, line, 0);
        assert!(
            output
                .stdout
                .contains("kept agpm.toml (edited after it was created)\n"),
            "{output}"
        );
        assert!(!output.stdout.contains("removed agpm.toml"), "{output}");
        assert_eq!(sandbox.read("agpm.toml"), edited);
        run(&sandbox, "agpm undo", 1);
    }
    let sandbox = Sandbox::new(PROGRAM);
    run(&sandbox, "agpm init", 0);
    run(&sandbox, "agpm undo", 0);
    assert!(!sandbox.work().join("agpm.toml").exists());
}

#[test]
fn a_record_that_cannot_be_read_does_not_hide_the_others() {
    let sandbox = sandbox();
    two_installs(&sandbox);
    sandbox.write(".agpm/history/1/journal.json", "junk");
    let output = run(&sandbox, "agpm undo --list", 0);
    assert!(output.stdout.starts_with("2  20"), "{output}");
    assert!(
        output.stdout.contains("\n1 (its record is invalid: "),
        "{output}"
    );
    run(&sandbox, "agpm undo", 0);
    run(&sandbox, "agpm undo", 1);
}

#[test]
fn a_long_list_is_folded_unless_more_is_wanted() {
    let sandbox = Sandbox::new(PROGRAM);
    let mut repository = Repository::init(&sandbox, "community");
    let names: Vec<String> = (10..40)
        .map(|number| format!("agents/a{number}.md"))
        .collect();
    repository.commit(
        &names
            .iter()
            .map(|name| (name.as_str(), "x\n"))
            .collect::<Vec<_>>(),
    );
    repository.tag("v1.0.0");
    let url = repository.url();
    let manifest = format!(
        "[sources]\ns = \"{url}\"\n[agents]\nall = {{ source = \"s\", path = \"agents/*.md\", version = \"v1.0.0\" }}\n"
    );
    sandbox.write("agpm.toml", manifest);
    run(&sandbox, "agpm install", 0);
    let output = run(&sandbox, "agpm undo --list", 0);
    assert!(
        output
            .stdout
            .ends_with("  created .claude/agents/a19.md\n  and 21 more\n"),
        "{output}"
    );
    assert_eq!(
        run(&sandbox, "agpm undo --list -v", 0)
            .stdout
            .lines()
            .count(),
        32
    );
    assert_eq!(run(&sandbox, "agpm undo", 0).stdout.lines().count(), 12);
    let output = run(&sandbox, "agpm undo --list", 0);
    assert_eq!(
        output.stdout, "",
        "an empty list is reported once, on standard error"
    );
    assert_eq!(
        output.stderr,
        "No changes to undo. Commands that change files, such as `agpm install`, record them.\n"
    );
    assert_eq!(run(&sandbox, "agpm -q undo --list", 0).stderr, "");
}

#[test]
fn when_all_that_is_kept_is_undone_that_is_said() {
    let sandbox = Sandbox::new(PROGRAM);
    for number in 0..52 {
        sandbox.write(
            "agpm.toml",
            format!("[mcp-servers]\nfs = {{ command = \"npx{number}\" }}\n"),
        );
        run(&sandbox, "agpm install", 0);
    }
    for _ in 0..50 {
        run(&sandbox, "agpm undo", 0);
    }
    let output = run(&sandbox, "agpm undo", 1);
    assert!(
        output
            .stderr
            .contains("only the last 50 transactions are kept"),
        "{output}"
    );
}

#[cfg(unix)]
#[test]
fn the_history_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = sandbox();
    let [first, _] = two_installs(&sandbox);
    let mode = |path: &str| {
        std::fs::metadata(sandbox.work().join(path))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode(".agpm/history"), 0o700);
    for entry in std::fs::read_dir(sandbox.work().join(".agpm/history/2/old")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert_eq!(mode(&format!(".agpm/history/2/old/{name}")), 0o600);
    }
    let before = mode(".claude/agents/a.md");
    run(&sandbox, "agpm undo", 0);
    assert_eq!(
        (state(&sandbox), mode(".claude/agents/a.md")),
        (first, before)
    );
}
