use std::fs;
use std::path::Path;

use agpm_bottle::UnitKind;

use crate::references;

/// A file that is made from the code.
struct Generated {
    path: &'static str,
    make: fn() -> String,
}

const FILES: &[Generated] = &[
    Generated {
        path: "docs/reference/cli.md",
        make: references::commands,
    },
    Generated {
        path: "docs/reference/errors.md",
        make: references::errors,
    },
    Generated {
        path: "docs/reference/schema/manifest.json",
        make: || agpm_model::manifest_schema().to_json(),
    },
    Generated {
        path: "docs/reference/schema/lock.json",
        make: || agpm_model::lock_schema().to_json(),
    },
    Generated {
        path: "docs/reference/schema/bottle.json",
        make: || agpm_bottle::json_schema(UnitKind::Bottle).to_json(),
    },
    Generated {
        path: "docs/reference/schema/agent.json",
        make: || agpm_bottle::json_schema(UnitKind::Agent).to_json(),
    },
];

/// Writes every generated file; gives what went wrong.
pub(crate) fn write(root: &Path) -> Vec<String> {
    FILES
        .iter()
        .filter_map(|file| write_one(root, file).err())
        .collect()
}

fn write_one(root: &Path, file: &Generated) -> Result<(), String> {
    let path = root.join(file.path);
    let fail = |error: std::io::Error| format!("{}: {error}", file.path);
    path.parent()
        .map_or(Ok(()), fs::create_dir_all)
        .map_err(fail)?;
    fs::write(&path, (file.make)()).map_err(fail)
}

/// The generated files that are not what the code would make of them.
pub(crate) fn out_of_date(root: &Path) -> Vec<String> {
    let differs =
        |file: &&Generated| fs::read_to_string(root.join(file.path)).ok() != Some((file.make)());
    let told = |file: &Generated| {
        format!(
            "{} is out of date: run `cargo run -p agpm-xtask -- generate`",
            file.path
        )
    };
    FILES.iter().filter(differs).map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_changed_is_out_of_date_until_written() {
        let folder = std::env::temp_dir().join(format!("agpm-xtask-{}", std::process::id()));
        assert_eq!(out_of_date(&folder).len(), FILES.len());
        assert_eq!(write(&folder), Vec::<String>::new());
        assert_eq!(out_of_date(&folder), Vec::<String>::new());
        fs::write(folder.join(FILES[0].path), "changed").expect("the folder is there");
        assert!(out_of_date(&folder)[0].starts_with(FILES[0].path));
        fs::remove_dir_all(&folder).expect("the folder is there");
    }
}
