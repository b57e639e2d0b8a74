//! Markdown that runs: a fence under a line that holds only `` `path` `` is a file, given by its bytes if the fence is
//! called `hex`; a `console` fence is commands with their results.

use std::path::Path;

use crate::sandbox::Sandbox;

/// Runs a document and gives it back with the results that the commands really have.
pub fn run_script(sandbox: &Sandbox, document: &str) -> String {
    let mut out = String::new();
    let mut previous = "";
    let mut lines = document.split_inclusive('\n');
    while let Some(line) = lines.next() {
        out.push_str(line);
        let Some(info) = line.trim_end().strip_prefix("```") else {
            if !line.trim().is_empty() {
                previous = line.trim();
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| line.trim_end() != "```").collect();
        let file = previous
            .strip_prefix('`')
            .and_then(|name| name.strip_suffix('`'))
            .filter(|name| !name.contains('`'));
        if info == "console" {
            for command in block.iter().filter_map(|line| line.strip_prefix("$ ")) {
                out.push_str(&format!("$ {command}{}", sandbox.run_line(command.trim_end())));
            }
        } else {
            let content = block.concat();
            out.push_str(&content);
            if let Some(file) = file {
                let bytes = if info == "hex" { from_hex(&content) } else { content.into_bytes() };
                sandbox.write(file, bytes);
            }
        }
        out.push_str("```\n");
        previous = "";
    }
    out
}

fn from_hex(text: &str) -> Vec<u8> {
    let byte = |word: &str| u8::from_str_radix(word, 16).unwrap_or_else(|error| panic!("{word}: {error}"));
    text.split_whitespace().map(byte).collect()
}

/// Checks that a document says what its commands do; with `AGPM_BLESS` set, makes it so.
pub fn check_script(sandbox: &Sandbox, path: &Path) -> Result<(), String> {
    let document = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let real = run_script(sandbox, &document);
    compare(path, &document, &real)
}

pub(crate) fn compare(path: &Path, expected: &str, real: &str) -> Result<(), String> {
    if expected == real {
        return Ok(());
    }
    if std::env::var_os("AGPM_BLESS").is_some() {
        std::fs::write(path, real).unwrap();
        return Ok(());
    }
    let difference = expected.lines().zip(real.lines()).position(|(left, right)| left != right);
    let line = difference.unwrap_or_else(|| expected.lines().count().min(real.lines().count()));
    let shown =
        |text: &str| text.lines().skip(line).take(6).map(|line| format!("    {line}\n")).collect::<String>();
    Err(format!(
        "{}:{}: not what it says (AGPM_BLESS=1 accepts it)\n  it says\n{}  it is\n{}",
        path.display(),
        line + 1,
        shown(expected),
        shown(real)
    ))
}
