//! What no template of ours needs and a hostile one would use. The engine counts steps, not bytes: a text that doubles
//! forty times is forty steps.

use std::ops::Range;

use crate::RenderError;
use crate::filters;
use crate::tags::tags;

const LARGEST_TEMPLATE: usize = 1 << 20;
const LONGEST_TAG: usize = 4096;
const MOST_TAGS: usize = 4096;
/// Joins in `{% set %}` and `{% with %}` can build on each other, so that each may double what came before.
const MOST_KEPT_JOINS: usize = 8;
/// Joins in one tag, where each adds one text.
const MOST_JOINS: usize = 64;
/// Steps that one template may take; a page of text takes a few hundred.
const FUEL: u64 = 1_000_000;
/// Bytes that the steps of one template may copy, as if each copied the longest text that there can be.
const MOST_COPIED: u64 = 1 << 33;

/// Statements that are not ours, and what to do instead.
const REFUSED: &[(&str, &str)] = &[
    ("include", OTHER_FILES),
    ("import", OTHER_FILES),
    ("from", OTHER_FILES),
    ("extends", OTHER_FILES),
    ("macro", "write it out"),
    ("call", "write it out"),
    ("filter", "use the filter in `{{ … }}`"),
];
const OTHER_FILES: &str =
    "write `{{ 'path/of/file.md' | content }}`, or declare a dependency and use its `content`";

/// How far texts may grow in a template.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Growth {
    /// The longest tag, which bounds every literal.
    tag: usize,
    /// The most joins in one tag.
    joins: usize,
    /// Joins whose result has a name.
    kept: usize,
    /// The least that a filter whose result has a name may give.
    filtered: usize,
}

impl Growth {
    /// Steps for a template that knows texts of so many bytes: the longer they may become, the fewer.
    pub(crate) fn fuel(self, longest: usize) -> u64 {
        let longest = (longest.max(self.tag).max(self.filtered) as u64) << self.kept;
        FUEL.min(MOST_COPIED / longest.max(1).saturating_mul(self.joins as u64 + 1))
    }
}

/// Refuses a template that could take the machine down.
pub(crate) fn check(template: &str) -> Result<Growth, RenderError> {
    if template.len() > LARGEST_TEMPLATE {
        return Err(refusal("the template is larger than 1 MiB", 0..0));
    }
    let mut growth = Growth::default();
    for (count, range) in tags(template).enumerate() {
        if range.len() > LONGEST_TAG || count >= MOST_TAGS {
            let message = "the template has a tag too long, or too many of them";
            return Err(refusal(message, range.start..range.start + 2));
        }
        check_tag(&template[range.clone()], &mut growth).map_err(|refused| refused.at(range))?;
    }
    Ok(growth)
}

/// Why a tag is refused.
struct Refused {
    message: String,
    help: &'static str,
}

impl Refused {
    fn new(message: impl Into<String>) -> Self {
        Refused { message: message.into(), help: SIMPLER }
    }

    fn at(self, range: Range<usize>) -> RenderError {
        RenderError { message: self.message, help: self.help.to_owned(), range: Some(range) }
    }
}

fn check_tag(tag: &str, growth: &mut Growth) -> Result<(), Refused> {
    let code = without_strings(tag);
    if code.contains('*') {
        return Err(Refused::new("templates have no `*`"));
    }
    let statement = statement(&code);
    if let Some((word, help)) = REFUSED.iter().find(|(word, _)| *word == statement) {
        return Err(Refused { message: format!("templates have no `{{% {word} %}}`"), help });
    }
    let joins = code.matches(['~', '+']).count();
    growth.tag = growth.tag.max(tag.len());
    growth.joins = growth.joins.max(joins);
    if matches!(statement, "set" | "with") {
        // A captured text has no bound.
        if !code.contains('=') && statement == "set" {
            return Err(Refused::new("templates have no `{% set %}` without `=`"));
        }
        growth.kept += joins + code.matches('|').count();
        if ["join", "replace"].iter().any(|filter| code.contains(filter)) {
            growth.filtered = filters::LARGEST;
        }
    }
    match (growth.kept > MOST_KEPT_JOINS, joins > MOST_JOINS) {
        (true, _) => Err(Refused::new("the template joins too many texts in `set`")),
        (_, true) => Err(Refused::new("the tag joins too many texts")),
        _ => Ok(()),
    }
}

/// The word that a `{% … %}` starts with.
fn statement(code: &str) -> &str {
    let Some(inside) = code.strip_prefix("{%") else { return "" };
    let word = inside.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+'));
    word.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// A tag with its quoted parts left out.
fn without_strings(tag: &str) -> String {
    let mut quote = None;
    let mut escaped = false;
    let outside = |c: &char| {
        let before = quote;
        match (quote, *c) {
            (Some(open), c) if c == open && !escaped => quote = None,
            (None, '"' | '\'') => quote = Some(*c),
            _ => {}
        }
        escaped = *c == '\\' && !escaped;
        before.is_none() && quote.is_none()
    };
    tag.chars().filter(outside).collect()
}

const SIMPLER: &str = "make the template simpler";

fn refusal(message: &str, range: Range<usize>) -> RenderError {
    RenderError { message: message.to_owned(), help: SIMPLER.to_owned(), range: Some(range) }
}
