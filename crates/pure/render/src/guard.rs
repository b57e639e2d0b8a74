//! What no template of ours needs and a hostile one would use. The engine counts steps, not bytes: a text that doubles
//! forty times is forty steps.

use crate::RenderError;

const LARGEST_TEMPLATE: usize = 1 << 20;
const LONGEST_TAG: usize = 4096;
const MOST_TAGS: usize = 4096;
/// Joins in `{% set %}` and `{% with %}` can build on each other, so that each may double what came before.
const MOST_KEPT_JOINS: usize = 8;

/// Refuses a template that could take the machine down.
pub(crate) fn check(template: &str) -> Result<(), RenderError> {
    if template.len() > LARGEST_TEMPLATE {
        return Err(refusal("the template is larger than 1 MiB", 0..0));
    }
    let (mut tags, mut joins) = (0, 0);
    let mut at = 0;
    while let Some((start, close)) = next_tag(&template[at..]) {
        let start = at + start;
        let length = template[start..].find(close).map_or(template.len() - start, |end| end + close.len());
        let range = start..start + length;
        let tag = &template[range.clone()];
        tags += 1;
        if tag.len() > LONGEST_TAG || tags > MOST_TAGS {
            return Err(refusal("the template has a tag too long, or too many of them", start..start + 2));
        }
        let code = without_strings(tag);
        if code.contains('*') {
            return Err(refusal("templates have no `*`", range));
        }
        let word = code.trim_start_matches(['{', '%', '-', '+', ' ']);
        if word.starts_with("set") || word.starts_with("with") {
            joins += code.matches(['~', '+', '|']).count();
        }
        if joins > MOST_KEPT_JOINS {
            return Err(refusal("the template joins too many texts in `set`", range));
        }
        at = start + length;
    }
    Ok(())
}

fn next_tag(text: &str) -> Option<(usize, &'static str)> {
    let found = |open: &str, close| text.find(open).map(|at| (at, close));
    [found("{{", "}}"), found("{%", "%}")].into_iter().flatten().min()
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

fn refusal(message: &str, range: std::ops::Range<usize>) -> RenderError {
    RenderError { message: message.to_owned(), help: "make the template simpler", range: Some(range) }
}
