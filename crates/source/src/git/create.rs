use std::path::Path;

use crate::git::error::GitError;
use crate::git::program::GitProgram;
use crate::git::run::RunOutcome;

impl GitProgram {
    /// Creates a bare repository at a new path from a stream for `git fast-import`.
    pub fn create_repository(&self, path: &Path, stream: &str) -> Result<(), GitError> {
        let mut init = self.command()?;
        init.args(["init", "--quiet", "--bare", "--initial-branch=main"])
            .arg(path);
        self.finish(init, String::new(), path)?;
        let mut import = self.command()?;
        import
            .arg("--git-dir")
            .arg(path)
            .args(["fast-import", "--quiet"]);
        self.finish(import, stream.to_owned(), path)
    }

    fn finish(
        &self,
        command: std::process::Command,
        input: String,
        path: &Path,
    ) -> Result<(), GitError> {
        let address = path.display().to_string();
        match self.run(command, input)? {
            // Its output is not used, so it may be incomplete.
            RunOutcome::Done(_) | RunOutcome::Incomplete => Ok(()),
            RunOutcome::Failed(reason) => Err(GitError::Broken {
                address,
                reason: reason.trim().to_owned(),
            }),
            RunOutcome::Silent => Err(GitError::Broken {
                address,
                reason: "git timed out".to_owned(),
            }),
        }
    }
}
