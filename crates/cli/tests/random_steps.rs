//! Random operations against a simple model of what the disk must hold.
//!
//! The model has three parts: the files of each source at each commit (git itself), the lockfile, and every line that the
//! user wrote, each with a mark of its own. After each step `verify` must name exactly the managed files that differ from
//! the locked versions, and no line of the user's may be lost.
//!
//! `AGPM_RANDOM_STEPS=10000 cargo test -p agpm --test random_steps` is the long form; `AGPM_RANDOM_SEED` starts another
//! walk. A failure prints the steps that led to it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    clippy::disallowed_types
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use agpm_testkit::Sandbox;

const PROGRAM: &str = env!("CARGO_BIN_EXE_agpm");
const SHORT: usize = 60;
/// A walk begins again after so many steps: histories, sources and files stay small.
const STEPS_OF_A_WALK: usize = 200;

/// A resource that the manifest may require.
struct Resource {
    id: &'static str,
    source: &'static str,
    path: &'static str,
    /// Further keys of its entry.
    more: &'static str,
}

const RESOURCES: [Resource; 9] = [
    resource("agents/a", "one", "agents/a.md", ""),
    resource("agents/b", "one", "agents/b.md", ""),
    resource("agents/c", "two", "agents/c.md", ""),
    resource("skills/k", "one", "skills/k", ""),
    resource("skills/l", "two", "skills/l", ""),
    resource("snippets/s", "two", "snippets/s.md", ""),
    resource("instructions/r", "one", "rules/r.md", ""),
    resource("instructions/t", "two", "rules/t.md", "block = true, "),
    resource("mcp-servers/m", "one", "servers/m.json", ""),
];

const fn resource(
    id: &'static str,
    source: &'static str,
    path: &'static str,
    more: &'static str,
) -> Resource {
    Resource {
        id,
        source,
        path,
        more,
    }
}

const SOURCES: [&str; 2] = ["one", "two"];

/// The files of both sources at the beginning.
const FILES: [(&str, &str, &str); 10] = [
    ("one", "agents/a.md", "---\nname: a\ndescription: A\n---\n"),
    ("one", "agents/b.md", "---\nname: b\ndescription: B\n---\n"),
    ("two", "agents/c.md", "---\nname: c\ndescription: C\n---\n"),
    (
        "one",
        "skills/k/SKILL.md",
        "---\nname: k\ndescription: K\n---\n",
    ),
    ("one", "skills/k/more.md", ""),
    (
        "two",
        "skills/l/SKILL.md",
        "---\nname: l\ndescription: L\n---\n",
    ),
    ("two", "snippets/s.md", ""),
    ("one", "rules/r.md", ""),
    ("two", "rules/t.md", ""),
    (
        "one",
        "servers/m.json",
        "{ \"command\": \"run\", \"args\": [\"1\"] }\n",
    ),
];

const BODY: &str = "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\n";

/// Numbers that are the same for the same seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 16).unwrap_or(0) % limit.max(1)
    }

    fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        items.get(self.below(items.len()))
    }
}

/// A line that the user wrote.
#[derive(Clone, Debug)]
struct UserLine {
    mark: String,
    path: String,
}

/// What a command may do with the lines of the user.
#[derive(Clone, Copy, Debug, PartialEq)]
enum LineRule {
    /// They stay where they are.
    Stay,
    /// They may go into the history, because the command says that it drops edits.
    MayMove,
}

/// An entry of the lockfile.
#[derive(Debug, Default, Clone)]
struct Locked {
    id: String,
    source: String,
    path: String,
    commit: String,
    installed_at: String,
}

