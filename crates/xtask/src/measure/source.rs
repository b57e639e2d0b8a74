//! One source file as tokens, lines and comments, with the parts that only tests compile taken out.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::spanned::Spanned;

/// A token that a reader sees as one: `::` is one, and so is `'a`.
pub(crate) struct SourceToken {
    /// Empty for documentation.
    pub(crate) text: String,
    pub(crate) start: usize,
    end: usize,
}

/// Comment lines of one kind that follow each other, without their slashes.
pub(crate) struct CommentBlock {
    /// The number of its first line, from one.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// The product code of a file.
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    pub(super) syntax: syn::File,
    /// In the order of the text, without tests and without documentation.
    pub(crate) tokens: Vec<SourceToken>,
    pub(super) lines: usize,
    pub(super) code_lines: usize,
    pub(super) comment_lines: usize,
    /// Plain comments and documentation, in the order of the text, without those of tests.
    pub(crate) comments: Vec<CommentBlock>,
    /// Modules in other files that only tests compile: `#[cfg(test)] mod name;`.
    test_modules: Vec<String>,
    index: LineIndex,
}

impl SourceFile {
    pub(crate) fn parse(path: &Path, text: &str) -> Result<Self, syn::Error> {
        let mut syntax = syn::parse_file(text)?;
        let mut tests = Vec::new();
        let test_modules = test_modules(&syntax.items);
        syntax.items = without_tests(syntax.items, &mut tests);
        let all = tokens_of(text)?;
        let index = LineIndex::new(text);
        let test_lines: usize = tests.iter().map(|range| index.lines_in(range)).sum();
        let is_product = |start: usize| {
            !tests
                .iter()
                .any(|range: &Range<usize>| range.contains(&start))
        };
        let comment_lines = comment_lines(text, &all, &is_product);
        let comments = comments(text, &all, &is_product);
        let tokens: Vec<SourceToken> = all
            .into_iter()
            .filter(|token| !token.text.is_empty() && is_product(token.start))
            .collect();
        Ok(Self {
            path: path.to_owned(),
            lines: index.count() - test_lines,
            code_lines: index.covered_by(&tokens),
            comment_lines,
            comments,
            test_modules,
            syntax,
            tokens,
            index,
        })
    }

    /// The number of the line, from one, that a byte is on.
    pub(crate) fn line_at(&self, at: usize) -> usize {
        self.index.line_at(at)
    }

    /// How many tokens begin in a range of bytes.
    pub(super) fn tokens_in(&self, range: &Range<usize>) -> usize {
        let before = |at: usize| self.tokens.partition_point(|token| token.start < at);
        before(range.end) - before(range.start)
    }
}

/// Whether only tests compile it.
fn is_test_item(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            let words = list.tokens.to_string();
            words
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word == "test")
                && !words.contains("not")
        }
        _ => false,
    })
}

/// Counts `#[test]`, also inside of macros such as `proptest!`.
pub(super) fn count_tests(text: &str) -> Result<usize, syn::Error> {
    let tokens = tokens_of(text)?;
    let is_test = |window: &&[SourceToken]| {
        let texts = window.iter().map(|token| token.text.as_str());
        texts.eq(["#", "[", "test", "]"])
    };
    Ok(tokens.windows(4).filter(is_test).count())
}

/// Every Rust file below a directory, sorted by path; none if the directory does not exist.
pub(crate) fn rust_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !directory.is_dir() {
        return Ok(found);
    }
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The files of a crate's `src` directory without those that only tests compile, by their path in it.
pub(crate) fn product_files(sources: &Path) -> io::Result<Vec<SourceFile>> {
    let mut files = Vec::new();
    for path in rust_files(sources)? {
        let text = fs::read_to_string(&path)?;
        let inner = path.strip_prefix(sources).unwrap_or(&path);
        files.push(SourceFile::parse(inner, &text).map_err(io::Error::other)?);
    }
    Ok(without_test_modules(files))
}

