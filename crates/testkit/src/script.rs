//! Markdown that runs. A fence under a line that holds only `` `path` `` is a file, given by its bytes if the fence is called
//! `hex`; with a second word `now` it is the content of the file at that point. A path is relative to the working directory, or
//! starts with `~/`. A `console` fence is commands with their results. A comment `<!-- git NAME … -->`, which readers do not
//! see, changes the repository of that name; so does a `git` fence under the name in fixtures.

use std::path::Path;

use crate::git::Repository;
use crate::sandbox::Sandbox;

/// Runs a document and gives it back with the results that the commands really have.
pub fn run_script(sandbox: &Sandbox, document: &str) -> String {
    let mut out = String::new();
    let mut previous = "";
    let mut lines = document.split_inclusive('\n');
    while let Some(line) = lines.next() {
        out.push_str(line);
        if let Some(name) = line.trim_end().strip_prefix("<!-- git ") {
            let steps = lines_until(&mut lines, "-->").concat();
            change_repository(&mut Repository::open(sandbox, name), &steps);
            out.push_str(&steps);
            out.push_str("-->\n");
            continue;
        }
        // A longer fence holds shorter ones, as in Markdown that a command prints.
        let fence = &line[..line.len() - line.trim_start_matches('`').len()];
        if fence.len() < 3 {
            if !line.trim().is_empty() {
                previous = line.trim();
            }
            continue;
        }
        let info = line.trim_start_matches('`').trim_end();
        let block = lines_until(&mut lines, fence);
        let file = previous
            .strip_prefix('`')
            .and_then(|name| name.strip_suffix('`'))
            .filter(|name| !name.contains('`'));
        if info == "console" {
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                out.push_str(&format!(
                    "$ {command}{}",
                    sandbox.run_line(command.trim_end())
                ));
            }
        } else if let (Some(file), true) = (file, info.ends_with(" now")) {
            out.push_str(&sandbox.read(file));
        } else {
            let content = block.concat();
            out.push_str(&content);
            if let Some(file) = file {
                match info {
                    "hex" => sandbox.write(file, from_hex(&content)),
                    "git" => change_repository(&mut Repository::open(sandbox, file), &content),
                    _ => sandbox.write(file, content),
                }
            }
        }
        out.push_str(fence);
        out.push('\n');
        previous = "";
    }
    out
}

/// The lines up to one that is the given mark.
fn lines_until<'a>(lines: &mut impl Iterator<Item = &'a str>, end: &str) -> Vec<&'a str> {
    lines.take_while(|line| line.trim_end() != end).collect()
}

/// Carries out the lines of a `git` block: `file PATH` with indented lines, `link PATH TARGET`, `remove PATH`, `commit`, `tag [-f] NAME`
/// and `branch NAME`.
fn change_repository(repository: &mut Repository<'_>, steps: &str) {
    let mut lines = steps.lines().peekable();
    while let Some(line) = lines.next() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "" => {}
            "file" => {
                let mut content = String::new();
                while let Some(line) =
                    lines.next_if(|line| line.is_empty() || line.starts_with("    "))
                {
                    content.push_str(line.get(4..).unwrap_or_default());
                    content.push('\n');
                }
                repository.write(rest, &content);
            }
            "link" => {
                let (path, target) = rest
                    .split_once(' ')
                    .unwrap_or_else(|| panic!("`link PATH TARGET`: {line}"));
                repository.link(path, target);
            }
            "remove" => repository.remove(rest),
            "commit" => drop(repository.commit(&[])),
            "tag" => {
                repository.commit_changes();
                repository.git(&[&["tag"], &*rest.split(' ').collect::<Vec<_>>()].concat());
            }
            "date" => {
                repository.commit_changes();
                let seconds = rest.parse();
                repository.set_time(seconds.unwrap_or_else(|_| panic!("`date SECONDS`: {line}")));
            }
            "branch" => repository.switch(rest),
            "rename" => {
                repository.commit_changes();
                repository.git(&["branch", "-m", rest]);
            }
            _ => panic!("a `git` fence does not know `{line}`"),
        }
    }
}

fn from_hex(text: &str) -> Vec<u8> {
    let byte =
        |word: &str| u8::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{word}: {error}"));
    text.split_whitespace().map(byte).collect()
}

/// Checks the output in a document; with `AGPM_BLESS` set, updates it.
pub fn check_script(sandbox: &Sandbox, path: &Path) -> Result<(), String> {
    let document =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let real = run_script(sandbox, &document);
    compare(path, &document, &real)
}