struct Walk {
    sandbox: Sandbox,
    random: Random,
    lines: Vec<UserLine>,
    marks: usize,
    versions: BTreeMap<&'static str, usize>,
    absent: BTreeSet<&'static str>,
    /// The files at a path of a commit, because commits do not change.
    known: BTreeMap<String, Vec<(String, Vec<u8>)>>,
    trace: Vec<String>,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let mut walk = Walk {
            sandbox: Sandbox::new(PROGRAM),
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            lines: Vec::new(),
            marks: 0,
            versions: BTreeMap::new(),
            absent: BTreeSet::new(),
            known: BTreeMap::new(),
            trace: Vec::new(),
        };
        for source in SOURCES {
            fs::create_dir_all(walk.path(source)).unwrap();
            walk.git(source, &["init", "-q", "-b", "main"]);
        }
        for (source, path, start) in FILES {
            let is_json = path.ends_with(".json");
            let text = format!("{start}{}", if is_json { "" } else { BODY });
            write(&walk.path(source).join(path), &text);
        }
        for source in SOURCES {
            walk.versions.insert(source, 0);
            walk.release(source);
        }
        fs::create_dir_all(walk.project()).unwrap();
        walk.git("project", &["init", "-q", "-b", "main"]);
        walk.write_project(
            "agpm.toml",
            "[sources]\none = \"../one\"\ntwo = \"../two\"\n\n[agents]\n\n[skills]\n\n[snippets]\n\n[instructions]\n\n[mcp-servers]\n",
        );
        walk
    }

    fn path(&self, inner: &str) -> PathBuf {
        self.sandbox.work().join(inner)
    }

    fn project(&self) -> PathBuf {
        self.path("project")
    }

    fn write_project(&self, path: &str, text: &str) {
        write(&self.project().join(path), text);
    }

    fn read_project(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.project().join(path)).ok()
    }

    fn try_git(&self, directory: &str, words: &[&str]) -> Output {
        let mut command = self.sandbox.command("git");
        let identity = ["-c", "user.name=u", "-c", "user.email=u@localhost"];
        command
            .current_dir(self.path(directory))
            .args(identity)
            .args(words)
            .stdin(Stdio::null());
        command.output().unwrap()
    }

    fn git(&self, directory: &str, words: &[&str]) -> String {
        let output = self.try_git(directory, words);
        assert!(output.status.success(), "git {words:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn agpm(&self, words: &[&str]) -> Command {
        let mut command = self.sandbox.command(PROGRAM);
        command
            .current_dir(self.project())
            .args(words)
            .stdin(Stdio::null());
        command
    }

    /// Commits everything in a source and gives it the next version.
    fn release(&mut self, source: &'static str) {
        let version = self.versions.get(source).copied().unwrap_or(0);
        self.git(source, &["add", "-A"]);
        self.git(source, &["commit", "-q", "--allow-empty", "-m", "change"]);
        self.git(source, &["tag", &format!("v1.{version}.0")]);
        self.versions.insert(source, version + 1);
    }

    /// The sources that are where the manifest says.
    fn present(&self) -> Vec<&'static str> {
        let all = SOURCES.into_iter();
        all.filter(|source| !self.absent.contains(source)).collect()
    }

    fn new_mark(&mut self) -> String {
        self.marks += 1;
        format!("mark-{}-", self.marks)
    }

    fn locked(&self) -> Vec<Locked> {
        read_lock(&self.read_project("agpm.lock").unwrap_or_default())
    }

    /// The files of a locked entry as its commit has them, by their path in the project.
    fn expected(&mut self, entry: &Locked) -> Vec<(String, Vec<u8>)> {
        let key = format!("{} {} {}", entry.source, entry.commit, entry.path);
        if let Some(files) = self.known.get(&key) {
            return files.clone();
        }
        let directory = if self.absent.contains(entry.source.as_str()) {
            format!("{}-gone", entry.source)
        } else {
            entry.source.clone()
        };
        let listed = self.git(
            &directory,
            &["ls-tree", "-r", "--name-only", &entry.commit, &entry.path],
        );
        let mut files = Vec::new();
        for path in listed.lines() {
            let shown = self.try_git(&directory, &["show", &format!("{}:{path}", entry.commit)]);
            let inner = path.strip_prefix(&entry.path).unwrap_or(path);
            files.push((format!("{}{inner}", entry.installed_at), shown.stdout));
        }
        self.known.insert(key, files.clone());
        files
    }

    /// The managed files that do not have the bytes of the locked versions.
    fn expected_drift(&mut self) -> BTreeSet<String> {
        let mut drift = BTreeSet::new();
        for entry in self.locked() {
            // Entries and blocks in shared files are checked by their lines.
            if entry.id == "mcp-servers/m" || entry.id == "instructions/t" {
                continue;
            }
            for (path, bytes) in self.expected(&entry) {
                if fs::read(self.project().join(&path)).ok().as_ref() != Some(&bytes) {
                    drift.insert(path);
                }
            }
        }
        drift
    }

    /// Runs a command, and checks that the lines of the user are where the rule says.
    fn run(&mut self, words: &[&str], rule: LineRule) -> Output {
        let output = self.agpm(words).output().unwrap();
        let code = output.status.code();
        self.trace
            .push(format!("agpm {} -> {code:?}", words.join(" ")));
        self.check(
            matches!(code, Some(0..=6)),
            &format!("an unexpected end:\n{}", text_of(&output)),
        );
        self.check_lines(rule, &output);
        output
    }

    fn check(&self, is_right: bool, problem: &str) {
        assert!(
            is_right,
            "{problem}\n\nin {}\nafter:\n{}",
            self.project().display(),
            self.trace.join("\n")
        );
    }

    fn check_lines(&mut self, rule: LineRule, output: &Output) {
        let mut moved = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let text = self.read_project(&line.path).unwrap_or_default();
            if text.contains(&line.mark) {
                continue;
            }
            let problem = format!(
                "the line `{}` of {} is lost from its file\n{}",
                line.mark,
                line.path,
                text_of(output)
            );
            self.check(rule == LineRule::MayMove, &problem);
            let is_kept = has_mark(&self.project(), &line.mark);
            self.check(is_kept, &format!("{problem}\nand nothing keeps it"));
            moved.push(at);
        }
        // It is in the history now, which keeps only so many transactions.
        for at in moved.into_iter().rev() {
            self.lines.remove(at);
        }
    }

    /// Compares what `verify` names with the model.
    fn check_verify(&mut self) {
        // `undo` also brings back a lockfile with both sides of a conflict.
        let lock = self.read_project("agpm.lock");
        if lock.is_none_or(|lock| lock.contains("<<<<<<<")) {
            return;
        }
        let output = self.agpm(&["verify", "--json"]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut found = BTreeSet::new();
        let mut code = String::new();
        for line in text.lines() {
            if let Some(value) = json_string(line, "code") {
                code = value;
            }
            let Some(path) = json_string(line, "path") else {
                continue;
            };
            let is_file = code == "verify/changed" || code == "verify/missing";
            if is_file && path != "AGENTS.md" && path != ".mcp.json" {
                found.insert(path);
            }
        }
        let expected = self.expected_drift();
        self.check(
            found == expected,
            &format!(
                "verify names {found:?} instead of {expected:?}\n{}",
                text_of(&output)
            ),
        );
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..=9 => self.add_entry(),
            10..=13 => self.add_by_command(),
            14..=27 => self.edit_installed(),
            28..=31 => self.write_own(),
            32..=33 => self.delete_installed(),
            34..=45 => self.change_source(),
            46..=47 => self.move_tag(),
            48..=49 => self.move_source(),
            50..=63 => {
                self.run(&["install"], LineRule::Stay);
            }
            64..=72 => {
                self.run(&["update"], LineRule::Stay);
            }
            73..=75 => self.update_one(),
            76..=79 => self.remove_one(),
            80..=83 => {
                self.run(&["undo"], LineRule::MayMove);
            }
            84..=85 => {
                self.run(&["install", "--force"], LineRule::MayMove);
            }
            86..=87 => {
                self.run(&["install", "--frozen"], LineRule::Stay);
            }
            88..=91 => self.kill(),
            92..=95 => self.resolve(),
            _ => self.merge_branches(),
        }
        self.check_verify();
    }

    /// The resources that the manifest does not require.
    fn unused(&self) -> Vec<&'static Resource> {
        let manifest = self.read_project("agpm.toml").unwrap_or_default();
        let uses = |one: &&Resource| manifest.contains(&entry_start(one));
        RESOURCES.iter().filter(|one| !uses(one)).collect()
    }

    fn used(&self) -> Vec<&'static Resource> {
        let unused: BTreeSet<&str> = self.unused().iter().map(|one| one.id).collect();
        let is_used = |one: &&Resource| !unused.contains(one.id);
        RESOURCES.iter().filter(is_used).collect()
    }

    /// Adds an entry to the manifest by hand, sometimes with a comment.
    fn add_entry(&mut self) {
        let unused = self.unused();
        let Some(one) = self.random.pick(&unused).copied() else {
            return;
        };
        let mark = self.new_mark();
        let manifest = self.read_project("agpm.toml").unwrap_or_default();
        let (table, _) = one.id.split_once('/').unwrap_or_default();
        let entry = format!(
            "[{table}]\n# {mark}\n{}source = \"{}\", {}path = \"{}\", version = \"^1\" }}\n",
            entry_start(one),
            one.source,
            one.more,
            one.path,
        );
        let header = format!("[{table}]\n");
        let edited = if manifest.contains(&header) {
            manifest.replacen(&header, &entry, 1)
        } else {
            format!("{manifest}\n{entry}")
        };
        self.write_project("agpm.toml", &edited);
        self.trace.push(format!("{} by hand ({mark})", one.id));
        self.note_line(mark, "agpm.toml");
    }

    fn note_line(&mut self, mark: String, path: &str) {
        let path = path.to_owned();
        self.lines.push(UserLine { mark, path });
    }

    fn add_by_command(&mut self) {
        let unused = self.unused();
        let plain: Vec<&Resource> = unused
            .into_iter()
            .filter(|one| one.more.is_empty())
            .collect();
        let Some(one) = self.random.pick(&plain).copied() else {
            return;
        };
        let address = format!("{}:{}@^1", one.source, one.path);
        self.run(&["add", "-y", &address], LineRule::Stay);
    }

    /// Writes a line into an installed file, after a random line of its body.
    fn edit_installed(&mut self) {
        let mut files = Vec::new();
        for entry in self.locked() {
            if entry.id != "mcp-servers/m" {
                let expected = self.expected(&entry).into_iter();
                files.extend(expected.map(|(path, _)| path));
            }
        }
        let files: Vec<String> = files
            .into_iter()
            .map(|path| {
                if path.ends_with("t.md") {
                    "AGENTS.md".to_owned()
                } else {
                    path
                }
            })
            .filter(|path| self.read_project(path).is_some())
            .collect();
        let Some(path) = self.random.pick(&files).cloned() else {
            return;
        };
        let (mark, text) = (
            self.new_mark(),
            self.read_project(&path).unwrap_or_default(),
        );
        let lines: Vec<&str> = text.lines().collect();
        let body = lines
            .iter()
            .rposition(|line| *line == "---")
            .map_or(0, |at| at + 1);
        // In a file with blocks, only the end is surely outside of them.
        let at = match path.as_str() {
            "AGENTS.md" => lines.len(),
            _ => body + self.random.below(lines.len() - body + 1),
        };
        let mut edited: Vec<&str> = lines[..at].to_vec();
        edited.push(&mark);
        edited.extend(&lines[at..]);
        self.write_project(&path, &format!("{}\n", edited.join("\n")));
        self.trace.push(format!("edit {path} at {at} ({mark})"));
        self.note_line(mark, &path);
    }

    /// Writes a file, a server or a line that agpm has nothing to do with.
    fn write_own(&mut self) {
        let mark = self.new_mark();
        let path = match self.random.below(3) {
            0 => {
                let path = format!(".claude/agents/own-{mark}.md");
                self.write_project(&path, &format!("{mark}\n"));
                path
            }
            1 => {
                let text = self.read_project("AGENTS.md").unwrap_or_default();
                self.write_project("AGENTS.md", &format!("{text}\n{mark}\n"));
                "AGENTS.md".to_owned()
            }
            _ => {
                let text = self.read_project(".mcp.json").unwrap_or_default();
                let server = format!("\"{mark}\": {{ \"command\": \"own\" }}");
                let start = "\"mcpServers\": {";
                let edited = match text.split_once(start) {
                    Some((before, after)) if after.trim_start().starts_with('}') => {
                        format!("{before}{start} {server}{after}")
                    }
                    Some((before, after)) => format!("{before}{start} {server},{after}"),
                    None => format!("{{\n  {start} {server} }}\n}}\n"),
                };
                self.write_project(".mcp.json", &edited);
                ".mcp.json".to_owned()
            }
        };
        self.trace.push(format!("write {path} ({mark})"));
        self.note_line(mark, &path);
    }

    fn delete_installed(&mut self) {
        let mut files = Vec::new();
        for entry in self.locked() {
            let expected = self.expected(&entry).into_iter();
            files.extend(expected.map(|(path, _)| path));
        }
        let is_file = |path: &&String| !path.ends_with("AGENTS.md") && !path.ends_with(".mcp.json");
        let files: Vec<String> = files.iter().filter(is_file).cloned().collect();
        if let Some(path) = self.random.pick(&files) {
            let _ = fs::remove_file(self.project().join(path));
            self.lines.retain(|line| line.path != *path);
            self.trace.push(format!("delete {path}"));
        }
    }

    /// Changes a line of one file of a source, or removes the file or restores it, and releases that.
    fn change_source(&mut self) {
        let Some(source) = self.random.pick(&self.present()).copied() else {
            return;
        };
        let files: Vec<&str> = FILES
            .iter()
            .filter(|(of, _, _)| *of == source)
            .map(|(_, path, _)| *path)
            .collect();
        let path = *self.random.pick(&files).unwrap_or(&files[0]);
        let full = self.path(source).join(path);
        let version = self.versions.get(source).copied().unwrap_or(0);
        let text = fs::read_to_string(&full).unwrap_or_default();
        let changed = if path.ends_with(".json") {
            text.replacen("\"1", &format!("\"1{}", version % 10), 1)
        } else {
            let line = format!("line {}", 1 + self.random.below(6));
            match self.random.below(10) {
                0 => format!("{text}end {version}\n"),
                _ => replace_line(&text, &line, &format!("{line} of {version}")),
            }
        };
        write(&full, &changed);
        // Only a file of a skill goes and comes: without its main file, a resource has no new version at all.
        if path.ends_with("more.md") && self.random.below(3) == 0 {
            let _ = fs::remove_file(&full);
        }
        self.release(source);
        self.trace
            .push(format!("{source} v1.{version}.0 changes {path}"));
    }

    /// The newest tag moves to another commit.
    fn move_tag(&mut self) {
        let Some(source) = self.random.pick(&self.present()).copied() else {
            return;
        };
        let newest = self.versions.get(source).copied().unwrap_or(1) - 1;
        let (_, path, start) = FILES[if source == "one" { 0 } else { 2 }];
        write(
            &self.path(source).join(path),
            &format!("{start}{BODY}moved {}\n", self.marks),
        );
        self.git(source, &["add", "-A"]);
        self.git(source, &["commit", "-q", "--allow-empty", "-m", "moved"]);
        self.git(source, &["tag", "-f", &format!("v1.{newest}.0")]);
        self.trace.push(format!("{source} v1.{newest}.0 moves"));
    }

    /// A source goes, or comes back.
    fn move_source(&mut self) {
        let Some(source) = self.random.pick(&SOURCES).copied() else {
            return;
        };
        let (here, gone) = (self.path(source), self.path(&format!("{source}-gone")));
        if self.absent.remove(source) {
            fs::rename(gone, here).unwrap();
            self.trace.push(format!("{source} comes back"));
        } else {
            fs::rename(here, gone).unwrap();
            self.absent.insert(source);
            self.trace.push(format!("{source} goes"));
        }
    }

    fn update_one(&mut self) {
        if let Some(one) = self.random.pick(&self.used()).copied() {
            self.run(&["update", one.id], LineRule::Stay);
        }
    }

    fn remove_one(&mut self) {
        let Some(one) = self.random.pick(&self.used()).copied() else {
            return;
        };
        // The comment right above an entry goes with it.
        let manifest = self.read_project("agpm.toml").unwrap_or_default();
        let above = manifest.split(&entry_start(one)).next().unwrap_or_default();
        let comment = above.lines().last().unwrap_or_default().to_owned();
        self.lines
            .retain(|line| line.path != "agpm.toml" || !comment.contains(&line.mark));
        self.run(&["remove", one.id], LineRule::Stay);
    }

    /// Ends a command after a moment, wherever it is.
    fn kill(&mut self) {
        let words = match self.random.below(3) {
            0 => ["install", "-q"],
            1 => ["update", "-q"],
            _ => ["undo", "-q"],
        };
        let milliseconds = u64::try_from(self.random.below(40)).unwrap_or(0);
        let mut child = self
            .agpm(&words)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(milliseconds));
        let _ = child.kill();
        let _ = child.wait();
        self.trace
            .push(format!("agpm {} killed after {milliseconds} ms", words[0]));
        let rule = if words[0] == "undo" {
            LineRule::MayMove
        } else {
            LineRule::Stay
        };
        // The next command completes or undoes it.
        self.run(&["install"], rule);
    }

    /// Ends a conflict in one of the three ways.
    fn resolve(&mut self) {
        let mut conflicts = Vec::new();
        for entry in self.locked() {
            for (path, _) in self.expected(&entry) {
                if self.read_project(&format!("{path}.agpm-new")).is_some() {
                    conflicts.push(path);
                }
            }
        }
        let Some(path) = self.random.pick(&conflicts).cloned() else {
            return;
        };
        match self.random.below(3) {
            0 => self.run(&["resolve", &path, "--mine"], LineRule::MayMove),
            1 => self.run(&["resolve", &path, "--merged"], LineRule::Stay),
            _ => self.run(&["resolve", &path, "--new"], LineRule::MayMove),
        };
    }

    /// Two branches change the project, and one is merged into the other.
    fn merge_branches(&mut self) {
        self.run(&["install"], LineRule::Stay);
        let commit = |walk: &Walk| {
            walk.git("project", &["add", "-A"]);
            walk.git("project", &["commit", "-q", "--allow-empty", "-m", "x"]);
        };
        commit(self);
        self.git("project", &["branch", "-f", "side"]);
        let before = self.lines.clone();
        self.change_by_command();
        commit(self);
        self.git("project", &["switch", "-q", "side"]);
        let main_lines = std::mem::replace(&mut self.lines, before);
        self.trace.push("switch to side".to_owned());
        self.change_by_command();
        commit(self);
        self.git("project", &["switch", "-q", "main"]);
        self.trace.push("switch to main, merge side".to_owned());
        self.lines = main_lines;
        let merged = self.try_git("project", &["merge", "-q", "--no-edit", "side"]);
        if !merged.status.success() {
            let unmerged = self.git("project", &["diff", "--name-only", "--diff-filter=U"]);
            for path in unmerged.lines().filter(|path| *path != "agpm.lock") {
                // A file that one side removed has no other version.
                if !self
                    .try_git("project", &["checkout", "--ours", path])
                    .status
                    .success()
                {
                    let _ = fs::remove_file(self.project().join(path));
                }
            }
        }
        // git decides about lines in files that both sides changed or one removed.
        let project = self.project();
        self.lines.retain(|line| {
            let text = fs::read_to_string(project.join(&line.path));
            text.is_ok_and(|text| text.contains(&line.mark))
        });
        let output = self.run(&["install"], LineRule::Stay);
        let lock = self.read_project("agpm.lock").unwrap_or_default();
        let is_joined = !lock.contains("<<<<<<<") || !output.status.success();
        self.check(
            is_joined,
            "the lockfile still has both sides of the conflict",
        );
        if lock.contains("<<<<<<<") {
            // Only a source that is away, or a conflict that is explained, may leave it.
            let problem = text_of(&output);
            self.check(problem.contains("error["), &problem);
            self.git("project", &["checkout", "--ours", "agpm.lock"]);
        }
        commit(self);
    }

    fn change_by_command(&mut self) {
        match self.random.below(4) {
            0 => self.add_by_command(),
            1 => self.remove_one(),
            _ => {
                if let Some(source) = self.random.pick(&self.present()).copied() {
                    self.release(source);
                }
                self.change_source();
                self.run(&["update"], LineRule::Stay);
            }
        }
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The start of the entry of a resource in the manifest.
fn entry_start(one: &Resource) -> String {
    let (_, name) = one.id.split_once('/').unwrap_or_default();
    format!("\n{name} = {{ ").trim_start().to_owned()
}

fn replace_line(text: &str, start: &str, new: &str) -> String {
    let replaced = text.lines().map(|line| {
        if line == start || line.starts_with(&format!("{start} of")) {
            new
        } else {
            line
        }
    });
    let lines: Vec<&str> = replaced.collect();
    format!("{}\n", lines.join("\n"))
}

/// Whether any file of the project, with its history, has a mark.
fn has_mark(directory: &Path, mark: &str) -> bool {
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if fs::read(&path).is_ok_and(|bytes| {
                bytes
                    .windows(mark.len())
                    .any(|part| part == mark.as_bytes())
            }) {
                return true;
            }
        }
    }
    false
}

