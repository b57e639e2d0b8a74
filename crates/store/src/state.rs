use agpm_model::RelativePath;

pub(crate) const TRANSACTION: &str = "transaction";
/// The record of files as they were when they were last read.
pub(crate) const SEEN: &str = "seen";
/// The directory of kept bytes.
pub(crate) const BASES: &str = "bases";

/// Names in the state that transactions use.
const OURS: [&str; 6] = [
    "lock",
    "transaction",
    "history",
    "discarded",
    "folders.json",
    SEEN,
];

/// The directory of the state. It is in the directory of the store, so files can be moved between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateDirectory {
    /// The state of a project.
    Project,
    /// In a user's home, separate from the state of a project in the same directory, and private.
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

    /// Returns whether a path is a record of agpm: the ledger, the list of directories, a transaction or the history.
    pub fn is_record(self, path: &str) -> bool {
        let records = [
            "transaction",
            "history",
            "folders.json",
            "ledger.json",
            SEEN,
            BASES,
        ];
        let name = self.within(path).and_then(|inner| inner.split('/').next());
        name.is_some_and(|name| records.contains(&name))
    }

    /// Returns whether a path is a file of kept bytes.
    pub(crate) fn is_base(self, path: &str) -> bool {
        let name = self.within(path).and_then(|inner| inner.split_once('/'));
        name.is_some_and(|(directory, _)| directory == BASES)
    }

    /// Returns the path of a file or directory in the state.
    pub(crate) fn inner(self, name: &str) -> String {
        format!("{}/{name}", self.path())
    }

    /// Returns the path of the ledger. An undo restores it with the other files.
    pub(crate) const fn ledger(self) -> &'static str {
        match self {
            StateDirectory::Project => ".agpm/ledger.json",
            StateDirectory::Home => ".local/state/agpm/ledger.json",
        }
    }

    /// Returns the path of the list of directories that agpm created. The transaction writes it like any other file.
    pub(crate) const fn directory_list(self) -> &'static str {
        match self {
            StateDirectory::Project => ".agpm/folders.json",
            StateDirectory::Home => ".local/state/agpm/folders.json",
        }
    }

    /// Returns the part of a path inside the state; empty for the state itself.
    fn within(self, path: &str) -> Option<&str> {
        let rest = path.strip_prefix(self.path())?;
        if rest.is_empty() {
            Some("")
        } else {
            rest.strip_prefix('/')
        }
    }
}

/// Returns whether a path is the list of directories of any state.
pub(crate) fn is_directory_list_path(path: &str) -> bool {
    StateDirectory::ALL
        .iter()
        .any(|state| state.directory_list() == path)
}

/// Returns whether a lower-case path is one of the state's own files.
pub(crate) fn is_own(path: &str) -> bool {
    let is_own_file =
        |rest: &str| rest.is_empty() || OURS.contains(&rest.split('/').next().unwrap_or_default());
    StateDirectory::ALL
        .iter()
        .any(|state| state.within(path).is_some_and(is_own_file))
}

/// Returns whether a directory, by its lower-case path without symlinks, is a state or in one.
pub(crate) fn is_inside(directory: &str) -> bool {
    directory
        .split('/')
        .any(|part| part == StateDirectory::Project.path())
        || StateDirectory::Home.within(directory).is_some()
}

/// Parses a constant path.
pub(crate) fn relative(path: &'static str) -> RelativePath {
    RelativePath::new(path).expect("agpm names its files portably")
}
