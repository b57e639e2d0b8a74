//! Refuses constructs that no legitimate template needs and a hostile one would use. The engine counts steps, not
//! bytes: text that doubles forty times takes forty steps.

use std::ops::Range;

use crate::error::RenderError;
use crate::limits::{
    LARGEST_FILTERED, LARGEST_TEMPLATE, LONGEST_TAG, MOST_COPIED, MOST_JOINS, MOST_KEPT_JOINS,
    MOST_STEPS, MOST_TAGS,
};
use crate::tags::tags;

/// Statements of the engine that agpm refuses, and the alternatives.
// They read other templates or define code; both would make a template larger than what a reviewer sees.
const REFUSED: &[(&str, &str)] = &[
    ("include", OTHER_FILES),
    ("import", OTHER_FILES),
    ("from", OTHER_FILES),
    ("extends", OTHER_FILES),
    ("block", "write the content in place"),
    ("macro", "write the content in place"),
    ("call", "write the content in place"),
    ("filter", "use the filter in `{{ … }}`"),
];
const OTHER_FILES: &str =
    "write `{{ 'path/of/file.md' | content }}`, or declare a dependency and use its `content`";

/// Bounds for the growth of strings in a template.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GrowthBound {
    /// The longest tag, which bounds every literal.
    tag: usize,
    /// The most joins in one tag.
    joins: usize,
    /// Joins whose result has a name.
    named_joins: usize,
    /// The smallest bound of a filter whose result has a name.
    filtered: usize,
}

impl GrowthBound {
    /// The steps for a template with strings of so many bytes: the longer they may become, the fewer.
    pub(crate) fn fuel(self, longest: usize) -> u64 {
        // The engine counts steps and not bytes. A named join can double a string at every step, so each one halves
        // the steps that are left.
        let longest = (longest.max(self.tag).max(self.filtered) as u64) << self.named_joins;
        MOST_STEPS.min(MOST_COPIED / longest.max(1).saturating_mul(self.joins as u64 + 1))
    }

    /// Adds the growth of a statement that assigns names.
    fn name(&mut self, code: &str, joins: usize) {
        let statement = statement(code);
        let value = text_after(code, statement);
        let value = if statement == "for" {
            looped_over(value)
        } else {
            value
        };
        let growing = words(code)
            .filter(|(_, word)| GROWING.contains(word))
            .count();
        self.named_joins += joins.max(references(value).saturating_sub(1)) + growing;
        if growing > 0 {
            self.filtered = LARGEST_FILTERED;
        }
    }
}

/// Statements that assign names to values.
const NAMING: &[&str] = &["set", "with", "for"];
/// Words that are never names of values.
const NEVER_NAMES: &[&str] = &["true", "false", "none", "True", "False", "None", "not"];
/// Operators between two operands, which are names in the position of an operand.
const OPERATORS: &[&str] = &["if", "else", "and", "or", "in", "is"];
/// Filters whose output may be longer than their input.
const GROWING: &[&str] = &["join", "replace", "upper", "lower"];

/// Refuses a template that could exhaust memory or time.
pub(crate) fn check(template: &str) -> Result<GrowthBound, RenderError> {
    if template.len() > LARGEST_TEMPLATE {
        return Err(refusal("the template is larger than 1 MiB", 0..0));
    }
    let mut growth = GrowthBound::default();
    for (count, range) in tags(template).enumerate() {
        if range.len() > LONGEST_TAG || count >= MOST_TAGS {
            let message = "the template has a tag too long, or too many of them";
            return Err(refusal(message, range.start..range.start + 2));
        }
        check_tag(&template[range.clone()], &mut growth).map_err(|refused| refused.at(range))?;
    }
    Ok(growth)
}

/// The reason why a tag is refused.
struct RefusedTag {
    message: String,
    help: &'static str,
}

impl RefusedTag {
    fn new(message: impl Into<String>) -> Self {
        RefusedTag {
            message: message.into(),
            help: SIMPLER,
        }
    }

    fn at(self, range: Range<usize>) -> RenderError {
        RenderError {
            message: self.message,
            help: self.help.to_owned(),
            range: Some(range),
        }
    }
}

fn check_tag(tag: &str, growth: &mut GrowthBound) -> Result<(), RefusedTag> {
    let code = without_strings(tag);
    if code.contains('*') {
        return Err(RefusedTag::new("templates do not support `*`"));
    }
    let statement = statement(&code);
    if let Some((word, help)) = REFUSED.iter().find(|(word, _)| *word == statement) {
        return Err(RefusedTag {
            message: format!("templates do not support `{{% {word} %}}`"),
            help,
        });
    }
    let joins = code.matches(['~', '+']).count();
    growth.tag = growth.tag.max(tag.len());
    growth.joins = growth.joins.max(joins);
    if NAMING.contains(&statement) {
        check_naming(statement, &code)?;
        growth.name(&code, joins);
    }
    match (growth.named_joins > MOST_KEPT_JOINS, joins > MOST_JOINS) {
        (true, _) => Err(RefusedTag::new(
            "the template builds too many values on each other",
        )),
        (_, true) => Err(RefusedTag::new("the tag joins too many strings")),
        _ => Ok(()),
    }
}

