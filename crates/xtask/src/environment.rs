//! The environment variables that agpm reads, as a page, and a check that none is missing there.

use std::io;
use std::path::Path;

use agpm_cli::{ENVIRONMENT_VARIABLES, EnvironmentVariable};

use crate::measure::source::product_files;
use crate::references::NOTE;

pub(crate) fn page() -> String {
    let rows = ENVIRONMENT_VARIABLES
        .iter()
        .map(|EnvironmentVariable { name, effect }| format!("| `{name}` | {effect} |\n"));
    format!(
        "# Environment variables\n\n{NOTE}\n\nA command-line option takes precedence over its variable. git's own variables and\n\
         configuration apply to repositories.\n\n| variable | effect |\n|---|---|\n{}",
        rows.collect::<String>()
    )
}

/// Variables that the command line reads and the page lacks. Only that crate reads the environment.
pub(crate) fn undocumented(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for file in product_files(&root.join("crates/cli/src"))? {
        let literals = file.tokens.iter().filter_map(|token| literal(&token.text));
        let names = literals.filter(|text| is_variable(text));
        let missing = names.filter(|name| {
            ENVIRONMENT_VARIABLES
                .iter()
                .all(|variable| variable.name != *name)
        });
        found.extend(missing.map(|name| {
            format!(
                "crates/cli/src/{} reads `{name}`, which crates/cli/src/environment.rs does not list",
                file.path.display()
            )
        }));
    }
    Ok(found)
}

fn literal(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"')
}

/// Literals of the command line with this shape are all names of variables.
fn is_variable(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_uppercase() || c == '_';
    text.contains('_') && text.len() > 3 && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_variables_are_recognized() {
        assert!(is_variable("NO_COLOR"));
        assert!(!is_variable("FILE"));
        assert!(!is_variable("_"));
        assert!(!is_variable("Not_One"));
    }

    #[test]
    fn variables_are_sorted_by_name_after_those_of_agpm() {
        let is_own = |name: &str| !name.starts_with("AGPM_");
        let key = |variable: &EnvironmentVariable| (is_own(variable.name), variable.name);
        assert!(ENVIRONMENT_VARIABLES.is_sorted_by_key(key));
    }
}
