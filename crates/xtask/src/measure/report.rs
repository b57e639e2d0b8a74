//! The figures as a table, one line for each crate.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::figures::CrateFigures;
use super::items::FunctionFigures;
use super::limits;
use super::names::{is_one_word, is_participle};

/// The row that is the sum of all crates of the product.
pub(super) const SUM: &str = "product";

type Cell = fn(&CrateFigures, &BTreeMap<String, usize>) -> String;

/// Heading and content of each column. The columns do not fit on one line, so they are split into three tables.
const TABLES: &[&[(&str, Cell)]] = &[
    &[
        ("code lines", |f, _| f.code_lines.to_string()),
        ("tests", |f, _| f.tests.to_string()),
        ("lines/file 50 90 max", |f, _| {
            spread(&f.file_lines, &[50, 90, 100])
        }),
        ("lines/fn 50 90 max", |f, _| {
            spread(
                &function_counts(f, |function| function.lines),
                &[50, 90, 100],
            )
        }),
        ("tokens/fn 50 90 99 max", |f, _| {
            spread(
                &function_counts(f, |function| function.tokens),
                &[50, 90, 99, 100],
            )
        }),
        ("tokens/line", |f, _| ratio(f.tokens, f.code_lines)),
        ("comments/100", |f, _| {
            ratio(f.comment_lines * 100, f.code_lines)
        }),
    ],
    &[
        ("most arguments", |f, _| {
            spread(&function_counts(f, |function| function.arguments), &[100])
        }),
        ("over five", |f, _| {
            f.functions_with_many_arguments().len().to_string()
        }),
        ("tuple parameters", |f, _| {
            f.functions_with_tuple_parameters().len().to_string()
        }),
        ("long closures/kLoC", |f, _| {
            ratio(f.items.long_closures * 1000, f.code_lines)
        }),
        ("match bool", |f, _| f.items.bool_matches.len().to_string()),
        ("module cycle", |f, _| {
            format!("{} of {}", f.module_cycle.len(), f.modules)
        }),
        ("folder cycle", |f, _| {
            format!("{} of {}", f.directory_cycle.len(), f.directories)
        }),
    ],
    &[
        ("structs", |f, _| f.items.structs.to_string()),
        ("newtypes %", |f, _| {
            ratio(f.items.newtypes * 100, f.items.structs)
        }),
        ("string fields %", |f, _| {
            ratio(f.items.string_fields * 100, f.items.fields)
        }),
        ("types", |f, _| f.items.type_names.len().to_string()),
        ("one word %", |f, _| names(f, &is_one_word)),
        ("shared %", |f, counts| {
            names(f, &|name| counts.get(name).is_some_and(|count| *count > 1))
        }),
        ("participles %", |f, _| names(f, &is_participle)),
    ],
];

/// The tables, and below them everything that is over a limit.
pub(super) fn tables(rows: &[CrateFigures]) -> String {
    let counts = name_counts(rows);
    let mut text = String::new();
    for columns in TABLES {
        let headings = columns.iter().map(|(heading, _)| (*heading).to_owned());
        line(&mut text, "crate", headings.collect(), columns);
        for figures in rows {
            let cells = columns.iter().map(|(_, cell)| cell(figures, &counts));
            line(&mut text, &figures.name, cells.collect(), columns);
        }
        text.push('\n');
    }
    for figures in rows.iter().filter(|figures| figures.name != SUM) {
        for violation in limits::violations(figures) {
            let _ = writeln!(text, "{violation}");
        }
    }
    text
}

/// In how many crates, or how often in one, each type name is given.
fn name_counts(rows: &[CrateFigures]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let crates = rows.iter().filter(|figures| figures.name != SUM);
    for name in crates.flat_map(|figures| &figures.items.type_names) {
        *counts.entry(name.clone()).or_default() += 1;
    }
    counts
}

fn line(text: &mut String, name: &str, cells: Vec<String>, columns: &[(&str, Cell)]) {
    let _ = write!(text, "{name:<9}");
    for (cell, (heading, _)) in cells.iter().zip(columns) {
        let width = heading.len().max(8);
        let _ = write!(text, "  {cell:>width$}");
    }
    text.push('\n');
}

fn function_counts(figures: &CrateFigures, count: fn(&FunctionFigures) -> usize) -> Vec<usize> {
    figures.items.functions.iter().map(count).collect()
}

fn names(figures: &CrateFigures, is_it: &dyn Fn(&str) -> bool) -> String {
    let names = &figures.items.type_names;
    let count = names.iter().filter(|name| is_it(name)).count();
    ratio(count * 100, names.len())
}

/// The values at some hundredths of the sorted list; the last of a hundred is the largest.
fn spread(values: &[usize], hundredths: &[usize]) -> String {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    let at = |part: &usize| sorted.get(last * part / 100).copied().unwrap_or_default();
    let parts = hundredths.iter().map(|part| at(part).to_string());
    parts.collect::<Vec<_>>().join(" ")
}

/// With one digit after the point, which is enough to compare.
fn ratio(part: usize, total: usize) -> String {
    let tenths = (part * 10 + total / 2)
        .checked_div(total)
        .unwrap_or_default();
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_ends_with_the_largest() {
        let values: Vec<usize> = (1..=101).rev().collect();
        assert_eq!(spread(&values, &[50, 90, 100]), "51 91 101");
        assert_eq!(spread(&[], &[50]), "0");
    }

    #[test]
    fn ratios_are_rounded() {
        assert_eq!(ratio(2, 3), "0.7");
        assert_eq!(ratio(1, 0), "0.0");
    }
}
