use std::thread::{self, available_parallelism};

/// Checks slices of the cases on all processors, so a test with many cases does not leave them idle. It fails if a check
/// panics.
pub fn check_in_parallel<T: Sync>(cases: &[T], check: impl Fn(&[T]) + Sync) {
    let threads = available_parallelism().map_or(1, usize::from);
    let length = cases.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        for slice in cases.chunks(length) {
            scope.spawn(|| check(slice));
        }
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn every_case_is_checked_once() {
        for count in [0, 1, 7, 100] {
            let sum = AtomicUsize::new(0);
            let cases: Vec<usize> = (0..count).collect();
            check_in_parallel(&cases, |slice| {
                sum.fetch_add(slice.iter().sum::<usize>(), Ordering::Relaxed);
            });
            assert_eq!(sum.into_inner(), cases.iter().sum::<usize>());
        }
    }

    #[test]
    #[should_panic(expected = "panicked")]
    fn a_failed_check_fails_the_test() {
        check_in_parallel(&[1, 2, 3], |slice| assert!(!slice.contains(&2)));
    }
}
