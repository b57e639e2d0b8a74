//! `[lineage]`: the settings of personas.

use agpm_text::NodeRef;

use crate::check::Check;
use crate::manifest::tables::LINEAGE;

/// The path of the document that active personas must inherit, from the manifest's directory.
pub(super) fn read_root(check: &mut Check, section: NodeRef<'_>) -> Option<String> {
    if !check.map(section, "`[lineage]`") {
        return None;
    }
    check.keys(section, &LINEAGE);
    let root = section.get("root")?;
    let path = check.string(root, "`root`")?;
    if path.trim().is_empty() {
        check.bad_value(
            root,
            "`root` does not name a document",
            "write the path of a persona document",
        );
        return None;
    }
    Some(path.to_owned())
}