/// The same for a page that users read: paths are those of a user's machine, and both streams are shown as a terminal shows them.
pub fn check_guide(sandbox: &Sandbox, path: &Path) -> Result<(), String> {
    let document =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let real = run_script(sandbox, &document)
        .replace("\n[stderr]\n", "\n")
        .replace("[SANDBOX]/config", "/home/you/.config")
        .replace("[SANDBOX]/home", "/home/you")
        .replace("[SANDBOX]/work", "/home/you/project");
    compare(path, &document, &real)
}

/// Checks a document with independent sections, each in a separate sandbox.
pub fn check_parts(program: &str, path: &Path, heading: &str) -> Result<(), String> {
    let document =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut real = String::new();
    let mut begin = 0;
    let headings = document
        .match_indices(heading)
        .map(|(at, _)| at)
        .chain([document.len()]);
    for end in headings {
        real.push_str(&run_script(&Sandbox::new(program), &document[begin..end]));
        begin = end;
    }
    compare(path, &document, &real)
}

/// Checks that a generated document is current; with `AGPM_BLESS` set, updates it.
pub fn compare(path: &Path, expected: &str, real: &str) -> Result<(), String> {
    if expected == real {
        return Ok(());
    }
    if std::env::var_os("AGPM_BLESS").is_some() {
        std::fs::write(path, real).unwrap();
        return Ok(());
    }
    let difference = expected
        .lines()
        .zip(real.lines())
        .position(|(left, right)| left != right);
    let line = difference.unwrap_or_else(|| expected.lines().count().min(real.lines().count()));
    let excerpt = |text: &str| {
        text.lines()
            .skip(line)
            .take(6)
            .map(|line| format!("    {line}\n"))
            .collect::<String>()
    };
    Err(format!(
        "{}:{}: not what it says (AGPM_BLESS=1 accepts it)\n  it says\n{}  it is\n{}",
        path.display(),
        line + 1,
        excerpt(expected),
        excerpt(real)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
`shared`
```git
file agents/a.md
    one

    two
file old.md
    old
tag v1.0.0
```

`shared`
```git
remove old.md
file agents/a.md
    three
tag v1.1.0
tag -f v1.0.0
branch next
file new.md
    new
commit
```
";

    #[test]
    fn a_git_fence_makes_and_changes_a_repository() {
        let sandbox = Sandbox::new("agpm");
        let (first, second) = DOCUMENT.split_once("\n\n`").expect("there are two fences");
        assert_eq!(run_script(&sandbox, first), format!("{first}\n"));
        let repository = Repository::open(&sandbox, "shared");
        assert_eq!(
            repository.git(&["show", "v1.0.0:agents/a.md"]).stdout,
            "one\n\ntwo\n"
        );
        run_script(&sandbox, &format!("`{second}"));
        assert_eq!(
            repository.git(&["show", "v1.0.0:agents/a.md"]).stdout,
            "three\n"
        );
        let names = |at: &str| repository.git(&["ls-tree", "-r", "--name-only", at]).stdout;
        assert_eq!(names("v1.1.0"), "agents/a.md\n");
        assert_eq!(names("next"), "agents/a.md\nnew.md\n");
        assert_eq!(
            repository.git(&["branch", "--show-current"]).stdout,
            "next\n"
        );
    }

    #[test]
    fn a_hidden_git_block_changes_a_repository_with_files_shown_before() {
        let document =
            "`shared/a.md`\n```text\none\n```\n\n<!-- git shared\ntag v1.0.0\n-->\n\nText.\n";
        let sandbox = Sandbox::new("agpm");
        assert_eq!(run_script(&sandbox, document), document);
        let file = Repository::open(&sandbox, "shared").git(&["show", "v1.0.0:a.md"]);
        assert_eq!(file.stdout, "one\n");
    }

    #[test]
    fn a_fence_shows_what_a_file_holds_now() {
        let document = "`a.txt`\n```text\none\n```\n\n`a.txt`\n```text now\ntwo\n```\n";
        let real = run_script(&Sandbox::new("agpm"), document);
        assert_eq!(real, document.replace("two", "one"));
    }

    #[test]
    fn a_longer_fence_holds_shorter_ones() {
        let document = "`a.md`\n````markdown\n```text\none\n```\n````\n\nText.\n";
        let sandbox = Sandbox::new("agpm");
        assert_eq!(run_script(&sandbox, document), document);
        assert_eq!(sandbox.read("a.md"), "```text\none\n```\n");
    }

    #[test]
    fn the_repositories_of_a_document_are_the_same_every_time() {
        let commit = || {
            let sandbox = Sandbox::new("agpm");
            run_script(&sandbox, DOCUMENT);
            Repository::open(&sandbox, "shared")
                .git(&["rev-parse", "next"])
                .stdout
        };
        assert_eq!(commit(), commit());
    }
}
