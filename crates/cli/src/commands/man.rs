use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use agpm_app::project::world::World;
use agpm_app::written::{WrittenFile, write_files};
use agpm_diag::{Diagnostic, codes, did_you_mean};
use agpm_diag::{FailureKind, Outcome};
use clap::Command;
use clap_mangen::Man;

use crate::args::ManArgs;
use crate::environment::ENVIRONMENT_VARIABLES;
use crate::examples::examples_of;
use crate::exit_codes::failure_codes;
use crate::output::Output;
use crate::platform::MACHINE_POLICY;

/// Files that agpm reads and writes, with their purpose.
const FILES: [(&str, &str); 9] = [
    ("agpm.toml", "The manifest of a project."),
    (
        "agpm.private.toml",
        "Your own additions to it, not committed.",
    ),
    ("agpm.lock", "Locked versions and checksums."),
    (
        "agpm.private.lock",
        "The same for the entries of agpm.private.toml; not committed.",
    ),
    (".agpm/", "The state of the project, ignored by git."),
    ("~/.config/agpm/config.toml", "Your configuration."),
    ("~/.config/agpm/agpm.toml", "Your own manifest, for -g."),
    ("~/.cache/agpm/", "Downloaded data."),
    (MACHINE_POLICY, "The policy of this machine."),
];

/// Prints one page, or writes all of them.
pub(crate) fn run(
    world: &World,
    args: ManArgs,
    declaration: Command,
    output: &mut Output,
) -> ExitCode {
    let mut declaration = declaration;
    declaration.build();
    if let Some(dir) = args.dir {
        let files = pages(&declaration);
        return output.finish(
            write_files(world, &dir, &files),
            agpm_report::printed::render_written,
        );
    }
    let mut command = &declaration;
    for word in &args.command {
        match command.find_subcommand(word) {
            Some(inner) => command = inner,
            None => return output.finish(unknown(word, command), agpm_report::printed::render),
        }
    }
    output.finish_text(&page(command, &args.command.join(" ")))
}

fn unknown(word: &str, parent: &Command) -> Outcome<String> {
    let names: Vec<&str> = parent.get_subcommands().map(Command::get_name).collect();
    let message = format!("no such command: `{word}`");
    let help = did_you_mean(word, "commands are", names.iter().copied());
    let diagnostic = Diagnostic::new(&codes::NAME_UNKNOWN, message);
    let help = help.unwrap_or_else(|| "`agpm help --all` lists all commands".to_owned());
    Outcome::failed(FailureKind::NotFound, diagnostic.help(help))
}

/// The page of every command.
fn pages(declaration: &Command) -> Vec<WrittenFile> {
    let mut pages = vec![file(declaration, "")];
    let mut open: Vec<(&Command, String)> = vec![(declaration, String::new())];
    while let Some((parent, before)) = open.pop() {
        let inner = parent.get_subcommands();
        for command in
            inner.filter(|command| !command.is_hide_set() && command.get_name() != "help")
        {
            let path = format!("{before}{}", command.get_name());
            pages.push(file(command, &path));
            open.push((command, format!("{path} ")));
        }
    }
    pages
}

fn file(command: &Command, path: &str) -> WrittenFile {
    WrittenFile {
        path: PathBuf::from(format!("{}.1", title(path))),
        bytes: page(command, path),
    }
}

/// `agpm-cache-clean`.
fn title(path: &str) -> String {
    let words = ["agpm"].into_iter().chain(path.split_whitespace());
    words.collect::<Vec<_>>().join("-")
}

/// The page of a command; `path` is its words without `agpm`.
fn page(command: &Command, path: &str) -> Vec<u8> {
    let mut out = Vec::new();
    // Writing to memory does not fail.
    let _ = write(command, path, &mut out);
    out
}

fn write(command: &Command, path: &str, out: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command.clone().disable_help_subcommand(true)).title(title(path));
    man.render_title(out)?;
    man.render_name_section(out)?;
    write_synopsis(command, out);
    man.render_description_section(out)?;
    man.render_options_section(out)?;
    if command.has_subcommands() {
        man.render_subcommands_section(out)?;
    }
    let examples = examples_of(path);
    if !examples.is_empty() {
        out.extend(b".SH EXAMPLES\n.nf\n");
        examples
            .iter()
            .for_each(|line| out.extend(format!("{}\n", escaped(line)).bytes()));
        out.extend(b".fi\n");
    }
    out.extend(b".SH \"EXIT STATUS\"\n");
    write_definition("0", "success", out);
    failure_codes().for_each(|(code, says)| write_definition(&code.to_string(), says, out));
    out.extend(b".SH FILES\n");
    FILES
        .iter()
        .for_each(|(path, says)| write_definition(path, says, out));
    out.extend(b".SH ENVIRONMENT\n");
    for variable in ENVIRONMENT_VARIABLES {
        write_definition(variable.name, variable.effect, out);
    }
    Ok(())
}

/// The usage as `--help` shows it. The synopsis of `clap_mangen` lists every global option of every command.
fn write_synopsis(command: &Command, out: &mut Vec<u8>) {
    let usage = command.clone().render_usage().to_string();
    let lines = usage.trim_start_matches("Usage:").lines();
    let lines: Vec<String> = lines.map(|line| escaped(line.trim())).collect();
    out.extend(format!(".SH SYNOPSIS\n{}\n", lines.join("\n.br\n")).bytes());
}

/// A term and its meaning, with Markdown as plain text.
fn write_definition(term: &str, says: &str, out: &mut Vec<u8>) {
    let says = escaped(&says.replace('`', ""));
    out.extend(format!(".TP\n\\fB{}\\fR\n{says}\n", escaped(term)).bytes());
}

/// Escapes text, so nothing in it is a request or an escape of the formatter.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) {
        format!("\\&{text}")
    } else {
        text
    }
}
