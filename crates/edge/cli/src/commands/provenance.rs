//! Where values came from, for people.

use agpm_ops::{ExplainedShadow, Provenance};
use agpm_text::Value;

/// One block for each value, deletion and stretch of body.
pub(crate) fn text(provenance: &Provenance) -> String {
    let mut out = String::new();
    for leaf in &provenance.leaves {
        let pointer = leaf.pointer.to_string();
        let place = if pointer.is_empty() { "(whole document)" } else { &pointer };
        out.push_str(&format!("{place} = {}\n", inline(&leaf.value)));
        out.push_str(&format!("  from {} ({}:{}), {}\n", leaf.layer, leaf.file, leaf.line, leaf.operation));
        shadows(&leaf.shadows, &mut out);
    }
    for deletion in &provenance.deletions {
        out.push_str(&format!("{} is unset\n", deletion.pointer));
        shadows(&deletion.shadows, &mut out);
    }
    for part in &provenance.body {
        let (first, last) = part.lines;
        let (from, upto) = part.from;
        out.push_str(&format!("lines {first}-{last}\n  from {} ({}:{from}-{upto})\n", part.layer, part.file));
    }
    out
}

fn shadows(shadows: &[ExplainedShadow], out: &mut String) {
    for shadow in shadows {
        let verb = if shadow.duplicate { "also in" } else { "shadows" };
        let value = inline(&shadow.value);
        out.push_str(&format!("  {verb} {} ({}:{}): {value}\n", shadow.layer, shadow.file, shadow.line));
    }
}

fn inline(value: &Value) -> String {
    value.to_json().trim_end().to_owned()
}
