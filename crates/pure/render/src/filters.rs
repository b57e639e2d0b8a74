//! Filters as template authors know them from Tera: with named arguments, and also without.

use minijinja::value::Kwargs;
use minijinja::{Environment, Error, Value};

pub(crate) fn add(environment: &mut Environment<'_>) {
    environment.add_filter("default", default);
    environment.add_filter("join", join);
    environment.add_filter("replace", replace);
}

/// An argument by position, or else by name.
fn argument(position: Option<Value>, name: &str, kwargs: &Kwargs) -> Result<Option<Value>, Error> {
    let named = kwargs.get::<Option<Value>>(name)?;
    kwargs.assert_all_used()?;
    Ok(position.or(named))
}

fn default(value: &Value, other: Option<Value>, kwargs: Kwargs) -> Result<Value, Error> {
    let other = argument(other, "value", &kwargs)?.unwrap_or_else(|| Value::from(""));
    Ok(if value.is_undefined() { other } else { value.clone() })
}

fn join(value: &Value, separator: Option<Value>, kwargs: Kwargs) -> Result<String, Error> {
    let separator = argument(separator, "sep", &kwargs)?.map(|text| text.to_string()).unwrap_or_default();
    let items: Vec<String> = value.try_iter()?.map(|item| item.to_string()).collect();
    Ok(items.join(&separator))
}

fn replace(value: String, from: Option<String>, to: Option<String>, kwargs: Kwargs) -> Result<String, Error> {
    let from = from.or(kwargs.get("from")?).unwrap_or_default();
    let to = to.or(kwargs.get("to")?).unwrap_or_default();
    kwargs.assert_all_used()?;
    Ok(if from.is_empty() { value } else { value.replace(&from, &to) })
}
