//! The lowest counts that each crate has reached. They only go down: a change that raises one fails, and a change
//! that lowers one writes the new number here.

use super::figures::{Counts, Figures};

/// By crate. One without a row has reached zero in everything.
const RECORDS: &[(&str, Counts)] = &[
    (
        "model",
        Counts {
            module_cycle: 0,
            folder_cycle: 0,
            tuple_parameters: 1,
            many_arguments: 1,
        },
    ),
    (
        "plan",
        Counts {
            module_cycle: 0,
            folder_cycle: 0,
            tuple_parameters: 2,
            many_arguments: 0,
        },
    ),
    (
        "render",
        Counts {
            module_cycle: 0,
            folder_cycle: 0,
            tuple_parameters: 1,
            many_arguments: 0,
        },
    ),
    (
        "solve",
        Counts {
            module_cycle: 0,
            folder_cycle: 0,
            tuple_parameters: 2,
            many_arguments: 0,
        },
    ),
    (
        "cli",
        Counts {
            module_cycle: 0,
            folder_cycle: 0,
            tuple_parameters: 1,
            many_arguments: 1,
        },
    ),
    (
        "mcp",
        Counts {
            module_cycle: 0,
            folder_cycle: 0,
            tuple_parameters: 1,
            many_arguments: 0,
        },
    ),
];

struct Measure {
    what: &'static str,
    field: &'static str,
    count: fn(&Counts) -> usize,
}

const MEASURES: &[Measure] = &[
    Measure {
        what: "modules in an import cycle",
        field: "module_cycle",
        count: |counts| counts.module_cycle,
    },
    Measure {
        what: "folders in an import cycle",
        field: "folder_cycle",
        count: |counts| counts.folder_cycle,
    },
    Measure {
        what: "tuple parameters",
        field: "tuple_parameters",
        count: |counts| counts.tuple_parameters,
    },
    Measure {
        what: "functions with more than five arguments",
        field: "many_arguments",
        count: |counts| counts.many_arguments,
    },
];

/// What is worse than recorded, and records that could be lower.
pub(super) fn violations(figures: &Figures) -> Vec<String> {
    let record = RECORDS.iter().find(|(name, _)| *name == figures.name);
    let record = record.map(|(_, counts)| *counts).unwrap_or_default();
    compare(&figures.name, figures.counts(), record)
}

fn compare(name: &str, now: Counts, record: Counts) -> Vec<String> {
    let mut found = Vec::new();
    for Measure { what, field, count } in MEASURES {
        let (now, low) = (count(&now), count(&record));
        if now > low {
            found.push(format!("{name}: {now} {what}, at most {low} allowed"));
        }
        if now < low {
            found.push(format!(
                "{name}: {now} {what}: set `{field}: {now}` in crates/dev/xtask/src/measure/records.rs"
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_what_was_measured() {
        let four = Counts {
            tuple_parameters: 4,
            ..Counts::default()
        };
        assert_eq!(compare("x", four, four), Vec::<String>::new());
        assert_eq!(
            compare("x", four, Counts::default()),
            ["x: 4 tuple parameters, at most 0 allowed"]
        );
        assert_eq!(compare("x", Counts::default(), four).len(), 1);
    }
}