/// Leaves out files that another file declares for tests only.
fn without_test_modules(files: Vec<SourceFile>) -> Vec<SourceFile> {
    let mut tests = Vec::new();
    for file in &files {
        let is_front = ["mod", "lib", "main"]
            .iter()
            .any(|name| file.path.file_stem().is_some_and(|stem| stem == *name));
        let directory = if is_front {
            file.path.parent().unwrap_or(Path::new("")).to_owned()
        } else {
            file.path.with_extension("")
        };
        tests.extend(file.test_modules.iter().map(|name| directory.join(name)));
    }
    files
        .into_iter()
        .filter(|file| {
            !tests
                .iter()
                .any(|test| file.path.with_extension("").starts_with(test))
        })
        .collect()
}

fn test_modules(items: &[syn::Item]) -> Vec<String> {
    let name = |item: &syn::Item| match item {
        syn::Item::Mod(module) if module.content.is_none() && is_test_item(&module.attrs) => {
            Some(module.ident.to_string())
        }
        _ => None,
    };
    items.iter().filter_map(name).collect()
}

fn without_tests(items: Vec<syn::Item>, tests: &mut Vec<Range<usize>>) -> Vec<syn::Item> {
    let mut product_items = Vec::new();
    for mut item in items {
        if is_test_item(attributes_of(&item)) {
            tests.push(item.span().byte_range());
            continue;
        }
        if let syn::Item::Mod(module) = &mut item
            && let Some((_, inner)) = &mut module.content
        {
            *inner = without_tests(std::mem::take(inner), tests);
        }
        product_items.push(item);
    }
    product_items
}

fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn tokens_of(text: &str) -> Result<Vec<SourceToken>, syn::Error> {
    let stream: TokenStream = text.parse().map_err(syn::Error::from)?;
    let mut tokens = Vec::new();
    flatten(stream, &mut tokens);
    Ok(tokens)
}

fn flatten(stream: TokenStream, tokens: &mut Vec<SourceToken>) {
    let mut joined = false;
    for tree in stream {
        if let TokenTree::Group(group) = &tree {
            let range = group.span().byte_range();
            if tokens.last().is_some_and(|last| last.start == range.start) {
                take_documentation(range, tokens);
            } else {
                flatten_group(group, tokens);
            }
            joined = false;
            continue;
        }
        let range = tree.span().byte_range();
        let text = tree.to_string();
        match tokens.last_mut() {
            Some(last) if joined && is_one_token(&last.text, &text) => {
                last.text.push_str(&text);
                last.end = range.end;
            }
            _ => tokens.push(SourceToken {
                text,
                start: range.start,
                end: range.end,
            }),
        }
        joined = matches!(&tree, TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint);
    }
}

/// The library gives operators character by character, and a lifetime as a quote and a name.
fn is_one_token(first: &str, next: &str) -> bool {
    const OPERATORS: &[&str] = &[
        "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "^=",
        "&=", "|=", "<<", ">>", "<<=", ">>=", "..", "...", "..=",
    ];
    first == "'" || OPERATORS.contains(&format!("{first}{next}").as_str())
}

/// A documentation comment is an attribute to the compiler, each of whose tokens spans the whole comment.
fn take_documentation(range: Range<usize>, tokens: &mut Vec<SourceToken>) {
    while tokens.last().is_some_and(|last| last.start == range.start) {
        tokens.pop();
    }
    tokens.push(SourceToken {
        text: String::new(),
        start: range.start,
        end: range.end,
    });
}

fn flatten_group(group: &proc_macro2::Group, tokens: &mut Vec<SourceToken>) {
    let marks = match group.delimiter() {
        Delimiter::Parenthesis => Some(["(", ")"]),
        Delimiter::Brace => Some(["{", "}"]),
        Delimiter::Bracket => Some(["[", "]"]),
        Delimiter::None => None,
    };
    let mark = |text: &str, range: Range<usize>| SourceToken {
        text: text.to_owned(),
        start: range.start,
        end: range.end,
    };
    if let Some([open, _]) = marks {
        tokens.push(mark(open, group.span_open().byte_range()));
    }
    flatten(group.stream(), tokens);
    if let Some([_, close]) = marks {
        tokens.push(mark(close, group.span_close().byte_range()));
    }
}

