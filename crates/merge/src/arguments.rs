//! The arguments of a merge: rules, names of layers, and the format of the result.

use std::str::FromStr;

use agpm_diag::{Diagnostic, Failure, FailureKind, codes, counted};
use agpm_model::{EmptyRule, LayerName, MergeOperation, PointerPattern, PointerRule};
use agpm_text::Format;

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    /// Plain JSON.
    Json,
    /// YAML.
    Yaml,
    /// TOML.
    Toml,
}

impl OutputFormat {
    pub(crate) fn format(self) -> Format {
        match self {
            OutputFormat::Json => Format::Json,
            OutputFormat::Yaml => Format::Yaml,
            OutputFormat::Toml => Format::Toml,
        }
    }
}

/// A rule as written on the command line: `/servers=by-key:id`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleArgument(pub PointerRule);

impl FromStr for RuleArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (pattern, operation) = text
            .rsplit_once('=')
            .ok_or("a rule is written like `/servers=by-key:id`")?;
        let pattern: PointerPattern = pattern.parse().map_err(|error| format!("{error}"))?;
        let operation: MergeOperation = operation.parse().map_err(|error| format!("{error}"))?;
        Ok(RuleArgument(PointerRule {
            pattern,
            operation: Some(operation),
            empty: EmptyRule::default(),
        }))
    }
}

/// A name for the layer of each file: the given names, or else the paths as displayed.
pub fn name_layers(paths: &[String], layer_names: &[String]) -> Result<Vec<LayerName>, Failure> {
    if paths.is_empty() {
        return Err(usage("no file to merge", "name the files, lowest first"));
    }
    if !layer_names.is_empty() && layer_names.len() != paths.len() {
        let message = format!(
            "{} for {}",
            counted(layer_names.len(), "layer name", "layer names"),
            counted(paths.len(), "file", "files")
        );
        return Err(usage(message, "give one name for each file, lowest first"));
    }
    let mut names: Vec<LayerName> = Vec::with_capacity(paths.len());
    for (index, path) in paths.iter().enumerate() {
        let name = layer_name(layer_names.get(index).unwrap_or(path))?;
        if !names.contains(&name) {
            names.push(name);
        } else if layer_names.is_empty() {
            // A file that is given twice is still two layers.
            names.push(layer_name(&format!("{name} ({})", index + 1))?);
        } else {
            let message = format!("two layers are called `{name}`");
            return Err(usage(message, "give one of them another name"));
        }
    }
    Ok(names)
}

fn layer_name(written: &str) -> Result<LayerName, Failure> {
    LayerName::new(written).map_err(|error| usage(error.to_string(), "choose another name"))
}

fn usage(message: impl Into<String>, help: &str) -> Failure {
    Failure::new(
        FailureKind::Usage,
        Diagnostic::new(&codes::USAGE, message).help(help),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(paths: &[&str], layer_names: &[&str]) -> Result<Vec<String>, Option<String>> {
        let owned = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let names = name_layers(&owned(paths), &owned(layer_names));
        let names = names.map(|names| names.iter().map(ToString::to_string).collect());
        names.map_err(|failure| {
            assert_eq!(failure.kind, FailureKind::Usage);
            failure.diagnostic.map(|found| found.message)
        })
    }

    #[test]
    fn layers_are_named_by_the_user_or_by_their_paths() {
        assert_eq!(named(&["a.json"], &["org"]), Ok(vec!["org".to_owned()]));
        let twice = named(&["a.json", "a.json"], &[]).expect("two layers");
        assert_eq!(twice, ["a.json", "a.json (2)"]);
    }

    #[test]
    fn names_fit_the_files_and_are_distinct() {
        for (paths, layer_names, message) in [
            (&[][..], &[][..], "no file to merge"),
            (&["a", "b"], &["org"], "1 layer name for 2 files"),
            (&["a", "b"], &["org", "org"], "two layers are called `org`"),
        ] {
            assert_eq!(named(paths, layer_names), Err(Some(message.to_owned())));
        }
    }

    #[test]
    fn a_rule_is_a_pattern_and_an_operation() {
        assert!("/servers=by-key:id".parse::<RuleArgument>().is_ok());
        for wrong in ["/servers", "servers=append", "/servers=glue"] {
            assert!(wrong.parse::<RuleArgument>().is_err(), "{wrong}");
        }
    }
}
