/// A banned phrase where it is written.
pub(super) struct PhraseFinding {
    /// From the root of the repository.
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) phrase: String,
    pub(super) instead: &'static str,
}

impl PhraseFinding {
    pub(super) fn describe(&self) -> String {
        let Self {
            path,
            line,
            phrase,
            instead,
        } = self;
        format!("{path}:{line}: \"{phrase}\": write {instead}")
    }
}
