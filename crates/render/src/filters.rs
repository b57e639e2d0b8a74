//! Filters as in Tera, with named or positional arguments. Each returns a bounded text.

use minijinja::value::{Kwargs, StringInput};
use minijinja::{Environment, Error, ErrorKind, State, Value, filters, tests};

use crate::files::{charge, content};
use crate::limits::LARGEST_FILTERED;

pub(crate) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("default", default);
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
    environment.add_filter("upper", upper);
    environment.add_filter("lower", lower);
    environment.add_filter("trim", trim);
    environment.add_filter("length", filters::length);
    environment.add_filter("first", filters::first);
    environment.add_filter("last", filters::last);
    environment.add_filter("content", |state: &State<'_, '_>, path: &Value| {
        content(state, text(state, path)?.as_str())
    });
    environment.add_test("defined", tests::is_defined);
    environment.add_test("undefined", tests::is_undefined);
    environment.add_test("none", tests::is_none);
}

/// The argument of a filter as text; an undefined one is an error that names it.
fn text<'a>(state: &State<'_, '_>, value: &'a Value) -> Result<StringInput<'a>, Error> {
    let text = StringInput::new(state, value)?;
    charge(state, text.as_str().len())?;
    Ok(text)
}

/// An argument by position, or else by name.
fn argument(position: Option<Value>, name: &str, kwargs: &Kwargs) -> Result<Option<Value>, Error> {
    let named = kwargs.get::<Option<Value>>(name)?;
    Ok(position.or(named))
}

fn bounded(length: usize, longest_input: usize) -> Result<(), Error> {
    if length > LARGEST_FILTERED.max(longest_input.saturating_mul(2)) {
        Err(Error::new(
            ErrorKind::InvalidOperation,
            "the string would be too large",
        ))
    } else {
        Ok(())
    }
}

fn default(value: &Value, default_value: Option<Value>, kwargs: Kwargs) -> Result<Value, Error> {
    let default_value =
        argument(default_value, "value", &kwargs)?.unwrap_or_else(|| Value::from(""));
    kwargs.assert_all_used()?;
    Ok(if value.is_undefined() {
        default_value
    } else {
        value.clone()
    })
}

fn upper(state: &State<'_, '_>, value: &Value) -> Result<String, Error> {
    Ok(text(state, value)?.as_str().to_uppercase())
}

fn lower(state: &State<'_, '_>, value: &Value) -> Result<String, Error> {
    Ok(text(state, value)?.as_str().to_lowercase())
}

fn trim(state: &State<'_, '_>, value: &Value) -> Result<String, Error> {
    Ok(text(state, value)?.as_str().trim().to_owned())
}

fn join(
    state: &State<'_, '_>,
    value: &Value,
    separator: Option<Value>,
    kwargs: Kwargs,
) -> Result<String, Error> {
    let separator = argument(separator, "sep", &kwargs)?
        .map(|text| text.to_string())
        .unwrap_or_default();
    kwargs.assert_all_used()?;
    if value.is_undefined() {
        StringInput::new(state, value)?;
    }
    let mut out = String::new();
    let mut longest = separator.len();
    for (at, item) in value.try_iter()?.enumerate() {
        let item = item.to_string();
        longest = longest.max(item.len());
        charge(state, separator.len() + item.len())?;
        bounded(out.len() + separator.len() + item.len(), longest)?;
        if at > 0 {
            out.push_str(&separator);
        }
        out.push_str(&item);
    }
    Ok(out)
}

fn replace(
    state: &State<'_, '_>,
    value: &Value,
    from: Option<Value>,
    to: Option<Value>,
    kwargs: Kwargs,
) -> Result<String, Error> {
    let value = text(state, value)?;
    let from = argument(from, "from", &kwargs)?
        .map(|text| text.to_string())
        .unwrap_or_default();
    let to = argument(to, "to", &kwargs)?
        .map(|text| text.to_string())
        .unwrap_or_default();
    kwargs.assert_all_used()?;
    let value = value.as_str();
    if from.is_empty() {
        return Ok(value.to_owned());
    }
    let length = value.len() + value.matches(&from).count().saturating_mul(to.len());
    charge(state, length)?;
    bounded(length, value.len().max(to.len()))?;
    Ok(value.replace(&from, &to))
}
