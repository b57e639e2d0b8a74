//! Runs work on several threads.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// How many servers are contacted at a time. Waiting needs no core, but many connections to one host are refused.
const MOST_WAITING: usize = 8;

/// Calls `work` with every item, on one thread per core; the results are in the order of the items.
pub fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    map_with(cores, items, work)
}

/// The same for work that mostly waits for a server.
pub fn map_waiting<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    map_with(MOST_WAITING, items, work)
}

fn map_with<T: Send, R: Send>(most: usize, items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let count = items.len();
    let workers = most.min(count);
    if workers <= 1 {
        return items.into_iter().map(work).collect();
    }
    let queue = Mutex::new(items.into_iter().enumerate());
    let take = || queue.lock().ok().and_then(|mut queue| queue.next());
    let results: Mutex<Vec<Option<R>>> = Mutex::new((0..count).map(|_| None).collect());
    run_on_threads(workers, &|| {
        while let Some((index, item)) = take() {
            let result = work(item);
            if let Ok(mut results) = results.lock() {
                results[index] = Some(result);
            }
        }
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().flatten().collect()
}

/// Runs the same work on `workers` threads. It is not generic, to compile only once.
fn run_on_threads(workers: usize, work: &(dyn Fn() + Sync)) {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// Drops a large value on another thread.
pub fn discard<T: Send + 'static>(large: T) {
    let dropped = thread::Builder::new().spawn(move || drop(large));
    // If no thread could be started, the value was dropped here.
    drop(dropped);
}

#[cfg(test)]
mod tests {
    #[test]
    fn results_keep_the_order() {
        let doubled = super::map((0..1000).collect(), |n: u64| n * 2);
        assert_eq!(doubled, (0..1000).map(|n| n * 2).collect::<Vec<_>>());
        assert!(super::map(Vec::<u8>::new(), |n| n).is_empty());
    }
}
