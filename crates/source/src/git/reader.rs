//! The long-running `git cat-file` that reads all objects; with an older git, two of them.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use agpm_model::Revision as ObjectId;

/// A file or directory larger than this is not a resource.
// A source is not trusted: the size is checked before the bytes are read into memory.
pub(crate) const MOST_BYTES: u64 = 100 << 20;

/// The question about each object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ObjectQuery {
    /// The name and kind of an object.
    Kind,
    /// The content of an object too.
    Content,
}

/// The answer about an object.
#[derive(Debug)]
pub(crate) enum ObjectReply {
    Found {
        id: ObjectId,
        kind: String,
        size: u64,
        content: Vec<u8>,
    },
    TooLarge {
        id: ObjectId,
        size: u64,
    },
    Missing,
}

/// Answers until it is dropped.
#[derive(Debug)]
pub(crate) enum ObjectReader {
    /// One process for all kinds of questions.
    OneProcess(ObjectProcess),
    /// A process for each kind of question.
    TwoProcesses {
        kinds: ObjectProcess,
        contents: ObjectProcess,
    },
}

impl ObjectReader {
    /// Starts one process; `command` is git with the repository to read.
    pub(crate) fn start(command: Command) -> io::Result<Self> {
        let arguments = ["--batch-command", "--buffer"];
        ObjectProcess::start(command, &arguments).map(ObjectReader::OneProcess)
    }

    /// Starts two processes of a git that has no `--batch-command`.
    pub(crate) fn start_two(kinds: Command, contents: Command) -> io::Result<Self> {
        Ok(ObjectReader::TwoProcesses {
            kinds: ObjectProcess::start(kinds, &["--batch-check"])?,
            contents: ObjectProcess::start(contents, &["--batch"])?,
        })
    }

    /// Asks about all objects and passes on each answer, in order.
    pub(crate) fn ask(
        &mut self,
        question: ObjectQuery,
        names: &[String],
        each: &mut dyn FnMut(usize, ObjectReply),
    ) -> io::Result<()> {
        match (self, question) {
            (ObjectReader::OneProcess(process), _) => process.ask_all(question, names, each),
            (ObjectReader::TwoProcesses { kinds, .. }, ObjectQuery::Kind) => {
                kinds.ask_each(question, names, each)
            }
            (ObjectReader::TwoProcesses { contents, .. }, ObjectQuery::Content) => {
                contents.ask_each(question, names, each)
            }
        }
    }
}

/// A process that answers until it is dropped.
#[derive(Debug)]
pub(crate) struct ObjectProcess {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl ObjectProcess {
    fn start(mut command: Command, arguments: &[&str]) -> io::Result<Self> {
        let mut child = command
            .arg("cat-file")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (questions, stdout) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(ObjectProcess {
            child,
            questions,
            answers: BufReader::with_capacity(64 << 10, stdout),
        })
    }

    /// Asks about one object after the other. Several questions at once could block both sides, because each answer
    /// comes before the next question is read.
    fn ask_each(
        &mut self,
        question: ObjectQuery,
        names: &[String],
        each: &mut dyn FnMut(usize, ObjectReply),
    ) -> io::Result<()> {
        for (at, name) in names.iter().enumerate() {
            self.questions.write_all(format!("{name}\n").as_bytes())?;
            self.questions.flush()?;
            each(at, self.answer(question)?);
        }
        Ok(())
    }

    /// Asks about all objects at once.
    fn ask_all(
        &mut self,
        question: ObjectQuery,
        names: &[String],
        each: &mut dyn FnMut(usize, ObjectReply),
    ) -> io::Result<()> {
        let word = match question {
            ObjectQuery::Kind => "info",
            ObjectQuery::Content => "contents",
        };
        let mut text: String = names
            .iter()
            .map(|name| format!("{word} {name}\n"))
            .collect();
        text.push_str("flush\n");
        // Nothing is answered before the flush, so writing everything first cannot block on either side.
        self.questions.write_all(text.as_bytes())?;
        self.questions.flush()?;
        for at in 0..names.len() {
            each(at, self.answer(question)?);
        }
        Ok(())
    }

    fn answer(&mut self, question: ObjectQuery) -> io::Result<ObjectReply> {
        let mut header = String::new();
        self.answers.read_line(&mut header)?;
        // A line without its end is incomplete: its last number may lack digits.
        let line = header
            .strip_suffix('\n')
            .ok_or(io::ErrorKind::UnexpectedEof)?;
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            [.., "missing" | "ambiguous"] => Ok(ObjectReply::Missing),
            [id, kind, size] => {
                let id = id.parse().map_err(|_| io::ErrorKind::InvalidData)?;
                let size = size.parse().map_err(|_| io::ErrorKind::InvalidData)?;
                self.found(question, id, (*kind).to_owned(), size)
            }
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn found(
        &mut self,
        question: ObjectQuery,
        id: ObjectId,
        kind: String,
        size: u64,
    ) -> io::Result<ObjectReply> {
        let mut content = Vec::new();
        if matches!(question, ObjectQuery::Kind) {
            return Ok(ObjectReply::Found {
                id,
                kind,
                size,
                content,
            });
        }
        // With the newline that follows.
        let mut body = (&mut self.answers).take(size + 1);
        if size > MOST_BYTES {
            io::copy(&mut body, &mut io::sink())?;
            return Ok(ObjectReply::TooLarge { id, size });
        }
        // Exactly as large as needed: a file that grew while it was read keeps up to half of its memory unused.
        content.reserve_exact(usize::try_from(size + 1).unwrap_or(0));
        body.read_to_end(&mut content)?;
        if content.pop() != Some(b'\n') || content.len() as u64 != size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(ObjectReply::Found {
            id,
            kind,
            size,
            content,
        })
    }
}

impl Drop for ObjectProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
