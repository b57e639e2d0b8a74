//! Directories of Markdown files: the bottles and agents of home, and the agents of the working directory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agpm_diag::{Diagnostic, SourceId, codes};
use agpm_store as store;
use agpm_text::{Document, Format, Limits, NodeKind, decode, parse};
use store::{StoreError, StoreProblem};

use crate::kind::UnitKind;
use crate::loader::{LoadedUnits, state};
use crate::name::BottleName;
use crate::unit::{BottleUnit, PromptSource, UnitState, start_of};

const BOTTLE_DIRECTORY: &str = ".bot-bottle";
const LEGACY: &str = "bot-bottle.json";
const ENDING: &str = ".md";

/// Reads all files, sorted by name.
pub(crate) fn load(home: &Path, cwd: &Path) -> LoadedUnits {
    let mut reader = DirectoryLoader {
        cwd,
        loaded: LoadedUnits::default(),
    };
    let (own, here) = (home.join(BOTTLE_DIRECTORY), cwd.join(BOTTLE_DIRECTORY));
    let is_home = is_same(home, cwd) || is_same(&own, &here);
    reader.refuse_legacy(&[home, &own, cwd, &here]);
    if !is_home {
        reader.report_ignored(&here.join(UnitKind::Bottle.plural()));
    }
    let bottles = reader.files(home, UnitKind::Bottle, SymlinkPolicy::Followed);
    let mut agents = reader.files(home, UnitKind::Agent, SymlinkPolicy::Followed);
    if !is_home {
        agents.extend(reader.files(cwd, UnitKind::Agent, SymlinkPolicy::Confined));
    }
    bottles
        .into_iter()
        .for_each(|(name, file)| reader.unit(UnitKind::Bottle, &name, &file));
    agents
        .into_iter()
        .for_each(|(name, file)| reader.unit(UnitKind::Agent, &name, &file));
    reader.loaded
}

/// Where symlinks in a directory may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SymlinkPolicy {
    /// Anywhere: users keep their own files elsewhere and link to them.
    Followed,
    /// Only inside: a cloned project must not turn other files into a prompt.
    Confined,
}

/// A file, with the directory that it was found in.
struct LocatedFile<'p> {
    directory: &'p Path,
    path: String,
    links: SymlinkPolicy,
}

impl LocatedFile<'_> {
    fn full(&self) -> PathBuf {
        self.directory.join(&self.path)
    }

    fn read(&self) -> Result<Vec<u8>, StoreError> {
        let limit = Limits::default().bytes as u64;
        let read = match self.links {
            SymlinkPolicy::Followed => store::read_with_mode(&self.full(), limit),
            SymlinkPolicy::Confined => store::read_below(self.directory, &self.path, limit),
        };
        read.map(|(bytes, _)| bytes)
    }
}

fn is_same(first: &Path, other: &Path) -> bool {
    store::real_path(first) == store::real_path(other)
}

struct DirectoryLoader<'p> {
    cwd: &'p Path,
    loaded: LoadedUnits,
}

