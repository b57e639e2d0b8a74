//! Sets of template variables: the project's, and those of dependencies with `template_vars`.

use agpm_text::Value;

/// A set of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Variant(usize);

impl Variant {
    /// The project's variables.
    pub const PLAIN: Variant = Variant(0);
}

/// All sets of the manifest.
#[derive(Clone, Debug, Default)]
pub struct Variants(Vec<Value>);

impl Variants {
    /// The variant of these variables; equal ones share a variant.
    pub(crate) fn of(&mut self, variables: Value) -> Variant {
        if matches!(&variables, Value::Map(entries) if entries.is_empty()) {
            return Variant::PLAIN;
        }
        let found = self.0.iter().position(|existing| *existing == variables);
        Variant(
            1 + found.unwrap_or_else(|| {
                self.0.push(variables);
                self.0.len() - 1
            }),
        )
    }

    /// All variants, the plain one first.
    pub fn all(&self) -> impl Iterator<Item = Variant> + use<> {
        (0..=self.0.len()).map(Variant)
    }

    /// The project's variables in a variant: its `project` is merged over them.
    pub fn project(&self, variant: Variant, project: &Value) -> Value {
        let mut merged = project.clone();
        if let Some(project_variables) = self
            .variables(variant)
            .and_then(|variables| variables.get("project"))
        {
            merge(&mut merged, project_variables);
        }
        merged
    }

    /// Variables with names other than `project`.
    pub fn names(&self, variant: Variant) -> impl Iterator<Item = (&str, &Value)> {
        let entries = match self.variables(variant) {
            Some(Value::Map(entries)) => entries.as_slice(),
            _ => &[],
        };
        entries
            .iter()
            .filter(|(key, _)| key != "project")
            .map(|(key, value)| (key.as_str(), value))
    }

    fn variables(&self, Variant(number): Variant) -> Option<&Value> {
        self.0.get(number.checked_sub(1)?)
    }
}

/// Merges tables key by key; everything else is replaced.
fn merge(below: &mut Value, above: &Value) {
    match (below, above) {
        (Value::Map(entries), Value::Map(over)) => {
            for (key, value) in over {
                match entries.iter_mut().find(|(name, _)| name == key) {
                    Some((_, existing)) => merge(existing, value),
                    None => entries.push((key.clone(), value.clone())),
                }
            }
        }
        (below, above) => *below = above.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_merge_and_the_rest_replaces() {
        let mut variants = Variants::default();
        let project = Value::map([
            ("language", Value::from("rust")),
            (
                "paths",
                Value::map([
                    ("docs", Value::from("docs")),
                    ("tests", Value::list(["a", "b"])),
                ]),
            ),
        ]);
        let project_variables =
            Value::map([("paths", Value::map([("tests", Value::list(["c"]))]))]);
        let variant = variants.of(Value::map([
            ("project", project_variables.clone()),
            ("mood", Value::from("calm")),
        ]));
        assert_eq!(
            variants.of(Value::map([
                ("project", project_variables),
                ("mood", Value::from("calm"))
            ])),
            variant
        );
        assert_eq!(variants.of(Value::Map(Vec::new())), Variant::PLAIN);
        let merged = variants.project(variant, &project);
        assert_eq!(merged.get("language"), Some(&Value::from("rust")));
        let paths = Value::map([("docs", Value::from("docs")), ("tests", Value::list(["c"]))]);
        assert_eq!(merged.get("paths"), Some(&paths));
        assert_eq!(variants.project(Variant::PLAIN, &project), project);
        assert_eq!(
            variants.names(variant).collect::<Vec<_>>(),
            [("mood", &Value::from("calm"))]
        );
    }
}
