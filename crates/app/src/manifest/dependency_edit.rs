//! Dependencies that join a manifest by `add dep`.

use agpm_diag::{Failure, unknown_name};
use agpm_model::{Manifest, ResourceName, ResourceType};
use agpm_text::{Document, Pointer};

use crate::manifest::{EditedManifest, set_entry};
use crate::manifest::{LoadedBase, base_with};
use crate::manifest::{NewDependency, TypedDependency};
use crate::manifest::{Replace, name_exists, usage};

/// The manifest to which a dependency is added.
pub struct DependencyEdit<'a> {
    /// The text of the manifest.
    pub document: &'a Document,
    /// The manifest as it is understood.
    pub manifest: &'a Manifest,
    /// The manifests that it extends.
    pub bases: &'a [LoadedBase],
    /// The type of the resource.
    pub kind: ResourceType,
}

impl DependencyEdit<'_> {
    /// The name that a dependency gets; fails if it is not free and must be.
    pub fn name(
        &self,
        typed: &TypedDependency,
        new: &NewDependency,
        replace: Replace,
    ) -> Result<ResourceName, Failure> {
        let section = Pointer::root().child(self.kind.plural());
        let is_taken = |name: &str| self.document.at(&section.child(name)).is_some();
        let name = new.name.clone();
        let name = name.unwrap_or_else(|| typed.name(self.kind, &is_taken));
        let good = ResourceName::new(&name)
            .map_err(|error| usage(error.to_string(), "give it a `--name`".to_owned()))?;
        if is_taken(&name) && replace == Replace::Refused {
            return Err(name_exists("manifest", self.kind.plural(), &name));
        }
        Ok(good)
    }

    /// The manifest with a dependency of that name.
    pub fn with(
        &self,
        name: &ResourceName,
        typed: &TypedDependency,
        new: &NewDependency,
    ) -> Result<EditedManifest, Failure> {
        let kind = self.kind;
        let section = kind.plural();
        let text = set_entry(
            self.document.text(),
            section,
            name.as_str(),
            typed.value(new),
        )?;
        let over = base_with(self.bases, kind, name.as_str())
            .map(|base| format!(" over the one of `{}`", base.address.name()));
        let done = format!("add {kind}/{name}{}", over.unwrap_or_default());
        Ok(EditedManifest {
            text,
            private: None,
            done,
        })
    }

    /// Refuses `SOURCE/PATH`, a local path that does not exist where `SOURCE:PATH` may.
    pub fn refuse_slash(
        &self,
        typed: &TypedDependency,
        exists: &dyn Fn(&str) -> bool,
    ) -> Result<(), Failure> {
        let Some((path, (source, rest))) = typed
            .local()
            .and_then(|path| Some((path, path.split_once('/')?)))
        else {
            return Ok(());
        };
        let mut sources = self.manifest.sources.iter();
        if !sources.any(|one| one.name.as_str() == source) || exists(path) {
            return Ok(());
        }
        let help = format!("did you mean `{source}:{rest}`?");
        Err(unknown_name("file", path, Some(help)))
    }
}
