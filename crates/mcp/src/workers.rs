//! Threads for requests that read files or resolve versions.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The threads of a pool; further work waits.
// Operations block on files. More threads than this gain nothing on a local disk, and each may hold a whole catalog.
const MOST_THREADS: usize = 4;
/// A thread without work ends after this time, so a server that nobody uses has none.
const IDLE: Duration = Duration::from_secs(10);

/// The pool for a piece of work, by its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkPool {
    /// Reads files.
    Quick,
    /// Resolves versions, or contacts remotes.
    Slow,
}

pub(crate) type Work = Box<dyn FnOnce() + Send>;

/// A pool of threads that are started when they are needed. Work must not panic.
#[derive(Default)]
pub(crate) struct Workers {
    state: Mutex<WorkQueue>,
    submitted: Condvar,
}

#[derive(Default)]
struct WorkQueue {
    waiting: VecDeque<Work>,
    threads: usize,
    idle: usize,
}

impl Workers {
    pub(crate) fn submit(self: &Arc<Self>, work: Work) {
        let mut queue = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        queue.waiting.push_back(work);
        // Idle threads that were woken may not have taken their work yet, so the length of the queue decides.
        if queue.waiting.len() > queue.idle && queue.threads < MOST_THREADS {
            let workers = Arc::clone(self);
            let thread = thread::Builder::new().name("mcp-worker".to_owned());
            // Without a new thread, those that exist do the work. One that cannot be started at all is an
            // exhausted machine, where waiting is as good as failing.
            if thread.spawn(move || workers.run()).is_ok() {
                queue.threads += 1;
            }
        }
        drop(queue);
        self.submitted.notify_one();
    }

    fn run(&self) {
        while let Some(work) = self.next() {
            work();
        }
    }

    /// The next piece of work, or nothing after a long time without.
    fn next(&self) -> Option<Work> {
        let mut queue = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        queue.idle += 1;
        let (mut queue, _) = self
            .submitted
            .wait_timeout_while(queue, IDLE, |queue| queue.waiting.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        queue.idle -= 1;
        let work = queue.waiting.pop_front();
        if work.is_none() {
            queue.threads -= 1;
        }
        work
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn all_work_is_done_by_few_threads() {
        let workers = Arc::new(Workers::default());
        let (sender, done) = channel();
        for at in 0..100 {
            let sender = sender.clone();
            workers.submit(Box::new(move || sender.send(at).unwrap()));
        }
        drop(sender);
        let mut all: Vec<i32> = done.iter().collect();
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<i32>>());
        assert!(workers.state.lock().unwrap().threads <= MOST_THREADS);
    }

    #[test]
    fn work_that_waits_does_not_hold_up_the_rest() {
        let workers = Arc::new(Workers::default());
        let (release, wait) = channel::<()>();
        workers.submit(Box::new(move || wait.recv().unwrap_or_default()));
        let (sender, done) = channel();
        workers.submit(Box::new(move || sender.send(()).unwrap()));
        assert!(done.recv_timeout(IDLE).is_ok());
        drop(release);
    }
}
