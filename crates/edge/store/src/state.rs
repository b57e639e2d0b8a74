use agpm_model::RelativePath;

pub(crate) const TRANSACTION: &str = "transaction";

/// Names in the state that a transaction itself lives from.
const OURS: [&str; 5] = [
    "lock",
    "transaction",
    "history",
    "discarded",
    "folders.json",
];

/// Where a store keeps its state, below its own folder so that files can be moved between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateFolder {
    /// In a project.
    Project,
    /// In a user's home, apart from that of a project that stands there; nobody else may look into it.
    Home,
}

impl StateFolder {
    const ALL: [StateFolder; 2] = [StateFolder::Project, StateFolder::Home];

    /// Its path.
    pub const fn path(self) -> &'static str {
        match self {
            StateFolder::Project => ".agpm",
            StateFolder::Home => ".local/state/agpm",
        }
    }

    /// Whether a path from a project is a file that tells what agpm did there: the ledger, the list of folders, a
    /// transaction or the history.
    pub fn is_record(self, path: &str) -> bool {
        let records = ["transaction", "history", "folders.json", "ledger.json"];
        let name = self.within(path).and_then(|inner| inner.split('/').next());
        name.is_some_and(|name| records.contains(&name))
    }

    /// A file or folder in it.
    pub(crate) fn inner(self, name: &str) -> String {
        format!("{}/{name}", self.path())
    }

    /// What the callers know of the files. It goes back with them when a transaction is undone, and is nobody's work.
    pub(crate) const fn ledger(self) -> &'static str {
        match self {
            StateFolder::Project => ".agpm/ledger.json",
            StateFolder::Home => ".local/state/agpm/ledger.json",
        }
    }

    /// Where the folders that we made are listed. It is written by the transaction itself, like any other file.
    pub(crate) const fn folders(self) -> &'static str {
        match self {
            StateFolder::Project => ".agpm/folders.json",
            StateFolder::Home => ".local/state/agpm/folders.json",
        }
    }

    /// The name in the state that a path leads to, if it leads there; nothing of it for the state itself.
    fn within(self, path: &str) -> Option<&str> {
        let rest = path.strip_prefix(self.path())?;
        if rest.is_empty() {
            Some("")
        } else {
            rest.strip_prefix('/')
        }
    }
}

/// Whether a path is the list of folders of any state.
pub(crate) fn is_folders(path: &str) -> bool {
    StateFolder::ALL.iter().any(|state| state.folders() == path)
}

/// Whether a lower-case path is in the way of a state's own files.
pub(crate) fn is_own(path: &str) -> bool {
    let ours =
        |rest: &str| rest.is_empty() || OURS.contains(&rest.split('/').next().unwrap_or_default());
    StateFolder::ALL
        .iter()
        .any(|state| state.within(path).is_some_and(ours))
}

/// Whether a folder, by its lower-case path without links, is a state or in one.
pub(crate) fn is_inside(folder: &str) -> bool {
    folder
        .split('/')
        .any(|part| part == StateFolder::Project.path())
        || StateFolder::Home.within(folder).is_some()
}

/// A path of the table.
pub(crate) fn relative(path: &'static str) -> RelativePath {
    RelativePath::new(path).expect("agpm names its files portably")
}
