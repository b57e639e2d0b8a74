//! Templates: hostile input, so strict, with fuel, and without environment, clock or loader.
//!
//! Knows values and texts, not resources or files.

mod filters;

use std::collections::BTreeMap;

use agpm_text::{Shape, Value, View};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::ValueKind;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior};

/// Steps that one template may take; a page of text takes a few hundred.
const FUEL: u64 = 1_000_000;

/// Why a template gave no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RenderError {
    /// What went wrong.
    pub message: String,
    /// What can be done.
    pub help: &'static str,
    /// The bytes of the template concerned, if they are known.
    pub range: Option<std::ops::Range<usize>>,
}

/// Whether a text holds a template tag at all.
pub fn has_tags(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

/// Whether a template tag of the text mentions one of our own names.
pub fn mentions_agpm(text: &str) -> bool {
    let mut rest = text;
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        let close = if rest[at..].starts_with("{{") { "}}" } else { "%}" };
        let end = rest[at..].find(close).map_or(rest.len(), |end| at + end);
        if rest[at..end].contains("agpm.") {
            return true;
        }
        rest = &rest[(end + close.len()).min(rest.len())..];
    }
    false
}

/// Fills a template with the names of `context`, a map.
pub fn render(template: &str, context: &Value) -> Result<String, RenderError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
    environment.set_syntax(syntax.expect("the usual delimiters"));
    environment.set_fuel(Some(FUEL));
    environment.set_debug(true);
    // Booleans as TOML writes them.
    environment.set_formatter(|out, state, value| match bool::try_from(value.clone()) {
        Ok(truth) if value.kind() == ValueKind::Bool => {
            out.write_str(if truth { "true" } else { "false" }).map_err(Into::into)
        }
        _ => minijinja::escape_formatter(out, state, value),
    });
    filters::add(&mut environment);
    environment.render_str(template, to_template_value(context)).map_err(|error| explain(&error))
}

fn explain(error: &minijinja::Error) -> RenderError {
    let message = match (error.kind(), error.detail()) {
        (ErrorKind::OutOfFuel, _) => "the template takes too many steps".to_owned(),
        (ErrorKind::UndefinedError, detail) => match detail {
            Some(detail) => format!("undefined value: {detail}"),
            None => "the template uses a value that is not defined".to_owned(),
        },
        (kind, Some(detail)) => format!("{kind}: {detail}"),
        (kind, None) => kind.to_string(),
    };
    let help = match error.kind() {
        ErrorKind::UndefinedError => {
            "define it under `[project]`, or write `| default(value=\"…\")` behind it"
        }
        ErrorKind::OutOfFuel => "make it simpler",
        _ => "check the template tags; `{% raw %}` and fences marked `literal` are left alone",
    };
    RenderError { message, help, range: error.range() }
}

fn to_template_value(value: &Value) -> minijinja::Value {
    match value.shape() {
        Shape::Null => minijinja::Value::from(()),
        Shape::Bool(value) => minijinja::Value::from(value),
        Shape::Integer(text) => {
            text.parse::<i64>().map_or_else(|_| minijinja::Value::from(text), minijinja::Value::from)
        }
        Shape::Float(text) => {
            text.parse::<f64>().map_or_else(|_| minijinja::Value::from(text), minijinja::Value::from)
        }
        Shape::String(text) | Shape::DateTime(text) => minijinja::Value::from(text),
        Shape::List(count) => {
            let items: Vec<_> = (0..count).map(|at| to_template_value(value.item(at))).collect();
            minijinja::Value::from(items)
        }
        Shape::Map(count) => {
            let entries = (0..count).map(|at| value.entry(at));
            let map: BTreeMap<&str, _> =
                entries.map(|(key, value)| (key, to_template_value(value))).collect();
            minijinja::Value::from(map)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> Value {
        let project = Value::map([
            ("language", Value::from("rust")),
            ("width", Value::from(100usize)),
            ("tests", Value::from(true)),
            ("envs", Value::list(["a", "b"])),
        ]);
        Value::map([("agpm", Value::map([("project", project)]))])
    }

    #[test]
    fn names_filters_and_branches_work() {
        for (template, expected) in [
            ("snippets/{{ agpm.project.language }}-guide.md", "snippets/rust-guide.md"),
            ("{{ agpm.project.env | default(value=\"dev\") }}", "dev"),
            ("{{ agpm.project.env | default('dev') }}", "dev"),
            ("{{ agpm.project.language | default(value=\"dev\") }}", "rust"),
            ("{% if agpm.project.tests %}yes{% endif %}", "yes"),
            ("{% if agpm.project.nothing %}yes{% else %}no{% endif %}", "no"),
            ("{{ agpm.project.envs | join(sep='+') }}", "a+b"),
            ("{{ 'a-b' | replace(from='-', to='_') | upper }}", "A_B"),
            ("{{ agpm.project.envs | length }} {{ agpm.project.width }}\n", "2 100\n"),
            ("plain <b>\n", "plain <b>\n"),
            ("{{ agpm.project.tests }}", "true"),
        ] {
            assert_eq!(render(template, &context()), Ok(expected.to_owned()), "{template}");
        }
    }

    #[test]
    fn what_is_undefined_or_endless_is_an_error_with_its_place() {
        let error = |template: &str| render(template, &context()).expect_err("an error");
        let undefined = error("x {{ agpm.project.missing }}");
        assert_eq!(undefined.range, Some(9..25));
        assert!(undefined.message.contains("undefined"), "{undefined}");
        assert!(error("{{ nothing.at.all }}").message.contains("undefined"));
        assert!(
            error("{% for a in range(9999) %}{% for b in range(9999) %}.{% endfor %}{% endfor %}")
                .message
                .contains("too many steps")
        );
        assert!(render("{% if %}", &context()).is_err());
        assert!(render("{% include 'x' %}", &context()).is_err());
        assert!(render("{{ env('HOME') }}", &context()).is_err());
    }

    #[test]
    fn only_tags_that_mention_us_count() {
        for (text, expected) in [
            ("{{ agpm.project.x }}", true),
            ("{% if agpm.project.x %}", true),
            ("agpm.project {{ other }}", false),
            ("{{ other }} agpm. {{", false),
            ("{{ a }} {{ agpm.x", true),
            ("", false),
        ] {
            assert_eq!(mentions_agpm(text), expected, "{text}");
        }
    }
}