/// The string at a key of a line of printed JSON.
fn json_string(line: &str, key: &str) -> Option<String> {
    let rest = line.trim().strip_prefix(&format!("\"{key}\": \""))?;
    Some(rest.trim_end_matches(',').trim_end_matches('"').to_owned())
}

/// The entries of a lockfile, which has one key on a line.
fn read_lock(text: &str) -> Vec<Locked> {
    let mut entries: Vec<Locked> = Vec::new();
    let mut table = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("[[") {
            table = name.trim_end_matches(']').to_owned();
            entries.push(Locked::default());
            continue;
        }
        let (Some((key, value)), Some(entry)) = (line.split_once(" = "), entries.last_mut()) else {
            continue;
        };
        let value = value.trim_matches('"').to_owned();
        match key {
            "name" => entry.id = format!("{table}/{value}"),
            "source" => entry.source = value,
            "path" => entry.path = value,
            "resolved_commit" => entry.commit = value,
            "installed_at" => entry.installed_at = value,
            _ => {}
        }
    }
    entries.retain(|entry| !entry.commit.is_empty());
    entries
}

fn text_of(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{}{}", text(&output.stdout), text(&output.stderr))
}

fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn random_steps_lose_nothing_and_verify_names_the_drift() {
    let steps = number_of("AGPM_RANDOM_STEPS")
        .map_or(SHORT, |steps| usize::try_from(steps).unwrap_or(usize::MAX));
    let first = number_of("AGPM_RANDOM_SEED").unwrap_or(1);
    let mut done = 0;
    for seed in first.. {
        if done >= steps {
            break;
        }
        if steps > SHORT {
            eprintln!("seed {seed}, {done} steps done");
        }
        let mut walk = Walk::new(seed);
        walk.trace.push(format!("AGPM_RANDOM_SEED={seed}"));
        for _ in 0..STEPS_OF_A_WALK.min(steps - done) {
            walk.step();
            done += 1;
        }
    }
}