/// Refuses statements that assign names without a bound.
fn check_naming(statement: &str, code: &str) -> Result<(), RefusedTag> {
    match statement {
        "set" if !code.contains('=') => Err(RefusedTag::new(
            "templates do not support `{% set %}` without `=`",
        )),
        "for" if words(code).any(|(_, word)| word == "recursive") => Err(RefusedTag::new(
            "templates do not support `recursive` loops",
        )),
        _ => Ok(()),
    }
}

/// The text after the first occurrence of `word`.
fn text_after<'a>(code: &'a str, word: &str) -> &'a str {
    words(code)
        .find(|(_, found)| *found == word)
        .map_or(code, |(at, _)| &code[at + word.len()..])
}

/// The iterated expression of a loop: after `in`, and before an `if` outside brackets.
fn looped_over(code: &str) -> &str {
    let list = text_after(code, "in");
    let depth = |at: usize| {
        let count = |brackets: [char; 3]| list[..at].matches(brackets).count();
        count(['(', '[', '{']).abs_diff(count([')', ']', '}']))
    };
    words(list)
        .find(|(at, word)| *word == "if" && depth(*at) == 0)
        .map_or(list, |(at, _)| &list[..at])
}

/// The number of names that an expression refers to.
fn references(code: &str) -> usize {
    words(code)
        .filter(|(at, word)| is_reference(code[..*at].trim_end(), word, &code[at + word.len()..]))
        .count()
}

fn is_reference(before: &str, word: &str, behind: &str) -> bool {
    let behind = behind.trim_start();
    let is_target = behind.starts_with('=') && !behind.starts_with("==");
    let is_operator = OPERATORS.contains(&word) && before.ends_with(ends_operand);
    let is_test = ["is", "not"].contains(&last_word(before));
    !(before.ends_with(['.', '|'])
        || is_target
        || is_operator
        || is_test
        || NEVER_NAMES.contains(&word))
}

fn ends_operand(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | ')' | ']' | '}' | '"')
}

fn last_word(text: &str) -> &str {
    text.rsplit(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default()
}

/// Names and keywords with their positions.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + code[at..].find(is_part)?;
        let length = code[start..]
            .find(|c| !is_part(c))
            .unwrap_or(code.len() - start);
        at = start + length;
        Some((start, &code[start..at]))
    })
    .filter(|(_, word)| !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// The word that a `{% … %}` starts with.
fn statement(code: &str) -> &str {
    let Some(inside) = code.strip_prefix("{%") else {
        return "";
    };
    let word = inside.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '-' | '+'));
    word.split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()
        .unwrap_or_default()
}

/// A tag with each string replaced by `"`.
fn without_strings(tag: &str) -> String {
    let mut code = String::with_capacity(tag.len());
    let mut quote = None;
    let mut escaped = false;
    for c in tag.chars() {
        match quote {
            None if matches!(c, '"' | '\'') => (quote, escaped) = (Some(c), false),
            None => code.push(c),
            Some(open) if c == open && !escaped => {
                quote = None;
                code.push('"');
            }
            Some(_) => escaped = c == '\\' && !escaped,
        }
    }
    code
}

const SIMPLER: &str = "simplify the template";

fn refusal(message: &str, range: Range<usize>) -> RenderError {
    RenderError {
        message: message.to_owned(),
        help: SIMPLER.to_owned(),
        range: Some(range),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_values_of_other_names() {
        for (code, count) in [
            (" a = 1", 0),
            (" a = b.c.d", 1),
            (" a = [b, c.d]", 2),
            (" a = b | default(value=c) | first", 2),
            (" a = b if c is defined and not d else \"\"", 2),
            (" a = \"\" if b else \"\"", 1),
            (" a = [if, if]", 2),
            (" a = [defined, defined]", 2),
            (" a = {\"\": set, \"\": in}", 2),
            (" a = b == c", 2),
        ] {
            assert_eq!(references(code), count, "{code}");
        }
        assert_eq!(
            looped_over(" k, v in [a if b else c, a] if d"),
            " [a if b else c, a] "
        );
        assert_eq!(without_strings("{{ 'a\\'b' ~ \"c'\" }}"), "{{ \" ~ \" }}");
    }
}