/// Between two tokens is nothing but white space and plain comments.
fn comment_lines(text: &str, tokens: &[SourceToken], is_product: &dyn Fn(usize) -> bool) -> usize {
    let ends = std::iter::once(0).chain(tokens.iter().map(|token| token.end));
    let starts = tokens
        .iter()
        .map(|token| token.start)
        .chain(std::iter::once(text.len()));
    let gaps = ends.zip(starts).filter(|(start, end)| start < end);
    gaps.filter(|(start, _)| is_product(*start))
        .flat_map(|(start, end)| text[start..end].lines())
        .filter(|line| !line.trim().is_empty())
        .count()
}

/// Blocks of comment lines. A line inside a string literal that only looks like one is not among them.
fn comments(
    text: &str,
    tokens: &[SourceToken],
    is_product: &dyn Fn(usize) -> bool,
) -> Vec<CommentBlock> {
    let mut found: Vec<CommentBlock> = Vec::new();
    let mut last_marker = None;
    let mut start = 0;
    for (at, line) in text.split_inclusive('\n').enumerate() {
        let from = start + line.len() - line.trim_start().len();
        start += line.len();
        let written = line.trim();
        let marker = ["///", "//!", "//"]
            .into_iter()
            .find(|marker| written.starts_with(marker))
            .filter(|_| is_product(from) && !is_in_literal(from, tokens));
        let Some(marker) = marker else {
            last_marker = None;
            continue;
        };
        let words = &written[marker.len()..];
        match found.last_mut().filter(|_| last_marker == Some(marker)) {
            Some(comment) => {
                comment.text.push('\n');
                comment.text.push_str(words);
            }
            None => found.push(CommentBlock {
                line: at + 1,
                text: words.to_owned(),
            }),
        }
        last_marker = Some(marker);
    }
    found
}

fn is_in_literal(at: usize, tokens: &[SourceToken]) -> bool {
    let after = tokens.partition_point(|token| token.start < at);
    let before = after.checked_sub(1).map(|last| &tokens[last]);
    before.is_some_and(|token| !token.text.is_empty() && token.end > at)
}

struct LineIndex {
    /// Where each line begins.
    starts: Vec<usize>,
    count: usize,
}

impl LineIndex {
    fn new(text: &str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Self {
            starts: std::iter::once(0).chain(breaks).collect(),
            count: text.lines().count(),
        }
    }

    fn count(&self) -> usize {
        self.count
    }

    fn line_at(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    fn lines_in(&self, range: &Range<usize>) -> usize {
        self.line_at(range.end.saturating_sub(1)) + 1 - self.line_at(range.start)
    }

    /// How many lines hold a token or a part of one.
    fn covered_by(&self, tokens: &[SourceToken]) -> usize {
        let mut covered = 0;
        let mut last = 0;
        for token in tokens {
            let first = self.line_at(token.start).max(last + 1);
            let end = self.line_at(token.end.saturating_sub(1));
            covered += (end + 1).saturating_sub(first);
            last = last.max(end);
        }
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
//! A front page.

// Why it is two.
const TWO: u8 = 2; // beside

/// Documented.
fn f<'a>(x: &'a str) -> &'a str {
    /* a block
       of two lines */
    x
}

#[cfg(test)]
mod tests {
    // Not product code.
    #[test]
    fn works() {}
}
";

    fn file() -> SourceFile {
        SourceFile::parse(Path::new("x.rs"), TEXT).expect("the text is Rust")
    }

    #[test]
    fn tests_and_documentation_are_not_product_code() {
        let file = file();
        assert_eq!(file.lines, 12);
        assert_eq!(file.code_lines, 4);
        assert_eq!(file.comment_lines, 4);
        assert_eq!(file.syntax.items.len(), 2);
    }

    #[test]
    fn a_token_is_what_a_reader_sees_as_one() {
        let file = file();
        let texts: Vec<&str> = file
            .tokens
            .iter()
            .map(|token| token.text.as_str())
            .collect();
        assert_eq!(
            texts.join(" "),
            "const TWO : u8 = 2 ; fn f < 'a > ( x : & 'a str ) -> & 'a str { x }"
        );
    }

    #[test]
    fn tests_in_macros_are_counted() {
        let text = "proptest! { #[test] fn a() {} }\n#[test]\nfn b() {}\nfn c() {}\n";
        assert_eq!(count_tests(text).expect("the text is Rust"), 2);
    }
}
