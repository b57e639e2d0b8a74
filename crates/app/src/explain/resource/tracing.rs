//! From values in an installed file to the lines of their sources.

use std::collections::{BTreeMap, BTreeSet};

use agpm_merge::{ExplainedLeaf, Provenance};
use agpm_model::ResourceType;
use agpm_text::Pointer;

/// Every source takes a look into its repository: of a file with more resources, the rest is named without a line of its
/// source.
const MOST_TRACED: usize = 32;

/// Gives values that resources wrote the file and line of their source; what a conversion added stays where it is.
pub fn trace_to_sources(
    provenance: &mut Provenance,
    mut explain: impl FnMut(ResourceType, &str) -> Option<Provenance>,
) {
    let leaves = provenance.leaves.iter();
    let owners: BTreeSet<String> = leaves.map(|leaf| leaf.layer.clone()).collect();
    for owner in owners.into_iter().take(MOST_TRACED) {
        let resource = owner.split_once('/');
        let resource = resource.and_then(|(word, name)| explain(ResourceType::named(word)?, name));
        let Some(source) = resource else {
            continue;
        };
        let stated = source.leaves.iter();
        let by_place: BTreeMap<&Pointer, &ExplainedLeaf> =
            stated.map(|leaf| (&leaf.pointer, leaf)).collect();
        let leaves = provenance.leaves.iter_mut();
        for leaf in leaves.filter(|leaf| leaf.layer == owner) {
            let twin = by_place.get(&leaf.pointer);
            if let Some(twin) = twin.filter(|twin| twin.value == leaf.value) {
                leaf.file.clone_from(&twin.file);
                leaf.line = twin.line;
                leaf.operation = twin.operation;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use agpm_diag::SourceMap;
    use agpm_merge::{Contribution, MergePolicy, fold};
    use agpm_model::{LayerName, Strategy};
    use agpm_text::{Format, Limits, parse};

    use super::*;

    fn provenance(layer: &str, file: &str, text: &str) -> Provenance {
        let mut sources = SourceMap::default();
        let source = sources.add(file, text);
        let document = parse(source, text, Format::Json, Limits::default()).document;
        let contribution = Contribution {
            layer: LayerName::new(layer).expect("a good name"),
            document: Arc::new(document),
        };
        let policy = MergePolicy::merge(Strategy::default());
        let folded = fold(vec![contribution], &policy, None);
        let mut provenance = Provenance::default();
        provenance.add_values(&folded, &Pointer::root(), &sources);
        provenance
    }

    #[test]
    fn a_value_gets_the_line_of_its_source_if_both_are_equal() {
        let installed = r#"{"same": 1, "converted": 2}"#;
        let mut all = provenance("mcp-servers/db", "settings.json", installed);
        trace_to_sources(&mut all, |kind, name| {
            assert_eq!((kind, name), (ResourceType::McpServers, "db"));
            let source = "{\n\"same\": 1,\n\"converted\": 3}";
            Some(provenance("shared", "mcp/db.json@v1.0.0", source))
        });
        let pointers: Vec<String> = all
            .leaves
            .iter()
            .map(|leaf| format!("{} {}:{}", leaf.pointer, leaf.file, leaf.line))
            .collect();
        assert_eq!(
            pointers,
            ["/same mcp/db.json@v1.0.0:2", "/converted settings.json:1"]
        );
    }

    #[test]
    fn values_of_the_user_have_no_source() {
        let mut all = provenance("yours", "settings.json", r#"{"a": 1}"#);
        let before = format!("{all:?}");
        trace_to_sources(&mut all, |_, _| None);
        assert_eq!(format!("{all:?}"), before);
    }
}
