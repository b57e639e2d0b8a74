//! The figures of one crate, and of several together.

use std::path::Path;
use std::{fs, io};

use super::imports::ImportGraph;
use super::items::{FunctionFigures, ItemCounts};
use super::source::{SourceFile, count_tests, product_files, rust_files};

/// More arguments than a reader holds in the head at a call.
const MANY_ARGUMENTS: usize = 5;

/// The figures of one crate, without its tests.
#[derive(Clone, Default)]
pub(super) struct CrateFigures {
    pub(super) name: String,
    pub(super) file_lines: Vec<usize>,
    pub(super) code_lines: usize,
    pub(super) comment_lines: usize,
    pub(super) tokens: usize,
    pub(super) items: ItemCounts,
    pub(super) tests: usize,
    /// The modules of the largest import cycle.
    pub(super) module_cycle: Vec<String>,
    pub(super) modules: usize,
    /// The same between top-level directories.
    pub(super) directory_cycle: Vec<String>,
    pub(super) directories: usize,
}

impl CrateFigures {
    /// Measures the crate in a directory, which also gives the name.
    pub(super) fn of_crate(directory: &Path) -> io::Result<Self> {
        let sources = directory.join("src");
        let mut tests = 0;
        for path in [rust_files(&sources)?, rust_files(&directory.join("tests"))?].concat() {
            tests += count_tests(&fs::read_to_string(&path)?).map_err(io::Error::other)?;
        }
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        Ok(Self::of_files(&name, product_files(&sources)?, tests))
    }

    fn of_files(name: &str, files: Vec<SourceFile>, tests: usize) -> Self {
        let graph = ImportGraph::of(&files);
        let directories = graph.at_top();
        let mut items = ItemCounts::default();
        for file in &files {
            items.append(ItemCounts::of(file));
        }
        Self {
            name: name.to_owned(),
            file_lines: files.iter().map(|file| file.lines).collect(),
            code_lines: files.iter().map(|file| file.code_lines).sum(),
            comment_lines: files.iter().map(|file| file.comment_lines).sum(),
            tokens: files.iter().map(|file| file.tokens.len()).sum(),
            items,
            tests,
            module_cycle: graph.largest_cycle(),
            modules: graph.len(),
            directory_cycle: directories.largest_cycle(),
            directories: directories.len(),
        }
    }

    /// The sum of several crates; of their cycles, which are inside of one crate each, the largest.
    pub(super) fn sum(name: &str, crates: &[Self]) -> Self {
        let mut sum = Self {
            name: name.to_owned(),
            ..Self::default()
        };
        for figures in crates {
            sum.append(figures.clone());
        }
        sum
    }

    fn append(&mut self, other: Self) {
        self.file_lines.extend(other.file_lines);
        self.code_lines += other.code_lines;
        self.comment_lines += other.comment_lines;
        self.tokens += other.tokens;
        self.items.append(other.items);
        self.tests += other.tests;
        self.modules += other.modules;
        self.directories += other.directories;
        if other.module_cycle.len() > self.module_cycle.len() {
            self.module_cycle = other.module_cycle;
        }
        if other.directory_cycle.len() > self.directory_cycle.len() {
            self.directory_cycle = other.directory_cycle;
        }
    }

    /// The checked values, and their locations.
    pub(super) fn checked_lists(&self) -> [(&'static str, Vec<&str>); 3] {
        [
            ("import cycle", texts(&self.module_cycle)),
            ("import cycle of folders", texts(&self.directory_cycle)),
            ("tuple parameters", self.functions_with_tuple_parameters()),
        ]
    }

    pub(super) fn functions_with_many_arguments(&self) -> Vec<&str> {
        self.functions_where(|function| function.arguments > MANY_ARGUMENTS)
    }

    pub(super) fn functions_with_tuple_parameters(&self) -> Vec<&str> {
        self.functions_where(|function| function.tuple_parameters > 0)
    }

    fn functions_where(&self, is_it: impl Fn(&FunctionFigures) -> bool) -> Vec<&str> {
        let functions = self.items.functions.iter();
        functions
            .filter(|function| is_it(function))
            .map(|function| function.name.as_str())
            .collect()
    }
}

fn texts(list: &[String]) -> Vec<&str> {
    list.iter().map(String::as_str).collect()
}
