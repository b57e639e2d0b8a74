//! Files that templates read with the `content` filter. The caller reads them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use agpm_text::markdown_body;
use minijinja::Value as Item;
use minijinja::value::Object;
use minijinja::{Error, ErrorKind, State};

use crate::limits::{LONGEST_PATH, MOST_FILES, MOST_FILTERED};
use crate::names::TemplateNames;

/// The start of the reason why a file is not provided.
pub(crate) const CANNOT_READ: &str = "cannot read";
/// The name under which filters find their run; no template can contain it.
const RUN: &str = "\0run";
/// Represents content that is not provided yet, in discarded output.
const PENDING: char = '\0';

/// Files by path: their text, or the reason why it is missing.
#[derive(Clone, Debug, Default)]
pub struct TemplateFiles(Arc<BTreeMap<String, Result<Arc<str>, String>>>);

impl TemplateFiles {
    /// Adds a file that a render needed; only the body of Markdown is used.
    pub fn provide(&mut self, path: impl Into<String>, text: Result<String, String>) {
        let path = path.into();
        let text = text.map(|text| {
            Arc::from(if is_markdown(&path) {
                markdown_body(&text)
            } else {
                &text
            })
        });
        Arc::make_mut(&mut self.0).insert(path, text);
    }

    /// The longest text, in bytes.
    pub(crate) fn longest(&self) -> usize {
        self.0
            .values()
            .flatten()
            .map(|text| text.len())
            .max()
            .unwrap_or(0)
    }
}

fn is_markdown(path: &str) -> bool {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    ["md", "markdown"]
        .iter()
        .any(|markdown| ending.eq_ignore_ascii_case(markdown))
}

/// The inputs and the budget of one render.
#[derive(Debug, Default)]
pub(crate) struct RenderRun {
    files: TemplateFiles,
    used: Mutex<RenderUsage>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RenderUsage {
    /// Paths that were not provided, in the order of the template.
    pub(crate) needed: Vec<String>,
    /// Provided paths, in the order of the template.
    pub(crate) read: Vec<String>,
    /// Whether the template reads more files than allowed.
    pub(crate) too_many: bool,
    /// Bytes that filters processed.
    filtered: usize,
}

impl Object for RenderRun {}

impl RenderRun {
    pub(crate) fn new(files: &TemplateFiles) -> Arc<Self> {
        Arc::new(RenderRun {
            files: files.clone(),
            used: Mutex::default(),
        })
    }

    /// The resources used so far.
    pub(crate) fn used(&self) -> RenderUsage {
        self.used
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn content(&self, path: &str) -> Result<Item, Error> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if path.contains(PENDING) && !used.needed.is_empty() {
            return Ok(Item::from(PENDING));
        }
        if path.len() > LONGEST_PATH {
            return Err(refused("a string this long is not a path".to_owned()));
        }
        let (item, list) = match self.files.0.get(path) {
            Some(Ok(text)) => (Item::from(Arc::clone(text)), &mut used.read),
            Some(Err(reason)) => return Err(refused(format!("{CANNOT_READ} `{path}`: {reason}"))),
            None => (Item::from(PENDING), &mut used.needed),
        };
        if !list.iter().any(|existing| existing == path) {
            list.push(path.to_owned());
        }
        used.too_many = used.needed.len() + used.read.len() > MOST_FILES;
        if used.too_many {
            Err(refused(format!(
                "the template reads more than {MOST_FILES} files"
            )))
        } else {
            Ok(item)
        }
    }

    fn charge(&self, bytes: usize) -> Result<(), Error> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.filtered = used.filtered.saturating_add(bytes);
        if used.filtered > MOST_FILTERED {
            Err(Error::from(ErrorKind::OutOfFuel))
        } else {
            Ok(())
        }
    }
}

fn refused(detail: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, detail)
}

/// The root of the engine's name lookup.
#[derive(Debug)]
pub(crate) struct TemplateContext {
    pub(crate) names: TemplateNames,
    pub(crate) run: Arc<RenderRun>,
}

impl Object for TemplateContext {
    fn get_value(self: &Arc<Self>, key: &Item) -> Option<Item> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Item> {
        match key {
            RUN => Some(Item::from_dyn_object(Arc::clone(&self.run))),
            key => self.names.get(key),
        }
    }
}

/// The content of a file, for the filter `content`.
pub(crate) fn content(state: &State<'_, '_>, path: &str) -> Result<Item, Error> {
    with_run(state, |run| run.content(path))
}

/// Counts the bytes that a filter processes.
pub(crate) fn charge(state: &State<'_, '_>, bytes: usize) -> Result<(), Error> {
    with_run(state, |run| run.charge(bytes))
}

fn with_run<T>(
    state: &State<'_, '_>,
    act: impl FnOnce(&RenderRun) -> Result<T, Error>,
) -> Result<T, Error> {
    let run = state.lookup(RUN);
    let run = run
        .as_ref()
        .and_then(|run| run.downcast_object_ref::<RenderRun>());
    act(run.ok_or_else(|| refused("no run".to_owned()))?)
}
