//! Templates of resources: their names, and the files that they read.

use std::collections::BTreeMap;

use agpm_diag::{Notes, codes};
use agpm_model::{
    Checksum, InstallMode, InstallScope, Manifest, PathError, RelativePath, ResourceOrigin,
    Revision, Variant,
};
use agpm_render::{RenderedTemplate, TemplateFiles, TemplateNames, TemplateRenderer};
use agpm_resolve::{ResolvedEntry, template_error};
use agpm_text::Value;

/// Files of the project that templates may read.
const READABLE: [&str; 7] = ["md", "markdown", "txt", "json", "toml", "yaml", "yml"];
/// The size limit of such a file.
pub const LARGEST_READ: u64 = 1 << 20;
/// Locations of the project that templates must not read.
const HIDDEN: [&str; 4] = [".agpm", ".git", "agpm.private.toml", "agpm.private.lock"];
/// The same next to a user's own manifest, where URLs may contain secrets.
const HIDDEN_OF_USER: [&str; 2] = ["agpm.toml", "config.toml"];

/// The reason why a file of the project cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectFileError {
    /// Nothing is at the path.
    NotFound,
    /// The file has more than [`LARGEST_READ`] bytes.
    TooLarge,
    /// The path is a directory, device or other special file.
    NotFile,
    /// The path leads out of the project, or cannot be opened.
    Unreadable,
}

/// The files that templates may read.
pub trait ProjectFiles: Sync {
    /// The bytes of a file.
    fn read(&self, path: &RelativePath) -> Result<Vec<u8>, ProjectFileError>;
    /// The owner of the files.
    fn scope(&self) -> InstallScope;
}

/// Renders the templates of one run.
pub(crate) struct TemplateFiller<'a> {
    project: &'a dyn ProjectFiles,
    renderer: TemplateRenderer,
    bases: BTreeMap<Variant, TemplateNames>,
}

/// Files of the project that templates of one entry read.
#[derive(Default)]
pub(crate) struct ProjectReads {
    files: TemplateFiles,
    checksums: BTreeMap<String, Checksum>,
    /// The used files, with their checksums.
    pub used: BTreeMap<String, Checksum>,
    /// Whether a path leads out of the project.
    escapes: bool,
}

/// A template and its name in messages.
pub(crate) struct NamedTemplate<'t> {
    pub(crate) file: &'t str,
    pub(crate) text: &'t str,
}

/// The inputs and findings of rendering an entry.
#[derive(Default)]
pub(crate) struct CompositionLog {
    pub(crate) reads: ProjectReads,
    pub(crate) notes: Notes,
}

impl<'a> TemplateFiller<'a> {
    pub(crate) fn new(manifest: &Manifest, project: &'a dyn ProjectFiles) -> Self {
        TemplateFiller {
            project,
            renderer: TemplateRenderer::new(),
            bases: project_names(manifest),
        }
    }

    /// The names available to a template of an entry, besides its dependencies.
    pub(crate) fn names(&self, resolved: &ResolvedEntry, variant: Variant) -> TemplateNames {
        self.bases[&variant].with(
            &["agpm", "resource"],
            &Value::map(resource_fields(resolved)),
        )
    }

    /// Renders a template; mistakes go to the notes.
    pub(crate) fn fill(
        &self,
        template: &NamedTemplate<'_>,
        names: &TemplateNames,
        log: &mut CompositionLog,
    ) -> Option<String> {
        let CompositionLog { reads, notes } = log;
        let NamedTemplate { file, text } = *template;
        loop {
            match self.renderer.render_markdown(text, names, &reads.files) {
                Ok(RenderedTemplate::Text { text, read }) => {
                    let with_checksum =
                        |path: String| Some((path.clone(), *reads.checksums.get(&path)?));
                    let used: Vec<(String, Checksum)> =
                        read.into_iter().filter_map(with_checksum).collect();
                    reads.used.extend(used);
                    return Some(text);
                }
                Ok(RenderedTemplate::Needs(paths)) => {
                    paths.into_iter().for_each(|path| self.read(path, reads))
                }
                Err(error) => {
                    let source = notes.sources.add(file.to_owned(), text.to_owned());
                    let mut found = template_error(source, 0, error);
                    if reads.escapes {
                        found.code = &codes::RESOURCE_ESCAPE;
                    }
                    notes.diagnostics.push(found);
                    return None;
                }
            }
        }
    }

