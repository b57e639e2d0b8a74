//! Reads all sections of a manifest in the order of their dependencies.

use agpm_diag::{Diagnostic, codes};
use agpm_text::{Document, NodeRef, to_value};

use crate::base::read_extends;
use crate::check::{Check, ineffective_in_base, spot};
use crate::manifest::partial::beside_syntax_errors;
use crate::manifest::tables::{CONFIG_SECTIONS, MANIFEST_SECTIONS, PRIVATE_SECTIONS};
use crate::manifest::{
    Manifest, ManifestTexts, audit, budget, catalog, layers, lineage, packages, patches, private,
    sources, strategies, tools,
};
use crate::policy::Policy;
use crate::schema::UnknownKey;
use crate::tool::Tools;

/// Planned sections that nothing reads yet. Accepting them would promise an effect that they do not have.
const PLANNED_SECTIONS: [&str; 1] = ["workspace"];

impl Manifest {
    /// Parses a manifest; mistakes are in the diagnostics.
    pub fn read(texts: &ManifestTexts<'_>) -> (Manifest, Vec<Diagnostic>) {
        let mut check = Check::new(texts.completeness());
        let mut manifest = Manifest {
            tools: Tools::in_scope(texts.scope),
            ..Manifest::default()
        };
        for (document, schema) in [
            (texts.private, &PRIVATE_SECTIONS),
            (texts.config, &CONFIG_SECTIONS),
        ] {
            if let Some(root) = document.and_then(Document::root) {
                check.keys(root, schema);
            }
        }
        let config = texts.config.and_then(Document::root);
        if let Some(node) = config.and_then(|root| root.get("default-host")) {
            manifest.default_host = sources::read_default_host(&mut check, node);
        }
        if let Some(root) = texts.project.root() {
            check_sections(&mut check, root);
            manifest.tools = tools::read(&mut check, manifest.tools, root);
            if let Some(table) = root.get("budget") {
                manifest.budget = budget::read_budget(&mut check, &manifest.tools, table);
            }
            manifest.project = root
                .get("project")
                .filter(|node| check.map(*node, "`[project]`"))
                .map(to_value);
            let bases: Vec<_> = texts
                .bases
                .iter()
                .map(|base| base.document.root())
                .collect();
            manifest.allow_widening =
                tools::read_widening(&mut check, &manifest.tools, texts.manifest.root(), &bases);
            for key in ["allow-executables", "allow-sources", "audit"] {
                refuse_approvals_of_bases(&mut check, texts, key);
            }
            let own = texts.manifest.root();
            if let Some(allowed) = own.and_then(|own| own.get("allow-executables")) {
                manifest.allow_executables = sources::read_allowed(&mut check, allowed);
            }
            if let Some(allowed) = own.and_then(|own| own.get("allow-sources")) {
                manifest.allow_sources = sources::read_allowed_sources(&mut check, allowed);
            }
            // A base must not excuse what it brings.
            if let Some(section) = own.and_then(|own| own.get("audit")) {
                manifest.audit = audit::read(&mut check, section);
            }
            manifest.root_directives = root
                .get("lineage")
                .and_then(|section| lineage::read_root(&mut check, section));
            let users = texts
                .config
                .and_then(Document::root)
                .and_then(|root| root.get("strategies"));
            let sections = [root.get("strategies"), users]
                .into_iter()
                .flatten()
                .collect();
            (manifest.merge, manifest.strategies) =
                strategies::read(&mut check, root.get("merge"), sections, texts.of_user());
        }
        for text in texts.shared() {
            let (_, mistakes) = read_extends(text, &manifest.default_host);
            mistakes
                .into_iter()
                .for_each(|mistake| check.report(mistake));
        }
        // Policies are not merged: each of them applies, and none changes another.
        manifest.policy = read_policy(&mut check, texts.manifest);
        for base in texts.bases {
            manifest
                .base_policies
                .extend(read_policy(&mut check, base.document));
        }
        packages::read(&mut check, texts, &mut manifest);
        if let Some(layers) = texts.project.root().and_then(|root| root.get("layers")) {
            manifest.layers = layers::read(&mut check, layers, &manifest.sources, &manifest.tools);
        }
        private::read_layers(&mut check, texts, &mut manifest);
        private::refuse_shadows(&mut check, texts);
        manifest.catalog = catalog::read(&mut check, texts, &manifest.sources);
        manifest.patches =
            patches::read(&mut check, texts, &manifest.dependencies, &manifest.dropped);
        let found = check.into_diagnostics();
        let found = beside_syntax_errors(found, texts.documents(), texts.syntax_errors);
        (manifest, found)
    }
}

/// Reports a list of approvals in a base: what it approves would be the base's own content.
fn refuse_approvals_of_bases(check: &mut Check, texts: &ManifestTexts<'_>, key: &str) {
    let roots = texts.bases.iter().filter_map(|base| base.document.root());
    for node in roots.filter_map(|root| root.get(key)) {
        check.report(ineffective_in_base(node, key));
    }
}

/// The `[policy]` of one file.
fn read_policy(check: &mut Check, text: &Document) -> Option<Policy> {
    let table = text.root()?.get("policy")?;
    let (policy, mistakes) = Policy::of_table(table);
    mistakes
        .into_iter()
        .for_each(|mistake| check.report(mistake));
    Some(policy)
}

/// Reports unknown top-level keys.
fn check_sections(check: &mut Check, root: NodeRef<'_>) {
    for UnknownKey { key, help, edit } in MANIFEST_SECTIONS.unknown_keys(root) {
        let name = key.content();
        let planned = PLANNED_SECTIONS.contains(&name);
        let message = if planned {
            format!("`[{name}]` is not supported yet")
        } else {
            format!("{} has no key `{name}`", MANIFEST_SECTIONS.what)
        };
        let mut diagnostic =
            Diagnostic::new(&codes::MANIFEST_UNKNOWN_KEY, message).at_spot(spot(key));
        diagnostic.help = if planned {
            Some("remove the section".to_owned())
        } else {
            help
        };
        check.report(diagnostic.fixed_by(edit.filter(|_| !planned)));
    }
}
