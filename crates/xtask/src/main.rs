//! Tasks of the repository: generated references, rules between crates, and measurements.

mod environment;
mod exit_codes;
mod generate;
mod house;
mod json_outputs;
mod key_tables;
mod measure;
mod picture;
mod platforms;
mod references;
mod tool_tables;
mod words;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: agpm-xtask generate [--check] | house | measure [--check] | words";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let problems = match words.as_slice() {
        ["generate"] => generate::write(&root()),
        ["generate", "--check"] => generate::out_of_date(&root()),
        ["house"] => house::violations(&root()),
        ["measure"] => print_report(measure::report(&root())),
        ["measure", "--check"] => measure::violations(&root()),
        ["words"] | ["words", "--check"] => words::violations(&root()),
        _ => vec![USAGE.to_owned()],
    };
    for problem in &problems {
        // Nothing can be reported if standard error is closed.
        let _ = writeln!(std::io::stderr(), "{problem}");
    }
    if problems.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn print_report(report: std::io::Result<String>) -> Vec<String> {
    let printed = report.and_then(|text| std::io::stdout().write_all(text.as_bytes()));
    printed
        .err()
        .map(|error| error.to_string())
        .into_iter()
        .collect()
}

/// The repository that this program was built in.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map(Path::to_owned)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_in_order() {
        assert_eq!(house::violations(&root()), Vec::<String>::new());
    }

    #[test]
    fn the_figures_are_the_records() {
        assert_eq!(measure::violations(&root()), Vec::<String>::new());
    }

    #[test]
    fn no_banned_phrase_is_left() {
        assert_eq!(words::violations(&root()), Vec::<String>::new());
    }

    #[test]
    fn references_are_up_to_date() {
        assert_eq!(generate::out_of_date(&root()), Vec::<String>::new());
    }
}