    /// Reads a file of the project for templates, if it is allowed. With a user manifest only its directory is
    /// readable: resources must not read the rest of home.
    fn read(&self, path: String, reads: &mut ProjectReads) {
        reads.escapes |= matches!(
            RelativePath::new(&path),
            Err(PathError::Escapes | PathError::Absolute)
        );
        let text = readable(&path, self.project.scope()).and_then(|at| {
            let bytes = self.project.read(&at).map_err(|error| match error {
                ProjectFileError::TooLarge => "it has more than 1 MiB".to_owned(),
                ProjectFileError::NotFound => "no such file in the project".to_owned(),
                ProjectFileError::NotFile => "it is not a file".to_owned(),
                ProjectFileError::Unreadable => {
                    reads.escapes = true;
                    "it cannot be read, or is outside the project".to_owned()
                }
            })?;
            reads.checksums.insert(path.clone(), Checksum::of(&bytes));
            String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
        });
        reads.files.provide(path, text);
    }
}

fn readable(path: &str, scope: InstallScope) -> Result<RelativePath, String> {
    let at = RelativePath::new(path).map_err(|error| error.to_string())?;
    let extension = at
        .file_name()
        .rsplit_once('.')
        .map(|(_, extension)| extension.to_lowercase());
    if !extension.is_some_and(|extension| READABLE.contains(&extension.as_str())) {
        return Err(format!(
            "only files that end in {} can be read",
            READABLE.join(", ")
        ));
    }
    let first = at
        .as_str()
        .split('/')
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let hidden_of_user = scope == InstallScope::User && HIDDEN_OF_USER.contains(&first.as_str());
    if hidden_of_user || HIDDEN.contains(&first.as_str()) {
        return Err("templates cannot read it".to_owned());
    }
    Ok(at)
}

/// The project's template variables, by variant.
pub fn project_names(manifest: &Manifest) -> BTreeMap<Variant, TemplateNames> {
    let nothing = Value::Map(Vec::new());
    let project = manifest.project.as_ref().unwrap_or(&nothing);
    let names = |variant| {
        let mut names = TemplateNames::default();
        for (name, value) in manifest.variants.names(variant) {
            names = names.with(&[name], value);
        }
        names.with(
            &["agpm", "project"],
            &manifest.variants.project(variant, project),
        )
    };
    manifest
        .variants
        .all()
        .map(|variant| (variant, names(variant)))
        .collect()
}

/// The template variables of a resource.
pub(crate) fn resource_fields(resolved: &ResolvedEntry) -> Vec<(&'static str, Value)> {
    let entry = &resolved.entry;
    let text = |text: Option<&str>| Value::from(text.unwrap_or_default());
    let source = match &entry.unit.origin {
        ResourceOrigin::Source(name) => Some(name.as_str()),
        ResourceOrigin::Local | ResourceOrigin::Manifest => None,
    };
    let written = entry
        .target
        .as_ref()
        .filter(|_| entry.install == InstallMode::Write);
    vec![
        ("type", Value::from(entry.kind.singular())),
        ("name", entry.name.as_str().into()),
        ("install_path", text(written.map(RelativePath::as_str))),
        ("source", text(source)),
        ("version", resolved.version.label.as_str().into()),
        (
            "resolved_commit",
            text(resolved.version.commit.as_ref().map(Revision::as_str)),
        ),
        ("path", entry.unit.path.as_str().into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_read_strings_of_the_project_only() {
        for (path, scope) in [
            ("agpm.toml", InstallScope::User),
            ("config.toml", InstallScope::User),
        ] {
            assert!(readable(path, scope).is_err(), "{path}");
        }
        for path in ["docs/x.md", "a.TXT", "data/x.yaml", "config.toml"] {
            assert!(readable(path, InstallScope::Project).is_ok(), "{path}");
        }
        for path in [
            "../x.md",
            "/etc/x.md",
            "x.env",
            ".env",
            "key.pem",
            ".git/x.md",
            ".agpm/ledger.json",
            "agpm.private.toml",
            "",
        ] {
            assert!(readable(path, InstallScope::Project).is_err(), "{path}");
        }
    }
}
