//! Git sources through the git program: refs, fetches and objects. Credentials stay with git.
