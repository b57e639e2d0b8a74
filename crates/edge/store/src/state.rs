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

/// Where a store keeps its state, under its own directory so files can be moved between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateDirectory {
    /// The state of a project.
    Project,
    /// In a user's home, apart from the state of a project in the same directory; nobody else may read it.
    Home,
}

impl StateDirectory {
    const ALL: [StateDirectory; 2] = [StateDirectory::Project, StateDirectory::Home];

    /// The path of the state directory.
    pub const fn path(self) -> &'static str {
        match self {
            StateDirectory::Project => ".agpm",
            StateDirectory::Home => ".local/state/agpm",
        }
    }

    /// Whether a path from a project is a file that reports what agpm did there: the ledger, the list of directories, a
    /// transaction or the history.
    pub fn is_record(self, path: &str) -> bool {
        let records = ["transaction", "history", "folders.json", "ledger.json"];
        let name = self.within(path).and_then(|inner| inner.split('/').next());
        name.is_some_and(|name| records.contains(&name))
    }

    /// A file or directory in it.
    pub(crate) fn inner(self, name: &str) -> String {
        format!("{}/{name}", self.path())
    }

    /// The name of the ledger file. It goes back with them when a transaction is undone, and is nobody's work.
    pub(crate) const fn ledger(self) -> &'static str {
        match self {
            StateDirectory::Project => ".agpm/ledger.json",
            StateDirectory::Home => ".local/state/agpm/ledger.json",
        }
    }

    /// The file that lists the directories created by agpm. It is written by the transaction itself, like any other
    /// file.
    pub(crate) const fn directory_list(self) -> &'static str {
        match self {
            StateDirectory::Project => ".agpm/folders.json",
            StateDirectory::Home => ".local/state/agpm/folders.json",
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

/// Whether a path is the list of directories of any state.
pub(crate) fn is_directory_list_path(path: &str) -> bool {
    StateDirectory::ALL
        .iter()
        .any(|state| state.directory_list() == path)
}

/// Whether a lower-case path would collide with the state's own files.
pub(crate) fn is_own(path: &str) -> bool {
    let ours =
        |rest: &str| rest.is_empty() || OURS.contains(&rest.split('/').next().unwrap_or_default());
    StateDirectory::ALL
        .iter()
        .any(|state| state.within(path).is_some_and(ours))
}

/// Whether a directory, by its lower-case path without links, is a state or in one.
pub(crate) fn is_inside(directory: &str) -> bool {
    directory
        .split('/')
        .any(|part| part == StateDirectory::Project.path())
        || StateDirectory::Home.within(directory).is_some()
}

/// A path of the table.
pub(crate) fn relative(path: &'static str) -> RelativePath {
    RelativePath::new(path).expect("agpm names its files portably")
}
