//! Checks of a manifest and of what is rendered from it.

use std::collections::BTreeSet;

use agpm_compose::{OutputFile, RenderedResource};
use agpm_diag::{Diagnostic, Failure, FailureKind, Notes, Span, WarningPolicy, codes};
use agpm_model::{Dependency, ResourceExtent, ResourceOrigin, SKILL_FILE, joined_path};
use agpm_render::file_links;
use serde::Serialize;

/// A check that is made on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValidateCheck {
    /// Checks that every dependency resolves.
    Resolve,
    /// Checks that every source answers.
    Sources,
    /// Checks that every local file exists.
    Paths,
    /// Checks that every template renders.
    Render,
    /// The lockfile has what the manifest requires.
    Lock,
}

/// The checks to run.
#[derive(Clone, Debug)]
pub struct ValidateRequest {
    /// Besides the manifest itself.
    pub checks: Vec<ValidateCheck>,
    /// The treatment of warnings.
    pub warnings: WarningPolicy,
}

/// The checks; the findings are the diagnostics.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ValidateReport {
    /// The number of dependencies in the manifest.
    pub dependencies: usize,
    /// The number of sources.
    pub sources: usize,
    /// Paths outside of the project that the manifest reads, as they are written.
    pub reads: Vec<String>,
    /// The gravest failure of a check.
    #[serde(skip)]
    pub failure: Option<FailureKind>,
}

/// The files that a local dependency needs.
#[derive(Clone, Debug)]
pub struct LocalContent<'m> {
    dependency: &'m Dependency,
    /// From the manifest's directory.
    pub path: String,
    /// The required form.
    pub form: LocalForm,
}

/// The form of a local dependency on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalForm {
    /// A file.
    File,
    /// A directory.
    Directory,
}

impl<'m> LocalContent<'m> {
    /// `None` for a dependency of a source, or for a pattern, which may match nothing.
    pub fn of(dependency: &'m Dependency) -> Option<Self> {
        let unit = &dependency.unit;
        if unit.origin != ResourceOrigin::Local || unit.path.is_pattern() {
            return None;
        }
        let (path, form) = match unit.extent {
            ResourceExtent::File => (unit.path.to_string(), LocalForm::File),
            ResourceExtent::Directory => (unit.path.join(SKILL_FILE), LocalForm::File),
            ResourceExtent::Plugin => (unit.path.to_string(), LocalForm::Directory),
        };
        Some(LocalContent {
            dependency,
            path,
            form,
        })
    }

    /// The finding if it does not exist.
    pub fn missing(&self) -> Diagnostic {
        let unit = &self.dependency.unit;
        let noun = match unit.extent {
            ResourceExtent::File => "file",
            ResourceExtent::Directory => "skill",
            ResourceExtent::Plugin => "plugin",
        };
        let message = format!("no {noun} `{}`", unit.path);
        Diagnostic::new(&codes::PACKAGE_NOT_FOUND, message)
            .at_spot(self.dependency.spot)
            .help("paths start at the manifest's directory")
    }
}

/// Reports links of files that templates filled where they lead to nothing: neither to a rendered file nor to one that
/// `exists` in the project.
pub fn report_broken_links(
    resources: &[RenderedResource],
    exists: impl Fn(&str) -> bool,
    notes: &mut Notes,
) {
    let files = || resources.iter().flat_map(|one| &one.output.files);
    let planned: BTreeSet<&str> = files().map(|file| file.path.as_str()).collect();
    let is_target = |path: &String| planned.contains(path.as_str()) || exists(path);
    for file in files().filter(|file| file.is_filled()) {
        let directory = file.path.as_str().rsplit_once('/');
        let directory = directory.map_or("", |(directory, _)| directory);
        let leads_somewhere = |path: &str| {
            let targets = [joined_path("", path), joined_path(directory, path)];
            targets.iter().flatten().any(is_target)
        };
        report_links(file, leads_somewhere, notes);
    }
}

fn report_links(file: &OutputFile, leads_somewhere: impl Fn(&str) -> bool, notes: &mut Notes) {
    let Ok(text) = std::str::from_utf8(&file.bytes) else {
        return;
    };
    let mut links = file_links(text);
    links.retain(|link| !leads_somewhere(&link.path));
    if links.is_empty() {
        return;
    }
    let source = notes.sources.add(file.path.to_string(), text.to_owned());
    for link in links {
        let message = format!(
            "`{}` links to `{}`, which does not exist",
            file.path, link.path
        );
        let span = Span::new(link.range.start, link.range.end);
        let help = "correct the link or the variable, or add the file; links start at the project or at the file";
        notes.diagnostics.push(
            Diagnostic::new(&codes::RESOURCE_REFERENCE, message)
                .at(source, span, "")
                .help(help),
        );
    }
}

/// A lockfile that does not fit the manifest, with the way out for those who only check.
pub fn stale_lockfile(mut failure: Failure) -> Failure {
    if let Some(found) = &mut failure.diagnostic {
        found.help = Some("run `agpm install`, and commit `agpm.lock`".to_owned());
    }
    failure
}