impl DirectoryLoader<'_> {
    fn refuse_legacy(&mut self, directories: &[&Path]) {
        // The working directory may be in home.
        let mut checked = BTreeSet::new();
        let new = directories
            .iter()
            .filter(|directory| checked.insert(store::real_path(directory)));
        let paths = new.map(|directory| directory.join(LEGACY));
        for path in paths.filter(|path| !matches!(store::reach(path), Ok(None))) {
            let file = self.display(&path);
            let message = format!("`{LEGACY}` is the old format, which is no longer read");
            let help = "convert each bottle and agent to a Markdown file and remove it, or rename it and pass it with `--json-file`";
            let diagnostic = Diagnostic::new(&codes::BOTTLE_LEGACY_FILE, message).in_file(file);
            self.loaded.diagnostics.push(diagnostic.help(help));
        }
    }

    fn report_ignored(&mut self, directory: &Path) {
        let entries = store::entries_below(directory, 0).unwrap_or_default();
        if !entries.iter().any(|found| stem(&found.path).is_some()) {
            return;
        }
        let file = self.display(directory);
        let message = format!("agpm ignores the bottles in `{file}`");
        let help = "a project cannot define its own sandbox: move them to `~/.bot-bottle/bottles` if you trust them";
        let diagnostic = Diagnostic::new(&codes::BOTTLE_IGNORED_FOLDER, message).in_file(file);
        self.loaded.diagnostics.push(diagnostic.help(help));
    }

    /// Returns the Markdown files of a directory by their stems.
    fn files<'p>(
        &mut self,
        directory: &'p Path,
        kind: UnitKind,
        links: SymlinkPolicy,
    ) -> BTreeMap<String, LocatedFile<'p>> {
        let below = format!("{BOTTLE_DIRECTORY}/{}", kind.plural());
        let entries = store::entries_below(&directory.join(&below), 0).unwrap_or_else(|error| {
            let found = match error.problem {
                StoreProblem::NotFile => self.no_directory(&error.path),
                _ => self.unreadable(error),
            };
            self.loaded.diagnostics.push(found);
            Vec::new()
        });
        let found = |name: &str| LocatedFile {
            directory,
            path: format!("{below}/{name}"),
            links,
        };
        entries
            .iter()
            .filter_map(|entry| Some((stem(&entry.path)?.to_owned(), found(&entry.path))))
            .collect()
    }

    fn unit(&mut self, kind: UnitKind, name: &str, found: &LocatedFile<'_>) {
        let file = self.display(&found.full());
        let name = match BottleName::new(kind, name) {
            Ok(name) => name,
            Err(diagnostic) => return self.loaded.diagnostics.push(diagnostic.in_file(file)),
        };
        let unit = match found.read() {
            Ok(bytes) => self.read(kind, name, file, bytes),
            Err(error) => {
                let found = self.unreadable(error);
                self.loaded.diagnostics.push(found);
                let source = self.loaded.sources.add(file.as_str(), "");
                BottleUnit {
                    spot: None,
                    ..broken(kind, name, file, source)
                }
            }
        };
        self.loaded.units.push(unit);
    }

    fn read(
        &mut self,
        kind: UnitKind,
        name: BottleName,
        file: String,
        bytes: Vec<u8>,
    ) -> BottleUnit {
        let source = self
            .loaded
            .sources
            .add(file.as_str(), String::from_utf8_lossy(&bytes).into_owned());
        let text = match decode(source, bytes) {
            Ok(text) => text,
            Err(diagnostic) => {
                self.loaded.diagnostics.push(diagnostic);
                return broken(kind, name, file, source);
            }
        };
        let mut parsed = parse(source, text, Format::Markdown, Limits::default());
        // A value that is not an object is reported as it is for JSON.
        if parsed
            .document
            .root()
            .is_some_and(|root| root.kind() != NodeKind::Map)
        {
            parsed
                .diagnostics
                .retain(|found| *found.code != codes::MARKDOWN_FENCE);
        }
        let mut state = state(&parsed.diagnostics);
        if state == UnitState::Whole && !has_front_matter(&parsed.document) {
            parsed.diagnostics.push(no_front_matter(&file, source));
            state = UnitState::Broken;
        }
        self.loaded.diagnostics.extend(parsed.diagnostics);
        let body = parsed.document.text()[parsed.document.body().range()].to_owned();
        let document = Arc::new(parsed.document);
        BottleUnit {
            kind,
            name,
            file,
            document,
            prompt: PromptSource::Body(body),
            state,
            spot: Some(start_of(source)),
        }
    }

    fn no_directory(&self, path: &Path) -> Diagnostic {
        let file = self.display(path);
        let message = format!("`{file}` is not a directory");
        Diagnostic::new(&codes::IO_UNREADABLE, message)
            .in_file(file)
            .help("turn it into a directory, or remove it")
    }

    fn unreadable(&self, error: StoreError) -> Diagnostic {
        let file = self.display(&error.path);
        let (code, help) = match error.problem {
            StoreProblem::IsDirectory => (
                &codes::IO_UNREADABLE,
                "only files may have names that end in `.md`: rename it",
            ),
            StoreProblem::TooLarge(_) => (&codes::TEXT_TOO_LARGE, "split the file"),
            StoreProblem::Escapes => (
                &codes::RESOURCE_ESCAPE,
                "agpm does not follow symlinks that lead out of a project",
            ),
            _ => (
                &codes::IO_UNREADABLE,
                "check permissions, symlinks and the disk",
            ),
        };
        Diagnostic::new(code, error.seen_from(self.cwd).to_string())
            .in_file(file)
            .help(help)
    }

    /// Returns a path as users see it: relative to the working directory if it is inside, with `/`.
    fn display(&self, path: &Path) -> String {
        path.strip_prefix(self.cwd)
            .unwrap_or(path)
            .to_string_lossy()
            .replace('\\', "/")
    }
}

/// Hidden files and files with another extension are ignored.
fn stem(name: &str) -> Option<&str> {
    name.strip_suffix(ENDING).filter(|_| !name.starts_with('.'))
}

/// Without a fence in the first line, the whole file is the body.
fn has_front_matter(document: &Document) -> bool {
    let text: &str = document.text();
    document.body().start as usize > text.len() - text.trim_start_matches('\u{feff}').len()
}

fn no_front_matter(file: &str, source: SourceId) -> Diagnostic {
    let name = file.rsplit('/').next().unwrap_or_default();
    let message = format!("`{name}` has no front matter: its first line must be `---`");
    let help =
        "start the file with a line `---`, then `key: value` lines, then a second line `---`";
    Diagnostic::new(&codes::BOTTLE_VALUE, message)
        .at_spot(start_of(source))
        .help(help)
}

/// A unit that exists and cannot be read.
fn broken(kind: UnitKind, name: BottleName, file: String, source: SourceId) -> BottleUnit {
    let document: Document = parse(source, "", Format::Markdown, Limits::default()).document;
    let (prompt, spot) = (PromptSource::Body(String::new()), Some(start_of(source)));
    BottleUnit {
        kind,
        name,
        file,
        document: Arc::new(document),
        prompt,
        state: UnitState::Broken,
        spot,
    }
}
