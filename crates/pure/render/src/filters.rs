//! Filters as template authors know them from Tera: with named arguments, and also without. Each gives a bounded text.

use minijinja::value::Kwargs;
use minijinja::{Environment, Error, ErrorKind, Value, filters, tests};

const LARGEST: usize = 1 << 20;

pub(crate) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("default", default);
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
    environment.add_filter("upper", |text: String| text.to_uppercase());
    environment.add_filter("lower", |text: String| text.to_lowercase());
    environment.add_filter("trim", |text: String| text.trim().to_owned());
    environment.add_filter("length", filters::length);
    environment.add_filter("first", filters::first);
    environment.add_filter("last", filters::last);
    environment.add_test("defined", tests::is_defined);
    environment.add_test("undefined", tests::is_undefined);
    environment.add_test("none", tests::is_none);
}

/// An argument by position, or else by name.
fn argument(position: Option<Value>, name: &str, kwargs: &Kwargs) -> Result<Option<Value>, Error> {
    let named = kwargs.get::<Option<Value>>(name)?;
    kwargs.assert_all_used()?;
    Ok(position.or(named))
}

fn bounded(length: usize) -> Result<(), Error> {
    match length > LARGEST {
        true => Err(Error::new(ErrorKind::InvalidOperation, "the text would be larger than 1 MiB")),
        false => Ok(()),
    }
}

fn default(value: &Value, other: Option<Value>, kwargs: Kwargs) -> Result<Value, Error> {
    let other = argument(other, "value", &kwargs)?.unwrap_or_else(|| Value::from(""));
    Ok(if value.is_undefined() { other } else { value.clone() })
}

fn join(value: &Value, separator: Option<Value>, kwargs: Kwargs) -> Result<String, Error> {
    let separator = argument(separator, "sep", &kwargs)?.map(|text| text.to_string()).unwrap_or_default();
    let mut out = String::new();
    for (at, item) in value.try_iter()?.enumerate() {
        let item = item.to_string();
        bounded(out.len() + separator.len() + item.len())?;
        if at > 0 {
            out.push_str(&separator);
        }
        out.push_str(&item);
    }
    Ok(out)
}

fn replace(value: String, from: Option<String>, to: Option<String>, kwargs: Kwargs) -> Result<String, Error> {
    let from = from.or(kwargs.get("from")?).unwrap_or_default();
    let to = to.or(kwargs.get("to")?).unwrap_or_default();
    kwargs.assert_all_used()?;
    if from.is_empty() {
        return Ok(value);
    }
    bounded(value.len() + value.matches(&from).count().saturating_mul(to.len()))?;
    Ok(value.replace(&from, &to))
}
